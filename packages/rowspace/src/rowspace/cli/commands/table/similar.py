"""`rowspace similar`: the similarity of words."""

from rowspace.cli.arguments import AsJson, Metric, TablePath, Words
from rowspace.cli.lookup import open_table, resolve_words
from rowspace.cli.output import print_json, print_line, print_table, shown
from rowspace.errors import UsageError

__all__ = ["similar"]


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
