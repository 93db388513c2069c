import json

import numpy as np
import pytest
from safetensors.numpy import save_file

from rowspace.errors import FileFormatError, RowspaceError, UsageError
from rowspace.store import formats
from rowspace.store.model_formats import checkpoint
from rowspace.table import Table

ROWS = np.eye(4, 3, dtype=np.float32)
INDEX = "model.safetensors.index.json"
SIZES = {"vocab_size": 64}  # larger than the vocabulary of the test tokenizers


def bert():
    from transformers import BertConfig, BertModel

    return BertModel(
        BertConfig(**SIZES, hidden_size=8, num_hidden_layers=1, num_attention_heads=2, intermediate_size=8)
    )


def gpt2():
    from transformers import GPT2Config, GPT2LMHeadModel

    return GPT2LMHeadModel(
        GPT2Config(**SIZES, n_embd=8, n_layer=1, n_head=2, n_positions=8, bos_token_id=0, eos_token_id=0)
    )


def llama():
    from transformers import LlamaConfig, LlamaForCausalLM

    return LlamaForCausalLM(
        LlamaConfig(**SIZES, hidden_size=8, num_hidden_layers=1, num_attention_heads=2, intermediate_size=8)
    )


def t5():
    from transformers import T5Config, T5ForConditionalGeneration

    return T5ForConditionalGeneration(T5Config(**SIZES, d_model=8, d_kv=4, d_ff=8, num_layers=1, num_heads=2))


@pytest.fixture
def sharded(tmp_path, tokenizer_of):
    """A checkpoint of three shards; the second holds the token table."""
    folder = tmp_path / "model"
    folder.mkdir()
    files = {"a.weight": "one", "b.wte.weight": "two", "c.weight": "three"}
    for name, file in files.items():
        save_file({name: ROWS}, folder / f"{file}.safetensors")
    tokenizer_of().save(str(folder / "tokenizer.json"))
    weight_map = {name: f"{file}.safetensors" for name, file in files.items()}
    (folder / INDEX).write_text(json.dumps({"metadata": {}, "weight_map": weight_map}))
    return folder


# Files written by transformers.


@pytest.mark.parametrize("make", [bert, gpt2, llama, t5])
@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16"])
@pytest.mark.parametrize("size", ["1KB", "1GB"])
def test_rows_equal_the_input_embeddings_of_the_model(tmp_path, words, tokenizer_of, make, dtype, size):
    import torch
    from transformers import PreTrainedTokenizerFast

    model = make().to(getattr(torch, dtype))
    model.save_pretrained(tmp_path / "m", max_shard_size=size)
    PreTrainedTokenizerFast(tokenizer_object=tokenizer_of()).save_pretrained(tmp_path / "m")
    assert (tmp_path / "m" / INDEX).exists() == (size == "1KB")
    assert formats.format_of(tmp_path / "m").name == "transformers"
    with pytest.warns(UserWarning, match=r"the last 60 of 64 rows belong to no token of tokenizer.json: they are pad"):
        table = checkpoint.load(tmp_path / "m")
    rows = model.get_input_embeddings().weight.detach()[:4]
    expected = rows.float().numpy() if dtype == "bfloat16" else rows.numpy()
    assert table.vocabulary == words
    assert table.rows.dtype == expected.dtype
    assert table.rows.tobytes() == expected.tobytes()
    assert isinstance(table.rows, np.memmap) == (dtype != "bfloat16")
    first = checkpoint.load(tmp_path / "m", limit=2)
    assert (first.vocabulary, first.rows.tobytes()) == (words[:2], expected[:2].tobytes())


def models_of_two_tables():
    """Models of transformers whose encoder and decoder have tables of their own."""
    import transformers

    sizes = {"d_model": 8, "encoder_layers": 1, "decoder_layers": 1, "encoder_ffn_dim": 8, "decoder_ffn_dim": 8}
    sizes |= {"encoder_attention_heads": 2, "decoder_attention_heads": 2}
    ids = {"pad_token_id": 0, "bos_token_id": 0, "eos_token_id": 1, "decoder_start_token_id": 0}
    untied = {"share_encoder_decoder_embeddings": False, "tie_word_embeddings": False}
    yield transformers.MarianMTModel(
        transformers.MarianConfig(vocab_size=4, decoder_vocab_size=4, **sizes, **ids, **untied)
    )
    yield transformers.FSMTForConditionalGeneration(
        transformers.FSMTConfig(langs=["en", "de"], src_vocab_size=4, tgt_vocab_size=5, **sizes)
    )
    side = {"vocab_size": 4, "hidden_size": 8, "intermediate_size": 8, "num_hidden_layers": 1, "head_dim": 4}
    side |= {"num_attention_heads": 2, "num_key_value_heads": 1}
    decoder = side | {"cross_attention_hidden_size": 8}
    yield transformers.T5GemmaForConditionalGeneration(
        transformers.T5GemmaConfig(encoder=side, decoder=decoder, vocab_size=4)
    )


def test_rows_of_a_model_with_two_tables_are_its_input_embeddings(tmp_path, tokenizer_of):
    for number, model in enumerate(models_of_two_tables()):
        folder = tmp_path / str(number)
        model.save_pretrained(folder)
        tokenizer_of().save(str(folder / "tokenizer.json"))
        rows = model.get_input_embeddings().weight.detach().numpy()
        decoders = model.state_dict()["model.decoder.embed_tokens.weight"][:4].numpy()
        assert checkpoint.load(folder).rows.tobytes() == rows.tobytes() != decoders.tobytes(), type(model)


@pytest.mark.parametrize("key", ["lm_head.weight", "model.layers.0.self_attn.q_proj.weight"])
def test_key_selects_any_other_tensor(tmp_path, tokenizer_of, key):
    model = llama()
    model.save_pretrained(tmp_path / "m", max_shard_size="1KB")
    tokenizer_of().save(str(tmp_path / "m" / "tokenizer.json"))
    table = formats.load(tmp_path / "m", key=key, limit=3)
    assert table.rows.tobytes() == model.state_dict()[key][:3].numpy().tobytes()
    with pytest.raises(UsageError, match=r"m: holds no tensor 'lm_tail', but 'lm_head.weight', .*, 3 more; check"):
        formats.load(tmp_path / "m", key="lm_tail")


def test_table_of_the_encoder_or_main_model_is_opened(tmp_path, words, tokenizer_of):
    # The names, and which one is the input, are those of transformers 5; `get_input_embeddings` says so too.
    for number, (main, others) in enumerate(
        [
            ("model.embed_tokens", ["mtp.embed_tokens", "model.layers.61.embed_tokens"]),  # Qwen3-Next, DeepSeek-V3
            ("model.encoder.embed_tokens", ["model.decoder.embed_tokens"]),  # Marian, FSMT, T5Gemma
            ("shared", ["t2u_model.model.decoder.embed_tokens"]),  # SeamlessM4T
            ("model.local_encoder.embed_tokens", ["model.patcher.embed_tokens"]),  # BLT
            ("encoder.embeddings.word_embeddings", ["decoder.bert.embeddings.word_embeddings"]),
            ("language_model.model.decoder.embed_tokens", ["qformer.embeddings.word_embeddings"]),  # InstructBLIP
            ("thinker.model.embed_tokens", ["talker.model.embed_tokens"]),  # Qwen2.5-Omni
            ("vlm.language_model.model.embed_tokens", ["dit.embed_tokens"]),  # PI0
        ]
    ):
        folder = tmp_path / str(number)
        folder.mkdir()
        tensors = {f"{name}.weight": ROWS - 1 for name in others} | {f"{main}.weight": ROWS}
        save_file(
            tensors | {"xshared.weight": ROWS - 2, "position.wter.weight": ROWS - 3}, folder / "model.safetensors"
        )
        tokenizer_of().save(str(folder / "tokenizer.json"))
        assert (checkpoint.load(folder).rows == ROWS).all(), main
        assert (checkpoint.load(folder, key=f"{others[0]}.weight").rows == ROWS - 1).all(), main


def test_shared_table_that_is_not_that_of_the_encoder_is_asked_about(tmp_path, tokenizer_of):
    """transformers saves one that nothing reads for a BART that is not tied; a tied one may be saved three times."""
    import transformers
    from safetensors.torch import save_file as save_torch

    sizes = {"d_model": 8, "encoder_layers": 1, "decoder_layers": 1, "encoder_ffn_dim": 8, "decoder_ffn_dim": 8}
    heads = {"encoder_attention_heads": 1, "decoder_attention_heads": 1}
    config = transformers.BartConfig(vocab_size=4, tie_word_embeddings=False, pad_token_id=0, **sizes, **heads)
    model = transformers.BartModel(config)
    model.save_pretrained(tmp_path)
    tokenizer_of().save(str(tmp_path / "tokenizer.json"))
    with pytest.raises(UsageError, match=r"holds the token tables .*'encoder.embed_tokens.weight'.*'shared.weight'"):
        formats.load(tmp_path)
    state = model.state_dict()
    names = ("encoder.embed_tokens.weight", "decoder.embed_tokens.weight")
    save_torch(state | {name: state["shared.weight"].clone() for name in names}, tmp_path / "model.safetensors")
    assert formats.load(tmp_path).rows.tobytes() == state["shared.weight"].numpy().tobytes()


def test_shared_table_that_differs_in_its_last_rows_is_asked_about(tmp_path):
    """As where only the rows of new tokens were trained."""
    shared = np.zeros((1500, 2), np.float32)
    encoder = shared.copy()
    encoder[-1] = 1
    save_file({"shared.weight": shared, "encoder.embed_tokens.weight": encoder}, tmp_path / "model.safetensors")
    with pytest.raises(UsageError, match=r"holds the token tables 'encoder.embed_tokens.weight', 'shared.weight'"):
        checkpoint.load(tmp_path)


def test_table_that_an_adapter_beside_the_model_changes_is_refused(folder_of):
    """transformers adds the adapter to the model; one of other layers changes no rows."""
    folder = folder_of({"model.wte.weight": ROWS})
    adapter = folder / "adapter_model.safetensors"
    save_file({"base_model.model.model.h.0.lora_A.weight": ROWS}, adapter)
    assert (formats.load(folder).rows == ROWS).all()
    for name in ("wte.lora_embedding_A", "wte.token_adapter.trainable_tokens_delta", "wte.weight"):
        save_file({f"base_model.model.model.{name}": ROWS}, adapter)
        with pytest.raises(FileFormatError, match=rf"'model.wte.weight' is not the table, as 'model.{name}.adapter'"):
            formats.load(folder)


@pytest.mark.parametrize(
    "names",
    [
        ["question.embed_tokens", "answer.embed_tokens"],
        ["wte", "embed_tokens"],
        ["rag.question_encoder.bert.word_embeddings", "rag.generator.model.shared"],
        ["encoder.wte", "model.decoder.wte"],
        ["a.encoder.wte", "b.encoder.wte", "b.decoder.wte"],
        ["mtp.0.embed_tokens"],
        ["depth_decoder.model.embed_tokens"],  # audio codes of CSM, whose text table has another name
    ],
)
def test_several_tables_are_asked_about_by_name(folder_of, names):
    folder = folder_of({f"{name}.weight": ROWS + number for number, name in enumerate(names)})
    with pytest.raises(
        UsageError, match=r"holds the token tables .*; name one as the key: rs.load\(.*, key='"
    ) as raised:
        formats.load(folder)
    assert all(repr(f"{name}.weight") in str(raised.value) for name in names)
    assert f"rowspace convert {folder} NEW --key NAME" in str(raised.value)
    assert (formats.load(folder, key=f"{names[-1]}.weight").rows == ROWS + len(names) - 1).all()


def test_stale_index_beside_a_single_file_is_ignored_as_in_transformers(tmp_path, tokenizer_of):
    model = llama()
    model.save_pretrained(tmp_path / "m")
    tokenizer_of().save(str(tmp_path / "m" / "tokenizer.json"))
    stale = {"metadata": {}, "weight_map": {"model.embed_tokens.weight": "model-00001-of-00030.safetensors"}}
    (tmp_path / "m" / INDEX).write_text(json.dumps(stale))
    rows = type(model).from_pretrained(tmp_path / "m").get_input_embeddings().weight.detach().numpy()
    assert formats.load(tmp_path / "m", limit=3).rows.tobytes() == rows[:3].tobytes()


def test_saving_as_a_checkpoint_is_refused(tmp_path):
    table = Table(["cat"], np.eye(1))
    for act in (checkpoint.check_target, lambda path: formats.save(table, path, format="transformers")):
        with pytest.raises(UsageError, match=r"cannot save to .*m as a checkpoint, .*; name another format"):
            act(tmp_path / "m")


# Damaged files.


def test_more_ids_than_rows_are_refused(folder_of):
    with pytest.raises(
        FileFormatError,
        match=r"wte.weight: has 3 rows, but .*tokenizer.json has 4 ids: the first without a row is 3, '한국'",
    ):
        checkpoint.load(folder_of({"wte.weight": ROWS[:3]}))


def test_model_without_a_known_token_table_name_lists_its_tensors(folder_of):
    folder = folder_of({"a.weight": ROWS, "b.weight": ROWS})
    with pytest.raises(
        FileFormatError,
        match=r"model: none of its 2 tensors \('a.weight', 'b.weight'\) is named .*; give its name",
    ):
        checkpoint.load(folder)
    assert len(checkpoint.load(folder, key="b.weight")) == 4


def test_model_without_a_known_token_table_name_lists_the_tensors_with_a_row_per_token(folder_of):
    folder = folder_of({"a.weight": ROWS, "b.weight": ROWS[:3], "c.weight": ROWS[0]})
    (folder / "config.json").write_text('{"text_config": {"vocab_size": 4}}')
    with pytest.raises(
        FileFormatError, match=r"\(those with a row for each token of config\.json are 'a\.weight'\) is named"
    ):
        checkpoint.load(folder)


@pytest.mark.parametrize(
    ("name", "complaint"),
    [
        ("../two.safetensors", "the file name '../two.safetensors' is outside the folder"),
        ("..", r"the file name '\.\.' is outside"),
        ("sub/two.safetensors", "the file name 'sub/two.safetensors' is outside"),
        ("/etc/passwd", "the file name '/etc/passwd' is outside"),
        ("", r"the file name '' is outside|a folder is there, expected a file"),
        ("a\0b", r"'a\\x00b' is not a valid file name"),
        ("\ud800", r"'\\ud800' is not a valid file name"),
        ("none.safetensors", "none.safetensors: missing"),
        ("one.safetensors", "one.safetensors: holds no tensor 'b.wte.weight', but 'a.weight'"),
        ("tokenizer.json", "tokenizer.json: byte 0: header of"),
        ("n" * 300, "is not a valid file name"),
        (7, "'weight_map' does not give each tensor a file name"),
        (None, "'weight_map' does not give each tensor a file name"),
    ],
)
def test_missing_shards_and_shards_outside_the_folder_are_refused(sharded, name, complaint):
    (sharded / INDEX).write_text(json.dumps({"weight_map": {"b.wte.weight": name}}))
    (sharded.parent / "two.safetensors").write_bytes((sharded / "two.safetensors").read_bytes())
    with pytest.raises(RowspaceError, match=f"model.*{complaint}"):
        checkpoint.load(sharded)


def move_to_hub_cache(folder, cache):
    """Move the folder to a huggingface_hub cache, where a snapshot is links to blobs named by hash."""
    repository = cache / "models--org--name"
    snapshot = repository / "snapshots" / "0123abc"
    (repository / "blobs").mkdir(parents=True)
    (repository / "refs").mkdir()
    (repository / "refs" / "main").write_text("0123abc")
    snapshot.mkdir(parents=True)
    for number, path in enumerate(sorted(folder.iterdir())):
        path.rename(repository / "blobs" / f"{number:040x}")
        (snapshot / path.name).symlink_to(f"../../blobs/{number:040x}")
    return snapshot


def test_snapshot_in_the_huggingface_hub_cache_loads(sharded, tmp_path):
    expected = formats.load(sharded).rows.copy()
    snapshot = move_to_hub_cache(sharded, tmp_path / "hub")
    assert np.array_equal(formats.load(snapshot).rows, expected)


@pytest.mark.parametrize("target", ["../../../other", "../../other", "../../../models--org--two/blobs/1"])
def test_snapshot_link_outside_its_own_blobs_is_refused(sharded, tmp_path, target):
    snapshot = move_to_hub_cache(sharded, tmp_path / "hub")
    elsewhere = snapshot / target
    (snapshot.parents[2] / "models--org--two" / "blobs").mkdir(parents=True)
    elsewhere.write_bytes((snapshot / "two.safetensors").read_bytes())
    (snapshot / "two.safetensors").unlink()
    (snapshot / "two.safetensors").symlink_to(target)
    with pytest.raises(FileFormatError, match=r"two.safetensors: a link out of .*: cp -rL .*0123abc COPY"):
        formats.load(snapshot)


def test_link_to_itself_is_refused(sharded):
    (sharded / "two.safetensors").unlink()
    (sharded / "two.safetensors").symlink_to("two.safetensors")
    with pytest.raises(RowspaceError, match=r"two.safetensors: cannot be read: Too many levels of symbolic links"):
        checkpoint.load(sharded)


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (b"", "byte 0: not valid JSON"),
        (b"[]", "byte 0: JSON, but not an object"),
        (b"{}", "'weight_map' does not give each tensor a file name"),
        (b'{"weight_map": []}', "'weight_map' does not give"),
        (b'{"weight_map": {}}', r"none of its 0 tensors \(none\) is named"),
        (b'{"weight_map": {"a": "x", "a": "y"}}', "the key 'a' is duplicated"),
    ],
)
def test_invalid_shard_index_is_refused(sharded, content, complaint):
    (sharded / INDEX).write_bytes(content)
    with pytest.raises(FileFormatError, match=complaint):
        checkpoint.load(sharded)
