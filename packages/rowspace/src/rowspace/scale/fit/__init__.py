"""Learning from a text that is divided: counted by parts and learned here, or learned on several machines.

| in this folder | what flows in → out |
|---|---|
| `text_parts.py` | files → parts of a text |
| `fit_parts.py` | parts → the ids that one process would write → a table, learned here |
| `machines.py` | what processes tell each other |
| `vocabulary.py` | a part for each process → its ids in the vocabulary of all |
| `learning.py` | ids → rows, merged at intervals |
| `saves.py` | the rows and place of all, saved by the first machine → a fit that goes on |
| `fit_machines.py` | a part for each process → a table, the same in all |
| `fit_on_ray.py` | the same, in processes that Ray starts |

Read next: `fit_machines.py`.
"""
