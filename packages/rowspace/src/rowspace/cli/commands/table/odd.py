"""`rowspace odd`: which word does not belong to the others."""

from rowspace.cli.arguments import AsJson, TablePath, Words
from rowspace.cli.lookup import open_table, resolve_words
from rowspace.cli.output import print_json, print_table

__all__ = ["odd"]


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
