"""The modules and classes that `gensim.models` has for word vectors."""

from importlib import import_module

from rowspace._base.lazy import lazy_exports

MODULES = ("callbacks", "doc2vec", "fasttext", "keyedvectors", "phrases", "word2vec")
_class_named, __dir__, __all__ = lazy_exports(__name__, __file__)


def __getattr__(name: str) -> object:
    return import_module(f"{__name__}.{name}") if name in MODULES else _class_named(name)
