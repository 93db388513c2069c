"""`rowspace.fit`: text → table, in three steps: encode the corpus, learn rows from the ids, return the table."""

import dataclasses
import shlex
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Unpack

from rowspace._base.interrupt import stop_requests
from rowspace._base.options import shows_options
from rowspace.errors import FitDiverged, FitInterrupted, UsageError
from rowspace.files.remote import is_url
from rowspace.learn.checks import (
    refuse_if_nothing_to_learn,
    refuse_if_nothing_was_learned,
    refuse_other_options,
    split_options,
    text_settings,
)
from rowspace.learn.going_on import INIT_NAME, continued_options, has_phrases, open_initial, refuse_other_tokens
from rowspace.learn.options import FitKeywords, FitOptions
from rowspace.learn.run_folder import open_run_folder
from rowspace.learn.word2vec.export import export_table
from rowspace.learn.word2vec.initial import InitialTable
from rowspace.learn.word2vec.saved_state import corpus_checksums, load_epoch, load_state, save_state
from rowspace.learn.word2vec.state import FitState
from rowspace.learn.word2vec.trainer import Progress, Trainer
from rowspace.store import load
from rowspace.table import Table
from rowspace.text import (
    Corpus,
    IdCorpus,
    TextOptions,
    TokenizerOptions,
    encode_corpus,
    encode_phrases,
    encode_tokens,
)
from rowspace.text.corpus.standard_library import standard_library

__all__ = ["Reports", "final_table", "fit", "run_fit"]

SECONDS_BETWEEN_SAVES = 300


@dataclasses.dataclass(frozen=True)
class Reports:
    """Callbacks of a fit, each optional.

    Attributes:
        on_bytes: Called with the number of corpus bytes read since the last call.
        on_vocabulary: Called with the encoded corpus.
        on_lowered_rate: Called with the learning rate and the default, if the fit would diverge at the default.
        on_progress: Called about ten times a second while rows are learned.
        on_epoch: Called after each epoch with its number (from 1), the current table and the epoch's mean loss.
    """

    on_bytes: Callable[[int], None] | None = None
    on_vocabulary: Callable[[IdCorpus], None] | None = None
    on_lowered_rate: Callable[[float, float], None] | None = None
    on_progress: Callable[[Progress], None] | None = None
    on_epoch: Callable[[int, Table, float], None] | None = None


SILENT = Reports()
EncodeWords = Callable[..., IdCorpus]
"""A function with the arguments of `encode_corpus`."""


@shows_options(FitOptions, TextOptions, TokenizerOptions)
def fit(
    corpus: Corpus | None = None,
    *,
    output: str | Path | None = None,
    resume: bool = False,
    init: Table | str | Path | None = None,
    reports: Reports = SILENT,
    **options: Unpack[FitKeywords],
) -> Table:
    """Learn a table from text: a row for each word that is frequent enough, or for each token of a tokenizer.

    Args:
        corpus: A path or several, a folder, a glob, `-` for standard input; or an iterable of strings or of token
            lists; `None` learns from the source and docstrings of the running Python.
        output: Where to save the table; needed to resume the fit if it is interrupted. A fit to a URL such as
            s3://bucket/table is not resumed.
        resume: Continue the interrupted fit of `output`, with its text and options. `workers` may differ; any other
            option that is given must be the same.
        init: A table, or the path of one, to continue from. Its tokens keep their ids, and new words of the text
            follow, which start at the means of their n-grams if the table has n-grams. Output rows that the table
            lacks, such as those of vectors from elsewhere, are learned first, in an additional epoch, against its
            fixed rows. Rows of tokens that are not in the text stay unchanged, unless they share n-grams with it; with
            `freeze="old"` all old rows do. `settings["init"]` has the old tokens whose rows changed most. By default,
            options are those that the table was learned with.
        reports: Callbacks for progress.
        **options: The fields of `TextOptions`, `TokenizerOptions` and `FitOptions`: dim=100, epochs=5, window=5,
            min_count=5, tokens="words", ...

    Returns:
        The table, with float32 rows (V, dim); `table.settings` records the options. Words are sorted by decreasing
        count; other tokens have their tokenizer's ids, and zeros if the text does not use them. With `workers=1` or
        `deterministic=True` the same call gives identical rows, unless training the tokenizer is not deterministic
        (`TokenizerOptions.repeats`); `tokens=PATH` then reuses a trained one.

    Raises:
        UsageError: An option is unknown, invalid or at odds with `init`, or there is nothing to resume.
        CorpusError: The corpus cannot be read or has too little text.
        FitDiverged: The learning rate was too high for this text and these options. The table of the last complete
            epoch, if any, is saved at `output`; the fit cannot be resumed.
        FitInterrupted: Ctrl-C or SIGTERM; the current table and the state are saved at `output`.

    Example:
        >>> table = fit(["the cat sat on the mat", "the dog sat on the mat"] * 50, dim=8, epochs=1, workers=1)
        >>> table.vocabulary[:2], table.dim
        (['the', 'mat'], 8)
    """
    return run_fit(corpus, {**options}, output=output, resume=resume, init=init, reports=reports)


def run_fit(  # the arguments of `fit`
    corpus: Corpus | None,
    keywords: dict[str, Any],
    *,
    output: str | Path | None = None,
    resume: bool = False,
    init: Table | str | Path | None = None,
    reports: Reports = SILENT,
    encode: EncodeWords = encode_corpus,
) -> Table:
    """Learn a table, with the words of the corpus encoded by `encode`; else as `fit`.

    Args:
        corpus: Text.
        keywords: The options.
        output: Where to save the table.
        resume: Continue the interrupted fit of `output`.
        init: A table to continue from.
        reports: Callbacks for progress.
        encode: A function with the arguments of `encode_corpus`.
    """
    if resume and output is None:
        raise UsageError("resume needs the output of the interrupted fit")
    if resume and init is not None:
        raise UsageError("the interrupted fit continues from the table that it began with; omit init to resume")
    with open_run_folder(output, resume=resume) as run_folder:
        if resume:
            ids, state = _resume(run_folder, keywords)
        else:
            ids, state = _start(corpus, init, run_folder, keywords, reports, encode)
        if output is None:
            _learn(Trainer(ids, state), reports, save=lambda: None, is_stopped=lambda: False)
            return final_table(ids, state)
        with stop_requests() as stop:
            trainer = Trainer(ids, state)
            try:
                finished = _learn(trainer, reports, save=lambda: save_state(state, run_folder), is_stopped=stop.is_set)
            except FitDiverged as error:
                raise _diverged(error, ids, state, run_folder, output) from None
        table = final_table(ids, state)
        table.save(output)
        if not finished:
            continued = f"; continue with rowspace fit --resume -o {shlex.quote(str(output))}"
            raise FitInterrupted(
                f"stopped after {trainer.progress.words:,} words; the table so far is saved in {str(output)!r}"
                + ("" if is_url(output) else continued)
            )
    return table


def _start(
    corpus: Corpus | None,
    init: Table | str | Path | None,
    run_folder: Path,
    keywords: dict[str, Any],
    reports: Reports,
    encode: EncodeWords,
) -> tuple[IdCorpus, FitState]:
    """Encode the corpus and start from random rows, or from those of a table."""
    if corpus is None:
        corpus, keywords = standard_library(), {"sentences": "paragraph"} | keywords
    table = None if init is None else open_initial(init)
    if table is not None:
        table.save(run_folder / INIT_NAME)  # for a resumed fit
        keywords = continued_options(table, keywords, run_folder / INIT_NAME)
    text, tokens, options = split_options(keywords)
    if options.freeze == "old":
        if table is None:
            raise UsageError("freeze='old' is for the rows of a table to continue from; give it as init")
        if not tokens.is_words:
            raise UsageError(
                "the tokenizer of init has all tokens, so there are no new ones, and freeze='old' leaves nothing to "
                "learn; omit freeze"
            )
    if options.subwords and not tokens.is_words:
        raise UsageError(
            f"subwords are n-grams of words, but tokens is {str(tokens.tokens)!r}; omit one of the two options"
        )
    if encode is not encode_corpus and (text.phrases is not None or not tokens.is_words):
        raise UsageError("parts are of words; leave out phrases and tokens, or on (--on)")
    phrases = None
    if text.phrases is not None and options.subwords:
        raise UsageError("phrases and subwords cannot be combined, since n-grams are those of words; omit one option")
    if text.phrases is not None and tokens.is_words:
        ids, phrases = encode_phrases(corpus, run_folder, options=text, on_bytes=reports.on_bytes)
    elif tokens.is_words:
        ids = encode(corpus, run_folder, options=text, on_bytes=reports.on_bytes, extends=table)
    else:
        ids = encode_tokens(
            corpus,
            run_folder,
            tokens=tokens,
            options=text,
            on_bytes=reports.on_bytes,
            learns_unknown=table is None or not has_phrases(table),
        )
        if table is not None:
            refuse_other_tokens(table, ids.tokens())
    ids.save()
    if reports.on_vocabulary:
        reports.on_vocabulary(ids)
    refuse_if_nothing_to_learn(ids, options, text.min_count)
    initial = None if table is None else InitialTable(table, ids, frozen=options.freeze == "old")
    settings = text_settings(text, tokens) | ({} if phrases is None else {"phrase_scores": phrases})
    state = FitState.start(ids, options, settings, initial)
    state.files = corpus_checksums(run_folder)
    if reports.on_lowered_rate and state.options.alpha != options.alpha and table is None:
        reports.on_lowered_rate(state.options.learning_rates[0], options.learning_rates[0])
    return ids, state


def _resume(run_folder: Path, keywords: dict[str, Any]) -> tuple[IdCorpus, FitState]:
    """Read the state of an interrupted fit; raise `UsageError` for options that differ from its own."""
    ids, state = load_state(run_folder, **({"workers": keywords["workers"]} if "workers" in keywords else {}))
    if (run_folder / INIT_NAME).exists():
        state.initial = InitialTable(
            load(run_folder / INIT_NAME, verify=True), ids, frozen=state.options.freeze == "old"
        )
    before = state.text | dataclasses.asdict(state.options)
    text, tokens, options = split_options({"tokens": before["tokens"]} | keywords)
    now = text_settings(text, tokens) | dataclasses.asdict(options)
    refuse_other_options(before, now, keywords)
    return ids, state


def _learn(
    trainer: Trainer[IdCorpus], reports: Reports, *, save: Callable[[], None], is_stopped: Callable[[], bool]
) -> bool:
    """Learn the remaining epochs and save the state at intervals; return whether the last one was finished."""
    state = trainer.state
    last_save = time.monotonic()

    def should_pause(progress: Progress) -> bool:
        if reports.on_progress:
            reports.on_progress(progress)
        return is_stopped() or time.monotonic() - last_save > SECONDS_BETWEEN_SAVES

    while state.epoch < state.epochs:
        if trainer.run_epoch(should_pause):
            if reports.on_epoch:
                reports.on_epoch(state.epoch, export_table(trainer.corpus, state, is_final=False), state.losses[-1])
            if state.epoch == state.epochs:
                break
        trainer.watch.before_saving()
        save()
        last_save = time.monotonic()
        if is_stopped():
            return False
    refuse_if_nothing_was_learned(trainer.corpus, state)
    return True


def _diverged(error: FitDiverged, ids: IdCorpus, state: FitState, run_folder: Path, output: str | Path) -> FitDiverged:
    """Save the table of the last complete epoch, if there is one, and return the error with its path."""
    state.release("inputs")
    state.release("outputs")
    good = load_epoch(run_folder, ids)
    if good is None:
        return FitDiverged(f"{error}; nothing is saved")
    good.initial = state.initial
    final_table(ids, good).save(output)
    return FitDiverged(f"{error}; the table of epoch {good.epoch} is saved in {str(output)!r}")


def final_table(ids: IdCorpus, state: FitState) -> Table:
    """Export the table and free what it does not use of the weights, since saving needs memory too."""
    if not state.options.outputs:
        state.release("outputs")
    table = export_table(ids, state)
    state.release("inputs")
    state.release("outputs")
    return table
