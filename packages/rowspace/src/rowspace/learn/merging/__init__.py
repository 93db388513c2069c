"""Tables in one space: aligned, compared and merged.

| file | contents |
|---|---|
| `align.py` | `align`: a table in the axes of another one |
| `compare.py` | `rowspace.compare`: which shared tokens moved or changed neighbors |
| `comparison.py` | its result, and what a refit changes |
| `merge.py` | `rowspace.merge`: several tables → one |
| `shared.py` | the tokens that are compared, and those of a merged table |
| `options.py` | `AlignOptions`, `CompareOptions`, `MergeOptions` |

Read next: `align.py`, then `merge.py`. The rotation is in `rowspace.space.align`.
"""
