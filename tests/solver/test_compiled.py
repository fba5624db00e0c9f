"""What is asked of every kernel, whatever it does."""

from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import app.solver
from app.solver import api

KERNELS = [f"app.solver.{path.stem}" for path in Path(app.solver.__file__).parent.glob("*_kernel.py")]


def handed_back() -> Iterator[tuple[str, object]]:
    """Each compiled function's name, and the type of what it returns."""
    from numba.core.registry import CPUDispatcher

    for name in KERNELS:
        for function in vars(import_module(name)).values():
            if isinstance(function, CPUDispatcher):
                for signature in function.nopython_signatures:
                    yield f"{name}.{function.__name__}", signature.return_type


def test_no_kernel_hands_back_a_named_tuple_for_ctrl_c_would_crash_where_it_is_made():
    from numba.types import BaseNamedTuple, BaseTuple

    def is_named(kind: object) -> bool:
        return isinstance(kind, BaseNamedTuple) or (
            isinstance(kind, BaseTuple) and any(is_named(part) for part in kind)
        )

    api.warm()
    known = dict(handed_back())
    assert "app.solver.spider_stage_kernel.play_levels" in known
    assert "app.solver.pyramid_kernel.search" in known
    assert [name for name, kind in known.items() if is_named(kind)] == []
