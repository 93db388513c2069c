"""The place of an element for gestures of the mouse, which, unlike clicks, do not wait until the page is still."""

from typing import Any

from playwright.sync_api import FloatRect, Locator

AT_REST = """async (element) => {
  const place = () => JSON.stringify(element.getBoundingClientRect());
  for (let before = place(), frames = 0; frames < 20; frames += 1) {
    await new Promise(requestAnimationFrame);
    if (place() !== before) [before, frames] = [place(), 0];
  }
  return element.getBoundingClientRect();
}"""


def box_at_rest(element: Locator) -> FloatRect:
    """Return the box of an element that has not moved for 20 frames."""
    box: Any = element.evaluate(AT_REST)
    return FloatRect(x=box["x"], y=box["y"], width=box["width"], height=box["height"])
