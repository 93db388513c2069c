"""Tables in one space: aligned, compared and merged.

| file | contents |
|---|---|
| `align.py` | `align`: a table in the axes of another one |
| `compare.py` | `rowspace.compare`: which shared tokens moved or changed neighbors |
| `comparison.py`, `shared.py` | its result, and what a refit changes; the tokens that are compared |
| `merge.py`, `methods.py` | `rowspace.merge`: several tables → one |
| `vocabulary.py` | the tokens, counts and tokenizer of a merged table |
| `options.py` | `AlignOptions`, `CompareOptions`, `MergeOptions` |

Read next: `align.py`, then `merge.py`. The rotation is in `rowspace.space.align`.
"""
