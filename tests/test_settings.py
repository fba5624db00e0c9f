import stat
import subprocess
import sys
from pathlib import Path

import pytest
from pydantic import ValidationError

from app.settings import Settings, resource
from tests.support.server import ROOT


def test_defaults_need_no_configuration(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    settings = Settings()
    assert settings.data_dir == tmp_path / "data"
    assert settings.database_url == f"sqlite:///{tmp_path}/data/spindel.db"
    assert settings.public_url == "http://127.0.0.1:8000"
    assert settings.redis_url is None
    assert settings.is_sqlite
    assert not settings.secure_cookies
    assert list(tmp_path.iterdir()) == [], "reading the settings writes nothing"


def test_the_environment_is_read_by_its_prefix(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPINDEL_DATABASE_URL", "sqlite:////tmp/else.db")
    monkeypatch.setenv("SPINDEL_PUBLIC_URL", "https://play.example/")
    monkeypatch.setenv("SPINDEL_ALLOWED_HOSTS", "one.example, two.example,")
    monkeypatch.setenv("SPINDEL_PORT", "")
    settings = Settings()
    assert settings.database_url == "sqlite:////tmp/else.db"
    assert settings.public_url == "https://play.example"
    assert settings.secure_cookies
    assert settings.hosts == ("one.example", "two.example", "play.example")
    assert settings.port == 8000, "an empty variable counts as none"
    assert settings.arena_hours == (6, 12, 18)


@pytest.mark.parametrize(("given", "hours"), [("7, 19,", (7, 19)), ("off", ())])
def test_the_hours_of_arenas_are_read_with_commas_or_are_off(
    monkeypatch: pytest.MonkeyPatch, given: str, hours: tuple[int, ...]
) -> None:
    monkeypatch.setenv("SPINDEL_ARENA_HOURS", given)
    assert Settings().arena_hours == hours


def test_settings_cannot_be_changed(settings: Settings) -> None:
    with pytest.raises(ValidationError):
        settings.port = 9000  # type: ignore[misc]


@pytest.mark.parametrize(
    "given",
    [
        {"port": "70000"},
        {"port": "x"},
        {"public_url": "play.example"},
        {"public_url": "ftp://play.example"},
        {"public_url": "https://play.example/below"},
        {"forwarded_allow_ips": "*"},
        {"secret": "short"},
        {"body_limit": "0"},
        {"arena_hours": "6, 24"},
        {"arena_hours": "noon"},
        {"log_level": "loud"},
    ],
)
def test_what_cannot_be_meant_is_refused(given: dict[str, str]) -> None:
    with pytest.raises(ValidationError):
        Settings(**given)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("host", "address"), [("0.0.0.0", "http://127.0.0.1:81"), ("::1", "http://[::1]:81")]
)
def test_the_public_address_follows_host_and_port(host: str, address: str) -> None:
    assert Settings(host=host, port=81).public_url == address


def test_a_given_secret_is_used_and_not_shown(settings: Settings) -> None:
    assert settings.secret_key == "a secret that only tests know"
    assert "only tests know" not in repr(settings)
    assert not settings.data_dir.exists()


def test_the_secret_is_made_once_for_its_owner_alone(tmp_path: Path) -> None:
    first = Settings(data_dir=tmp_path / "data").secret_key
    assert len(first) >= 32
    assert Settings(data_dir=tmp_path / "data").secret_key == first
    assert Settings(data_dir=tmp_path / "other").secret_key != first
    assert stat.S_IMODE((tmp_path / "data" / "secret").stat().st_mode) == 0o600


def test_an_emptied_secret_is_refused(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("\n")
    with pytest.raises(ValueError, match="no usable secret"):
        _ = Settings(data_dir=tmp_path).secret_key


def test_processes_that_start_at_once_agree_on_the_secret(tmp_path: Path) -> None:
    script = "import sys; from app.settings import Settings; print(Settings(data_dir=sys.argv[1]).secret_key)"
    starts = [
        subprocess.Popen([sys.executable, "-c", script, str(tmp_path)], stdout=subprocess.PIPE, text=True)
        for _ in range(4)
    ]
    secrets = {start.communicate(timeout=60)[0] for start in starts}
    assert len(secrets) == 1
    assert [path.name for path in tmp_path.iterdir()] == ["secret"], "no drafts are left"


@pytest.mark.parametrize("name", ["templates", "static", "migrations"])
def test_resources_are_found(name: str) -> None:
    assert resource(name).is_dir()


def test_every_setting_is_written_down() -> None:
    told = (ROOT / "docs" / "operating.md").read_text()
    assert [name for name in Settings.model_fields if f"`SPINDEL_{name.upper()}`" not in told] == []


def test_a_valkey_is_a_redis() -> None:
    assert Settings(redis_url="valkeys://cache:1/2").redis_url == "rediss://cache:1/2"
    with pytest.raises(ValidationError, match="redis://HOST"):
        Settings(redis_url="http://cache")


def test_addresses_with_passwords_are_not_shown() -> None:
    settings = Settings(database_url="postgresql://u:word@h/games", redis_url="redis://:word@h")
    assert "word" not in repr(settings)
    assert settings.database_name == "games"
    assert not settings.is_sqlite
