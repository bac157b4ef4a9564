"""`jupyter nbconvert --to skill`: the package as one zip."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path
from typing import Any

from nbconvert.exporters.base import ExporterNameError
from nbconvert.exporters.exporter import Exporter

from skills2_nb.convert.folder import folder_of, read_folder
from skills2_nb.convert.plan import Plan, plan
from skills2_nb.formats.notebook import parse_notebook
from skills2_nb.formats.package import LOCK
from skills2_nb.formats.package import lock as lock_of

#: The earliest time a zip can name: same notebook, same bytes.
EPOCH = (1980, 1, 1, 0, 0, 0)


class SkillExporter(Exporter):
    """Hands JupyterLab's menu and nbconvert the package of a skill notebook.

    nbconvert writes one file, and its front ends flatten folders, so the package comes as a zip
    that holds ``<name>/``. Nothing is run: ``schemas.json``, which needs the code imported, is
    written by ``skills2 export`` alone.
    """

    export_from_notebook = "Agent Skill (zip)"
    output_mimetype = "application/zip"

    def _file_extension_default(self) -> str:
        return ".zip"

    def from_notebook_node(  # type: ignore[override]  # a binary export gives bytes
        self, nb: Any, resources: dict[str, Any] | None = None, **kw: Any
    ) -> tuple[bytes, dict[str, Any]]:
        """The zip of a notebook's package.

        Raises:
            ExporterNameError: errors stand in the way of a package; all of them are named.
        """
        made = {} if resources is None else dict(resources)
        metadata = made.get("metadata", {})
        path = Path(metadata.get("path", "")) / f"{metadata.get('name') or 'notebook'}.ipynb"
        files, problems = read_folder(folder_of(path))
        planned = plan(parse_notebook(json.dumps(nb).encode(), path), files, problems)
        if planned.blocking:
            raise ExporterNameError("\n".join(p.sentence() for p in planned.blocking))
        made["output_extension"] = ".zip"
        return zipped(planned), made


def zipped(planned: Plan) -> bytes:
    """A package as a zip whose bytes depend on its files alone."""
    files = dict(planned.files)
    files[LOCK] = lock_of(files).encode("utf-8")
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in sorted(files):
            entry = zipfile.ZipInfo(f"{planned.name}/{name}", EPOCH)
            entry.external_attr = 0o644 << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, files[name])
    return data.getvalue()
