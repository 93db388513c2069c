"""Who learns which stretch of the text when: epochs, workers, the learning rate, and a clean place to stop.

The ids are cut into stretches, learned in an order drawn again for each epoch: text in random order teaches better than
text whose last book has the last word. A stretch's random numbers depend on the seed, the epoch and the stretch alone,
so one worker that stops between two stretches goes on as if it had not. Several workers write to the same rows
without locks (Niu et al. 2011, Hogwild), but for their copies of the most frequent words' rows, so their rows differ a
little from run to run.

Read `kernels.py` for what one stretch does, `fit.py` for the call.
"""

import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rowspace.learn.word2vec.allocation import make_plan, make_scratch, seed_random
from rowspace.learn.word2vec.divergence import Watch
from rowspace.learn.word2vec.kernels import learn_stretch, merge_copies, start_copies
from rowspace.learn.word2vec.kernels.arrays import Scratch
from rowspace.learn.word2vec.sampling import make_sampler
from rowspace.learn.word2vec.state import FitState
from rowspace.text import IdCorpus

__all__ = ["Progress", "Trainer"]

STRETCH = 32_768  # ids: some ten milliseconds of work
SMALL_STRETCH = 1_024  # the least, for corpora that would be a few stretches only
LOOKS_PER_SECOND = 10


@dataclass(frozen=True)
class Progress:
    """How far a fit has come: `words` of `total_words` over all epochs, as read and before any are left out.

    `loss` is the mean over this epoch's pairs so far (nan before the first), `alpha` the learning rate, `seconds` the
    time spent learning, earlier runs of a resumed fit included.
    """

    epoch: int
    epochs: int
    words: int
    total_words: int
    seconds: float
    loss: float
    alpha: float


class Trainer:
    """Learns `state.weights` from `corpus`, an epoch at a time."""

    def __init__(self, corpus: IdCorpus, state: FitState) -> None:
        self.corpus = corpus
        self.state = state
        self.watch = Watch(state, corpus.counts)
        options = state.options
        self.sampler = make_sampler(corpus.counts, sample=options.sample, ns_exponent=options.ns_exponent)
        self.length = min(STRETCH, max(SMALL_STRETCH, corpus.size // 64))
        self.stretches = -(-corpus.size // self.length)
        size, workers = state.weights.size, range(options.threads)
        self._scratches = [make_scratch(size, options, worker=worker) for worker in workers]
        self._lock = threading.Lock()

    @property
    def progress(self) -> Progress:
        """How far the fit has come."""
        state, epochs = self.state, self.state.options.epochs
        done = (state.epoch + state.stretch / self.stretches) / epochs
        return Progress(
            epoch=min(state.epoch + 1, epochs),
            epochs=epochs,
            words=round(done * epochs * self.corpus.words),
            total_words=epochs * self.corpus.words,
            seconds=state.seconds,
            loss=state.loss / state.pairs if state.pairs else state.losses[-1] if state.losses else float("nan"),
            alpha=self._alpha(state.epoch, state.stretch),
        )

    def run_epoch(self, pause: Callable[[Progress], bool]) -> bool:
        """Learn the rest of this epoch; return whether it was finished.

        `pause` is asked some times a second and may show the progress; where it says yes, each worker ends its stretch
        and the state is a clean place to save. Raises `FitDiverged`, and then the rows are worth nothing.
        """
        order = np.random.default_rng((self.state.options.seed, self.state.epoch)).permutation(self.stretches)
        stop = threading.Event()
        with ThreadPoolExecutor(len(self._scratches), thread_name_prefix="rowspace-learn") as pool:
            workers = [pool.submit(self._work, order, scratch, stop) for scratch in self._scratches]
            try:
                self._watch(workers, pause, stop)
            finally:
                stop.set()
        for worker in workers:
            worker.result()
        finished = self.state.stretch == self.stretches
        if finished:
            self.state.end_epoch()
            self.watch.end_of_epoch()
        return finished

    def _watch(self, workers: list[Future[None]], pause: Callable[[Progress], bool], stop: threading.Event) -> None:
        """Keep the time and ask `pause` until every worker is done."""
        before, running = time.monotonic(), set(workers)
        while running:
            running = wait(running, timeout=1 / LOOKS_PER_SECOND).not_done
            now = time.monotonic()
            self.state.seconds, before = self.state.seconds + now - before, now
            self.watch.within_epoch()
            if pause(self.progress):
                stop.set()

    def _work(self, order: NDArray[np.int64], scratch: Scratch, stop: threading.Event) -> None:
        """Learn one stretch after another until none is left or `stop` is set."""
        start_copies(self.state.weights, scratch.copies)
        while not stop.is_set():
            with self._lock:
                turn = self.state.stretch
                if turn == self.stretches:
                    break
                self.state.stretch += 1
            self._learn(turn, int(order[turn]), scratch)
        with self._lock:
            merge_copies(self.state.weights, scratch.copies)

    def _learn(self, turn: int, stretch: int, scratch: Scratch) -> None:
        """Learn one stretch of the text, the turn-th of this epoch."""
        state = self.state
        seed_random(scratch, state.options.seed, state.epoch, stretch)
        plan = make_plan(state.options, self._alpha(state.epoch, turn), self._alpha(state.epoch, turn + 1))
        learn_stretch(self._ids(stretch), state.weights, self.sampler, plan, scratch)
        with self._lock:
            state.pairs += float(scratch.tally[0])
            state.loss += float(scratch.tally[1])
        scratch.tally[:] = 0

    def _ids(self, stretch: int) -> NDArray[np.int32]:
        """One stretch, mapped by itself: what was read of the file can leave memory again."""
        start = stretch * self.length
        count = min(self.length, self.corpus.size - start)
        return np.memmap(self.corpus.ids_path, "<i4", "r", offset=4 * start, shape=(count,))

    def _alpha(self, epoch: int, turn: int) -> float:
        """The learning rate before the turn-th stretch of an epoch: linear over the whole fit."""
        first, last = self.state.options.learning_rates
        done = (epoch + turn / self.stretches) / self.state.options.epochs
        return first + (last - first) * min(1.0, done)
