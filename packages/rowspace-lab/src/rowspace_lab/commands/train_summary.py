"""What `rowspace train` prints at its end: bits per byte, rows that moved, where the run is, and an example command."""

import shlex
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from rowspace._base.plural import plural
from rowspace.cli.fit_summary import example_token

if TYPE_CHECKING:
    from rowspace_lab.experiments.language_model.train import TrainedRun

__all__ = ["document", "summary"]

SHOWN_ROWS = 5


def summary(output: str, run: "TrainedRun", seconds: float) -> Iterator[str]:
    """Yield the lines of the summary."""
    record = run.record
    facts: dict[str, Any] = record.facts
    parameters = sum(parameter.numel() for parameter in run.model.parameters())
    tied = "tied" if record.model.tied else "untied"
    yield (
        f"{plural(len(run.table), 'token')} × {run.table.dim}, {tied}, in a model of {parameters:,} parameters; "
        f"{run.tokens:,} tokens read"
    )
    yield (
        f"learning took {record.seconds:.1f} s at {run.tokens / max(1e-3, record.seconds) / 1e3:.1f} k tokens/s on "
        f"{_device(run)}, this command {seconds:.1f} s"
    )
    yield (
        f"held-out text: {facts['bits_per_byte']:.3f} bits per byte; from the counts of tokens alone "
        f"{facts['unigram_bits_per_byte']:.3f}"
    )
    yield f"at other lengths than {record.training.context}: {_lengths(run)}"
    if facts["unknown_share"]:
        yield f"{facts['unknown_share']:.1%} of its tokens are unknown, so other tokens' bits per byte do not compare"
    farthest = list(facts["farthest"].items())[:SHOWN_ROWS]
    yield (
        f"rows moved by {facts['mean_distance']:.3g} on average, farthest: "
        + ", ".join(f"{run.table.shown(token)!r} {distance:.3g}" for token, distance in farthest)
    )
    if run.no_export is not None:
        yield run.no_export
    example = run.table.shown(example_token(run.table))
    yield f"saved in {output}; try: rowspace near {shlex.quote(output)} {shlex.quote(example)}"


def document(output: str, run: "TrainedRun", seconds: float) -> dict[str, object]:
    """Return the summary as a JSON document."""
    return {
        "run": output,
        "num_embeddings": len(run.table),
        "embedding_dim": run.table.dim,
        "seconds": round(seconds, 3),
        "tokens": run.tokens,
        "tokens_per_second": round(run.tokens / max(1e-3, run.record.seconds)),
        **run.record.facts,
        "record": run.record.to_json(),
    }


def _device(run: "TrainedRun") -> str:
    return "a GPU" if run.record.device == "cuda" else plural(run.record.threads, "thread")


def _lengths(run: "TrainedRun") -> str:
    """Return the bits per byte at twice and four times the trained length."""
    own = str(run.record.training.context)
    others = {length: value for length, value in run.record.facts["bits_per_byte_by_length"].items() if length != own}
    if None in others.values():
        return "learned positions have no rows beyond it"
    return ", ".join(f"{value:.3f} at {length}" for length, value in others.items())
