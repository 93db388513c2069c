"""The warning for scripts without spaces, in which phrases become words."""

import warnings

import pytest

from rowspace.errors import CorpusError, CorpusWarning
from rowspace.text import TextOptions, TokenizerOptions, encode_corpus, encode_tokens

ALL = TextOptions(min_count=1)
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


def test_scripts_without_spaces_give_a_warning_with_their_share(tmp_path):
    for name, text in PHRASES.items():
        with pytest.warns(CorpusWarning, match=r"^\d+% of the characters .*--tokens unigram") as caught:
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
        encode_corpus([PHRASES["Chinese"]], tmp_path)


def test_other_tokens_do_not_warn(tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        encode_tokens([PHRASES["Chinese"]], tmp_path, tokens=TokenizerOptions("bytes"))
