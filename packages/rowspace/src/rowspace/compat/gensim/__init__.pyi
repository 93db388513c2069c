from rowspace.compat.gensim import models as models, utils as utils
from rowspace.compat.gensim.models.callbacks import CallbackAny2Vec as CallbackAny2Vec
from rowspace.compat.gensim.models.doc2vec import (
    Doc2Vec as Doc2Vec,
    TaggedDocument as TaggedDocument,
    TaggedLineDocument as TaggedLineDocument,
)
from rowspace.compat.gensim.models.fasttext import (
    FastText as FastText,
    FastTextKeyedVectors as FastTextKeyedVectors,
    load_facebook_model as load_facebook_model,
    load_facebook_vectors as load_facebook_vectors,
    save_facebook_model as save_facebook_model,
)
from rowspace.compat.gensim.models.keyedvectors import KeyedVectors as KeyedVectors
from rowspace.compat.gensim.models.phrases import FrozenPhrases as FrozenPhrases, Phraser as Phraser, Phrases as Phrases
from rowspace.compat.gensim.models.word2vec import (
    LineSentence as LineSentence,
    PathLineSentences as PathLineSentences,
    Text8Corpus as Text8Corpus,
    Word2Vec as Word2Vec,
)
