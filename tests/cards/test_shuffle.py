import itertools
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.cards.card import names
from app.cards.deck import pack
from app.cards.shuffle import below, fresh_seed, shuffle, words
from tests.builders import golden

SEEDS = st.integers(0, 2**64 - 1)


@pytest.mark.parametrize("vector", golden("shuffle_vectors.json"), ids=lambda v: f"seed {v['seed']}")
def test_a_seed_means_the_same_order_for_ever(vector: dict[str, object]) -> None:
    seed = int(str(vector["seed"]))
    assert [f"{word:016x}" for word in itertools.islice(words(seed), 6)] == vector["words"]
    assert " ".join(names(shuffle(pack(4), seed))) == vector["cards"]


@given(SEEDS)
def test_a_shuffle_keeps_every_card(seed: int) -> None:
    assert Counter(shuffle(pack(4), seed)) == Counter(pack(4))


@given(SEEDS)
def test_one_seed_is_one_permutation_for_any_number_of_suits(seed: int) -> None:
    order = shuffle(range(104), seed)
    for suits in (1, 2, 4):
        deck = pack(suits)
        assert shuffle(deck, seed) == tuple(deck[place] for place in order)


def test_words_of_the_last_incomplete_block_are_passed_over() -> None:
    # 2**64 mod 10 is 6: the six largest words would favour the digits 0 to 5.
    assert below(10, iter([2**64 - 1, 2**64 - 6, 2**64 - 7])) == 9


def test_every_order_of_four_cards_is_equally_likely() -> None:
    counts = Counter(shuffle("ABCD", seed) for seed in range(24_000))
    assert len(counts) == 24
    chi_square = sum((count - 1000) ** 2 / 1000 for count in counts.values())
    # 23 degrees of freedom: a fair shuffle exceeds 49.7 once in a thousand; the seeds are fixed.
    assert chi_square < 49.7


def test_another_domain_is_another_shuffle_of_the_same_seed() -> None:
    assert shuffle(pack(4), 17, domain="spindel-redeal-1") != shuffle(pack(4), 17)


@pytest.mark.parametrize("seed", [-1, 2**64])
def test_seeds_out_of_range_are_refused(seed: int) -> None:
    with pytest.raises(ValueError, match="seed"):
        shuffle(pack(4), seed)


def test_an_unknown_version_is_refused() -> None:
    with pytest.raises(ValueError, match="version"):
        shuffle(pack(4), 17, version=2)


def test_fresh_seeds_are_in_range_and_differ() -> None:
    seeds = {fresh_seed() for _ in range(100)}
    assert len(seeds) == 100
    assert all(0 <= seed < 2**64 for seed in seeds)
