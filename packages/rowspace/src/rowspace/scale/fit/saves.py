"""The state of a fit on several machines, which the first one saves and reads for all.

After a merge of all rows, machines differ in their texts only, which they read again when a fit is resumed. So the
rows, the place in the text and the options of the first machine are the state of all.
"""

import dataclasses
import json
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from rowspace._base.plural import plural
from rowspace.errors import FitDiverged, UsageError
from rowspace.files.remote import is_url
from rowspace.learn.checks import refuse_other_options, split_options, text_settings
from rowspace.learn.options import FitKeywords, FitOptions
from rowspace.learn.run_folder import open_run_folder
from rowspace.learn.word2vec.saved_state import all_rows, load_state, place_of, read_place, save_state
from rowspace.learn.word2vec.state import FitState
from rowspace.learn.word2vec.trainer import Trainer
from rowspace.scale.fit.machines import FailedElsewhere, Machines
from rowspace.text import IdCorpus

__all__ = ["Saves", "keywords_of", "open_saves"]

MIN_SECONDS, TIMES = 10.0, 20  # between two saves; the second is a multiple of what the last one has taken


@contextmanager
def open_saves(machines: Machines, output: str | Path | None, *, resume: bool) -> Iterator["Saves"]:
    """Open the folder of the fit on the first machine; raises as `open_run_folder`, on one machine only."""
    with ExitStack() as stack:
        folder = None
        with machines.together():
            if resume and output is None:
                raise UsageError("resume needs the output of the interrupted fit")
            if machines.rank == 0 and output is not None:
                folder = stack.enter_context(open_run_folder(output, resume=resume, keeps=_can_go_on))
        yield Saves(machines, folder, is_on=output is not None and not is_url(output))


def _can_go_on(error: BaseException) -> bool:
    """Whether a resumed fit would not fail again; a text that cannot be read may come back."""
    return not (isinstance(error, FitDiverged) or (isinstance(error, FailedElsewhere) and error.diverged))


class Saves:
    """What the first machine saves at merges of all rows, and how the others get it; all call the same methods.

    Args:
        machines: All machines.
        folder: Where the first machine saves the state.
        is_on: Whether it does.

    Attributes:
        words: The words that the saved state has learned, on the first machine; 0 before the first save.
    """

    def __init__(self, machines: Machines, folder: Path | None, *, is_on: bool) -> None:
        self.machines, self.folder, self.is_on = machines, folder, is_on
        self.words, self._next = 0, 0.0

    def save(self, trainer: Trainer[IdCorpus]) -> None:
        """Save the state if it is due: so that this takes at most a twentieth of the time, and not in each second."""
        if not self.is_on:
            return
        began, state = time.monotonic(), trainer.state
        with self.machines.together():
            if self.folder is not None and began >= self._next:
                trainer.watch.before_saving()
                state.text["bytes_sent"] = self.machines.sent
                save_state(state, self.folder)
                self.words = trainer.progress.words
                now = time.monotonic()
                self._next = now + max(MIN_SECONDS, TIMES * (now - began))
        self._can_resume()

    def settings(self, keywords: dict[str, Any], schedule: dict[str, Any]) -> dict[str, Any]:
        """Return the settings of the saved fit.

        Args:
            keywords: The options that were given, which must be the same.
            schedule: Likewise `merge_every`, `first_rows` and `merging`.

        Raises:
            UsageError: An option or the number of machines differs.
            FileFormatError: The state is damaged.
        """
        settings = dict[str, Any]()
        with self.machines.together():
            if self.folder is not None:
                place, options = read_place(self.folder)
                settings = place["text"] | options | {"files": place["files"]}
                before = settings.get("machines")
                if before is None:
                    raise UsageError("the interrupted fit is one of a single machine; resume it without torchrun")
                if before != self.machines.size:
                    processes = plural(before, "process", "processes")
                    raise UsageError(
                        f"the interrupted fit learns in {processes}, not {self.machines.size}; resume it with as many"
                    )
                text, tokens, fit_options = split_options({"tokens": settings["tokens"]} | keywords)
                now = text_settings(text, tokens) | dataclasses.asdict(fit_options) | schedule
                refuse_other_options(settings, now, keywords | schedule)
        found: dict[str, Any] = json.loads(self.machines.broadcast(json.dumps(settings).encode()))
        return found

    def load(self, ids: IdCorpus, options: FitOptions, files: dict[str, int], saved: dict[str, int]) -> FitState:
        """Return the state on each machine.

        Args:
            ids: The text of this machine.
            options: The options of the saved fit.
            files: Checksums of the text of each machine.
            saved: Those of the saved fit.

        Raises:
            UsageError: The text differs.
            FileFormatError: The state is damaged.
        """
        with self.machines.together():
            if files != saved:
                raise UsageError(
                    "the text is not that of the interrupted fit; give the same files, or start a fit without resume"
                )
            if self.folder is None:
                state = FitState.start(ids, options, {})
            else:
                _, state = load_state(self.folder, ids, workers=options.workers)
        place = json.loads(self.machines.broadcast(json.dumps(place_of(state)).encode()))
        if self.folder is None:
            state = dataclasses.replace(state, **place | {"pairs": 0.0, "loss": 0.0})
        for rows in all_rows(state.weights).values():
            self.machines.copy(rows)
        self.machines.sent = state.text["bytes_sent"]
        self._can_resume()
        return state

    def _can_resume(self) -> None:
        self.machines.remedy = "start it again with --resume, to continue from the last state that was saved"


def keywords_of(settings: dict[str, Any], workers: int | None) -> dict[str, Any]:
    """Return the options of a saved fit as they would be given."""
    names = FitKeywords.__annotations__.keys() & settings.keys()
    return {name: settings[name] for name in names} | {"workers": workers}
