from rowspace.grouping.clusters import TextClusters as TextClusters, cluster_texts as cluster_texts
from rowspace.grouping.duplicates import Duplicates as Duplicates, dedupe as dedupe
from rowspace.grouping.keep import write_kept as write_kept
