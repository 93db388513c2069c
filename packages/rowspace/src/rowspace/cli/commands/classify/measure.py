"""`rowspace classify test`: the figures of a classifier on texts with labels."""

from typing import Annotated

import typer

from rowspace._base.plural import plural
from rowspace.cli.arguments import AsJson
from rowspace.cli.commands.classify import LabelColumn, LabelSeparator, TextColumn
from rowspace.cli.output import message, print_json, print_line, print_table

__all__ = ["measure"]


def measure(
    path: Annotated[
        str,
        typer.Argument(
            metavar="CLASSIFIER", help="A classifier, or a supervised model of fastText.", show_default=False
        ),
    ],
    data: Annotated[
        str,
        typer.Argument(metavar="DATA", help="Texts with labels, as for rowspace classify fit.", show_default=False),
    ],
    *,
    k: Annotated[int, typer.Option("-k", help="The number of labels in P@k and R@k.", min=1, max=1_000_000)] = 1,
    column: TextColumn = "text",
    label_column: LabelColumn = "label",
    label_separator: LabelSeparator = None,
    as_json: AsJson = False,
) -> None:
    """Print accuracy, macro F1, P@k and R@k of a classifier, and precision, recall and F1 of each label.

    P@k is the share of the k most probable labels that are right, and R@k the share of right labels among them, of the
    texts that have a label that the classifier knows. In accuracy and F1, a label that it does not know is an error.

    Example:
      rowspace classify test my-classifier reviews.csv
      rowspace classify test model.ftz test.txt -k 5
    """
    from rowspace.learn.classifier.classifier import Classifier
    from rowspace.learn.classifier.examples import read_labeled_texts
    from rowspace.learn.classifier.measures import measure as measured

    classifier = Classifier.load(path)
    examples = read_labeled_texts(data, column=column, label_column=label_column, label_separator=label_separator)
    if examples.left_out:
        message(f"{data}: {plural(examples.left_out, 'line')} without a label left out")
    found = measured(classifier.classes_, classifier.predict_proba(examples.texts), examples.labels, k=k)
    if number := found["without_known_label"]:
        message(f"{plural(number, 'text')} without a label that the classifier knows left out of P@{k} and R@{k}")
    if as_json:
        print_json({"classifier": path, "data": data} | found)
        return
    rows = [
        (name, f"{one['precision']:.3f}", f"{one['recall']:.3f}", f"{one['f1']:.3f}", f"{one['texts']:,}")
        for name, one in found["labels"].items()
    ]
    print_table(path, ("label", "precision", "recall", "F1", "texts"), rows)
    accuracy = f"accuracy {found['accuracy']:.3f}, " if "accuracy" in found else ""
    print_line(
        f"{plural(found['texts'], 'text')}: {accuracy}macro F1 {found['macro_f1']:.3f}, "
        f"P@{k} {found['precision_at_k']:.3f}, R@{k} {found['recall_at_k']:.3f}"
    )
