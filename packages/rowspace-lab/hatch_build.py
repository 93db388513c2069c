"""Builds the front end with scripts/web before a wheel or an sdist; an sdist has it, and not its sources."""

import subprocess
import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class FrontEnd(BuildHookInterface[Any]):
    """Runs scripts/web of the checkout, but not for an editable install, whose files are those of the checkout."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build, or stop after the message of scripts/web."""
        root = Path(self.root)
        if version != "editable" and (root / "web").is_dir():
            script = root.parents[1] / "scripts" / "web"
            status = subprocess.run([script], check=False).returncode  # noqa: S603 -- of this checkout
            if status:
                sys.exit(status)
