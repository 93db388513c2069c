"""Runs of the Training page's job in this process, shortened to a few steps."""

from rowspace_lab.jobs.kinds import Progress
from rowspace_lab.lab import Lab
from rowspace_lab.pages.training.runs import job_kinds
from rowspace_lab.server.query import Query
from rowspace_lab.server.reply import Reply

SHORT = {"steps": 6, "record": 2, "evaluate": 3, "batch_size": 2}


def train_short(lab: Lab, run: str, **options: object) -> list[Progress | Reply]:
    """Train a run of the page for a few steps, and return what its job has yielded."""
    kind = job_kinds()["train"]
    read = kind.read(lab, Query({"run": [run]}))
    return list(kind.run(**{**read, "options": {**read["options"], **SHORT, **options}}))
