from rowspace.encode.encoder import Encoder as Encoder
from rowspace.encode.flat_tokenizer import FlatTokenizer as FlatTokenizer
from rowspace.encode.options import EncodeOptions as EncodeOptions
from rowspace.encode.precision import quantize as quantize
from rowspace.encode.texts import FlatIds as FlatIds, TextBuffer as TextBuffer
from rowspace.encode.usage import Report as Report
