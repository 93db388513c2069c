"""`Trainer`: epochs, workers, the learning rate, and safe points to stop.

The ids come in chunks, which are shuffled for each epoch: random order gives better rows than learning the last
document last. A chunk's random numbers depend only on the seed, the epoch and the chunk, so an interruption
between two chunks does not change the result of one worker. Several workers write to the same rows without locks (Niu
et al. 2011, Hogwild), except for their copies of the most frequent words' rows, so their rows differ slightly between
runs. The threads of a deterministic fit learn each chunk together instead (`rounds.py`), with the same rows for any
number of them.
"""

import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from rowspace.learn.word2vec.allocation import make_plan, make_scratch, seed_random
from rowspace.learn.word2vec.divergence import Watch
from rowspace.learn.word2vec.kernels import learn_chunk, merge_copies, start_copies
from rowspace.learn.word2vec.kernels.arrays import Plan, Scratch
from rowspace.learn.word2vec.rounds import Rounds
from rowspace.learn.word2vec.sampling import ChunkedCorpus, make_sampler
from rowspace.learn.word2vec.state import FitState

__all__ = ["Progress", "Trainer"]

AnyCorpus = TypeVar("AnyCorpus", bound=ChunkedCorpus)

POLLS_PER_SECOND = 10
EXTRA_THREADS = 1  # of a deterministic fit, which reads the next chunk


@dataclass(frozen=True)
class Progress:
    """The progress of a fit.

    Attributes:
        epoch: The current epoch, from 1.
        epochs: The number of epochs.
        words: Words read, over all epochs, before downsampling.
        total_words: Words to read, over all epochs.
        seconds: The time spent learning, including earlier runs of a resumed fit.
        loss: The mean over this epoch's pairs so far; NaN before the first.
        alpha: The learning rate.
    """

    epoch: int
    epochs: int
    words: int
    total_words: int
    seconds: float
    loss: float
    alpha: float


class Trainer(Generic[AnyCorpus]):
    """Learns `state.weights` from `corpus`, one epoch at a time.

    Args:
        corpus: The text.
        state: The rows, and how far learning is.
        chunks_before: The number of chunks of the text before this corpus, if it is a part of a text, so that no two
            chunks have the same random numbers.
    """

    def __init__(self, corpus: AnyCorpus, state: FitState, *, chunks_before: int = 0) -> None:
        self.corpus = corpus
        self.state = state
        self.chunks_before = chunks_before
        self.watch = Watch(state, corpus.counts)
        options = state.options
        self.sampler = make_sampler(corpus.counts, sample=options.sample, ns_exponent=options.ns_exponent)
        self.num_chunks = corpus.num_chunks
        size, workers = state.weights.size, 0 if options.deterministic else options.threads
        self._scratches = [make_scratch(size, options, worker=worker) for worker in range(workers)]
        self._lock = threading.Lock()
        self._chunk_order, self._epoch_of_order = np.zeros(0, np.int64), -1

    @property
    def progress(self) -> Progress:
        """The progress of the fit."""
        state, epochs = self.state, self.state.epochs
        done = (state.epoch + state.chunk / self.num_chunks) / epochs
        return Progress(
            epoch=min(state.epoch + 1, epochs),
            epochs=epochs,
            words=round(done * epochs * self.corpus.words),
            total_words=epochs * self.corpus.words,
            seconds=state.seconds,
            loss=state.loss / state.pairs if state.pairs else state.losses[-1] if state.losses else float("nan"),
            alpha=self._alpha(state.epoch, state.chunk),
        )

    def run_epoch(self, should_pause: Callable[[Progress], bool]) -> bool:
        """Learn the rest of this epoch; return whether it was finished.

        Args:
            should_pause: Called several times a second with the progress; once it returns true, each worker finishes
                its chunk, after which the state can be saved.

        Raises:
            FitDiverged: The learning rate was too high; the rows are not usable.
        """
        finished = self.run_until(self.num_chunks, should_pause)
        if finished:
            self.end_epoch()
        return finished

    def run_until(self, end: int, should_pause: Callable[[Progress], bool]) -> bool:
        """Learn the chunks of this epoch before the end-th one, without ending the epoch; return whether all are done.

        Args:
            end: How many chunks of the epoch have been learned afterwards, at most `num_chunks`.
            should_pause: As for `run_epoch`.

        Raises:
            FitDiverged: The learning rate was too high; the rows are not usable.
        """
        self.state.fix_rows()
        order = self._order()[:end]
        stop = threading.Event()
        threads = self.state.options.threads + EXTRA_THREADS
        with ThreadPoolExecutor(threads, thread_name_prefix="rowspace-learn") as pool:
            if self.state.options.deterministic:
                workers = [pool.submit(self._work_in_rounds, order, pool, stop)]
            else:
                workers = [pool.submit(self._work, order, scratch, stop) for scratch in self._scratches]
            try:
                self._watch(workers, should_pause, stop)
            finally:
                stop.set()
        for worker in workers:
            worker.result()
        return self.state.chunk >= end

    def end_epoch(self) -> None:
        """End an epoch whose chunks have been learned; raise `FitDiverged` if its rows are not usable."""
        pairs = self.state.pairs
        self.state.end_epoch()
        self.watch.end_of_epoch(pairs)

    def _order(self) -> NDArray[np.int64]:
        """Return the order of the chunks in this epoch, which is the same each time."""
        if self._epoch_of_order != self.state.epoch:
            chance = np.random.default_rng((self.state.options.seed, self.state.epoch))
            self._chunk_order, self._epoch_of_order = chance.permutation(self.num_chunks), self.state.epoch
        return self._chunk_order

    def _watch(
        self, workers: list[Future[None]], should_pause: Callable[[Progress], bool], stop: threading.Event
    ) -> None:
        """Count the seconds and call `should_pause` until every worker is done."""
        before, running = time.monotonic(), set(workers)
        while running:
            running = wait(running, timeout=1 / POLLS_PER_SECOND).not_done
            now = time.monotonic()
            self.state.seconds, before = self.state.seconds + now - before, now
            self.watch.within_epoch()
            if should_pause(self.progress):
                stop.set()

    def _work(self, order: NDArray[np.int64], scratch: Scratch, stop: threading.Event) -> None:
        """Learn one chunk of `order` after another until none is left or `stop` is set."""
        start_copies(self.state.weights, scratch.copies)
        while not stop.is_set():
            with self._lock:
                turn = self.state.chunk
                if turn >= len(order):
                    break
                self.state.chunk += 1
            self._learn(turn, int(order[turn]), scratch)
        with self._lock:
            merge_copies(self.state.weights, scratch.copies)

    def _work_in_rounds(self, order: NDArray[np.int64], pool: ThreadPoolExecutor, stop: threading.Event) -> None:
        """Learn one chunk after another, each by all threads, until none is left or `stop` is set."""
        state = self.state
        if state.chunk >= len(order):
            return
        rounds = Rounds(state, self.sampler, pool)
        following = pool.submit(self.corpus.chunk, int(order[state.chunk]), epoch=state.epoch)
        while state.chunk < len(order) and not stop.is_set():
            turn, ids = state.chunk, following.result()
            if turn + 1 < len(order):  # read while this chunk is learned
                following = pool.submit(self.corpus.chunk, int(order[turn + 1]), epoch=state.epoch)
            pairs, loss = rounds.learn(ids, self.chunks_before + int(order[turn]), self._plan(turn))
            state.pairs, state.loss, state.chunk = state.pairs + pairs, state.loss + loss, turn + 1

    def _learn(self, turn: int, chunk: int, scratch: Scratch) -> None:
        """Learn one chunk of the text, the turn-th of this epoch."""
        state = self.state
        seed_random(scratch, state.options.seed, state.epoch, self.chunks_before + chunk)
        ids = self.corpus.chunk(chunk, epoch=state.epoch)
        learn_chunk(ids, state.weights, self.sampler, self._plan(turn), scratch)
        with self._lock:
            state.pairs += float(scratch.tally[0])
            state.loss += float(scratch.tally[1])
        scratch.tally[:] = 0

    def _plan(self, turn: int) -> Plan:
        """Return how the turn-th chunk of this epoch is learned."""
        epoch = self.state.epoch
        return make_plan(self.state.options, self._alpha(epoch, turn), self._alpha(epoch, turn + 1))

    def _alpha(self, epoch: int, turn: int) -> float:
        """Return the learning rate before the turn-th chunk of an epoch: linear over all epochs after the warm-up."""
        first, last = self.state.options.learning_rates
        done = (epoch - self.state.warm_up + turn / self.num_chunks) / self.state.options.epochs
        return first + (last - first) * min(1.0, max(0.0, done))
