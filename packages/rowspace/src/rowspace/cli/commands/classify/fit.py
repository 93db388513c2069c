"""`rowspace classify fit`: texts with labels → a classifier. Its options are the fields of `ClassifierOptions`."""

from dataclasses import fields
from typing import Annotated, Any

import typer

from rowspace._base.interrupt import cleanup_on_interrupt
from rowspace._base.plural import plural
from rowspace.cli.arguments import AsJson, with_options_of
from rowspace.cli.commands.classify import LabelColumn, LabelSeparator, TextColumn
from rowspace.cli.output import message, print_json, print_line, shown
from rowspace.errors import UsageError
from rowspace.learn.classifier.options import ClassifierOptions, RowsOptions

__all__ = ["fit"]

_OF_ROWS = {field.name for field in fields(RowsOptions)} - {"workers", "seed"}
_WATCHED = 1_000  # texts, of which tags of HTML are counted


@with_options_of({"Classifier": ClassifierOptions})
def fit(
    data: Annotated[
        str,
        typer.Argument(
            metavar="DATA",
            help="Texts with labels: CSV, TSV, JSON lines or Parquet, or lines with __label__ (fastText); - for "
            "such lines on standard input.",
            show_default=False,
        ),
    ],
    *,
    output: Annotated[
        str,
        typer.Option(
            "-o",
            "--output",
            help="The folder to save to; a name that ends in .bin, or in .ftz (quantized), is written for fastText.",
            show_default=False,
        ),
    ],
    table: Annotated[
        str | None,
        typer.Option(
            metavar="TABLE", help="A table whose vectors may be used too; rows can begin with its.", show_default=False
        ),
    ] = None,
    balanced: Annotated[
        bool, typer.Option("--balanced", help="Give each label the same weight, instead of each text.")
    ] = False,
    column: TextColumn = "text",
    label_column: LabelColumn = "label",
    label_separator: LabelSeparator = None,
    as_json: AsJson = False,
    **options: Any,
) -> None:
    """Learn a classifier, and say what was chosen and why.

    Without options, a part of the texts is held out, and decides between learned rows of n-grams (the supervised model
    of fastText), a linear model on TF-IDF of n-grams, one on vectors of --table, and their averaged probabilities.

    Example:
      rowspace classify fit reviews.csv -o my-classifier
      rowspace classify fit reviews.jsonl --column body --label-column stars -o my-classifier
      rowspace classify fit train.txt --method rows --lr 0.5 --epochs 25 -o model.bin
    """
    from rowspace.learn.classifier.classifier import Classifier
    from rowspace.learn.classifier.examples import read_labeled_texts
    from rowspace.learn.classifier.rows.fasttext_file import check_target
    from rowspace.text.corpus.open_corpus import warn_of_tags

    ClassifierOptions(**options)  # which checks them before files are read
    unused = next((name for name in options if name in _OF_ROWS), None)
    if unused and options.get("method") in ("ngrams", "vectors"):
        option = f"--{unused.replace('_', '-')}"
        raise UsageError(f"{option} is for learned rows, and --method {options['method']} learns none; leave it out")
    is_fasttext = output.lower().endswith((".bin", ".ftz"))
    if is_fasttext and options.get("method") != "rows":
        raise UsageError("fastText's format holds learned rows only; give --method rows, or a folder for -o")
    if is_fasttext and "time_budget" in options:
        raise UsageError("--time-budget may choose an average, no file of fastText; leave it out, or save a folder")
    (check_target if is_fasttext else Classifier.check_target)(output)
    examples = read_labeled_texts(data, column=column, label_column=label_column, label_separator=label_separator)
    if examples.left_out:
        message(f"{data}: {plural(examples.left_out, 'line')} without a label left out")
    warn_of_tags("\n".join(examples.texts[:_WATCHED]).encode())
    classifier = Classifier(table=table, class_weight="balanced" if balanced else None, **options)
    with cleanup_on_interrupt():
        classifier.fit(examples.texts, examples.labels)
        (classifier.save_fasttext if is_fasttext else classifier.save)(output)
    facts = classifier.facts_
    if as_json:
        print_json({"classifier": output, "chosen": classifier.chosen_} | facts)
        return
    print_line(f"{plural(facts['labels'], 'label')}, learned from {plural(facts['texts'], 'text')}")
    print_line(f"chosen: {shown(classifier.chosen_)}")
    print_line(f'saved in {output}; try: rowspace classify predict {output} "a text"')
