"""Means, spreads, status, winners and sentences from runs with known numbers; sizes against the published ones."""

import itertools

import pytest

from rowspace_lab.experiments.arena.model.forms import make_form
from rowspace_lab.experiments.arena.options import ArenaOptions
from rowspace_lab.experiments.arena.report.sizes import attention_flops, sizes
from rowspace_lab.experiments.arena.report.summary import TaskFacts, summarize
from rowspace_lab.experiments.arena.runs.cell import run_cell
from rowspace_lab.experiments.arena.runs.worker import cell_key
from rowspace_lab.experiments.arena.strategies import STRATEGIES

TEXT = TaskFacts(baseline=5.0, classes=(), train_inputs=100, test_inputs=10, words_per_input=20.0)
IMAGES = TaskFacts(baseline=0.1, classes=("a", "b"), train_inputs=100, test_inputs=10, words_per_input=0.0)
BOTH = {"next-bytes": TEXT, "images": IMAGES}


def cell(quality, **facts):
    usual = {
        "quality": quality, "error": 0.01, "parameters": 1000, "table_parameters": 100, "tokens_per_input": 40.0,
        "steps": 10, "inputs": 100, "passes": 1.0, "cpu_seconds": 1.0, "seconds": 1.5, "input_milliseconds": 0.1,
        "state_bytes": 16000, "activation_bytes": 5000, "unknown": 0.0, "median_count": 30.0, "rare_rows": 0.1,
        "unused_rows": 0.0, "curve": [[1.0, 100, 3.0]], "wrong": [],
    }  # fmt: skip
    return usual | facts


def options(*tasks, seeds=3, strategies=("bytes", "patches-32"), **more):
    return ArenaOptions(tasks=tasks, seeds=seeds, strategies=strategies, **{"curve": False} | more)


def cells(task, **qualities):
    return {
        cell_key(task, strategy.replace("_", "-"), seed): cell(quality)
        for strategy, by_seed in qualities.items()
        for seed, quality in enumerate(by_seed, 1)
    }


def test_mean_and_spread_over_seeds_and_a_winner_of_all_tasks():
    runs = cells("next-bytes", bytes=[3.0, 3.1, 3.2], patches_32=[4.0, 4.0, 4.0])
    runs |= cells("images", bytes=[0.9, 0.9, 0.9], patches_32=[0.5, 0.6, 0.7])
    result = summarize(runs, options("next-bytes", "images"), BOTH)
    first = result["entries"][0]
    assert (first["quality"], first["spread"], first["status"]) == (pytest.approx(3.1), pytest.approx(0.1), "learned")
    assert [task["winner"] for task in result["tasks"].values()] == ["bytes", "bytes"]
    assert result["verdict"] == "bytes wins all 2 tasks: each of its runs is better than each run of the others."


def test_no_strategy_wins_all_tasks_if_runs_overlap_on_one():
    runs = cells("next-bytes", bytes=[3.0, 3.1, 3.2], patches_32=[3.15, 4.0, 4.0])
    runs |= cells("images", bytes=[0.9, 0.9, 0.9], patches_32=[0.5, 0.6, 0.7])
    result = summarize(runs, options("next-bytes", "images"), BOTH)
    assert [task["winner"] for task in result["tasks"].values()] == [None, "bytes"]
    assert result["verdict"] == (
        "No strategy wins all 2 tasks. On next-bytes, runs of the best, bytes (3.100 ± 0.100), overlap with those of "
        "others; the second is patches-32 (3.717 ± 0.491). On images, bytes (90.0% ± 0.0) wins before patches-32 "
        "(60.0% ± 10.0)."
    )


def test_results_without_learning_are_reported():
    runs = cells("images", bytes=[0.1, 0.1, 0.1], patches_32=[0.05, 0.06, 0.07])
    result = summarize(runs, options("images"), {"images": IMAGES})
    assert result["verdict"].endswith("On images, no strategy learned anything in this budget.")


def test_one_seed_names_no_winner():
    result = summarize(cells("images", bytes=[0.9], patches_32=[0.2]), options("images", seeds=1), {"images": IMAGES})
    assert result["tasks"]["images"]["winner"] is None
    assert result["verdict"].startswith("No winner is named: that needs three seeds")
    assert (result["entries"][0]["spread"], result["entries"][0]["spread_over"]) == (0.01, "inputs")


@pytest.mark.parametrize(
    ("task", "qualities", "status"),
    [
        ("next-bytes", [4.7, 4.8, 4.9], "learned"),
        ("next-bytes", [4.8, 5.0, 5.2], "not learned in this budget"),
        ("images", [0.05, 0.12, 0.19], "not learned in this budget"),
        ("images", [0.2, 0.21, 0.22], "learned"),
    ],
)
def test_a_result_counts_as_learned_if_it_beats_the_baseline_by_its_spread(task, qualities, status):
    result = summarize(cells(task, bytes=qualities), options(task, strategies=["bytes"]), {task: BOTH[task]})
    entry = result["entries"][0]
    assert entry["status"] == status
    assert ("Not learned in this budget." in entry["why"]) == (status != "learned")


def test_unfinished_runs_are_marked_and_no_winner_is_named():
    runs = cells("images", bytes=[0.9, 0.9], patches_32=[0.5, 0.5, 0.5])
    runs[cell_key("images", "bytes", 3)] = {"failed": "the loss became nan before step 7"}
    result = summarize(runs, options("images"), {"images": IMAGES})
    entry = result["entries"][0]
    assert (entry["status"], entry["seeds"], entry["finished_seeds"]) == ("not finished", 2, [1, 2])
    assert entry["why"].endswith("Some runs did not finish: the loss became nan before step 7.")
    assert result["verdict"] == "1 of 2 entries are not finished, so no winner is named."
    runs[cell_key("images", "bytes", 3)]["diverged"] = True
    assert summarize(runs, options("images"), {"images": IMAGES})["entries"][0]["status"] == "diverged"
    nothing = summarize({}, options("images"), {"images": IMAGES})
    assert nothing["entries"][0]["why"] == "No run finished: not run."


def test_sentences_state_the_numbers_behind_a_result():
    runs = cells("next-bytes", bytes=[3.0], patches_32=[4.0])
    key = cell_key("next-bytes", "bytes", 1)
    runs[key] |= {"tokens_per_input": 140.0, "inputs": 25, "unknown": 0.31, "rare_rows": 0.5, "unused_rows": 0.6}
    why = summarize(runs, options("next-bytes", seeds=1), {"next-bytes": TEXT})["entries"][0]["why"]
    assert why == (
        "3.000 bits per byte ± 0.010, against 5.000 for byte frequencies alone. An input takes 140 tokens, 3.5 times "
        "as many as with patches-32, so it read 25 inputs in the budget (1.00 passes over the training inputs), 25% of "
        "what patches-32 read. 31% of the held-out words have no row, so they share the one for unknown words. 50% of "
        "the rows in use occur less than 10 times in the training text. 60% of its rows are never used here."
    )


def test_the_curve_goes_over_vocabulary_sizes():
    chosen = options("next-bytes", seeds=1, curve=True, quick=True)
    assert chosen.curve_sizes == [256, 1024, 4096]
    runs = {
        cell_key("next-bytes", "bpe", 1, size): cell(quality, tokens_per_input=tokens, median_count=count)
        for size, quality, tokens, count in [(256, 4.0, 100.0, 900.0), (1024, 3.5, 60.0, 50.0)]
    }
    points = summarize(runs, chosen, {"next-bytes": TEXT})["curve"]
    assert [point["table_bytes"] for point in points] == [65536, 262144, 1048576]
    assert [point["tokens_per_word"] for point in points] == [5.0, 3.0, None]
    # Scores and weighted sums: two multiply-adds for each pair of tokens and number of a row, in two blocks.
    assert points[0]["attention_flops"] == 2 * 4 * 100**2 * 64
    assert [point["bits_per_byte"] for point in points] == [4.0, 3.5, None]


def test_full_sizes_are_the_published_ones():
    every = {name: sizes(strategy, ArenaOptions())["full"]["parameters"] for name, strategy in STRATEGIES.items()}
    # V · d, twice if untied; (side² · 3 + 1) · d for patches of color images.
    assert every == {
        "small-tied": 6_144_000,
        "large-untied": 1_048_576_000,
        "bpe": 24_576_000,
        "bytes": 196_608,
        "patches-16": 590_592,
        "patches-32": 2_360_064,
    }
    tokens = [
        sizes(STRATEGIES[name], ArenaOptions())["full"]["image_tokens"] for name in ("bytes", "bpe", "patches-16")
    ]
    assert tokens == [50_176, None, 196]


@pytest.mark.usefixtures("one_thread")
def test_scaled_sizes_are_those_of_the_models(tasks, options):
    for name, task in itertools.product(("large-untied", "bytes", "patches-16"), ("next-bytes",)):
        strategy = STRATEGIES[name]
        run = run_cell(tasks[task], make_form(tasks[task], strategy, options), strategy, options, seed=1)
        assert sizes(strategy, options)["scaled"]["parameters"] == run["table_parameters"]


def test_attention_grows_with_the_square_of_the_tokens():
    assert attention_flops(200, ArenaOptions()) == 4 * attention_flops(100, ArenaOptions())


def test_defaults_stay_within_the_promised_sizes():
    default = ArenaOptions()
    scaled = [sizes(strategy, default)["scaled"] for strategy in STRATEGIES.values()]
    assert max(each.get("num_embeddings", 0) for each in scaled) <= 4096
    assert max(each["dim"] for each in scaled) <= 64
    assert len(default.tasks) * len(default.strategies) * default.num_seeds == 72
    assert default.num_runs == 72 + 3 * 5  # the curve
    assert ArenaOptions(tasks=["images"]).num_runs == 18
