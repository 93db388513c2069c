"""What scikit-learn expects of a classifier, without importing it, which takes longer than to label some texts."""

import inspect
from importlib.util import find_spec
from typing import Any, Self

from rowspace.errors import MissingExtraError

__all__ = ["Estimator"]

if find_spec("sklearn") is None:
    raise MissingExtraError("a classifier needs scikit-learn: pip install 'rowspace[analysis]'")


class Estimator:
    """A classifier of texts by scikit-learn's conventions: parameters, `clone`, tags, and requests of metadata."""

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters by name; `deep` changes nothing, since no parameter is an estimator."""
        return {name: getattr(self, name) for name in sorted(inspect.signature(type(self)).parameters)}

    def set_fit_request(self, *, sample_weight: bool | str | None) -> Self:
        """Say whether a meta-estimator passes weights on to `fit`; see scikit-learn's guide on metadata routing."""
        self._metadata_request = self.get_metadata_routing()  # the name that `clone` copies
        self._metadata_request.fit.add_request(param="sample_weight", alias=sample_weight)
        return self

    def set_score_request(self, *, sample_weight: bool | str | None) -> Self:
        """Say whether a meta-estimator passes weights on to `score`."""
        self._metadata_request = self.get_metadata_routing()
        self._metadata_request.score.add_request(param="sample_weight", alias=sample_weight)
        return self

    def get_metadata_routing(self) -> Any:
        """Return what `fit` and `score` request, scikit-learn's `MetadataRequest`."""
        from sklearn.utils.metadata_routing import MetadataRequest

        if hasattr(self, "_metadata_request"):
            return self._metadata_request
        found = MetadataRequest(owner=type(self).__name__)
        for method in (found.fit, found.score):
            method.add_request(param="sample_weight", alias=None)
        return found

    def __repr__(self) -> str:
        defaults = inspect.signature(type(self)).parameters
        shown = {name: f"{value!r:.200}" for name, value in self.get_params().items()}
        changed = [f"{name}={text}" for name, text in shown.items() if text != repr(defaults[name].default)]
        return f"{type(self).__name__}({', '.join(changed)})"

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import ClassifierTags, InputTags, Tags, TargetTags

        inputs = InputTags(string=True, one_d_array=True, two_d_array=False)
        target = TargetTags(required=True)
        return Tags("classifier", target, classifier_tags=ClassifierTags(), input_tags=inputs)

    def _check_is_fitted(self) -> None:
        if not hasattr(self, "parts_"):
            from sklearn.exceptions import NotFittedError

            raise NotFittedError(f"this {type(self).__name__} is not fitted yet; call fit first")
