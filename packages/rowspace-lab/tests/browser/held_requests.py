"""Requests of a page that wait until a test lets them continue."""

from playwright.sync_api import Page, Route


def hold(page: Page, pattern: str) -> list[Route]:
    """Hold all later requests whose URL matches, and return the list to which each is added."""
    held: list[Route] = []

    def add(route: Route) -> None:
        held.append(route)

    page.route(pattern, add)
    return held
