"""The HTTP layer of the workbench: access control, request parameters, and the format of responses.

It does not depend on tables. Read next: `security.py`, then `query.py` and `reply.py`.
"""
