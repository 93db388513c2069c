"""A corpus → ids of its words and phrases on disk, and a tokenizer that finds both.

Words are counted and phrases found first, by neighboring words whatever is between them. Then the tokenizer, whose
phrases are added tokens with a space between words, encodes the text, so that the ids are those that the table's
tokenizer gives. Phrases that it finds too rarely are left out, and the text is encoded again without them.
"""

import json
import os
import warnings
from collections.abc import Callable, Sequence
from itertools import compress
from pathlib import Path

from tokenizers import Tokenizer

from rowspace._base.plural import plural
from rowspace.errors import CorpusError, CorpusWarning
from rowspace.text.corpus.open_corpus import Corpus
from rowspace.text.corpus.rereadable import RereadableCorpus
from rowspace.text.ids.encode_tokens import encode_pieces, without_token
from rowspace.text.ids.id_corpus import IDS_NAME, IdCorpus
from rowspace.text.ids.phrases import find_phrases
from rowspace.text.ids.provisional_ids import ProvisionalIds, scan_pieces
from rowspace.text.ids.renumber import renumber
from rowspace.text.ids.segment import divide_phrases, words_within
from rowspace.text.options import TextOptions
from rowspace.text.words.unspaced import is_unspaced
from rowspace.text.words.word_tokenizer import WordTokenizer

__all__ = ["encode_phrases"]


def encode_phrases(
    corpus: Corpus,
    folder: str | os.PathLike[str],
    *,
    options: TextOptions,
    on_bytes: Callable[[int], None] | None = None,
) -> tuple[IdCorpus, dict[str, float]]:
    """Read a corpus two or three times and write the ids of its words and phrases to `folder`.

    Args:
        corpus: Paths or texts, see `open_corpus`.
        folder: An existing folder.
        options: How text becomes words, phrases and ids.
        on_bytes: Called with the number of bytes read from files, in all passes.

    Returns:
        The ids, and the score of each phrase, best first.

    Raises:
        CorpusError: The corpus cannot be read as text, or holds no words.
        UsageError: The corpus is token lists.
    """
    copy, path = Path(folder, f"{IDS_NAME}.text"), Path(folder)
    source = RereadableCorpus(corpus, copy, column=options.column, on_bytes=on_bytes)
    try:
        unspaced = list[str]()

        def write_words(ids: Path) -> ProvisionalIds:
            provisional = scan_pieces(source.first(), ids, options)
            unspaced.extend(words_within(corpus, provisional, options))
            return divide_phrases(provisional, unspaced, ids)

        all_words, _ = renumber(corpus, path, write_words)
        words = [
            word
            for word, count in zip(all_words.vocabulary, all_words.counts.tolist(), strict=True)
            if count >= options.min_count
        ][: options.max_vocabulary]
        if not words:
            raise CorpusError(
                f"no word is as frequent as min_count={options.min_count}: the most frequent one occurs "
                f"{all_words.counts[0]:,} times; lower min_count or add text"
            )
        phrases = find_phrases(
            all_words,
            path,
            max_words=options.phrases or 2,
            min_count=options.min_count,
            threshold=options.phrase_threshold,
        )
        phrases = {phrase: score for phrase, score in phrases.items() if set(phrase.split(" ")) <= set(words)}
        all_phrases = list(phrases)
        tokenizer: Tokenizer

        def write_ids(ids: Path) -> ProvisionalIds:
            nonlocal tokenizer, phrases
            while True:
                tokenizer = Tokenizer.from_str(_tokenizer_json(words, list(phrases), unspaced, cased=options.cased))
                encoded = encode_pieces(tokenizer, source.again(), ids, options)
                found = encoded.counts[len(words) + 1 :] >= options.min_count
                if found.all():
                    return without_token(encoded, len(words))
                phrases = dict(compress(phrases.items(), found))

        ids, order = renumber(corpus, path, write_ids)
    finally:
        copy.unlink(missing_ok=True)
        (path / "ids.phrases").unlink(missing_ok=True)
    _warn_of_unspaced([phrase for phrase in all_phrases if phrase not in phrases])
    ids.tokenizer, ids.token_ids, ids.words = tokenizer.to_str(), order, all_words.words
    return ids, phrases


def _warn_of_unspaced(left_out: Sequence[str]) -> None:
    """Warn of phrases whose words the text writes without a space."""
    unspaced = [phrase for phrase in left_out if is_unspaced(phrase.replace(" ", ""))]
    if unspaced:
        warnings.warn(
            f"left out {plural(len(unspaced), 'phrase')} of scripts without spaces, such as {unspaced[0]!r}: in the "
            "text, the words of a phrase must have a space between them",
            CorpusWarning,
            stacklevel=3,
        )


def _tokenizer_json(words: Sequence[str], phrases: Sequence[str], unspaced: Sequence[str], *, cased: bool) -> str:
    """Return the tokenizer.json of words, with phrases as added tokens, which the library looks for first."""
    document = json.loads(WordTokenizer(words, cased=cased, unspaced=unspaced).to_json())
    start = len(document["model"]["vocab"])
    flags = {"single_word": True, "lstrip": False, "rstrip": False, "normalized": True, "special": False}
    document["added_tokens"] += [
        {"id": start + place, "content": phrase, **flags} for place, phrase in enumerate(phrases)
    ]
    return json.dumps(document, ensure_ascii=False)
