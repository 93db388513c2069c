"""`rowspace.fit`: text → table, in three steps: encode the corpus, learn rows from the ids, hand over the table.

What must outlive an interruption lies in a folder of its own (`workplace.py`). Left out: how rows are learned
(`trainer.py`, then `kernels.py`).
"""

import dataclasses
import difflib
import shlex
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from rowspace.errors import CorpusError, FitDiverged, FitInterrupted, UsageError
from rowspace.learn.interrupt import stop_requests
from rowspace.learn.options import FitOptions
from rowspace.learn.rows import composed_rows, learned_subwords
from rowspace.learn.sampling import keep_probabilities
from rowspace.learn.saved_state import corpus_checksums, load_epoch, load_state, save_state
from rowspace.learn.state import FitState
from rowspace.learn.trainer import Progress, Trainer
from rowspace.learn.workplace import open_workplace
from rowspace.table import Table
from rowspace.text import (
    WORDS_ONLY,
    Corpus,
    IdCorpus,
    TextOptions,
    TokenizerOptions,
    encode_corpus,
    encode_tokens,
)
from rowspace.text.corpus.standard_library import standard_library

__all__ = ["Reports", "fit"]

SECONDS_BETWEEN_SAVES = 300
SURELY_NONE, SURELY_SOME = 1e-3, 100.0  # words that are kept, on average: never two, and always two, are neighbors


@dataclasses.dataclass(frozen=True)
class Reports:
    """Who is told what during a fit; each part may be missing.

    `on_bytes(count)` hears of corpus bytes read, `on_vocabulary(corpus)` of the ids when all are written,
    `on_lowered_rate(alpha, default)` of a default learning rate that was lowered, since the fit would diverge with it,
    `on_progress(progress)` some ten times a second while rows are learned, and `on_epoch(epoch, table, loss)` gets the
    table as it stands after each epoch (from 1) with that epoch's mean loss.
    """

    on_bytes: Callable[[int], None] | None = None
    on_vocabulary: Callable[[IdCorpus], None] | None = None
    on_lowered_rate: Callable[[float, float], None] | None = None
    on_progress: Callable[[Progress], None] | None = None
    on_epoch: Callable[[int, Table, float], None] | None = None


SILENT = Reports()


def fit(
    corpus: Corpus | None = None,
    *,
    output: str | Path | None = None,
    resume: bool = False,
    reports: Reports = SILENT,
    **options: Any,
) -> Table:
    """Learn a table from text: a row for each word that is frequent enough, or for each token of a tokenizer.

    Args:
        corpus: a path or several, a directory, a glob, `-` for standard input; or an iterable of strings or of token
            lists; `None` learns from the source and docstrings of the Python that runs.
        output: where to save the table; needed for `resume`, and for an interrupted fit to keep what it learned.
        resume: go on with the interrupted fit of `output`. Its text and options are kept there; `workers` may differ,
            any other option that is given must be the same.
        reports: functions that are told how it goes.
        **options: the fields of `TextOptions`, `TokenizerOptions` and `FitOptions`: dim=100, epochs=5, window=5,
            min_count=5, tokens="words", ...

    Returns:
        The table, its rows float32 (V, dim); `table.settings` says how it was learned. Words go by falling count; other
        tokens have their tokenizer's ids, and zeros where the text never used them. With `workers=1` the same call
        gives the same bits; with more it does not, quite, nor where training a tokenizer does not
        (`TokenizerOptions.repeats`): `tokens=PATH` takes the one that was made before.

    Raises:
        UsageError: an option is unknown or wrong, or there is nothing to resume.
        CorpusError: the corpus cannot be read or holds too little text.
        FitDiverged: the learning rate was too high for this text and these options. The table of the last epoch that
            ended is saved at `output`, if there is one; the fit cannot be resumed.
        FitInterrupted: Ctrl-C or SIGTERM; the table so far and the state are saved at `output`.

    >>> table = fit(["the cat sat on the mat", "the dog sat on the mat"] * 50, dim=8, epochs=1, workers=1)
    >>> table.vocabulary[:2], table.dim
    (['the', 'mat'], 8)
    """
    if resume and output is None:
        raise UsageError("resume needs the output of the fit that was interrupted")
    with open_workplace(output, resume=resume) as workplace:
        if resume:
            ids, state = _resumed(workplace, options)
        else:
            ids, state = _begun(corpus, workplace, options, reports)
        if output is None:
            _learn(Trainer(ids, state), reports, keep=lambda: None, stopped=lambda: False)
            return _last_table(ids, state)
        with stop_requests() as asked:
            trainer = Trainer(ids, state)
            try:
                finished = _learn(trainer, reports, keep=lambda: save_state(state, workplace), stopped=asked.is_set)
            except FitDiverged as error:
                raise _with_what_is_saved(error, ids, state, workplace, output) from None
        table = _last_table(ids, state)
        table.save(output)
        if not finished:
            raise FitInterrupted(
                f"stopped after {trainer.progress.words:,} words; the table so far is saved in "
                f"{str(output)!r}: go on with rowspace fit --resume -o {shlex.quote(str(output))}"
            )
    return table


def _begun(
    corpus: Corpus | None, workplace: Path, given: dict[str, Any], reports: Reports
) -> tuple[IdCorpus, FitState]:
    """Encode the corpus and start from random rows."""
    if corpus is None:
        corpus, given = standard_library(), {"sentences": "paragraph"} | given
    text, tokens, options = _parted(given)
    if options.subwords and not tokens.is_words:
        raise UsageError(
            f"subwords are n-grams of words, not of the tokens {str(tokens.tokens)!r}; leave one of them out"
        )
    if tokens.is_words:
        ids = encode_corpus(corpus, workplace, options=text, on_bytes=reports.on_bytes)
    else:
        ids = encode_tokens(corpus, workplace, tokens=tokens, options=text, on_bytes=reports.on_bytes)
    ids.save()
    if reports.on_vocabulary:
        reports.on_vocabulary(ids)
    _refuse_if_nothing_to_learn(ids, options)
    state = FitState.start(ids, options, _text_settings(text, tokens))
    state.files = corpus_checksums(workplace)
    if reports.on_lowered_rate and state.options.alpha != options.alpha:
        reports.on_lowered_rate(state.options.learning_rates[0], options.learning_rates[0])
    return ids, state


def _refuse_if_nothing_to_learn(ids: IdCorpus, options: FitOptions) -> None:
    """Raise `CorpusError` where all neighbors are the same token, or none is left."""
    if len(ids.vocabulary) < 2:
        raise CorpusError(
            f"the text has only one distinct token, {ids.vocabulary[0]!r}; rows are learned from different tokens that "
            "are near each other: give more text, or a lower min_count"
        )
    if _kept_words(ids, options) < SURELY_NONE:
        raise CorpusError(
            f"sample={options.sample:g} leaves out all words of the text, so there is nothing to learn; give a larger "
            "one, or 0 to keep all words"
        )


def _refuse_if_nothing_was_learned(ids: IdCorpus, state: FitState) -> None:
    """Raise `CorpusError` where words were kept, but none had a neighbor; of very few words that may be chance."""
    if not any(state.losses) and _kept_words(ids, state.options) > SURELY_SOME:
        raise CorpusError(
            "no sentence of the text has two words, so there was nothing to learn; give longer sentences, or a lower "
            "min_count"
        )


def _kept_words(ids: IdCorpus, options: FitOptions) -> float:
    """How many words are not left out, on average, in all epochs."""
    return options.epochs * float(keep_probabilities(ids.counts, sample=options.sample) @ ids.counts)


def _resumed(workplace: Path, given: dict[str, Any]) -> tuple[IdCorpus, FitState]:
    """Read what an interrupted fit left, and refuse to go on with other options than it had."""
    ids, state = load_state(workplace, **({"workers": given["workers"]} if "workers" in given else {}))
    before = state.text | dataclasses.asdict(state.options)
    text, tokens, options = _parted({"tokens": before["tokens"]} | given)
    now = _text_settings(text, tokens) | dataclasses.asdict(options)
    for name, value in given.items():
        if value is not None and name != "workers" and before.get(name) != now[name]:
            had = f"{name}={before[name]!r}" if name in before else f"no {name}"
            raise UsageError(f"the interrupted fit has {had}, not {now[name]!r}; leave it out to resume")
    return ids, state


def _text_settings(text: TextOptions, tokens: TokenizerOptions) -> dict[str, Any]:
    """How the text is read and cut, without what has no meaning for these tokens."""
    read = dataclasses.asdict(text)
    used = {name: read[name] for name in read if tokens.is_words or name not in WORDS_ONLY}
    return used | tokens.settings() | {"same_tokens_again": tokens.repeats}


def _parted(given: dict[str, Any]) -> tuple[TextOptions, TokenizerOptions, FitOptions]:
    """The given options as those of the text, its tokens, and the learning; `workers` belongs to the first and last."""
    kinds = (TextOptions, TokenizerOptions, FitOptions)
    names = [{field.name for field in dataclasses.fields(kind)} for kind in kinds]
    unknown = given.keys() - set[str]().union(*names)
    if unknown:
        near = difflib.get_close_matches(min(unknown), set[str]().union(*names), 1)
        hint = f"; did you mean {near[0]}?" if near else ""
        raise UsageError(f"fit has no option {min(unknown)!r}{hint}")
    given = {name: value for name, value in given.items() if (name, value) != ("workers", None)}
    text, tokens, options = (
        kind(**{name: given[name] for name in given.keys() & own}) for kind, own in zip(kinds, names, strict=True)
    )
    tokens.refuse_word_options(given)
    return text, tokens, options


def _learn(trainer: Trainer, reports: Reports, *, keep: Callable[[], None], stopped: Callable[[], bool]) -> bool:
    """Learn epoch after epoch, saving the state now and then; return whether the last one was finished."""
    state = trainer.state
    saved = time.monotonic()

    def pause(progress: Progress) -> bool:
        if reports.on_progress:
            reports.on_progress(progress)
        return stopped() or time.monotonic() - saved > SECONDS_BETWEEN_SAVES

    while state.epoch < state.options.epochs:
        if trainer.run_epoch(pause):
            if reports.on_epoch:
                reports.on_epoch(state.epoch, _table(trainer.corpus, state), state.losses[-1])
            if state.epoch == state.options.epochs:
                break
        trainer.watch.before_saving()
        keep()
        saved = time.monotonic()
        if stopped():
            return False
    _refuse_if_nothing_was_learned(trainer.corpus, state)
    return True


def _with_what_is_saved(
    error: FitDiverged, ids: IdCorpus, state: FitState, workplace: Path, output: str | Path
) -> FitDiverged:
    """Save the table of the last epoch that ended, if there is one, and return the error that says so."""
    state.release("inputs")
    state.release("outputs")
    good = load_epoch(workplace, ids)
    if good is None:
        return FitDiverged(f"{error}; nothing is saved")
    _last_table(ids, good).save(output)
    return FitDiverged(f"{error}; the table of epoch {good.epoch} is saved in {str(output)!r}")


def _last_table(ids: IdCorpus, state: FitState) -> Table:
    """The rows when nothing is left to learn; the weights' memory is given back, since a save needs some too."""
    state.release("outputs")
    table = _table(ids, state)
    state.release("inputs")
    return table


def _table(ids: IdCorpus, state: FitState) -> Table:
    """The rows as they stand, copied out of their padding, with how they were learned."""
    options = dataclasses.asdict(state.options)
    settings = (
        state.text
        | options
        | {
            "workers": state.options.threads,
            "alpha": state.options.learning_rates[0],
            "min_alpha": state.options.learning_rates[1],
            "words": ids.words,
            "losses": list(state.losses),
            "seconds": round(state.seconds, 3),
            "repeatable": state.options.threads == 1 and state.text["same_tokens_again"],
        }
    )
    rows, subwords = composed_rows(state.weights, state.options), learned_subwords(state.weights, state.options)
    return Table(
        ids.tokens(),
        ids.by_token(rows),
        ids.by_token(ids.counts),
        tokenizer=ids.tokenizer,
        settings=settings,
        subwords=subwords,
    )
