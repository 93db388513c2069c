"""The tokens of a distilled table, compared with the tokenizers library."""

import json

import pytest
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers
from transformers import AutoTokenizer

from rowspace.errors import FileFormatError, UsageError
from rowspace.learn.distillation.student_tokens import student_tokens

TEXT = ["the cat sat on the mat", "new york is new", "the new cats of york sat"] * 20


@pytest.fixture(scope="module")
def teacher(bert):
    return (bert / "tokenizer.json").read_text()


def tokens_of(student, text):
    return Tokenizer.from_str(student.tokenizer).encode(text).tokens


def test_tokens_keep_their_ids_and_are_read_with_special_tokens(teacher, bert):
    library = AutoTokenizer.from_pretrained(bert)
    student = student_tokens(teacher)
    assert student.vocabulary == library.convert_ids_to_tokens(range(len(library)))
    for token, ids in zip(student.vocabulary, student.inputs, strict=True):
        if token in ("[PAD]", "[unused0]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"):
            assert ids == []
        else:
            number = library.convert_tokens_to_ids(token)
            assert ids == [library.cls_token_id, number, library.sep_token_id]


def test_extra_words_are_read_as_the_teacher_reads_them(teacher, bert):
    library = AutoTokenizer.from_pretrained(bert)
    words = ["Redcat", "New  York", "C++", "東京", "zed"]
    student = student_tokens(teacher, words)
    size = len(library)
    assert student.vocabulary[size:] == ["redcat", "zed", "new york", "c++", "東京"]
    assert student.inputs[size:] == [library(word).input_ids for word in ("Redcat", "zed", "New York", "C++", "東京")]
    assert (student.extra, student.skipped) == (5, 0)


def test_extra_words_are_single_tokens_of_texts(teacher):
    student = student_tokens(teacher, ["redcat", "new york", "C++", "東京"])
    assert tokens_of(student, "The Redcat, C++ new york!")[:4] == ["the", "redcat", "[UNK]", "c++"]
    assert tokens_of(student, "a new york dog") == ["a", "new york", "dog"]
    assert tokens_of(student, "a new yorkly dog") == ["a", "new", "york", "##ly", "dog"]
    assert tokens_of(student, "redcatly") == ["redcat", "##ly"]


def test_phrases_without_spaces_are_found_inside_other_text(teacher):
    student = student_tokens(teacher, ["東京"])
    found = Tokenizer.from_str(student.tokenizer).encode("a東京b").ids
    assert [student.vocabulary[number] for number in found] == ["a", "東京", "b"]


def test_words_that_are_tokens_or_unknown_are_skipped(teacher):
    student = student_tokens(teacher, ["cat", "CAT", "redcat", "redcat", "RedCat", "🙂", " ", "", "[MASK]"])
    assert (student.extra, student.skipped) == (1, 8)
    assert student.vocabulary[-1] == "redcat"


def test_padding_truncation_and_special_tokens_are_removed(teacher):
    library = Tokenizer.from_str(teacher)
    library.enable_padding(length=20)
    library.enable_truncation(2)
    student = student_tokens(library.to_str(), ["the cat sat on the mat"])
    document = json.loads(student.tokenizer)
    assert [document[name] for name in ("truncation", "padding", "post_processor")] == [None, None, None]
    assert len(student.inputs[-1]) == 8


def trained(kind):
    """A small tokenizer whose tokens contain the blanks before words."""
    if kind == "bpe":
        library = Tokenizer(models.BPE())
        library.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
        trainer = trainers.BpeTrainer(
            special_tokens=["<s>"], initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), show_progress=False
        )
        library.decoder = decoders.ByteLevel()
    else:
        library = Tokenizer(models.Unigram())
        library.pre_tokenizer = pre_tokenizers.Metaspace()
        trainer = trainers.UnigramTrainer(special_tokens=["<s>", "<unk>"], unk_token="<unk>", show_progress=False)
    library.train_from_iterator(TEXT, trainer)
    library.post_processor = processors.TemplateProcessing(single="<s> $A", special_tokens=[("<s>", 0)])
    return library


@pytest.mark.parametrize("kind", ["bpe", "unigram"])
def test_other_tokenizers_take_extra_words_as_added_tokens(kind):
    teacher = trained(kind)
    size = teacher.get_vocab_size()
    student = student_tokens(teacher.to_str(), ["satcat", "new york"])
    assert student.vocabulary[size:] == ["satcat", "new york"]
    assert student.inputs[size:] == [teacher.encode(word).ids for word in ("satcat", "new york")]
    assert student.inputs[0] == []
    assert student.inputs[size - 1] == [0, size - 1]
    plain = teacher.encode("the the", add_special_tokens=False).tokens
    half = plain[: len(plain) // 2]
    found = tokens_of(student, "the satcat the new york the")
    assert found[: len(half)] == half
    assert [token for token in found if token.strip() in ("satcat", "new york")] != []
    assert found.count(plain[-1]) == teacher.encode("the the the", add_special_tokens=False).tokens.count(plain[-1])


def test_ids_with_gaps_and_damaged_files():
    gaps = json.loads(Tokenizer(models.WordPiece({"a": 0, "[UNK]": 1}, unk_token="[UNK]")).to_str())
    gaps["model"]["vocab"]["b"] = 5
    with pytest.raises(FileFormatError, match="number its tokens without gaps"):
        student_tokens(json.dumps(gaps))
    with pytest.raises(FileFormatError, match="does not open as a tokenizer"):
        student_tokens("{}", source="tokenizer.json")


def test_a_word_that_is_not_text(teacher):
    with pytest.raises(UsageError, match="half a surrogate pair"):
        student_tokens(teacher, ["\ud800"])
