"""The one door to numba: where its cache lies, and the decorators that kernels use.

Compiling the kernels takes some 15 seconds, loading them from the cache a fraction of one. The cache lies
inside the environment (never in a data directory), so that a fresh environment compiles once, at set-up.
Its name holds a digest of all kernels: numba looks for changes in one file only, and would run an old copy
of a function from another. Whoever sets NUMBA_CACHE_DIR has the last word.

A kernel that is called from Python hands back numbers, or plain tuples of them, never a named tuple: to make
one calls Python, where Ctrl-C may come to be heard, and numba takes no notice of what is raised there and
crashes.

Only kernel modules import this one, and nothing imports a kernel module before it solves: the web never
pays for it.
"""

import hashlib
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, cast


def _digest() -> str:
    sources = sorted(Path(__file__).parent.glob("*_kernel.py"))
    return hashlib.sha256(b"".join(source.read_bytes() for source in sources)).hexdigest()[:16]


os.environ.setdefault("NUMBA_CACHE_DIR", str(Path(sys.prefix) / "numba-cache" / _digest()))

import numba  # noqa: E402  the cache's place must be known first

F = TypeVar("F", bound=Callable[..., Any])


def kernel(function: F) -> F:
    """Compile `function` at its first call, and keep the machine code for the next process."""
    compiled: Any = numba.njit(cache=True, nogil=True)(function)
    return cast("F", compiled)


def inlined(function: F) -> F:
    """The same for a part of kernels' loops. A call would hand over each array of its arguments by itself,
    which takes longer than what such a part does."""
    compiled: Any = numba.njit(cache=True, nogil=True, inline="always")(function)
    return cast("F", compiled)


def bare(function: F) -> F:
    """The same for a kernel that makes no array, and calls none that does (to put one slice into another
    makes one in between). Numba then keeps no count of who uses an array, which it otherwise does at every
    field of a tuple and every row of an array: a tenth of a beam's time, and half of a loosened game's."""
    options: dict[str, Any] = {"cache": True, "nogil": True, "_nrt": False}
    compiled: Any = numba.njit(**options)(function)
    return cast("F", compiled)
