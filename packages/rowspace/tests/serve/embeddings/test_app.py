"""The application by the official client of OpenAI, in this process."""

from base64 import b64decode
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import openai
import pytest
from starlette.testclient import TestClient
from tests.learn.distillation.small_bert import save_bert

import rowspace as rs
from rowspace.encode import Encoder
from rowspace.errors import UsageError
from rowspace.serve.access import Address
from rowspace.serve.embeddings import KeyMiddleware, Limits, make_app

URL = "http://127.0.0.1:8697"
KEY = "a-key-of-20-letters-"


def official_client(app: object, key: str = "no key", url: str = URL) -> openai.OpenAI:
    inside = TestClient(KeyMiddleware(app, Address("127.0.0.1", 8697), None), base_url=url)
    return openai.OpenAI(base_url=f"{url}/v1", api_key=key, http_client=inside, max_retries=0)


@pytest.fixture
def encoder(words_table: rs.Table) -> Encoder:
    return Encoder(words_table)


@pytest.fixture
def client(encoder: Encoder) -> Iterator[openai.OpenAI]:
    with official_client(make_app(encoder, model="words", created=1_700_000_000)) as client:
        yield client


def test_a_sentence_encoder(tmp_path: Path, assert_close: Callable[..., None]) -> None:
    save_bert(tmp_path)
    encoder = Encoder.load(tmp_path, mode="contextual", normalize=True)
    with official_client(make_app(encoder, model="bert")) as client:
        reply = client.embeddings.create(model="bert", input=["the cat", "a dog"])
        assert_close([item.embedding for item in reply.data], encoder.encode(["the cat", "a dog"]))
        assert reply.usage.total_tokens == 8  # with [CLS] and [SEP]
        by_ids = client.embeddings.create(model="bert", input=[3, 6, 7, 4]).data[0].embedding
        assert_close(by_ids, encoder.encode("the cat"))


def test_each_form_of_input_gives_the_mean_of_its_rows(
    client: openai.OpenAI, mean_vector: Callable[..., np.ndarray], assert_close: Callable[..., None]
) -> None:
    cases = {
        "a text": ("word3 word7", [[3, 7]]),
        "texts": (["word3", "word4 word4 word5"], [[3], [4, 4, 5]]),
        "ids": ([3, 7], [[3, 7]]),
        "lists of ids": ([[3], [4, 4, 5]], [[3], [4, 4, 5]]),
    }
    for name, (given, ids) in cases.items():
        for form in (openai.omit, "float", "base64"):
            reply = client.embeddings.create(model="words", input=given, encoding_format=form, user="someone")
            vectors = [item.embedding for item in reply.data]
            if form == "base64":  # the client decodes base64 only where it has chosen it
                vectors = [np.frombuffer(b64decode(vector), "<f4") for vector in vectors]
            assert_close(np.array(vectors, np.float32), np.array([mean_vector(each) for each in ids], np.float32))
            assert [item.index for item in reply.data] == list(range(len(ids))), name
            assert reply.usage.prompt_tokens == reply.usage.total_tokens == sum(map(len, ids)), name
            assert (reply.model, reply.object, reply.data[0].object) == ("words", "list", "embedding")


def test_floats_and_base64_are_the_same_numbers(client: openai.OpenAI) -> None:
    texts = [f"word{number} word{number + 1}" for number in range(40)]
    floats, packed = (
        np.array(
            [
                item.embedding
                for item in client.embeddings.create(model="words", input=texts, encoding_format=form).data
            ],
            np.float32,
        )
        for form in ("float", openai.omit)
    )
    np.testing.assert_array_equal(floats, packed)


def test_dimensions_keeps_the_first_and_scales_to_length_1(
    client: openai.OpenAI, mean_vector: Callable[..., np.ndarray], assert_close: Callable[..., None]
) -> None:
    for dimensions in (1, 5, 24):
        reply = client.embeddings.create(model="words", input="word1 word2", dimensions=dimensions)
        expected = mean_vector([1, 2], dimensions)
        assert_close(np.array(reply.data[0].embedding, np.float32), expected.astype(np.float32))


def test_text_without_known_tokens_is_zeros(client: openai.OpenAI) -> None:
    reply = client.embeddings.create(model="words", input=["never", "word1", " "], encoding_format="float")
    assert [any(item.embedding) for item in reply.data] == [False, True, False]


def test_lone_surrogate_is_a_text_without_known_tokens(encoder: Encoder) -> None:
    client = TestClient(make_app(encoder, model="words"))
    body = rb'{"model": "words", "input": ["\ud800", "word1 \ud83d"]}'
    reply = client.post("/v1/embeddings", content=body).raise_for_status().json()
    assert [any(item["embedding"]) for item in reply["data"]] == [False, True]


def test_vectors_are_not_scaled_on_request(encoder: Encoder) -> None:
    with official_client(make_app(encoder, model="words", normalize=False)) as client:
        reply = client.embeddings.create(model="words", input="word1 word2")
    np.testing.assert_array_equal(
        np.array(reply.data[0].embedding, np.float32), encoder.encode("word1 word2"), strict=True
    )


def test_large_requests_are_answered_as_small_ones_are(client: openai.OpenAI) -> None:
    """2,000 texts go through a thread."""
    texts = [f"word{number % 50} word{number % 49}" for number in range(2000)]
    reply = client.embeddings.create(model="words", input=texts)
    one_by_one = [client.embeddings.create(model="words", input=text).data[0].embedding for text in texts[:60]]
    assert [item.embedding for item in reply.data][:60] == one_by_one


def test_models_are_listed(client: openai.OpenAI) -> None:
    [model] = client.models.list().data
    assert (model.id, model.created, model.owned_by) == ("words", 1_700_000_000, "rowspace")
    assert client.models.retrieve("words") == model
    with pytest.raises(openai.NotFoundError, match="there is no model 'a/b'; this server has 'words'"):
        client.models.retrieve("a/b")


def test_wrong_requests_raise_the_typed_errors_of_the_client(client: openai.OpenAI) -> None:
    cases = [
        ({"model": "other"}, openai.NotFoundError, None, "model_not_found", "there is no model 'other'; this server"),
        ({"input": ""}, openai.BadRequestError, "input", None, "input 0 must be a text that is not empty"),
        ({"input": []}, openai.BadRequestError, "input", None, "input must be a text, a list of texts"),
        ({"input": ["a", ""]}, openai.BadRequestError, "input", None, "input 1 must be a text that is not empty"),
        ({"input": [[]]}, openai.BadRequestError, "input", None, "input 0 must be a text or a list of token ids"),
        ({"input": [[1], [50]]}, openai.BadRequestError, "input", None, "token id 50 of input 1 is out of range"),
        ({"input": ["word1"] * 2049}, openai.BadRequestError, "input", None, "at most 2,048 texts, not 2,049"),
        ({"input": "word1 " * 300_001}, openai.BadRequestError, "input", None, "at most 300,000 tokens, not 300,001"),
        ({"input": [[1] * 300_001]}, openai.BadRequestError, "input", None, "at most 300,000 tokens"),
        ({"dimensions": 25}, openai.BadRequestError, "dimensions", None, "an integer from 1 to 24"),
        ({"dimensions": 0}, openai.BadRequestError, "dimensions", None, "an integer from 1 to 24"),
        ({"encoding_format": "hex"}, openai.BadRequestError, "encoding_format", None, "float or base64, not"),
        ({"model": ""}, openai.BadRequestError, "model", None, "model must be a name of a model"),
    ]
    for given, error, param, code, message in cases:
        with pytest.raises(error, match=message) as caught:
            client.embeddings.create(**{"model": "words", "input": "word1", **given})
        assert (caught.value.param, caught.value.code) == (param, code), given
        assert caught.value.type == "invalid_request_error", given
    with pytest.raises(openai.APIStatusError, match="the body must have at most 4,194,304 bytes") as caught:
        client.embeddings.create(model="words", input="a" * (4 << 20))
    assert caught.value.status_code == 413


def test_requests_beyond_the_limit_are_refused(encoder: Encoder) -> None:
    with official_client(make_app(encoder, model="words", limits=Limits(requests=0))) as client:
        with pytest.raises(openai.RateLimitError, match="0 requests are in progress; send this one again") as caught:
            client.embeddings.create(model="words", input="word1")
        assert caught.value.response.headers["retry-after"] == "1"


def test_refused_requests_do_not_count_as_in_progress(encoder: Encoder) -> None:
    with official_client(make_app(encoder, model="words", limits=Limits(requests=1))) as client:
        for _ in range(3):
            with pytest.raises(openai.BadRequestError):
                client.embeddings.create(model="words", input="")
        assert client.embeddings.create(model="words", input="word1").data


def test_table_with_infinity_gives_a_server_error(words_table: rs.Table) -> None:
    rows = words_table.rows.copy()
    rows[7, 3] = np.inf
    encoder = Encoder(rs.Table(list(words_table.vocabulary), rows, tokenizer=words_table.tokenizer))
    with official_client(make_app(encoder, model="words")) as client:
        with pytest.raises(openai.InternalServerError, match="the vector of input 1 has NaN or infinity") as caught:
            client.embeddings.create(model="words", input=["word1", "word7"])
        assert caught.value.response.headers["x-should-retry"] == "false"
        assert client.embeddings.create(model="words", input=["word1"]).data


def test_other_paths_and_methods_give_error_objects(encoder: Encoder) -> None:
    client = TestClient(make_app(encoder, model="words"))
    missing, wrong = client.get("/v1/chat/completions"), client.get("/v1/embeddings")
    assert (missing.status_code, missing.json()["error"]["code"]) == (404, "unknown_url")
    assert "this server has POST /v1/embeddings" in missing.json()["error"]["message"]
    assert (wrong.status_code, wrong.headers["allow"]) == (405, "POST")
    assert wrong.json()["error"]["message"] == "/v1/embeddings accepts POST, not GET"
    assert client.get("/health").json() == {"status": "ok"}


def test_unexpected_error_is_an_error_object(encoder: Encoder) -> None:
    class Broken(Encoder):
        def encode_and_count(self, texts: object) -> tuple[np.ndarray, np.ndarray]:
            raise ZeroDivisionError("a secret detail")

    app = make_app(Broken(encoder.table), model="words")
    answer = TestClient(app, raise_server_exceptions=False).post(
        "/v1/embeddings", json={"model": "words", "input": "a"}
    )
    assert (answer.status_code, answer.json()["error"]["type"]) == (500, "server_error")
    assert "secret" not in answer.text
    assert answer.headers["connection"] == "close"


def test_encoder_of_other_numbers_is_refused(words_table: rs.Table) -> None:
    with pytest.raises(UsageError, match="must give float32, not int8; omit dtype="):
        make_app(Encoder(words_table, dtype="int8"), model="words")
