"""Six ways to put an input into a model, on four tasks, with the same compute: `rowspace arena`.

| file | contents |
|---|---|
| `run.py`, `options.py` | `run_arena`: all runs that are missing, and the summary of all |
| `strategies.py` | the six strategies with their sizes |
| `tasks/` | `chunks.py`, `images.py`, `samples.py`: text and pixels → samples and labels; `baselines.py` |
| `model/` | `forms.py`, `batches.py`: samples in the form of a strategy; `model.py`, `train.py`: the model and a run |
| `runs/` | `pool.py`, `worker.py`: worker processes; `cell.py`, `saved.py`: what is kept of a run |
| `report/` | `summary.py`, `sizes.py`, `why.py`: means and spreads, sizes, sentences; `plot.py`: a picture |

**The same predictions.** Text is cut into chunks at borders that the text before them determines (`tasks/chunks.py`).
Each strategy reads the chunks in its own form: a word's id, ids of byte pairs, bytes, or patches of the rendered chunk.
At each border, the state after the chunk's last token goes to a byte decoder, a GRU of the same size for all, which
gives the probability of each byte of the next chunk. So every strategy predicts every byte of the text once, from all
bytes before it, and bits per byte compare. For classes, the mean state goes to a linear classifier.

**Every strategy, every task.** Words, byte pairs and bytes read an image as a sequence of pixel bytes; patches read
text as an image. Pixels have 32 gray levels for all.

**Tied or not.** On the first task, strategies with a table also predict their own next token with a head over their
vocabulary, tied or untied, at the same weight as the bytes. So a large vocabulary pays for its head. Only bytes are
scored.

**The same compute.** Each run has a budget of CPU seconds of its process (`model/train.py`). Width, blocks, optimizer,
learning rate and data are the same. Results differ slightly between runs, since the number of steps depends on the
machine.

Read next: `tasks/samples.py`, then `model/forms.py` and `model/model.py`.
"""
