"""Write `docs/reference/families.md`: which model types of transformers `rowspace.layers` opens, and why others not.

    python scripts/make_families_page.py                         compare all types, which takes about 15 minutes
    python scripts/make_families_page.py --results FILE          keep the results in a file, and continue from it
    python scripts/make_families_page.py --results FILE gpt2 …   compare these types again

Each type is built small by transformers, with random weights, saved, opened by `from_checkpoint`, and compared bit for
bit with what the first block of the model receives. A worker process is started again when a type takes too long.
"""

import argparse
import collections
import contextlib
import json
import os
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs/reference/families.md"
SECONDS, AT_ONCE = 240, 12
WITH_CODE = 6  # model types whose recipe is code
MODALITIES = {"text": "Text", "vision": "Images", "audio": "Audio", "both": "Text and images", "": "Not run"}
ORDER = ["agrees", "differs", "crashed", "refused", "not run"]
HEAD = """# Model types

What `rowspace.layers.from_checkpoint` opens, of the {count} model types of transformers {version}. For each type
transformers built a small model with random weights. The model was saved and opened again, and the result was compared
with what the model's first block receives: *agrees* means that the difference is 0.0 for every number. *rotation* is
that of queries and keys, compared with the model's own up to rounding: *missing* means that the model rotates in a way
that has no `RotaryPosition` here.

A type without a recipe still opens as a table: `rowspace.load(path)`. `scripts/make_families_page.py` writes this page.

Most recipes are data. While each was code, on 2026-11-26, 56 types of text and 9 of images agreed, and the recipes had
61 lines for each model type, in 1,657 lines; with the data {agreeing} types or parts agree, and the recipes of inputs
have {per_type:.1f} lines for each of {types} types, in {lines:,} lines of code and data. {generated} more lines are
defaults that a script writes.

"""


def main():
    """Compare what the results lack, and write the page."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--results", type=Path, default=Path(tempfile.gettempdir()) / "families.jsonl")
    parser.add_argument("--worker", action="store_true")
    parser.add_argument("--page-only", action="store_true")
    parser.add_argument("kinds", nargs="*")
    arguments = parser.parse_args()
    if arguments.worker:
        work(arguments.kinds, arguments.results)
        return
    import transformers

    known = sorted(transformers.CONFIG_MAPPING)
    results = read(arguments.results)
    again = set(arguments.kinds)
    todo = [] if arguments.page_only else [kind for kind in known if kind in again or kind not in results]
    compare(todo, arguments.results)
    PAGE.parent.mkdir(exist_ok=True)
    PAGE.write_text(page(read(arguments.results), transformers.__version__), encoding="utf-8")


def read(path):
    """Return the latest results of each type."""
    results = {}
    for text in path.read_text(encoding="utf-8").splitlines() if path.exists() else []:
        found = json.loads(text)
        results[found["kind"]] = found["parts"]
    return results


def compare(kinds, results):
    """Compare the types in processes of a few, so that memory stays small; one that takes too long is not run."""
    while kinds:
        batch, kinds = kinds[:AT_ONCE], kinds[AT_ONCE:]
        command = [sys.executable, "-W", "ignore", __file__, "--worker", "--results", str(results), *batch]
        before = len(results.read_text(encoding="utf-8").splitlines()) if results.exists() else 0
        with contextlib.suppress(subprocess.TimeoutExpired):
            subprocess.run(command, timeout=SECONDS, check=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        done = len(results.read_text(encoding="utf-8").splitlines()) - before if results.exists() else 0
        if done < len(batch):  # the next one took too long or ended the process
            note(results, batch[done], [[batch[done], "", "", "not run", "it takes too long", "none"]])
            kinds = batch[done + 1 :] + kinds
        print(f"{len(kinds)} left", flush=True)


def work(kinds, results):
    """Compare a few types in this process."""
    os.environ["HF_HUB_OFFLINE"] = "1"
    sys.path.insert(0, str(ROOT / "packages/rowspace"))
    import torch
    from tests.layers.recipes.published.agreement import agreement

    torch.set_num_threads(1)
    for kind in kinds:
        with tempfile.TemporaryDirectory() as folder:
            try:
                found = agreement(kind, Path(folder))
            except Exception as error:  # a class of transformers that fails in a way of its own
                found = [[kind, "", "", "not run", f"{type(error).__name__}: {error}".splitlines()[0], "none"]]
        note(results, kind, [list(each) for each in found])


def note(results, kind, parts):
    """Append the results of a type."""
    with results.open("a", encoding="utf-8") as file:
        file.write(json.dumps({"kind": kind, "parts": parts}) + "\n")


def page(results, version):
    """Return the text of the page."""
    rows = [tuple(part) for parts in results.values() for part in parts]
    sections = [HEAD.format(count=len(results), version=version, **sizes(rows)), counts(rows)]
    for modality, title in MODALITIES.items():
        found = [row for row in rows if modality_of(row) == modality]
        if found:
            sections.append(section(title, found))
    return "\n".join(sections).rstrip() + "\n"


def sizes(rows):
    """Return how many types and parts agree, and how many lines the recipes of inputs have."""
    folder = ROOT / "packages/rowspace/src/rowspace/layers/recipes"
    heads = {"heads.py", "published_heads.py", "heads.toml", "defaults.toml"}
    lines = sum(
        len(path.read_text(encoding="utf-8").splitlines())
        for path in folder.iterdir()
        if path.suffix in (".py", ".toml") and path.name not in heads
    )
    tables = [tomllib.loads((folder / f"{name}.toml").read_text(encoding="utf-8")) for name in ("families", "images")]
    generated = len((folder / "defaults.toml").read_text(encoding="utf-8").splitlines())
    types = sum(len(family["types"]) for table in tables for family in table.values()) + WITH_CODE
    agreeing = sum(row[3] == "agrees" for row in rows)
    return {"agreeing": agreeing, "lines": lines, "types": types, "per_type": lines / types, "generated": generated}


def modality_of(row):
    """Return what a model reads; empty if none was run."""
    return row[2] if row[2] in MODALITIES and row[3] != "not run" else ""


def counts(rows):
    """Return a table of the number of types by modality and outcome."""
    lines = ["| | " + " | ".join(ORDER[:-1]) + " | all that run |", "|---|" + "---|" * len(ORDER)]
    for modality, title in list(MODALITIES.items())[:-1]:
        found = collections.Counter(row[3] for row in rows if modality_of(row) == modality)
        if found:
            numbers = [str(found[outcome]) for outcome in ORDER[:-1]]
            lines.append(f"| {title} | {' | '.join(numbers)} | {found.total()} |")
    return "\n".join(lines) + "\n"


def section(title, rows):
    """Return the section of a modality: the types that agree, then the others with the reason."""
    lines = [f"## {title}", "", "| type | part | result | rotation | reason |", "|---|---|---|---|---|"]
    for kind, part, _, outcome, message, rotary in sorted(rows, key=lambda row: (ORDER.index(row[3]), row[0], row[1])):
        lines.append(f"| `{kind}` | {part} | {outcome} | {rotary} | {reason(kind, outcome, message)} |")
    return "\n".join(lines) + "\n"


def reason(kind, outcome, message):
    """Return the message in a form for a table, without the name of a temporary folder."""
    if outcome == "agrees":
        return ""
    if "has no recipe" in message:
        return "no recipe"
    words = [word.rpartition("/")[2] if word.startswith(tempfile.gettempdir()) else word for word in message.split()]
    text = " ".join(words).replace("|", "\\|").replace(f"{kind}: ", "")
    return text if len(text) < 160 else text[:157].rsplit(" ", 1)[0] + " …"


if __name__ == "__main__":
    main()
