import re
import shlex
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

from rowspace.cli.app import app, command_names

Run = Callable[..., Any]


@pytest.mark.parametrize("command", [(), *((name,) for name in command_names())])
def test_help_shows_an_example_first_and_once(run: Run, command: tuple[str, ...]) -> None:
    lines = run(*command, "--help").stdout.splitlines()
    assert lines[0] == "Example:"
    assert lines[1].startswith(" ".join(("  rowspace", *command)))
    assert sum("Example:" in line for line in lines) == 1
    assert any(line.startswith("Usage: rowspace") for line in lines)


@pytest.mark.parametrize("name", command_names())
def test_example_is_valid(name: str) -> None:
    command = get_command(app).commands[name]
    for line in command.example.split("\n")[1:]:
        if line.strip():
            _, named, *arguments = shlex.split(line)
            assert named == name
            command.make_context(name, arguments)  # parses, and raises on invalid arguments


def test_commands_that_the_start_script_names_are_valid() -> None:
    text = (Path(__file__).parents[4] / "scripts" / "start").read_text()
    found = re.findall(r"(?:^  |&& )rowspace (\w+) (.*?)(?= && |$)", text, re.MULTILINE)
    assert {"near", "fit", "index", "search"} <= {name for name, _ in found}
    for name, arguments in found:
        if name in command_names():
            get_command(app).commands[name].make_context(name, shlex.split(arguments))


def test_help_lists_all_commands_with_a_complete_sentence(run: Run) -> None:
    lines = run("-h").stdout.splitlines()
    listed = lines[lines.index("Commands:") + 1 :]
    assert [line.split()[0] for line in listed] == command_names()
    assert all(
        (line.endswith(".") and not line.endswith("...")) or name == "analogy"
        for line, name in zip(listed, command_names(), strict=True)
    )


def test_the_shell_completes_commands_and_options(command: Callable[..., subprocess.CompletedProcess[str]]) -> None:
    for words, expected in (
        (["rowspace", "cl"], ["classify", "cluster"]),
        (["rowspace", "classify", "pre"], ["predict"]),
        (["rowspace", "dedupe", "--th"], ["--threshold"]),
    ):
        environment = {"COMP_WORDS": " ".join(words), "COMP_CWORD": str(len(words) - 1)}
        done = command(env={"_ROWSPACE_COMPLETE": "complete_bash", **environment})
        assert done.stdout.split() == expected
