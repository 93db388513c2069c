"""The fixtures of the library's commands."""

from tests.cli.conftest import command, run, table, table_path

__all__ = ["command", "run", "table", "table_path"]
