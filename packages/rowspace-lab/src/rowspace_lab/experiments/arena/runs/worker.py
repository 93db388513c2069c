"""A process that runs cells: `python -m rowspace_lab.experiments.arena.runs.worker FOLDER PARENT`.

Each run has a process to itself while it is measured, with one thread, so that the CPU time of the process is that of
the run. Standard input has one request a line, standard output one result a line, both as JSON. `FOLDER/job.json` has
the options and the texts. The process ends with the process PARENT, also in the middle of a run.
"""

import dataclasses
import json
import sys
from pathlib import Path
from typing import Any, TextIO

import torch

from rowspace._base.parallel import die_with_parent
from rowspace_lab.experiments.arena.model.forms import make_form
from rowspace_lab.experiments.arena.model.train import Diverged
from rowspace_lab.experiments.arena.options import ArenaOptions
from rowspace_lab.experiments.arena.runs.cell import run_cell
from rowspace_lab.experiments.arena.strategies import STRATEGIES
from rowspace_lab.experiments.arena.tasks.samples import Task, make_tasks

__all__ = ["Request", "cell_key", "serve"]


@dataclasses.dataclass(frozen=True)
class Request:
    """A strategy on a task, with several seeds.

    Attributes:
        task, strategy: Their names.
        seeds: One run each.
        size: V on the curve of sizes; None for the strategy's own.
    """

    task: str
    strategy: str
    seeds: list[int]
    size: int | None = None

    @property
    def keys(self) -> list[str]:
        """The keys of the runs."""
        return [cell_key(self.task, self.strategy, seed, self.size) for seed in self.seeds]


def cell_key(task: str, strategy: str, seed: int, size: int | None = None) -> str:
    """Return the key of a run.

    >>> cell_key("images", "bpe", 1), cell_key("next-bytes", "bpe", 2, 512)
    ('images/bpe/1', 'next-bytes/bpe-512/2')
    """
    return f"{task}/{strategy}{'' if size is None else f'-{size}'}/{seed}"


def serve(folder: Path, requests: TextIO, results: TextIO) -> None:
    """Run what is requested, until the requests end.

    Args:
        folder: With job.json.
        requests: A `Request` as JSON on each line.
        results: A line for each run: its key, and the cell or the reason of its failure.
    """
    torch.set_num_threads(1)
    job = json.loads((folder / "job.json").read_text(encoding="utf-8"))
    options = ArenaOptions(**job["options"])
    tasks = make_tasks(job["documents"], options)
    for line in requests:
        request = Request(**json.loads(line))
        for result in _run(tasks[request.task], request, options):
            print(json.dumps(result), file=results, flush=True)


def _run(task: Task, request: Request, options: ArenaOptions) -> Any:
    strategy = STRATEGIES[request.strategy]
    form = make_form(task, strategy, options, size=request.size)
    for seed, key in zip(request.seeds, request.keys, strict=True):
        try:
            yield {"key": key, "cell": run_cell(task, form, strategy, options, seed)}
        except Diverged as error:
            yield {"key": key, "failed": str(error), "diverged": True}


if __name__ == "__main__":
    die_with_parent(int(sys.argv[2]))
    serve(Path(sys.argv[1]), sys.stdin, sys.stdout)
