"""Benchmarks of the search index, compared with semble in the same run; prints Markdown for bench/RESULTS.md.

    python bench/index.py --semble PYTHON                    a source tree of 100,000 lines
    python bench/index.py --books books.txt.xz --only books  a large text, and approximate search

The source tree is the standard library of this Python, cut to 100,000 lines. Both sides get the same table, learned
from it by `rowspace fit`, and run in turn, each step in its own process. PYTHON is that of an environment with
semble 0.7; it gets the table as a local model. "found" is the share of functions whose passage is among the first five
for the first line of their docstring.
"""

import argparse
import ast
import json
import lzma
import os
import platform
import random
import shutil
import statistics
import subprocess
import sys
import sysconfig
import tempfile
import time
from importlib.metadata import version
from pathlib import Path

LINES = 100_000
QUERY = "parse the headers of a message"
STEPS = {"build": "index the tree", "change": "after one changed file", "answer": "first answer of a new process"}
BARS = {"build": (2, 4), "change": (0.3, 2.5), "answer": (0.05, 2.2)}  # seconds: in process, as a command


def source_tree(folder):
    """Write the first LINES lines of the standard library."""
    library, left = Path(sysconfig.get_path("stdlib")), LINES
    for path in sorted(library.rglob("*.py")):
        if not left or {"site-packages", "test", "tests", "idle_test", "lib2to3"}.intersection(path.parts):
            continue
        lines = path.read_text(errors="replace").splitlines(keepends=True)[:left]
        target = folder / path.relative_to(library)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text("".join(lines))
        left -= len(lines)


def functions(folder, number=200):
    """Return (query, path, line) of functions: the first line of the docstring, and where the function is."""
    found = []
    for path in sorted(folder.rglob("*.py")):
        try:
            module = ast.parse(path.read_text())
        except SyntaxError:
            continue
        for node in ast.walk(module):
            if (
                isinstance(node, ast.FunctionDef)
                and (text := ast.get_docstring(node))
                and len(text.split("\n")[0]) > 25
            ):
                found.append((text.split("\n")[0], str(path), node.lineno))
    return random.Random(0).sample(found, number)  # noqa: S311  # a sample, not a secret


def timed(work):
    began = time.perf_counter()
    result = work()
    return time.perf_counter() - began, result


def rowspace_side(step, tree, table, place, queries):
    from rowspace.encode import Encoder
    from rowspace.search import Index
    from rowspace.search.storage.dataset import import_lance

    import_lance()
    if step == "answer":
        seconds, index = timed(lambda: [each := Index.open(place), each.search(QUERY, k=5)][0])
    else:
        encoder = Encoder.load(table)
        encoder.encode(["warm up"] * 2000)
        if step == "build":
            seconds, index = timed(lambda: Index.build(tree, encoder, place, table=table))
        else:
            seconds, index = timed(lambda: [each := Index.open(place, encoder), each.update()][0])
    asked = [timed(lambda query=query: index.search(query, k=5)) for query, _, _ in queries]
    found = [
        any(hit.path == path and hit.first_line <= line <= hit.last_line for hit in hits)
        for (_, hits), (_, path, line) in zip(asked, queries, strict=True)
    ]
    return seconds, len(index), asked, found


def semble_side(step, tree, table, place, queries):
    from semble import SembleIndex
    from semble.cache import save_index_to_cache
    from semble.index.dense import load_model

    os.environ["SEMBLE_CACHE_LOCATION"] = place
    if step != "answer":
        load_model(table)[0].encode(["warm up"])
    seconds, index = timed(
        lambda: [each := SembleIndex.from_path(tree, model_path=table), step == "answer" and each.search(QUERY)][0]
    )
    save_index_to_cache(index, tree)
    asked = [timed(lambda query=query: index.search(query, top_k=5)) for query, _, _ in queries]
    found = [
        any(
            str(Path(tree, hit.chunk.file_path)) == path and hit.chunk.start_line <= line <= hit.chunk.end_line
            for hit in hits
        )
        for (_, hits), (_, path, line) in zip(asked, queries, strict=True)
    ]
    return seconds, index.stats.total_chunks, asked, found


def run_side(job):
    side = {"rowspace": rowspace_side, "semble": semble_side}[job["side"]]
    seconds, passages, asked, found = side(job["step"], job["tree"], job["table"], job["place"], job["queries"])
    query = statistics.median(each for each, _ in asked) if asked else None
    share = sum(found) / len(found) if found else None
    print(json.dumps({"seconds": seconds, "passages": passages, "query": query, "found": share}))


def in_process(python, job):
    environment = os.environ | {"SEMBLE_CACHE_LOCATION": job["place"], "HF_HUB_OFFLINE": "1"}
    done = subprocess.run(
        [python, __file__, "--side", json.dumps(job)], check=True, text=True, stdout=subprocess.PIPE, env=environment
    )
    return json.loads(done.stdout.splitlines()[-1])


def command(side, step, python, job):
    """Return the seconds of a command; semble has one for all steps, which indexes what has changed."""
    environment = os.environ | {
        "SEMBLE_CACHE_LOCATION": job["place"],
        "SEMBLE_MODEL_NAME": job["table"],
        "HF_HUB_OFFLINE": "1",
    }
    if side == "semble":
        line = [Path(python).with_name("semble"), "search", QUERY, job["tree"]]
    elif step == "answer":
        line = [python, "-m", "rowspace", "search", job["place"], QUERY]
    else:
        line = [python, "-m", "rowspace", "index", job["tree"], "-o", job["place"], "--table", job["table"]]
    return timed(lambda: subprocess.run(line, check=True, capture_output=True, env=environment))[0]


def change_file(tree):
    with (Path(tree) / "abc.py").open("a") as file:
        file.write(f"\n# {time.time_ns()}\n")


def code(options, folder):
    tree, table = folder / "tree", folder / "table"
    source_tree(tree)
    if options.table:
        table = options.table
    else:
        import rowspace as rs

        rs.fit(tree, dim=256, epochs=3, output=table)
    sides = {"rowspace": sys.executable} | ({"semble": options.semble} if options.semble else {})
    results = {(side, step, kind): [] for side in sides for step in STEPS for kind in ("process", "command")}
    quality = {}
    for number in range(options.rounds):
        for side, python in sides.items():
            for kind in ("process", "command"):
                place = folder / f"{side}-{kind}"
                shutil.rmtree(place, ignore_errors=True)
                place.mkdir()
                job = {"side": side, "tree": str(tree), "table": str(table), "place": str(place)}
                for step in STEPS:
                    if step == "change":
                        change_file(tree)
                    if kind == "command":
                        results[side, step, kind].append(command(side, step, python, job))
                        continue
                    asks = functions(tree) if step == "answer" and not number else []
                    found = in_process(python, job | {"step": step, "queries": asks})
                    results[side, step, kind].append(found["seconds"])
                    if asks:
                        quality[side] = found
        print(
            f"<!-- round {number + 1}: { {' '.join(key): each[-1] for key, each in results.items()} } -->",
            file=sys.stderr,
            flush=True,
        )
    print_code(results, quality, sides)


def print_code(results, quality, sides):
    print("| 100,000 lines | " + " | ".join(f"{side}, in process | {side}, command" for side in sides) + " | bars |")
    print("|---|" + "---|" * (2 * len(sides) + 1))
    for step, what in STEPS.items():
        cells = [_spread(results[side, step, kind]) for side in sides for kind in ("process", "command")]
        print(f"| {what} | {' | '.join(cells)} | ≤ {BARS[step][0]} s, ≤ {BARS[step][1]} s |")
    for side, found in quality.items():
        print(
            f"\n{side}: {found['passages']:,} passages, {1000 * found['query']:.1f} ms for a query, "
            f"found {found['found']:.3f}"
        )


def _spread(values):
    return f"{statistics.median(values):.3f} s ({min(values):.3f}–{max(values):.3f})"


def books(options, folder):
    """Index a large text; compare the approximate search with the exact one."""
    from dataclasses import replace

    import rowspace as rs
    from rowspace.encode import Encoder
    from rowspace.search import Index, IndexOptions

    text, table = folder / "books.txt", options.table or folder / "table"
    with lzma.open(options.books) as source, text.open("wb") as target:
        shutil.copyfileobj(source, target)
    if not options.table:
        rs.fit(text, dim=100, epochs=1, output=table)
    encoder = Encoder.load(table)
    encoder.encode(["warm up"] * 2000)
    limits = IndexOptions(max_megabytes=2000, ann_from=1000, max_chars=options.max_chars)
    seconds, index = timed(lambda: Index.build(text, encoder, folder / "index", options=limits))
    size = sum(path.stat().st_size for path in (folder / "index").rglob("*") if path.is_file())
    print(
        f"{text.stat().st_size / 1e6:.0f} MB in {seconds:.0f} s: {len(index):,} passages × {encoder.dim}, "
        f"{size / 1e6:.0f} MB on disk"
    )
    sentences = random.Random(0).sample([line for line in text.read_text().splitlines() if len(line) > 40], 300)  # noqa: S311  # a sample, not a secret
    settings, answers = index.settings, {}
    for name, ann_from in (("approximate", 1000), ("exact", 10**12)):
        index._store.change_settings(replace(settings, ann_from=ann_from))
        for mode in ("dense", "hybrid"):
            asked = [timed(lambda query=query, mode=mode: index.search(query, mode=mode)) for query in sentences]
            print(f"{name}, {mode}: {1000 * statistics.median(each for each, _ in asked):.1f} ms for a query")
            answers[name, mode] = [{(hit.path, hit.first_line, hit.text) for hit in hits} for _, hits in asked]
    pairs = zip(answers["approximate", "dense"], answers["exact", "dense"], strict=True)
    shares = [len(found & wanted) / len(wanted) for found, wanted in pairs if wanted]
    print(
        f"recall@10 of the approximate search: {statistics.mean(shares):.3f} over {len(shares)} queries (bar: ≥ 0.95)"
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--side", help=argparse.SUPPRESS)
    parser.add_argument("--table", type=Path)
    parser.add_argument("--semble", type=Path, metavar="PYTHON")
    parser.add_argument("--books", type=Path)
    parser.add_argument("--max-chars", type=int, default=1500)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", choices=["code", "books"])
    options = parser.parse_args()
    if options.side:
        run_side(json.loads(options.side))
        return
    versions = ", ".join(f"{name} {version(name)}" for name in ("rowspace", "pylance", "tree-sitter", "numpy"))
    print(
        f"{platform.processor() or platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}, "
        f"{versions}\n"
    )
    with tempfile.TemporaryDirectory() as folder:
        if options.only != "books":
            code(options, Path(folder).resolve())
    if options.books and options.only != "code":
        with tempfile.TemporaryDirectory() as folder:
            books(options, Path(folder).resolve())


if __name__ == "__main__":
    main()
