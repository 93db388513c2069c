"""A corpus → ids on disk (`IdCorpus`), of its words or of the tokens of any tokenizer: what training reads.

Start at encode_corpus.py (words), encode_phrases.py (words and phrases) or encode_tokens.py (tokens); all of them write
provisional_ids.py, which renumber.py makes final.
"""

from rowspace.text.ids.encode_corpus import encode_corpus
from rowspace.text.ids.encode_phrases import encode_phrases
from rowspace.text.ids.encode_tokens import encode_tokens
from rowspace.text.ids.id_corpus import CORPUS_NAME, IDS_NAME, IdCorpus
from rowspace.text.ids.renumber import ReplacedTextWarning

__all__ = [
    "CORPUS_NAME",
    "IDS_NAME",
    "IdCorpus",
    "ReplacedTextWarning",
    "encode_corpus",
    "encode_phrases",
    "encode_tokens",
]
