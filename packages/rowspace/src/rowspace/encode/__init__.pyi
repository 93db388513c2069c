from rowspace.encode.contextual_encoder import ContextualEncoder as ContextualEncoder
from rowspace.encode.encoder import Encoder as Encoder
from rowspace.encode.executor import TokenRows as TokenRows, cosine_shares as cosine_shares
from rowspace.encode.flat_tokenizer import FlatTokenizer as FlatTokenizer
from rowspace.encode.options import EncodeOptions as EncodeOptions
from rowspace.encode.precision import quantize as quantize
from rowspace.encode.stream import (
    StreamOptions as StreamOptions,
    StreamProgress as StreamProgress,
    StreamResult as StreamResult,
    TextSource as TextSource,
    encode_to as encode_to,
)
from rowspace.encode.text_encoder import TextEncoder as TextEncoder
from rowspace.encode.texts import FlatIds as FlatIds, TextBuffer as TextBuffer
from rowspace.encode.usage import Report as Report
