"""Train a small language model, whose input rows are a table: `rowspace.train`.

| file | contents |
|---|---|
| `train.py`, `options.py` | `rowspace.train` and its options |
| `model.py` | the decoder |
| `data.py` | corpus → ids on disk, a part of them held out |
| `trainer.py` | the steps, and when to save and to measure |
| `schedule.py`, `divergence.py` | the batch and the rate of a step; what to say where a loss is not finite |
| `rows.py` | rows that learn freely, not at all, or by a change of low rank |
| `evaluate.py` | bits per byte |
| `telemetry.py`, `events.py` | what happens to the rows, and the file that records it |
| `run_folder.py`, `checkpoint.py`, `loaded_run.py` | the folder of a run: lock, checkpoints, opening it |
| `contextual.py`, `probes.py` | a token's vectors in its texts, and what a linear probe reads from vectors |
| `transformers_model.py` | the model as transformers writes it |

Nothing imports PyTorch before a model is made. Read next: `model.py`, then `trainer.py`.
"""
