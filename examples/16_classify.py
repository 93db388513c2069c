"""Labels for texts: which module of the standard library does a docstring come from?

`Classifier` chooses between learned rows of n-grams, TF-IDF of n-grams and their average by held-out texts.
"""

import ast
import tokenize
from pathlib import Path

import numpy as np

import rowspace as rs

MODULES = [
    "argparse",
    "ast",
    "asyncio",
    "collections",
    "ctypes",
    "email",
    "http",
    "logging",
    "multiprocessing",
    "unittest",
]


def docstrings(module: str) -> list[str]:
    """Return the docstrings of the functions and classes of a module, each once."""
    library = Path(tokenize.__file__).parent
    files = sorted((library / module).rglob("*.py")) or [library / f"{module}.py"]
    nodes = [node for file in files for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))]
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    found = [ast.get_docstring(node) or "" for node in nodes if isinstance(node, kinds)]
    return list(dict.fromkeys(text for text in found if len(text) >= 20))


pairs = [(text, module) for module in MODULES for text in docstrings(module)]
order = np.random.default_rng(0).permutation(len(pairs))
texts, labels = zip(*(pairs[place] for place in order), strict=True)
cut = len(texts) * 4 // 5

classifier = rs.Classifier(workers=1).fit(texts[:cut], labels[:cut])
print(f"{cut:,} docstrings of {len(classifier.classes_)} modules")
print(f"chosen: {classifier.chosen_}")
print(f"accuracy on {len(texts) - cut:,} other docstrings: {classifier.score(texts[cut:], labels[cut:]):.3f}")

for text in ("Wait until the task is done.", "Parse the headers of a message."):
    best = ", ".join(f"{label} {probability:.2f}" for label, probability in classifier.top([text], k=3)[0])
    print(f"{text!r}: {best}")

# Unlikely answers can be left to a person: calibrated probabilities say how often an answer is right.
probabilities = classifier.predict_proba(texts[cut:])
right = classifier.classes_[probabilities.argmax(axis=1)] == np.array(labels[cut:])
for low, high in ((0.0, 0.5), (0.5, 0.8), (0.8, 1.0)):
    chosen = (probabilities.max(axis=1) > low) & (probabilities.max(axis=1) <= high)
    print(f"probability {low:.1f} to {high:.1f}: {chosen.sum():4} texts, {right[chosen].mean():.3f} right")
