"""Tables in one space: aligned, merged, and compared over time.

| file | contents |
|---|---|
| `align.py` | `align`: a table in the axes of another one |
| `changes.py` | `changes`: how far shared tokens moved from table to table |
| `merge.py`, `methods.py` | `rowspace.merge`: several tables → one |
| `vocabulary.py` | the tokens, counts and tokenizer of a merged table |
| `options.py` | `AlignOptions`, `MergeOptions` |

Read next: `align.py`, then `merge.py`. The rotation is in `rowspace.space.align`.
"""
