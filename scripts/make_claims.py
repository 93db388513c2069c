#!/usr/bin/env python
"""Write `lessons/claims/stored.json`: the results of the claims that train models, which take minutes.

    python scripts/make_claims.py                  # all of them
    python scripts/make_claims.py tying wider      # only these

Run it after a change to what one of them measures, and then scripts/make_tutorials.py.
"""

import argparse
import json
from pathlib import Path

from rowspace_lab.lessons.claims.stored import FILE, measured_now
from rowspace_lab.lessons.computed.claims import JOBS, STORED, claim_function

PATH = Path(__file__).parent.parent / "packages/rowspace-lab/src/rowspace_lab/lessons/claims" / FILE


def main() -> None:
    """Measure the claims, and write the file after each."""
    names = [*JOBS, *STORED]
    parser = argparse.ArgumentParser(description=str(__doc__).split("\n", 1)[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"a claim: {', '.join(names)}")
    chosen = parser.parse_args().names or names
    if unknown := set(chosen) - {*names}:
        parser.error(f"no such claim: {', '.join(sorted(unknown))}")
    found = json.loads(PATH.read_text(encoding="utf-8")) if PATH.is_file() else {}
    for name in chosen:
        print(name, flush=True)
        found[name] = measured_now(name, claim_function(name))
        kept = {each: found[each] for each in names if each in found}
        PATH.write_text("{\n" + ",\n".join(f'"{each}": {json.dumps(kept[each])}' for each in kept) + "\n}\n")


if __name__ == "__main__":
    main()
