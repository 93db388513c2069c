"""Names of a package that are imported on first use."""

import sys

import pytest

from rowspace._base.lazy import lazy_exports


@pytest.fixture
def package(tmp_path, monkeypatch):
    (tmp_path / "lazily").mkdir()
    (tmp_path / "lazily" / "__init__.py").write_text("")
    (tmp_path / "lazily" / "__init__.pyi").write_text("from lazily.deep import answer as answer")
    (tmp_path / "lazily" / "deep.py").write_text("answer = 42")
    monkeypatch.syspath_prepend(tmp_path)
    import lazily

    yield lazily
    for name in ("lazily", "lazily.deep"):
        sys.modules.pop(name, None)


def test_name_is_imported_on_first_use(package):
    package.__getattr__, names, public = lazy_exports("lazily", package.__file__)
    assert public == ["answer"]
    assert "lazily.deep" not in sys.modules
    assert "answer" in names()
    assert package.answer == 42
    assert vars(package)["answer"] == 42
    with pytest.raises(AttributeError, match="module 'lazily' has no attribute 'question'"):
        _ = package.question
