from rowspace.learn.categories.encoder import CategoryEncoder as CategoryEncoder
from rowspace.learn.classifier.classifier import Classifier as Classifier
from rowspace.learn.classifier.examples import read_labeled_texts as read_labeled_texts
from rowspace.learn.classifier.options import ClassifierOptions as ClassifierOptions
from rowspace.learn.distillation.distill import (
    DistillProgress as DistillProgress,
    DistillReports as DistillReports,
    distill as distill,
)
from rowspace.learn.distillation.options import DistillOptions as DistillOptions
from rowspace.learn.documents.documents import Documents as Documents, fit_documents as fit_documents
from rowspace.learn.documents.options import DocumentOptions as DocumentOptions
from rowspace.learn.fit import Reports as Reports
from rowspace.learn.graph.fit_graph import GraphReports as GraphReports, fit_graph as fit_graph
from rowspace.learn.graph.options import GraphOptions as GraphOptions
from rowspace.learn.items.evaluate import ItemScores as ItemScores, evaluate_items as evaluate_items
from rowspace.learn.items.fit_items import ItemProgress as ItemProgress
from rowspace.learn.items.interactions import Interactions as Interactions, hold_out as hold_out
from rowspace.learn.items.model import Items as Items
from rowspace.learn.items.options import BasketOptions as BasketOptions, ItemOptions as ItemOptions
from rowspace.learn.items.reading import read_interactions as read_interactions
from rowspace.learn.merging.align import align as align
from rowspace.learn.merging.compare import compare as compare
from rowspace.learn.merging.comparison import Comparison as Comparison
from rowspace.learn.merging.merge import merge as merge
from rowspace.learn.merging.options import (
    AlignOptions as AlignOptions,
    CompareOptions as CompareOptions,
    MergeOptions as MergeOptions,
)
from rowspace.learn.options import FitOptions as FitOptions
from rowspace.learn.run_folder import run_folder_of as run_folder_of
from rowspace.learn.tuning.classifier import TextClassifier as TextClassifier
from rowspace.learn.tuning.options import TuneOptions as TuneOptions
from rowspace.learn.tuning.pairs import read_pairs as read_pairs
from rowspace.learn.tuning.tune import TuneProgress as TuneProgress, tune as tune
from rowspace.learn.word2vec.trainer import Progress as Progress
