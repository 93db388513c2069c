"""`Rounds`: one chunk learned by several threads, with the same result for any number of them.

A chunk is split into eight parts. In a round, each part learns a piece of itself from the rows as they were at the
start of the round, in private rows; then the changes of all parts are added to the table in the order of the parts.
"""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from itertools import count
from threading import Barrier, BrokenBarrierError

import numpy as np
from numpy.typing import NDArray

from rowspace.learn.word2vec.allocation import drawn_negatives, make_scratch, seed_random
from rowspace.learn.word2vec.kernels import add_changes, learn_piece
from rowspace.learn.word2vec.kernels.arrays import Plan
from rowspace.learn.word2vec.private_rows import PARTS, make_private, room_of
from rowspace.learn.word2vec.sampling import Sampler
from rowspace.learn.word2vec.state import FitState

__all__ = ["Rounds"]


class Rounds:
    """Learns the chunks of a deterministic fit.

    Args:
        state: The fit.
        sampler: The distributions of its words.
        pool: At least as many threads as the fit has, without the one that calls.
    """

    def __init__(self, state: FitState, sampler: Sampler, pool: ThreadPoolExecutor) -> None:
        self.state = state
        self.sampler = sampler
        size, options, ngrams = state.weights.size, state.options, state.weights.ngrams
        room = room_of(size, ngrams, drawn_negatives(options))
        self._private = make_private(size, len(ngrams.buckets), room, options.model)
        self._scratches = [make_scratch(size, options, private=private) for private in self._private]
        self._threads = min(options.threads, PARTS)
        self._pool, self._barrier = pool, Barrier(self._threads)

    def learn(self, ids: NDArray[np.int32], chunk: int, plan: Plan) -> tuple[float, float]:
        """Learn a chunk; return the number of pairs and their summed loss.

        Args:
            ids: (n,), the ids of the chunk.
            chunk: Its number, for the random numbers.
            plan: How it is learned.
        """
        ends = [len(ids) * end // PARTS for end in range(PARTS + 1)]
        parts = [ids[ends[part] : ends[part + 1]] for part in range(PARTS)]
        for part, scratch in enumerate(self._scratches):
            seed_random(scratch, self.state.options.seed, self.state.epoch, chunk, part)
        positions, tickets = [0] * PARTS, count()
        work = partial(self._work, parts, positions, tickets, plan)
        tasks = [self._pool.submit(work, thread) for thread in range(1, self._threads)]
        with suppress(BrokenBarrierError):  # by another thread, whose error follows
            work(0)
        errors = [error for task in tasks if (error := task.exception()) is not None]
        for error in sorted(errors, key=lambda error: isinstance(error, BrokenBarrierError)):
            raise error
        tally = np.sum([scratch.tally for scratch in self._scratches], axis=0)
        for scratch in self._scratches:
            scratch.tally[:] = 0
        return float(tally[0]), float(tally[1])

    def _work(
        self, parts: list[NDArray[np.int32]], positions: list[int], tickets: Iterator[int], plan: Plan, thread: int
    ) -> None:
        """Learn parts, round after round, and add the changes of some of the rows.

        A thread that has learned a part takes the next one of the round; ticket n is for part n % 8 in round n // 8.
        """
        weights, ticket, ends, is_done = self.state.weights, next(tickets), count(PARTS, PARTS), False
        try:
            while not is_done:
                end = next(ends)
                while ticket < end:
                    part = ticket % PARTS
                    scratch = self._scratches[part]
                    positions[part] = learn_piece(parts[part], positions[part], weights, self.sampler, plan, scratch)
                    ticket = next(tickets)
                self._barrier.wait()
                is_done = all(position == len(ids) for position, ids in zip(positions, parts, strict=True))
                add_changes(weights, self._private[0], thread, self._threads)
                self._barrier.wait()
        except BaseException:
            self._barrier.abort()
            raise
