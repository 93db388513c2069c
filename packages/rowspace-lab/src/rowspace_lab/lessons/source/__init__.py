"""The source of lessons: Markdown with numbers that are computed, and blocks for figures, questions and exercises."""

from rowspace_lab.lessons.source.blocks import TEXTS, Block, Document, SourceError, parse_document, read_document
from rowspace_lab.lessons.source.prose import plain_text, prose_html, prose_markdown
from rowspace_lab.lessons.source.values import Values

__all__ = [
    "TEXTS",
    "Block",
    "Document",
    "SourceError",
    "Values",
    "parse_document",
    "plain_text",
    "prose_html",
    "prose_markdown",
    "read_document",
]
