"""From a sentence encoder on disk to a table: `rowspace.learn.distill`.

| file | contents |
|---|---|
| `distill.py`, `options.py` | `distill`, its options and its progress; the weight of each row |
| `teacher.py` | the model: its folder, its pooling, ids → vectors |
| `student_tokens.py` | the table's tokenizer, and the input of the teacher for each token |
"""
