"""Write `layers/recipes/defaults.toml` from the config classes of transformers.

    python scripts/make_recipe_defaults.py            write the table
    python scripts/make_recipe_defaults.py --check    only report whether it would change

For each model type of `families.toml`: the entries that its recipe reads, with the value of a config without them, and
`padded` if its table has the padding row of the config.
"""

import argparse
import sys
from pathlib import Path

import transformers
from make_rotary_models import line, table

sys.path.insert(0, str(Path(__file__).parents[1] / "packages/rowspace"))
from tests.layers.recipes.published.models import NotRun, small_model

from rowspace.layers.recipes import families
from rowspace.layers.recipes.families import part_of

HEADER = """# Defaults of config.json by model type of transformers {version}, and whether the table has a padding row.
# See families.py. Written by scripts/make_recipe_defaults.py.

"""


def main():
    """Write the table, or compare with it."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    found = {kind: defaults(family, kind) for family in families.known_families().values() for kind in family.types}
    text = HEADER.format(version=transformers.__version__) + "".join(
        f"{line(kind)} = {table(facts)}\n" for kind, facts in sorted(found.items())
    )
    if arguments.check:
        raise SystemExit(int(text != families.DEFAULTS.read_text(encoding="utf-8")))
    families.DEFAULTS.write_text(text, encoding="utf-8")


def defaults(family, kind):
    """Return the entries that the recipe of a type reads, with their defaults."""
    config = transformers.CONFIG_MAPPING[kind]()
    written, found = config.to_dict(), {}
    for argument, names in family.entries.items():
        places = [part_of(written, name) for name in names]
        name, value = next(
            ((name, part[entry]) for name, (part, entry) in zip(names, places, strict=True) if entry in part),
            next(((name, getattr(config, name)) for name in names if hasattr(config, name)), (None, None)),
        )
        if argument == "inner_dim" and getattr(twice_as_wide(kind), name or "", value) != value:
            continue  # by default the dimension of the model
        if value is not None:
            *path, entry = name.split(".")
            part = found
            for step in path:
                part = part.setdefault(step, {})
            part[entry] = value
    found |= {name: getattr(config, name) for name in family.only if getattr(config, name, None) is not None}
    return found | ({"padded": True} if is_padded(kind) else {})


def twice_as_wide(kind):
    """Return the default config of a type with twice the hidden size; None if that contradicts its other sizes."""
    kind = transformers.CONFIG_MAPPING[kind]
    try:
        return kind(hidden_size=2 * kind().hidden_size)
    except Exception:  # any class raises what it likes
        return None


def is_padded(kind):
    """Return whether the table of a type has a padding row, which is the one that the config names."""
    try:
        model = small_model(kind, pad_token_id=7).model
        return getattr(model.get_input_embeddings(), "padding_idx", None) == 7
    except (NotRun, AttributeError, NotImplementedError) as problem:
        print(f"{kind}: {problem}; taken as not padded")
        return False


if __name__ == "__main__":
    transformers.logging.set_verbosity_error()
    main()
