"""Render the prose of a lesson, with its values, as HTML for the workbench and as Markdown for the documentation."""

import re
from collections.abc import Callable
from html import escape

from markdown_it import MarkdownIt

from rowspace_lab.lessons.source.values import Value, Values

__all__ = ["VALUE", "plain_text", "prose_html", "prose_markdown"]

VALUE = re.compile(r"\{([=@][^{}\s]+)\}")
"""A value in the text, such as `{=distance:.3f}` or `{@gpt2_ids}`."""
_FIELD = re.compile(r"\{(\w+)\}")
_FIRST = 0xE000  # a private character stands for each value while Markdown is rendered
_MARKDOWN = MarkdownIt("commonmark", {"html": False}).enable("table")


def prose_html(text: str, values: Values, fields: dict[str, str] | None = None) -> str:
    """Return prose as HTML; each value is a `<data>` element whose title says where it comes from.

    `fields` are the `{name}` of the question that the prose belongs to; `{answer}` is emphasized.
    """
    found: list[str] = []

    def hold(html: str) -> str:
        found.append(html)
        return chr(_FIRST + len(found) - 1)

    held = VALUE.sub(lambda match: hold(_element(values.find(match[1]))), text)
    held = _FIELD.sub(lambda match: hold(_field(match, fields)), held)
    html = str(_MARKDOWN.render(held)).replace("<th></th>", "<td></td>")  # an empty cell is not a header
    return "".join(found[ord(c) - _FIRST] if _FIRST <= ord(c) < _FIRST + len(found) else c for c in html)


def prose_markdown(text: str, values: Values, fields: dict[str, str] | None = None) -> str:
    """Return prose as Markdown with its values written out."""
    return _written(text, lambda expression: values.find(expression).text, fields)


def plain_text(text: str) -> str:
    r"""Return prose without values, formulas in backticks, rules of tables and targets of links, to count its words.

    >>> plain_text("| rows | `d` |\n|---|---|\n| [all](/cost) | {=size} |").split()
    ['rows', '[all]']
    """
    without = re.sub(r"`[^`]*`|\||---+", " ", VALUE.sub(" ", text))
    return re.sub(r"\]\([^)]*\)", "]", without)


def _written(text: str, value: Callable[[str], str], fields: dict[str, str] | None) -> str:
    written = VALUE.sub(lambda match: value(match[1]), text)
    return _FIELD.sub(lambda match: (fields or {}).get(match[1], match[0]), written)


def _field(match: re.Match[str], fields: dict[str, str] | None) -> str:
    text = escape((fields or {}).get(match[1], match[0]))
    return f'<b class="computed">{text}</b>' if match[1] == "answer" else text


def _element(value: Value) -> str:
    title = {"computed": f"Computed by {value.source}", "cited": f"Cited from {value.source}"}.get(
        value.kind, value.source
    )
    return (
        f'<data class="{value.kind}" value="{escape(value.text)}" title="{escape(title)}">{escape(value.text)}</data>'
    )
