"""Head and Patches in a browser with an open checkpoint of text and images."""

from collections.abc import Callable, Iterator

import pytest
import transformers as tf
from playwright.sync_api import Page, expect
from tests.browser.conftest import serving
from tests.checkpoints import IDS, SIZES, WORDS, save_model

from rowspace_lab.app import make_app
from rowspace_lab.lab import Lab

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def clip_lab(tmp_path_factory: pytest.TempPathFactory) -> Lab:
    text = {**SIZES, **IDS, "vocab_size": len(WORDS), "hidden_size": 16, "max_position_embeddings": 10}
    vision = {**SIZES, "hidden_size": 24, "image_size": 12, "patch_size": 4}
    config = tf.CLIPConfig(text_config=text, vision_config=vision, projection_dim=6)
    return save_model(tf.CLIPModel(config), tmp_path_factory.mktemp("clip"))


@pytest.fixture(scope="module")
def lab_url(clip_lab: Lab) -> Iterator[str]:
    with serving(make_app(clip_lab)) as server:
        yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"


@pytest.mark.long
def test_texts_and_pictures_are_on_one_map(visit: Callable[[str], Page], clip_lab: Lab, ask) -> None:
    page = visit("patches")
    page.get_by_text("texts", exact=True).click()
    expect(page.get_by_role("application", name="4 texts and 3 pictures on one map")).to_be_visible()
    texts = ["the cat sat", "a flower"]
    page.get_by_label("Texts, one per line").fill("\n".join(texts))
    page.get_by_label("Texts, one per line").press("Tab")
    picture_map = page.get_by_role("application", name="2 texts and 3 pictures on one map")
    expect(picture_map).to_be_visible()
    cosines = ask(clip_lab, "patches/towers", texts=texts).arrays["cosines"]
    shown = [f"{value:.3f}".replace("-", "\N{MINUS SIGN}") for value in cosines.T.flatten()]
    expect(page.get_by_role("table", name="Cosine of picture and text").get_by_role("cell")).to_have_text(["", *shown])
    for _ in range(3):
        picture_map.press("ArrowRight")
    best = texts[int(cosines[0].argmax())]
    expect(page.locator("figcaption")).to_contain_text(f"china.jpg: {best}")


def test_filters_of_the_checkpoint_stand_next_to_the_others(visit: Callable[[str], Page]) -> None:
    page = visit("patches?figure=filters")
    figure = page.get_by_role("region", name="Figure")
    expect(figure.get_by_role("heading", name="Of the open checkpoint")).to_be_visible()
    expect(figure).to_contain_text("The 16 with the largest norms of 24.")
    expect(figure.get_by_role("img", name="Checkpoint, filter")).to_have_count(16)
