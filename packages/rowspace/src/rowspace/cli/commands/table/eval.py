"""`rowspace eval`: evaluate a table on files of word pairs and of analogies."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rowspace._base.plural import plural
from rowspace.cli.arguments import AsJson, TablePath
from rowspace.cli.lookup import open_table
from rowspace.cli.output import message, print_json, print_table

if TYPE_CHECKING:
    from rowspace.space import AnalogyScores, PairScores, SectionScore

__all__ = ["evaluate"]


def evaluate(
    path: TablePath,
    files: Annotated[list[str], typer.Argument(metavar="FILE", help="Files of word pairs or of analogies.")],
    *,
    restrict_vocab: Annotated[
        int, typer.Option(min=0, metavar="N", help="Use the first N tokens only; 0 uses all.")
    ] = 300_000,
    case_sensitive: Annotated[bool, typer.Option("--case-sensitive", help="Distinguish upper and lower case.")] = False,
    dummy4unknown: Annotated[
        bool,
        typer.Option(
            "--dummy4unknown",
            help="Count questions with unknown words as wrong, and pairs as cosine 0, instead of skipping them.",
        ),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Evaluate a table on files of word pairs and of analogies.

    A file of word pairs has lines of two words and a number, which is correlated with the cosine. A file of analogies
    has lines of four words under ": section" lines; correct answers are counted. The results equal gensim's.

    Example:
      rowspace eval my-table wordsim353.tsv questions-words.txt
    """
    table = open_table(path)
    options: dict[str, Any] = {
        "restrict_vocab": restrict_vocab or None,
        "case_insensitive": not case_sensitive,
        "dummy4unknown": dummy4unknown,
    }
    analogies: list[tuple[str, AnalogyScores]] = []
    pairs: list[tuple[str, PairScores]] = []
    for file in files:
        if _holds_analogies(file):
            analogies.append((file, table.evaluate_analogies(file, **options)))
        else:
            pairs.append((file, table.evaluate_pairs(file, **options)))
    if as_json:
        results = {
            "pairs": [_pairs(*scores) for scores in pairs],
            "analogies": [_analogies(*scores) for scores in analogies],
        }
        print_json({"table": path, **options, **results})
        return
    for file, result in pairs:
        if result.composed:
            message(
                f"{Path(file).name}: {plural(result.composed, 'pair has', 'pairs have')} an out-of-vocabulary word, "
                "whose row is computed from its n-grams"
            )
    if pairs:
        print_table("word pairs", ("file", "used", "unknown", "Pearson", "Spearman"), map(_pairs_line, pairs))
    for file, scores in analogies:
        title = f"{Path(file).name}: {scores.oov_ratio:.1f} % of the questions have an unknown word"
        print_table(title, ("section", "correct", "questions", "accuracy"), map(_section_line, _sections(scores)))


def _holds_analogies(file: str) -> bool:
    """Whether the first line that is not empty is a section or four words."""
    from rowspace.space.evaluation.files import numbered_lines

    _, line = next(numbered_lines(file), (0, ""))
    return line.startswith(":") or len(line.split("\t" if "\t" in line else None)) == 4


def _pairs(file: str, scores: "PairScores") -> dict[str, object]:
    """Return the scores on a file of pairs, ready for JSON."""
    return {
        "file": file,
        "used": scores.used,
        "composed": scores.composed,
        "oov_ratio": scores.oov_ratio,
        "pearson": {"r": scores.pearson.r, "p": scores.pearson.p},
        "spearman": {"r": scores.spearman.r, "p": scores.spearman.p},
    }


def _pairs_line(result: "tuple[str, PairScores]") -> tuple[str, ...]:
    file, scores = result
    correlations = (f"{correlation.r:.4f}" for correlation in (scores.pearson, scores.spearman))
    return (Path(file).name, f"{scores.used:,}", f"{scores.oov_ratio:.1f} %", *correlations)


def _analogies(file: str, scores: "AnalogyScores") -> dict[str, object]:
    """Return the scores on a file of analogies, ready for JSON: the sections and their total."""
    sections = [
        {"name": section.name, "correct": section.correct, "total": section.total, "accuracy": section.accuracy}
        for section in _sections(scores)
    ]
    return {"file": file, "oov_ratio": scores.oov_ratio, "sections": sections[:-1], "total": sections[-1]}


def _sections(scores: "AnalogyScores") -> "list[SectionScore]":
    return [*scores.sections, scores.total]


def _section_line(section: "SectionScore") -> tuple[str, ...]:
    accuracy = f"{100 * section.accuracy:.1f} %" if section.total else "–"
    return (section.name, f"{section.correct:,}", f"{section.total:,}", accuracy)
