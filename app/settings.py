"""Settings, read once from the environment (prefix ``SPINDEL_``) and never changed afterwards."""

import os
import secrets
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import urlsplit

from pydantic import Field, SecretStr, field_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

_PACKAGE = Path(__file__).resolve().parent


def resource(name: str) -> Path:
    """Where ``templates``, ``static`` or ``migrations`` lies: in a wheel's package, else in the checkout."""
    packed = _PACKAGE / "_resources" / name
    return packed if packed.exists() else _PACKAGE.parent / name


LOG_LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL")
VENDORED = ("vendor/htmx.min.js", "vendor/hx-sse.min.js")
"""Files of ``static`` that an install fetches (hatch_build.py)."""


def _default_database_url(data: dict[str, Any]) -> str:
    return f"sqlite:///{data['data_dir'] / 'spindel.db'}"


def _default_public_url(data: dict[str, Any]) -> str:
    host = "127.0.0.1" if data["host"] in {"0.0.0.0", "::", ""} else data["host"]  # noqa: S104 - compared, not bound
    return f"http://[{host}]:{data['port']}" if ":" in host else f"http://{host}:{data['port']}"


class Settings(BaseSettings):
    """Every setting of the program. ``Settings()`` reads the environment; tests pass keywords."""

    model_config = SettingsConfigDict(
        env_prefix="SPINDEL_", env_ignore_empty=True, frozen=True, extra="ignore"
    )

    data_dir: Annotated[Path, Field(description="Everything the program writes lies in here.")] = Path("data")
    database_url: Annotated[str, Field(description="SQLAlchemy address of the database.")] = Field(
        default_factory=_default_database_url, repr=False
    )
    redis_url: Annotated[
        str | None, Field(description="Address of a Redis or Valkey, for several workers.", repr=False)
    ] = None
    secret: Annotated[
        SecretStr | None,
        Field(description="Key that signs cookies; made in the data directory if not given.", min_length=16),
    ] = None

    host: str = "127.0.0.1"
    port: Annotated[int, Field(ge=0, le=65535)] = 8000
    public_url: Annotated[str, Field(description="Address that links and previews carry.")] = Field(
        default_factory=_default_public_url
    )
    allowed_hosts: Annotated[
        tuple[str, ...],
        NoDecode,
        Field(description="Host names a request may ask for, with commas; the public one is added."),
    ] = ("127.0.0.1", "localhost", "[::1]")
    forwarded_allow_ips: Annotated[
        str,
        Field(
            description="Addresses of proxies whose X-Forwarded-For is believed; none by default, never '*'."
        ),
    ] = ""

    solver_processes: Annotated[
        int, Field(description="Solver processes on this machine; 0 switches the engine off.", ge=0, le=64)
    ] = 1
    solver_memory_mb: Annotated[int, Field(description="Memory of one of them.", ge=300)] = 600
    bank_size: Annotated[
        int, Field(description="Winnable deals kept ready, of each number of suits.", ge=0, le=10_000)
    ] = 20

    race_countdown_seconds: Annotated[
        int, Field(description="From the last player's being ready to the start of a race.", ge=0, le=60)
    ] = 5

    arena_hours: Annotated[
        tuple[Annotated[int, Field(ge=0, le=23)], ...],
        NoDecode,
        Field(description="UTC hours at which the house opens an arena, with commas; 'off' for none."),
    ] = (6, 12, 18)

    body_limit: Annotated[int, Field(description="Largest request body, in bytes.", ge=1024)] = 64 * 1024
    rate_limits: Annotated[bool, Field(description="Off only for tests and measurements.")] = True
    metrics_token: SecretStr | None = None
    log_level: str = "INFO"
    log_json: bool = False
    graceful_seconds: Annotated[
        int, Field(description="Time for open requests when the server stops.", ge=0)
    ] = 5

    @field_validator("data_dir")
    @classmethod
    def _absolute(cls, value: Path) -> Path:
        return value.expanduser().resolve()

    @field_validator("public_url")
    @classmethod
    def _address(cls, value: str) -> str:
        parts = urlsplit(value)
        if (
            parts.scheme not in {"http", "https"}
            or not parts.hostname
            or parts.path.strip("/")
            or parts.query
        ):
            raise ValueError("must be http://HOST or https://HOST, without a path")
        return value.rstrip("/")

    @field_validator("redis_url")
    @classmethod
    def _redis(cls, value: str | None) -> str | None:
        if value is None:
            return None
        scheme = urlsplit(value).scheme.replace("valkey", "redis")
        if scheme not in {"redis", "rediss"}:
            raise ValueError("must be redis://HOST or rediss://HOST")
        if find_spec("redis") is None:
            raise ValueError("it needs the package redis, which the extra [scale] brings")
        return scheme + value[value.index(":") :]

    @field_validator("allowed_hosts", mode="before")
    @classmethod
    def _split(cls, value: object) -> object:
        return (
            tuple(part.strip() for part in value.split(",") if part.strip())
            if isinstance(value, str)
            else value
        )

    @field_validator("arena_hours", mode="before")
    @classmethod
    def _hours(cls, value: object) -> object:
        if not isinstance(value, str):
            return value
        return () if value.strip() == "off" else [part for part in value.split(",") if part.strip()]

    @field_validator("log_level")
    @classmethod
    def _level(cls, value: str) -> str:
        if value.upper() not in LOG_LEVELS:
            raise ValueError(f"must be one of {', '.join(LOG_LEVELS)}")
        return value.upper()

    @field_validator("forwarded_allow_ips")
    @classmethod
    def _named_proxies(cls, value: str) -> str:
        if "*" in value:
            raise ValueError("name the proxies; '*' would believe any address that a stranger sends")
        return value

    @property
    def hosts(self) -> tuple[str, ...]:
        """Host names (without ports) a request may ask for: the allowed ones and the public one."""
        public = urlsplit(self.public_url).hostname or ""
        return tuple(dict.fromkeys((*self.allowed_hosts, f"[{public}]" if ":" in public else public)))

    @property
    def secure_cookies(self) -> bool:
        """Whether cookies may travel by https alone: so when the public address is an https one."""
        return self.public_url.startswith("https:")

    @property
    def is_sqlite(self) -> bool:
        return self.database_url.startswith("sqlite")

    @property
    def database_name(self) -> str:
        """What its address calls the database: by that, programs on one Redis know each other."""
        return urlsplit(self.database_url).path.lstrip("/")

    @cached_property
    def secret_key(self) -> str:
        """The key that signs cookies: the given secret, else one made at first use in ``data_dir/secret``."""
        if self.secret is not None:
            return self.secret.get_secret_value()
        return _kept_secret(self.data_dir / "secret")


def _kept_secret(path: Path) -> str:
    """Read the secret at ``path``, or make it. Of two processes that start at once the first link wins."""
    if not path.exists():
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        draft = path.with_name(f"{path.name}.{os.getpid()}.{secrets.token_hex(4)}")
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w", encoding="ascii") as file:
            file.write(secrets.token_urlsafe(48) + "\n")
            file.flush()
            os.fsync(file.fileno())
        try:
            os.link(draft, path)
        except FileExistsError:
            pass
        finally:
            draft.unlink()
    value = path.read_text(encoding="ascii").strip()
    if len(value) < 16:
        raise ValueError(f"{path} holds no usable secret; delete it and a new one is made (all sign-ins end)")
    return value
