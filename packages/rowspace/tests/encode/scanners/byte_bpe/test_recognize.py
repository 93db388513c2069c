"""Which tokenizer.json the scanner takes: exactly those whose ids it gives."""

import json
from collections.abc import Callable
from typing import Any

from tests.encode.scanners.byte_bpe.tokenizers_of_kinds import GPT2, trained
from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers, processors

from rowspace.encode.scanners.byte_bpe import recognize_byte_bpe

Change = Callable[[Tokenizer], object]


def recognized(kind: str, *changes: Change) -> str | None:
    """Return the name of the scanner for a tokenizer after some changes."""
    tokenizer = Tokenizer.from_str(trained(kind).to_str())
    for change in changes:
        change(tokenizer)
    scanner = recognize_byte_bpe(json.loads(tokenizer.to_str()))
    return None if scanner is None else scanner.name


def setting(**values: Any) -> Change:
    """Return a function that sets attributes of a tokenizer."""
    return lambda tokenizer: [setattr(tokenizer, name, value) for name, value in values.items()]


def model_with(**values: Any) -> Change:
    """Return a function that changes the model."""

    def change(tokenizer: Tokenizer) -> None:
        model = json.loads(tokenizer.to_str())["model"]
        options = {name: model[name] for name in ("vocab", "merges", "ignore_merges")} | values
        options["merges"] = [tuple(merge) for merge in options["merges"]]
        tokenizer.model = models.BPE(**options)

    return change


def test_known_kinds() -> None:
    template = processors.TemplateProcessing(single="<s> $A", special_tokens=[("<s>", 0)])
    assert [recognized(kind) for kind in ("gpt2", "llama3", "qwen2")] == ["gpt2", "llama3", "qwen2"]
    assert recognized("llama3", setting(normalizer=normalizers.NFC())) == "llama3"
    assert recognized("gpt2", setting(post_processor=processors.ByteLevel())) == "gpt2"
    assert recognized("gpt2", setting(post_processor=template)) == "gpt2"
    assert recognized("gpt2", setting(post_processor=processors.Sequence([processors.ByteLevel(), template]))) == "gpt2"
    step = pre_tokenizers.Split(Regex(GPT2), "isolated")
    byte_level = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    assert recognized("gpt2", setting(pre_tokenizer=pre_tokenizers.Sequence([step, byte_level]))) == "gpt2"


def test_other_steps_are_left_to_the_library() -> None:
    split = pre_tokenizers.Split(Regex(GPT2), "isolated")
    removed = pre_tokenizers.Split(Regex(GPT2), "removed")
    bare = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    twice = processors.TemplateProcessing(single="$A $A", special_tokens=[])
    others: list[Change] = [
        setting(normalizer=normalizers.NFKC()),
        setting(normalizer=normalizers.Sequence([normalizers.NFC(), normalizers.Lowercase()])),
        setting(post_processor=twice),
        setting(pre_tokenizer=pre_tokenizers.Whitespace()),
        setting(pre_tokenizer=bare),
        setting(pre_tokenizer=split),
        setting(pre_tokenizer=pre_tokenizers.Sequence([removed, bare])),
        setting(pre_tokenizer=pre_tokenizers.Sequence([pre_tokenizers.Digits(), bare])),
        setting(pre_tokenizer=pre_tokenizers.Sequence([split, pre_tokenizers.ByteLevel(use_regex=False)])),
    ]
    for number, change in enumerate(others):
        assert recognized("gpt2", change) is None, number


def test_other_models_are_left_to_the_library() -> None:
    vocabulary = trained("gpt2").get_vocab()
    without_a_byte = {token: number for token, number in vocabulary.items() if token != "Ń"}
    for values in (
        {"dropout": 0.5},
        {"byte_fallback": True},
        {"end_of_word_suffix": "</w>"},
        {"vocab": without_a_byte, "merges": []},
    ):
        assert recognized("gpt2", model_with(**values)) is None, list(values)
    assert recognized("gpt2", setting(model=models.WordLevel(vocabulary, unk_token="a"))) is None
    assert recognized("gpt2", model_with(unk_token="a", fuse_unk=True)) == "gpt2"
