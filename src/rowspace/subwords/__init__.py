"""Character n-grams: how words are cut and hashed (`hashing.py`), and the rows of all words (`composition.py`)."""
