"""The modules and classes that `gensim.models` has for word vectors."""

from rowspace._base.lazy import lazy_exports

__getattr__, __dir__, __all__ = lazy_exports(__name__, __file__)
