"""What a game is dealt from: a sealed deal and its commitment, or the deal of a known code."""

import hashlib
import secrets
from dataclasses import dataclass

from app.cards.shuffle import fresh_seed
from app.games import errors
from app.patience import registry
from app.patience.deals import Deal, deal_of, seed_deal
from app.patience.patience import Params, Patience

SALT_BYTES = 16


@dataclass(frozen=True, slots=True)
class Sealed:
    """A deal that nobody knows, with the salt of its commitment."""

    deal: Deal
    salt: str

    @property
    def commitment(self) -> str:
        return commitment(self.deal.code, self.salt)


def seal(patience: Patience) -> Sealed:
    """A fresh deal. It is kept by the one who asked, and shown to nobody."""
    return sealed(seed_deal(patience, fresh_seed()))


def sealed(deal: Deal) -> Sealed:
    """A deal under a fresh salt."""
    return Sealed(deal, secrets.token_hex(SALT_BYTES))


def commitment(code: str, salt: str) -> str:
    """What a sealed deal is held to: SHA-256 of code, newline and salt, hexadecimal."""
    return hashlib.sha256(f"{code}\n{salt}".encode()).hexdigest()


def known_deal(code: str, patience: str | None, params: Params | None) -> Deal:
    """The deal of a code, which must be one of the patience and the parameters asked for.

    Raises ``BadDealCode``, ``DealMismatch``.
    """
    dealt = deal_of(code)
    rules = dealt.patience
    if patience is not None and registry.get(patience, params).key != rules.key:
        raise errors.DealMismatch
    defaults = {name: values[0] for name, values in rules.choices.items()}
    if not {**defaults, **rules.params}.items() >= dict(params or {}).items():
        raise errors.DealMismatch
    return dealt
