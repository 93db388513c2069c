from rowspace_lab.experiments.arena.options import ArenaOptions as ArenaOptions
from rowspace_lab.experiments.arena.run import run_arena as run_arena
from rowspace_lab.experiments.arena.runs.saved import read_arena as read_arena
from rowspace_lab.experiments.language_model.options import (
    ModelOptions as ModelOptions,
    TokenOptions as TokenOptions,
    TrainingOptions as TrainingOptions,
)
from rowspace_lab.experiments.language_model.run_folder.loaded_run import LoadedRun as LoadedRun, load_run as load_run
from rowspace_lab.experiments.language_model.telemetry.events import Events as Events, read_events as read_events
from rowspace_lab.experiments.language_model.train import (
    TrainedRun as TrainedRun,
    TrainReports as TrainReports,
    train as train,
)
from rowspace_lab.experiments.language_model.trainer import TrainProgress as TrainProgress
from rowspace_lab.experiments.placement import place_others as place_others
from rowspace_lab.experiments.traces.encoding import trace_encoding as trace_encoding
from rowspace_lab.experiments.traces.segmentation import Merge as Merge
from rowspace_lab.experiments.traces.training import trace_training as trace_training
