"""`rowspace dedupe` and `rowspace cluster`."""

import csv
import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import parquet

Run = Callable[..., Any]
TEXTS = ["The cat sat on the mat.", "A dog barked, twice.", "the cat sat on the mat", "A dog; barked twice!"]


def _columns() -> dict[str, list[Any]]:
    return {"id": ["7", "8", "9", "10"], "text": TEXTS}


def _write(path: Path) -> None:
    records = [dict(zip(_columns(), values, strict=True)) for values in zip(*_columns().values(), strict=True)]
    if path.suffix == ".parquet":
        parquet.write_table(pa.table(_columns(), metadata={"of": "a user"}), path)
    elif path.suffix in (".csv", ".tsv"):
        with path.open("w", newline="") as file:
            writer = csv.DictWriter(file, [*_columns()], delimiter="," if path.suffix == ".csv" else "\t")
            writer.writeheader()
            writer.writerows(records)
    else:
        path.write_text(json.dumps(records) if path.suffix == ".json" else "\n\n".join(map(json.dumps, records)))


def _read(path: Path) -> list[dict[str, str]]:
    if path.suffix == ".parquet":
        assert parquet.read_schema(path).metadata[b"of"] == b"a user"
        return parquet.read_table(path).to_pylist()
    if path.suffix in (".csv", ".tsv"):
        with path.open(newline="") as file:
            return list(csv.DictReader(file, delimiter="," if path.suffix == ".csv" else "\t"))
    return [json.loads(line) for line in path.read_text().splitlines()]


@pytest.mark.parametrize(
    "ending",
    [".csv", ".parquet", *(pytest.param(ending, marks=pytest.mark.long) for ending in (".tsv", ".jsonl", ".json"))],
)
def test_keeps_the_first_records_with_all_columns(run: Run, tmp_path: Path, ending: str) -> None:
    source, output = tmp_path / f"in{ending}", tmp_path / f"out{'.jsonl' if ending == '.json' else ending}"
    _write(source)
    printed = run("dedupe", str(source), "--column", "text", "-o", str(output)).stdout
    assert "4 texts: 2 near-duplicates, 2 kept" in printed
    assert _read(output) == [{"id": "7", "text": TEXTS[0]}, {"id": "8", "text": TEXTS[1]}]
    wrong = run("dedupe", str(source), "--column", "text", "-o", str(tmp_path / "out.txt"), status=2).stderr
    assert f"its name must end in {output.suffix}" in " ".join(wrong.split())
    wrong = run("dedupe", str(source), "--column", "text", "-o", f"{output}.gz", status=2).stderr
    assert "the output is not compressed; leave out .gz" in wrong
    before = source.read_bytes()
    wrong = run("dedupe", str(source), "--column", "text", "-o", f"{tmp_path}/./{source.name}", status=2).stderr
    assert "is read, and what is left out would be lost; name another output" in " ".join(wrong.split())
    assert source.read_bytes() == before


@pytest.mark.parametrize("rows", ["", "a cat sat on the mat\n", "a cat sat on the mat\na dog barked twice,2\n"])
def test_the_header_is_kept_though_cells_are_missing(run: Run, tmp_path: Path, rows: str) -> None:
    source, output = tmp_path / "in.csv", tmp_path / "out.csv"
    source.write_text(f"\n text ,label\n{rows}")
    run("dedupe", str(source), "--column", "text", "-o", str(output))
    assert output.read_text() == f"text,label\n{rows}".replace("mat\n", "mat,\n")


def test_lines_are_kept_and_those_left_out_reported(run: Run, tmp_path: Path) -> None:
    source, output, report = tmp_path / "in.txt", tmp_path / "out.txt", tmp_path / "report.jsonl"
    source.write_text("\n".join(["", *TEXTS[:2], " ", *TEXTS[2:], ""]))  # blank lines are no texts
    options = ("--threshold", "1", "-o", str(output), "--report", str(report), "--json")
    document = json.loads(run("dedupe", str(source), *options).stdout)
    assert (document["texts"], document["kept"]) == (4, 2)
    assert output.read_text() == f"{TEXTS[0]}\n{TEXTS[1]}\n"
    assert [json.loads(line) for line in report.read_text().splitlines()] == [
        {"number": 5, "text": TEXTS[2], "repeats": 2, "repeated": TEXTS[0], "similarity": 1.0},
        {"number": 6, "text": TEXTS[3], "repeats": 3, "repeated": TEXTS[1], "similarity": 1.0},
    ]


def test_numbers_that_json_does_not_have_become_null(run: Run, tmp_path: Path, table_path: str) -> None:
    numbers, files = [math.nan, math.inf, 1.5], (tmp_path / "in.parquet", tmp_path / "in.jsonl")
    table = pa.table({"text": ["the cat", "a dog barked", "on the mat"], "n": numbers})
    parquet.write_table(table, files[0])
    files[1].write_text("\n".join(map(json.dumps, table.to_pylist())))  # with NaN and Infinity
    for command, file, options in (
        ("cluster", files[0], ("--table", table_path)),
        ("cluster", files[1], ("--table", table_path)),
        ("dedupe", files[1], ()),
    ):
        run(command, str(file), "--column", "text", *options, "-o", str(tmp_path / "out.jsonl"))
        lines = (tmp_path / "out.jsonl").read_text().splitlines()
        assert [json.loads(line, parse_constant=pytest.fail)["n"] for line in lines] == [None, None, 1.5], command


def test_a_report_does_not_replace_the_input_or_the_output(run: Run, tmp_path: Path) -> None:
    source, output, link = tmp_path / "in.txt", tmp_path / "out.txt", tmp_path / "link.txt"
    source.write_text("\n".join(TEXTS))
    link.symlink_to(source)
    for report in (source, f"{tmp_path}/./in.txt", link, output):
        wrong = run("dedupe", str(source), "-o", str(output), "--report", str(report), status=2).stderr
        assert "the report would replace" in " ".join(wrong.split()), report
        assert source.read_text() == "\n".join(TEXTS)
        assert not output.exists()


def test_cluster_prints_words_and_saves_the_cluster_of_each_text(
    run: Run, tmp_path: Path, table_path: str, english: Path
) -> None:
    source, output = tmp_path / "in.txt", tmp_path / "clusters.jsonl"
    lines = [line for line in english.read_text().splitlines() if line.strip()][:200]
    source.write_text("\n".join([*lines, " ", "qqqq\n"]))
    printed = run("cluster", str(source), "--table", table_path, "--clusters", "3", "-o", str(output)).stdout
    saved = [json.loads(line) for line in output.read_text().splitlines()]
    assert f"201 texts in 3 clusters, {sum(line['cluster'] is None for line in saved)} in none" in printed
    assert [line["text"] for line in saved] == [*lines, "qqqq"]
    assert saved[-1] == {"number": 202, "cluster": None, "text": "qqqq"}
    found = json.loads(run("cluster", str(source), "--table", table_path, "--clusters", "3", "--json").stdout)
    sizes = [sum(line["cluster"] == label for line in saved) for label in range(3)]
    assert [one["texts"] for one in found["clusters"]] == sizes
    assert all(len(one["words"]) == 4 and len(one["nearest"]) == 3 for one in found["clusters"])
    records, options = tmp_path / "in.csv", ("--column", "text", "--table", table_path, "--clusters", "3")
    _write(records)
    run("cluster", str(records), *options, "-o", str(output))
    saved = [json.loads(line) for line in output.read_text().splitlines()]
    assert [(one["id"], one["text"]) for one in saved] == list(zip(*_columns().values(), strict=True))
    assert all(one["cluster"] in (None, 0, 1, 2) for one in saved)
    (tmp_path / "again.jsonl").write_bytes(output.read_bytes())
    (tmp_path / "short.csv").write_text("text,cluster\nthe first\nthe second,9\n")
    for name, target, expected in (
        (str(records), str(tmp_path / "out.csv"), "must end in .jsonl or .ndjson"),
        (str(tmp_path / "again.jsonl"), str(output), "would replace the column 'cluster'; rename it"),
        (str(tmp_path / "short.csv"), str(output), "would replace the column 'cluster'; rename it"),
        ("-", str(output), "records of standard input are read once"),
    ):
        wrong = run("cluster", name, *options, "-o", target, status=2).stderr
        assert expected in " ".join(wrong.split())


@pytest.mark.parametrize(("command", "option"), [("dedupe", "--report"), ("cluster", "-o")])
def test_lines_of_json_are_not_written_to_a_compressed_name(
    run: Run, tmp_path: Path, command: str, option: str
) -> None:
    (tmp_path / "in.txt").write_text("\n".join(TEXTS))
    wrong = run(command, str(tmp_path / "in.txt"), option, str(tmp_path / "found.jsonl.gz"), status=2).stderr
    assert "the output is not compressed; leave out .gz" in " ".join(wrong.split())
    assert not (tmp_path / "found.jsonl.gz").exists()
