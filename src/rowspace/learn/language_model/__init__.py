"""Train a small language model, whose rows are a table: `rowspace train`.

| file | contents |
|---|---|
| `options.py` | the options of the model, its tokens and the training |
| `model.py` | the decoder |

Nothing here imports PyTorch until a model is made.
"""
