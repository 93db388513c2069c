"""Tables in the files of models: safetensors, model2vec, sentence-transformers, transformers checkpoints, fastText."""
