"""Rows for categories: how long is a function of the standard library, given its module, name and first argument?

`CategoryEncoder` is compared with scikit-learn's encoders, before the same model, by cross-validation.
"""

import ast
import tokenize
from pathlib import Path

import numpy as np
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.model_selection import KFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, TargetEncoder

from rowspace.learn import CategoryEncoder

COLUMNS = ["module", "word", "argument", "statement"]


def functions(path: Path) -> list[tuple[list[str], int]]:
    """Return the categories and the number of lines of each function in a file."""
    found = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef):
            word = node.name.strip("_").split("_")[0]
            argument = node.args.args[-1].arg if node.args.args else "none"
            lines = (node.end_lineno or node.lineno) - node.lineno
            found.append(([path.stem, word, argument, type(node.body[-1]).__name__], lines))
    return found


library = Path(tokenize.__file__).parent
examples = [each for path in sorted(library.glob("[a-z]*.py")) for each in functions(path)]
X = np.array([categories for categories, _ in examples])
y = np.log2(np.array([lines for _, lines in examples]) + 1)
distinct = ", ".join(f"{len(np.unique(column))} of {name}" for name, column in zip(COLUMNS, X.T, strict=True))
print(f"{len(y):,} functions; categories: {distinct}")

encoders = {
    "OneHotEncoder": OneHotEncoder(handle_unknown="ignore", min_frequency=10, sparse_output=False),
    "TargetEncoder": TargetEncoder(),
    "CategoryEncoder": CategoryEncoder(),
}
for name, encoder in encoders.items():
    model = make_pipeline(encoder, HistGradientBoostingRegressor(max_iter=50, random_state=0))
    scores = cross_val_score(model, X, y, cv=KFold(3, shuffle=True, random_state=0))
    print(f"{name}: R² {scores.mean():.3f} (parts: {', '.join(f'{score:.3f}' for score in scores)})")

words = CategoryEncoder().fit(X, y).tables_["x1"]
frequent = [token for token, count in zip(words.vocabulary, words.counts, strict=True) if count >= 20]
frequent.sort(key=lambda token: words[token][0])  # the mean effect, in standard deviations
for end, chosen in (("shortest", frequent[:4]), ("longest", frequent[-4:])):
    print(f"{end}:", ", ".join(f"{token} {words[token][0]:+.2f} ({words[token][1]:+.2f})" for token in chosen))
