"""Quality of `CategoryEncoder` beside scikit-learn's encoders, before the same models; prints Markdown.

    python bench/categories.py

Two problems are generated, so their truth is known: `additive`, where 2,000, 2,000 and 50 categories and a number have
effects that add up, and `slopes`, where each of 300 categories has its own level and slope over a number that the
encoders do not see. The others are real and need no network: the lists of Debian's packages on this machine (see
debian.py). `size` is the logarithm of the installed size; `section` one of the eight largest sections; `libs` whether a
package is in that section. Each package has eight columns, up to tens of thousands of categories, and its number of
dependencies; the section is left out where it is the target.

A third of the examples is held out, in several random divisions. The models are gradient boosting with early stopping,
and a linear model. For boosting, one-hot columns are limited to the 50 largest categories of a column, and native
categories to 254, as scikit-learn requires; the linear model has one column for each category. The score is R² for
numbers and the log loss for classes.
"""

import argparse
import os
import platform
import re
import statistics
import time
import warnings
from collections import Counter
from importlib.metadata import version

import numpy as np
from sklearn.compose import make_column_transformer
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import log_loss, r2_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler, OneHotEncoder, OrdinalEncoder, StandardScaler, TargetEncoder

from debian import stanzas
from rowspace.learn import CategoryEncoder

FIELD = re.compile(r"^(Package|Source|Section|Maintainer|Architecture|Installed-Size|Depends): (.*)$", re.MULTILINE)
DEPENDENCY = re.compile(r"[a-z0-9][a-z0-9+.-]*")


def additive(generator, examples):
    codes = np.stack([_drawn(generator, size, examples) for size in (2000, 2000, 50)], axis=1)
    effects = [generator.normal(size=size) for size in (2000, 2000, 50)]
    number = generator.normal(size=(examples, 1))
    truth = sum(effect[ids] for effect, ids in zip(effects, codes.T, strict=True)) + np.sin(2 * number[:, 0])
    return codes.astype(str), number, truth + generator.normal(size=examples)


def slopes(generator, examples):
    ids = _drawn(generator, 300, examples)
    number, levels, steepness = generator.normal(size=(examples, 1)), *generator.normal(size=(2, 300))
    truth = levels[ids] + steepness[ids] * number[:, 0]
    return ids.astype(str)[:, None], number, truth + generator.normal(size=examples)


def _drawn(generator, size, examples):
    """Draw categories, of which few are frequent and many are rare."""
    return (size * generator.random(examples) ** 2).astype(int)


def debian_packages():
    """Return a dict of each package: its fields, and categories of its name and dependencies."""
    found = {}
    for stanza in stanzas().split("\n\n"):
        fields = dict(FIELD.findall(stanza))
        if "Installed-Size" not in fields or fields["Package"] in found:
            continue
        depends = [match[0] for one in fields.get("Depends", "").split(",") if (match := DEPENDENCY.match(one.strip()))]
        name = fields["Package"]
        found[name] = {
            "source": fields.get("Source", name).split(" ")[0],
            "section": fields.get("Section", "unknown").rpartition("/")[2],
            "maintainer": fields.get("Maintainer", "unknown"),
            "architecture": fields.get("Architecture", "unknown"),
            "first dependency": depends[0] if depends else "none",
            "last dependency": depends[-1] if depends else "none",
            "prefix": name.split("-")[0],
            "suffix": name.split("-")[-1],
            "dependencies": len(depends),
            "size": np.log10(float(fields["Installed-Size"]) + 1),
        }
    return [found[name] for name in sorted(found)]


def of_packages(packages, target):
    """Return the columns of categories, the number of dependencies and the target of packages."""
    left_out = {"dependencies", "size"} | ({"section"} if target != "size" else set())
    names = [name for name in packages[0] if name not in left_out]
    if target == "section":
        largest = {name for name, _ in Counter(each["section"] for each in packages).most_common(8)}
        packages = [each for each in packages if each["section"] in largest]
    X = np.array([[each[name] for name in names] for each in packages])
    numbers = np.array([[each["dependencies"]] for each in packages], float)
    labels = [each["section"] == "libs" if target == "libs" else each[target] for each in packages]
    return X, numbers, np.array(labels)


def encoders(columns, model):
    """Return the encoders of the columns by name, for "boosting" or "linear", and the options of the booster."""
    one_hot = {"max_categories": 50, "sparse_output": False} if model == "boosting" else {}
    known = {
        "OneHotEncoder": (OneHotEncoder(handle_unknown="infrequent_if_exist", **one_hot), {}),
        "TargetEncoder": (TargetEncoder(), {}),
        "CategoryEncoder": (CategoryEncoder(), {}),
    }
    if model == "boosting":
        ordinal = OrdinalEncoder(
            handle_unknown="use_encoded_value", unknown_value=np.nan, max_categories=254, encoded_missing_value=np.nan
        )
        known["native categories"] = (ordinal, {"categorical_features": list(range(columns))})
    return known


def pipeline(encoder, options, columns, model, is_number):
    """Return the encoder of the categories, the number beside it, and the model."""
    features = make_column_transformer((encoder, list(range(columns))), remainder="passthrough")
    if model == "boosting":
        kind = HistGradientBoostingRegressor if is_number else HistGradientBoostingClassifier
        return make_pipeline(features, kind(random_state=0, early_stopping=True, **options))
    scaler = MaxAbsScaler() if isinstance(encoder, OneHotEncoder) else StandardScaler()
    return make_pipeline(features, scaler, Ridge() if is_number else LogisticRegression(max_iter=300))


def measured(X, numbers, y, model, divisions):
    """Return (scores, seconds) of each encoder over the divisions, and the length of its output."""
    is_number, found = y.dtype.kind == "f", {}
    table = np.empty((len(y), X.shape[1] + 1), object)
    table[:, :-1], table[:, -1:] = X, numbers
    for division in range(divisions):
        train = np.random.default_rng([1, division]).random(len(y)) < 2 / 3
        for name, (encoder, options) in encoders(X.shape[1], model).items():
            fitted = pipeline(encoder, options, X.shape[1], model, is_number)
            began = time.perf_counter()
            fitted.fit(table[train], y[train])
            seconds = time.perf_counter() - began
            if is_number:
                score = r2_score(y[~train], fitted.predict(table[~train]))
            else:
                score = log_loss(y[~train], fitted.predict_proba(table[~train]))
            found.setdefault(name, []).append((score, seconds))
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--examples", type=int, default=15_000, help="of each generated problem, and Debian's packages")
    parser.add_argument("--divisions", type=int, default=3)
    parser.add_argument("--problems", nargs="+", default=["additive", "slopes", "size", "section", "libs"])
    options = parser.parse_args()
    warnings.simplefilter("ignore")  # convergence, and unknown categories that are encoded as such
    versions = ", ".join(f"{name} {version(name)}" for name in ("rowspace", "scikit-learn", "numpy"))
    machine = f"{platform.processor() or platform.machine()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}"
    print(f"{machine}, Python {platform.python_version()}, {versions}; {options.examples:,} examples\n")
    print("| problem | model | encoder | score | range | seconds |\n|---|---|---|---|---|---|")
    packages = debian_packages() if {"size", "section", "libs"} & {*options.problems} else []
    drawn = np.random.default_rng(0).permutation(len(packages))[: options.examples]
    packages = [packages[number] for number in drawn]
    for problem in options.problems:
        made = {"additive": additive, "slopes": slopes}.get(problem)
        data = made(np.random.default_rng(0), options.examples) if made else of_packages(packages, problem)
        score_name = "R²" if data[2].dtype.kind == "f" else "log loss"
        for model in ("boosting", "linear"):
            for name, results in measured(*data, model, options.divisions).items():
                scores, seconds = zip(*results, strict=True)
                figures = f"{statistics.mean(scores):.3f} | {min(scores):.3f}–{max(scores):.3f}"
                print(
                    f"| {problem}, {score_name} | {model} | {name} | {figures} | {statistics.mean(seconds):.1f} |",
                    flush=True,
                )


if __name__ == "__main__":
    main()
