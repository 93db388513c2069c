from rowspace.learn.arena.options import ArenaOptions as ArenaOptions
from rowspace.learn.arena.run import run_arena as run_arena
from rowspace.learn.arena.runs.saved import read_arena as read_arena
from rowspace.learn.distillation.distill import (
    DistillProgress as DistillProgress,
    DistillReports as DistillReports,
    distill as distill,
)
from rowspace.learn.distillation.options import DistillOptions as DistillOptions
from rowspace.learn.fit import Reports as Reports
from rowspace.learn.language_model.inspect.contextual import (
    ContextualRows as ContextualRows,
    LoadedEncoder as LoadedEncoder,
    contextual_rows as contextual_rows,
    load_encoder as load_encoder,
)
from rowspace.learn.language_model.inspect.probes import (
    ProbeScore as ProbeScore,
    probe as probe,
    probe_layers as probe_layers,
)
from rowspace.learn.language_model.options import (
    ModelOptions as ModelOptions,
    TokenOptions as TokenOptions,
    TrainingOptions as TrainingOptions,
)
from rowspace.learn.language_model.run_folder.loaded_run import LoadedRun as LoadedRun, load_run as load_run
from rowspace.learn.language_model.telemetry.events import Events as Events, read_events as read_events
from rowspace.learn.language_model.train import TrainedRun as TrainedRun, TrainReports as TrainReports
from rowspace.learn.language_model.trainer import TrainProgress as TrainProgress
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
