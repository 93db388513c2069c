from rowspace.learn.distillation.distill import (
    DistillProgress as DistillProgress,
    DistillReports as DistillReports,
    distill as distill,
)
from rowspace.learn.distillation.options import DistillOptions as DistillOptions
from rowspace.learn.fit import Reports as Reports
from rowspace.learn.optimizer.clip import clip_grad_norm_ as clip_grad_norm_
from rowspace.learn.optimizer.deferred import DenseGradientWarning as DenseGradientWarning
from rowspace.learn.optimizer.deferred_adamw import DeferredAdamW as DeferredAdamW
from rowspace.learn.optimizer.deferred_sgd import DeferredSGD as DeferredSGD
from rowspace.learn.optimizer.partial.lora import LoraTable as LoraTable
from rowspace.learn.optimizer.partial.trainable_rows import TrainableRows as TrainableRows, add_rows as add_rows
from rowspace.learn.optimizer.row_adagrad import RowAdagrad as RowAdagrad
from rowspace.learn.options import FitOptions as FitOptions
from rowspace.learn.run_directory import run_directory_of as run_directory_of
from rowspace.learn.tuning.classifier import TextClassifier as TextClassifier
from rowspace.learn.tuning.labels import read_labeled as read_labeled
from rowspace.learn.tuning.options import TuneOptions as TuneOptions
from rowspace.learn.tuning.pairs import read_pairs as read_pairs
from rowspace.learn.tuning.train_classifier import train_classifier as train_classifier
from rowspace.learn.tuning.tune import TuneProgress as TuneProgress, tune as tune
from rowspace.learn.word2vec.trainer import Progress as Progress
