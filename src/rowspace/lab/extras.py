"""`needs_torch`: pages that compute with PyTorch, which the workbench starts without."""

from functools import wraps

from rowspace.lab.server.query import Query
from rowspace.lab.server.reply import Reply
from rowspace.lab.state import Answer, Lab

__all__ = ["needs_torch"]


def needs_torch(answer: Answer) -> Answer:
    """`answer`, which may import torch: where there is none, `MissingExtraError` says what to install."""

    @wraps(answer)
    def checked(lab: Lab, query: Query) -> Reply:
        import rowspace.layers  # noqa: F401  # raises the sentence

        return answer(lab, query)

    return checked
