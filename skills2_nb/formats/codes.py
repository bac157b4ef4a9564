"""Every lint code: its level, its sentence, its weight."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Level = Literal["error", "warning", "note"]


@dataclass(frozen=True, slots=True)
class Code:
    """What one lint code stands for.

    Attributes:
        code: a letter for the subject and three digits.
        level: how loud it is.
        says: one sentence for the reference page.
        blocks: whether an export is refused while it stands. An error that does not block
            leaves a package that can be written but cannot pass a strict audit or an upload.
        fixable: whether ``lint --fix`` has one right mend for it.
        unreadable: whether a part of the notebook is not what it should be at all: exit code 2,
            where other errors give 1.
    """

    code: str
    level: Level
    says: str
    blocks: bool = True
    fixable: bool = False
    unreadable: bool = False


_TABLE = (
    # N: the notebook as a file
    Code("N101", "note", "A cell has no id although the notebook's format asks for one."),
    Code("N102", "note", "Two cells share one id; messages go by cell numbers."),
    Code("N104", "error", "An exported cell holds carriage returns.", fixable=True),
    # R: roles
    Code("R201", "error", "A cell's tag and its directive line name different roles."),
    Code("R202", "error", "A cell has two different role tags."),
    Code("R203", "warning", "A tag is one typo away from a role.", fixable=True),
    Code("R204", "error", "A role that this kind of cell cannot have."),
    Code("R205", "error", "A directive line names no role."),
    Code("R206", "error", "A role needs a file name, or has one that leaves the package."),
    Code("R207", "warning", "An empty cell has a role and is skipped."),
    Code("R208", "warning", "A role is read from the first line only."),
    # F: front matter and prose
    Code("F301", "warning", "The notebook has no front matter cell."),
    Code("F302", "error", "The front matter is no YAML mapping.", fixable=True, unreadable=True),
    Code("F303", "warning", "The front matter has no name; the notebook's stem is taken."),
    Code("F304", "error", "The skill's name breaks the name rule."),
    Code("F305", "warning", "The name of a skill without steps breaks the name rule."),
    Code("F306", "error", "The front matter has no description.", blocks=False),
    Code("F307", "error", "The description is longer than 1024 characters.", blocks=False),
    Code("F308", "error", "The description holds an angle bracket.", blocks=False),
    Code("F309", "warning", "Front matter is read from the first cell only."),
    Code("F310", "error", "The skill's name is a path.", unreadable=True),
    Code("F311", "error", "A front matter field has the wrong type."),
    Code("F312", "warning", "The line ends kept for SKILL.md no longer fit its text."),
    Code("F313", "error", "The layout kept in the notebook's metadata is not readable."),
    Code("F314", "warning", "The prose links to a file that the package does not have."),
    Code("F315", "error", "The front matter does not parse and is kept as text.", blocks=False),
    Code("F316", "warning", "SKILL.md is kept without front matter."),
    Code("F317", "warning", "SKILL.md begins with a byte order mark."),
    Code("F318", "warning", "A list in the front matter that strict readers refuse."),
    Code("F319", "warning", "Three hyphens within the front matter."),
    Code("F320", "warning", "A comment cuts a value of the front matter short."),
    Code("F321", "warning", "The name holds a word that uploads reserve."),
    Code("F322", "warning", "A key of the front matter that uploads refuse."),
    Code("F323", "note", "A key of the front matter that Claude Code alone reads."),
    Code("F324", "warning", "A field of the front matter has a form that readers disagree about."),
    Code("F325", "note", "The skill folder's names differ from what export writes."),
    Code("F326", "warning", "A file of the skill folder was left where it is."),
    Code("F327", "warning", "A file lies where export writes its own."),
    Code("F328", "note", "Export will write a file of the package otherwise than it is."),
    Code("F329", "warning", "A value of the front matter that Claude Code does not read."),
    Code("F330", "warning", "A field of Claude Code's that has no effect beside the others."),
    Code("F331", "warning", "Hooks that are not shaped as Claude Code's settings have them."),
    Code("F332", "note", "A description that Claude Code's listing cuts."),
    # C: code
    Code("C401", "error", "An exported cell is not valid Python."),
    Code("C402", "error", "A line works in IPython only."),
    Code("C403", "error", "A cell is written in another language."),
    Code("C404", "error", "An exported cell is indented as a whole.", fixable=True),
    Code("C405", "error", "A relative import."),
    Code("C406", "error", "A star import."),
    Code("C407", "error", "A name that exists in a notebook only."),
    Code("C408", "error", "An exported cell uses a name of an unexported cell.", fixable=True),
    Code("C409", "warning", "No cell defines this name."),
    Code("C410", "error", "Two exported cells bind one name."),
    Code("C411", "error", "A name is used before the cell that defines it."),
    Code("C412", "error", "The kit's name is used but not imported.", fixable=True),
    Code("C413", "error", "A `__main__` guard in an exported cell."),
    Code("C414", "warning", "A path relative to the working folder."),
    Code("C415", "error", "The exported cells do not compile as one module."),
    Code("C416", "warning", "A built-in name is shadowed for the whole module."),
    Code("C417", "error", "A step's signature uses a name bound for type checkers only."),
    Code("C418", "error", "A text to be stored holds half a character (a lone surrogate)."),
    # S: steps
    Code("S501", "error", "A cell with `@step` that no role exports.", fixable=True),
    Code("S502", "error", "A step cell without a `@step` function."),
    Code("S503", "error", "A step cell with more than one `@step` function."),
    Code("S504", "error", "An argument of `@step` cannot be read without running it."),
    Code("S505", "error", "`@step` has no such argument."),
    Code("S506", "error", "An argument of `@step` has the wrong type."),
    Code("S507", "error", "`requires` names a step that does not exist."),
    Code("S508", "error", "A guard, invariant or schema that does not exist."),
    Code("S509", "error", "A step id that is reserved or malformed."),
    Code("S510", "error", "Two steps share one id."),
    Code("S511", "error", "A step's tool name is longer than 64 characters."),
    Code("S512", "error", "A step takes `*args`, `**kwargs` or positional-only parameters."),
    Code("S513", "error", "A step waits for itself, or for a step of higher order."),
    Code("S514", "error", "An invariant can only return None."),
    Code("S515", "error", "An invariant asks for a value that its step does not have."),
    Code("S516", "error", "A report field that the step's output does not have."),
    Code("S517", "error", "No step has a report field.", blocks=False),
    Code("S518", "warning", "Two earlier steps offer one parameter."),
    Code("S519", "note", "The long form: a step without annotations."),
    Code("S520", "warning", "A step is a stub."),
    Code("S522", "error", "`bind` points at nothing that runs earlier."),
    Code("S523", "error", "A step that is not written as a function at the cell's left margin."),
    Code("S521", "warning", "A required step has no invariant."),
    Code("S524", "warning", "An invariant that holds whatever the step gives."),
    Code("S525", "warning", "An output model of which no field is required."),
    Code("S526", "error", "A report field that no invariant looks at.", blocks=False),
    # K: cases
    Code("K601", "error", "A cases cell holds something that is not a case."),
    Code("K602", "error", "A case's argument is not a literal."),
    Code("K603", "error", "A case has an unknown key, or a value of the wrong type."),
    Code("K604", "error", "Two cases share one id."),
    Code("K605", "error", "A case names a step that does not exist."),
    Code("K606", "error", "A case's arguments do not fit its step."),
    Code("K607", "error", "A line of cases is not JSON."),
    Code("K608", "warning", "A case expects `fail` and names no finding."),
    # M: manifest
    Code("M701", "error", "The manifest cell is not valid TOML.", unreadable=True),
    Code("M702", "error", "The manifest has a key that nobody reads."),
    Code("M703", "error", "A value of the manifest has the wrong type or range."),
    Code("M704", "error", "An anchor term does not occur in the prose."),
    Code("M705", "error", "The steps of a skill come from its code."),
    # A: files that travel with the skill
    Code("A801", "error", "A markdown cell shows an attachment that it does not have."),
    Code("A802", "error", "A file of the notebook's folder takes the place of a made one."),
    Code("A803", "error", "A link leaves the notebook's folder.", unreadable=True),
    Code("A804", "error", "An attachment cannot be decoded."),
    Code("A805", "error", "Two paths of which some disks can keep one only."),
    Code("A806", "error", "A file whose name cannot exist on every system, or that is no file."),
    # L: the lab
    Code("L301", "error", "The kernel ran a cell that differs from the file."),
    # X: export
    Code("X901", "error", "The package does not import in a fresh interpreter."),
    Code("X902", "warning", "A file of an earlier export was edited and is left in place."),
)

CODES: dict[str, Code] = {entry.code: entry for entry in _TABLE}
