"""Guests, accounts, sessions and codes, against a real database."""

import time
from collections.abc import Iterator

import pytest
from sqlalchemy import Connection, update

from app.db import Database
from app.players import codes, passwords, service, store
from app.players.errors import (
    AlreadyAccount,
    BadCode,
    BadPassword,
    Busy,
    NameTaken,
    NotAccount,
    TooManySessions,
    WrongCredentials,
)
from app.players.players import Authenticated, Player
from app.players.preferences import DEFAULTS

PASSWORD = "correct horse battery"


def guest(db: Database) -> tuple[Player, str]:
    with db.write() as conn:
        return service.new_guest(conn, "test")


def who(db: Database, token: str) -> Authenticated | None:
    with db.read() as conn:
        return service.authenticate(conn, token)


def known(db: Database, token: str) -> Authenticated:
    found = who(db, token)
    assert found is not None
    return found


@pytest.fixture
def moves() -> Iterator[list[tuple[str, str]]]:
    """What the merge listeners were told."""
    told: list[tuple[str, str]] = []

    def listener(_conn: Connection, from_id: str, into_id: str) -> None:
        told.append((from_id, into_id))

    service.on_merge.append(listener)
    yield told
    service.on_merge.remove(listener)


class TestAuthenticate:
    def test_a_token_brings_its_player(self, db: Database) -> None:
        player, token = guest(db)
        assert known(db, token).player == player
        assert not player.is_account

    def test_it_is_one_statement(self, db: Database) -> None:
        _, token = guest(db)
        with db.read() as conn, db.statements() as statements:
            service.authenticate(conn, token)
        assert [s.split()[0] for s in statements] == ["BEGIN", "SELECT"]

    @pytest.mark.parametrize("token", ["", "x", "x" * 43, "x" * 100_000, "\x00", "ä", "' OR 1=1 --"])
    def test_an_unknown_token_brings_nobody(self, db: Database, token: str) -> None:
        guest(db)
        assert who(db, token) is None

    def test_the_stored_id_is_no_token(self, db: Database) -> None:
        _, token = guest(db)
        assert who(db, known(db, token).session_id) is None

    def test_a_revoked_session_brings_nobody(self, db: Database) -> None:
        _, token = guest(db)
        with db.write() as conn:
            service.sign_out(conn, known_in(conn, token))
        assert who(db, token) is None

    def test_an_expired_session_brings_nobody(self, db: Database) -> None:
        _, token = guest(db)
        with db.write() as conn:
            conn.execute(update(store.sessions).values(expires_at=service.now_ms()))
        assert who(db, token) is None

    def test_use_is_noted_once_an_hour_and_puts_off_the_end(self, db: Database) -> None:
        _, token = guest(db)
        assert not service.touch_is_due(known(db, token))
        with db.write() as conn:
            past = service.now_ms() - service.TOUCH_AFTER
            conn.execute(update(store.sessions).values(last_used_at=past, expires_at=past + service.DAY))
        old = known(db, token)
        assert service.touch_is_due(old)
        with db.write() as conn:
            service.touch(conn, old)
        assert not service.touch_is_due(known(db, token))
        assert known(db, token).expires_at > old.expires_at + service.DAY


def known_in(conn: Connection, token: str) -> Authenticated:
    found = service.authenticate(conn, token)
    assert found is not None
    return found


class TestSignUp:
    def test_a_guest_becomes_an_account_and_stays_the_same_player(self, db: Database) -> None:
        player, old = guest(db)
        signed = service.sign_up(db, player, "Maija", PASSWORD, "test")
        assert signed.player == Player(player.id, "Maija")
        assert signed.player.is_account
        assert len(signed.recovery_codes) == service.RECOVERY_CODES
        assert known(db, signed.token).player == signed.player
        assert who(db, old) is None

    def test_every_way_in_that_was_there_before_is_closed(self, db: Database) -> None:
        player, _ = guest(db)
        with db.write() as conn:  # what an attacker who planted the guest could keep for later
            planted = service.new_token(conn, player.id, "planted")
            code = service.new_transfer_code(conn, player.id)
        service.sign_up(db, player, "Maija", PASSWORD, "test")
        assert who(db, planted) is None
        with pytest.raises(BadCode):
            service.redeem_transfer_code(db, None, code, "test")

    def test_it_needs_no_guest(self, db: Database) -> None:
        chosen = DEFAULTS.changed({"language": "fi"})
        signed = service.sign_up(db, None, "Maija", PASSWORD, "test", chosen)
        assert known(db, signed.token).player == Player(signed.player.id, "Maija", chosen)

    def test_a_name_is_given_once_whatever_its_case(self, db: Database) -> None:
        service.sign_up(db, None, "Maija", PASSWORD, "test")
        with pytest.raises(NameTaken):
            service.sign_up(db, None, "MAIJA", PASSWORD, "test")

    def test_an_account_cannot_sign_up_again(self, db: Database) -> None:
        player, _ = guest(db)
        service.sign_up(db, player, "Maija", PASSWORD, "test")
        with pytest.raises(AlreadyAccount):
            service.sign_up(db, player, "Other", PASSWORD, "test")

    @pytest.mark.parametrize(
        ("password", "reason"),
        [
            ("short", "too_short"),
            ("x" * 257, "too_long"),
            ("meikäläinen", "same_as_name"),
            ("abababab", "too_simple"),
        ],
    )
    def test_a_poor_password_is_refused(self, db: Database, password: str, reason: str) -> None:
        with pytest.raises(BadPassword) as refused:
            service.sign_up(db, None, "Meikäläinen", password, "test")
        assert refused.value.reason == reason

    def test_the_password_is_not_stored(self, db: Database) -> None:
        service.sign_up(db, None, "Maija", PASSWORD, "test")
        with db.read() as conn:
            row = store.account(conn, "maija")
        assert row is not None
        assert row.password_hash.startswith("$argon2id$")
        assert PASSWORD not in str(tuple(row))


class TestSignIn:
    def test_name_in_any_case_and_password_open_a_new_session(self, db: Database) -> None:
        up = service.sign_up(db, None, "Maija", PASSWORD, "test")
        signed = service.sign_in(db, None, "mAIJA", PASSWORD, "test")
        assert signed.player == up.player
        assert signed.token != up.token
        assert known(db, signed.token).player == known(db, up.token).player

    @pytest.mark.parametrize(
        ("name", "password"),
        [
            ("Maija", "wrong horse battery"),
            ("Nobody", PASSWORD),
            ("", ""),
            ("Maija", "x" * 1_000_000),
            ("\x00", "\ud800"),
            ("' OR 1=1--", PASSWORD),
        ],
    )
    def test_unknown_name_and_wrong_password_are_refused_alike(
        self, db: Database, name: str, password: str
    ) -> None:
        service.sign_up(db, None, "Maija", PASSWORD, "test")
        with pytest.raises(WrongCredentials) as refused:
            service.sign_in(db, None, name, password, "test")
        assert refused.value.reason is None

    def test_an_unknown_name_takes_as_long_as_a_wrong_password(self) -> None:
        def seconds(stored: str | None) -> float:
            begin = time.process_time()  # of this process alone, however busy the machine is
            assert not passwords.verify_password(stored, "wrong horse battery")
            return time.process_time() - begin

        stored = passwords.hash_password(PASSWORD)
        wrong = min(seconds(stored) for _ in range(3))
        unknown = min(seconds(None) for _ in range(3))
        assert 0.5 < unknown / wrong < 2

    def test_a_guests_games_come_along_and_the_guests_session_ends(
        self, db: Database, moves: list[tuple[str, str]]
    ) -> None:
        account = service.sign_up(db, None, "Maija", PASSWORD, "test").player
        player, token = guest(db)
        signed = service.sign_in(db, known(db, token), "Maija", PASSWORD, "test")
        assert moves == [(player.id, account.id)]
        assert signed.player == account
        assert who(db, token) is None

    def test_an_account_that_signs_in_as_another_keeps_its_games(
        self, db: Database, moves: list[tuple[str, str]]
    ) -> None:
        one = service.sign_up(db, None, "Maija", PASSWORD, "test")
        service.sign_up(db, None, "Liisa", PASSWORD, "test")
        service.sign_in(db, known(db, one.token), "Liisa", PASSWORD, "test")
        assert moves == []
        assert who(db, one.token) is None

    def test_when_the_games_cannot_move_nothing_has_happened(self, db: Database) -> None:
        service.sign_up(db, None, "Maija", PASSWORD, "test")
        _, token = guest(db)

        def fails(_conn: Connection, _from: str, _into: str) -> None:
            raise RuntimeError("no")

        service.on_merge.append(fails)
        try:
            with pytest.raises(RuntimeError, match="no"):
                service.sign_in(db, known(db, token), "Maija", PASSWORD, "test")
        finally:
            service.on_merge.remove(fails)
        assert who(db, token) is not None

    def test_a_crowd_at_the_door_is_told_to_come_back(self) -> None:
        for _ in range(8):
            assert passwords._waiting.acquire(blocking=False)
        try:
            with pytest.raises(Busy):
                passwords.verify_password(None, PASSWORD)
        finally:
            passwords._waiting.release(8)

    def test_a_merged_guest_is_not_merged_twice(self, db: Database, moves: list[tuple[str, str]]) -> None:
        account = service.sign_up(db, None, "Maija", PASSWORD, "test").player
        player, _ = guest(db)
        with db.write() as conn:
            service.merge(conn, player.id, account.id)
            service.merge(conn, player.id, account.id)
            service.merge(conn, account.id, player.id)
            service.merge(conn, account.id, account.id)
        assert moves == [(player.id, account.id)]


class TestPasswordsAndRecovery:
    def test_a_changed_password_ends_the_other_sessions(self, db: Database) -> None:
        one = service.sign_up(db, None, "Maija", PASSWORD, "test")
        other = service.sign_in(db, None, "Maija", PASSWORD, "test")
        service.change_password(db, known(db, one.token), PASSWORD, "a wholly new one")
        assert who(db, one.token) is not None
        assert who(db, other.token) is None
        with pytest.raises(WrongCredentials):
            service.sign_in(db, None, "Maija", PASSWORD, "test")
        service.sign_in(db, None, "Maija", "a wholly new one", "test")

    def test_changing_needs_the_old_one(self, db: Database) -> None:
        one = service.sign_up(db, None, "Maija", PASSWORD, "test")
        with pytest.raises(WrongCredentials):
            service.change_password(db, known(db, one.token), "guess guess", "a wholly new one")

    def test_a_guest_has_none_to_change(self, db: Database) -> None:
        _, token = guest(db)
        with pytest.raises(NotAccount):
            service.change_password(db, known(db, token), "", "a wholly new one")

    def test_a_recovery_code_sets_a_password_once_and_ends_all_sessions(self, db: Database) -> None:
        up = service.sign_up(db, None, "Maija", PASSWORD, "test")
        code = up.recovery_codes[3].lower()
        signed = service.recover(db, None, "Maija", code, "a wholly new one", "test")
        assert who(db, up.token) is None
        assert known(db, signed.token).player == up.player
        service.sign_in(db, None, "Maija", "a wholly new one", "test")
        with pytest.raises(WrongCredentials):
            service.recover(db, None, "Maija", code, "yet another one", "test")
        with db.read() as conn:
            assert service.recovery_codes_left(conn, up.player.id) == service.RECOVERY_CODES - 1

    @pytest.mark.parametrize(
        ("name", "code"), [("Nobody", None), ("Maija", ""), ("Maija", "A" * 20), ("Liisa", None)]
    )
    def test_unknown_name_and_wrong_or_foreign_code_are_refused_alike(
        self, db: Database, name: str, code: str | None
    ) -> None:
        up = service.sign_up(db, None, "Maija", PASSWORD, "test")
        service.sign_up(db, None, "Liisa", PASSWORD, "test")
        with pytest.raises(WrongCredentials):
            service.recover(
                db, None, name, up.recovery_codes[0] if code is None else code, "a wholly new one", "t"
            )

    def test_a_new_set_ends_the_old_one(self, db: Database) -> None:
        up = service.sign_up(db, None, "Maija", PASSWORD, "test")
        with db.write() as conn:
            fresh = service.new_recovery_codes(conn, up.player)
        assert not set(fresh) & set(up.recovery_codes)
        with pytest.raises(WrongCredentials):
            service.recover(db, None, "Maija", up.recovery_codes[0], "a wholly new one", "test")
        service.recover(db, None, "Maija", fresh[0], "a wholly new one", "test")

    def test_a_guest_has_no_recovery_codes(self, db: Database) -> None:
        player, _ = guest(db)
        with db.write() as conn, pytest.raises(NotAccount):
            service.new_recovery_codes(conn, player)


class TestTransfer:
    def test_a_code_brings_another_device_to_the_player_once(self, db: Database) -> None:
        player, token = guest(db)
        with db.write() as conn:
            code = service.new_transfer_code(conn, player.id)
        there = service.redeem_transfer_code(db, None, code.lower().replace("-", " "), "phone")
        assert there.player == player
        assert there.token != token
        assert known(db, token).player == known(db, there.token).player
        with pytest.raises(BadCode):
            service.redeem_transfer_code(db, None, code, "phone")

    def test_it_expires(self, db: Database) -> None:
        player, _ = guest(db)
        with db.write() as conn:
            code = service.new_transfer_code(conn, player.id)
            conn.execute(update(store.transfer_codes).values(expires_at=service.now_ms()))
        with pytest.raises(BadCode):
            service.redeem_transfer_code(db, None, code, "phone")

    def test_a_new_code_ends_the_one_before_it(self, db: Database) -> None:
        player, _ = guest(db)
        with db.write() as conn:
            old = service.new_transfer_code(conn, player.id)
            new = service.new_transfer_code(conn, player.id)
        with pytest.raises(BadCode):
            service.redeem_transfer_code(db, None, old, "phone")
        service.redeem_transfer_code(db, None, new, "phone")

    def test_two_guests_become_one(self, db: Database, moves: list[tuple[str, str]]) -> None:
        here, _ = guest(db)
        there, token = guest(db)
        with db.write() as conn:
            code = service.new_transfer_code(conn, here.id)
        assert service.redeem_transfer_code(db, known(db, token), code, "phone").player == here
        assert moves == [(there.id, here.id)]
        assert who(db, token) is None

    def test_an_account_takes_the_guest_of_the_code_in(
        self, db: Database, moves: list[tuple[str, str]]
    ) -> None:
        player, old = guest(db)
        account = service.sign_up(db, None, "Maija", PASSWORD, "test")
        with db.write() as conn:
            code = service.new_transfer_code(conn, player.id)
        signed = service.redeem_transfer_code(db, known(db, account.token), code, "phone")
        assert signed.player == account.player
        assert moves == [(player.id, account.player.id)]
        assert who(db, old) is None
        assert who(db, account.token) is None
        assert who(db, signed.token) is not None

    @pytest.mark.parametrize("code", ["", "ABCDE-FGHJK", "x" * 9999, "\x00"])
    def test_any_other_code_is_refused(self, db: Database, code: str) -> None:
        with pytest.raises(BadCode):
            service.redeem_transfer_code(db, None, code, "phone")


class TestSessions:
    def test_they_are_listed_and_revoked_by_their_player_only(self, db: Database) -> None:
        player, token = guest(db)
        other, other_token = guest(db)
        with db.write() as conn:
            bearer = service.new_token(conn, player.id, "my\x00 bot \u202e" + "x" * 200)
            listed = service.sessions(conn, player.id)
            assert {s.kind for s in listed} == {"cookie", "bearer"}
            assert all(len(s.label) <= 80 and s.label.isprintable() for s in listed)
            assert not service.revoke(conn, other.id, codes.hashed(bearer))
            assert service.revoke(conn, player.id, codes.hashed(bearer))
            assert not service.revoke(conn, player.id, codes.hashed(bearer))
            assert [s.kind for s in service.sessions(conn, player.id)] == ["cookie"]
        assert who(db, bearer) is None
        assert who(db, token) is not None
        assert who(db, other_token) is not None

    def test_all_the_others_can_be_ended_at_once(self, db: Database) -> None:
        player, token = guest(db)
        with db.write() as conn:
            bearer = service.new_token(conn, player.id, "bot")
            service.revoke_others(conn, known_in(conn, token))
        assert who(db, bearer) is None
        assert who(db, token) is not None

    def test_tokens_are_bounded_and_a_browser_still_gets_in(self, db: Database) -> None:
        up = service.sign_up(db, None, "Maija", PASSWORD, "test")
        with db.write() as conn:
            for _ in range(service.MOST_SESSIONS - 1):
                service.new_token(conn, up.player.id, "bot")
            with pytest.raises(TooManySessions):
                service.new_token(conn, up.player.id, "bot")
        service.sign_in(db, None, "Maija", PASSWORD, "test")
        with db.read() as conn:
            assert len(service.sessions(conn, up.player.id)) == service.MOST_SESSIONS


class TestLeaving:
    def test_deleting_forgets_the_person_closes_every_way_in_and_frees_the_name(self, db: Database) -> None:
        up = service.sign_up(db, None, "Maija", PASSWORD, "test")
        with db.write() as conn:
            code = service.new_transfer_code(conn, up.player.id)
            service.delete(conn, up.player.id)
        assert who(db, up.token) is None
        with pytest.raises(WrongCredentials):
            service.sign_in(db, None, "Maija", PASSWORD, "test")
        with pytest.raises(WrongCredentials):
            service.recover(db, None, "Maija", up.recovery_codes[0], "a wholly new one", "test")
        with pytest.raises(BadCode):
            service.redeem_transfer_code(db, None, code, "phone")
        with db.read() as conn:
            row = store.player(conn, up.player.id)
            assert row is not None
            assert (row.name, row.name_key, row.password_hash, row.preferences) == (None, None, None, "{}")
        service.sign_up(db, None, "Maija", PASSWORD, "test")

    def test_twice_is_as_good_as_once(self, db: Database) -> None:
        told: list[str] = []
        player, _ = guest(db)

        def listener(_conn: Connection, player_id: str) -> None:
            told.append(player_id)

        service.on_delete.append(listener)
        try:
            with db.write() as conn:
                service.delete(conn, player.id)
                service.delete(conn, player.id)
                service.delete(conn, "nobody")
        finally:
            service.on_delete.remove(listener)
        assert told == [player.id]

    def test_the_export_holds_what_is_kept_and_no_secret(self, db: Database) -> None:
        up = service.sign_up(db, None, "Maija", PASSWORD, "my laptop")
        service.on_export["games"] = lambda _conn, player_id: [player_id]
        try:
            with db.read() as conn:
                exported = service.export(conn, up.player.id)
        finally:
            del service.on_export["games"]
        assert exported["games"] == [up.player.id]
        assert "Maija" in str(exported)
        assert "my laptop" in str(exported)
        for secret in ("$argon2", up.token, codes.hashed(up.token), *up.recovery_codes):
            assert secret not in str(exported)


def test_preferences_are_kept_with_the_player(db: Database) -> None:
    player, token = guest(db)
    chosen = DEFAULTS.changed({"left_handed": "yes"})
    with db.write() as conn:
        service.set_preferences(conn, player.id, chosen)
    assert known(db, token).player.preferences == chosen


def test_a_player_is_found_by_any_spelling_of_the_name(db: Database) -> None:
    up = service.sign_up(db, None, "Maija", PASSWORD, "test")
    with db.read() as conn:
        assert service.by_name(conn, "MAIJA") == up.player
        assert service.by_name(conn, "maija\x00") is None
        assert service.by_name(conn, "\ud800") is None
        assert service.player(conn, up.player.id) == up.player
        assert service.player(conn, "nobody") is None
