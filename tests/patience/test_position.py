import pytest

from app.patience.position import Pile, Position, decode, encode
from tests.builders import spider


def test_a_position_is_one_line_of_text() -> None:
    position = spider("1: [KS] 7S\n2: 8D\nstock: 2S")
    assert encode(position) == "1:KS7S|0:8D|0:|0:|0:|0:|0:|0:|0:|0:|1:2S|0:"
    assert decode(encode(position)) == position


def test_memory_is_kept() -> None:
    position = Position((Pile(),), ("pass2", "turned"))
    assert decode(encode(position)) == position


@pytest.mark.parametrize("text", ["0:ZZ", "0:K", "x:KS", ":KS"])
def test_other_texts_are_refused(text: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011
        decode(text)
