"""A real server process on a free port, which a test can kill and start again on the same data."""

import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import httpx

ROOT = Path(__file__).resolve().parents[2]


def free_port() -> int:
    """A port that is free now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


class Server:
    """``spindel serve`` as a process of its own. The port stays the same over restarts."""

    def __init__(self, data_dir: Path, workers: int = 1, **settings: str) -> None:
        self.data_dir = data_dir
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.settings = settings
        self.workers = workers
        self.log = data_dir / "server.log"
        self.process: subprocess.Popen[bytes] | None = None

    @property
    def database_url(self) -> str:
        """The address of its database."""
        return self.settings.get("database_url", f"sqlite:///{self.data_dir / 'spindel.db'}")

    def start(self, timeout: float = 60.0) -> None:
        """Start it and wait until it answers."""
        assert self.process is None
        self.data_dir.mkdir(parents=True, exist_ok=True)
        environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith("SPINDEL_")},
            "SPINDEL_DATA_DIR": str(self.data_dir),
            "SPINDEL_RATE_LIMITS": "false",
            "SPINDEL_SOLVER_PROCESSES": "0",
            **{f"SPINDEL_{name.upper()}": value for name, value in self.settings.items()},
        }
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                [
                    sys.executable,
                    "-m",
                    "app.cli",
                    "serve",
                    f"--port={self.port}",
                    f"--workers={self.workers}",
                ],
                cwd=ROOT,
                env=environment,
                stdout=log,
                stderr=subprocess.STDOUT,
            )
        end = time.monotonic() + timeout
        while not self._answers():
            if self.process.poll() is not None or time.monotonic() > end:
                self.kill()
                raise RuntimeError(f"the server did not start:\n{self.log.read_text()}")
            time.sleep(0.03)

    def _answers(self) -> bool:
        try:
            return httpx.get(f"{self.url}/healthz", timeout=5).status_code == 200
        except httpx.TransportError:
            return False

    def stop(self) -> int:
        """End it as an operator would; its exit status."""
        return self._end(signal.SIGTERM)

    def kill(self) -> int:
        """SIGKILL: no time to tidy up."""
        return self._end(signal.SIGKILL)

    def restart(self) -> None:
        """SIGKILL, and start again on the same data."""
        self.kill()
        self.start()

    def _end(self, how: signal.Signals) -> int:
        process, self.process = self.process, None
        if process is None:
            return 0
        if process.poll() is None:
            process.send_signal(how)
        try:
            return process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            raise
