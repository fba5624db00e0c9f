"""How often one may try. Counted in this process, by the address that is really at the other end.

X-Forwarded-For is never read here: where there is a proxy, the settings name it, and uvicorn puts the
client's address in its place (`forwarded_allow_ips`).
"""

import ipaddress
from math import ceil
from time import time

from limits import RateLimitItem, parse_many
from limits.storage import MemoryStorage
from limits.strategies import FixedWindowRateLimiter
from starlette.requests import Request

from app.web.errors import Problem

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


class Limiter:
    """One for each application; `enabled` is off only for tests and measurements."""

    def __init__(self, *, enabled: bool = True) -> None:
        self._enabled = enabled
        self._limiter = FixedWindowRateLimiter(MemoryStorage())

    def hit(self, what: str, who: str) -> None:
        """Counts one try; raises Problem 429 with Retry-After (seconds) when there were too many."""
        if not self._enabled:
            return
        for item in LIMITS[what]:
            if not self._limiter.hit(item, what, who):
                reset = self._limiter.get_window_stats(item, what, who).reset_time
                wait = str(max(1, ceil(reset - time())))
                raise Problem(429, "too_many_requests", headers={"Retry-After": wait})


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
