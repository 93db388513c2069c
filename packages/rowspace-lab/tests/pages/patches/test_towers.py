"""Vectors of texts and pictures equal those of CLIP and SigLIP in transformers."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch
import transformers as tf
from tests.checkpoints import IDS, SIZES, WORDS, save_model

from rowspace.errors import UsageError
from rowspace_lab.lab import Lab
from rowspace_lab.pages.patches.images import fit_picture
from rowspace_lab.pages.patches.pictures import KNOWN, photograph
from rowspace_lab.server.reply import Reply

Ask = Callable[..., Reply]
TEXT = {**SIZES, **IDS, "vocab_size": len(WORDS), "hidden_size": 16, "max_position_embeddings": 10}
VISION = {**SIZES, "hidden_size": 24, "image_size": 12, "patch_size": 4}
TEXTS = ["a flower", "the cat sat on the temple"]


def clip() -> tf.CLIPModel:
    return tf.CLIPModel(tf.CLIPConfig(text_config=TEXT, vision_config=VISION, projection_dim=6))


def siglip() -> tf.SiglipModel:
    text = {**TEXT, "projection_size": 24}
    return tf.SiglipModel(tf.SiglipConfig(text_config=text, vision_config=VISION))


def images_of(mean: tuple[float, ...], deviation: tuple[float, ...]) -> torch.Tensor:
    """The included pictures, normalized with NumPy."""
    pixels = np.stack([fit_picture(photograph(name), height=12, width=12, channels=3) for name in KNOWN]) / 255
    return torch.tensor((pixels - mean) / deviation, dtype=torch.float32).permute(0, 3, 1, 2)


def unit(vectors: torch.Tensor | tuple[torch.Tensor, ...]) -> np.ndarray:
    pooled = getattr(vectors, "pooler_output", vectors)  # since transformers 5
    return torch.nn.functional.normalize(pooled, dim=1).numpy()


def test_clip_equals_transformers(tmp_path: Path, check_code: Ask) -> None:
    model = clip()
    reply = check_code(save_model(model, tmp_path), "patches/towers", texts=TEXTS)
    images = images_of((0.48145466, 0.4578275, 0.40821073), (0.26862954, 0.26130258, 0.27577711))
    with torch.no_grad():
        for place, text in enumerate(TEXTS):
            ids = torch.tensor([[WORDS.index(word) for word in ["[BOS]", *text.split(), "[EOS]"]]])
            expected = unit(model.get_text_features(ids, attention_mask=torch.ones_like(ids)))
            np.testing.assert_allclose(reply.arrays["texts"][place], expected[0], atol=1e-5)
        expected = unit(model.get_image_features(images))
    np.testing.assert_allclose(reply.arrays["pictures"], expected, atol=1e-5)
    np.testing.assert_allclose(reply.arrays["cosines"], expected @ reply.arrays["texts"].T, atol=1e-5)
    assert reply.arrays["positions"].shape == (5, 2)


def test_siglip_equals_transformers(tmp_path: Path, check_code: Ask) -> None:
    model = siglip()
    reply = check_code(save_model(model, tmp_path), "patches/towers", texts=TEXTS)
    with torch.no_grad():
        for place, text in enumerate(TEXTS):
            ids = [WORDS.index(word) for word in ["[BOS]", *text.split(), "[EOS]"]]
            padded = torch.tensor([ids + [0] * (10 - len(ids))])
            expected = unit(model.get_text_features(padded))
            np.testing.assert_allclose(reply.arrays["texts"][place], expected[0], atol=1e-5)
        expected = unit(model.get_image_features(images_of((0.5, 0.5, 0.5), (0.5, 0.5, 0.5))))
    np.testing.assert_allclose(reply.arrays["pictures"], expected, atol=1e-5)


def test_long_text_keeps_its_last_token(tmp_path: Path, ask: Ask) -> None:
    lab = save_model(clip(), tmp_path)
    longest, longer = "the cat " * 4, "the cat " * 9  # with special tokens, the model takes 10
    reply = ask(lab, "patches/towers", texts=[longest.strip(), longer.strip()])
    np.testing.assert_allclose(reply.arrays["texts"][0], reply.arrays["texts"][1], atol=1e-6)


def test_table_without_images_is_refused(lab: Lab, ask: Ask) -> None:
    with pytest.raises(UsageError, match="open a CLIP or SigLIP checkpoint"):
        ask(lab, "patches/towers")
