"""The claim that sinusoids and RoPE extrapolate: small models read texts longer than those of training.

It needs PyTorch and trains for about half a minute.
"""

import tempfile
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from rowspace_lab.experiments import TrainReports
from rowspace_lab.lessons.computed.claims.verdict import Verdict
from rowspace_lab.pages.training.text import train_figure
from rowspace_lab.pages.training.variants import BASE

__all__ = ["SCHEMES", "bits_by_length", "longer_texts", "longer_texts_numbers"]

SCHEMES = ("sinusoid", "rotary", "alibi")


def bits_by_length(scheme: str, *, steps: int, reports: TrainReports | None = None) -> dict[int, float]:
    """Train a small model on Python's help, and measure held-out bits per byte at one, two and four trained lengths.

    Sinusoids are much longer than initial rows, so their model scales its rows, as the first Transformer did.
    """
    scaled = {"scaled": True, "init_std": BASE["dim"] ** -0.5} if scheme == "sinusoid" else {}
    options = {**BASE, **scaled, "positions": scheme, "steps": steps, "evaluate": steps, "sample": 0, "watch": ()}
    if reports is not None:
        options["reports"] = reports
    with tempfile.TemporaryDirectory() as folder:
        run: Any = train_figure(output=f"{folder}/run", options=options, replaced=None)
        measured = run.record.facts["bits_per_byte_by_length"]
    return {int(length): float(bits) for length, bits in measured.items()}


def longer_texts_figure(*, schemes: Sequence[str], steps: int) -> Mapping[str, Any]:
    """Train a model for each scheme of positions, and compare its bits per byte at longer lengths."""
    return longer_texts_numbers({scheme: bits_by_length(scheme, steps=steps) for scheme in schemes}, steps=steps)


def longer_texts_numbers(found: Mapping[str, Mapping[int, float]], *, steps: int) -> Mapping[str, Any]:
    """Compare the bits per byte of each scheme at the trained length with those at four times that length."""
    lengths = sorted(found["sinusoid"])
    bits = np.array([[each[length] for length in lengths] for each in found.values()])  # (schemes, lengths)
    worse = dict(zip(found, (bits[:, -1] / bits[:, 0] - 1).tolist(), strict=True))
    return {
        "schemes": list(found),
        "lengths": np.array(lengths),
        "bits": bits,
        "steps": steps,
        "trained": lengths[0],
        "longest": lengths[-1],
        **worse,
        "verdict": longer_texts_verdict(sinusoid=worse["sinusoid"], rotary=worse["rotary"]),
    }


def longer_texts_verdict(*, sinusoid: float, rotary: float) -> Verdict:
    """False if sinusoids and rotary positions both need 0.5% more bits per byte at four times the trained length.

    True if neither does; a text of which more can be read should take fewer bits.
    """
    worse = [change > 0.005 for change in (sinusoid, rotary)]
    return "it depends" if any(worse) and not all(worse) else "false" if any(worse) else "true"


longer_texts = partial(longer_texts_figure, schemes=SCHEMES, steps=300)
