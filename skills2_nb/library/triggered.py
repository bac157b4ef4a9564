"""Why a prompt calls for a skill, or does not."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from skills2_nb.errors import Skills2Error
from skills2_nb.formats.manifest import Triggers, read_manifest
from skills2_nb.hooks import triggers_rule as rule
from skills2_nb.hooks.triggers import MOST_TOLD, Index, is_here, is_told
from skills2_nb.library.index_bytes import Entries, Listed, entries_of, relisted

Kind = Literal["phrase", "keyword", "not"]


@dataclass(frozen=True)
class Evidence:
    """One entry of ``[triggers]`` of which a word stands in the prompt.

    Attributes:
        kind: the list it comes from.
        text: as its author wrote it.
        words: the stems that count; of an entry with ``|`` or ``+``, its parts in stems.
        found: those of them that stand in the prompt; of a part, the texts that do.
        occurs: whether the entry does.
        gives: what it adds to the score; a phrase that is not the best one adds nothing.
        is_plain: whether it is written without ``|`` and ``+``.
    """

    kind: Kind
    text: str
    words: tuple[str, ...]
    found: tuple[str, ...]
    occurs: bool
    gives: float
    is_plain: bool = True

    def to_dict(self) -> dict[str, Any]:
        """For ``--json``."""
        return {
            "kind": self.kind,
            "text": self.text,
            "words": list(self.words),
            "found": list(self.found),
            "occurs": self.occurs,
            "gives": self.gives,
        }


@dataclass(frozen=True)
class Explained:
    """A skill and a prompt.

    Attributes:
        skill: name, threshold and text.
        score: 0 to 1.
        evidence: best phrase first, then keywords, then what speaks against it.
        reason: empty where the skill would be told, else why not.
    """

    skill: Listed
    score: float
    evidence: tuple[Evidence, ...]
    reason: str = ""

    @property
    def is_told(self) -> bool:
        """Whether Claude would be told of the skill."""
        return not self.reason

    def to_dict(self) -> dict[str, Any]:
        """For ``--json``."""
        return {
            "skill": self.skill.name,
            "folder": self.skill.folder,
            "score": self.score,
            "threshold": self.skill.threshold,
            "told": self.is_told,
            "reason": self.reason,
            "evidence": [item.to_dict() for item in self.evidence],
        }


def explained(skills: Iterable[Listed], prompt: str) -> list[Explained]:
    """Each skill with its score and what it is made of, the best first, ties by name."""
    stems = rule.places(rule.words(prompt))
    found = sorted((_explained(skill, stems) for skill in skills), key=_order)
    told = [item for item in found if item.is_told][:MOST_TOLD]
    return [
        item
        if item in told or not item.is_told
        else Explained(item.skill, item.score, item.evidence, _behind(told))
        for item in found
    ]


def told_names(skills: Iterable[Listed], prompt: str) -> list[str]:
    """The names of the skills that the prompt calls for, the best first."""
    stems = rule.places(rule.words(prompt))
    found = [
        (-score, skill.name)
        for skill in skills
        if (score := rule.score(stems, skill.entries.phrases, skill.entries.keywords))
        and score >= skill.threshold
        and not rule.denied(stems, skill.entries.negatives)
    ]
    return [name for _, name in sorted(found)[:MOST_TOLD]]


def here(folder: str, cwd: str) -> tuple[list[Listed], list[Listed]]:
    """The skills of an index that count in a folder, and those that do not.

    Raises:
        OSError: there is no index.
        ValueError: it is cut, or of another layout.
    """
    count: list[Listed] = []
    rest: list[Listed] = []
    with Index(folder) as index:
        for row in index.rows():
            fits = is_here(row, cwd) and is_told(index, row, cwd)
            (count if fits else rest).append(relisted(index, row))
    return count, rest


def _order(item: Explained) -> tuple[float, str]:
    return -item.score, item.skill.name


def _behind(told: Sequence[Explained]) -> str:
    return f"{MOST_TOLD} others come first: {', '.join(item.skill.name for item in told)}"


def _explained(skill: Listed, stems: rule.Places) -> Explained:
    entries = skill.entries
    texts = _texts(skill)
    score = rule.score(stems, entries.phrases, entries.keywords)
    against = [entry for entry in entries.negatives if rule.occurs(stems, entry)]
    keywords = rule.counted(stems, entries.keywords)
    best = max(entries.phrases, key=lambda entry: rule.worth(stems, entry), default=())
    evidence = [
        *(_phrase(texts, stems, entry, entry == best) for entry in entries.phrases),
        *(
            _evidence("keyword", texts, stems, entry, rule.KEY if entry in keywords else 0.0)
            for entry in entries.keywords
        ),
        *(_evidence("not", texts, stems, entry, 0.0) for entry in entries.negatives),
    ]
    shown = sorted((item for item in evidence if item.found), key=_weight)
    return Explained(skill, score, tuple(shown), _reason(skill, score, against, texts))


def _weight(item: Evidence) -> tuple[int, float, int, str]:
    return (
        ("phrase", "keyword", "not").index(item.kind),
        -item.gives,
        -len(item.found),
        item.text,
    )


def _reason(
    skill: Listed,
    score: float,
    against: Sequence[rule.Entry],
    texts: dict[tuple[Kind, rule.Entry], str],
) -> str:
    if against:
        said = ", ".join(repr(texts["not", entry]) for entry in against)
        return f"taken out by {said}"
    if not score:
        return "nothing of it stands in the prompt"
    if score < skill.threshold:
        return f"below its threshold of {skill.threshold:g}"
    return ""


def _phrase(
    texts: dict[tuple[Kind, rule.Entry], str], stems: rule.Places, entry: rule.Entry, best: bool
) -> Evidence:
    gives = round(rule.worth(stems, entry), 6) if best else 0.0
    return _evidence("phrase", texts, stems, entry, gives)


def _evidence(
    kind: Kind,
    texts: dict[tuple[Kind, rule.Entry], str],
    stems: rule.Places,
    entry: rule.Entry,
    gives: float,
) -> Evidence:
    plain = rule.is_plain(entry)
    if plain:
        words = entry[0][0]
        found = tuple(word for word in words if word in stems)
    else:
        words = tuple(map(_part, entry))
        standing = (tuple(one for one in part if rule.occurs(stems, ((one,),))) for part in entry)
        found = tuple(_part(part) for part in standing if part)
    return Evidence(kind, texts[kind, entry], words, found, rule.occurs(stems, entry), gives, plain)


def _part(part: rule.Part) -> str:
    return " | ".join(" ".join(text) for text in part)


def _texts(skill: Listed) -> dict[tuple[Kind, rule.Entry], str]:
    """What its author wrote for each entry; the stems where the manifest says something else."""
    try:
        triggers = read_manifest(Path(skill.folder)).triggers
    except Skills2Error:
        triggers = Triggers()
    written: dict[tuple[Kind, rule.Entry], str] = {}
    kinds: tuple[tuple[Kind, tuple[str, ...]], ...] = (
        ("phrase", (*triggers.phrases, skill.name)),
        ("keyword", triggers.keywords),
        ("not", triggers.not_),
    )
    for kind, texts in kinds:
        for text in texts:
            written.setdefault((kind, rule.entry(text)), text)
    entries: Entries = skill.entries
    groups: tuple[tuple[Kind, tuple[rule.Entry, ...]], ...] = (
        ("phrase", entries.phrases),
        ("keyword", entries.keywords),
        ("not", entries.negatives),
    )
    return {
        (kind, entry): written.get((kind, entry), " + ".join(map(_part, entry)))
        for kind, group in groups
        for entry in group
    }


def is_behind(skill: Listed) -> bool:
    """Whether the index has other entries than the skill's manifest has now."""
    try:
        triggers = read_manifest(Path(skill.folder)).triggers
    except Skills2Error:
        return True
    return entries_of(skill.name, triggers) != skill.entries
