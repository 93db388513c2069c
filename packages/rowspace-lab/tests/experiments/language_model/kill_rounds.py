"""Kill a training with SIGKILL at random moments, again and again; test_kills.py runs this as a script.

The script imports once and forks for each round. The run that was killed and resumed must end with the same bits as the
one that was not.
"""

import os
import random
import signal
import sys
from pathlib import Path
from pydoc_data.topics import topics

from rowspace_lab.experiments.language_model.run_folder.checkpoint import TENSORS
from rowspace_lab.experiments.language_model.run_folder.folder import RUN_FILE
from rowspace_lab.experiments.language_model.telemetry.events import NAME, Events
from rowspace_lab.experiments.language_model.train import train

sys.path.insert(0, str(Path(__file__).parents[4] / "rowspace"))
from tests.killed_children import run_in_child
from tests.system_calls import forbid_exchange

ROUNDS = 100 if "--long" in sys.argv else 6
TEXT = [topic[:2000] for topic in list(topics.values())[:8]]
SHAPE = {"dim": 8, "layers": 1, "heads": 2, "tokens": "bytes"}
OPTIONS = {"steps": 60, "batch_size": 2, "context": 8, "record": 7, "evaluate": 11, "sample": 20, "watch": ["t"]}
FILES = ("model.safetensors", "vocabulary.safetensors", "model/model.safetensors", TENSORS, NAME)


def learn(run: Path) -> None:
    """Train a run, or continue it, with a checkpoint at each third step."""
    if (run / RUN_FILE).exists() or any(name.endswith(".old") for name in os.listdir(run.parent)):  # noqa: PTH208  # names only, often
        train(output=run, resume=True)
    else:
        train(TEXT, run, workers=1, device="cpu", save_steps=3, **SHAPE, **OPTIONS)


def main() -> None:
    """Train one run without and others with kills, in the folder given."""
    folder = Path(sys.argv[1])
    if "--without-exchange" in sys.argv:
        forbid_exchange()
    (folder / "killed").mkdir()
    chance = random.Random(0)  # no secret
    kills = 0
    while kills < ROUNDS:
        run = folder / "killed" / f"run-{kills}"
        status = None
        while status != 0 and kills < ROUNDS:
            status = run_in_child(lambda folder=run: learn(folder), delay=chance.uniform(0, 0.6))
            assert status in (0, -signal.SIGKILL), status
            kills += status != 0
        learn(run)
        if not (folder / "whole").exists():
            learn(folder / "whole")
        for name in FILES:
            assert (run / name).read_bytes() == (folder / "whole" / name).read_bytes(), (kills, name)
        with Events(run) as events:
            assert events.steps()["step"].tolist() == list(range(1, 61))
        left = {path.name for path in (folder / "killed").iterdir()}
        assert left == {f"run-{number}" for number in range(len(left))}, left  # no temporaries
    print(kills)


if __name__ == "__main__":
    main()
