from collections.abc import Iterator

import pytest

from app.patience import registry
from tests.patience.ready import not_yet_registered


@pytest.fixture
def all_registered() -> Iterator[None]:
    """Every patience that is ready, in the registry for the time of one test."""
    kinds = not_yet_registered()
    for kind in kinds:
        registry.register(kind)
    yield
    for kind in kinds:
        registry.unregister(kind.key)
