from rowspace.encode.encoder import Encoder as Encoder
from rowspace.encode.flat_tokenizer import FlatTokenizer as FlatTokenizer
from rowspace.encode.texts import FlatIds as FlatIds, TextBuffer as TextBuffer
