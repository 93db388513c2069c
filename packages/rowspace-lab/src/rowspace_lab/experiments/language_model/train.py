"""`rowspace.train`: text → a run, in one folder: the rows as a table, the model, its state, and what happened to it."""

import dataclasses
import os
import shlex
from collections.abc import Callable, Iterable
from contextlib import closing
from pathlib import Path
from typing import Any, Unpack

from rowspace._base.options import check_option_names, shows_options
from rowspace._base.parallel import torch_threads
from rowspace.errors import FileFormatError, MissingExtraError, TrainingInterrupted, UsageError

try:
    import torch
except ImportError as error:
    raise MissingExtraError("a language model needs PyTorch: pip install 'rowspace[torch]'") from error

from rowspace._base.interrupt import stop_requests
from rowspace.table import Table
from rowspace.text import Corpus
from rowspace.text.corpus.standard_library import standard_library
from rowspace_lab.experiments.language_model.data import Corpora, read_corpora, write_corpora
from rowspace_lab.experiments.language_model.initial_rows import (
    is_run,
    open_rows,
    options_with_rows,
    weights_with_rows,
)
from rowspace_lab.experiments.language_model.model.model import LanguageModel
from rowspace_lab.experiments.language_model.model.transformers_model import reason_against_export
from rowspace_lab.experiments.language_model.options import ModelOptions, TokenOptions, TrainingOptions, TrainKeywords
from rowspace_lab.experiments.language_model.rows import merge_rows, weights_of
from rowspace_lab.experiments.language_model.run_folder.checkpoint import (
    RunRecord,
    read_record,
    read_start,
    read_tensors,
    write_start,
)
from rowspace_lab.experiments.language_model.run_folder.folder import DATA, check_output, find_run, lock_run
from rowspace_lab.experiments.language_model.run_folder.loaded_run import load_run
from rowspace_lab.experiments.language_model.telemetry import events
from rowspace_lab.experiments.language_model.trainer import Trainer, TrainProgress

__all__ = ["TrainReports", "TrainedRun", "train"]


@dataclasses.dataclass(frozen=True)
class TrainReports:
    """Callbacks of a training, each optional.

    Attributes:
        on_bytes: Called with the number of corpus bytes read since the last call.
        on_corpus: Called with the encoded text.
        on_progress: Called after each step.
    """

    on_bytes: Callable[[int], None] | None = None
    on_corpus: Callable[[Corpora], None] | None = None
    on_progress: Callable[[TrainProgress], None] | None = None


SILENT = TrainReports()


@dataclasses.dataclass(frozen=True)
class TrainedRun:
    """A finished run.

    Attributes:
        path: Its folder.
        table: The input rows.
        model: The model, on the CPU.
        record: The options, and in `facts` the bits per byte of held-out text (`bits_per_byte`), by length
            (`bits_per_byte_by_length`), and of the counts of tokens alone (`unigram_bits_per_byte`).
        tokens: Tokens read.
    """

    path: Path
    table: Table
    model: LanguageModel
    record: RunRecord
    tokens: int

    @property
    def bits_per_byte(self) -> float:
        """Bits per byte of the held-out text."""
        return float(self.record.facts["bits_per_byte"])

    @property
    def no_export(self) -> str | None:
        """Why there is no model/ for transformers, as a sentence; None if there is one."""
        return reason_against_export(self.record.model)


@shows_options(ModelOptions, TrainingOptions, TokenOptions)
def train(
    corpus: Corpus | None = None,
    output: str | os.PathLike[str] | None = None,
    *,
    resume: bool = False,
    init: str | os.PathLike[str] | None = None,
    reports: TrainReports = SILENT,
    **options: Unpack[TrainKeywords],
) -> TrainedRun:
    """Train a small language model on text, whose input rows become a table.

    Args:
        corpus: As in `fit`; `None` is the source and docstrings of the running Python.
        output: The folder of the run; an older run there is replaced.
        resume: Continue the interrupted run of `output`, with its text and options.
        init: A run to continue on another text, with its tokens and the shape of its model; or a table, whose rows,
            scaled to `init_std`, are the input rows at the start, with its tokens.
        reports: Callbacks for progress.
        **options: The fields of `ModelOptions`, `TrainingOptions` and `TokenOptions`: dim=128, layers=4,
            positions="rotary", steps=600, tokens="bpe", ...

    Returns:
        The run. On a CPU the same call gives the same bits.

    Raises:
        UsageError: An option is unknown or invalid, there is nothing to resume, or the text does not support as many
            tokens.
        CorpusError: The corpus cannot be read or is shorter than a context.
        TrainingDiverged: A loss is not finite; the last checkpoint is kept.
        TrainingInterrupted: Ctrl-C or SIGTERM; a checkpoint is saved.
    """
    if output is None:
        raise UsageError("train needs an output: the folder of the run")
    if resume and init is not None:
        raise UsageError("resume continues the run of the output, and init starts a new one; omit one of them")
    run = find_run(output) if resume else check_output(output)
    with lock_run(run) as work:
        trainer = _resume(run, {**options}) if resume else _start(corpus, work, {**options}, init=init, reports=reports)
        with stop_requests() as stop, torch_threads(trainer.record.threads), closing(trainer):
            if not resume:
                trainer.begin()
                trainer.save(run, work)

            def should_stop(progress: TrainProgress) -> bool:
                if reports.on_progress:
                    reports.on_progress(progress)
                return stop.is_set()

            finished = trainer.run(run, should_stop=should_stop)
    if not finished:
        raise TrainingInterrupted(
            f"stopped after step {trainer.record.step:,} of {trainer.record.training.steps:,}; the run so far is saved "
            f"in {str(output)!r}; continue with rowspace train --resume -o {shlex.quote(str(output))}"
        )
    merge_rows(trainer.model)
    return TrainedRun(run, trainer.table(), trainer.model.cpu().eval(), trainer.record, trainer.progress.tokens)


def _start(
    corpus: Corpus | None,
    work: Path,
    keywords: dict[str, Any],
    *,
    init: str | os.PathLike[str] | None,
    reports: TrainReports,
) -> Trainer:
    """Encode the corpus and make the model."""
    weights = table = None
    keywords = {name: value for name, value in keywords.items() if (name, value) != ("workers", None)}
    tokens: TokenOptions | str
    if init is None:
        model, training, tokens = _split_options(keywords)
        settings = tokens.settings()
        if training.rows != "free":
            raise UsageError(f"rows={training.rows!r} is for rows that exist; name the run that has them as init")
    elif not is_run(init):
        table = open_rows(init)
        model, training, _ = _split_options(options_with_rows(keywords, table))
        tokens, settings = str(table.tokenizer), {"tokens": os.fspath(init)}
    else:
        earlier = load_run(init)
        keywords = _of_earlier(keywords, earlier.record)
        model, training, _ = _split_options(keywords)
        weights, tokens, settings = weights_of(earlier.model), earlier.tokenizer.json, earlier.record.tokens
    device = _device(training.device)
    (work / DATA).mkdir()
    corpora = write_corpora(
        standard_library() if corpus is None else corpus,
        work / DATA,
        tokens=tokens,
        context=training.context,
        column=training.column,
        required_size=keywords.get("vocabulary_size"),
        on_bytes=reports.on_bytes,
    )
    if reports.on_corpus:
        reports.on_corpus(corpora)
    init_name = None if init is None else str(Path(init).resolve())
    record = RunRecord(model, training, settings, threads=training.threads, device=device, init=init_name)
    if table is not None:
        weights = weights_with_rows(table, record)
    trainer = Trainer(corpora, record, weights=weights)
    write_start(work, trainer.telemetry.start)
    header = {"num_embeddings": corpora.num_embeddings, "watched": list(training.watch or ()), **record.to_json()}
    trainer.events = events.EventWriter.create(work / events.NAME, header)
    return trainer


def _resume(run: Path, keywords: dict[str, Any]) -> Trainer:
    """Continue from the last checkpoint; raise `UsageError` for options that differ from the run's own."""
    record = read_record(run)
    before = record.tokens | dataclasses.asdict(record.model) | dataclasses.asdict(record.training)
    for name, given in keywords.items():
        value = _as_recorded(given)
        if value is not None and _as_recorded(before.get(name)) != value:
            earlier_value = f"{name}={before[name]!r}" if name in before else f"no {name}"
            raise UsageError(f"the interrupted run has {earlier_value}, not {value!r}; omit the option to resume")
    if record.device == "cuda" and not torch.cuda.is_available():
        raise UsageError("the run was trained with CUDA, which is not available here; resume it where it is")
    trainer = Trainer(read_corpora(run / DATA), record)
    try:
        trainer.restore(read_tensors(run), read_start(run))
    except (RuntimeError, KeyError) as error:
        raise FileFormatError(f"{run}: its state does not fit its options ({error}); train a new run") from error
    path = run / events.NAME
    if not path.exists() or path.stat().st_size < record.events:
        raise FileFormatError(f"{path}: is missing or truncated; train a new run")
    with events.Events(run):  # what it has so far must be whole
        pass
    trainer.events = events.EventWriter(path, length=record.events)
    return trainer


def _as_recorded(value: Any) -> Any:
    """The value of an option as a run records it: a path as a string, several values as a tuple."""
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    return tuple(value) if isinstance(value, Iterable) and not isinstance(value, str) else value


def _split_options(keywords: dict[str, Any]) -> tuple[ModelOptions, TrainingOptions, TokenOptions]:
    """Distribute options over the three dataclasses."""
    kinds = (ModelOptions, TrainingOptions, TokenOptions)
    names = [{field.name for field in dataclasses.fields(kind)} for kind in kinds]
    check_option_names("train", keywords, *kinds)
    model, training, tokens = (
        kind(**{name: keywords[name] for name in keywords.keys() & own}) for kind, own in zip(kinds, names, strict=True)
    )
    return model, training, tokens


def _of_earlier(keywords: dict[str, Any], earlier: RunRecord) -> dict[str, Any]:
    """Return the options of a run that continues an earlier one, whose shape and tokens it has."""
    fixed = dataclasses.asdict(earlier.model)
    if earlier.model.positions == "learned":
        fixed["context"] = earlier.training.context
    tokens = {field.name for field in dataclasses.fields(TokenOptions)}
    for name, value in keywords.items():
        if name in tokens or (name in fixed and fixed[name] != value):
            earlier_value = f"{name}={fixed[name]!r}" if name in fixed else "its own tokens"
            raise UsageError(f"the run that init names has {earlier_value}, which cannot change; omit {name}")
    return {"context": earlier.training.context} | keywords | fixed


def _device(requested: str) -> str:
    if requested == "cpu" or (requested == "auto" and not torch.cuda.is_available()):
        return "cpu"
    if not torch.cuda.is_available():
        raise UsageError("device='cuda' is not available here; choose 'cpu' or 'auto'")
    return "cuda"
