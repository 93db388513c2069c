"""Claims about layers and trained models, compared with transformers, scikit-learn, gensim and formulas."""

import numpy as np
import pytest
import torch
from gensim.models import KeyedVectors
from safetensors.numpy import load_file
from scipy.stats import sem
from sklearn.metrics.pairwise import cosine_similarity
from transformers import AutoModel, AutoTokenizer, LlamaConfig
from transformers.models.llama.modeling_llama import LlamaAttention

from rowspace.layers import CATALOGUE, PatchEmbedding
from rowspace.learn.default_table import encoder_folder
from rowspace.store import load
from rowspace_lab.lessons.computed.claims.additions import SCHEMES, adding_enough_numbers
from rowspace_lab.lessons.computed.claims.convolutions import seconds_of
from rowspace_lab.lessons.computed.claims.encoder import contextual_soon_figure, orthogonal_figure
from rowspace_lab.lessons.computed.claims.tying import smaller_tied_numbers, tied_better_numbers
from rowspace_lab.pages.analogies.relations import ENGLISH_RELATIONS
from rowspace_lab.tables.english import english_table


def test_positions_that_are_not_added_leave_the_input_as_it_is(measure) -> None:
    found = measure("one_addition")
    assert min(found["learned"], found["sinusoid"]) > 0.1
    assert (found["rotary"], found["alibi"], found["bias"], found["verdict"]) == (0, 0, 0, "false")
    offsets, slopes = np.arange(1 - found["places"], found["places"]), 2.0 ** -np.arange(1, 9)  # of 8 heads
    assert found["alibi_scores"] == pytest.approx(np.std(slopes[:, None] * offsets, axis=1, ddof=1).mean())
    schemes = [model.position_scheme for model in CATALOGUE.values() if model.num_embeddings]
    assert found["others"] == sum(scheme in ("rotary", "alibi", "relative") for scheme in schemes)


def test_best_added_positions_are_compared_with_the_best_others() -> None:
    bits = np.array([[9.0, 9.0, 9.0], [4.0, 4.1, 4.2], [3.0, 3.1, 3.2], [2.7, 2.8, 3.0], [5.0, 5.0, 5.0]])
    found = adding_enough_numbers(bits, schemes=SCHEMES, steps=7)
    assert (found["best"], found["other"], found["none"]) == ("sinusoid", "rotary", 9)
    changes = bits[3] / bits[2] - 1
    assert (found["change"], found["noise"]) == (pytest.approx(changes.mean()), pytest.approx(sem(changes)))
    assert found["verdict"] == "false"


def test_widths_of_tied_models_are_compared() -> None:
    of_width = [
        {"change": change, "noise": 0.01, "runs": 3, "steps": 7, "share": share}
        for change, share in ((-0.08, 0.4), (-0.05, 0.3), (-0.03, 0.2))
    ]
    widths = tied_better_numbers(of_width, dims=[8, 16, 32])
    assert (widths["first"], widths["last"], widths["verdict"]) == (-0.08, -0.03, "true")
    found = smaller_tied_numbers(widths)
    assert (found["more"], found["more_noise"]) == (pytest.approx(-0.05), pytest.approx(0.01 * 2**0.5))
    assert found["verdict"] == "true"


def test_grouped_keys_have_the_shape_of_transformers(measure) -> None:
    found = measure("tied_grouped")
    for groups, rows in ((8, found["most"]), (1, found["fewest"])):
        config = LlamaConfig(hidden_size=512, num_attention_heads=8, num_key_value_heads=groups)
        assert LlamaAttention(config, 0).k_proj.weight.shape == (rows, 512)
    assert CATALOGUE["Llama-3.2-1B"].tied
    assert found["example"] == "Llama-3.2-1B"
    assert (found["tables"], found["verdict"]) == (1, "false")


def test_tokens_and_trained_positions_are_those_of_the_file() -> None:
    found = orthogonal_figure(tokens=30, places=16, seed=3)
    (path,) = encoder_folder().rglob("*.safetensors")
    weights = {name.removeprefix("embeddings."): each for name, each in load_file(path).items()}
    sample = np.sort(np.random.default_rng(3).permutation(30_522)[:30])
    cosines = cosine_similarity(
        weights["word_embeddings.weight"][sample].astype(np.float64), weights["position_embeddings.weight"][:16]
    )
    assert found["learned"] == pytest.approx(np.abs(cosines).mean(), rel=1e-5)
    drawn = np.random.default_rng(0).normal(size=(2000, 384))
    assert found["chance"] == pytest.approx(np.abs(cosine_similarity(drawn[:1000], drawn[1000:])).mean(), rel=0.01)


def test_vectors_of_layers_are_those_of_transformers() -> None:
    texts = ["the bank lends", "the bank is wet", "the bank of it"]
    found = contextual_soon_figure(sentences={"bank": ", ".join(texts)})
    model = AutoModel.from_pretrained(encoder_folder()).eval()
    tokenizer = AutoTokenizer.from_pretrained(encoder_folder())
    vectors = []
    for text in texts:
        with torch.no_grad():
            states = model(**tokenizer(text, return_tensors="pt"), output_hidden_states=True).hidden_states
        vectors.append([state[0, 2].numpy() for state in states])
    similar = [cosine_similarity(layer)[np.triu_indices(3, 1)].mean() for layer in np.swapaxes(vectors, 0, 1)]
    assert [found["input"], found["first"], found["last"]] == pytest.approx(
        [similar[0], similar[1], similar[-1]], abs=1e-5
    )
    assert found["share"] == pytest.approx((1 - similar[1]) / (1 - min(similar)), abs=1e-3)


def test_norms_are_compared_with_the_median(measure, world) -> None:
    found = measure("normalized", world)
    norms = np.linalg.norm(world.rows.astype(np.float64), axis=1)
    assert found["share"] == pytest.approx(np.mean(np.abs(norms / np.median(norms) - 1) <= 0.01))
    assert found["low"] == pytest.approx(np.quantile(norms, 0.05))
    assert found["verdict"] == "false"


def test_analogies_of_both_tables_are_those_of_gensim(measure) -> None:
    found = measure("analogies_models")
    tables = [english_table(), load(encoder_folder())]
    right = []
    for table in tables:
        vectors = KeyedVectors(table.dim)
        vectors.add_vectors(list(table), np.asarray(table.rows, np.float32))
        right.append([])
        for text in ENGLISH_RELATIONS.values():
            pairs = [pair.split() for pair in text.split(",")]
            pairs = [(a, b) for a, b in pairs if all(word in each for word in (a, b) for each in tables)]
            for a, b in pairs:
                for c, d in pairs:
                    if (a, b) != (c, d):
                        right[-1].append(vectors.most_similar(positive=[b, c], negative=[a], topn=1)[0][0] == d)
    assert found["questions"] == len(right[0])
    assert found["word2vec"] == pytest.approx(np.mean(right[0]), abs=0.01)  # ties, and float32
    assert found["model"] == pytest.approx(np.mean(right[1]), abs=0.01)
    assert found["noise"] == pytest.approx(100 * sem(np.subtract(right[1], right[0], dtype=float)), rel=0.05)


def test_factor_multiplies_the_gradient_and_the_step_of_sgd_once_more(measure) -> None:
    found = measure("root_gradient")
    assert found["gradient"] == pytest.approx(256**0.5, rel=1e-4)
    assert found["sgd"] == pytest.approx(256, rel=1e-3)
    assert found["adamw"] == pytest.approx(16, rel=1e-2)
    assert found["verdict"] == "it depends"


def test_each_form_is_run_on_the_same_images_in_turn() -> None:
    order: list[str] = []
    images = torch.randn(1, 3, 8, 8)
    layers = {form: PatchEmbedding(4, 3, 8, form=form) for form in ("convolution", "linear")}
    for form, layer in layers.items():
        layer.register_forward_hook(lambda _, inputs, __, form=form: order.append(form) or None)
    found = seconds_of(layers, images, repeats=3)
    assert order == ["convolution", "linear"] * 3
    assert all(len(each) == 3 and min(each) > 0 for each in found.values())
