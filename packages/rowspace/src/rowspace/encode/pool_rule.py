"""How the ids of a text become its vector, as one number for the kernels."""

from rowspace.encode.options import Pooling

__all__ = ["COUNT_MISSING", "FIRST", "KEEP_UNKNOWN", "MAX", "NORMALIZE", "POOLING", "SUM", "pool_rule"]

# A rule is one number: as a tuple, it makes encoding one text of three words 8 % (1 µs) slower.
SUM, FIRST, MAX, POOLING = 1, 2, 3, 3  # 0: mean
NORMALIZE, KEEP_UNKNOWN, COUNT_MISSING = 4, 8, 16
POOLINGS = {"mean": 0, "sif": 0, "sum": SUM, "first": FIRST, "max": MAX}


def pool_rule(
    pooling: Pooling, *, keep_unknown: bool = False, count_missing: bool = False, normalize: bool = False
) -> int:
    """Return how the ids of a text become its vector, as the number that kernels take.

    Args:
        pooling: As in `EncodeOptions`; the weights of "sif" are those of the `RowPooler`.
        keep_unknown: The unknown token counts as any other; otherwise it is left out.
        count_missing: An id without a row counts as a row of zeros; otherwise it is left out.
        normalize: Scale to length 1.
    """
    flags = NORMALIZE * normalize | KEEP_UNKNOWN * keep_unknown | COUNT_MISSING * count_missing
    return POOLINGS[pooling] | flags
