"""`rowspace align`: a table in the axes of another one.

Its options are the fields of `AlignOptions`.
"""

import shlex
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rowspace._base.interrupt import cleanup_on_interrupt
from rowspace._base.plural import plural
from rowspace.cli.arguments import AsJson, with_options_of
from rowspace.cli.fit_summary import example_word
from rowspace.cli.lookup import open_table
from rowspace.cli.output import print_json, print_line
from rowspace.learn.merging.options import AlignOptions

if TYPE_CHECKING:
    from rowspace.space import TranslationScores
    from rowspace.table import Table

__all__ = ["align"]


@with_options_of({"Aligning": AlignOptions})
def align(
    path: Annotated[str, typer.Argument(metavar="TABLE", help="The table to rotate, in any format.")],
    to: Annotated[str, typer.Argument(metavar="TO", help="The table whose axes to take.")],
    *,
    output: Annotated[str, typer.Option("-o", "--output", help="Where to save the rotated table.")],
    pairs: Annotated[
        str | None,
        typer.Option(
            "--pairs",
            metavar="FILE",
            help="Pairs of a token of TABLE and one of TO, one on each line.  [default: the tokens of both]",
        ),
    ] = None,
    dictionary: Annotated[
        str | None,
        typer.Option(
            "--evaluate", metavar="FILE", help="A dictionary of other pairs, whose words are looked up by CSLS."
        ),
    ] = None,
    as_json: AsJson = False,
    **options: Any,
) -> None:
    """Rotate a table into the axes of another one.

    Rows of both tables can then be compared. The rotation is the best one, by least squares, for pairs of tokens;
    similarities within the table stay the same.

    Example:
      rowspace align french-table english-table --pairs fr-en.txt -o french-in-english
      rowspace align table-2024 table-2025 -o table-2024-aligned
    """
    from rowspace import space  # not needed for help
    from rowspace.learn import align as align_table
    from rowspace.table import Table

    Table.check_target(output)
    given, asked = (None if file is None else space.read_dictionary(file) for file in (pairs, dictionary))
    table, other = open_table(path), open_table(to)
    with cleanup_on_interrupt():
        aligned = align_table(table, other, pairs=given, **options)
        scores = None if asked is None else space.evaluate_translations(
            asked, aligned.vocabulary, aligned.rows, other.vocabulary, other.rows
        )  # fmt: skip
        aligned.save(output)
    if as_json:
        print_json(_document(output, aligned, scores))
    else:
        for line in _lines(output, aligned, scores):
            print_line(line)


def _document(output: str, table: "Table", scores: "TranslationScores | None") -> dict[str, Any]:
    document: dict[str, Any] = {
        "table": output,
        "num_embeddings": len(table),
        "embedding_dim": table.dim,
        "pairs": table.settings["aligned_pairs"],
        "cosine": table.settings["aligned_cosine"],
    }
    if scores is not None:
        document["dictionary"] = {
            "precision": {str(k): share for k, share in scores.precision.items()},
            "used": scores.used,
            "oov_ratio": scores.oov_ratio,
        }
    return document


def _lines(output: str, table: "Table", scores: "TranslationScores | None") -> list[str]:
    settings: dict[str, Any] = table.settings
    lines = [
        f"{plural(len(table), 'token')} × {table.dim}, aligned on {plural(settings['aligned_pairs'], 'pair')} of "
        f"tokens, whose mean cosine is now {settings['aligned_cosine']:.3f}"
    ]
    if scores is not None:
        found = ", ".join(f"{share:.1%} among the first {k}" for k, share in scores.precision.items())
        lines.append(
            f"translations of {plural(scores.used, 'word')}: {found}; {scores.oov_ratio:.1f} % of the words are unknown"
        )
    example = shlex.quote(table.shown(example_word(table)))
    lines.append(f"saved in {output}; try: rowspace near {shlex.quote(output)} {example}")
    return lines
