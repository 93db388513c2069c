"""Folders of transformers without a tokenizer.json: vocab.txt of BERT, vocab.json and merges.txt of GPT-2.

These files do not describe how text is split, which is done by code. Only tokenizers that split like BERT's or GPT-2's
are opened; for others the error says how to make a tokenizer.json.
"""

from pathlib import Path
from typing import Any

from tokenizers import AddedToken, Tokenizer, decoders, models, normalizers, pre_tokenizers

from rowspace.errors import FileFormatError, reason_of
from rowspace.text.tokenizers.folder_files import class_of, object_in, read_text, settings_of
from rowspace.text.tokenizers.huggingface import HuggingFaceTokenizer
from rowspace.text.tokenizers.huggingface_library import translate_errors

__all__ = ["MAKE_JSON", "added_tokens", "open_bert", "open_gpt2", "unsupported"]

MAKE_JSON = "make a tokenizer.json: transformers.AutoTokenizer.from_pretrained(folder).save_pretrained(folder)"

# By tokenizer class or, in old folders, model type: those that split text as the first of each does.
BERT_LIKE = {None, "Bert", "DistilBert", "Electra", "MobileBert", "ConvBert", "LayoutLM", "Lxmert"}
BERT_LIKE |= {"bert", "distilbert", "electra", "mobilebert", "convbert", "layoutlm", "lxmert"}
GPT2_LIKE = {None, "GPT2", "gpt2"}
ROBERTA_LIKE = {"Roberta", "Bart", "Longformer", "LED", "roberta", "bart", "longformer", "led"}

_NAMES = ("bos_token", "eos_token", "unk_token", "sep_token", "pad_token", "cls_token", "mask_token")
BERT_SPECIAL = dict(zip(_NAMES[2:], ("[UNK]", "[SEP]", "[PAD]", "[CLS]", "[MASK]"), strict=True))
ROBERTA_SPECIAL = dict(zip(_NAMES, ("<s>", "</s>", "<unk>", "</s>", "<pad>", "<s>", "<mask>"), strict=True))
GPT2_SPECIAL = dict.fromkeys(_NAMES[:3], "<|endoftext|>")


def open_bert(folder: Path) -> HuggingFaceTokenizer:
    """Open the vocab.txt of a BERT-like model in `folder`, with the settings next to it.

    Raises:
        FileFormatError: a file is damaged, or the tokenizer is not BERT's.
    """
    if class_of(folder) not in BERT_LIKE:
        raise unsupported(folder, "vocab.txt")
    settings = settings_of(folder)
    if settings.get("do_basic_tokenize") is False:
        raise unsupported(folder, "vocab.txt without its basic tokenizer")
    lines = read_text(folder / "vocab.txt").replace("\r\n", "\n").replace("\r", "\n").removesuffix("\n").split("\n")
    strips_accents = settings.get("strip_accents")
    with translate_errors(str(folder)):
        special = _special(settings, BERT_SPECIAL)
        unknown = special["unk_token"].content if "unk_token" in special else BERT_SPECIAL["unk_token"]
        vocabulary = {token: number for number, token in enumerate(lines)}
        library = Tokenizer(models.WordPiece(vocabulary, unk_token=unknown, max_input_chars_per_word=100))
        library.normalizer = normalizers.BertNormalizer(
            clean_text=True,
            handle_chinese_chars=_flag(settings, "tokenize_chinese_chars", default=True),
            strip_accents=strips_accents if strips_accents is None else bool(strips_accents),
            lowercase=_flag(settings, "do_lower_case", default=True),
        )
        library.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
        library.decoder = decoders.WordPiece()
        _add(library, folder, special)
    return HuggingFaceTokenizer(library, source=str(folder))


def open_gpt2(folder: Path) -> HuggingFaceTokenizer:
    """Open vocab.json and merges.txt of a GPT-2-like or RoBERTa-like model in `folder`.

    Raises:
        FileFormatError: a file is damaged, or the tokenizer is neither GPT-2's nor RoBERTa's.
    """
    tokenizer_class, settings = class_of(folder), settings_of(folder)
    if tokenizer_class not in GPT2_LIKE | ROBERTA_LIKE:
        raise unsupported(folder, "vocab.json and merges.txt")
    vocabulary = object_in(folder / "vocab.json")
    if not all(type(number) is int and 0 <= number < 2**31 for number in vocabulary.values()):
        raise FileFormatError(f"{folder / 'vocab.json'}: has an id that is not a 31-bit number; restore the file")
    merges = _merges(folder / "merges.txt")
    with translate_errors(f"{folder}: vocab.json with merges.txt"):
        library = Tokenizer(models.BPE(vocabulary, merges))
        prefix = _flag(settings, "add_prefix_space", default=False)
        library.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=prefix)
        library.decoder = decoders.ByteLevel()
        _add(library, folder, _special(settings, ROBERTA_SPECIAL if tokenizer_class in ROBERTA_LIKE else GPT2_SPECIAL))
    return HuggingFaceTokenizer(library, source=str(folder))


def unsupported(folder: Path, what: str) -> FileFormatError:
    """Return the error for a folder whose tokenizer does more than its files say."""
    name = str(class_of(folder))[:40]
    shown = name if name.isprintable() else repr(name)
    return FileFormatError(
        f"{folder}: its {what} are for a {shown} tokenizer, and do not say how it splits text; {MAKE_JSON}"
    )


def _flag(settings: dict[str, Any], name: str, *, default: bool) -> bool:
    return bool(settings.get(name, default))


def _special(settings: dict[str, Any], defaults: dict[str, str]) -> dict[str, AddedToken]:
    """Return the special tokens by their purpose; a setting is a string, or an object that holds one."""
    values = {name: settings.get(name, defaults.get(name)) for name in _NAMES}
    more = settings.get("extra_special_tokens") or settings.get("additional_special_tokens")
    values |= {f"additional {number}": token for number, token in enumerate(more if isinstance(more, list) else [])}
    special = dict[str, AddedToken]()
    for name, value in values.items():
        parts = value if isinstance(value, dict) else {"content": value}
        if isinstance(parts.get("content"), str) and parts["content"]:
            strips = {side: bool(parts.get(side)) for side in ("lstrip", "rstrip")}
            special[name] = AddedToken(parts["content"], special=True, **strips)
    return special


def _merges(path: Path) -> list[tuple[str, str]]:
    """Return the pairs of merges.txt; raises FileFormatError, with the line, for a line without a pair."""
    merges = list[tuple[str, str]]()
    for number, line in enumerate(read_text(path).split("\n"), 1):
        if not line.strip() or (number == 1 and line.startswith("#version")):
            continue
        left, *right = line.rstrip("\r").split(" ")
        if len(right) != 1:
            raise FileFormatError(f"{path}: line {number}: expected two tokens, not {line[:40]!r}; restore the file")
        merges.append((left, right[0]))
    return merges


def _add(library: Tokenizer, folder: Path, special: dict[str, AddedToken]) -> None:
    """Add the tokens that the files name, and check that each gets the id that they name."""
    added = added_tokens(folder)
    library.add_tokens([token for _, token in sorted(added.items())])
    contents = {token.content for token in added.values()}
    library.add_special_tokens([token for token in special.values() if token.content not in contents])
    for number, token in added.items():
        if library.token_to_id(token.content) != number:
            raise FileFormatError(
                f"{folder}: the added token {token.content[:40]!r} has the id {number}, which is not the next one, "
                f"{library.token_to_id(token.content)}; restore the folder"
            )


def added_tokens(folder: Path) -> dict[int, AddedToken]:
    """Return the tokens that tokenizer_config.json or, in older folders, added_tokens.json adds, by id."""
    decoder = settings_of(folder).get("added_tokens_decoder")
    try:
        if isinstance(decoder, dict):
            return {int(number): AddedToken(**token) for number, token in decoder.items()}
        by_token = object_in(folder / "added_tokens.json")
        return {int(number): AddedToken(token, normalized=False) for token, number in by_token.items()}
    except (TypeError, ValueError) as error:
        raise FileFormatError(
            f"{folder}: the added tokens are not as expected ({reason_of(error)}); restore the files"
        ) from error
