"""`CallbackAny2Vec`: what a model calls while it learns."""

from typing import Any

__all__ = ["CallbackAny2Vec"]


class CallbackAny2Vec:
    """The base class of callbacks, which override what they need; `model` is the model that learns.

    Example:
        >>> class Count(CallbackAny2Vec):
        ...     epochs = 0
        ...     def on_epoch_end(self, model):
        ...         self.epochs += 1
        >>> from rowspace.compat.gensim.models.word2vec import Word2Vec
        >>> count = Count()
        >>> _ = Word2Vec([["cat", "dog"]] * 9, min_count=1, vector_size=4, epochs=3, callbacks=[count])
        >>> count.epochs
        3
    """

    def on_train_begin(self, model: Any) -> None:
        """Do something before the first epoch."""

    def on_epoch_begin(self, model: Any) -> None:
        """Do something before an epoch."""

    def on_epoch_end(self, model: Any) -> None:
        """Do something after an epoch; the vectors are up to date."""

    def on_train_end(self, model: Any) -> None:
        """Do something after the last epoch."""
