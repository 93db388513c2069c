"""The signatures of the experiments show each option, with the type and default of its dataclass."""

import inspect

from tests.test_signatures import check_signature

from rowspace_lab.experiments import ArenaOptions, ModelOptions, TokenOptions, TrainingOptions, run_arena, train
from rowspace_lab.experiments.arena.options import ArenaKeywords
from rowspace_lab.experiments.language_model.options import TrainKeywords


def test_signatures_show_the_options_of_the_dataclasses():
    check_signature(train, TrainKeywords, (ModelOptions, TrainingOptions, TokenOptions))
    check_signature(run_arena, ArenaKeywords, (ArenaOptions,))
    for function in (train, run_arena):
        assert inspect.Parameter.VAR_KEYWORD not in {
            each.kind for each in inspect.signature(function).parameters.values()
        }
