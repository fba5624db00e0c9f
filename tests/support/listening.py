"""Readers of streams on a real server, and programs that play there."""

import json
import re
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any

import httpx

from tests.support.server import Server

CARD = re.compile(rb"(?<![0-9A-Za-z_=/+-])[A2-9TJQK][SHDC](?![0-9A-Za-z_])")


@dataclass
class Stream:
    """What a reader of a stream has been sent."""

    data: bytes = b""
    status: int = 0
    ended: bool = False

    @property
    def events(self) -> list[tuple[int, str, dict[str, Any]]]:
        found = []
        for block in self.data.decode().split("\n\n")[:-1]:
            lines = dict(line.split(": ", 1) for line in block.split("\n") if ": " in line)
            if "event" in lines:
                found.append((int(lines.get("id", 0)), lines["event"], json.loads(lines["data"])))
        return found

    @property
    def ids(self) -> list[int]:
        """The numbers of those that have one."""
        return [number for number, _, _ in self.events if number]

    def last(self, kind: str) -> dict[str, Any]:
        """What the newest event of a kind brought; nothing if there was none."""
        return next((data for _, one, data in reversed(self.events) if one == kind), {})

    def until(self, done: Callable[["Stream"], bool], seconds: float = 20) -> None:
        end = time.monotonic() + seconds
        while not done(self):
            assert time.monotonic() < end, self.data[-2000:]
            time.sleep(0.02)


@contextmanager
def listening(server: Server, path: str, token: str = "", last: str | None = None) -> Iterator[Stream]:
    """A reader of the events at a path below /api/v1: HTTP/1.0, so that what comes is the stream itself."""
    head = f"GET /api/v1{path} HTTP/1.0\r\nHost: 127.0.0.1\r\n"
    head += f"Authorization: Bearer {token}\r\n" if token else ""
    head += f"Last-Event-ID: {last}\r\n" if last is not None else ""
    stream, wire = Stream(), socket.create_connection(("127.0.0.1", server.port), timeout=60)
    wire.sendall(head.encode() + b"\r\n")

    def read() -> None:
        received = b""
        while chunk := _received(wire):
            received += chunk
            answer, _, stream.data = received.partition(b"\r\n\r\n")
            stream.status = int(answer[9:12])
        stream.ended = True

    thread = threading.Thread(target=read)
    thread.start()
    try:
        stream.until(lambda s: bool(s.data) or s.ended)
        yield stream
    finally:
        with suppress(OSError):
            wire.shutdown(socket.SHUT_RDWR)
        thread.join()
        wire.close()


def _received(wire: socket.socket) -> bytes:
    try:
        return wire.recv(65536)
    except OSError:
        return b""


class Player:
    """A program that plays. Each call is a connection of its own, so a server may die meanwhile."""

    def __init__(self, server: Server) -> None:
        self.address = f"{server.url}/api/v1"
        found = httpx.post(f"{self.address}/guests").json()
        self.id, self.token = found["player"], found["token"]
        self.headers = {"authorization": f"Bearer {self.token}"}

    def post(self, path: str, body: dict[str, Any] | None = None) -> dict[str, Any]:
        answer = httpx.post(self.address + path, json=body or {}, headers=self.headers, timeout=30)
        assert answer.is_success, answer.text
        document: dict[str, Any] = answer.json()
        return document

    def get(self, path: str) -> dict[str, Any]:
        document: dict[str, Any] = httpx.get(self.address + path, headers=self.headers, timeout=30).json()
        return document
