"""What the rows of words say: `rowspace near`, `similar`, `analogy` and `odd`."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from rowspace.cli.arguments import AsJson, Metric, TablePath, Words
from rowspace.cli.lookup import open_table, resolve_words
from rowspace.cli.output import message, print_json, print_line, print_table, shown
from rowspace.errors import RowspaceError, UsageError

if TYPE_CHECKING:
    from rowspace.table import Table

__all__ = ["analogy", "near", "odd", "similar"]


def near(
    path: TablePath,
    words: Words,
    *,
    k: Annotated[int, typer.Option("-k", help="How many neighbors.")] = 10,
    metric: Metric = "cosine",
    mean: Annotated[bool, typer.Option(help="Search once, for the mean of the words' unit rows.")] = False,
    as_json: AsJson = False,
) -> None:
    """Show the tokens whose rows are nearest to each word's row.

    The words themselves are excluded.

    Example:
      rowspace near my-table typeerror valueerror -k 5
    """
    table = open_table(path)
    tokens = resolve_words(table, words)
    if metric != "euclidean":
        _check_directions(table, tokens)
    queries = [tokens] if mean else [[token] for token in tokens]
    answers = [table.neighbors(query if mean else query[0], k=k, metric=metric) for query in queries]
    if as_json:
        found = [
            {"words": query, "neighbors": [{"token": token, "score": score} for token, score in answer]}
            for query, answer in zip(queries, answers, strict=True)
        ]
        print_json({"table": path, "metric": metric, "queries": found})
        return
    for query, answer in zip(queries, answers, strict=True):
        rows = [(table.shown(token), f"{score:.3f}") for token, score in answer]
        print_table(" + ".join(map(table.shown, query)), ("token", metric), rows)


def _check_directions(table: "Table", tokens: Sequence[str]) -> None:
    """Raise `RowspaceError` for a token whose row is zero, to which all rows have the same score of 0."""
    for token in tokens:
        if not table[token].any():
            raise RowspaceError(f"the row of {table.shown(token)!r} is zero, so it has no neighbors; use another token")


def similar(path: TablePath, words: Words, *, metric: Metric = "cosine", as_json: AsJson = False) -> None:
    """Show the similarity of two words, or of several pairwise.

    Example:
      rowspace similar my-table sin cos
      rowspace similar my-table sin cos list dict --metric euclidean
    """
    from rowspace import space

    if len(words) < 2:
        raise UsageError(f"similar needs at least two words, got only {words[0]!r}; add another")
    table = open_table(path)
    tokens = resolve_words(table, words)
    rows = table[tokens]
    scores = space.score(rows, rows, metric=metric)
    if as_json:
        print_json({"table": path, "metric": metric, "words": tokens, "scores": scores.tolist()})
        return
    names = [shown(table.shown(token)) for token in tokens]
    if len(tokens) == 2:
        print_line(f"{metric} of {names[0]} and {names[1]}: {scores[0, 1]:.3f}")
    else:
        lines = [(name, *(f"{score:.3f}" for score in line)) for name, line in zip(names, scores, strict=True)]
        print_table("pairwise", (metric, *names), lines)


def analogy(
    path: TablePath,
    a: Annotated[str, typer.Argument(metavar="A", help="A is to B ...")],
    b: Annotated[str, typer.Argument(metavar="B")],
    c: Annotated[str, typer.Argument(metavar="C", help="... as C is to the answers.")],
    *,
    k: Annotated[int, typer.Option("-k", help="How many answers.")] = 5,
    method: Annotated[
        Literal["3cosadd", "3cosmul"], typer.Option(help="The formula of Levy & Goldberg (2014).")
    ] = "3cosadd",
    keep_inputs: Annotated[bool, typer.Option("--keep-inputs", help="Allow A, B and C as answers.")] = False,
    as_json: AsJson = False,
) -> None:
    """Answer "A is to B as C is to ...".

    Example:
      rowspace analogy my-table man king woman
    """
    table = open_table(path)
    inputs = resolve_words(table, (a, b, c))
    answers = table.analogy(*inputs, k=k, method=method, keep_inputs=keep_inputs)
    if as_json:
        listed = [{"token": token, "score": score} for token, score in answers]
        print_json({"table": path, "method": method, "inputs": inputs, "inputs_kept": keep_inputs, "answers": listed})
        return
    if keep_inputs:
        message("the answers may include the inputs")
    title = "{} is to {} as {} is to".format(*map(table.shown, inputs))
    rows = [(f"{table.shown(token)}{' (input)' * (token in inputs)}", f"{score:.3f}") for token, score in answers]
    print_table(title, ("token", method), rows)


def odd(path: TablePath, words: Words, *, as_json: AsJson = False) -> None:
    """Find the word that does not belong to the others.

    Its row has the largest angle to the mean of all unit rows.

    Example:
      rowspace odd my-table breakfast cereal dinner lunch
    """
    from rowspace import space

    table = open_table(path)
    tokens = resolve_words(table, words)
    answer = table.odd_one_out(tokens)
    rows = table[tokens]
    cosines = space.cosine(rows, space.mean_unit_row(rows)).tolist()
    if as_json:
        judged = [{"token": token, "cosine": cosine} for token, cosine in zip(tokens, cosines, strict=True)]
        print_json({"table": path, "odd": answer, "words": judged})
        return
    # Stable, and highest first, so that the odd one is last, unless it ties with another.
    order = sorted(zip(tokens, cosines, strict=True), key=lambda pair: (pair[0] == answer, -pair[1]))
    lines = [(table.shown(token), f"{cosine:.3f}") for token, cosine in order]
    print_table(f"odd one out: {table.shown(answer)}", ("token", "cosine to the mean"), lines)
