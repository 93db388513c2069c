"""What stands where in a native directory: the names of its files, and the contents that never change.

`native.py` says what each file is for; it writes them, and `native_reading.py` reads them.
"""

__all__ = [
    "CONFIG",
    "CONFIG_CONTENT",
    "FILES",
    "MODEL",
    "MODULES",
    "MODULES_CONTENT",
    "NORMALIZE_MODULE",
    "SUBWORDS",
    "TOKENIZER",
    "VOCABULARY",
]

MODEL, VOCABULARY, TOKENIZER, CONFIG, MODULES = FILES = (
    "model.safetensors",
    "vocabulary.safetensors",
    "tokenizer.json",
    "config.json",
    "modules.json",
)
SUBWORDS = "subwords.safetensors"  # of tables that have them
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
