"""Align, merge and compare the tables of two halves of the standard library: words that mean something else there.

The text is the docstrings and comments of the running Python: packages from a to i, and those from j to z.
"""

import tokenize
from pathlib import Path

import rowspace as rs
from rowspace import space
from rowspace.learn import align

library = Path(tokenize.__file__).parent


def paragraphs(first: str, last: str) -> list[str]:
    """Return the text of modules and packages whose names begin with the letters from `first` to `last`."""
    found = []
    for entry in sorted(library.iterdir()):
        if not first <= entry.name[0].lower() <= last or entry.name in ("site-packages", "test", "idlelib"):
            continue
        for path in [entry] if entry.suffix == ".py" else sorted(entry.rglob("*.py")):
            if "test" not in path.parts and "tests" not in path.parts:
                found += path.read_text(encoding="utf-8", errors="replace").split("\n\n")
    return found


options = {"dim": 50, "epochs": 3, "workers": 1}
halves = [paragraphs("a", "i"), paragraphs("j", "z")]
first, second = (rs.fit(half, **options) for half in halves)
print(first, "and", second)

apart = space.cosine(first["error"], second["error"])
aligned = align(second, first)
print(f"cosine of the two rows of 'error': {apart:.2f}, aligned {space.cosine(first['error'], aligned['error']):.2f}")

for method in ("average", "slerp"):
    merged = rs.merge([first, second], method=method)
    kept = ", ".join(f"{share:.0%}" for share in merged.settings["neighbors_kept"])
    print(f"{method}: {merged}; neighbors kept of each half: {kept}")
print("near 'error':", ", ".join(token for token, _ in merged.neighbors("error", k=5)))

again = rs.fit(halves[0], seed=2, **options)
found = rs.compare(first, second, null=again, min_count=50)
facts = found.facts
print(f"beyond a refit: {facts['beyond']} of {facts['compared']} words; by chance {facts['expected_share']:.0%}")
near = found.neighbors(found.tokens[:5], k=4)
for token, cosine, (before, after) in zip(found.tokens, found.cosines, near, strict=False):
    print(f"{token} ({cosine:.2f}): {' '.join(before)} / {' '.join(after)}")
