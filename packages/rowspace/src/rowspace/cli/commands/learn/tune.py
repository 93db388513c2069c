"""`rowspace tune`: a table and pairs of texts → a table for retrieval; or texts with labels → a classifier.

Its options are the fields of `TuneOptions`.
"""

from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from rowspace._base.plural import plural
from rowspace.cli.arguments import AsJson, TablePath
from rowspace.cli.dataclass_options import with_options_of
from rowspace.cli.interruption import cleanup_on_interrupt
from rowspace.cli.lookup import open_table
from rowspace.cli.output import message, print_json, print_line
from rowspace.cli.progress.pace import SECONDS_BETWEEN_LINES, Pace, duration
from rowspace.errors import UsageError
from rowspace.learn.tuning.options import TuneOptions

if TYPE_CHECKING:
    from rowspace.learn.tuning.tune import TuneProgress

__all__ = ["tune"]


@with_options_of({"Tuning": TuneOptions})
def tune(
    table: TablePath,
    pairs: Annotated[
        str,
        typer.Argument(
            metavar="EXAMPLES",
            help="JSON lines with query and positive, or lines of two texts with a tab between them; for a classifier, "
            "CSV or JSON lines with text and label.",
        ),
    ],
    *,
    output: Annotated[
        str, typer.Option("-o", "--output", help="Where to save the tuned table or the classifier.", show_default=False)
    ],
    classifier: Annotated[
        Literal["linear", "mlp"] | None,
        typer.Option(
            help="Learn a classifier of labels, saved with the table; its rows are unchanged.", show_default=False
        ),
    ] = None,
    as_json: AsJson = False,
    **options: Any,
) -> None:
    """Tune a table for retrieval, or learn a classifier on it.

    With pairs of texts, rows learn to make the mean of a query's rows nearer to that of its own text than to those of
    other pairs. This needs PyTorch, and a table with a tokenizer. The recall on held-out pairs before and after is
    printed for several numbers of columns.

    With --classifier, logistic regression or a network with one hidden layer (scikit-learn) learns labels from the
    vectors of texts, and its accuracy on held-out texts is printed. rowspace classify uses it.

    Example:
      rowspace tune my-table pairs.jsonl -o my-tuned-table
      rowspace tune my-table pairs.tsv --epochs 5 --smallest 64 -o my-tuned-table
      rowspace tune my-table reviews.csv --classifier linear -o my-classifier
    """
    keywords = {name: value for name, value in options.items() if value is not None}
    if classifier is None:
        _tune_table(table, pairs, output, keywords, as_json=as_json)
    else:
        _tune_classifier(table, pairs, output, classifier, keywords, as_json=as_json)


def _tune_table(table: str, pairs: str, output: str, keywords: dict[str, Any], *, as_json: bool) -> None:
    """Tune a table, save it, and print its recall."""
    from rowspace.learn.tuning.pairs import read_pairs  # not needed for help
    from rowspace.learn.tuning.tune import tune as tune_table
    from rowspace.table import Table

    TuneOptions(**keywords)  # which checks them before files are read
    Table.check_target(output)
    opened, examples = open_table(table), read_pairs(pairs)
    pace = Pace(SECONDS_BETWEEN_LINES)

    def report(progress: "TuneProgress") -> None:
        if pace.is_due(progress.step / progress.steps):
            left = duration((progress.steps - progress.step) * progress.seconds / progress.step)
            message(f"step {progress.step:,} of {progress.steps:,}, loss {progress.loss:.3f}, {left} left")

    with cleanup_on_interrupt():
        tuned = tune_table(opened, examples, on_step=report, **keywords)
        tuned.save(output)
    facts: dict[str, Any] = tuned.settings["tuned"]  # type: ignore[assignment]  # which `tune` has written
    if as_json:
        print_json({"table": output, "num_embeddings": len(tuned), "embedding_dim": tuned.dim} | facts)
        return
    print_line(f"{plural(len(tuned), 'token')} × {tuned.dim}, tuned on {plural(facts['pairs'], 'pair')}")
    print_line("loss by epoch: " + " ".join(f"{loss:.3f}" for loss in facts["losses"]))
    for size, before in facts["recall_before"].items():
        print_line(
            f"recall@10 of {facts['held_out_pairs']:,} held-out pairs with {size} columns: "
            f"{before:.3f} before, {facts['recall_after'][size]:.3f} after"
        )
    print_line(f"saved in {output}")


def _tune_classifier(
    table: str, examples: str, output: str, kind: str, keywords: dict[str, Any], *, as_json: bool
) -> None:
    """Learn a classifier, save it, and print its accuracy."""
    from rowspace.encode import Encoder
    from rowspace.learn.tuning.classifier import TextClassifier
    from rowspace.learn.tuning.labels import read_labeled
    from rowspace.learn.tuning.train_classifier import train_classifier

    others = sorted(keywords.keys() - {"held_out", "seed"})
    if others:
        option = others[0].replace("_", "-")
        raise UsageError(f"--{option} is for pairs; with --classifier, only --held-out and --seed apply")
    chosen = TuneOptions(**keywords)
    TextClassifier.check_target(output)
    labeled = read_labeled(examples)
    classifier = TextClassifier(Encoder.load(table), kind=kind, seed=chosen.seed % 2**32)
    with cleanup_on_interrupt():
        train_classifier(classifier, labeled, held_out=chosen.held_out, seed=chosen.seed % 2**32)
        classifier.save(output)
    facts = classifier.facts_
    if as_json:
        print_json({"classifier": output, "kind": kind} | facts)
        return
    labels, texts = plural(len(facts["labels"]), "label"), plural(facts["texts"], "text")
    print_line(f"{kind} classifier of {labels}, learned from {texts}")
    if facts["held_out_texts"]:
        low, high = facts["interval"]
        print_line(
            f"accuracy on {plural(facts['held_out_texts'], 'held-out text')}: {facts['accuracy']:.3f} (95 % interval "
            f"{low:.3f} to {high:.3f}); always the most frequent label: {facts['accuracy_of_most_frequent']:.3f}"
        )
    print_line(f"saved in {output}; try: rowspace classify {output} TEXT")
