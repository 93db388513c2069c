"""The runs of the Training page: small ones that its jobs train, and the one that `rowspace lab RUN` has opened.

A request names a run of `variants.py`, never a path.
"""

import importlib
import importlib.util
import shutil
import tempfile
import time
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from rowspace._base.atomic import make_scratch
from rowspace.errors import MissingExtraError, UsageError
from rowspace_lab.experiments import Events
from rowspace_lab.experiments.language_model.telemetry.events import NAME
from rowspace_lab.jobs.callbacks import iterate_callbacks
from rowspace_lab.jobs.kinds import JobKind, Progress
from rowspace_lab.lab import Lab
from rowspace_lab.pages.training.text import Text, run_texts, run_tokenizer, text_name, train_figure
from rowspace_lab.pages.training.variants import BASE, REPLACED, WATCHED, changed_options, reads_sentences, run_name
from rowspace_lab.server.query import Query
from rowspace_lab.server.reply import Reply
from rowspace_lab.shared.figure import shown

__all__ = ["OWN", "STEPS", "job_kinds", "run_path", "train_run"]

STEPS = 300
ROWS_SHOWN = 24  # of the table of step 0
PAUSE = 0.25  # seconds between two reports of progress, at least
OWN = "own"
Updates = Iterator[Progress | Reply]


def run_path(lab: Lab, name: str) -> str:
    """The folder of a run.

    Raises:
        UsageError: There is no such run, or it has not begun.
    """
    path = Path(lab.path) if name == OWN else _folder(lab) / run_name(name)
    if not (path / NAME).is_file():
        what = f"{lab.path!r} is a table, not a run of rowspace train" if name == OWN else f"run {name!r} has not begun"
        raise UsageError(f"{what}; start one on the Training page")
    return str(path)


def train_run(
    *, output: str, text: Text, options: Mapping[str, Any], replaced: Sequence[str] | None, code: str
) -> Updates:
    """Train a run: first its table of step 0, then a frame for each snapshot."""
    steps, last, seen = options["steps"], 0.0, -1
    yield Progress(0, f"step 0 of {steps}")
    shutil.rmtree(output, ignore_errors=True)
    about = {"steps": steps, "text": text_name(text), "code": code}
    yield Reply({"step": 0, **about, **_table_of_step_0(text, options, replaced)})
    from rowspace_lab.experiments import TrainProgress, TrainReports  # which takes longer

    def work(report: Callable[[TrainProgress], None]) -> None:
        reports = TrainReports(on_progress=report)
        train_figure(output=output, text=text, options={**options, "reports": reports}, replaced=replaced)

    for news in iterate_callbacks(work):
        if time.monotonic() - last > PAUSE or news.step == steps:
            last = time.monotonic()
            yield Progress(news.step / steps, f"step {news.step} of {steps}, loss {news.loss:.2f}")
            with Events(output) as events:
                recorded = events.snapshot_steps()[-1]
            if recorded > seen:
                seen = recorded
                yield Reply({"step": recorded, **about})
    yield Reply({"step": steps, **about, "finished": True})


def prepare() -> None:
    """Train one step in a temporary folder: imports, the tokenizer and compiled code are then ready for a run."""
    if importlib.util.find_spec("torch") is not None:
        with tempfile.TemporaryDirectory() as folder:
            options = {**BASE, "steps": 1, "batch_size": 1, "sample": 0, "watch": ()}
            train_figure(output=f"{folder}/run", options=options, replaced=None)


def _table_of_step_0(text: Text, options: Mapping[str, Any], replaced: Sequence[str] | None) -> dict[str, Any]:
    """The rows of the most frequent tokens that the model is about to begin with, a second before it is ready.

    They are the first numbers that the seed gives, as in `language_model.trainer.make_model`; a
    constraint on their norms is left out.
    """
    from tokenizers import Tokenizer

    from rowspace.text import HuggingFaceTokenizer

    with ThreadPoolExecutor(1) as thread:
        importing = thread.submit(importlib.import_module, "torch")  # meanwhile, the tokenizer
        tokenizer = Tokenizer.from_str(run_tokenizer(text))
        encoded = tokenizer.encode_batch_fast(run_texts(text, replaced), add_special_tokens=False)
        counts = np.bincount(np.concatenate([each.ids for each in encoded]), minlength=tokenizer.get_vocab_size())
        torch = importing.result()
    rows = torch.empty(len(counts), options["dim"])
    rows.normal_(std=options["init_std"], generator=torch.Generator().manual_seed(options["seed"]))
    ids = np.argsort(-counts, kind="stable")[:ROWS_SHOWN]
    opened = HuggingFaceTokenizer(tokenizer)
    return {
        "ids": ids,
        "rows": rows.numpy()[ids],
        "tokens": [opened.shown(int(id)) for id in ids],
    }


def _folder(lab: Lab) -> Path:
    """The folder of the page's own runs, which is removed with the lab."""

    def make() -> Path:
        folder = make_scratch("lab-runs")
        weakref.finalize(lab, shutil.rmtree, folder, ignore_errors=True)
        return folder

    return lab.cached("training/folder", make)


def job_kinds(steps: int = STEPS) -> dict[str, JobKind]:
    """Return the job that trains a run of this number of steps."""
    read = partial(_read, steps)
    return {"train": JobKind(run=train_run, read=read, arrays=lambda *_, **__: {}, prepare=prepare)}


def _read(steps: int, lab: Lab, query: Query) -> Mapping[str, Any]:
    """`run`: its name, of `variants.py`."""
    name = run_name(query.text("run", "base"))
    if importlib.util.find_spec("torch") is None:
        raise MissingExtraError("a language model needs PyTorch: pip install 'rowspace[torch]'")
    of_sentences = reads_sentences(name)
    arguments: dict[str, Any] = {
        "text": (lab.sentences or "small-world") if of_sentences else "python",
        "options": {**BASE, "steps": steps, "watch": WATCHED[of_sentences], **changed_options(name)},
        "replaced": REPLACED[of_sentences] if name.endswith("word") else None,
    }
    code = shown(lab, partial(train_figure, output="training-run", **arguments))
    return {"output": str(_folder(lab) / name), **arguments, "code": code}
