"""Words in scripts without spaces: learned, found again, and the warning where phrases stay words."""

import random
import sys
import warnings
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, strategies as st
from tokenizers import Tokenizer

import rowspace as rs
from rowspace.encode.flat_tokenizer import FlatTokenizer
from rowspace.errors import CorpusError, CorpusWarning, MissingExtraError
from rowspace.text import TextOptions, TokenizerOptions, WordTokenizer, encode_corpus, encode_tokens

ALL = TextOptions(min_count=1, segmenter="none")
PHRASES = {
    "Chinese": "我们的模型可以学习文本中的词语。并且把它们保存在表格里。",
    "Japanese": "私たちのモデルはテキストから単語を学習します。",
    "Thai": "เราสามารถเรียนรู้คำศัพท์จากข้อความได้อย่างรวดเร็ว",
    "Lao": "ຂ້ອຍຢາກຮຽນພາສາລາວຫຼາຍໆ",
    "Khmer": "ខ្ញុំចង់រៀនភាសាខ្មែរ",
    "Burmese": "မြန်မာဘာသာစကားကိုလေ့လာပါသည်",
}
SPACED = {
    "English": "the cat sat on the mat",
    "Korean": "우리는 텍스트에서 단어를 배운다",
    "Hindi": "हम पाठ से शब्द सीखते हैं",
    "separated Chinese": "我们 的 模型 可以 学习 文本 中 的 词语",
    "a name in English": "the city of 北京 is large, and so is กรุงเทพ",
    "emoji": "😀😀😀😀😀😀😀😀 yes",
}

CHINESE = [
    "我们",
    "他们",
    "学习",
    "工作",
    "老师",
    "学生",
    "中国",
    "北京",
    "喜欢",
    "知道",
    "今天",
    "明天",
    "的",
    "在",
    "和",
    "是",
    "去",
    "看",
    "书",
    "电影",
    "图书馆",
    "计算机",
]
THAI = [
    "เรา",
    "เรียน",
    "ภาษา",
    "ไทย",
    "ครู",
    "นักเรียน",
    "ชอบ",
    "อ่าน",
    "หนังสือ",
    "วันนี้",
    "ที่",
    "โรงเรียน",
    "ไป",
    "ทำงาน",
    "อาหาร",
    "กิน",
]
MIXED = [
    "我们在Python中学习。",
    "在T恤里, 2025年 中国_x",
    "नमस्ते 今天\u0301 👍🏽中国👩🏽‍🚀",
    "Ａ在\u200d看 ไทย2ไป",
    "龘龘在 e\u0301在é",
]


def sentences(words, count=1500):
    """Return sentences of random words without spaces, and their words."""
    chance = random.Random(3)
    lists = [chance.choices(words, k=chance.randint(3, 9)) for _ in range(count)]
    return ["".join(words) + "。" for words in lists], Counter(word for words in lists for word in words)


@pytest.fixture(scope="module")
def learned(tmp_path_factory):
    """The ids of a corpus in two scripts and a little English."""
    texts = [*sentences(CHINESE)[0], *sentences(THAI)[0], *MIXED * 5]
    return texts, encode_corpus(texts, tmp_path_factory.mktemp("ids"))


def test_words_of_the_text_are_learned_and_counted(tmp_path):
    for words in (CHINESE, THAI):
        texts, counts = sentences(words)
        ids = encode_corpus(texts, tmp_path)
        found = dict(zip(ids.vocabulary, ids.counts.tolist(), strict=True))
        agreed = sum(min(count, found.get(word, 0)) for word, count in counts.items())
        assert agreed > 0.95 * counts.total(), found


def test_ids_of_the_corpus_are_those_of_the_tokenizers_library(learned):
    texts, ids = learned
    library = Tokenizer.from_str(ids.tokenizer)
    unknown = library.token_to_id("[UNK]")
    expected = [[number for number in encoding.ids if number != unknown] for encoding in library.encode_batch(texts)]
    flat = [number for numbers in expected if numbers for number in [*numbers, -1]]
    assert ids.ids().tolist() == flat


@given(
    st.lists(st.sampled_from([*CHINESE, *THAI, *"x'_ !\n龘中国ก่ะ\u0301\u200d👍🏽2カ\ufe0f"]), max_size=12).map("".join)
)
def test_scanner_gives_the_ids_of_the_tokenizers_library(learned, text):
    tokenizer = learned[1].tokenizer
    library = Tokenizer.from_str(tokenizer).encode(text).ids
    assert FlatTokenizer(tokenizer).scanner.name == "words"
    assert FlatTokenizer(tokenizer).encode([text]).ids.tolist() == library
    own = WordTokenizer.from_json(tokenizer)
    assert own.encode(text).tolist() == library
    assert len(own.split(text)) == len(library)


def test_the_number_of_workers_does_not_change_the_words(learned, tmp_path):
    texts, ids = learned
    other = encode_corpus(texts, tmp_path, options=TextOptions(workers=3))
    assert other.vocabulary == ids.vocabulary
    assert np.array_equal(other.ids(), ids.ids())


@pytest.mark.kernels
def test_words_left_out_of_the_vocabulary_are_not_looked_for(tmp_path):
    texts, _ = sentences(CHINESE)
    ids = encode_corpus(texts, tmp_path, options=TextOptions(max_vocabulary=9))
    library = Tokenizer.from_str(ids.tokenizer)
    assert library.get_vocab_size() == 10  # with [UNK]
    known = [number for encoding in library.encode_batch(texts) for number in encoding.ids if number != 9]
    assert np.bincount(known).tolist() == ids.counts.tolist()


def test_a_saved_table_has_the_words(tmp_path):
    texts, _ = sentences(CHINESE)
    table = rs.fit(texts, dim=8, epochs=1, workers=1, output=tmp_path / "table")
    again = rs.load(tmp_path / "table")
    assert again.tokenizer == table.tokenizer
    together, apart = rs.Encoder(again).encode(["我们去北京", "我们 去 北京"])
    assert np.array_equal(together, apart)
    assert together.any()


def test_a_continued_fit_keeps_the_words(tmp_path):
    texts, _ = sentences(CHINESE)
    table = rs.fit(texts, dim=8, epochs=1, workers=1)
    more = rs.fit([*texts[:500], *["我们学习新词语"] * 9], init=table, epochs=1, workers=1)
    assert more.vocabulary[: len(table)] == table.vocabulary
    assert more.vocabulary[len(table) :] == ["新词语"]


def test_phrases_are_found_beside_the_words(tmp_path):
    texts, _ = sentences(CHINESE)
    with pytest.warns(CorpusWarning, match="9 phrases of scripts without spaces"):
        table = rs.fit([*texts, *["new york"] * 99], dim=8, epochs=1, workers=1, phrases=2, phrase_threshold=1)
    assert {"new york", "我们"} <= set(table.vocabulary)


def test_a_missing_library_is_named(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "jieba", None)
    with pytest.raises(
        MissingExtraError, match=r"^segmenter 'jieba' needs a library: pip install 'rowspace\[segment\]'$"
    ):
        encode_corpus(["我们学习"], tmp_path, options=TextOptions(segmenter="jieba"))
    assert not list(tmp_path.iterdir())


@pytest.mark.long
@pytest.mark.parametrize(
    ("segmenter", "text", "words"),
    [
        ("jieba", "我们在北京学习计算机", {"我们", "在", "北京", "学习", "计算机"}),
        (
            "sudachi",
            "私は東京でコンピューターを使う",
            {"私", "は", "東京", "で", "コンピューター", "を", "使う"},
        ),
        ("pythainlp", "เราเรียนภาษาไทย", {"เรา", "เรียน", "ภาษาไทย"}),
    ],
)
def test_words_of_another_library(tmp_path, segmenter, text, words):
    ids = encode_corpus([text], tmp_path, options=TextOptions(min_count=1, segmenter=segmenter))
    assert set(ids.vocabulary) == words


def test_scripts_without_spaces_give_a_warning_with_their_share(tmp_path):
    for name, text in PHRASES.items():
        with pytest.warns(CorpusWarning, match=r"^\d+% of the characters .*--segmenter learned") as caught:
            encode_corpus([text], tmp_path, options=ALL)
        assert int(str(caught[0].message).partition("%")[0]) > 90, name


def test_texts_with_spaces_do_not_warn(tmp_path):
    for text in SPACED.values():
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            encode_corpus([text], tmp_path, options=ALL)


def test_share_counts_every_occurrence_of_a_character(tmp_path):
    texts = ["我们的模型里 alligator alligator", "我们的模型里 crocodile crocodile"]  # 2 × 6 of 2 × 6 + 4 × 9
    with pytest.warns(CorpusWarning, match="^25% of the characters of the corpus given are"):
        encode_corpus(iter(texts), tmp_path, options=ALL)


def test_warning_precedes_the_error_for_a_small_corpus(tmp_path):
    with pytest.warns(CorpusWarning), pytest.raises(CorpusError, match="min_count=5"):
        encode_corpus([PHRASES["Chinese"]], tmp_path, options=TextOptions(segmenter="none"))


def test_other_tokens_do_not_warn(tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        encode_tokens([PHRASES["Chinese"]], tmp_path, tokens=TokenizerOptions("bytes"))
