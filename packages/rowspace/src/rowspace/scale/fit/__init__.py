"""Learning from a text that is divided: counted by parts and learned here, or learned on several machines.

| in this folder | what flows in → out |
|---|---|
| `text_parts.py` | files → parts of a text |
| `counting.py` | parts → the ids that one process would write |
| `fit_parts.py` | parts → a table, learned here |
"""
