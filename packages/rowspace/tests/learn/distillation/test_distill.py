"""Tables from a small BERT, compared with model2vec and opened by it and by sentence-transformers."""

import numpy as np
import pytest
from model2vec import StaticModel
from sentence_transformers import SentenceTransformer
from tokenizers import Tokenizer
from transformers import AutoModel

import rowspace as rs
from rowspace.errors import FileFormatError, UsageError
from rowspace.learn import DistillReports, distill
from rowspace.learn.distillation.student_tokens import student_tokens

TEXT = ["the cat sat on the mat", "the redcat ran", "a dog sat on the new mat, the redcat"]


@pytest.fixture(scope="module")
def table(bert):
    return distill(bert, words=["redcat", "new york"], dim=8)


def test_rows_are_those_of_model2vec(bert, peer, table, assert_close):
    tokens = student_tokens((bert / "tokenizer.json").read_text(), ["redcat", "new york"])
    learned = np.array([bool(ids) for ids in tokens.inputs])
    model = AutoModel.from_pretrained(bert)
    vectors = peer.create_embeddings(model, [ids for ids in tokens.inputs if ids], "cpu", 0)
    rows = peer.apply_pca(vectors, 8) * peer.compute_weights(len(vectors), 1e-4)[:, None]
    found = table.rows[learned]
    signs = np.sign((found * rows).sum(0))  # the two choose the signs of components differently
    assert_close(found, (rows * signs).astype(np.float32))
    assert not table.rows[~learned].any()


@pytest.mark.parametrize("format_name", ["native", "model2vec"])
def test_model2vec_opens_the_table(table, tmp_path, assert_close, format_name):
    table.save(tmp_path / "table", format=format_name)
    model = StaticModel.from_pretrained(tmp_path / "table")
    tokens = ["the", "redcat", "in", "new york"]
    texts = ["the redcat sat in New York", "the cat", ""]
    found = model.encode(texts)
    rows = table[["the", "redcat", "sat", "i", "##n", "new york"]]
    assert_close(found[0], rows.mean(0))
    assert_close(found[1], table[["the", "cat"]].mean(0))
    assert not found[2].any()
    assert tokens[1] in model.tokens


def test_sentence_transformers_opens_the_table(table, tmp_path, assert_close):
    table.save(tmp_path / "table")
    found = SentenceTransformer(str(tmp_path / "table"), device="cpu").encode(["the redcat in New York"])
    assert_close(found[0], table[["the", "redcat", "i", "##n", "new york"]].mean(0))


def test_normalization_of_the_encoder_is_kept(encoder, bert, tmp_path):
    normalized = distill(encoder, dim=4)
    assert normalized.settings["normalize"] is True
    assert distill(bert, dim=4).settings["normalize"] is False
    normalized.save(tmp_path / "table", format="model2vec")
    np.testing.assert_allclose(np.linalg.norm(StaticModel.from_pretrained(tmp_path / "table").encode(["the cat"])), 1)


def test_words_and_counts_of_a_corpus(bert, assert_close):
    table = distill(bert, corpus=TEXT, min_count=2, dim=8)
    assert table.vocabulary[-1] == "redcat"  # the other words that occur twice are tokens already
    library = Tokenizer.from_str(table.tokenizer)
    ids = np.concatenate([encoding.ids for encoding in library.encode_batch(TEXT)])
    np.testing.assert_array_equal(table.counts, np.bincount(ids, minlength=len(table)))
    plain = distill(bert, words=["redcat"], sif=0.0, dim=8)
    weights = 1e-4 / (1e-4 + table.counts / len(ids))
    assert_close(table.rows, (plain.rows * weights[:, None]).astype(np.float32))
    assert (table.settings["weights"], plain.settings["weights"]) == ("corpus", "none")


def test_most_frequent_words_of_a_corpus(bert):
    texts = ["zed zed zed yap yap xox"] * 2
    assert distill(bert, corpus=iter(texts), min_count=1, max_words=2, dim=4).vocabulary[-2:] == ["zed", "yap"]
    table = distill(bert, corpus=texts, max_words=0, dim=4)
    assert table.settings["extra_words"] == 0
    assert table.counts.sum() > 0


def test_share_of_variance_and_settings(bert, table):
    whole = distill(bert, words=["redcat", "new york"], sif=0.0)
    assert whole.dim == 24
    assert whole.settings["variance"] == pytest.approx(1)
    variances = whole.rows[whole.rows.any(1)].var(0)
    assert table.settings["variance"] == pytest.approx(variances[:8].sum() / variances.sum(), rel=1e-4)
    assert {name: table.settings[name] for name in ("dim", "pooling", "model_dim", "extra_words", "model")} == {
        "dim": 8,
        "pooling": "mean",
        "model_dim": 24,
        "extra_words": 2,
        "model": "bert",
    }


def test_batches_change_nothing_and_are_reported(bert, table, assert_close):
    progress = []
    again = distill(
        bert, words=["redcat", "new york"], dim=8, batch_size=7, reports=DistillReports(on_tokens=progress.append)
    )
    assert_close(again.rows, table.rows)
    assert [each.tokens for each in progress[:2]] == [7, 14]
    assert progress[-1].tokens == progress[-1].total == table.settings["distilled"]


def test_saved_table_opens_again(table, tmp_path):
    table.save(tmp_path / "table")
    again = rs.load(tmp_path / "table", verify=True)
    np.testing.assert_array_equal(again["new york"], table["new york"])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"dim": 25}, "dim must be at most the length of the model's vectors, 24, not 25"),
        ({"dims": 8}, "distill has no option 'dims'; did you mean dim?"),
        ({"pooling": "sum"}, "pooling must be one of mean, first, last, max, not 'sum'"),
        ({"words": "cat"}, "words must be a list of words, not one string"),
        ({"words": ["cat " * 20]}, "has 22 tokens, but the model reads 16; omit it"),
        ({"corpus": "-"}, "the corpus is read twice, so it cannot be standard input; give a file"),
    ],
)
def test_invalid_options(bert, options, message):
    with pytest.raises(UsageError) as caught:
        distill(bert, **options)
    assert message in str(caught.value)


def test_tokenizer_of_another_model(bert, tmp_path):
    model = AutoModel.from_pretrained(bert)
    model.resize_token_embeddings(20)
    model.save_pretrained(tmp_path)
    (tmp_path / "tokenizer.json").write_bytes((bert / "tokenizer.json").read_bytes())
    (tmp_path / "tokenizer_config.json").write_bytes((bert / "tokenizer_config.json").read_bytes())
    with pytest.raises(FileFormatError, match=r"tokenizer\.json has id 71, but the model has 20 rows"):
        distill(tmp_path)
