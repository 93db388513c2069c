"""The Analogies page: "a is to b as c is to ...", the parallelogram, and examples."""

from rowspace_lab.page import Page
from rowspace_lab.pages.analogies import answers, relations, words

__all__ = ["PAGE"]

PAGE = Page("analogies", {**answers.ROUTES, **relations.ROUTES, **words.ROUTES})
