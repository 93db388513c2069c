"""The rows of several machines, each learned from its shard and merged by their means.

The rows of the most frequent words are merged at each merge, twice as many at each second one, four times as many at
each fourth, and so on (the ruler schedule of pWord2Vec, Ji et al. 2016); all rows at the end of an epoch.
"""

from collections.abc import Callable
from typing import NamedTuple

from rowspace.errors import UsageError
from rowspace.learn.fit import Reports
from rowspace.learn.word2vec.export import export_table
from rowspace.learn.word2vec.trainer import Progress, Trainer
from rowspace.scale.fit.machines import Machines
from rowspace.text import IdCorpus

__all__ = ["MergeSchedule", "learn_together", "rows_to_merge", "times_rate"]

IDS_PER_THREAD = 32_768  # between merges, by default: a chunk, about 20 ms
MOST_TIMES = 4.0


class MergeSchedule(NamedTuple):
    """When rows are merged.

    Attributes:
        merge_every: Words that each machine learns between two merges; None is 32,768 for each thread.
        first_rows: The rows that each merge includes; each second one has twice as many, and so on.
    """

    merge_every: int | None = None
    first_rows: int = 2_048

    def check(self) -> None:
        """Raise `UsageError` for a number below 1."""
        for name, number in self._asdict().items():
            if number is not None and number < 1:
                raise UsageError(f"{name} must be at least 1, got {number}")


def rows_to_merge(number: int, first_rows: int, total: int) -> int:
    """Return how many of `total` rows the number-th merge includes, from 1.

    >>> [rows_to_merge(number, 2, 10) for number in range(1, 9)]
    [2, 4, 2, 8, 2, 4, 2, 10]
    """
    return min(total, first_rows * (number & -number))


def times_rate(machines: int) -> float:
    """Return what the default learning rate is multiplied by, since a mean moves less than each machine has moved.

    >>> [times_rate(number) for number in (1, 2, 4, 8, 32)]
    [1.0, 1.0, 2.0, 4.0, 4.0]
    """
    return max(1.0, min(machines / 2, MOST_TIMES))


def learn_together(
    trainer: Trainer[IdCorpus],
    machines: Machines,
    schedule: MergeSchedule,
    *,
    reports: Reports,
    is_stopped: Callable[[], bool],
) -> bool:
    """Learn all epochs on all machines; return whether they are finished, not stopped on one of the machines.

    Raises:
        FitDiverged: The learning rate was too high on this machine.
        FailedElsewhere: Another machine has failed.
        RowspaceError: The connection to another machine is lost.
    """
    state, ids = trainer.state, trainer.corpus
    every = schedule.merge_every or IDS_PER_THREAD * state.options.threads
    merges = -(-int(machines.numbers(ids.size).max()) // every)  # of an epoch
    number = 0

    def should_pause(progress: Progress) -> bool:
        if reports.on_progress:
            reports.on_progress(progress)
        return is_stopped()

    while state.epoch < state.epochs:
        for step in range(1, merges + 1):
            with machines.together():
                trainer.run_until(trainer.num_chunks * step // merges, should_pause)
            number += 1
            is_end = bool(machines.numbers(is_stopped()).any())
            _merge(trainer, machines, None if is_end or step == merges else (number, schedule.first_rows))
            if is_end:
                return False
        state.pairs, state.loss = (float(machines.numbers(each).sum()) for each in (state.pairs, state.loss))
        with machines.together():
            trainer.end_epoch()
            if reports.on_epoch:
                reports.on_epoch(state.epoch, export_table(ids, state, is_final=False), state.losses[-1])
    return True


def _merge(trainer: Trainer[IdCorpus], machines: Machines, ruler: tuple[int, int] | None) -> None:
    """Replace rows by their means over all machines: those of the ruler schedule, or all."""
    weights, dim = trainer.state.weights, trainer.state.options.dim
    own = (weights.inputs, weights.size), (weights.outputs, weights.size)
    for rows, size in (*own, (weights.ngrams.rows, len(weights.ngrams.buckets))):
        merged = size if ruler is None else rows_to_merge(*ruler, size)
        machines.mean(rows[:merged, :dim])
