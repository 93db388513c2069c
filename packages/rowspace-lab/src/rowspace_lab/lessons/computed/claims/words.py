"""Claims about words: antonyms, analogies in word2vec and in models, and the units of word2vec."""

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np

from rowspace import space
from rowspace.errors import UsageError
from rowspace.table import Table
from rowspace_lab.lessons.computed.claims.verdict import Verdict
from rowspace_lab.shared.word_pairs import ANTONYMS, ENGLISH_RELATIONS, GENDER, pairs_in, pairs_of

__all__ = ["analogies_models", "antonyms", "queen", "word2vec_tokens"]


def antonyms_figure(table: Table, *, pairs: str, limit: int, seed: int) -> Mapping[str, Any]:
    """Compare the cosine of each word and its antonym with those of the word and up to `limit` others."""
    found = pairs_in(table, pairs_of(pairs))
    if len(found) < 3:
        raise UsageError(f"the table has {len(found)} of the pairs of antonyms, and at least 3 are needed")
    ids = np.array([table.ids(pair) for pair in found])
    one, other = ids.T.reshape(-1), ids[:, ::-1].T.reshape(-1)  # both ways
    words = np.asarray(table.rows[one], np.float64)
    own = space.cosine(words, np.asarray(table.rows[other], np.float64)).diagonal()
    usable = np.flatnonzero(np.isfinite(table.norms) & (table.norms > 0))
    others = np.random.default_rng(seed).permutation(usable)[:limit]
    cosines = space.cosine(words, np.asarray(table.rows[others], np.float64))
    cosines[one[:, np.newaxis] == others] = np.nan  # of a word with itself
    nearer = np.nanmean(np.where(np.isnan(cosines), np.nan, cosines < own[:, np.newaxis]), axis=1)
    closest = int(own.argmax())
    share = float(np.median(nearer))
    return {
        "pairs": len(found),
        "first": table.vocabulary[one[closest]],
        "second": table.vocabulary[other[closest]],
        "closest": float(own[closest]),
        "mean": float(own.mean()),
        "random": float(np.nanmean(cosines)),
        "share": share,
        "compared": len(others),
        "verdict": antonyms_verdict(share=share),
        "bars": {"cosine of antonyms": float(own.mean()), "of a word and any other": float(np.nanmean(cosines))},
    }


def antonyms_verdict(*, share: float) -> Verdict:
    """False if the median antonym is nearer than 90% of all words, true if it is nearer than less than half."""
    if share >= 0.9:
        return "false"
    return "true" if share < 0.5 else "it depends"


def queen_figure(table: Table, *, pairs: str) -> Mapping[str, Any]:
    """Ask all analogies between the pairs, with the three input words in the list of answers and without them."""
    found = pairs_in(table, pairs_of(pairs))
    plain = [tuple(word.lstrip("Ġ▁") for word in pair) for pair in found]
    if ("man", "woman") not in plain or ("king", "queen") not in plain:
        raise UsageError("the table has no rows for king, queen, man and woman")
    combinations = [(one, other) for one in range(len(found)) for other in range(len(found)) if one != other]
    questions = np.array([table.ids([*found[one], found[other][0]]) for one, other in combinations])
    expected = np.array([table.id(found[other][1]) for _, other in combinations])
    best = {kept: best_answers(table, questions, keep_inputs=kept) for kept in (True, False)}
    right = {kept: float((answers[:, 0] == expected).mean()) for kept, answers in best.items()}
    royal = combinations.index((plain.index(("man", "woman")), plain.index(("king", "queen"))))
    first = table.vocabulary[best[True][royal, 0]]
    correct = bool(best[True][royal, 0] == expected[royal])
    return {
        "questions": len(combinations),
        "first": first,
        "correct": correct,
        "input": float((best[True][:, 0, np.newaxis] == questions).any(1).mean()),
        "kept": right[True],
        "left_out": right[False],
        "verdict": queen_verdict(correct=correct, kept=right[True]),
        "bars": {"right with the inputs in the list": right[True], "right without them": right[False]},
    }


def best_answers(table: Table, questions: Any, *, keep_inputs: bool) -> Any:
    """Return the ids of the best answers to a is to b as c is to …, (n, 1), by 3CosAdd."""
    return space.cos_add(table.rows, questions, 1, row_norms=table.norms, keep_inputs=keep_inputs)[0]


def queen_verdict(*, correct: bool, kept: float) -> Verdict:
    """True if the queen and at least half of all such analogies come first with the inputs left in.

    It depends if the queen does and most others do not, and false if she does not.
    """
    if not correct:
        return "false"
    return "true" if kept >= 0.5 else "it depends"


def word2vec_tokens_figure(*, unseen: str, vocabulary_size: int) -> Mapping[str, Any]:
    """Compare the words that word2vec gives rows to with the tokens of a tokenizer trained on the same sentences."""
    from tokenizers import Tokenizer

    from rowspace.text import TokenizerOptions, train_tokenizer
    from rowspace_lab.tables.small_world import small_world_sentences

    sentences, new = small_world_sentences(), unseen.split()
    words = sorted({word for sentence in sentences for word in sentence.split()})
    options = TokenizerOptions("bpe", vocabulary_size=vocabulary_size)
    tokenizer = Tokenizer.from_str(train_tokenizer(sentences, options))
    pieces = [len(tokenizer.encode(f" {word}", add_special_tokens=False).ids) for word in words]
    whole = float(np.mean(np.array(pieces) == 1))
    unknown = sum(word not in words for word in new)
    written = sum(
        tokenizer.decode(tokenizer.encode(word, add_special_tokens=False).ids).strip() == word for word in new
    )
    return {
        "words": len(words),
        "tokens": tokenizer.get_vocab_size(),
        "whole": whole,
        "new": len(new),
        "unknown": unknown,
        "written": written,
        "verdict": word2vec_tokens_verdict(whole=whole, unknown=unknown, written=written),
        "bars": {"words that are one token": whole, "new words with a row in word2vec": 1 - unknown / len(new)},
    }


def word2vec_tokens_verdict(*, whole: float, unknown: int, written: int) -> Verdict:
    """True if all words are single tokens and none is unknown; false if the two differ in what they can write."""
    if whole == 1 and unknown == 0:
        return "true"
    return "false" if unknown > 0 and written > 0 else "it depends"


def analogies_models_figure(*, relations: Mapping[str, str]) -> Mapping[str, Any]:
    """Ask the same analogies of rows learned by word2vec and of the token table of a language model's encoder."""
    from rowspace.learn.default_table import encoder_folder
    from rowspace.store import load
    from rowspace_lab.tables.english import english_table

    tables = {"word2vec": english_table(), "model": load(encoder_folder())}
    right: dict[str, list[bool]] = {name: [] for name in tables}
    for text in relations.values():
        shared = [pair for pair in pairs_of(text) if all(word in table for word in pair for table in tables.values())]
        asked = [(one, other) for one in shared for other in shared if one != other]
        for name, table in tables.items():
            questions = np.array([table.ids([*one, other[0]]) for one, other in asked]).reshape(-1, 3)
            expected = np.array([table.id(other[1]) for _, other in asked])
            right[name] += (best_answers(table, questions, keep_inputs=False)[:, 0] == expected).tolist()
    shares = {name: float(np.mean(each)) for name, each in right.items()}
    more = np.subtract(right["model"], right["word2vec"], dtype=np.float64)
    change, noise = float(more.mean()), float(more.std(ddof=1) / len(more) ** 0.5)
    return {
        **shares,
        "questions": len(more),
        "relations": len(relations),
        "change": 100 * change,
        "noise": 100 * noise,
        "verdict": analogies_models_verdict(change=change, noise=noise),
        "bars": {"right, word2vec": shares["word2vec"], "right, table of an encoder": shares["model"]},
    }


def analogies_models_verdict(*, change: float, noise: float) -> Verdict:
    """True if the table of the model answers fewer questions than that of word2vec by more than two standard errors.

    False if it answers more by as much; it depends if they differ by less.
    """
    if abs(change) <= 2 * noise:
        return "it depends"
    return "true" if change < 0 else "false"


antonyms = partial(antonyms_figure, pairs=" ".join(ANTONYMS.split()), limit=10_000, seed=0)
analogies_models = partial(analogies_models_figure, relations=ENGLISH_RELATIONS)
queen = partial(queen_figure, pairs=" ".join(GENDER.split()))
word2vec_tokens = partial(word2vec_tokens_figure, unseen="kingdom doghouse bookshop gardener", vocabulary_size=500)
