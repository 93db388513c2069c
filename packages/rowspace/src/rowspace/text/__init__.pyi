from rowspace.text.corpus.open_corpus import Corpus as Corpus, corpus_bytes as corpus_bytes, open_corpus as open_corpus
from rowspace.text.corpus.standard_library import standard_library as standard_library
from rowspace.text.ids.encode_corpus import encode_corpus as encode_corpus
from rowspace.text.ids.encode_phrases import encode_phrases as encode_phrases
from rowspace.text.ids.encode_tokens import encode_tokens as encode_tokens
from rowspace.text.ids.id_corpus import IdCorpus as IdCorpus
from rowspace.text.ids.renumber import ReplacedTextWarning as ReplacedTextWarning
from rowspace.text.inspect.coverage import Coverage as Coverage, measure_coverage as measure_coverage
from rowspace.text.inspect.truncation import (
    SplitToken as SplitToken,
    minimum_size as minimum_size,
    split_tokens as split_tokens,
    tokenize_at_sizes as tokenize_at_sizes,
    truncate_counts as truncate_counts,
    truncate_vocabulary as truncate_vocabulary,
)
from rowspace.text.options import TextOptions as TextOptions
from rowspace.text.tokenizer_options import WORDS_ONLY as WORDS_ONLY, TokenizerOptions as TokenizerOptions
from rowspace.text.tokenizers.huggingface import (
    AnyTokenizer as AnyTokenizer,
    HuggingFaceTokenizer as HuggingFaceTokenizer,
)
from rowspace.text.tokenizers.open_tokenizer import open_tokenizer as open_tokenizer
from rowspace.text.tokenizers.tokenizer import Encoding as Encoding, Tokenizer as Tokenizer
from rowspace.text.training.default_tokenizer import (
    DEFAULT_VOCABULARY_SIZE as DEFAULT_VOCABULARY_SIZE,
    cached_default_tokenizer as cached_default_tokenizer,
    default_tokenizer as default_tokenizer,
)
from rowspace.text.training.train import train_tokenizer as train_tokenizer
from rowspace.text.words import whitespace_json as whitespace_json
from rowspace.text.words.word_tokenizer import WordTokenizer as WordTokenizer
