from rowspace.compat.gensim.models.callbacks import CallbackAny2Vec as CallbackAny2Vec
from rowspace.compat.gensim.models.doc2vec import Doc2Vec as Doc2Vec, TaggedDocument as TaggedDocument
from rowspace.compat.gensim.models.fasttext import FastText as FastText
from rowspace.compat.gensim.models.keyedvectors import KeyedVectors as KeyedVectors
from rowspace.compat.gensim.models.phrases import (
    ENGLISH_CONNECTOR_WORDS as ENGLISH_CONNECTOR_WORDS,
    FrozenPhrases as FrozenPhrases,
    Phraser as Phraser,
    Phrases as Phrases,
)
from rowspace.compat.gensim.models.word2vec import Word2Vec as Word2Vec
