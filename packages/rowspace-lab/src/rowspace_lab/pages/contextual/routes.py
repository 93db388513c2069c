"""The route of the Contextual page: a word in several texts, layer by layer.

The model is that of the table, if the table is a run of `rowspace train` or an encoder of transformers; otherwise the
encoder of the table of everyday words. Where that cannot be run, the page's own texts have a stored result.
"""

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

from rowspace.errors import MissingExtraError, UsageError
from rowspace.files.strict_json import read_object
from rowspace.learn.default_table import ENCODER, encoder_folder
from rowspace_lab.lab import Lab
from rowspace_lab.page import Handler, needs_torch
from rowspace_lab.pages.contextual.replies import LayersReply
from rowspace_lab.pages.contextual.stored import stored_layers
from rowspace_lab.server.query import Query
from rowspace_lab.tables.everyday import EVERYDAY

__all__ = ["ROUTES"]

WORD = "bank"
SENSES = {
    "we sat on the grassy bank of the river": "river",
    "the boat drifted to the bank and we climbed out of the water": "river",
    "fishermen stood along the muddy bank of the stream": "river",
    "the bank raised its interest rates again": "money",
    "she opened an account at the bank to save money": "money",
    "the bank refused the loan to the company": "money",
}
"""The default texts, with the sense of the word in each."""
MAX_TEXTS = 12
STATIC = "model2vec"


def layers(lab: Lab, query: Query) -> LayersReply:
    """Return the vectors of `word` in each of `texts`, in each layer of the model, and its row."""
    texts = [text.strip() for text in query.texts("texts", list(SENSES), limit=MAX_TEXTS) if text.strip()]
    if not texts:
        raise UsageError("there is no text; type at least two")
    word = query.text("word", WORD, max_length=40)
    try:
        return _computed(lab, word, texts)
    except MissingExtraError as missing:
        if word != WORD or texts != list(SENSES):
            raise
        return {
            **stored_layers(),
            "word": word,
            "texts": texts,
            "senses": [*SENSES.values()],
            "model": ENCODER,
            "missing": str(missing),
            "code": "",
        }


@needs_torch
def _computed(lab: Lab, word: str, texts: list[str]) -> LayersReply:
    from rowspace_lab.pages.contextual import figures
    from rowspace_lab.shared.figure import shown

    folder, name = _model_folder(lab)
    is_run = _is_run(folder)
    model: partial[Any] = partial(figures.open_run if is_run else figures.open_encoder, folder=str(folder))
    read = partial(figures.read_texts, texts=texts)
    figure = partial(figures.layers_figure, word=word)
    opened = lab.cached(("contextual", folder), model)
    return {
        **figure(read(opened)),
        "word": word,
        "texts": texts,
        "senses": [SENSES.get(text, "") for text in texts],
        "model": name,
        "missing": "",
        "code": shown(lab, figure, model=model, read=read),
    }


def _model_folder(lab: Lab) -> tuple[Path, str]:
    """Return the folder and the name of the table's model, or of the encoder of everyday words.

    Raises:
        MissingExtraError: The table has no model, and that encoder is not installed.
    """
    folder = Path(lab.path)
    if lab.id != EVERYDAY.id and (_is_run(folder) or _is_encoder(folder)):
        return folder, folder.name
    return encoder_folder(), ENCODER


def _is_run(folder: Path) -> bool:
    from rowspace_lab.experiments.language_model.run_folder.folder import RUN_FILE  # needs PyTorch

    return (folder / RUN_FILE).is_file()


def _is_encoder(folder: Path) -> bool:
    """Whether config.json is that of a model; a native table has one as well, for model2vec."""
    config = folder / "config.json"
    return config.is_file() and read_object(config).get("model_type", STATIC) != STATIC


ROUTES: Mapping[str, Handler] = {"contextual/layers": layers}
