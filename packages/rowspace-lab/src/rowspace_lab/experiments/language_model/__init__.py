"""Train a small language model, whose input rows are a table: `rowspace.train`.

| file | contents |
|---|---|
| `train.py`, `options.py` | `rowspace.train` and its options |
| `model/` | `model.py`: the decoder; `transformers_model.py`: the model as transformers writes it |
| `data.py` | corpus → ids on disk, a part of them held out |
| `trainer.py` | the steps, and when to save and to measure |
| `schedule.py`, `divergence.py` | the batch and the rate of a step; what to say where a loss is not finite |
| `rows.py` | rows that learn freely, not at all, or by a change of low rank |
| `evaluate.py` | bits per byte |
| `telemetry/` | `recorder.py`: what happens to the rows; `events.py`: the file that records it |
| `run_folder/` | `folder.py`, `checkpoint.py`, `loaded_run.py`: the lock, the checkpoints, opening a run |

Nothing imports PyTorch before a model is made. Read next: `model/model.py`, then `trainer.py`.
"""
