"""`rowspace arena`: compare input strategies on tasks with the same compute.

Its options are the fields of `ArenaOptions`.
"""

from pathlib import Path
from typing import Annotated, Any

import typer

from rowspace._base.interrupt import cleanup_on_interrupt
from rowspace.cli.arguments import AsJson, with_options_of
from rowspace.cli.output import message, print_json, print_line
from rowspace.errors import UsageError
from rowspace_lab.experiments.arena.options import ArenaOptions

__all__ = ["arena"]


@with_options_of({"Arena": ArenaOptions})
def arena(
    corpus: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="CORPUS",
            help="Files, folders or patterns; the default is the standard library of this Python.",
        ),
    ] = None,
    *,
    output: Annotated[
        str | None,
        typer.Option("-o", "--output", help="A folder for the results; an arena that was stopped continues there."),
    ] = None,
    plot: Annotated[
        Path | None, typer.Option("--plot", metavar="FILE", help="Also draw the results: .svg, .png or .pdf.")
    ] = None,
    as_json: AsJson = False,
    **options: Any,
) -> None:
    """Compare ways to put text and images into a model.

    Six strategies (whole words in a small and in a large table, byte pairs, bytes, patches of two sizes) learn four
    tasks with the same compute: the next bytes of a text, rare and misspelled words, images, and text in images.

    Example:
      rowspace arena --quick
      rowspace arena -o my-arena --plot arena.svg
      rowspace arena my-text.txt --tasks next-bytes --seconds 60 -o longer
    """
    chosen = {name: value for name, value in options.items() if value is not None}
    ArenaOptions(**chosen)  # wrong values are reported before PyTorch is imported
    if output == "":
        raise UsageError("-o is empty; give the folder for the results")
    if plot is not None:
        _check_plot(plot)
    result = _run(corpus or [], output, chosen)
    if plot is not None:
        from rowspace_lab.experiments.arena.report.plot import plot_arena

        plot_arena(result, plot)
    if as_json:
        print_json(result)
        return
    from rowspace_lab.commands.arena_summary import print_summary

    print_summary(result)
    if output is not None:
        print_line(f"saved in {output}")


def _check_plot(path: Path) -> None:
    """Raise, before the runs, what drawing would raise after them."""
    from rowspace_lab.experiments.arena.report.plot import check_plot

    check_plot(path)


def _run(names: list[str], output: str | None, options: dict[str, Any]) -> dict[str, Any]:
    """Run the arena and report each run."""
    from rowspace_lab.commands.arena_summary import run_line
    from rowspace_lab.experiments import run_arena

    corpus = None if not names else names[0] if len(names) == 1 else [Path(name) for name in names]
    with cleanup_on_interrupt():
        return run_arena(corpus, output=output, on_cell=lambda *news: message(run_line(*news)), **options)
