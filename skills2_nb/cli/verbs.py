"""Every verb: its heading, its sentence, its example."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Verb:
    """What help says of a command before the command itself is loaded.

    Attributes:
        name: the words typed after ``skills2``.
        heading: the group of the help it stands in; empty for a verb below another one.
        where: ``file:attribute`` in this folder.
        says: one sentence.
        example: a command line that can be typed as it is.
    """

    name: str
    heading: str
    where: str
    says: str
    example: str


HEADINGS = ("Write", "Prove", "Ship", "Also")

_TABLE = (
    Verb(
        "new",
        "Write",
        "write:new",
        "Start a skill notebook that runs and scores as it is.",
        "skills2 new weekly-numbers",
    ),
    Verb(
        "import",
        "Write",
        "bring:bring",
        "Make a notebook of a skill; it exports to the same SKILL.md.",
        "skills2 import skills/weekly-numbers -o weekly-copy.ipynb",
    ),
    Verb(
        "adopt",
        "Write",
        "adopt:adopt",
        "Propose a first contract for an ordinary notebook.",
        "skills2 adopt analysis.ipynb",
    ),
    Verb(
        "transform",
        "Write",
        "transform:transform",
        "Make a plain skill a notebook, with a stub for each of its steps.",
        "skills2 transform ~/.claude/skills/code-review -o drafts",
    ),
    Verb(
        "lint",
        "Write",
        "write:lint",
        "Say what would stop an export, and how to mend it.",
        "skills2 lint weekly-numbers.ipynb --fix",
    ),
    Verb(
        "export",
        "Write",
        "write:export",
        "Make the skill package of a notebook.",
        "skills2 export weekly-numbers.ipynb -o skills",
    ),
    Verb(
        "pull",
        "Write",
        "pull:pull",
        "Carry edits of a package back into its notebook.",
        "skills2 pull weekly-numbers",
    ),
    Verb(
        "run",
        "Prove",
        "prove:run",
        "Run a skill's steps in order and audit the run.",
        'skills2 run weekly-numbers -i "daily=[12, 9, 14, 11, 20, 31, 18]"',
    ),
    Verb(
        "audit",
        "Prove",
        "prove:audit",
        "Judge a run, or an answer that came without one.",
        "skills2 audit weekly-numbers --answer answer.md",
    ),
    Verb(
        "audits",
        "Prove",
        "audits:audits",
        "Look through the audits on record.",
        "skills2 audits list --since 7d",
    ),
    Verb(
        "strength",
        "Prove",
        "strength:strength",
        "Say which invariants notice a changed result, and which do not.",
        "skills2 strength weekly-numbers",
    ),
    Verb(
        "explain",
        "Prove",
        "explain:explain",
        "Show where each argument of a step came from.",
        "skills2 explain weekly-numbers write_readout",
    ),
    Verb(
        "eval",
        "Prove",
        "eval:evaluate",
        "Play a skill's cases and report what holds.",
        "skills2 eval weekly-numbers",
    ),
    Verb(
        "cases",
        "Prove",
        "cases_import:cases",
        "Bring the eval cases of others into a skill.",
        "skills2 cases import evals/evals.json",
    ),
    Verb(
        "gate",
        "Prove",
        "gate:gate",
        "Decide by a baseline whether an evaluation may go on.",
        "skills2 gate eval-results --accept",
    ),
    Verb(
        "runs",
        "Prove",
        "runs:runs",
        "Look through, compare, check and remove recorded runs.",
        "skills2 runs list --skill weekly-numbers",
    ),
    Verb(
        "triggers",
        "Prove",
        "triggers:triggers",
        "Say when Claude is told of a skill, and why.",
        'skills2 triggers test "why did MAU fall?"',
    ),
    Verb(
        "serve",
        "Ship",
        "serve:serve",
        "Serve the steps of skills as MCP tools.",
        "skills2 serve skills --http 127.0.0.1:8765",
    ),
    Verb(
        "connect",
        "Ship",
        "connect:connect",
        "Be an agent's one server: live kernels first, packages otherwise.",
        "skills2 connect",
    ),
    Verb(
        "install",
        "Ship",
        "install:install",
        "Give a skill and the server of its steps to an agent.",
        "skills2 install weekly-numbers --client cursor --scope project",
    ),
    Verb(
        "uninstall",
        "Ship",
        "install:uninstall",
        "Take back what an install did, to the byte.",
        "skills2 uninstall weekly-numbers",
    ),
    Verb(
        "hooks",
        "Ship",
        "hooks:hooks",
        "Let Claude Code bring the checklist in and the audit back.",
        "skills2 hooks install",
    ),
    Verb(
        "package",
        "Ship",
        "package:package",
        "Make of a skill one file to upload, or a plugin.",
        "skills2 package weekly-numbers --format plugin",
    ),
    Verb(
        "doctor",
        "Ship",
        "doctor:doctor",
        "Check this machine, the home of the runs, and the skills.",
        "skills2 doctor",
    ),
    Verb(
        "list",
        "Also",
        "show:list_skills",
        "List the skills that are found from here.",
        "skills2 list",
    ),
    Verb(
        "show",
        "Also",
        "show:show",
        "Show a skill's steps, inputs, anchors and cases.",
        "skills2 show weekly-numbers",
    ),
    Verb(
        "demo",
        "Also",
        "demo:demo",
        "Export and run growth accounting on real purchases.",
        "skills2 demo",
    ),
    Verb(
        "cases import",
        "",
        "cases_import:importing",
        "Make run cases of skill-creator's evals.json.",
        "skills2 cases import evals/evals.json -o cases.jsonl",
    ),
    Verb(
        "audits list",
        "",
        "audits:listing",
        "List audits, the newest first.",
        "skills2 audits list --since 7d",
    ),
    Verb(
        "audits show",
        "",
        "audits:showing",
        "Show an audit, and whether its journal still matches.",
        "skills2 audits show 12",
    ),
    Verb(
        "runs list",
        "",
        "runs:listing",
        "List runs, the newest first.",
        "skills2 runs list --limit 5",
    ),
    Verb(
        "runs show",
        "",
        "runs:showing",
        "Read a run record by record.",
        "skills2 runs show 20260301",
    ),
    Verb(
        "runs diff",
        "",
        "runs:diff",
        "Say where two runs differ.",
        "skills2 runs diff 20260301-0915 20260301-1022",
    ),
    Verb(
        "runs verify",
        "",
        "runs:verifying",
        "Check that journals are as they were written.",
        "skills2 runs verify --all",
    ),
    Verb(
        "runs prune",
        "",
        "runs_remove:prune",
        "Remove old runs and the values only they use.",
        "skills2 runs prune --older-than 90 --dry-run",
    ),
    Verb(
        "runs erase",
        "",
        "runs_remove:erase",
        "Remove one run and the values only it uses.",
        "skills2 runs erase 20260301-0915",
    ),
    Verb(
        "hooks install",
        "",
        "hooks:installing",
        "Enter the hooks into Claude Code's settings.",
        "skills2 hooks install --enforce block",
    ),
    Verb(
        "hooks uninstall",
        "",
        "hooks:uninstalling",
        "Take the hooks out again; the rest stays, to the byte.",
        "skills2 hooks uninstall --dry-run",
    ),
    Verb(
        "hooks status",
        "",
        "hooks_status:status",
        "Say where hooks are, and whether they work.",
        "skills2 hooks status",
    ),
    Verb(
        "triggers test",
        "",
        "triggers:testing",
        "Say which skills a prompt calls for, and why.",
        'skills2 triggers test "sum up this week" weekly-numbers',
    ),
    Verb(
        "triggers list",
        "",
        "triggers:listing",
        "List the skills whose triggers are known.",
        "skills2 triggers list",
    ),
    Verb(
        "triggers refresh",
        "",
        "triggers:refreshing",
        "Read the triggers of every skill again.",
        "skills2 triggers refresh",
    ),
)

VERBS: dict[str, Verb] = {verb.name: verb for verb in _TABLE}


def below(parent: str = "") -> dict[str, Verb]:
    """The verbs one word below ``parent``, by that word, in the order of help."""
    start = f"{parent} " if parent else ""
    return {
        name.removeprefix(start): verb
        for name, verb in VERBS.items()
        if name.startswith(start) and " " not in name.removeprefix(start)
    }
