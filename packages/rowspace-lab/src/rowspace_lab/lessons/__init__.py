"""The seventeen lessons: their texts in `texts/`, the functions that compute their numbers, and their routes.

Every number of the text is computed by a function (`{=name}`) or cited with its source (`{@name}`). A question follows
the figure that answers it, which is held back until then; its option `shows` is the state in which the figure shows the
answer, with `{name}` for the question's fields. `source` parses the text, `computed` has the functions.
"""

from rowspace_lab.lessons.routes import ROUTES
from rowspace_lab.page import Page

__all__ = ["PAGE"]

PAGE = Page("lessons", ROUTES)
