"""The Tokens page in a browser."""

import re

import pytest
from playwright.sync_api import Page, expect
from tests.browser.conftest import open_address, pages_with, serving, url_of, watching
from tests.browser.whole_page import expect_accessible, expect_fits_phone
from tokenizers import Tokenizer, models, pre_tokenizers

from rowspace.text import default_tokenizer, tokenize_at_sizes
from rowspace_lab.app import make_app
from rowspace_lab.experiments import trace_training
from rowspace_lab.lab import Lab
from rowspace_lab.server.reply import decode

pytestmark = pytest.mark.browser

LOADED = "section[aria-label=Figure][aria-busy=false]"
AWKWARD = ["שלום עולם e\u0301 \u0301 a\u202eb 👩\u200d👩\u200d👧", "<script>alert(1)</script>", " "]


def pieces(page: Page, size: int) -> list[tuple[str, str]]:
    """The texts and ids shown at one vocabulary size."""
    expect(page.locator(LOADED)).to_be_attached()
    items = page.get_by_role("region", name=f"{size:,} tokens", exact=True).get_by_role("listitem")
    found = [re.fullmatch(r"(.*?)\s+id\s+(\d+)", item, re.DOTALL) for item in items.all_inner_texts()]
    return [(match[1], match[2]) for match in found if match]


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
    cells = page.get_by_role("table").first.get_by_role("row").nth(1).get_by_role("cell")
    for place, text in enumerate(["256", "r", "r", str(first.id), f"{first.count:,}"]):
        expect(cells.nth(place)).to_have_text(text)


def test_pieces_name_the_other_words_that_train_them(visit) -> None:
    page = visit("tokens?sizes=1024&text=unbelievable")
    tokenizer, _ = default_tokenizer()
    piece = page.get_by_role("region", name="1,024 tokens", exact=True).get_by_role("listitem").last
    expect(piece).to_have_attribute("title", re.compile("also in "))
    title = str(piece.get_attribute("title"))
    text = title.split(" · ", maxsplit=1)[0]
    words = title.split("also in ")[1].split(" and ", maxsplit=1)[0].split(", ")
    assert all(text in word and word in tokenizer.decode(tokenizer.encode(word).ids) for word in words)
    piece.hover()
    expect(page.locator("output", has_text="also in").first).to_be_visible()
    expect(page.get_by_role("columnheader", name="other frequent words")).to_be_visible()


@pytest.mark.long
def test_all_pairs_are_counted_at_each_merge(visit) -> None:
    page = visit("tokens?view=merges&step=0&across=true")
    pairs = page.get_by_role("region", name="Pairs after step")
    expect(pairs).to_contain_text("30 tokens, 29 pairs")
    expect(pairs.get_by_role("listitem").first).to_have_text(re.compile(r"a \+ t\s*4"))
    tied = pairs.get_by_role("listitem").filter(has_text=re.compile(r"3$"))
    assert [item.split("\n")[0].strip() for item in tied.all_inner_texts()] == ["t + h", "h + e", "e + ␣", "t + ␣"]
    page.locator("h1").click()
    for tokens in (26, 23, 20, 17):
        page.keyboard.press("ArrowRight")
        expect(pairs).to_contain_text(f"{tokens} tokens, {tokens - 1} pairs")
    page.get_by_text("Merge across spaces").click()
    expect(page.get_by_text("Before the first merge:")).to_have_count(0)
    expect(pairs).not_to_contain_text("␣")


@pytest.mark.long
def test_uploaded_tokenizer_is_compared_side_by_side(visit) -> None:
    page = visit("tokens?view=compare&text=return unbelievable")
    expect(page.get_by_role("region", name="BPE of the standard library (bpe)")).to_be_visible()
    library = Tokenizer(models.WordLevel({"[UNK]": 0, "return": 1}, unk_token="[UNK]"))
    library.pre_tokenizer = pre_tokenizers.Whitespace()
    file = {"name": "mine.json", "mimeType": "application/json", "buffer": library.to_str().encode()}
    page.get_by_label("Your own tokenizer.json").set_input_files(files=[file])
    mine = page.get_by_role("region", name="mine.json (words)")
    expect(mine.get_by_role("listitem")).to_have_text([re.compile("return *id 1"), re.compile("unbelievable *id 0")])
    expect(mine).to_contain_text("vocabulary 2")
    page.wait_for_url(re.compile("with=upload-[0-9a-f]{16}"))
    assert "mine" not in page.url
    page.get_by_role("checkbox", name="BPE of the standard library").uncheck()
    expect(page.get_by_role("region", name="BPE of the standard library (bpe)")).to_have_count(0)


@pytest.mark.refused
@pytest.mark.long
def test_other_files_are_refused(visit) -> None:
    page = visit("tokens?view=compare")
    page.get_by_label("Your own tokenizer.json").set_input_files(
        files=[{"name": "a.json", "mimeType": "application/json", "buffer": b"{}"}]
    )
    expect(page.get_by_role("alert")).to_contain_text("the uploaded file")


@pytest.mark.long
def test_chart_of_sizes_shows_the_measured_values(visit, lab) -> None:
    page = visit("tokens?view=tradeoff")
    reply = decode(page.request.get(f"{page.url.split('/tokens')[0]}/api/tokens/tradeoff").body())
    place = reply.arrays["sizes"].tolist().index(1024)
    page.get_by_role("application", name="What the vocabulary size changes").focus()
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    values = page.get_by_label("Measured at 1,024 tokens")
    expect(values).to_contain_text(f"{reply.arrays['tokens_per_word'][0, place]:.2f}")
    expect(values).to_contain_text(f"{1024 * lab.table.dim * 4 / 1024:.1f} KiB")
    expect(values).to_contain_text(f"{100 * reply.arrays['unwritten'][1, place]:.1f} %")
    expect(values).to_contain_text("0.0 %")


@pytest.mark.long
@pytest.mark.parametrize("view", ["merges", "compare", "tradeoff"])
def test_every_view_is_accessible(visit, view: str) -> None:
    page = visit(f"tokens?view={view}")
    expect_accessible(page, dark=False)
    expect_fits_phone(page)


@pytest.mark.long
def test_chosen_sizes_are_stored_in_the_url(visit) -> None:
    page = visit("tokens")
    page.get_by_text("More controls").click()
    page.get_by_label("512", exact=True).check()
    page.get_by_label("256", exact=True).uncheck()
    expect(page.get_by_role("heading", name="Vocabulary 512")).to_be_visible()
    expect(page.get_by_role("heading", name="Vocabulary 256")).to_have_count(0)
    page.wait_for_url(re.compile("sizes=512"))
    headings = page.get_by_role("heading", name=re.compile("^Vocabulary [0-9]"))
    shown = headings.all_inner_texts()
    page.reload()
    expect(headings).to_have_text(shown)


def test_arrow_keys_step_through_merges(visit) -> None:
    page = visit("tokens?view=merges")
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
    page = visit("tokens?view=merges&learn=default&merge=caf%C3%A9+self&step=1000")
    tokenizer, _ = default_tokenizer()
    found = page.get_by_role("list", name="Tokens after step").get_by_role("listitem")
    expect(found).to_have_count(len(tokenizer.encode("café self").tokens))
    expect(found.last).to_have_text("␣self")


def test_page_opens_with_the_tokenizer_of_the_table(visit, unfold) -> None:
    page = visit("tokens?table=everyday-words")
    figure = page.get_by_role("region", name="Figure")
    expect(figure).to_contain_text("Pieces of the table’s tokenizer")
    expect(figure).not_to_contain_text("[UNK]")
    unfold("More controls")
    expect(page.get_by_role("radio", name="the table’s tokenizer")).to_be_checked()
    page.get_by_role("radio", name="BPE of the standard library").check()
    expect(figure).to_contain_text("Pieces of a BPE tokenizer trained on the standard library")


def test_tokenizer_of_the_table_shows_unknown_words(visit, lab) -> None:
    page = visit("tokens?tokenizer=table&text=return+Zyzzyva")
    size = len(lab.table) + 1
    expect(page.get_by_role("heading", name=f"Vocabulary {size:,}")).to_be_visible()
    assert pieces(page, size) == [("return", str(lab.table.id("return"))), ("Zyzzyva", str(size - 1))]
    expect(page.get_by_text("unknown at this size")).to_be_visible()


@pytest.mark.parametrize("text", [AWKWARD[0], *(pytest.param(text, marks=pytest.mark.long) for text in AWKWARD[1:])])
@pytest.mark.long
def test_unusual_text_is_shown(visit, text: str) -> None:
    page = visit("tokens?view=merges")
    page.get_by_label("Text to merge").fill(text)
    page.get_by_text("Merge across spaces").click()
    characters = page.get_by_role("region", name="Pairs after step").locator("output").first
    expect(characters).not_to_have_text("20")
    page.get_by_text("Pieces", exact=True).click()
    page.get_by_label("Text", exact=True).fill(text)
    tokenizer, _ = default_tokenizer()
    whole = tokenizer.get_vocab_size()
    count = len(tokenizer.encode(text).tokens)
    region = page.get_by_role("region", name=f"{whole:,} tokens", exact=True)
    expect(region.get_by_role("listitem")).to_have_count(count)
    code = page.get_by_label("Python", exact=True).inner_text()
    assert "\u202e" not in page.locator("main").inner_text().replace(code, "")


@pytest.mark.long
def test_training_a_tokenizer_shows_its_progress(context, learned, monkeypatch, tmp_path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    page = context.new_page()
    # A server of its own: it keeps the trained tokenizer, which is not that of other tests.
    with serving(make_app(Lab(*learned), pages=pages_with())) as server, watching(page, url_of(server)):
        open_address(page, f"{url_of(server)}/tokens")
        expect(page.get_by_text("Training a BPE tokenizer")).to_contain_text(re.compile("[0-9]+ % read"))
        expect(page.get_by_role("heading", name="tokens").first).to_be_visible()  # of the table's tokenizer
        expect(page.get_by_text("Training a BPE tokenizer")).to_have_count(0)
        page.get_by_text("More controls").click()
        expect(page.get_by_text("BPE of the standard library").first).to_be_visible()
