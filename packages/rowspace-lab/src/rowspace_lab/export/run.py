"""The run that the Training page of an exported site replays: it is trained while the site is written."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from rowspace_lab.export.requests import Asked
from rowspace_lab.lab import Lab
from rowspace_lab.pages.training import PAGE
from rowspace_lab.pages.training.runs import STEPS, run_path
from rowspace_lab.pages.training.text import run_tokenizer
from rowspace_lab.pages.training.variants import WATCHED
from rowspace_lab.server.query import Query
from rowspace_lab.server.reply import Reply

__all__ = ["JOB", "recorded_job", "run_folder", "run_requests"]

JOB = "jobs/train"
"""The route under which a site has the last frame of the job that trains the run."""
RUN = "sentences-base"
RECORDS = 25
"""The number of steps that a run records, besides step 0."""


def run_requests() -> Iterator[Asked]:
    """Yield the requests of the replay: the last frame, what changes with its step, and the row of each token.

    A row is recorded at each step for the tokens that the run watches, and at the last step for all.
    """
    run = ("run", RUN)
    yield Asked.of(JOB, [run])
    known: Mapping[str, int] = json.loads(run_tokenizer("small-world"))["model"]["vocab"]
    watched = [known[word] for word in WATCHED[True] if word in known]
    for step in range(0, STEPS + 1, STEPS // RECORDS):
        at = ("step", str(step))
        yield from (Asked.of(f"training/{name}", [run, at]) for name in ("updates", "without-gradient"))
        ids = known.values() if step == STEPS else watched
        yield from (Asked.of("training/row", [("id", str(id)), run, at]) for id in ids)


def recorded_job(lab: Lab) -> Mapping[str, Any]:
    """Train the run once for a lab, and return the last frame of its job.

    Raises:
        MissingExtraError: PyTorch is not installed.
    """

    def train() -> Mapping[str, Any]:
        kind = PAGE.job_kinds["train"]
        frames = [each for each in kind.run(**kind.read(lab, Query({"run": [RUN]}))) if isinstance(each, Reply)]
        return frames[-1].meta

    return lab.cached("export/run", train)


def run_folder(lab: Lab) -> str:
    """The folder of the run, which the code of a reply names."""
    return run_path(lab, RUN)
