"""`Manifest`: what the files of a folder of vectors were made of, so that a second run makes what is missing."""

import json
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Self

from rowspace.errors import FileFormatError, UsageError, reason_of
from rowspace.scale.encoders import EncoderSource
from rowspace.scale.part_files import PartFacts, PartsOptions
from rowspace.scale.parts import Part
from rowspace.scale.places import Place
from rowspace.text.corpus import BadRow

__all__ = ["MANIFEST", "Manifest", "read_manifest"]

MANIFEST = "_rowspace.json"
"""The file in the folder of outputs that has it; readers of Parquet folders leave out such names."""

VERSION = 1


@dataclass
class Manifest:
    """What the files of a folder were made of."""

    fingerprint: str
    options: dict[str, Any]
    dim: int
    dtype: str
    parts: list[Part] = field(default_factory=list)
    facts: dict[str, PartFacts] = field(default_factory=dict)

    @classmethod
    def new(cls, encoder: EncoderSource, options: PartsOptions) -> Self:
        """Return the manifest of a folder without files."""
        example = encoder.open().encode([""])
        return cls(encoder.fingerprint, asdict(replace(options, strict=False)), example.shape[1], example.dtype.name)

    def check_same(self, other: "Manifest", place: Place) -> None:
        """Raise `UsageError` if the folder was made with another encoder or other options."""
        what = None
        if other.fingerprint != self.fingerprint:
            what = "another table or other options of the encoder"
        elif other.options != self.options:
            names = [name for name, value in self.options.items() if other.options[name] != value]
            what = f"{names[0]}={self.options[names[0]]!r}"
        if what is not None:
            raise UsageError(f"{place.name} has vectors of a run with {what}; give the same, or name another folder")

    def to_bytes(self) -> bytes:
        """Return it as JSON, one line for each part."""
        head = {"rowspace": VERSION, "fingerprint": self.fingerprint, "options": self.options, "dim": self.dim}
        lines = [json.dumps({**part._asdict(), "facts": self.facts.get(part.name)}) for part in self.parts]
        body = json.dumps(head | {"dtype": self.dtype})[:-1]
        return (f'{body}, "parts": [\n' + ",\n".join(lines) + "\n]}\n").encode()

    @classmethod
    def from_bytes(cls, data: bytes, source: str) -> Self:
        """Read it; raise `FileFormatError` if it is damaged."""
        try:
            found = json.loads(data)
            if found["rowspace"] != VERSION:
                raise FileFormatError(f"{source}: written by another version of rowspace; name another folder")
            manifest = cls(found["fingerprint"], found["options"], found["dim"], found["dtype"])
            for entry in found["parts"]:
                facts, groups = entry.pop("facts"), entry.pop("groups")
                part = Part(**entry, groups=None if groups is None else tuple(groups))
                manifest.parts.append(part)
                if facts is not None:
                    manifest.facts[part.name] = PartFacts(
                        facts[0], facts[1], tuple(BadRow(*row) for row in facts[2]), facts[3]
                    )
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            if isinstance(error, FileFormatError):
                raise
            raise FileFormatError(f"{source}: damaged ({reason_of(error)}); name another folder") from error
        return manifest


def read_manifest(place: Place) -> Manifest | None:
    """Return the manifest of a folder with vectors; None for a folder without, which must be empty."""
    data, names = place.read(MANIFEST), place.names() - {MANIFEST}
    if data is not None:
        return Manifest.from_bytes(data, place.path(MANIFEST)) if names else None
    if names:
        raise UsageError(f"{place.name} has other files, such as {min(names)}; name a new or an empty folder")
    return None
