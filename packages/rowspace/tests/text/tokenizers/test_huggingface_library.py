import os

import pytest

from rowspace.text.tokenizers.huggingface_library import library_threads


def test_library_threads_restores_the_environment_after_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    for before in (None, "false", "1"):
        if before is None:
            monkeypatch.delenv("TOKENIZERS_PARALLELISM", raising=False)
        else:
            monkeypatch.setenv("TOKENIZERS_PARALLELISM", before)
        with pytest.raises(KeyError), library_threads(several=True):  # noqa: PT012  # the block itself raises
            assert os.environ["TOKENIZERS_PARALLELISM"] == "true"
            raise KeyError
        assert os.environ.get("TOKENIZERS_PARALLELISM") == before
