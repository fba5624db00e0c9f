"""Secrets that players carry: tokens for machines, and codes made to be read aloud and typed.

Codes are written in Crockford's base32 (no I, L, O or U; read without regard to case, with I and L taken
as 1, O as 0), in groups of five. Only SHA-256 of a secret is stored: all of them are random and long enough
that a fast hash is safe.
"""

import hashlib
import secrets

ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_READ = str.maketrans("ILO", "110", " -")

GROUP = 5
TRANSFER_SYMBOLS = 10  # 50 bits, for minutes, behind a rate limit
RECOVERY_SYMBOLS = 20  # 100 bits, for good


def new_id() -> str:
    """128 random bits, 22 characters fit for a URL."""
    return secrets.token_urlsafe(16)


def new_token() -> str:
    """256 random bits, 43 characters fit for a header."""
    return secrets.token_urlsafe(32)


def hashed(secret: str) -> str:
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


def new_code(symbols: int) -> str:
    """Without its hyphens; `spoken` adds them."""
    return "".join(secrets.choice(ALPHABET) for _ in range(symbols))


def spoken(code: str) -> str:
    """ABCDEFGHJK as ABCDE-FGHJK."""
    return "-".join(code[at : at + GROUP] for at in range(0, len(code), GROUP))


def read_code(text: str, symbols: int) -> str | None:
    """What was typed, as `new_code` gave it; None when it cannot be such a code."""
    if len(text) > 3 * symbols:
        return None
    code = text.strip().upper().translate(_READ)
    return code if len(code) == symbols and set(code) <= set(ALPHABET) else None
