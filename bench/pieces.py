"""Unigram pieces learned by rowspace, SentencePiece and the `tokenizers` library on the same text; prints Markdown.

    python bench/pieces.py FILE... [--size 8000]

Nine of ten lines are learned from; characters a piece are those of the tenth. `mixed` is the share of pieces of two or
more characters with both letters and other characters. Each training is a process of its own, three of each in turn;
processor seconds are the median, after the imports. SentencePiece and `tokenizers` use one thread.
"""

import argparse
import io
import json
import os
import resource
import statistics
import subprocess
import sys
from pathlib import Path

SIDES = ("rowspace", "sentencepiece", "tokenizers")


def lines_of(path):
    lines = [line for line in Path(path).read_text("utf-8").split("\n") if line.strip()]
    return [line for number, line in enumerate(lines) if number % 10], lines[::10]


def learn_rowspace(lines, size):
    from tokenizers import Tokenizer

    from rowspace.text import TokenizerOptions
    from rowspace.text.training import train_tokenizer

    tokenizer = Tokenizer.from_str(train_tokenizer(lines, TokenizerOptions("unigram", vocabulary_size=size)))
    return tokenizer.get_vocab(), lambda text: tokenizer.encode(text).tokens


def learn_sentencepiece(lines, size):
    import sentencepiece

    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(lines),
        model_writer=model,
        vocab_size=size,
        model_type="unigram",
        num_threads=1,
        minloglevel=2,
    )
    processor = sentencepiece.SentencePieceProcessor(model_proto=model.getvalue())
    return [processor.id_to_piece(number) for number in range(len(processor))], lambda text: processor.encode(
        text, out_type=str
    )


def learn_tokenizers(lines, size):
    from tokenizers import SentencePieceUnigramTokenizer

    tokenizer = SentencePieceUnigramTokenizer()
    tokenizer.train_from_iterator(
        lines, vocab_size=size, unk_token="<unk>", special_tokens=["<unk>"], show_progress=False
    )
    return tokenizer.get_vocab(), lambda text: tokenizer.encode(text).tokens


def processor_seconds():
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def is_mixed(piece):
    kinds = {character.isalpha() for character in piece.removeprefix("▁")}
    return len(kinds) == 2


def measure(side, path, size):
    """Print what one side learns, in a process of its own."""
    learning, held_out = lines_of(path)
    learn = {"rowspace": learn_rowspace, "sentencepiece": learn_sentencepiece, "tokenizers": learn_tokenizers}[side]
    if side == "rowspace":
        learn(learning[:20], 400)  # imports and compiled kernels
    else:
        __import__(side)
    began = processor_seconds()
    pieces, divide = learn(learning, size)
    seconds = processor_seconds() - began
    longer = [piece for piece in pieces if len(piece.removeprefix("▁")) > 1 and not piece.startswith(("<", "["))]
    characters = sum(map(len, held_out)) / sum(len(divide(line)) for line in held_out)
    mixed = sum(map(is_mixed, longer)) / len(longer)
    print(
        json.dumps({"seconds": seconds, "characters": characters, "mixed": mixed, "example": divide(held_out[5])[:12]})
    )


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("files", nargs="+")
    parser.add_argument("--size", type=int, default=8000)
    parser.add_argument("--side", choices=SIDES)
    given = parser.parse_args()
    if given.side:
        return measure(given.side, given.files[0], given.size)
    print("| text | trained by | processor seconds | characters a piece | mixed | a line |\n|---|---|---|---|---|---|")
    for path in given.files:
        found = {side: [] for side in SIDES}
        for _ in range(3):
            for side in SIDES:
                command = [sys.executable, __file__, path, "--size", str(given.size), "--side", side]
                environment = os.environ | {"RAYON_NUM_THREADS": "1"}
                done = subprocess.run(command, check=True, capture_output=True, text=True, env=environment)
                found[side].append(json.loads(done.stdout))
        for side, runs in found.items():
            seconds, last = statistics.median(run["seconds"] for run in runs), runs[-1]
            print(
                f"| {Path(path).name} | {side} | {seconds:.1f} | {last['characters']:.2f} | {last['mixed']:.1%} | "
                f"{' '.join(last['example'])} |"
            )
    return None


if __name__ == "__main__":
    main()
