"""The words by which prose tells what is a step."""

from __future__ import annotations

import re
from functools import lru_cache

_STEP_WORDS = (
    "step|phase|stage|schritt|étape|etape|paso|passo|fase|etapa|stap|steg|krok|шаг|этап|"
    "ステップ|步骤|阶段"
)
_COUNTED = "one|two|three|four|five|six|seven|eight|nine|ten|eins|zwei|drei|vier|fünf|[ivx]{1,5}"
#: "Step 2:", "Phase II -", "Schritt 3", "第 2 步".
_STEP = re.compile(
    rf"(?:(?:{_STEP_WORDS})\s*[-#]?\s*(?P<n>\d{{1,3}}|{_COUNTED}|[a-z])(?P<part>(?:\.\d{{1,3}})*[a-z]?)(?![\w-])"
    r"|第\s*(?P<han>[\d一二三四五六七八九十]+)\s*[步阶段])",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"\(?(?P<n>\d{1,3})(?:\.\d{1,3}){0,3}[a-z]?(?:[.):]|\s+[-–—])(?=\s|$)\s*")
_AFTER = re.compile(r"[\s.:)\]*_\u2013\u2014\uff0c\uff1a\u3001\u3002-]+")
_WRITTEN = (
    ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"),
    ("eins", "zwei", "drei", "vier", "fünf"),
    ("i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x", "xi", "xii"),
    tuple("一二三四五六七八九十"),
    tuple("abcdefghijklmnopqrstuvwxyz"),
)

#: A heading that is nothing but the word for a flow, plain or praised.
_PLAIN = (
    r"(?:the |your |our |main |core |basic |standard |recommended |suggested |typical |overall |"
    r"general |high-level |default |creative |required )*"
)
_FLOW_NAMES = (
    r"workflow|work flow|process|process flow|procedure|steps|workflow steps|process steps|"
    r"instructions|step[- ]by[- ]step(?: .*)?|checklist|how (?:it|this(?: skill)?|the skill) works|"
    r"how to use(?: (?:it|this(?: skill)?|the skill))?|"
    r"ablauf|arbeitsablauf|vorgehen|vorgehensweise|schritte|anleitung|prozess|"
    r"étapes|procédure|processus|déroulement|instrucciones|pasos|proceso|procedimiento|"
    r"passi|processo|procedura|passos|etapas|procedimento|stappen|werkwijze|"
    r"шаги|порядок действий|процесс|步骤|流程|工作流程|手順|ワークフロー"
)
_MAIN = re.compile(rf"{_PLAIN}(?:{_FLOW_NAMES})", re.IGNORECASE)
_SAYS = re.compile(
    r"\b(?:workflow|procedure|steps|instructions|step[- ]by[- ]step|how to|ablauf|vorgehen\w*|"
    r"arbeitsablauf|schritte|anleitung|étapes|procédure|pasos|procedimiento|stappen)\b"
    r"|\b(?:\d|two|three|four|five|six|seven|eight|nine|ten)[- ](?:steps?|stages?|phases?)\b"
    r"|\bprocess(?=\s*(?:$|[(:,—–]|\s-|for\b|of\b|flow\b|steps?\b|overview\b))"
    r"|步骤|流程|手順",
    re.IGNORECASE,
)
#: Many at once stand side by side: one is chosen, not one after the other.
_MANY = re.compile(
    r"\b(?:workflows|processes|procedures|modes|options|approaches|strategies|scenarios|recipes|"
    r"use cases|variants|alternatives)\b|\bdecision (?:tree|guide|table|matrix)\b",
    re.IGNORECASE,
)
#: What comes after the flow.
_NEXT = re.compile(r"(?:next|further|follow-up) steps", re.IGNORECASE)
#: "Mode 1", "Option B": one of several ways, whatever it stands below.
_VARIANT = re.compile(
    r"(?:mode|option|workflow|variant|scenario|case|example|path|route|approach|method|pattern|"
    r"template|variante|beispiel|fall)(?:\s*#?\d+|\s+#?(?-i:[A-Z]))\b",
    re.IGNORECASE,
)
_ORDERS = re.compile(
    r"\b(?:steps|workflow|procedure|process|phases|stages|in (?:this |the following )?order"
    r"(?! of\b| to\b)|schritte\w*|reihenfolge|ablauf|étapes|pasos)\b",
    re.IGNORECASE,
)
#: What stands below such a heading is read, not done one after the other.
_AGAINST = re.compile(
    r"\b(?:best practices?|practices|principles?|rules?|pitfalls?|gotchas?|"
    r"anti-?patterns?|mistakes?|what not to|"
    r"red flags|troubleshooting|issues|problems|errors?|faqs?|questions|examples?|samples?|"
    r"outputs?|formats?|artifacts?|templates?|deliverables|capabilities|features|patterns|"
    r"concepts|considerations|resources?|references?|related|when (?:not )?to|overview|"
    r"introduction|prerequisites?|installation|install|setup|set(?:ting)? up|before (?:you )?"
    r"start(?:ing)?|requirements?|metrics|kpis?|criteria|rubric|scoring|score|triggers?|notes?|"
    r"limitations?|reminders?|remember|tips|summary|quality|readiness|validation checklist|"
    r"review checklist|"
    r"next steps|options|modes?|use cases|integrations?|tools|keywords|communication|future|"
    r"rationalizations|glossary|license|credits|anatomy|levels?|types?|categories|"
    r"beispiele?|hinweise|voraussetzungen|grundsätze|regeln|fehler|überblick|einleitung)\b",
    re.IGNORECASE,
)
#: Numbered, these are what a skill does, one after the other; as a section they praise it.
_ABLE = re.compile(r"(?:[\w-]+ )*(?:capabilities|features|functions|operations)", re.IGNORECASE)
_ABOUT = re.compile(
    r"(?:\w+ )?overview|overview\b.*|introduction(?: to .*)?|about(?: .*)?|purpose|background|"
    r"description|(?:(?:key|main|core|advanced|system|technical|software) )?"
    r"(?:capabilities|features|components|architecture|differentiators?(?: .*)?)|"
    r"(?:.* )?use cases(?: .*)?|integrations?(?: with .*)?|(?:.* )?considerations|error handling|"
    r"scripts|templates|assets|tools|contribut(?:ing|ion|ions)(?: .*)?|roadmap|"
    r"future (?:enhancements|work|plans)|"
    r"(?:detailed|full|complete|official|api|further) documentation|"
    r"when (?:not )?to (?:use|apply|invoke|request|trigger)\b.*|when this skill\b.*|triggers?|"
    r"trigger (?:phrases|conditions|terms|words)|keywords?|tags|"
    r"(?:(?:system|technical|software|hardware|environment|minimum|python|package|api) )?"
    r"(?:requirements?|prerequisites?|dependencies)|(?:.* )?installation(?: .*)?|"
    r"install(?:ing)?(?: .*)?|set-?up(?: .*)?|setting up(?: .*)?|environment setup|"
    r"(?:.*[ /])?(?:references?|resources?)|(?:references?|resources?) "
    r"(?:files?|docs?|documents?|documentation|materials?|links|guides?|library|navigation|to|for|—|-).*|"
    r"see also|related\b.*|(?:further|additional) reading|learn more|links|documentation|"
    r"bibliography|citations?|getting help|help|support|"
    r"licen[cs]es?(?: (?:and|&|information|terms|notice)\b.*)?|credits|"
    r"acknowledge?ments?|attribution|authors?|changelog|version history|"
    r"(?:.* )?troubleshooting(?: .*)?|faqs?|frequently asked questions|"
    r"(?:.* )?examples?|(?:worked )?examples?(?: |:).*|(?:important |additional |general )?notes?|"
    r"version notes|notes? (?:on|about|for) .*|(?:.* )?(?:limitations?|caveats)|"
    r"(?:table of )?contents|toc|"
    r"überblick|übersicht|einleitung|einführung|wann .*|voraussetzungen|einrichtung|"
    r"referenzen|ressourcen|quellen|verweise|lizenz|hinweise|beispiele?|fehlerbehebung|"
    r"inhalt(?:sverzeichnis)?|vue d'ensemble|prérequis|ressources|exemples?|licence|"
    r"introducción|requisitos|instalación|recursos|referencias|ejemplos?|licencia|notas",
    re.IGNORECASE,
)
#: A last sentence that bids to follow what comes below, though no colon ends it.
_BIDS = re.compile(
    r"(?:^|[.!?]\s+)((?:please )?(?:follow|complete|(?:work|go) through)\b[^.!?]*[.!?]?)$",
    re.IGNORECASE,
)
#: An item that says when it holds, and so is one of several to choose from.
_CASE = re.compile(
    r"(?:if|when|whenever|for|to|falls|wenn|si|pour|para)\b(?! (?:each|every|all)\b)"
    r"[^.;]{1,90}?[:,→]",
    re.IGNORECASE,
)
_NOT_A_WORD = re.compile(r"^[^\w(`*\[<\"'“«¿¡]+|\s+$")


def bare(text: str) -> str:
    """A heading without the signs and emoji before its first word."""
    return _NOT_A_WORD.sub("", text.strip())


def step_number(text: str) -> tuple[int, str] | None:
    """The number of "Step 3: Collect" and what is left of it; None where it has none."""
    found = _STEP.match(text)
    if found is None:
        return None
    rest = text[found.end() :]
    if rest and not _AFTER.match(rest):
        return None
    return _value(found["n"] or found["han"]), _AFTER.sub("", rest, count=1)


def list_number(text: str) -> tuple[int, str] | None:
    """The number of "3. Collect" and what is left of it; None where it has none."""
    found = _NUMBER.match(text)
    return None if found is None else (int(found["n"]), text[found.end() :])


def _value(word: str) -> int:
    if word.isdigit():
        return int(word)
    return next((w.index(word.lower()) + 1 for w in _WRITTEN if word.lower() in w), 0)


@lru_cache(maxsize=1024)
def names_flow(heading: str) -> int:
    """How clearly a heading says that a flow comes: 2 for "Workflow", 1 for "Audit workflow"."""
    label = list_number(bare(heading))
    plain = (label[1] if label else bare(heading)).rstrip(" :.")
    if _NEXT.fullmatch(plain):
        return 0
    if _MAIN.fullmatch(re.sub(r"\s*\(.*\)$", "", plain)):
        return 2
    return 1 if _SAYS.search(plain) and not names_many(heading) else 0


def names_many(heading: str) -> bool:
    """Whether a heading announces several things of which one is chosen."""
    return bool(_MANY.search(heading))


def is_variant(heading: str) -> bool:
    """Whether a heading names one of several ways: "Mode 1", "Option B"."""
    return bool(_VARIANT.match(bare(heading)))


def is_able(heading: str) -> bool:
    """Whether a heading announces what the skill can do."""
    return bool(_ABLE.fullmatch(bare(heading).rstrip(" :.")))


@lru_cache(maxsize=1024)
def is_against(heading: str) -> bool:
    """Whether what stands below a heading is no flow."""
    return bool(_AGAINST.search(heading))


@lru_cache(maxsize=1024)
def is_about(heading: str) -> bool:
    """Whether a section tells about the skill instead of telling what to do."""
    return bool(_ABOUT.fullmatch(bare(heading).rstrip(" :.")))


def orders(text: str) -> bool:
    """Whether a paragraph that leads to a list says that its items come one after the other."""
    end = text[-300:].rstrip()
    if not end.endswith((":", "\uff1a")):
        bids = _BIDS.search(end)
        end = bids[1] if bids else ""
    return bool(_ORDERS.search(end))


def is_case(item: str) -> bool:
    """Whether an item is a question, or says first when it holds: "If it fails, ..."."""
    return item.rstrip(" \"'”»*").endswith(("?", "\uff1f")) or bool(_CASE.match(item))
