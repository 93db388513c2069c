from rowspace.search.bridge import Bridge as Bridge, BridgeOptions as BridgeOptions
from rowspace.search.evaluate import (
    Question as Question,
    SearchScores as SearchScores,
    evaluate_search as evaluate_search,
)
from rowspace.search.index import Index as Index
from rowspace.search.options import IndexOptions as IndexOptions
from rowspace.search.ranking.evidence import Evidence as Evidence, query_terms as query_terms
from rowspace.search.ranking.scores import Hit as Hit, Rankings as Rankings
from rowspace.search.storage.vectors import PassageVectors as PassageVectors
from rowspace.search.writer import Summary as Summary
