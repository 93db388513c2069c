"""A table learned from real English, and two ways to run a command: in this process, and in a separate one."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import rowspace as rs
from rowspace.cli.app import app


@pytest.fixture(scope="session")
def table_path(english: Path, tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("tables") / "english"
    rs.fit(english, output=path, dim=16, epochs=2, workers=1)
    return str(path)


@pytest.fixture(scope="session")
def table(table_path: str) -> rs.Table:
    return rs.load(table_path)


@pytest.fixture
def run() -> Callable[..., Any]:
    """`run(*arguments)` runs a command in this process and checks its exit status."""

    def run_here(*arguments: str, status: int = 0) -> Any:
        result = CliRunner().invoke(app, arguments, prog_name="rowspace", env={"COLUMNS": "100"})
        if result.exception and not isinstance(result.exception, SystemExit):
            raise result.exception
        assert result.exit_code == status, result.output
        return result

    return run_here


@pytest.fixture
def command() -> Callable[..., subprocess.CompletedProcess[str]]:
    """`command(*arguments)` runs a command in a process of its own and checks its exit status."""

    def run_there(*arguments: str | Path, status: int = 0, **options: object) -> subprocess.CompletedProcess[str]:
        environment = os.environ | options.pop("env", {})
        command_line = [sys.executable, "-m", "rowspace", *arguments]
        done = subprocess.run(command_line, env=environment, capture_output=True, text=True, check=False, **options)
        assert done.returncode == status, done.stderr
        return done

    return run_there
