"""Find a Chromium for the browser tests, or install the system's.

Run as a program (``python -m tests.support.chromium``) it makes sure that there is one, and says how to get
one where it cannot.
"""

import os
import shutil
import subprocess
import sys

NAMES = ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome")
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
ADVICE = (
    "The browser tests need Chromium. Install it (Debian and Ubuntu: apt-get install chromium), "
    "or set SPINDEL_CHROMIUM to the path of a Chromium or Chrome."
)
APT = ("apt-get", "-o", "DPkg::Lock::Timeout=120", "-o", "Acquire::Retries=3")


def find() -> str | None:
    """The path of a Chromium: what SPINDEL_CHROMIUM names, else the system's."""
    named = os.environ.get("SPINDEL_CHROMIUM")
    if named:
        return shutil.which(named)
    return next((path for name in NAMES if (path := shutil.which(name))), None)


def path() -> str:
    """``find()``, or an error that says what to do."""
    found = find()
    if found is None:
        raise RuntimeError(ADVICE)
    return found


def install() -> None:
    """Install the system's Chromium, where this is a Debian and we are root."""
    if os.environ.get("SPINDEL_CHROMIUM") or not shutil.which("apt-get") or os.geteuid() != 0:
        return
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    subprocess.run([*APT, "-qq", "update"], env=environment, check=False)
    subprocess.run(
        [*APT, "-qq", "install", "-y", "--no-install-recommends", "chromium"],
        env=environment,
        stdout=subprocess.DEVNULL,
        check=False,
    )


if __name__ == "__main__":
    if find() is None:
        install()
    if find() is None:
        sys.exit(ADVICE)
