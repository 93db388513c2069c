"""Align and merge the tables of two halves of the standard library, and list the words that mean something else there.

The text is the docstrings and comments of the running Python: packages from a to i, and those from j to z.
"""

import tokenize
from pathlib import Path

import rowspace as rs
from rowspace import space
from rowspace.learn import align, changes

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

before = space.cosine(first["error"], second["error"])
aligned = align(second, first)
print(f"cosine of the two rows of 'error': {before:.2f}, aligned {space.cosine(first['error'], aligned['error']):.2f}")

for method in ("average", "slerp"):
    merged = rs.merge([first, second], method=method)
    kept = ", ".join(f"{share:.0%}" for share in merged.settings["neighbors_kept"])
    print(f"{method}: {merged}; neighbors kept of each half: {kept}")
print("near 'error':", ", ".join(token for token, _ in merged.neighbors("error", k=5)))

(step,) = changes([first, second], min_count=50)
for token, cosine in zip(step.tokens[:5], step.cosines, strict=False):
    sides = [" ".join(near for near, _ in side.neighbors(token, k=4)) for side in (step.before, step.after)]
    print(f"{token} ({cosine:.2f}): {sides[0]} / {sides[1]}")
