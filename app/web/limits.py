"""How often one may try, by the address that is really at the other end.

Counted in Redis where there is one, for all workers together; else, and while it cannot be reached, in this
process: then each worker allows as much.

X-Forwarded-For is never read here: where there is a proxy, the settings name it, and uvicorn puts the
client's address in its place (`forwarded_allow_ips`).
"""

import ipaddress
from math import ceil
from time import monotonic, time

import structlog
from limits import RateLimitItem, parse_many
from limits.errors import StorageError
from limits.storage import MemoryStorage
from limits.strategies import FixedWindowRateLimiter
from starlette.requests import Request

from app.web.errors import Problem

log = structlog.get_logger(__name__)

# What is limited, per address (an IPv6 /64 is one address), and per what the caller names beside it.
LIMITS: dict[str, list[RateLimitItem]] = {
    name: parse_many(text)
    for name, text in {
        "guest": "120/minute; 1200/hour",  # a school behind one address
        "sign-up": "10/minute; 60/hour",
        "sign-in": "10/minute; 60/hour",
        "recover": "5/minute; 20/hour",
        "redeem": "10/minute; 60/hour",
        "password": "10/minute; 60/hour",
        "transfer-code": "10/minute; 60/hour",
        "token": "10/minute; 60/hour",
        "export": "5/minute; 30/hour",
        "engine": "60/minute; 600/hour",
        "race": "30/minute; 300/hour",
        "join-code": "20/minute; 200/hour",
        "invite": "30/minute; 300/hour",
        # Against one name from many addresses. Wide, because it can also keep the name's owner out.
        "name": "100/hour",
    }.items()
}


WITHOUT_REDIS = 5.0
"""Seconds for which Redis is not asked after it could not be reached."""


class Limiter:
    """One for each application; `enabled` is off only for tests and measurements.

    `redis_url`: where to count for all workers, whose keys begin with `name`.
    """

    def __init__(self, *, enabled: bool = True, redis_url: str | None = None, name: str = "") -> None:
        self._enabled = enabled
        self._here = FixedWindowRateLimiter(MemoryStorage())
        self._shared = None if redis_url is None else _in_redis(redis_url, f"spindel:{name}:limits")
        self._again_at = 0.0

    def hit(self, what: str, who: str) -> None:
        """Counts one try; raises Problem 429 with Retry-After (seconds) when there were too many."""
        if not self._enabled:
            return
        if self._shared is not None and monotonic() >= self._again_at:
            try:
                self._hit(self._shared, what, who)
                return
            except StorageError as error:
                self._again_at = monotonic() + WITHOUT_REDIS
                log.warning("limits_without_redis", error=type(error.storage_error).__name__)
        self._hit(self._here, what, who)

    @staticmethod
    def _hit(limiter: FixedWindowRateLimiter, what: str, who: str) -> None:
        for item in LIMITS[what]:
            if not limiter.hit(item, what, who):
                reset = limiter.get_window_stats(item, what, who).reset_time
                wait = str(max(1, ceil(reset - time())))
                raise Problem(429, "too_many_requests", headers={"Retry-After": wait})


def _in_redis(url: str, prefix: str) -> FixedWindowRateLimiter:
    from limits.storage import RedisStorage

    waits = {"socket_connect_timeout": 0.5, "socket_timeout": 0.5}
    storage = RedisStorage(url, None, prefix, wrap_exceptions=True, **waits)
    return FixedWindowRateLimiter(storage)


def limit(request: Request, what: str) -> None:
    """Counts a try of this request's peer at `what`; raises Problem 429."""
    limiter_of(request).hit(what, peer_of(request))


def limiter_of(request: Request) -> Limiter:
    limiter: Limiter = request.app.state.limiter
    return limiter


def peer_of(request: Request) -> str:
    """The address at the other end of the connection; of IPv6 the network, for one household has many."""
    host = request.client.host if request.client else ""
    try:
        address = ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return host
    if isinstance(address, ipaddress.IPv4Address):
        return str(address)
    if address.ipv4_mapped:
        return str(address.ipv4_mapped)
    return str(ipaddress.ip_network((address, 64), strict=False))
