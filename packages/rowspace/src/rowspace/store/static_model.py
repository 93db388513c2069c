"""config.json and modules.json of a static model, which model2vec and sentence-transformers read."""

from rowspace.table import Table

__all__ = ["CONFIG_CONTENT", "MODULES", "MODULES_CONTENT", "modules_of", "normalizes"]

MODULES = "modules.json"
# max_length null: model2vec would cut texts at 512 tokens, and their mean would not be the text's.
CONFIG_CONTENT: dict[str, object] = {
    "model_type": "model2vec",
    "architectures": ["StaticModel"],
    "normalize": False,
    "max_length": None,
}
MODULES_CONTENT: list[dict[str, object]] = [
    {"idx": 0, "name": "0", "path": "", "type": "sentence_transformers.models.StaticEmbedding"}
]
# What follows in the modules.json of a model that normalizes texts; it has no files of its own.
NORMALIZE_MODULE: dict[str, object] = {
    "idx": 1, "name": "1", "path": "1_Normalize", "type": "sentence_transformers.models.Normalize"
}  # fmt: skip


def normalizes(table: Table) -> bool:
    """Whether the table was opened from a model that normalizes texts."""
    return table.settings.get("normalize") is True


def modules_of(table: Table) -> list[dict[str, object]]:
    """Return the content of modules.json: the static module, and one that normalizes if the table has that setting."""
    return [*MODULES_CONTENT, NORMALIZE_MODULE] if normalizes(table) else MODULES_CONTENT
