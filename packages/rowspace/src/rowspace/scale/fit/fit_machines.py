"""`fit_machines`: a table learned by several processes, each from a part of the text."""

import dataclasses
from pathlib import Path
from typing import Any, Unpack

from rowspace._base.atomic import scratch_folder
from rowspace._base.interrupt import stop_requests
from rowspace._base.options import shows_options
from rowspace.errors import FitDiverged, FitInterrupted, UsageError
from rowspace.files.remote import is_url
from rowspace.learn.checks import (
    refuse_if_nothing_to_learn,
    refuse_if_nothing_was_learned,
    split_options,
    text_settings,
)
from rowspace.learn.fit import SILENT, Reports, final_table
from rowspace.learn.options import FitKeywords, FitOptions
from rowspace.learn.word2vec.allocation import list_used
from rowspace.learn.word2vec.rates import stable_options
from rowspace.learn.word2vec.saved_state import corpus_checksums
from rowspace.learn.word2vec.state import FitState
from rowspace.learn.word2vec.trainer import Trainer
from rowspace.scale.fit.learning import MergeSchedule, Merging, learn_together
from rowspace.scale.fit.machines import FailedElsewhere, Machines
from rowspace.scale.fit.saves import Saves, keywords_of, open_saves
from rowspace.scale.fit.text_parts import Source
from rowspace.scale.fit.vocabulary import encode_shard, shard_of
from rowspace.table import Table
from rowspace.text import IdCorpus, TextOptions, TokenizerOptions

__all__ = ["fit_machines"]


@shows_options(FitOptions, TextOptions, TokenizerOptions)
def fit_machines(  # what, where, and how
    corpus: Source,
    *,
    output: str | Path | None = None,
    resume: bool = False,
    machines: Machines | None = None,
    merge_every: int | None = None,
    first_rows: int | None = None,
    merging: Merging | None = None,
    reports: Reports = SILENT,
    **options: Unpack[FitKeywords],
) -> Table:
    r"""Learn a table in several processes, each from its part of the text; call it in each process of torchrun.

    The text is divided into as many parts as there are processes. Their words are counted together, so that vocabulary,
    counts and ids are those of one process; then each process learns from its part, and their rows are merged: often
    those of the most frequent words, less often those of others, all at the end of an epoch.

    All rows must fit the memory of each machine: 2 · V · dim · 4 bytes, twice if `merging` is "adaptive". Below about
    10¹¹ words, one large machine learns as fast.

    Args:
        corpus: Files, folders, patterns or URLs that all machines see. Compressed files, and files with records, are
            not divided.
        output: Where the first process saves the table; needed to resume the fit if it is interrupted. Unless it is a
            URL, the state is saved next to it, at merges of all rows: at the first one, and at later ones so that
            saving takes at most a twentieth of the time.
        resume: Continue the interrupted fit of `output`, with as many processes, its text, which is read again, and
            its options. `workers` may differ; any other option that is given must be the same. With one worker in each
            process, or `deterministic`, the rows are those of a fit that was not interrupted.
        machines: The processes; None for those of torchrun, or this one alone.
        merge_every: Words that each process learns between two merges; None is 32,768 for each of its threads.
        first_rows: The rows that each merge includes, 2,048 by default; each second one includes twice as many, each
            fourth four times.
        merging: "mean", the default, or "adaptive", for dozens of processes. With means, the default learning rate is
            multiplied by half of the number of processes, at least 1 and at most 4. The adaptive sum adds the changes
            of all processes, each row's multiplied by min(1, Σ‖δ‖² / ‖Σδ‖²): those that agree are not added twice
            (after Gill et al. 2019, arXiv 1909.03359).
        reports: Callbacks for progress.
        **options: Those of `rowspace.fit`, without phrases and tokenizers; a given `alpha` is not multiplied.
            `workers` are the threads of each process.

    Returns:
        The table, the same in all processes. `table.settings` has the number of machines, and the bytes of rows that
        each has sent.

    Raises:
        UsageError: An option is wrong or at odds with the interrupted fit, there is none, its text was another one, or
            the rows do not fit the memory.
        CorpusError: The text cannot be read, has fewer parts than there are processes, or a part has no words.
        FitDiverged: The learning rate was too high; nothing is saved.
        FitInterrupted: Ctrl-C or SIGTERM in one of the processes; the table so far is saved.
        FailedElsewhere: Another process has failed, and raises the reason.
        RowspaceError: The connection to another process is lost.

    Example:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     file = Path(folder, "text.txt")
        ...     _ = file.write_text("the cat sat on the mat, the dog sat on the mat\n" * 50)
        ...     table = fit_machines(file, dim=8, epochs=1, workers=1)
        >>> table.settings["machines"]
        1
    """
    machines = machines or Machines.of_torchrun()
    given: dict[str, Any] = {**options}
    with scratch_folder("fit") as folder, open_saves(machines, output, resume=resume) as saves:
        schedule: dict[str, Any] = {"merge_every": merge_every, "first_rows": first_rows, "merging": merging}
        before = dict[str, Any]()
        if resume:
            before = saves.settings(given, schedule)
            given = keywords_of(before, given.get("workers"))
            schedule = {name: before.get(name) for name in schedule}
        with machines.together():
            text, tokens, fit_options = _split(given)
            merges = MergeSchedule.of(**schedule, threads=fit_options.threads)
        reports = reports if machines.rank == 0 else SILENT
        shard = shard_of(corpus, machines, text)
        ids = encode_shard(corpus, shard, folder, machines, text, on_bytes=reports.on_bytes)
        if reports.on_vocabulary:
            reports.on_vocabulary(ids)
        with machines.together():
            refuse_if_nothing_to_learn(ids, fit_options, text.min_count)
        files = _checksums(ids, machines)
        if resume:
            state = saves.load(ids, fit_options, files, before["files"])
        else:
            rates = _agreed_rates(machines, ids, fit_options, merges.times_rate(machines.size))
            if reports.on_lowered_rate and rates.learning_rates[0] < fit_options.learning_rates[0]:
                reports.on_lowered_rate(rates.learning_rates[0], fit_options.learning_rates[0])
            settings = {"machines": machines.size, "bytes_sent": 0, **merges._asdict()}
            with machines.together():
                state = FitState.start(ids, rates, text_settings(text, tokens) | settings)
            state.files = files
        return _learn(ids, state, merges, saves, output, reports)


def _split(keywords: dict[str, Any]) -> tuple[TextOptions, TokenizerOptions, FitOptions]:
    """Return the options; raise `UsageError` for those of a fit on one machine."""
    text, tokens, options = split_options(keywords)
    if text.phrases is not None or not tokens.is_words:
        raise UsageError("several machines learn rows of words; leave out phrases and tokens, or start one process")
    if options.freeze == "old":
        raise UsageError("freeze='old' is for a fit that continues from a table, which one process does; leave it out")
    return text, tokens, options


def _checksums(ids: IdCorpus, machines: Machines) -> dict[str, int]:
    """Return checksums of the text of each machine."""
    with machines.together():
        ids.save()
        own = corpus_checksums(ids.ids_path.parent)
    return {
        f"{name} of machine {rank + 1}": int(checksum)
        for name in own
        for rank, checksum in enumerate(machines.numbers(own[name]))
    }


def _agreed_rates(machines: Machines, ids: IdCorpus, options: FitOptions, times: float) -> FitOptions:
    """Return the options with the learning rate of all machines, which the first one finds by its part of the text.

    Args:
        machines: All machines.
        ids: The text of this machine.
        options: The options, with or without a rate.
        times: What a default rate is multiplied by.
    """
    if options.alpha is not None:
        return options
    alpha = 0.0
    with machines.together():
        if machines.rank == 0:
            ngrams = list_used(ids.vocabulary, ids.counts, options)
            alpha = stable_options(options, ids, ngrams, times=times).learning_rates[0]
    return dataclasses.replace(options, alpha=float(machines.numbers(alpha)[0]))


def _learn(
    ids: IdCorpus,
    state: FitState,
    schedule: MergeSchedule,
    saves: Saves,
    output: str | Path | None,
    reports: Reports,
) -> Table:
    """Learn the rows, and save the table in the first process."""
    machines = saves.machines
    chunks = machines.numbers(ids.num_chunks)
    machines.is_learning = True
    with stop_requests(machines.stop) as stop:
        trainer = Trainer(ids, state, chunks_before=int(chunks[: machines.rank].sum()))
        try:
            finished = learn_together(
                trainer,
                machines,
                schedule,
                reports=reports,
                is_stopped=stop.is_set,
                save=lambda: saves.save(trainer),
            )
        except FitDiverged as error:
            raise FitDiverged(f"{error}; nothing is saved") from None
    state.text["bytes_sent"] = machines.sent
    table = final_table(ids, state)
    with machines.together():
        if finished:
            refuse_if_nothing_was_learned(ids, state)
        if machines.rank == 0 and output is not None:
            table.save(output)
    if not finished:
        stopped = f"stopped after {trainer.progress.words:,} words"
        if machines.rank > 0:
            raise FailedElsewhere(stopped)
        raise FitInterrupted(stopped + _how_to_go_on(output, saves))
    return table


def _how_to_go_on(output: str | Path | None, saves: Saves) -> str:
    """Return what is saved of a fit that was stopped, and how it goes on, for a message."""
    if output is None:
        return ""
    if is_url(output):
        return f"; the table so far is saved in {output!r}"
    saved = f"; the table so far is saved in {str(output)!r}; "
    if not saves.words:
        return f"{saved}no state was saved yet from which the fit can be resumed"
    return f"{saved}the same command with --resume continues from {saves.words:,} words"
