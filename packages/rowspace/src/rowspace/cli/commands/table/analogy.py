"""`rowspace analogy`: A is to B as C is to ..."""

from typing import Annotated, Literal

import typer

from rowspace.cli.arguments import AsJson, TablePath
from rowspace.cli.lookup import open_table, resolve_words
from rowspace.cli.output import message, print_json, print_table

__all__ = ["analogy"]


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
