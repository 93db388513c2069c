"""The vectors of tokens in their texts, layer by layer, from an encoder of transformers on disk, and linear probes.

| file | contents |
|---|---|
| `encoder.py` | `load_encoder`: a folder → the model and its tokenizer, if it has all weights |
| `rows.py` | `contextual_rows`: texts → the vectors of their tokens, and how much the context decides |
| `probes.py` | `probe`, `probe_layers`: what a linear classifier reads from vectors |
"""

from rowspace.contextual.encoder import LoadedEncoder, load_encoder
from rowspace.contextual.probes import ProbeScore, probe, probe_layers
from rowspace.contextual.rows import ContextualRows, Measures, StatesReader, contextual_rows

__all__ = [
    "ContextualRows",
    "LoadedEncoder",
    "Measures",
    "ProbeScore",
    "StatesReader",
    "contextual_rows",
    "load_encoder",
    "probe",
    "probe_layers",
]
