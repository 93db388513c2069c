"""The tables that every page can show, by the id in `?table=`.

`tables.py` has the list and opens a table when it is first requested. What can be opened: `examples.py` (a few rows,
exact), `typed.py` (rows typed into the page), `small_world.py` (sentences of a grammar) learned by `world.py`,
`everyday.py` (a trained model's table) and `recent.py` (files of this machine). `routes.py` has the routes under
`/api/tables`.
"""
