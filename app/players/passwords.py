"""Passwords: argon2id, a bound on how many are hashed at once, and what may be chosen."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from app.players.errors import BadPassword, Busy
from app.players.names import name_key

SHORTEST, LONGEST = 8, 256  # characters

_hasher = PasswordHasher()  # argon2id with the parameters of RFC 9106 for little memory: 64 MiB, some 0.2 s
# One hash takes 64 MiB and a core. More than a few at once would take the memory and the thread pool from
# those who play, so the rest is told to come back.
_AT_ONCE, _IN_LINE = 2, 8
_working = threading.BoundedSemaphore(_AT_ONCE)
_waiting = threading.BoundedSemaphore(_IN_LINE)
# Verified against when there is no such account, so that an unknown name takes as long as a wrong password.
_NOBODY = "$argon2id$v=19$m=65536,t=3,p=4$bm9ib2R5IGF0IGFsbC4uLg$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"


@contextmanager
def _turn() -> Iterator[None]:
    if not _waiting.acquire(blocking=False):
        raise Busy
    try:
        with _working:
            yield
    finally:
        _waiting.release()


def check_choice(password: str, name: str) -> None:
    """Raises BadPassword(reason) for one that must not be chosen."""
    if len(password) < SHORTEST:
        raise BadPassword("too_short")
    if len(password) > LONGEST:
        raise BadPassword("too_long")
    if name_key(password) == name_key(name):
        raise BadPassword("same_as_name")
    if len(set(password)) <= 2:  # "aaaaaaaa", "abababab"
        raise BadPassword("too_simple")


def hash_password(password: str) -> str:
    """About 0.2 s of CPU. Raises Busy. Never call it inside a write transaction."""
    with _turn():
        return _hasher.hash(password.encode("utf-8", "surrogatepass"))


def verify_password(stored: str | None, password: str) -> bool:
    """Takes as long whether or not there is a stored hash. Raises Busy. Never inside a write transaction."""
    if len(password) > LONGEST:  # nobody has one, and hashing megabytes is a gift to nobody
        return False
    with _turn():
        try:
            _hasher.verify(stored or _NOBODY, password.encode("utf-8", "surrogatepass"))
        except (VerificationError, InvalidHashError):
            return False
    return stored is not None


def outdated(stored: str) -> bool:
    """Whether the hash was made with other parameters than today's."""
    return _hasher.check_needs_rehash(stored)
