"""Character n-grams: splitting and hashing words (`hashing.py`), and the rows of a vocabulary (`composition.py`)."""
