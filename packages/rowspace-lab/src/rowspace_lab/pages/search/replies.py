"""The replies of the Search page."""

from typing import Literal, TypedDict

from rowspace_lab.shared.figure import Array, Shown


class SearchIndexReply(Shown):
    """The files of the page, and their index with the table."""

    missing: str | None
    """What to install before files can be indexed."""
    problem: str | None
    """Why this table cannot index files."""
    note: str
    """Why another table would find more; "" if none is known."""
    folder: str
    """The folder, the file, or the named index."""
    is_named: bool
    """Whether the command line has named this index."""
    other_table: str | None
    """The table that made the index that the command line has named, if that is not this one."""
    state: Literal["none", "partial", "ready"]
    """Whether there is an index; partial: the run was stopped or is not over."""
    found: int
    """The number of files that would be read, counted only where there is no index."""
    found_all: bool
    """Whether these are all of them."""
    max_megabytes: int
    files: int
    passages: int
    version: int
    """Changes with the passages."""
    ended: float | None
    """When the last run of the page ended, in seconds since 1970."""
    skipped: list[tuple[str, int]]
    """Why files were left out, and how many."""
    examples: list[str]
    """Headings and functions of the files."""


class FoundPassage(TypedDict):
    """A passage that answers the question."""

    path: str
    """Relative to the folder; of a record, its id."""
    chunk: int
    first_line: int
    last_line: int
    is_pdf: bool
    """Whether lines are pages."""
    name: str
    metadata: str
    """Of a record; empty for a file."""
    text: str
    hybrid_rank: int | None
    dense_rank: int | None
    lexical_rank: int | None
    """From 1; null if it is not among the first of this ranking."""
    score: float | None
    """By both; null if it is not among the first by both."""
    cosine: float
    title_share: float
    opening_share: float
    """What the title, and the opening of its file, add to the cosine."""
    bm25: float


class SearchCodes(TypedDict):
    """The code that gives the results of each mode."""

    hybrid: str
    dense: str
    lexical: str


class PassagesReply(TypedDict):
    """The passages that answer a question, in three orders.

    Marks are places in the name, a line break if there is a name, and the text, in UTF-16 units as JavaScript counts.
    """

    query: str
    terms: list[str]
    """What BM25 counts of the question, each once."""
    has_vector: bool
    """Whether the table has a row for a word of the question."""
    passages: list[FoundPassage]
    hybrid: list[int]
    dense: list[int]
    lexical: list[int]
    """The passages of each ranking, best first."""
    codes: SearchCodes
    spans: Array
    """(n, 2) the words and other tokens of all passages."""
    shares: Array
    """(n,) what each adds to the cosine, to which the title and the opening of the file add the rest."""
    span_ends: Array
    """(passages,) the number of spans up to the end of each passage."""
    matches: Array
    """(m, 3) the words whose term is one of the question's, and the number of that term."""
    match_ends: Array
    """(passages,) as for spans."""
    scores: Array
    """(passages, terms) what each term adds to the BM25 score."""


class PassageMapReply(Shown):
    """The passages on the plane of their first two principal components."""

    paths: list[str]
    """The files, relative to the folder."""
    passages: int
    """In the index; the map may have fewer."""
    positions: Array
    """(n, 2)."""
    file: Array
    """(n,) the number of the file of each passage."""
    chunk: Array
    """(n,) its number in the file."""
    first_line: Array
    """(n,)."""
    share: Array
    """(2,) the share of the variance along each direction."""


class QuestionPlaceReply(TypedDict):
    """Where the question lies on the map."""

    query: str
    xy: Array
    """(2,); empty if the table has no row for a word of it."""


class RankedNotes(TypedDict):
    """The notes of the lesson on search, ranked for a question; arrays are (notes,), and places are from 1."""

    query: str
    notes: list[str]
    right: int | None
    """The note that answers the question, if it is one of the lesson's."""
    shared: list[list[str]]
    """The words of each note that the question has, too."""
    cosines: Array
    bm25: Array
    by_words: Array
    """The place of each note by BM25; 0 for a note without a word of the question, and so for the others."""
    by_vectors: Array
    by_both: Array


class RankedNotesReply(RankedNotes, Shown):
    """The ranked notes, with their code."""


class NoteQuestions(TypedDict):
    """The questions of the lesson, and the place of the right note of each, (questions,), from 1; 0 if it has none."""

    asked: list[str]
    named: list[bool]
    """Whether a question has a name; the others share no word that matters with their note."""
    by_words: Array
    by_vectors: Array
    by_both: Array


class NoteQuestionsReply(NoteQuestions, Shown):
    """The questions, with their code."""


class NotePair(TypedDict):
    """What each of the n tokens of a note adds to its cosine with another note, (n,) each."""

    notes: list[str]
    words: list[str]
    mean_shares: Array
    """With the mean of the rows."""
    weighted_shares: Array
    """With smaller weights for frequent tokens."""
    mean: float
    """The cosine, which is the sum of the shares."""
    weighted: float


class NotePairReply(NotePair, Shown):
    """Two notes, with their code."""
