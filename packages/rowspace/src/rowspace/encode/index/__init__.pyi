from rowspace.encode.index.bridge import Bridge as Bridge, BridgeOptions as BridgeOptions
from rowspace.encode.index.evidence import Evidence as Evidence, query_words as query_words
from rowspace.encode.index.index import Index as Index
from rowspace.encode.index.options import IndexOptions as IndexOptions
from rowspace.encode.index.search import Hit as Hit, Rankings as Rankings
from rowspace.encode.index.update import Summary as Summary
from rowspace.encode.index.vectors import PassageVectors as PassageVectors
