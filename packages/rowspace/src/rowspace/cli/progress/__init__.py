"""The progress of long commands on standard error: bars on a terminal, lines at intervals elsewhere.

Read `fit.py` first.
"""
