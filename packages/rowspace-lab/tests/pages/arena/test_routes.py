"""The page shows what the documents of saved arenas hold, and opens them by id only."""

import os
import shutil
from pathlib import Path

import pytest
from tests.arena_results import IMAGE, save_arena

from rowspace.errors import FileFormatError, UsageError
from rowspace_lab.experiments.arena.strategies import STRATEGIES
from rowspace_lab.pages.arena import runs
from rowspace_lab.pages.arena.saved import own_folder


def test_result_has_the_numbers_of_the_document(lab, working_folder: Path, check_code) -> None:
    document = save_arena(working_folder / "mine")
    reply = check_code(lab, "arena/result").meta
    assert (reply["verdict"], reply["seeds"], reply["seconds"]) == (document["verdict"], 3, 20.0)
    for shown, entry in zip(reply["entries"], document["entries"], strict=True):
        assert {name: entry[name] for name in shown} == shown
    first, second = reply["tasks"]
    assert (first["name"], first["lower"], first["baseline"], first["winner"]) == ("next-bytes", True, 5.0, "bpe")
    assert (second["name"], second["lower"], second["classes"]) == ("images", False, 2)
    assert [point["bits_per_byte"] for point in reply["curve"]] == pytest.approx([4.0, 3.6, 3.3, 3.1, 3.2])
    sizes = {
        each["name"]: (each["scaled"]["num_embeddings"], each["full"]["patch_size"]) for each in reply["strategies"]
    }
    assert sizes == {"bpe": (1000, None), "bytes": (256, None), "patches-16": (None, 16)}


def test_cell_has_its_reason_curves_and_wrong_inputs(lab, working_folder: Path, check_code) -> None:
    document = save_arena(working_folder / "mine", {"images/bytes/2": {"failed": "its process ended with status -9"}})
    reply = check_code(lab, "arena/cell", task="images", strategy="bytes").meta
    entry = next(each for each in document["entries"] if (each["task"], each["strategy"]) == ("images", "bytes"))
    assert reply["why"] == entry["why"]
    assert "its process ended with status -9" in reply["why"]
    assert reply["qualities"] == [0.3, 0.5]
    assert [curve["seed"] for curve in reply["curves"]] == [1, 3]
    assert reply["curves"][1] == {"seed": 3, "seconds": [10.0, 20.0], "bits": [6.0, 0.5]}
    assert reply["wrong"] == [IMAGE] * 3
    assert reply["costs"]["state_bytes"] == 16000


def test_wrong_inputs_of_the_first_format_have_no_bits(lab, working_folder: Path, ask) -> None:
    old = {"text": "a ", "image": None, "expected": "b ", "answer": "c "}
    save_arena(working_folder / "mine", {"next-bytes/bpe/1": {**CELL_OF_OLD_FORMAT, "wrong": [old]}})
    assert ask(lab, "arena/cell", task="next-bytes", strategy="bpe").meta["wrong"] == [old | {"bits": None}]


CELL_OF_OLD_FORMAT = {
    "quality": 3.0, "error": 0.01, "parameters": 1, "table_parameters": 1, "tokens_per_input": 1.0, "steps": 1,
    "inputs": 1, "passes": 1.0, "cpu_seconds": 1.0, "seconds": 1.0, "input_milliseconds": 1.0, "state_bytes": 1,
    "activation_bytes": 1, "unknown": 0.0, "median_count": None, "rare_rows": None, "unused_rows": None, "curve": [],
}  # fmt: skip


def test_saved_arenas_are_listed_by_id_the_newest_first(lab, working_folder: Path, ask) -> None:
    for changed, folder in enumerate([own_folder() / "quick", working_folder / "mine", working_folder / "damaged"]):
        save_arena(folder)
        os.utime(folder / "arena.json", (changed, changed))
    (working_folder / "damaged" / "arena.json").write_text('{"format": 2, "result": {"settings": {}}}')
    (working_folder / "something else").mkdir()
    damaged, mine, own, shipped = ask(lab, "arena/results").meta["saved"]
    assert damaged["problem"] == f"{Path('damaged/arena.json')}: is damaged; run the arena again"
    assert (mine["name"], mine["seconds"], mine["seeds"], mine["scale"], mine["problem"]) == ("mine", 20.0, 3, 32, None)
    assert mine["runs"] == 3 * (6 + 5)
    assert (own["name"], shipped["name"]) == ("", "full run")
    assert str(working_folder) not in str([damaged, mine, own])
    assert (
        ask(lab, "arena/result", id=own["id"])
        .meta["code"]
        .startswith("# the call that made this result: run_arena(tasks=['next-bytes', 'images'], strategies=['bpe', ")
    )
    assert (
        ", and its text if one was given: run_arena(output='mine',"
        in ask(lab, "arena/result", id=mine["id"]).meta["code"]
    )
    with pytest.raises(FileFormatError, match="is damaged; run the arena again"):
        ask(lab, "arena/result", id=damaged["id"])
    for other in ("mine", str(working_folder / "mine"), "../work/mine"):
        with pytest.raises(UsageError, match="there is no saved arena"):
            ask(lab, "arena/result", id=other)


def test_full_run_comes_with_the_workbench(lab, working_folder: Path, check_code) -> None:
    reply = check_code(lab, "arena/result").meta
    assert (reply["seconds"], reply["seeds"], len(reply["entries"]), len(reply["curve"])) == (20.0, 3, 24, 5)
    assert {entry["seeds"] for entry in reply["entries"]} == {3}  # all of its runs have finished
    assert reply["code"].startswith("# the call that made this result: run_arena()")
    assert {entry["strategy"] for entry in reply["entries"]} == set(STRATEGIES)


def test_cell_that_the_arena_lacks_is_refused(lab, working_folder: Path, ask) -> None:
    save_arena(working_folder / "mine")
    with pytest.raises(UsageError, match="this arena has no runs of small-tied on images; choose a cell of its table"):
        ask(lab, "arena/cell", task="images", strategy="small-tied")


def test_results_of_an_older_version_have_a_problem(lab, working_folder: Path, ask) -> None:
    (working_folder / "arena.json").write_text('{"format": 1, "settings": {}, "cells": {}}')
    saved, _ = ask(lab, "arena/results").meta["saved"]
    assert saved["name"] == "this folder"
    assert "run the arena again with the same options, text and output" in saved["problem"]


def test_plan_counts_the_runs_that_are_missing(lab, ask, tmp_path: Path) -> None:
    plan = ask(lab, "arena/plan", budget="20").meta
    assert (plan["runs"], plan["saved"]) == (87, 0)
    assert plan["seconds"] == 87 * 20 / plan["cores"]
    exec(plan["code"].splitlines()[0], {})  # the import
    assert plan["code"].splitlines()[-1] == "arena = run_arena()"
    assert ask(lab, "arena/plan", seeds=3, scale=64).meta["code"].endswith("run_arena(quick=True, seeds=3, scale=64)")
    save_arena(tmp_path / "saved")
    folder = runs.output_folder({})
    folder.parent.mkdir(parents=True)
    shutil.move(tmp_path / "saved", folder)
    plan = ask(lab, "arena/plan", budget="20").meta
    assert (plan["saved"], plan["seconds"]) == (33, (87 - 33) * 20 / plan["cores"])
    assert ask(lab, "arena/plan", budget="20", seeds=1).meta["saved"] == 11
    assert plan["id"] == ask(lab, "arena/results").meta["saved"][0]["id"]
