"""Long work of the workbench: each job runs in its own process and reports progress and frames to the page.

Read next: `kinds.py` (what a page registers), `jobs.py` (starts and ends jobs), `worker.py` (the process of one job).
"""
