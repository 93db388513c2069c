"""The packages of Debian and what they depend on, from the lists of apt on this machine (or of dpkg, which are fewer).

    python bench/debian.py         how many packages, dependencies, sections and maintainers there are

Needs no network: `apt-cache dumpavail` prints the lists that the last `apt-get update` left in /var/lib/apt/lists.
"""

import re
import shutil
import subprocess
from pathlib import Path
from typing import NamedTuple

STATUS = Path("/var/lib/dpkg/status")
STANZA_FIELD = re.compile(r"^(Package|Section|Maintainer|Depends|Pre-Depends): (.*)$", re.MULTILINE)
NAME = re.compile(r"[a-z0-9][a-z0-9+.-]+")


class Package(NamedTuple):
    """A package.

    `depends` has the names of its Pre-Depends and Depends, each once; of alternatives (`a | b`) the first.
    """

    name: str
    section: str
    maintainer: str
    depends: tuple[str, ...]


def packages():
    """Return the packages sorted by name; of several versions of one, the first that is listed."""
    found = {}
    for stanza in stanzas().split("\n\n"):
        fields = dict(STANZA_FIELD.findall(stanza))
        name = fields.get("Package")
        if name and name not in found:
            depends = dict.fromkeys(_names(fields.get("Pre-Depends", "")) + _names(fields.get("Depends", "")))
            depends.pop(name, None)
            section = fields.get("Section", "unknown").rpartition("/")[2]
            found[name] = Package(name, section, fields.get("Maintainer", "unknown"), tuple(depends))
    return sorted(found.values())


def baskets(least=1):
    """Return the dependencies of each package that has at least `least` of them, by its name."""
    return {package.name: list(package.depends) for package in packages() if len(package.depends) >= least}


def stanzas():
    """Return the lists as text: a stanza of fields for each package, with a blank line between them."""
    if shutil.which("apt-cache"):
        listed = subprocess.run(["apt-cache", "dumpavail"], capture_output=True, text=True, check=True).stdout
        if listed.strip():
            return listed
    if not STATUS.exists():
        raise SystemExit("this machine has neither apt's lists of packages nor dpkg's: run the benchmark on Debian")
    return STATUS.read_text(encoding="utf-8")


def _names(relations):
    """Return the names in a field such as "a (>= 1), b | c": a and b."""
    return [match[0] for one in relations.split(",") if (match := NAME.match(one.strip()))]


def main():
    found = packages()
    edges = sum(len(package.depends) for package in found)
    sections, maintainers = ({package[field] for package in found} for field in (1, 2))
    print(
        f"{len(found):,} packages, {edges:,} dependencies, {len(sections)} sections, {len(maintainers):,} maintainers"
    )


if __name__ == "__main__":
    main()
