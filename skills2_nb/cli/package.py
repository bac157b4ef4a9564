"""``package``: a skill as one file to upload, or as a plugin."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from skills2_nb.cli.command import verb
from skills2_nb.cli.screen import place, put, put_json

if TYPE_CHECKING:
    from skills2_nb.convert.bundle import Bundle
    from skills2_nb.convert.bundle_place import Placed
    from skills2_nb.convert.bundle_source import Source

#: What an index of triggers is made of.
_READ = frozenset(("SKILL.md", "skill.toml", "schemas.json"))


@verb("package")
@click.argument("skill")
@click.option(
    "--format",
    "form",
    type=click.Choice(("skill", "plugin")),
    default="skill",
    help="A file to upload, or a Claude Code plugin. Left out: skill.",
)
@click.option(
    "-o",
    "--out",
    type=click.Path(path_type=Path),
    default=Path("dist"),
    metavar="DIR",
    help="The folder it goes to. Left out: dist.",
)
@click.option("--name", help="The plugin's name. Left out: the skill's.")
@click.option("--author", metavar="NAME", help="The plugin's author, such as 'Ana <a@b.org>'.")
@click.option(
    "--license",
    "license_file",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="The plugin's LICENSE. Left out: the skill's own.",
)
@click.option("--force", is_flag=True, help="Package what was edited; overwrite what is there.")
def package(
    skill: str,
    form: str,
    out: Path,
    name: str | None,
    author: str | None,
    license_file: Path | None,
    force: bool,
    as_json: bool,
) -> None:
    """Make of SKILL one file to upload, or a plugin for Claude Code.

    The file DIR/<name>.skill is a zip with the spec's front matter alone,
    and with the part of this kit that its steps need where none is installed.
    The plugin is a folder DIR/<name>/ with the skill, the server of its steps
    and hooks. SKILL may be prose alone. Same skill, same bytes.
    """
    from skills2_nb.convert import bundle, bundle_place
    from skills2_nb.convert.bundle_source import source_of
    from skills2_nb.convert.folder import folder_of
    from skills2_nb.errors import UsageError

    if form == "skill" and (name or author or license_file):
        raise UsageError("--name, --author and --license belong to --format plugin")
    found = _found(skill)
    inside = found if found.is_dir() else folder_of(found)
    if out.resolve().is_relative_to(inside.resolve()):
        raise UsageError(
            f"{place(out)} lies in the skill itself, and the next package would hold this one; "
            "name a folder beside it with -o"
        )
    source = source_of(found, force=force)
    if form == "skill":
        made = bundle.upload(source)
        placed = bundle_place.as_file(made, out, force=force)
    else:
        made = _plugin(source, name or "", author or "", license_file)
        placed = bundle_place.as_folder(made, out, force=force)
    if as_json:
        put_json(_facts(source, form, made, placed))
    else:
        put("\n".join(_told(source, form, made, placed)))


def _found(skill: str) -> Path:
    """The folder or notebook that a word means; a folder of prose alone will do."""
    from skills2_nb.library.discovery import find

    path = Path(skill).expanduser()
    if path.name == "SKILL.md" and path.is_file():
        path = path.parent
    if (path / "SKILL.md").is_file():
        return path.resolve()
    return find(skill).path


def _plugin(source: Source, name: str, author: str, license_file: Path | None) -> Bundle:
    from skills2_nb.convert.bundle_plugin import Choices, Served, plugin
    from skills2_nb.convert.step_rules import RESERVED
    from skills2_nb.errors import UsageError
    from skills2_nb.formats.files import read_bytes
    from skills2_nb.library.tool_names import shown

    if license_file is not None and license_file.exists() and not license_file.is_file():
        raise UsageError(f"{license_file} is no plain file; --license names one")
    text = read_bytes(license_file) if license_file is not None else None
    choices = Choices(name, author, text)
    if not source.has_steps:
        return plugin(source, choices, Served())
    called = name or source.name
    verbs = [*RESERVED, *(step.id for step in source.manifest.steps)]
    tools = {verb: shown(source.name, verb, called) for verb in verbs}
    return plugin(source, choices, Served(tools, _index(source, called)))


def _index(source: Source, plugin: str) -> dict[str, bytes]:
    """The trigger index of the skill, which is read of files: those of a notebook have gone."""
    from tempfile import TemporaryDirectory

    from skills2_nb.library.index_bytes import packaged

    with TemporaryDirectory(prefix="skills2-") as place:
        folder = Path(place) / source.name
        folder.mkdir()
        for path in _READ.intersection(source.files):
            (folder / path).write_bytes(source.files[path])
        return packaged(folder, plugin, f"../../skills/{source.name}")


def _facts(source: Source, form: str, made: Bundle, placed: Placed) -> dict[str, Any]:
    return {
        "skill": source.name,
        "version": source.manifest.version,
        "format": form,
        "path": str(placed.path),
        "changed": placed.changed,
        "bytes": placed.size,
        "sha256": placed.sha256 or None,
        "files": sorted(made.files),
        "dropped": [problem.to_dict() for problem in made.dropped],
        "notes": list(made.notes),
    }


def _told(source: Source, form: str, made: Bundle, placed: Placed) -> list[str]:
    dropped = [f"{item.level}: {item.message}; {item.mend}." for item in made.dropped]
    verb = "Wrote" if placed.changed else "Up to date:"
    size = f"{len(made.files)} files, {placed.size / 1e6:.1f} MB"
    shown = place(placed.path.absolute())
    lines = [
        *dropped,
        *made.notes,
        f"{verb} {shown} ({source.name} {source.manifest.version}; {size})",
    ]
    if form == "plugin":
        lines.append(f"Try it: claude --plugin-dir {shown}")
    return lines
