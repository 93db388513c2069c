"""Small random models of every model type of transformers: what their first block receives is the oracle of recipes.

`small.py` has the sizes, `models.py` builds a model, `recorded.py` runs it, `agreement.py` compares it with
`rowspace.layers`.
"""
