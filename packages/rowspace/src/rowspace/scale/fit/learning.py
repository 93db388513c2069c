"""The rows of several machines, each learned from its shard and merged by their means or an adaptive sum.

The rows of the most frequent words are merged at each merge, twice as many at each second one, four times as many at
each fourth, and so on (the ruler schedule of pWord2Vec, Ji et al. 2016); all rows at the end of an epoch.
"""

from collections.abc import Callable, Iterator
from typing import Literal, NamedTuple, Self, get_args

import numpy as np
from numpy.typing import NDArray

from rowspace.errors import UsageError
from rowspace.learn.fit import Reports
from rowspace.learn.word2vec.export import export_table
from rowspace.learn.word2vec.saved_state import all_rows
from rowspace.learn.word2vec.state import FitState
from rowspace.learn.word2vec.trainer import Progress, Trainer
from rowspace.scale.fit.machines import Machines
from rowspace.text import IdCorpus

__all__ = ["MergeSchedule", "Merging", "learn_together", "rows_to_merge"]

Merging = Literal["mean", "adaptive"]

IDS_PER_THREAD = 32_768  # between merges, by default: a chunk, about 20 ms
FIRST_ROWS = 2_048
MOST_TIMES = 4.0


class MergeSchedule(NamedTuple):
    """When rows are merged, and how.

    Attributes:
        merge_every: Words that each machine learns between two merges.
        first_rows: The rows that each merge includes; each second one has twice as many, and so on.
        merging: By their means, or by the adaptive sum of their changes.
    """

    merge_every: int
    first_rows: int
    merging: Merging

    @classmethod
    def of(cls, merge_every: int | None, first_rows: int | None, merging: Merging | None, threads: int) -> Self:
        """Return the schedule, by default means of 2,048 rows after 32,768 words for each thread.

        Raises:
            UsageError: A number is below 1, or the merging has another name.
        """
        made = cls(
            IDS_PER_THREAD * threads if merge_every is None else merge_every,
            FIRST_ROWS if first_rows is None else first_rows,
            merging or "mean",
        )
        for name, number in (("merge_every", made.merge_every), ("first_rows", made.first_rows)):
            if number < 1:
                raise UsageError(f"{name} must be at least 1, got {number}")
        if made.merging not in get_args(Merging):
            raise UsageError(f"merging must be one of {', '.join(get_args(Merging))}, not {made.merging!r}")
        return made

    def times_rate(self, machines: int) -> float:
        """Return what the default learning rate is multiplied by, since a mean moves less than each machine has moved.

        >>> [MergeSchedule.of(None, None, "mean", 1).times_rate(number) for number in (1, 2, 4, 8, 32)]
        [1.0, 1.0, 2.0, 4.0, 4.0]
        """
        return max(1.0, min(machines / 2, MOST_TIMES)) if self.merging == "mean" else 1.0


def rows_to_merge(number: int, first_rows: int, total: int) -> int:
    """Return how many of `total` rows the number-th merge includes, from 1.

    >>> [rows_to_merge(number, 2, 10) for number in range(1, 9)]
    [2, 4, 2, 8, 2, 4, 2, 10]
    """
    return min(total, first_rows * (number & -number))


def learn_together(
    trainer: Trainer[IdCorpus],
    machines: Machines,
    schedule: MergeSchedule,
    *,
    reports: Reports,
    is_stopped: Callable[[], bool],
    save: Callable[[], None],
) -> bool:
    """Learn the remaining epochs on all machines; return whether they are finished, not stopped on one of them.

    Args:
        trainer: What this machine learns.
        machines: All machines.
        schedule: When rows are merged.
        reports: Callbacks for progress.
        is_stopped: Whether this machine is to stop.
        save: Called by all machines after a merge of all rows, when the machines differ in their texts only.

    Raises:
        FitDiverged: The learning rate was too high on this machine.
        FailedElsewhere: Another machine has failed.
        RowspaceError: The connection to another machine is lost.
    """
    state, ids = trainer.state, trainer.corpus
    merges = -(-int(machines.numbers(ids.size).max()) // schedule.merge_every)  # of an epoch
    largest = max(len(rows) for rows in _own_rows(state))
    adaptive = schedule.merging == "adaptive" and machines.size > 1
    earlier = [rows.copy() for rows in _own_rows(state)] if adaptive else None
    state.chunk = trainer.num_chunks * state.merges // merges  # a resumed state has that of the first machine

    def should_pause(progress: Progress) -> bool:
        if reports.on_progress:
            reports.on_progress(progress)
        return is_stopped()

    while state.epoch < state.epochs:
        while state.merges < merges:
            step = state.merges + 1
            with machines.together():
                trainer.run_until(trainer.num_chunks * step // merges, should_pause)
            stops = bool(machines.numbers(is_stopped()).any())
            ruled = rows_to_merge(state.epoch * merges + step, schedule.first_rows, largest)
            merged = largest if stops or step == merges else ruled
            for number, rows in enumerate(_own_rows(state)):
                if earlier is None:
                    machines.mean(rows[:merged])
                else:
                    machines.adaptive_sum(rows[:merged], earlier[number][:merged])
            if stops:
                return False
            state.merges = step
            if merged == largest and step < merges:
                _sum_losses(state, machines)
                save()
        _end_epoch(trainer, machines, reports)
        if state.epoch < state.epochs:
            save()
    return True


def _own_rows(state: FitState) -> Iterator[NDArray[np.float32]]:
    """Yield the rows that machines merge, without padding: (n, dim)."""
    for rows in all_rows(state.weights).values():
        yield rows[:, : state.options.dim]


def _sum_losses(state: FitState, machines: Machines) -> None:
    """Give the sums of all machines to the first one, which saves them, and zeros to the others."""
    sums = [float(machines.numbers(each).sum()) for each in (state.pairs, state.loss)]
    state.pairs, state.loss = sums if machines.rank == 0 else (0.0, 0.0)


def _end_epoch(trainer: Trainer[IdCorpus], machines: Machines, reports: Reports) -> None:
    """End an epoch on all machines, each with the sums of all."""
    state = trainer.state
    state.pairs, state.loss = (float(machines.numbers(each).sum()) for each in (state.pairs, state.loss))
    with machines.together():
        trainer.end_epoch()
        if reports.on_epoch:
            reports.on_epoch(state.epoch, export_table(trainer.corpus, state, is_final=False), state.losses[-1])
