#!/usr/bin/env python
"""Write `pages/contextual/stored.json`: what the Contextual page shows where no encoder can be run.

    python scripts/make_contextual.py

Run it after a change to the texts of the page or to what it measures. It needs the sentence encoder of `scripts/setup`.
"""

from pathlib import Path

from rowspace.learn.default_table import encoder_folder
from rowspace_lab.pages.contextual.figures import layers_figure, open_encoder, read_texts
from rowspace_lab.pages.contextual.routes import SENSES, WORD
from rowspace_lab.pages.contextual.stored import FILE, as_stored

PATH = Path(__file__).parent.parent / "packages/rowspace-lab/src/rowspace_lab/pages/contextual" / FILE

if __name__ == "__main__":
    read = read_texts(open_encoder(folder=str(encoder_folder())), texts=list(SENSES))
    PATH.write_text(as_stored(layers_figure(read, word=WORD)), encoding="utf-8")
