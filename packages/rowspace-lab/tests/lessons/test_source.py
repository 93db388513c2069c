"""The source of lessons: blocks, values and prose, and what is refused."""

from types import ModuleType

import numpy as np
import pytest

import rowspace as rs
from rowspace.errors import UsageError
from rowspace_lab.lab import Lab
from rowspace_lab.lessons.source import SourceError, Values, parse_document, plain_text, prose_html, prose_markdown
from rowspace_lab.lessons.source.values import citations

HEADER = "---\ntitle: Rows\n---\n"


@pytest.fixture
def module() -> ModuleType:
    """A module as a lesson has it: a number, a mapping, a number of the table, and one that needs counts."""
    made = ModuleType("lesson_of_a_test")

    def needs_counts(table: rs.Table) -> int:
        if table.counts is None:
            raise UsageError("this table has no counts")
        return int(table.counts.sum())

    vars(made).update(
        third=lambda: 1 / 3,
        pair=lambda: {"first": 38597376, "nested": {"last": 2}},
        size=lambda table: table.rows.shape[0],
        needs_counts=needs_counts,
        text="not a function",
    )
    return made


@pytest.fixture
def values(module: ModuleType) -> Values:
    return Values(module, Lab(rs.Table(["a", "b"], np.eye(2)), "table"))


def test_blocks_keep_their_order_parts_and_lines() -> None:
    document = parse_document(
        HEADER
        + "First.\n\n:::figure /words?table=six-words&k=3\n:::\nSecond.\n:::mistake\nBelief.\n---\nEvidence.\n:::"
    )
    assert [(block.kind, block.argument, block.parts, block.line) for block in document.blocks] == [
        ("prose", "", ("First.",), 4),
        ("figure", "/words?table=six-words&k=3", (), 6),
        ("prose", "", ("Second.",), 8),
        ("mistake", "", ("Belief.", "Evidence."), 9),
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("title: Rows\n", "the header must be the first block"),
        ("---\ntitle\n---\n", "line 2: a line of the header must be 'name: value'"),
        (HEADER + ":::question one\nPrompt.\n---\nAnswer.\n", "line 4: the block is not closed"),
        (HEADER + ":::figure /words\n:::card\n:::", "line 4: the block is not closed"),
        (HEADER + "\n:::picture\n:::", "line 5: no block is named 'picture'; the kinds are prose, figure"),
        (HEADER + ":::question one\nPrompt.\n:::", "line 4: a question has 2 parts between lines of ---, not 1"),
        (HEADER + ":::figure /words\none\n---\ntwo\n:::", "a figure has 0 to 1 parts between lines of ---, not 2"),
        (HEADER + ":::question one two\na\n---\nb\n:::", "line 4: a question takes one argument, not one two"),
    ],
)
def test_source_that_is_not_well_formed_is_refused_with_its_line(text: str, message: str) -> None:
    with pytest.raises(SourceError, match=message):
        parse_document(text)


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        ("=third:.3f", "0.333"),
        ("=pair.first:,", "38,597,376"),
        ("=pair.nested.last", "2"),
        ("=size", "2"),
    ],
)
def test_values_are_computed_and_formatted(values: Values, expression: str, text: str) -> None:
    found = values.find(expression)
    assert (found.text, found.kind) == (text, "computed")
    assert found.source.startswith("lesson_of_a_test.")


def test_unavailable_value_has_a_reason(values: Values) -> None:
    assert values.find("=needs_counts") == ("—", "this table has no counts", "missing")


@pytest.mark.parametrize("expression", ["=unknown", "=text", "=pair.second", "=third.field", "@unknown"])
def test_value_that_does_not_exist_is_refused(values: Values, expression: str) -> None:
    with pytest.raises(SourceError, match="has no"):
        values.find(expression)


def test_html_has_values_with_their_source_and_no_markup_of_its_own(values: Values) -> None:
    html = prose_html("**A** third is {=third:.2f}, not `{=pair.first}` of {name} <script>", values, {"name": "<b>"})
    assert "<strong>A</strong>" in html
    assert '<data class="computed" value="0.33" title="Computed by lesson_of_a_test.third">0.33</data>' in html
    assert "<code><data" in html
    assert "&lt;script&gt;" in html
    assert "&lt;b&gt;" in html


def test_markdown_has_values_written_out(values: Values) -> None:
    assert prose_markdown("{=size} rows of {name} {other}", values, {"name": "a"}) == "2 rows of a {other}"


def test_plain_text_has_no_values_formulas_or_link_targets() -> None:
    assert plain_text("{=size:.3f} of `2Vd` is [here](/cost?d=4)").split() == ["of", "is", "[here]"]


def test_every_cited_value_names_a_work_with_an_address() -> None:
    works, values = citations()["works"], citations()["values"]
    for name, value in values.items():
        assert value["text"], name
        assert value["work"] in works, name
    for name, work in works.items():
        assert work.keys() >= {"authors", "title", "year", "url"}, name
        assert work["url"].startswith("https://"), name
