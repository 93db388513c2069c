"""The HTTP side of the workbench: who may send a request, what a request holds, what a response holds.

Knows nothing of tables. Read next: `security.py`, then `query.py` and `reply.py`.
"""
