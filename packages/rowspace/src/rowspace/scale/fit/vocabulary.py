"""The shard of a text that a machine learns → its ids in the vocabulary of all machines."""

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from rowspace._base.plural import plural
from rowspace.errors import CorpusError
from rowspace.scale.fit.machines import Machines
from rowspace.scale.fit.text_parts import FileRange, Source, TextPart, read_part, text_parts, warn_of_tags_in
from rowspace.text import IdCorpus, TextOptions
from rowspace.text.characters import character_table
from rowspace.text.ids import IDS_NAME
from rowspace.text.ids.encode_corpus import scan_text, words_json
from rowspace.text.ids.provisional_ids import ProvisionalIds
from rowspace.text.ids.renumber import choose_words, rewrite_ids, warn_of_replaced
from rowspace.text.ids.segment import divide_phrases, words_within
from rowspace.text.words import Lexicon

__all__ = ["encode_shard", "shard_of"]

Words = tuple[list[bytes], NDArray[np.int64]]


def shard_of(corpus: Source, machines: Machines, options: TextOptions) -> TextPart:
    """Return the part of the text of this machine; the first machine divides it.

    Raises:
        CorpusError: The corpus cannot be read, or has fewer parts than there are machines.
        UsageError: It is not of files.
    """
    parts = list[TextPart]()
    with machines.together():
        if machines.rank == 0:
            parts = text_parts(corpus, machines.size, options=options)
            warn_of_tags_in(parts[0], options)
            if len(parts) < machines.size:
                raise CorpusError(
                    f"the text has {plural(len(parts), 'part')} for {machines.size} machines, since compressed files, "
                    "files with records and lines are not divided; give more files of about the same size, or start "
                    "fewer machines"
                )
    told = json.loads(machines.broadcast(json.dumps(parts).encode()))
    name, ranges = told[machines.rank]
    return TextPart(name, tuple(FileRange(*each) for each in ranges))


def encode_shard(
    corpus: Source,
    shard: TextPart,
    folder: Path,
    machines: Machines,
    options: TextOptions,
    *,
    on_bytes: Callable[[int], None] | None = None,
) -> IdCorpus:
    """Write the ids of a shard to `folder`; together, those of all machines are the ids of the text in one process.

    Args:
        corpus: The whole text, for messages.
        shard: The part of this machine.
        folder: An existing folder.
        machines: All machines.
        options: How text becomes words and ids.
        on_bytes: Called with the number of bytes read.

    Returns:
        The ids of this shard, with the vocabulary, counts and number of words of the whole text.

    Raises:
        CorpusError: The shard cannot be read, or the text has no frequent words, or the shard has none of them.
    """
    path = folder / IDS_NAME
    with machines.together():
        found = scan_text(read_part(shard, options, on_bytes=on_bytes), path, options)
    lexicon = Lexicon(character_table(cased=options.cased))
    for part in machines.gather(_packed((found.words(), found.counts))):
        lexicon.add(*_unpacked(part))
    replaced = int(machines.numbers(found.replaced).sum())
    chosen: Words = [], np.zeros(0, np.int64)
    unspaced, total = list[str](), 0
    with machines.together():
        if machines.rank == 0:
            every = ProvisionalIds.of(lexicon, options)
            unspaced = words_within(corpus, every, options)
            every = divide_phrases(every, unspaced)
            chosen, total = _chosen(corpus, every, options), int(every.counts.sum())
            warn_of_replaced(corpus, replaced)
    vocabulary, counts = _unpacked(machines.broadcast(_packed(chosen)))
    unspaced, total = json.loads(machines.broadcast(json.dumps((unspaced, total)).encode()))
    with machines.together():
        found = divide_phrases(found, unspaced, path)
        size = rewrite_ids(path, found, _final(vocabulary, found.words()))
        if not size:
            raise CorpusError(
                f"the part of the text for machine {machines.rank + 1} of {machines.size}, {shard.name}, has no "
                f"word of the vocabulary; start fewer machines, or give more text"
            )
        texts = [word.decode() for word in vocabulary]
        tokenizer = words_json(texts, options, unspaced=unspaced)
        return IdCorpus(path, size, texts, counts, total, replaced, tokenizer)


def _chosen(corpus: Source, words: ProvisionalIds, options: TextOptions) -> Words:
    """Return the words to learn, and their counts."""
    chosen = choose_words(corpus, words, options.min_count, options.max_vocabulary)
    return [words.token(identity) for identity in chosen], words.counts[chosen]


def _final(vocabulary: list[bytes], words: list[bytes]) -> NDArray[np.int32]:
    """Return the place of each word in the vocabulary, -1 for others."""
    lexicon = Lexicon(character_table(cased=True))
    lexicon.add(vocabulary)
    ids = lexicon.add(words)
    return np.where(ids < len(vocabulary), ids, np.int32(-1))


def _packed(words: Words) -> bytes:
    """Return words and counts as bytes: their number, their lengths, their counts, and their UTF-8."""
    lengths = np.array([len(word) for word in words[0]], "<i8")
    return np.int64(len(lengths)).tobytes() + lengths.tobytes() + words[1].astype("<i8").tobytes() + b"".join(words[0])


def _unpacked(data: bytes) -> Words:
    size = int(np.frombuffer(data, "<i8", 1)[0])
    lengths, counts = (np.frombuffer(data, "<i8", size, 8 * (1 + number * size)).copy() for number in range(2))
    ends = (8 * (1 + 2 * size) + np.cumsum(lengths)).tolist()
    starts = [8 * (1 + 2 * size), *ends][:size]
    return [data[start:end] for start, end in zip(starts, ends, strict=True)], counts
