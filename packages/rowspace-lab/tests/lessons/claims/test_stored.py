"""The stored results of claims that train models: their format, and that the code that is shown gives the same keys."""

import json
import re
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rowspace_lab.lessons.claims as claims_page
from rowspace_lab.lessons.claims import PAGE
from rowspace_lab.lessons.claims.stored import FILE, computed_by, measured_now, stored
from rowspace_lab.lessons.computed.claims import JOBS, STORED
from rowspace_lab.lessons.computed.claims.additions import SCHEMES, adding_enough_numbers
from rowspace_lab.lessons.computed.claims.convolutions import convolution_figure
from rowspace_lab.lessons.computed.claims.encoder import contextual_soon_figure, orthogonal_figure
from rowspace_lab.lessons.computed.claims.lengths import longer_texts_numbers, longer_texts_verdict
from rowspace_lab.lessons.computed.claims.tying import (
    HeadRun,
    smaller_tied_numbers,
    tied_better_numbers,
    tying_numbers,
    tying_verdict,
)
from rowspace_lab.lessons.computed.claims.width import wider_figure, wider_verdict
from rowspace_lab.server.query import Query
from rowspace_lab.server.reply import Reply, decode

NAMES = [*JOBS, *STORED]


def small_numbers(name: str) -> Any:
    """Return the numbers of a claim from the smallest measurement."""
    if name == "wider":
        return wider_figure(dims=[2, 4], seeds=[0, 1])
    if name == "longer_texts":
        return longer_texts_numbers({each: {8: 2.0, 16: 2.1} for each in ("sinusoid", "rotary", "alibi")}, steps=1)
    runs: list[HeadRun] = [
        {"head": head, "seed": seed, "parameters": 9, "bits": 2.0 + seed}
        for seed in (1, 2)
        for head in ("tied", "untied")
    ]
    tied = tying_numbers(runs, steps=1)
    widths = tied_better_numbers([tied, tied], dims=[2, 4])
    return {
        "tying": lambda: tied,
        "tied_better": lambda: widths,
        "smaller_tied": lambda: smaller_tied_numbers(widths),
        "adding_enough": lambda: adding_enough_numbers(np.ones((5, 2)), schemes=SCHEMES, steps=1),
        "convolution": lambda: convolution_figure(patches=[4, 8], dim=8, side=8, batch=1, repeats=1),
        "orthogonal": lambda: orthogonal_figure(tokens=10, places=4, seed=0),
        "contextual_soon": lambda: contextual_soon_figure(sentences={"bank": "the bank lends, the bank is wet"}),
    }[name]()


@pytest.mark.parametrize("name", NAMES)
def test_stored_result_has_the_fields_that_the_code_computes(name: str) -> None:
    found = stored(name)
    assert set(found) == {"date", "software", "machine", "seconds", "numbers"}
    assert date.fromisoformat(found["date"]) <= date.today()
    assert set(found["numbers"]) == set(small_numbers(name))


def test_stored_verdicts_follow_from_the_stored_numbers() -> None:
    wider, tying, texts = (stored(name)["numbers"] for name in ("wider", "tying", "longer_texts"))
    losses = np.array(wider["losses"])
    steps = np.diff(losses, axis=1) / losses[:, :-1]
    noises = (steps.std(0, ddof=1) / len(losses) ** 0.5).tolist()
    assert wider["verdict"] == wider_verdict(changes=steps.mean(0).tolist(), noises=noises)
    assert tying["verdict"] == tying_verdict(change=tying["change"], noise=tying["noise"])
    bits = np.array(texts["bits"])
    worse = dict(zip(texts["schemes"], bits[:, -1] / bits[:, 0] - 1, strict=True))
    assert texts["verdict"] == longer_texts_verdict(sinusoid=worse["sinusoid"], rotary=worse["rotary"])


def test_results_are_stored_as_json() -> None:
    found = measured_now("wider", lambda: {"a": np.array([[1.23456789, 2]]), "b": [{"c": 1}], "verdict": "true"})
    assert json.loads(json.dumps(found))["numbers"] == {"a": [[1.234568, 2]], "b": [{"c": 1}], "verdict": "true"}
    assert "numpy" in found["software"]
    path = Path(claims_page.__file__).with_name(FILE)
    assert path.stat().st_size < 30_000
    assert set(json.loads(path.read_text(encoding="utf-8"))) == set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_stored_result_is_shown_as_the_job_shows_it(name: str, six_lab) -> None:
    reply = decode(Reply(PAGE.routes["lessons/claim"](six_lab, Query({"name": [name]}))).encode())
    assert reply.meta["verdict"] == stored(name)["numbers"]["verdict"]
    assert 'class="missing"' not in reply.meta["evidence"]
    assert f"<code>python scripts/make_claims.py {name}</code>" in reply.meta["computed"]
    assert re.search(r"Computed on \d+ \w+ \d{4} with Python", computed_by(name))
    assert reply.meta["finished"]
    charts = {"wider": {"losses", "kept", "cut_kept"}, "longer_texts": {"lengths", "bits"}, "tying": {"bits"}}
    assert set(reply.arrays) == charts.get(name, set())
    for field in set(reply.arrays) - {"cut_kept"}:
        np.testing.assert_array_equal(reply.arrays[field], stored(name)["numbers"][field])
