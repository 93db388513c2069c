"""The heart of `fit`: a stretch of ids moves the rows, by skip-gram or CBOW with negative sampling.

Around each word of the text lies a window. Skip-gram scores each neighbor's input row against the output row of the
word itself and of a few drawn words; CBOW scores the neighbors' average once. The drawn words are shared: by all pairs
of a window (Ji et al. 2016, pWord2Vec), by the averages of three windows in a row. So the scores are a small matrix
product and its gradient two more: the products here hold sixteen columns of six output rows in registers while all
neighbors, or averages, pass by. Those three windows also reach equally far, so that most of their words are the same
ones and are read and moved once for all three.

Several workers write to the same rows without locks; a row that all of them write all the time would travel from core
to core, so each worker learns the most frequent words in copies of its own, and adds what a copy has moved to the
table's row every few times.

`reference.py` says what a window does in four lines of NumPy. Left out: which stretch is learned when, by which thread
(`trainer.py`). One file, since Numba's cache notices a change only in the file of the function that is called.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rowspace._base.jit import kernel
from rowspace.learn.word2vec.arrays import (
    GROUP,
    PATIENCE,
    SLOTS_PER_UNIT,
    TABLE_REACH,
    TABLE_SIZE,
    TOGETHER,
    Copies,
    Ids,
    Plan,
    Rows,
    Scratch,
    Weights,
)
from rowspace.learn.word2vec.sampling import Sampler
from rowspace.learn.word2vec.simd import WIDTH, add_product, load, splat, store, total

__all__ = ["learn_stretch", "merge_copies", "start_copies"]


@kernel
def learn_stretch(ids: NDArray[np.int32], weights: Weights, sampler: Sampler, plan: Plan, scratch: Scratch) -> None:
    """Learn from `ids: (n,)`, where a negative id ends a sentence; moves `weights` and adds to `scratch.tally`."""
    position = 0
    while position < len(ids):
        alpha = plan.alpha + (plan.alpha_end - plan.alpha) * position / len(ids)
        position, length = next_sentence(ids, position, sampler, scratch)
        use_copies(length, weights, scratch)
        if length > 1:
            learn_sentence(length, np.float32(alpha), weights, sampler, plan, scratch)


@kernel
def learn_sentence(
    length: int, alpha: np.float32, weights: Weights, sampler: Sampler, plan: Plan, scratch: Scratch
) -> None:
    """Learn each window of the sentence in `scratch.sentence[:length]`, `plan.together` at a time."""
    together = plan.together
    # What windows list and move: words' rows, or what was composed of a word's row and its n-grams'.
    words = scratch.slots if plan.subwords else scratch.sentence
    inputs = scratch.composed if plan.subwords else weights.inputs
    moved = Weights(inputs, weights.outputs, weights.ngrams, weights.size)
    composed = 0
    for first in range(0, length, together):
        draw_targets(first, length, sampler, plan, scratch)
        if plan.subwords:
            while composed < min(first + together + plan.window, length):
                compose(composed, weights, scratch)
                composed += 1
        reach = draw_reach(plan, scratch)
        if plan.cbow:
            begin, end = lay_windows(first, length, reach, words, plan, scratch)
            learn_cbow(begin, end, words, min(together, length - first), alpha, moved, plan, scratch)
        else:
            count = list_neighbors(first, length, reach, words, scratch.context)
            learn_skipgram(count, alpha, moved, scratch)
        if plan.subwords:
            # What no later window reaches, or everything after the last one.
            done = first + together - plan.window if first + together < length else length
            for place in range(max(0, first - plan.window), done):
                scatter(place, weights, scratch)


@kernel
def compose(place: int, weights: Weights, scratch: Scratch) -> None:
    """Form the mean of a word's own row and its n-grams' rows, for as long as windows reach the word."""
    row, ngrams, slot = at(scratch.sentence, place), weights.ngrams, at(scratch.slots, place)
    word = word_of(row, weights.size, scratch.copies)
    first, end = ngrams.starts[word], ngrams.starts[word + 1]
    zero, one = splat(np.float32(0)), splat(np.float32(1))
    scale = splat(np.float32(1) / np.float32(1 + end - first))
    for column in range(0, weights.inputs.shape[1], WIDTH):
        block = load(weights.inputs, row, column)
        for i in range(first, end):
            block = add_product(one, load(ngrams.rows, ngrams.places[i], column), block)
        block = add_product(scale, block, zero)
        store(scratch.composed, slot, column, block)
        store(scratch.formed, slot, column, block)


@kernel
def scatter(place: int, weights: Weights, scratch: Scratch) -> None:
    """Add what a composed row has moved to the word's own row and to each of its n-grams', whole, as fastText does."""
    row, ngrams, slot = at(scratch.sentence, place), weights.ngrams, at(scratch.slots, place)
    word = word_of(row, weights.size, scratch.copies)
    first, end = ngrams.starts[word], ngrams.starts[word + 1]
    minus, one = splat(np.float32(-1)), splat(np.float32(1))
    for column in range(0, weights.inputs.shape[1], WIDTH):
        moved = add_product(minus, load(scratch.formed, slot, column), load(scratch.composed, slot, column))
        store(weights.inputs, row, column, add_product(one, moved, load(weights.inputs, row, column)))
        for i in range(first, end):
            part = ngrams.places[i]
            store(ngrams.rows, part, column, add_product(one, moved, load(ngrams.rows, part, column)))


@kernel
def learn_skipgram(count: int, alpha: np.float32, weights: Weights, scratch: Scratch) -> None:
    """Score a window's `count` neighbors against the targets' rows and move both, six targets at a time."""
    context, targets, gradients = scratch.context, scratch.targets, scratch.gradients
    for start in range(0, len(targets), GROUP):
        group = targets[start : start + GROUP]
        score(weights.inputs, context, count, weights.outputs, group, gradients)
        scratch.tally[1] += differentiate(count, group, start == 0, alpha, scratch)
        move(weights.inputs, context, count, weights.outputs, group, gradients)
    scratch.tally[0] += count


@kernel
def learn_cbow(
    begin: int, end: int, words: Ids, windows: int, alpha: np.float32, weights: Weights, plan: Plan, scratch: Scratch
) -> None:
    """Score the averages (or sums) of the windows that `lay_windows` laid against the targets' rows and move all.

    The first targets are the windows' own words, one each; the others are negatives of all windows.
    """
    hidden, windows_all, targets = scratch.hidden, scratch.windows, scratch.targets
    scores = average(begin, end, words, plan.mean, weights, scratch)
    for start in range(TOGETHER, len(targets), GROUP):
        group = targets[start : start + GROUP]
        score(hidden, windows_all, windows, weights.outputs, group, scratch.gradients)
        scratch.tally[1] += differentiate(windows, group, False, alpha, scratch)
        move(hidden, windows_all, windows, weights.outputs, group, scratch.gradients)
    scratch.pulls[:] = 0
    for w in range(windows):
        slot = place_in_table(scores[w])
        scratch.pulls[w] = alpha - alpha * scratch.logistic[slot]
        scratch.tally[1] += scratch.softplus[slot] - within_reach(scores[w])
    share(begin, end, words, plan.mean and plan.exact, weights, scratch)
    scratch.tally[0] += windows


@kernel
def lay_windows(first: int, length: int, reach: int, words: Ids, plan: Plan, scratch: Scratch) -> tuple[int, int]:
    """Sort the words of three windows, around `first` and the next two, by which windows they lie in.

        one window | two | all three                      | two               | one
        first-reach| +1  | first-reach+2 ... first+reach  | first+reach+1     | +2

    Returns where those of all three begin and end. The rows of the four others go into `scratch.edges`, and then the
    windows' own words' rows, which are to be left out again; the padding row stands for a place that the sentence does
    not have, and comes last itself. The windows' sizes, at least 1, go into `scratch.counts`.
    """
    padding = np.int64(len(scratch.composed) - 1 if plan.subwords else scratch.copies.padding)
    edges = scratch.edges
    for i in range(TOGETHER - 1):
        edges[i] = row_at(first - reach + i, length, words, padding)
        edges[TOGETHER - 1 + i] = row_at(first + reach + 1 + i, length, words, padding)
    for w in range(TOGETHER):
        center = first + w
        edges[2 * (TOGETHER - 1) + w] = row_at(center, length, words, padding)
        scratch.counts[w] = max(1, min(length, center + reach + 1) - max(0, center - reach) - 1)
    edges[7] = padding
    return max(0, first - reach + TOGETHER - 1), min(length, first + reach + 1)


@kernel
def row_at(place: int, length: int, words: Ids, padding: np.int64) -> np.int64:
    """The row of the word at a place, or padding before and behind the sentence."""
    return at(words, place) if 0 <= place < length else padding


@kernel
def unpacked(edges: Ids) -> tuple[np.int64, ...]:
    """The eight edges as values of their own, which no loop reads from memory again."""
    return edges[0], edges[1], edges[2], edges[3], edges[4], edges[5], edges[6], edges[7]


@kernel
def shares(counts: Ids, divide: bool) -> tuple[Any, Any, Any]:
    """What each window's sum is multiplied by: one over its size, or 1 where nothing is divided."""
    s0, s1, s2 = 1 / counts[0], 1 / counts[1], 1 / counts[2]
    if not divide:
        s0, s1, s2 = 1.0, 1.0, 1.0
    return splat(np.float32(s0)), splat(np.float32(s1)), splat(np.float32(s2))


@kernel
def average(
    begin: int, end: int, words: Ids, mean: bool, weights: Weights, scratch: Scratch
) -> tuple[np.float32, np.float32, np.float32]:
    """Put each window's average or sum into its row of `scratch.hidden` and of `scratch.before`; return its score.

    The score is that of the window's own word; the negatives' come later.
    """
    inputs, outputs, targets = weights.inputs, weights.outputs, scratch.targets
    hidden, before = scratch.hidden, scratch.before
    e0, e1, e2, e3, c0, c1, c2, _ = unpacked(scratch.edges)
    t0, t1, t2 = targets[0], targets[1], targets[2]
    one, minus, zero = splat(np.float32(1)), splat(np.float32(-1)), splat(np.float32(0))
    s0, s1, s2 = shares(scratch.counts, mean)
    p0, p1, p2 = zero, zero, zero
    for column in range(0, inputs.shape[1], WIDTH):
        common = zero
        for place in range(begin, end):
            common = add_product(one, load(inputs, at(words, place), column), common)
        left, right = load(inputs, e1, column), load(inputs, e2, column)
        h0 = add_product(one, load(inputs, e0, column), add_product(one, left, common))
        h1 = add_product(one, right, add_product(one, left, common))
        h2 = add_product(one, load(inputs, e3, column), add_product(one, right, common))
        h0 = add_product(s0, add_product(minus, load(inputs, c0, column), h0), zero)
        h1 = add_product(s1, add_product(minus, load(inputs, c1, column), h1), zero)
        h2 = add_product(s2, add_product(minus, load(inputs, c2, column), h2), zero)
        p0 = add_product(h0, load(outputs, t0, column), p0)
        p1 = add_product(h1, load(outputs, t1, column), p1)
        p2 = add_product(h2, load(outputs, t2, column), p2)
        store(hidden, 0, column, h0)
        store(hidden, 1, column, h1)
        store(hidden, 2, column, h2)
        store(before, 0, column, h0)
        store(before, 1, column, h1)
        store(before, 2, column, h2)
    return total(p0), total(p1), total(p2)


@kernel
def share(begin: int, end: int, words: Ids, divide: bool, weights: Weights, scratch: Scratch) -> None:
    """Pull each window's word and average together; add what an average has moved, or a share of it, to neighbors."""
    inputs, targets, pulls = weights.inputs, scratch.targets, scratch.pulls
    e0, e1, e2, e3, c0, c1, c2, padding = unpacked(scratch.edges)
    t0, t1, t2 = targets[0], targets[1], targets[2]
    one, minus, zero = splat(np.float32(1)), splat(np.float32(-1)), splat(np.float32(0))
    s0, s1, s2 = shares(scratch.counts, divide)
    p0, p1, p2 = splat(pulls[0]), splat(pulls[1]), splat(pulls[2])
    for column in range(0, inputs.shape[1], WIDTH):
        m0 = add_product(s0, pull(0, t0, column, p0, weights.outputs, scratch), zero)
        m1 = add_product(s1, pull(1, t1, column, p1, weights.outputs, scratch), zero)
        m2 = add_product(s2, pull(2, t2, column, p2, weights.outputs, scratch), zero)
        m01, m12 = add_product(one, m0, m1), add_product(one, m1, m2)
        common = add_product(one, m01, m2)
        for place in range(begin, end):
            add(inputs, at(words, place), column, one, common)
        add(inputs, e0, column, one, m0)
        add(inputs, e1, column, one, m01)
        add(inputs, e2, column, one, m12)
        add(inputs, e3, column, one, m2)
        add(inputs, c0, column, minus, m0)
        add(inputs, c1, column, minus, m1)
        add(inputs, c2, column, minus, m2)
        store(inputs, padding, column, zero)


@kernel
def pull(w: int, target: np.int64, column: int, step: Any, outputs: Rows, scratch: Scratch) -> Any:
    """Move a block of a window's word's row towards what its average was; return all that moves the average."""
    row, before = load(outputs, target, column), load(scratch.before, w, column)
    store(outputs, target, column, add_product(step, before, row))
    moved = add_product(splat(np.float32(-1)), before, load(scratch.hidden, w, column))
    return add_product(step, row, moved)


@kernel
def differentiate(count: int, group: Ids, first: bool, alpha: np.float32, scratch: Scratch) -> float:
    """Turn the scores in `scratch.gradients` into steps, `alpha * (label - logistic(score))`; return the summed loss.

    With softplus(x) = log(1 + exp(x)), the loss is softplus(score), less the score itself where the label is 1.
    """
    steps, loss = scratch.steps, np.float32(0)
    if first:
        for i in range(0, count * GROUP, GROUP):
            loss -= within_reach(steps[i])
    for i in range(count * GROUP):
        slot = place_in_table(steps[i])
        loss += scratch.softplus[slot]
        steps[i] = -alpha * scratch.logistic[slot]
    if first:
        for i in range(0, count * GROUP, GROUP):
            steps[i] += alpha
    for j in range(GROUP):
        if group[j] == scratch.copies.padding:
            for i in range(j, count * GROUP, GROUP):
                steps[i] = 0
                loss -= scratch.softplus[TABLE_SIZE // 2]
    return float(loss)


@kernel
def place_in_table(score: np.float32) -> np.uint32:
    """The slot of `scratch.logistic` and `scratch.softplus` that is nearest to a score; the first one for NaN.

    The order of the arguments matters: `max` returns its first one unless the second is greater, and NaN never is.
    """
    reached = min(max(np.float32(-TABLE_REACH), score), np.float32(TABLE_REACH))
    return np.uint32((reached + np.float32(TABLE_REACH)) * np.float32(SLOTS_PER_UNIT) + np.float32(0.5))


@kernel
def within_reach(score: np.float32) -> np.float32:
    """The score, or the end of the tables that is nearest to it; NaN stays NaN, so that the summed loss shows it."""
    return min(max(score, np.float32(-TABLE_REACH)), np.float32(TABLE_REACH))


@kernel
def score(inputs: Rows, context: Ids, count: int, outputs: Rows, group: Ids, scores: Rows) -> None:
    """`scores[i, j] = inputs[context[i]] · outputs[group[j]]` for the first `count` neighbors."""
    t0, t1, t2, t3, t4, t5 = group[0], group[1], group[2], group[3], group[4], group[5]
    zero = splat(np.float32(0))
    for i in range(count):
        row = at(context, i)
        s0, s1, s2, s3, s4, s5 = zero, zero, zero, zero, zero, zero
        for column in range(0, inputs.shape[1], WIDTH):
            block = load(inputs, row, column)
            s0 = add_product(block, load(outputs, t0, column), s0)
            s1 = add_product(block, load(outputs, t1, column), s1)
            s2 = add_product(block, load(outputs, t2, column), s2)
            s3 = add_product(block, load(outputs, t3, column), s3)
            s4 = add_product(block, load(outputs, t4, column), s4)
            s5 = add_product(block, load(outputs, t5, column), s5)
        scores[i, 0], scores[i, 1], scores[i, 2] = total(s0), total(s1), total(s2)
        scores[i, 3], scores[i, 4], scores[i, 5] = total(s3), total(s4), total(s5)


@kernel
def move(inputs: Rows, context: Ids, count: int, outputs: Rows, group: Ids, gradients: Rows) -> None:
    """Add `gradients[i, j] * output row j` to input row i, and `gradients[i, j] * input row i` to output row j.

    Each uses the other as it was before; a neighbor that occurs twice in the window is moved twice.
    """
    t0, t1, t2, t3, t4, t5 = group[0], group[1], group[2], group[3], group[4], group[5]
    for column in range(0, inputs.shape[1], WIDTH):
        o0, o1, o2 = load(outputs, t0, column), load(outputs, t1, column), load(outputs, t2, column)
        o3, o4, o5 = load(outputs, t3, column), load(outputs, t4, column), load(outputs, t5, column)
        n0, n1, n2, n3, n4, n5 = o0, o1, o2, o3, o4, o5
        for i in range(count):
            row = at(context, i)
            block = load(inputs, row, column)
            g0, g1, g2 = splat(gradients[i, 0]), splat(gradients[i, 1]), splat(gradients[i, 2])
            g3, g4, g5 = splat(gradients[i, 3]), splat(gradients[i, 4]), splat(gradients[i, 5])
            n0, n1, n2 = add_product(g0, block, n0), add_product(g1, block, n1), add_product(g2, block, n2)
            n3, n4, n5 = add_product(g3, block, n3), add_product(g4, block, n4), add_product(g5, block, n5)
            block = add_product(g2, o2, add_product(g1, o1, add_product(g0, o0, block)))
            block = add_product(g5, o5, add_product(g4, o4, add_product(g3, o3, block)))
            store(inputs, row, column, block)
        store(outputs, t0, column, n0)
        store(outputs, t1, column, n1)
        store(outputs, t2, column, n2)
        store(outputs, t3, column, n3)
        store(outputs, t4, column, n4)
        store(outputs, t5, column, n5)


@kernel
def add(rows: Rows, row: np.int64, column: int, scale: Any, block: Any) -> None:
    """Add a scaled block to a row."""
    store(rows, row, column, add_product(scale, block, load(rows, row, column)))


@kernel
def next_sentence(ids: NDArray[np.int32], position: int, sampler: Sampler, scratch: Scratch) -> tuple[int, int]:
    """Copy the next sentence, thinned out, into `scratch.sentence`; return where to go on and how many words were kept.

    A sentence that is longer than the scratch is cut there. Any id that is not in the vocabulary ends a sentence, not
    only a negative one, so that no id can lead outside the arrays.
    """
    length, size = 0, np.uint32(len(sampler.keep))
    while position < len(ids) and length < len(scratch.sentence):
        word = ids[position]
        position += 1
        if np.uint32(word) >= size:  # a negative id is a large unsigned one: one comparison for both
            break
        scratch.sentence[length] = word
        length += np.uint32(random_bits(scratch.random) >> np.uint64(32)) <= sampler.keep[word]
    return position, length


@kernel
def use_copies(length: int, weights: Weights, scratch: Scratch) -> None:
    """Make words into rows, frequent ones into this worker's copies; merge the copies that were used often enough."""
    copies = scratch.copies
    for place in range(length if copies.words > 0 else 0):
        word = at(scratch.sentence, place)
        counted = min(int(word), copies.words)
        copies.left[counted] -= 1
        if copies.left[counted] <= 0:
            copies.left[counted] = PATIENCE
            if word < copies.words:
                merge_copy(int(word), weights, copies)
        scratch.sentence[place] = own_row(word, copies)


@kernel
def own_row(word: np.int64, copies: Copies) -> np.int64:
    """The row of a word, which is the worker's copy where it has one."""
    return word + (word < copies.words) * copies.first


@kernel
def word_of(row: np.int64, size: int, copies: Copies) -> np.int64:
    """The word that a row belongs to: the inverse of `own_row`."""
    return row - (row >= size) * copies.first


@kernel
def start_copies(weights: Weights, copies: Copies) -> None:
    """Make a worker's copies equal to the table's rows."""
    for word in range(copies.words):
        for column in range(0, weights.inputs.shape[1], WIDTH):
            for rows, before in ((weights.inputs, copies.inputs), (weights.outputs, copies.outputs)):
                block = load(rows, word, column)
                store(rows, copies.first + word, column, block)
                store(before, word, column, block)


@kernel
def merge_copies(weights: Weights, copies: Copies) -> None:
    """Add to the table's rows what a worker's copies have moved since they last agreed."""
    for word in range(copies.words):
        merge_copy(word, weights, copies)


@kernel
def merge_copy(word: int, weights: Weights, copies: Copies) -> None:
    """Add to a word's rows what its copies have moved, and let all three be the same again."""
    minus, one = splat(np.float32(-1)), splat(np.float32(1))
    for column in range(0, weights.inputs.shape[1], WIDTH):
        for rows, before in ((weights.inputs, copies.inputs), (weights.outputs, copies.outputs)):
            moved = add_product(minus, load(before, word, column), load(rows, copies.first + word, column))
            block = add_product(one, moved, load(rows, word, column))
            store(rows, word, column, block)
            store(rows, copies.first + word, column, block)
            store(before, word, column, block)


@kernel
def draw_targets(first: int, length: int, sampler: Sampler, plan: Plan, scratch: Scratch) -> None:
    """Fill the targets of the windows that are learned together.

    They are the windows' own words, distinct negatives, and padding for what is missing or was drawn twice.
    """
    targets, padding = scratch.targets, np.int64(scratch.copies.padding)
    for w in range(plan.together):
        targets[w] = row_at(first + w, length, scratch.sentence, padding)
    for j in range(plan.together, plan.together + plan.negatives):
        bits = random_bits(scratch.random)
        slot = sampler.slots[below(len(sampler.slots), bits)]
        drawn = np.int64(slot[1 + (np.uint32(bits) > slot[0])])  # an index, for a branch would be guessed wrong
        drawn = own_row(drawn, scratch.copies)
        for earlier in range(j):
            if at(targets, earlier) == drawn:
                drawn = padding
        targets[j] = drawn


@kernel
def draw_reach(plan: Plan, scratch: Scratch) -> int:
    """How many words the windows take to each side."""
    return 1 + below(plan.window, random_bits(scratch.random)) if plan.shrink else plan.window


@kernel
def list_neighbors(center: int, length: int, reach: int, words: Ids, context: Ids) -> int:
    """List the rows of the neighbors of the word at `center` in `context`; return how many there are."""
    first, end = max(0, center - reach), min(length, center + reach + 1)
    for place in range(first, center):
        context[np.uint64(place - first)] = at(words, place)
    for place in range(center + 1, end):
        context[np.uint64(place - first - 1)] = at(words, place)
    return end - first - 1


@kernel
def at(ids: Ids, place: int) -> np.int64:
    """`ids[place]` for a place that is not negative, which saves asking whether it is."""
    return ids[np.uint64(place)]  # type: ignore[no-any-return]


@kernel
def below(limit: int, bits: np.uint64) -> int:
    """An integer from 0 to limit - 1, made of the upper 32 of 64 random bits."""
    return np.int64(((bits >> np.uint64(32)) * np.uint64(limit)) >> np.uint64(32))  # type: ignore[return-value]


@kernel
def random_bits(random: NDArray[np.uint64]) -> np.uint64:
    """Sixty-four random bits: xorshift64 (Marsaglia 2003)."""
    state: np.uint64 = random[0]
    state ^= state << np.uint64(13)
    state ^= state >> np.uint64(7)
    state ^= state << np.uint64(17)
    random[0] = state
    return state
