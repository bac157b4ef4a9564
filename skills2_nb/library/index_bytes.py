"""The index of triggers as bytes: same skills, same bytes."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import ceil
from pathlib import Path

from skills2_nb.formats.files import read_bytes
from skills2_nb.formats.manifest import Triggers, read_manifest
from skills2_nb.formats.skill_md import split
from skills2_nb.hooks import triggers_rule as rule
from skills2_nb.hooks.triggers import FILE, HEAD, LAYOUT, ROW, WHOLE, Index, Row
from skills2_nb.library.activation import contract
from skills2_nb.library.told import clean, told

#: One rule of ``allowed-tools``; what stands in brackets belongs to it: ``Bash(git add *)``.
_RULE = re.compile(r"[^\s,(]+(?:\([^)]*\))?")


@dataclass(frozen=True)
class Entries:
    """The stems of a skill's ``[triggers]``, each kind without doubles."""

    phrases: tuple[rule.Entry, ...]
    keywords: tuple[rule.Entry, ...]
    negatives: tuple[rule.Entry, ...]


@dataclass(frozen=True)
class Listed:
    """A skill of the index.

    Attributes:
        name: the skill's.
        root: the project's folder; empty for a skill of the user's own places.
        folder: where the package lies.
        threshold: the least score.
        restrict: whether the skill holds other tools back during a run.
        entries: what speaks for it, and against it.
        text: what is told of it.
        allowed: the rules of its ``allowed-tools``, where other tools are held back.
    """

    name: str
    root: str
    folder: str
    threshold: float
    restrict: bool
    entries: Entries
    text: str
    allowed: tuple[str, ...] = ()


def listed(folder: Path, root: str, *, place: str | None = None, plugin: str = "") -> Listed:
    """A skill of its package; nothing in it is run.

    Args:
        root: the project's folder; empty for a skill of the user's own places.
        place: the folder as it is written down; left out, as it is.
        plugin: the name of the plugin that holds this one skill.

    Raises:
        UnreadableError: a file of the package is not what it should be.
        PackageError: SKILL.md and skill.toml call the skill by two names.
    """
    manifest = read_manifest(folder)
    made = contract(folder, manifest)
    return Listed(
        clean(made.name),
        root,
        str(folder) if place is None else place,
        manifest.triggers.threshold,
        manifest.runtime.restrict_tools,
        entries_of(made.name, manifest.triggers),
        told(made, plugin),
        _allowed(folder) if manifest.runtime.restrict_tools else (),
    )


def packaged(folder: Path, plugin: str, place: str) -> dict[str, bytes]:
    """The index of a plugin that holds one skill: bytes by file name.

    Args:
        folder: the package as it is now.
        plugin: the plugin's name.
        place: the package's folder in the plugin, as seen from the index's: ``../../skills/name``.
    """
    return {FILE: index_bytes([listed(folder, "", place=place, plugin=plugin)])}


def relisted(index: Index, row: Row) -> Listed:
    """A skill as an index has it."""
    return Listed(
        row.name,
        row.root,
        row.folder,
        row.threshold,
        row.restrict,
        Entries(tuple(row.phrases), tuple(row.keywords), tuple(row.negatives)),
        index.text(row),
        row.allowed,
    )


def _allowed(folder: Path) -> tuple[str, ...]:
    """The rules of ``allowed-tools``: a list, or a text with spaces or commas between them."""
    value = split(read_bytes(folder / "SKILL.md")).fields.get("allowed-tools", "")
    rules = map(str, value) if isinstance(value, list) else _RULE.findall(str(value or ""))
    return tuple(found.replace("|", " ") for text in rules if (found := clean(text)))


def entries_of(name: str, triggers: Triggers) -> Entries:
    """The stems of what an author wrote; the name of two words or more is a phrase too."""
    named = rule.words(name)
    phrases = [*triggers.phrases, *([name] if len(named) > 1 else [])]
    return Entries(*(_stems(texts) for texts in (phrases, triggers.keywords, triggers.not_)))


def _stems(texts: Iterable[str]) -> tuple[rule.Entry, ...]:
    """What each text is to the rule; one of words that say nothing is none."""
    return tuple(dict.fromkeys(entry for text in texts if (entry := rule.entry(text))))


def index_bytes(skills: Iterable[Listed]) -> bytes:
    """The bytes of ``triggers.tsv``; of two skills with one name and root the first counts."""
    chosen: dict[tuple[str, str], Listed] = {}
    for skill in skills:
        if _is_fit(skill):
            chosen.setdefault((skill.name, skill.root), skill)
    ordered = [chosen[key] for key in sorted(chosen)]
    stems = _stem_lines(ordered)
    rows, texts = _rows(ordered, HEAD + len(stems) + ROW * len(ordered))
    table, at = [], HEAD + len(stems) + ROW * len(ordered)
    for row in rows:
        table.append(b"%012d %06d\n" % (at, len(row)))
        at += len(row)
    body = b"".join([stems, *table, *rows, *texts])
    lowest = min((skill.threshold for skill in ordered), default=1.0)
    ends = HEAD + len(stems), HEAD + len(stems) + ROW * len(ordered), HEAD + len(body)
    head = f"#skills2 {LAYOUT} {len(ordered)} {lowest!r} {ends[0]} {ends[1]} {ends[2]}"
    return head.encode().ljust(HEAD - 1) + b"\n" + body


def _is_fit(skill: Listed) -> bool:
    """Whether the columns can be told apart again; a path may hold any sign."""
    return bool(skill.name) and not any(sign in skill.root + skill.folder for sign in "\t\n\r\0")


def _stem_lines(skills: Sequence[Listed]) -> bytes:
    """A line for each stem and each name."""
    groups: defaultdict[str, defaultdict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    names: defaultdict[str, list[str]] = defaultdict(list)
    for number, skill in enumerate(skills):
        names[f"={skill.name}"].append(str(number))
        for at, phrase in enumerate(skill.entries.phrases):
            for stem, part in _sought(phrase):
                groups[stem][part].append(f"{number}.{at}")
        for keyword in skill.entries.keywords:
            for stem in dict.fromkeys(text[0] for text in keyword[0]):
                groups[stem]["k"].append(str(number))
    told = {name: ",".join(rows) for name, rows in names.items()}
    for stem, parts in groups.items():
        told[stem] = ",".join(f"{part}:{' '.join(parts[part])}" for part in sorted(parts))
    return b"".join(sorted(_bytes(f"\n{key}\t{told[key]}") for key in told)) + b"\n"


def _sought(phrase: rule.Entry) -> Iterator[tuple[str, str]]:
    """The stems a phrase is found by, and what each of them is of it.

    Of a plain phrase its words, each with its share in parts of ``WHOLE``; of others the first
    word of each text, with the bit of its part and those of all. More than the score may come of
    these, never less.
    """
    if rule.is_plain(phrase):
        stems = dict.fromkeys(phrase[0][0])
        yield from ((stem, str(ceil(WHOLE / len(stems)))) for stem in stems)
        return
    whole = (1 << len(phrase)) - 1
    for at, part in enumerate(phrase):
        for stem in dict.fromkeys(text[0] for text in part):
            yield stem, f"{1 << at}/{whole}"


def _rows(skills: Sequence[Listed], start: int) -> tuple[list[bytes], list[bytes]]:
    """The rows and the texts; where a text lies stands in its row, in as many digits for each."""
    texts = [skill.text.encode("utf-8", "replace") for skill in skills]
    at = start + sum(len(_row(skill, 0, 0)) for skill in skills)
    rows = []
    for skill, text in zip(skills, texts, strict=True):
        rows.append(_row(skill, at, len(text)))
        at += len(text)
    return rows, texts


def _row(skill: Listed, at: int, length: int) -> bytes:
    entries = skill.entries
    columns = [
        skill.name,
        skill.root,
        skill.folder,
        repr(skill.threshold),
        "r" if skill.restrict else "-",
        "|".join(skill.allowed),
        f"{at:012d}",
        f"{length:06d}",
        *(_written(kind) for kind in (entries.phrases, entries.keywords, entries.negatives)),
    ]
    return _bytes("\t".join(columns) + "\n")


def _written(entries: tuple[rule.Entry, ...]) -> str:
    return "|".join(
        "+".join("/".join(" ".join(text) for text in part) for part in entry) for entry in entries
    )


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")
