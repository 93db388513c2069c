"""Near-duplicates and clusters: which docstrings of the standard library repeat another, and what are they about?"""

import ast
import tokenize
from pathlib import Path

import rowspace as rs


def docstrings(module: str) -> list[str]:
    """Return the docstrings of the functions and classes of a module."""
    library = Path(tokenize.__file__).parent
    files = sorted((library / module).rglob("*.py")) or [library / f"{module}.py"]
    nodes = [node for file in files for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))]
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    return [text for node in nodes if isinstance(node, kinds) and (text := ast.get_docstring(node))]


texts = [text for module in ("asyncio", "email", "logging", "tkinter", "unittest") for text in docstrings(module)]
found = rs.dedupe(texts)
print(f"{len(texts):,} docstrings, {len(texts) - len(found.kept):,} of them near-duplicates, such as")
nearly = [place for place in range(len(texts)) if 0.7 <= found.similarity[place] < 1][:3]
for place in nearly:
    print(f"  {' '.join(texts[place].split())[:50]!r} of {' '.join(texts[found.first[place]].split())[:50]!r}")
assert 0 < len(found.kept) < len(texts)

kept = [texts[place] for place in found.kept]
clusters = rs.cluster_texts(kept, clusters=8)  # by a table learned from these texts
for size, words in zip(clusters.sizes, clusters.words, strict=True):
    print(f"{size:5} docstrings: {', '.join(words)}")
assert clusters.sizes.sum() <= len(kept)
