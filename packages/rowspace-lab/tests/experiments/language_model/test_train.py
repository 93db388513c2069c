"""A run: what it learns, what is in its folder, and that it continues with the same bits."""

import json
import pickle
import shutil
import signal
from pathlib import Path

import numpy as np
import pytest
import torch

import rowspace as rs
from rowspace.errors import (
    CorpusError,
    FileFormatError,
    RowspaceError,
    TrainingDiverged,
    TrainingInterrupted,
    UsageError,
)
from rowspace.files.strict_json import sealed
from rowspace_lab.experiments.language_model.data import read_corpora
from rowspace_lab.experiments.language_model.run_folder.checkpoint import TENSORS, read_record, read_tensors
from rowspace_lab.experiments.language_model.run_folder.loaded_run import load_run
from rowspace_lab.experiments.language_model.telemetry.events import NAME, Events
from rowspace_lab.experiments.language_model.train import TrainReports
from rowspace_lab.experiments.language_model.trainer import Trainer


def bits(run):
    """All that must be equal for two runs to be the same; times differ."""
    files = [run / "model.safetensors", run / TENSORS, run / NAME, *sorted((run / "data").iterdir())]
    files += sorted((run / "model").iterdir()) if (run / "model").exists() else []
    record = json.loads((run / "state/run.json").read_text())
    return {path.relative_to(run).as_posix(): path.read_bytes() for path in files} | {
        name: record[name] for name in ("step", "events", "facts", "model", "tokens")
    }


def test_a_model_learns_more_than_the_counts_of_tokens(tmp_path, english):
    options = {
        "dim": 32,
        "layers": 1,
        "heads": 2,
        "steps": 200,
        "batch_size": 8,
        "context": 32,
        "lr": 1e-2,
        "workers": 1,
    }
    run = rs.train(english, tmp_path / "run", vocabulary_size=300, device="cpu", record=200, evaluate=100, **options)
    facts = run.record.facts
    assert facts["bits_per_byte"] < 0.92 * facts["unigram_bits_per_byte"]
    with Events(run.path) as events:
        steps, held_out = events.steps(), events.held_out()
    assert steps["loss"][-20:].mean() < 0.8 * steps["loss"][:5].mean()
    assert [step for step, _ in held_out] == [0, 100, 200]
    assert held_out[-1][1] < held_out[1][1] < held_out[0][1]
    assert run.bits_per_byte == pytest.approx(held_out[-1][1], rel=0.1)


def test_the_folder_is_a_table(finished):
    table = rs.load(finished.path, verify=True)
    assert table.vocabulary[:3] == finished.table.vocabulary[:3]
    np.testing.assert_array_equal(table.rows, finished.model.input.tokens.weight.detach().numpy())
    assert table.counts.sum() > 5000
    assert table.settings["learned_by"] == "rowspace train"
    assert table.settings["dim"] == table.dim == 16
    assert not finished.path.with_name("finished.train").exists()


def test_the_model_opens_again_and_in_transformers(finished, assert_close):
    from transformers import AutoModelForCausalLM

    ids = torch.arange(32).reshape(2, 16)
    with torch.no_grad():
        expected = finished.model(ids)
        assert torch.equal(load_run(finished.path).model(ids), expected)
        assert_close(AutoModelForCausalLM.from_pretrained(finished.path / "model")(ids).logits, expected)


def test_the_same_call_gives_the_same_bits_and_another_seed_does_not(quick, tmp_path):
    first, again = quick(tmp_path / "first"), quick(tmp_path / "again")
    assert bits(first.path) == bits(again.path)
    assert bits(quick(tmp_path / "other", seed=2).path) != bits(first.path)


@pytest.mark.parametrize(
    "options",
    [
        {},
        pytest.param({"tied": False, "constraint": "unit"}, marks=pytest.mark.long),
        pytest.param({"positions": "learned", "scaled": True, "constraint": "max"}, marks=pytest.mark.long),
    ],
    ids=["default", "untied", "scaled"],
)
def test_an_interrupted_run_continues_with_the_same_bits(options, quick, tmp_path):
    whole = quick(tmp_path / "whole", watch=["t"], record=5, evaluate=3, **options)

    for part in range(2):
        with pytest.raises(TrainingInterrupted, match=r"stopped after step [47] of 12; .* rowspace train --resume -o"):
            quick(
                tmp_path / "parts",
                reports=TrainReports(on_progress=stop_at(4 + 3 * part)),
                **({"resume": True} if part else {"watch": ["t"], "record": 5, "evaluate": 3, **options}),
            )
    parts = quick(tmp_path / "parts", resume=True)
    assert bits(parts.path) == bits(whole.path)
    assert parts.record.facts == whole.record.facts


def stop_at(step):
    """A callback that stops at a step."""

    def stop(progress):
        if progress.step == step:
            signal.raise_signal(signal.SIGTERM)

    return stop


def test_a_finished_run_has_nothing_to_resume(finished, quick, tmp_path):
    shutil.copytree(finished.path, tmp_path / "run")
    assert quick(tmp_path / "run", resume=True).record.facts == finished.record.facts
    assert bits(tmp_path / "run") == bits(finished.path)


def test_a_checkpoint_keeps_the_files_of_others(quick, tmp_path):
    def add(progress):
        (tmp_path / "run/notes").mkdir(exist_ok=True)
        (tmp_path / "run/notes/mine.txt").write_text("keep")

    quick(tmp_path / "run", save_steps=1, reports=TrainReports(on_progress=add))
    assert (tmp_path / "run/notes/mine.txt").read_text() == "keep"
    with pytest.raises(UsageError, match="it also holds 'notes'"):
        quick(tmp_path / "run")


def test_a_run_replaces_an_older_one(quick, tmp_path):
    quick(tmp_path / "run", steps=3)
    assert quick(tmp_path / "run", steps=2).record.step == 2
    assert read_record(tmp_path / "run").step == 2


def test_only_one_process_trains_a_run(quick, tmp_path):
    def start_another(_progress):
        with pytest.raises(RowspaceError, match=r"another process is training .*run"):
            quick(tmp_path / "run")
        with pytest.raises(RowspaceError, match=r"another process is training .*run"):
            quick(tmp_path / "run", resume=True)

    assert quick(tmp_path / "run", steps=2, reports=TrainReports(on_progress=start_another)).record.step == 2


def test_a_loss_that_is_not_finite_stops_with_the_step_the_batch_and_the_rows(quick, tmp_path):
    message = (
        r"the (loss|gradient) is (nan|inf) at step \d+ of 12, in \d+ texts? of the batch \(from id [\d, ]+ of the "
        r"training text\); rows concerned: '.*; the checkpoint of step (\d+) is kept in .*; train again with a lower lr"
    )
    with pytest.raises(TrainingDiverged, match=message) as caught:
        quick(tmp_path / "run", lr=100.0, clip=0, warmup=0, weight_decay=100.0, save_steps=1, init_std=50.0)
    kept = read_record(tmp_path / "run").step
    assert f"the checkpoint of step {kept}" in str(caught.value)
    assert all(torch.isfinite(tensor).all() for tensor in read_tensors(tmp_path / "run").values())
    assert np.isfinite(rs.load(tmp_path / "run").rows).all()


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"corpus": ["a b c"] * 2, "vocabulary_size": None}, CorpusError, "a context of 16 needs 17"),
        ({"context": 10**6}, CorpusError, "a context of 1,000,000 needs 1,000,001"),
        ({"vocabulary_size": 100_000}, UsageError, r"the text supports only [\d,]+ tokens, fewer than voc"),
        ({"heads": 3}, UsageError, "heads must divide dim"),
        ({"step": 3}, UsageError, r"train has no option 'step'; did you mean steps\?"),
        ({"watch": ["no such token"]}, UsageError, "watch has 'no such token', which is not a token"),
        ({"rows": "lora"}, UsageError, "rows='lora' is for rows that exist"),
        ({"rows": "lora", "constraint": "max"}, UsageError, "constraint='max' needs rows='free', not rows="),
        ({"rows": "frozen", "constraint": "unit"}, UsageError, "constraint='unit' needs rows='free'"),
        ({"tokens": "words", "vocabulary_size": None}, UsageError, "tokens='words' leave out"),
    ],
)
def test_invalid_options_are_refused_and_nothing_is_written(options, error, message, quick, tmp_path):
    with pytest.raises(error, match=message):
        quick(tmp_path / "run", **options)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("options", "message"),
    [({"steps": 13}, "has steps=12, not 13"), ({"subwords": True}, "has no subwords, not True")],
)
def test_resume_refuses_other_options(options, message, finished, quick):
    with pytest.raises(UsageError, match=message):
        quick(finished.path, resume=True, **options)


@pytest.mark.parametrize("options", [{"watch": ["t", "e"]}, {"watch": iter(["t", "e"])}, {"tokens": Path("bpe")}])
def test_resume_accepts_the_own_options_of_the_run_in_another_type(options, finished, quick, tmp_path):
    shutil.copytree(finished.path, tmp_path / "run")
    assert quick(tmp_path / "run", resume=True, **options).record.facts == finished.record.facts


def test_resume_without_a_run_is_refused(quick, tmp_path):
    with pytest.raises(UsageError, match="there is no run of rowspace train in"):
        quick(tmp_path / "run", resume=True)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("name", "damage"),
    [
        (TENSORS, lambda data: data[:-1] + b"?"),
        (TENSORS, lambda data: data[:50]),
        ("state/start.safetensors", lambda data: data[:50]),
        ("state/run.json", lambda data: data[:50]),
        ("state/run.json", lambda data: data.replace(b'"dim": 16', b'"dim": "x"')),
        ("state/run.json", lambda data: data.replace(b'"format_version": 2', b'"format_version": 9')),
        ("state/run.json", lambda data: data.replace(b'"format_version": 2', b'"format_version": 1')),
        ("state/run.json", lambda data: data.replace(b'"step": 12', b'"step": 11')),
        ("state/start.safetensors", lambda data: data[:-1] + b"?"),
        ("tokenizer.json", lambda data: data.replace(b"e", b"f", 1)),
        ("data/data.json", lambda data: data.replace(b'"text_bytes": ', b'"text_bytes": 1')),
        ("data/data.json", lambda data: data.replace(b'"checksum"', b'"checkzum"')),
        ("events.bin", lambda data: data[:50]),
        ("events.bin", lambda data: data[:5000] + b"?" + data[5001:]),
        ("data/data.json", lambda data: data[:50]),
        ("data/train.bin", lambda data: data[:51]),
    ],
)
def test_a_damaged_state_is_one_sentence(name, damage, finished, quick, tmp_path):
    shutil.copytree(finished.path, tmp_path / "run")
    path = tmp_path / "run" / name
    before = path.read_bytes()
    path.write_bytes(damage(before))
    assert path.read_bytes() != before
    reading = load_run if name == "tokenizer.json" else lambda run: quick(run, resume=True)
    with pytest.raises(FileFormatError, match=r"train a new run|upgrade with: pip install"):
        reading(tmp_path / "run")


def test_events_record_the_changes_of_the_rows(finished, assert_close):
    with Events(finished.path) as events:
        steps, rows = events.steps(), events.rows(12)
        assert events.row_steps() == [4, 8, 12]
        assert events.snapshot_steps() == [0, 4, 8, 12]
        first, last = events.snapshot(0), events.snapshot(12)
        watched = events.header["watched"]
    weight = finished.model.input.tokens.weight.detach().numpy()
    table = finished.table
    assert steps["tokens"].tolist() == [4 * 16] * 12
    assert rows["input_updates"].sum() == steps["rows_touched"].sum()
    assert rows["input_updates"][table.counts == 0].max() == 0
    assert (rows["head_targets"].max(), rows["input_updates"].max()) == (12, 12)
    assert_close(rows["norm"], np.linalg.norm(weight, axis=1))
    assert rows["distance"].min() > 0  # a tied head moves every row
    assert [table.vocabulary[number] for number in last["ids"][:2]] == watched == ["t", "e"]
    assert len(last["ids"]) == len(set(last["ids"].tolist())) == 22
    assert_close(last["rows"], weight[last["ids"]].astype(np.float16))
    assert np.abs(first["input_sum"]).max() == np.abs(first["head_sum"]).max() == 0
    assert np.abs(last["input_sum"]).min() > 0


def test_the_two_gradients_of_a_tied_row_add_up(quick, tmp_path, text, assert_close):
    """The split into input and head equals the gradients of the same model with an untied head."""
    tied = quick(tmp_path / "tied", steps=1, record=1, watch=["t"], scaled=True)
    start = load_run(quick(tmp_path / "same", steps=1, lr=0.0, scaled=True).path).model
    from rowspace.layers import UntiedHead
    from rowspace_lab.experiments.language_model.schedule import draw_batch

    head = UntiedHead(16, 300)
    head.weight = torch.nn.Parameter(start.input.tokens.weight.detach().clone())
    start.head = head
    batch = draw_batch(read_corpora(tied.path / "data").train, tied.record.training, 1, "cpu")
    start.loss(batch.ids, batch.targets).backward()
    with Events(tied.path) as events:
        rows, snapshot = events.rows(1), events.snapshot(1)
    expected = {"input": start.input.tokens.weight.grad, "head": head.weight.grad}
    for side, gradient in expected.items():
        assert_close(rows[f"{side}_gradient"], gradient.norm(dim=1), slack=5)
        assert_close(snapshot[f"{side}_sum"][0], gradient[snapshot["ids"][0]], slack=5)


@pytest.mark.parametrize("tied", [True, False])
def test_steps_of_both_sides_add_up_to_the_change_of_a_row(tied, quick, tmp_path, assert_close):
    """Compared with what the optimizer did to the rows and with its own first moment, in the last of 12 steps."""
    options = {"tied": tied, "watch": ["t", "e"], "record": 1, "weight_decay": 0.0, "clip": 0.5}
    run = quick(tmp_path / "run", **options)
    table = run.table
    with Events(run.path) as events:
        snapshot, rows = events.snapshot(12), events.rows(12)
    moved = snapshot["input_step"] + (snapshot["head_step"] if tied else 0)
    ids = [table.id(token) for token in ("t", "e")]
    assert_close(np.linalg.norm(moved, axis=1), rows["step"][ids], slack=20)
    moments = snapshot["input_moment"] + (snapshot["head_moment"] if tied else 0)
    assert_close(np.linalg.norm(moments, axis=1), rows["first_moment"][ids], slack=20)
    if not tied:
        assert_close(np.linalg.norm(snapshot["head_step"], axis=1), rows["head_step"][ids], slack=20)


def test_untied_rows_move_without_a_gradient(quick, tmp_path):
    run = quick(tmp_path / "run", tied=False, record=12, steps=12)
    with Events(run.path) as events:
        rows = events.rows(12)
    still = rows["input_gradient"] == 0
    seen = still & (rows["input_updates"] > 0)
    assert seen.any()
    assert rows["step"][seen].min() > 0  # momentum
    assert rows["step"][still & ~seen].max() < 0.01 * rows["step"][seen].max()  # decay only
    assert {"head_distance", "head_second_moment", "head_step", "head_norm"} <= set(rows)


@pytest.mark.parametrize(("constraint", "lowest"), [("unit", 1.0), ("max", 0.0)])
def test_constraints_bound_the_norms(constraint, lowest, quick, tmp_path):
    norms = np.linalg.norm(quick(tmp_path / "run", constraint=constraint, init_std=1.0).table.rows, axis=1)
    assert lowest - 1e-6 <= norms.min() <= norms.max() <= 1 + 1e-6


def test_run_without_a_transformers_class_reports_it_and_has_no_model(quick, tmp_path):
    run = quick(tmp_path / "run", positions="alibi", steps=2)
    assert not (tmp_path / "run/model").exists()
    saved_record = json.loads((tmp_path / "run/state/run.json").read_text())["transformers"]
    assert saved_record.startswith("transformers has no model with gpt2 blocks and positions='alibi'")
    assert set(run.record.facts["bits_per_byte_by_length"]) == {"16", "32", "64"}


def test_learned_positions_have_no_rows_beyond_the_context(quick, tmp_path):
    by_length = quick(tmp_path / "run", positions="learned", steps=2).record.facts["bits_per_byte_by_length"]
    assert (by_length["16"] > 0, by_length["32"], by_length["64"]) == (True, None, None)


def test_a_full_disk_is_one_sentence_and_the_checkpoint_is_kept(quick, tmp_path, monkeypatch):
    from rowspace_lab.experiments.language_model.run_folder import checkpoint

    write = checkpoint.write_model
    calls = []

    def full(*arguments):
        calls.append(arguments)
        if len(calls) == 3:
            raise OSError(28, "No space left on device")
        return write(*arguments)

    monkeypatch.setattr(checkpoint, "write_model", full)  # a real full disk needs a mount
    with pytest.raises(RowspaceError, match="the disk is full"):
        quick(tmp_path / "run", save_steps=4)
    monkeypatch.undo()
    assert read_record(tmp_path / "run").step == 4
    assert [path.name for path in tmp_path.iterdir()] == ["run"]
    assert quick(tmp_path / "run", resume=True).record.step == 12


class TestInit:
    """A run that continues another one."""

    @pytest.mark.parametrize("rows", ["free", "frozen", "lora"])
    def test_rows_move_as_they_may(self, rows, finished, quick, tmp_path, text):
        run = quick(
            tmp_path / "next", init=finished.path, rows=rows, steps=6, corpus=text[::-1], lora_rank=2, workers=1
        )
        moved = run.table.rows - finished.table.rows
        assert run.table.vocabulary == finished.table.vocabulary
        assert run.record.init == str(finished.path)
        if rows == "frozen":
            assert not moved.any()
            assert run.record.facts["mean_distance"] == 0
        else:
            assert run.record.facts["mean_distance"] == pytest.approx(np.linalg.norm(moved, axis=1).mean(), rel=1e-4)
            assert len(run.record.facts["farthest"]) == 10
            assert (np.linalg.matrix_rank(moved, tol=1e-5) <= 2) == (rows == "lora")
        ids = torch.arange(16)[None]
        assert torch.equal(load_run(run.path).model(ids), run.model(ids))

    @pytest.mark.parametrize("rows", ["frozen", "lora"])
    def test_it_resumes_with_the_same_bits(self, rows, finished, quick, tmp_path, text):
        options = {"init": finished.path, "rows": rows, "steps": 6, "corpus": text[::-1], "workers": 1}
        whole = quick(tmp_path / "whole", **options)
        with pytest.raises(TrainingInterrupted):
            quick(tmp_path / "parts", reports=TrainReports(on_progress=stop_at(1)), **options)
        assert bits(quick(tmp_path / "parts", resume=True).path) == bits(whole.path)

    @pytest.mark.parametrize(
        ("options", "message"),
        [
            ({"dim": 8}, "has dim=16, which cannot change; omit dim"),
            ({"tokens": "bytes"}, "has its own tokens, which cannot change; omit tokens"),
            ({"resume": True}, "omit one of them"),
        ],
    )
    def test_shape_and_tokens_cannot_change(self, options, message, finished, quick, tmp_path):
        with pytest.raises(UsageError, match=message):
            quick(tmp_path / "next", init=finished.path, **options)


@pytest.fixture(scope="module")
def pieces(text, tmp_path_factory):
    """The path of a table of pieces with long rows."""
    path = tmp_path_factory.mktemp("pieces") / "table"
    table = rs.fit(text, tokens="bpe", vocabulary_size=300, dim=16, epochs=1, workers=1)
    rs.Table(list(table), 7 * table.rows, table.counts, tokenizer=table.tokenizer).save(path)
    return path


class TestInitTable:
    """A run that starts with the rows of a table."""

    @pytest.mark.parametrize("tied", [True, False])
    def test_it_starts_with_the_rows_scaled_to_the_deviation_of_random_rows(self, pieces, tied, quick, tmp_path):
        table = rs.load(pieces)
        run = quick(tmp_path / "run", init=pieces, heads=2, steps=1, rows="frozen", tied=tied, workers=1)
        learned = table.norms > 0
        rows, moved = table.rows[learned], run.table.rows[learned]
        assert run.table.vocabulary == table.vocabulary
        np.testing.assert_allclose(moved / np.linalg.norm(moved), rows / np.linalg.norm(rows), atol=1e-6)
        assert np.sqrt(np.square(moved).mean()) == pytest.approx(0.02, rel=1e-4)
        assert learned.sum() < len(table)
        assert run.table.norms[~learned].all()

    def test_it_resumes_with_the_same_bits(self, pieces, quick, tmp_path):
        options = {"init": pieces, "heads": 2, "steps": 6, "workers": 1}
        whole = quick(tmp_path / "whole", **options)
        with pytest.raises(TrainingInterrupted):
            quick(tmp_path / "parts", reports=TrainReports(on_progress=stop_at(1)), **options)
        assert bits(quick(tmp_path / "parts", resume=True).path) == bits(whole.path)

    def test_what_does_not_fit_is_refused(self, pieces, text, quick, tmp_path):
        words, cut = tmp_path / "words", tmp_path / "cut"
        rs.fit(text, dim=16, epochs=1, workers=1).save(words)
        table = rs.load(pieces)
        rs.Table(list(table)[:-1], table.rows[:-1], tokenizer=table.tokenizer).save(cut)
        for options, message in [
            ({"init": pieces, "dim": 32}, "has dim=16, which cannot change; omit dim"),
            ({"init": pieces, "vocabulary_size": 400}, "has its own tokens, which cannot change; omit vocabulary_size"),
            ({"init": words}, "are words, which leave out white space"),
            ({"init": cut}, "has 300 tokens, and they are not those of its 299 rows"),
        ]:
            with pytest.raises(UsageError, match=message):
                quick(tmp_path / "run", **options)


def test_the_model_of_a_run_can_be_pickled_and_is_no_longer_watched(finished, assert_close):
    again = pickle.loads(pickle.dumps(finished.model))  # our own
    ids = torch.arange(16)[None]
    assert torch.equal(again(ids), finished.model(ids))
    assert not finished.model.input.tokens._forward_hooks


def test_ctrl_c_while_the_text_is_read_leaves_nothing(quick, tmp_path, text):
    def texts():
        yield from text
        signal.raise_signal(signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        quick(tmp_path / "run", corpus=texts())
    assert list(tmp_path.iterdir()) == []


def test_a_held_out_loss_that_is_not_finite_is_no_result(quick, tmp_path, monkeypatch):
    from rowspace_lab.experiments.language_model import trainer

    # A real one needs weights that overflow on the held-out text only.
    monkeypatch.setattr(trainer, "bits_per_byte_by_length", lambda *_: {16: float("inf")})
    with pytest.raises(
        TrainingDiverged, match="the loss of the held-out text is not finite after step 12 of 12; rows con"
    ):
        quick(tmp_path / "run", save_steps=5)
    assert read_record(tmp_path / "run").step == 10


def test_without_links_files_are_copied(quick, tmp_path, monkeypatch):
    def refuse(*_arguments, **_options):
        raise PermissionError(1, "Operation not permitted")

    linked = quick(tmp_path / "linked", save_steps=4, record=4)
    monkeypatch.setattr(
        "rowspace_lab.experiments.language_model.run_folder.folder.os.link", refuse
    )  # as on file systems without links
    assert bits(quick(tmp_path / "copied", save_steps=4, record=4).path) == bits(linked.path)


def test_a_reader_follows_a_run_over_its_checkpoints(quick, tmp_path):
    seen = []

    def follow(progress):
        if not seen:
            seen.append(Events(tmp_path / "run"))
        seen[0].refresh()
        seen.append(len(seen[0].steps()))

    quick(tmp_path / "run", save_steps=2, reports=TrainReports(on_progress=follow))
    with seen.pop(0):
        assert seen == list(range(1, 13))


def test_a_weight_that_is_not_finite_is_never_saved(finished, tmp_path):
    shutil.copytree(finished.path, tmp_path / "run")
    before = bits(tmp_path / "run")
    trainer = Trainer(read_corpora(tmp_path / "run/data"), finished.record)
    with torch.no_grad():
        trainer.model.input.tokens.weight[7] = float("nan")
    name = finished.table.vocabulary[7]
    with pytest.raises(
        TrainingDiverged, match=r"the weight 'input.tokens.weight' is not finite after step 12"
    ) as caught:
        trainer.save(tmp_path / "run", tmp_path / "run")
    assert f"; rows concerned: {name!r}; the last checkpoint is kept in" in str(caught.value)
    assert bits(tmp_path / "run") == before


def test_a_run_has_a_name_and_cuda_is_used_only_where_it_is(quick, tmp_path, monkeypatch, finished):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)  # on machines with a GPU too
    with pytest.raises(UsageError, match="train needs an output: the folder of the run"):
        quick(None)
    with pytest.raises(UsageError, match="device='cuda' is not available here"):
        quick(tmp_path / "run", device="cuda")
    assert quick(tmp_path / "run", device="auto", steps=1).record.device == "cpu"
    path = tmp_path / "run/state/run.json"
    record = json.loads(path.read_text()) | {"device": "cuda"}
    del record["checksum"]
    path.write_text(json.dumps(sealed(record)))
    with pytest.raises(UsageError, match="the run was trained with CUDA, which is not available here"):
        quick(tmp_path / "run", resume=True)


def test_existing_files_at_the_target_stay(quick, tmp_path):
    (tmp_path / "run.train").mkdir()
    (tmp_path / "run.train/mine.txt").write_text("keep")
    with pytest.raises(UsageError, match=r"'.*run.train' is needed for the run but contains 'mine.txt'; move it away"):
        quick(tmp_path / "run")
    (tmp_path / "other.train").write_text("keep")
    with pytest.raises(UsageError, match=r"'.*other.train' is needed for the run but is not a folder; move it away"):
        quick(tmp_path / "other")
    with pytest.raises(UsageError, match="there is no run of rowspace train in"):
        quick(tmp_path / "nowhere/run", resume=True)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["other.train", "run.train"]


def test_frozen_rows_have_a_gradient_of_neither_side(finished, quick, tmp_path):
    run = quick(tmp_path / "run", init=finished.path, rows="frozen", steps=2, record=1, watch=["t"], workers=1)
    with Events(run.path) as events:
        rows, snapshot = events.rows(2), events.snapshot(2)
    assert not {"input_gradient", "head_gradient", "second_moment"} & set(rows)
    assert rows["step"].max() == rows["distance"].max() == np.abs(snapshot["input_sum"]).max() == 0
