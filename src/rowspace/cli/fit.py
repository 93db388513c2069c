"""`rowspace fit`: learn a table from text.

An option that is not given is not passed on, so that the defaults stand in one place (`rowspace.learn.FitOptions`,
`rowspace.text.TextOptions` and `TokenizerOptions`; a test compares the help with them) and `--resume` needs no other.
Left out: what is shown while it runs (`progress.py`) and after it (`fit_summary.py`).
"""

import time
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from rowspace.cli.arguments import AsJson
from rowspace.cli.fit_summary import document, summary
from rowspace.cli.interruption import cleanup_on_interrupt
from rowspace.cli.output import print_json, print_line, say
from rowspace.cli.progress import teller
from rowspace.errors import UsageError

if TYPE_CHECKING:
    from rowspace.table import Table

__all__ = ["fit"]

NO_OPTIONS = frozenset({"corpus", "output", "resume", "as_json"})
COMPRESSIONS = frozenset({".gz", ".xz", ".zst", ".bz2"})


def _option(help: str, default: str, *names: str) -> Any:
    """Declare an option that stays None where it is not given."""
    return typer.Option(*names, help=f"{help}  [default: {default}]")


def fit(  # noqa: PLR0913  # one parameter for each option
    corpus: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="CORPUS",
            help="Files (.gz, .xz, .bz2 and .zst too), folders, patterns, or - for standard input; without any, the "
            "standard library of this Python.",
        ),
    ] = None,
    *,
    output: Annotated[str | None, _option("Where to save the table.", "CORPUS-table", "-o", "--output")] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the interrupted fit of this output.")] = False,
    as_json: AsJson = False,
    dim: Annotated[int | None, _option("Length of a row.", "100")] = None,
    model: Annotated[
        Literal["skipgram", "cbow"] | None, _option("Predict neighbors from a word, or it from them.", "skipgram")
    ] = None,
    epochs: Annotated[int | None, _option("Passes over the text.", "5")] = None,
    window: Annotated[int | None, _option("The most words to each side that count as neighbors.", "5")] = None,
    shrink_windows: Annotated[
        bool | None,
        _option(
            "Draw each window's size, so that near words weigh more.", "shrink", "--shrink-windows/--fixed-windows"
        ),
    ] = None,
    negatives: Annotated[int | None, _option("Counter-examples drawn for each window.", "5")] = None,
    ns_exponent: Annotated[float | None, _option("They are drawn by count to this power.", "0.75")] = None,
    sample: Annotated[
        float | None, _option("Thin out words more frequent than this share; 0 keeps all.", "0.001")
    ] = None,
    alpha: Annotated[float | None, _option("Learning rate at the start.", "0.035; cbow 0.1")] = None,
    min_alpha: Annotated[float | None, _option("Learning rate at the end.", "0.3 of alpha")] = None,
    cbow_mean: Annotated[
        bool | None, _option("Average the neighbors' rows, or sum them.", "mean", "--cbow-mean/--cbow-sum")
    ] = None,
    cbow_gradient: Annotated[
        Literal["exact", "word2vec"] | None, _option("The true gradient, or that of word2vec.c.", "exact")
    ] = None,
    subwords: Annotated[
        bool | None, _option("Learn character n-grams too, so that unseen words get a row.", "words only", "--subwords")
    ] = None,
    min_n: Annotated[int | None, _option("The least characters of an n-gram.", "3")] = None,
    max_n: Annotated[int | None, _option("The most characters of an n-gram.", "6")] = None,
    buckets: Annotated[int | None, _option("Rows that all n-grams share by hash.", "2000000")] = None,
    workers: Annotated[int | None, _option("Threads; 1 is repeatable to the bit.", "all cores")] = None,
    seed: Annotated[int | None, _option("Of all that is drawn.", "1")] = None,
    min_count: Annotated[int | None, _option("Leave out rarer words.", "5")] = None,
    max_vocabulary: Annotated[int | None, _option("Keep so many of the most frequent words.", "all")] = None,
    cased: Annotated[bool | None, _option("Keep case.", "lowercase all", "--cased")] = None,
    tokens: Annotated[
        str | None,
        _option("words; bpe, wordpiece, unigram, bytes or chars, trained on the text; or a tokenizer.json.", "words"),
    ] = None,
    vocabulary_size: Annotated[int | None, _option("The most tokens to train.", "32000; chars all")] = None,
    normalize: Annotated[
        Literal["none", "nfc", "nfkc", "lower", "bert"] | None,
        _option("What is done to text before it is cut.", "none; wordpiece bert; unigram nfkc"),
    ] = None,
    pretokenize: Annotated[
        Literal["gpt2", "llama3", "bert", "whitespace", "metaspace"] | None,
        _option("Borders that no token goes across.", "bpe gpt2; wordpiece bert; unigram metaspace"),
    ] = None,
    special: Annotated[
        list[str] | None, _option("A token that stands for no text; once for each.", "[UNK] where text can be unknown")
    ] = None,
    min_frequency: Annotated[
        int | None, _option("Join no rarer pair; a rarer character is unknown.", "5; unigram has none")
    ] = None,
    sentences: Annotated[
        Literal["line", "paragraph", "document"] | None,
        _option("What ends a sentence.", "line; standard library paragraph"),
    ] = None,
    field: Annotated[str | None, _option("The field of JSON lines that holds the text.", "plain text")] = None,
) -> None:
    """Learn a table from text: a row for each word or token.

    Ctrl-C (or SIGTERM) saves what was learned; --resume goes on from there, with the text and the options that it had.

    Example:
      rowspace fit my-text.txt -o my-table
      rowspace fit articles/ more.txt.xz --dim 300 --epochs 10 -o big-table
      rowspace fit my-text.txt --tokens bpe --vocabulary-size 8000 -o my-pieces
      rowspace fit --resume -o big-table
    """
    options = {name: value for name, value in locals().items() if name not in NO_OPTIONS and value is not None}
    names = corpus or []
    if "" in names:
        raise UsageError("the name of a corpus is empty; name a file, a folder, a pattern or -")
    if output == "":
        raise UsageError("-o is empty; name the folder to save the table in")
    output = output or _default_output(names, resume=resume)
    if resume and names:
        say("the interrupted fit goes on with the text that it has read; CORPUS is not read again")
    began = time.monotonic()
    table = _learned(names, output, resume=resume, options=options)
    seconds = time.monotonic() - began
    if as_json:
        print_json(document(output, table, seconds))
    else:
        for line in summary(output, table, seconds):
            print_line(line)


def _learned(names: list[str], output: str, *, resume: bool, options: Mapping[str, Any]) -> "Table":
    """Run the fit and tell how it goes."""
    from rowspace.learn import Reports  # numba, which help can do without
    from rowspace.learn import fit as learn_table
    from rowspace.learn.warm import warm
    from rowspace.text import TokenizerOptions, corpus_bytes

    corpus = _corpus(names)
    total = None if resume or corpus is None else corpus_bytes(corpus)
    if total is not None and TokenizerOptions(options.get("tokens", "words")).reads_text:
        total *= 2  # once to train the tokenizer, once to use it
    warm()  # so that a first compilation neither stands in the way of the bars nor counts as learning
    with cleanup_on_interrupt(), teller(total) as told:
        reports = Reports(
            on_bytes=told.on_bytes,
            on_vocabulary=told.on_vocabulary,
            on_lowered_rate=_say_lowered_rate,
            on_progress=told.on_progress,
        )
        return learn_table(corpus, output=output, resume=resume, reports=reports, **options)


def _say_lowered_rate(alpha: float, default: float) -> None:
    say(f"alpha starts at {alpha:g}, not {default:g}, with which this fit would diverge; --alpha sets another one")


def _corpus(names: list[str]) -> str | list[Path] | None:
    """Return what `rowspace.fit` understands: a list of strings would be texts."""
    if not names:
        return None
    return names[0] if len(names) == 1 else [Path(name) for name in names]


def _default_output(names: list[str], *, resume: bool) -> str:
    """Return CORPUS-table in the current folder; raises UsageError where that would replace something."""
    output = f"{_stem(names[0])}-table" if names else "stdlib-table"
    if Path(output).exists() and not resume:
        raise UsageError(f"{output!r} is there already; give -o {output} to replace it, or another name")
    return output


def _stem(name: str) -> str:
    """Return what a corpus is called, without folders, endings, and what makes a pattern of it."""
    if name == "-":
        return "stdin"
    path = Path(name).resolve()
    if path.suffix in COMPRESSIONS:
        path = path.with_suffix("")
    return "".join(character for character in path.stem if character not in "*?[]") or "text"
