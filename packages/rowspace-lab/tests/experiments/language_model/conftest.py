"""A short English text, and a run that takes a second."""

from collections.abc import Callable
from pathlib import Path
from pydoc_data.topics import topics
from typing import Any

import pytest

from rowspace_lab.experiments.language_model.train import TrainedRun, train

QUICK = {
    "dim": 16,
    "layers": 1,
    "heads": 2,
    "steps": 12,
    "batch_size": 4,
    "context": 16,
    "lr": 1e-2,
    "vocabulary_size": 300,
    "workers": 1,
    "device": "cpu",
    "sample": 20,
}


@pytest.fixture(scope="session")
def text() -> list[str]:
    """30 kB of English."""
    return [topic[:3000] for topic in list(topics.values())[:10]]


@pytest.fixture(scope="session")
def quick(text: list[str]) -> Callable[..., TrainedRun]:
    """`quick(folder, **options)` trains on the text for 12 steps."""

    def run(folder: Path, **options: Any) -> TrainedRun:
        corpus = None if options.get("resume") else options.pop("corpus", text)
        given = {} if options.get("resume") or options.get("init") else QUICK
        return train(corpus, folder, **given | options)

    return run


@pytest.fixture(scope="session")
def finished(quick: Callable[..., TrainedRun], tmp_path_factory: pytest.TempPathFactory) -> TrainedRun:
    """A finished run, not to be changed."""
    return quick(tmp_path_factory.mktemp("runs") / "finished", watch=["t", "e"], record=4, evaluate=6)
