"""The Tokens page in a browser."""

import re

import pytest
from playwright.sync_api import Page, expect

from rowspace.lab.server.reply import decode
from rowspace.text import default_tokenizer, tokenize_at_sizes, trace_training

pytestmark = pytest.mark.browser

LOADED = "section[aria-label=Figure][aria-busy=false]"
AWKWARD = ["שלום עולם", "e\u0301 \u0301", "<script>alert(1)</script>", "a\u202eb", " ", "👩\u200d👩\u200d👧"]


def pieces(page: Page, size: int) -> list[tuple[str, str]]:
    """The texts and ids shown at one vocabulary size."""
    expect(page.locator(LOADED)).to_be_attached()
    items = page.get_by_role("region", name=f"{size:,} tokens", exact=True).get_by_role("listitem")
    return [tuple(item.split("\n")) for item in items.all_inner_texts()]


def test_pieces_and_ids_match_python(visit) -> None:
    page = visit("tokens?sizes=256,1024")
    page.keyboard.press("/")
    page.keyboard.press("Control+A")
    page.keyboard.type("return self")
    tokenizer, counts = default_tokenizer()
    expect(page.get_by_role("region", name="1,024 tokens", exact=True)).to_contain_text("␣self")
    for size, expected in tokenize_at_sizes("return self", tokenizer, [256, 1024], counts=counts).items():
        assert pieces(page, size) == [(piece.token.replace("Ġ", "␣"), str(piece.id)) for piece in expected]
    first = tokenize_at_sizes("return self", tokenizer, [256], counts=counts)[256][0]
    row = page.get_by_role("table").first.get_by_role("row").nth(1).get_by_role("cell")
    expect(row).to_have_text(["256", "r", "r", str(first.id), f"{first.count:,}"])


def test_chosen_sizes_are_stored_in_the_url(visit) -> None:
    page = visit("tokens")
    page.get_by_label("512", exact=True).check()
    page.get_by_label("256", exact=True).uncheck()
    expect(page.get_by_role("heading", name="512 tokens")).to_be_visible()
    expect(page.get_by_role("heading", name="256 tokens")).to_have_count(0)
    page.wait_for_url(re.compile("sizes=512"))
    headings = page.get_by_role("heading", name=re.compile("[0-9] tokens"))
    shown = headings.all_inner_texts()
    page.reload()
    expect(headings).to_have_text(shown)


def test_arrow_keys_step_through_merges(visit) -> None:
    page = visit("tokens")
    third, fourth = list(trace_training("the cat sat on the mat the cat", 4))[2:]
    expect(page.get_by_role("list", name="Tokens after step 3")).to_have_text("".join(third.tokens))
    expect(page.get_by_text("th + e → the, the most frequent pair: 3 times.")).to_be_visible()
    page.locator("h1").click()
    page.keyboard.press("ArrowRight")
    expect(page.get_by_role("list", name="Tokens after step 4")).to_have_text("".join(fourth.tokens))
    page.wait_for_url(re.compile("step=4"))
    for _ in range(5):
        page.keyboard.press("ArrowLeft")
    expect(page.get_by_role("list", name="Tokens after step 0").get_by_role("listitem")).to_have_count(23)


def test_last_merge_of_a_tokenizer_gives_its_tokens(visit) -> None:
    page = visit("tokens?learn=default&merge=caf%C3%A9+self&step=1000")
    tokenizer, _ = default_tokenizer()
    found = page.get_by_role("list", name="Tokens after step").get_by_role("listitem")
    expect(found).to_have_count(len(tokenizer.encode("café self").tokens))
    expect(found.last).to_have_text("␣self")


def test_tokenizer_of_the_table_shows_unknown_words(visit, lab) -> None:
    page = visit("tokens?tokenizer=table&text=return+Zyzzyva")
    size = len(lab.table) + 1
    expect(page.get_by_role("heading", name=f"{size:,} tokens")).to_be_visible()
    assert pieces(page, size) == [("return", str(lab.table.id("return"))), ("Zyzzyva", str(size - 1))]
    expect(page.get_by_text("unknown at this size")).to_be_visible()


@pytest.mark.parametrize("text", AWKWARD)
def test_unusual_text_is_shown(visit, text: str) -> None:
    page = visit("tokens")
    page.get_by_label("Text", exact=True).fill(text)
    page.get_by_label("Text to merge").fill(text)
    tokenizer, _ = default_tokenizer()
    whole = tokenizer.get_vocab_size()
    count = len(tokenizer.encode(text).tokens)
    region = page.get_by_role("region", name=f"{whole:,} tokens", exact=True)
    expect(region.get_by_role("listitem")).to_have_count(count)
    assert "\u202e" not in page.locator("main").inner_text().replace(page.get_by_label("Python").inner_text(), "")


@pytest.mark.long
def test_training_a_tokenizer_shows_its_progress(
    visit, page, lab_url, monkeypatch: pytest.MonkeyPatch, tmp_path
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    job = decode(page.request.post(f"{lab_url}/api/jobs", data={"kind": "default-tokenizer"}).body()).meta["job"]
    page.request.delete(f"{lab_url}/api/jobs/{job}")  # the server would reuse the finished job of the other lane
    page = visit("tokens")
    expect(page.get_by_text("Training a BPE tokenizer")).to_contain_text(re.compile("[0-9]+ % read"))
    expect(page.get_by_role("heading", name="tokens").first).to_be_visible()  # of the table's tokenizer
    expect(page.get_by_text("Training a BPE tokenizer")).to_have_count(0, timeout=120_000)
    expect(page.get_by_text("BPE of the standard library").first).to_be_visible()
