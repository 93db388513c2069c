"""The options of a call to an encoder, made ready for a table."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import tokenizers

from rowspace.encode.modes import ModeRules, rules_of
from rowspace.encode.options import EncodeOptions, pool_rule
from rowspace.encode.precision import stored_form
from rowspace.table import Table

__all__ = ["Plan"]


@dataclass(frozen=True, slots=True)
class Plan:
    """What to do with texts and their ids.

    Attributes:
        options: The options.
        rules: The rules of the mode.
        unknown: The id of the unknown token, or V.
        rule: How ids become a vector, see `pool_rule`.
        composes: Whether unseen words get the rows of their n-grams.
        is_direct: Whether pooled vectors are the result, without rounding or packing.
        form: The numbers that store a vector, and their NumPy dtype.
    """

    options: EncodeOptions
    rules: ModeRules
    unknown: int
    rule: int
    composes: bool
    is_direct: bool
    form: tuple[int, np.dtype[Any]]

    @classmethod
    def of(
        cls, options: EncodeOptions, table: Table, library: tokenizers.Tokenizer | None, unknown_id: int | None
    ) -> "Plan":
        """Return the plan for a table.

        Args:
            options: The options.
            table: The table.
            library: Its tokenizer, if it has one.
            unknown_id: The id of the unknown token, if there is one.
        """
        rules = rules_of(options, table, library)
        return cls(
            options=options,
            rules=rules,
            unknown=len(table) if unknown_id is None else unknown_id,
            rule=pool_rule(
                options.pooling,
                keep_unknown=rules.keep_unknown,
                count_missing=rules.count_missing,
                # Rounded to float16 first, as model2vec does, so vectors are normalized afterwards.
                normalize=rules.normalize and not rules.half,
            ),
            composes=table.subwords is not None and options.mode == "rowspace",
            is_direct=options.dtype == "float32" and not rules.half,
            form=stored_form(options.dim or table.dim, options.dtype),
        )
