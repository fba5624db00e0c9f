"""A small HTTP client that costs little beside the server: one keep-alive connection, hardly any parsing."""

import asyncio
from dataclasses import dataclass, field
from time import perf_counter


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back: status, raw header lines, body."""

    status: int
    headers: bytes
    body: bytes


class Connection:
    """One connection to 127.0.0.1."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.reader: asyncio.StreamReader | None = None
        self.writer: asyncio.StreamWriter | None = None

    async def send(self, request: bytes) -> Answer:
        """Send a request as it is, and wait for the whole answer."""
        if self.reader is None or self.writer is None:
            self.reader, self.writer = await asyncio.open_connection("127.0.0.1", self.port)
        self.writer.write(request)
        head = await self.reader.readuntil(b"\r\n\r\n")
        at = head.lower().find(b"content-length:")
        body = b""
        if at >= 0:
            body = await self.reader.readexactly(int(head[at + 15 : head.index(b"\r\n", at)]))
        return Answer(int(head[9:12]), head, body)

    async def close(self) -> None:
        if self.writer is not None:
            self.writer.close()
            await self.writer.wait_closed()
        self.reader = self.writer = None


def request(method: str, port: int, path: str, body: str = "", **headers: str) -> bytes:
    """The bytes of a request; underscores in header names stand for hyphens."""
    lines = [f"{method} {path} HTTP/1.1", f"Host: 127.0.0.1:{port}", f"Content-Length: {len(body)}"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    return ("\r\n".join(lines) + "\r\n\r\n" + body).encode()


@dataclass
class Sample:
    """What one run of requests showed: the seconds each took, errors, and the bodies that came back."""

    seconds: list[float] = field(default_factory=list)
    errors: int = 0
    bodies: list[bytes] = field(default_factory=list)


async def play(port: int, lines: list[list[bytes]]) -> Sample:
    """Send each line of requests on a connection of its own, all at once; what is not 200 is an error."""
    sample = Sample()

    async def one(line: list[bytes]) -> None:
        connection = Connection(port)
        try:
            for raw in line:
                began = perf_counter()
                answer = await connection.send(raw)
                sample.seconds.append(perf_counter() - began)
                sample.bodies.append(answer.body)
                sample.errors += answer.status != 200
        except (OSError, asyncio.IncompleteReadError):
            sample.errors += 1
        finally:
            await connection.close()

    await asyncio.gather(*(one(line) for line in lines))
    return sample
