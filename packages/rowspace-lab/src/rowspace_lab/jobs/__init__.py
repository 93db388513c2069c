"""Background jobs: each runs in its own process and sends progress and frames to the page.

Read next: `kinds.py` (what a page registers), `jobs.py` (starts and stops jobs), `processes.py` (starts processes, and
keeps a spare one), `worker.py` (the process of a job).
"""
