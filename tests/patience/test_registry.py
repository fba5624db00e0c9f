import pytest

from app.patience import registry
from app.patience.errors import BadParams, UnknownPatience
from app.patience.spider import Spider


def test_parameters_left_out_take_their_defaults() -> None:
    assert registry.get("spider").prefix == "spider4"
    assert registry.get("spider", {"suits": 1}).prefix == "spider1"


def test_house_rules_have_prefixes_and_so_tables_of_their_own() -> None:
    assert registry.get("spider", {"suits": 2, "rows": "onto-spaces"}).prefix == "spider2s"
    assert registry.get("spider", {"collecting": "by-hand"}).prefix == "spider4h"


def test_a_house_rule_is_named_among_the_parameters_only_where_it_is_played() -> None:
    assert registry.get("spider", {"suits": 2, "rows": "full-only"}).params == {"suits": 2}
    assert registry.get("spider", {"rows": "onto-spaces"}).params == {"suits": 4, "rows": "onto-spaces"}


def test_every_prefix_leads_back_to_its_patience() -> None:
    for patience in registry.all_patiences():
        again = registry.by_prefix(patience.prefix)
        assert (again.key, again.params) == (patience.key, patience.params)


@pytest.mark.parametrize(
    "params",
    [
        {"suits": 3},
        {"suits": 0},
        {"suits": "4"},
        {"suits": True},
        {"suits": 4.0},
        {"suits": None},
        {"decks": 2},
    ],
)
def test_other_parameters_are_refused(params: dict[str, int]) -> None:
    with pytest.raises(BadParams):
        registry.get("spider", params)


def test_other_names_are_refused() -> None:
    for key in ("", "Spider", "chess", "__class__"):
        with pytest.raises(UnknownPatience):
            registry.get(key)
    with pytest.raises(UnknownPatience):
        registry.by_prefix("spider3")


def test_a_key_or_a_prefix_that_is_taken_is_refused() -> None:
    with pytest.raises(ValueError, match="registered"):
        registry.register(Spider)

    class Impostor(Spider):
        key = "impostor"

    with pytest.raises(ValueError, match="prefix"):
        registry.register(Impostor)
    assert registry.keys().count("spider") == 1
    assert "impostor" not in registry.keys()  # noqa: SIM118
