"""gensim's own tests pass with `rowspace.compat.gensim`, but for those that are listed here with a reason.

docs/guides/from-gensim.md states the same numbers.
"""

import pytest
from tests.compat.gensim.gensim_suite import run_suite

# Tests of what only gensim has: they are not counted.
PICKLE = "opens a pickle of an older gensim"
PRIVATE = "calls a private function of gensim"
INTERNAL = {
    "test_keyedvectors::Gensim320Test::test": PICKLE,
    "test_keyedvectors::LoadWord2VecFormatTest::test_load_word2vec_format_basic": PRIVATE,
    "test_keyedvectors::LoadWord2VecFormatTest::test_load_word2vec_format_limit": PRIVATE,
    "test_keyedvectors::LoadWord2VecFormatTest::test_load_word2vec_format_space_stripping": PRIVATE,
    "test_word2vec::TestWord2VecModel::test_load_old_model": PICKLE,
    "test_word2vec::TestWord2VecModel::test_load_old_model_separates": PICKLE,
    "test_word2vec::TestWord2VecModel::test_load_old_models_1_x": PICKLE,
    "test_word2vec::TestWord2VecModel::test_load_old_models_2_x": PICKLE,
    "test_word2vec::TestWord2VecModel::test_load_old_models_3_x": PICKLE,
    "test_word2vec::TestWord2VecModel::test_persistence_backwards_compatible": PICKLE,
    "test_word2vec::TestWord2VecSentenceIterators::test_cython_line_sentence_works_with_filename": PRIVATE,
    "test_fasttext::HashCompatibilityTest::test_compatibility_true": PICKLE,
    "test_fasttext::UnpackTest::test_identity": PRIVATE,
    "test_fasttext::UnpackTest::test_sanity": PRIVATE,
    "test_fasttext::UnpackTest::test_tricky": PRIVATE,
    "test_phrases::TestPhrasesPersistence::test_save_load_no_common_terms": PICKLE,
    "test_phrases::TestPhrasesPersistence::test_save_load_no_scoring": PICKLE,
    "test_phrases::TestPhrasesPersistence::test_save_load_string_scoring": PICKLE,
    "test_phrases::TestFrozenPhrasesPersistence::test_save_load_no_common_terms": PICKLE,
    "test_phrases::TestFrozenPhrasesPersistence::test_save_load_no_scoring": PICKLE,
    "test_phrases::TestFrozenPhrasesPersistence::test_save_load_string_scoring": PICKLE,
    "test_phrases::TestFrozenPhrasesModelCompatibility::test_compatibility": PICKLE,
    "test_doc2vec::TestDoc2VecModel::test_get_offsets_and_start_doctags": PRIVATE,
    "test_doc2vec::TestDoc2VecModel::test_cython_linesentence_readline_after_getting_offsets": PRIVATE,
}
# These pass, but test functions of gensim that are not replaced, or its command.
OF_GENSIM_ITSELF = {
    "test_word2vec::TestWord2VecScripts::test_word2vec_stand_alone_script",
    "test_fasttext::UnicodeVocabTest::test_ascii",
    "test_fasttext::UnicodeVocabTest::test_bad_unicode",
    "test_fasttext::TestFromfile::test_compressed",
    "test_fasttext::TestFromfile::test_decompressed",
}
# These compare ranks or signs in small random models that several threads learn, so a threshold may be missed at times.
# The similarity of test_cbow_hs_online, which is to be above 0, is below it in 4 of 40 runs, and with gensim in 2 of 20
# (with other seeds and one thread).
MAY_FAIL = {
    "test_doc2vec::TestDoc2VecModel::test_parallel",
    "test_word2vec::TestWord2VecModel::test_cbow_hs_online",
    "test_word2vec::TestWord2VecModel::test_parallel",
}
LEAST_SHARE = 0.95


@pytest.mark.long
def test_gensims_tests_pass():
    outcomes = {name: end for name, end in run_suite().items() if end != "skipped"}
    failed = {name for name, end in outcomes.items() if end != "passed"}
    assert INTERNAL.keys() <= failed
    unexplained = failed - INTERNAL.keys() - MAY_FAIL
    assert not unexplained, {name: outcomes[name] for name in unexplained}
    counted = outcomes.keys() - INTERNAL.keys() - OF_GENSIM_ITSELF
    assert len(counted) > 200
    assert len(counted - failed) / len(counted) >= LEAST_SHARE
