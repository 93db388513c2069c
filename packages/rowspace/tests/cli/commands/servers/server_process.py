"""A command that serves, as a separate process that is killed after the test."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator

Start = Callable[..., "ServerProcess"]


class ServerProcess:
    """A running `rowspace COMMAND`; `line` is the first line that it printed."""

    command: tuple[str, ...]

    def __init__(self, *arguments: str, **environment: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "rowspace", *self.command, *arguments],
            env=os.environ | environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.line = self.process.stdout.readline().strip()

    def ended(self, number: signal.Signals) -> tuple[int, str]:
        """The exit status after a signal, and the messages."""
        self.process.send_signal(number)
        messages = self.process.communicate(timeout=60)[1]
        return self.process.returncode, messages


def starter(kind: type[ServerProcess]) -> Iterator[Start]:
    """A generator for a fixture: yields what starts servers, and kills them at the end."""
    servers: list[ServerProcess] = []

    def start(*arguments: str, **environment: str) -> ServerProcess:
        servers.append(kind(*arguments, **environment))
        return servers[-1]

    yield start
    for server in servers:
        with server.process:
            server.process.kill()
