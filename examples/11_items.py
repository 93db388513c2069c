"""Which functions does Python's own library call together? `fit_items` learns it, and suggests the next call.

A basket is a function of the standard library: the names that it calls. Matrix factorization learns a row for each
name and one for each function, so that names near to each other are called in the same functions.
"""

import ast
import sysconfig
from pathlib import Path

import rowspace as rs
from rowspace.learn import evaluate_items, hold_out, read_interactions

SKIPPED = {"site-packages", "test", "tests", "idlelib"}


def calls(function):
    """Return the names that a function calls, without what they are attributes of."""
    called = [node.func for node in ast.walk(function) if isinstance(node, ast.Call)]
    return [getattr(one, "attr", None) or getattr(one, "id", None) for one in called if hasattr(one, "ctx")]


library = Path(sysconfig.get_path("stdlib"))
baskets = {}
for path in sorted(library.rglob("*.py")):
    if SKIPPED.isdisjoint(path.relative_to(library).parts):
        try:
            tree = ast.parse(path.read_bytes())
        except (SyntaxError, ValueError):
            continue
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef):
                names = [name for name in calls(node) if name]
                if len(set(names)) >= 4:
                    baskets[f"{path.relative_to(library)}:{node.lineno} {node.name}"] = names

interactions = read_interactions(baskets, min_count=3)
print(f"{len(interactions.users):,} functions call {len(interactions.items):,} different names")

learned, held_out = hold_out(interactions)
scores = evaluate_items(rs.fit_items(learned, dim=32), held_out)
print(f"recall of held-out calls among 20: {scores.recall:.2f}, by popularity {scores.popular_recall:.2f}")
assert scores.recall > scores.popular_recall

model = rs.fit_items(interactions, dim=32)
for name in ("acquire", "bind", "mkdir"):
    print(f"{name:8} is called with", ", ".join(near for near, _ in model.items.neighbors(name, k=5)))
print("after socket and bind:", ", ".join(name for name, _ in model.recommend(["socket", "bind"], k=5)))
