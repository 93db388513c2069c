"""The corpora of the search tasks and the peers, fetched once into build/quality; not in git.

Books are those of a file that is named by `--books`, whose parts begin with a line "# Title: TITLE". The standard
library is that of the running Python. Python packages come from pip, documentation from Debian by apt-get and dpkg.
An archive with a checksum below must have it; a security update of Debian has another name, and is printed.
"""

import hashlib
import json
import lzma
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import zipfile
from pathlib import Path

CACHE = Path(__file__).parents[2] / "build/quality"
TUNING, HELD_OUT = ("stdlib", "pydoc"), ("code", "html", "languages", "thai", "books")
PEERS = ("bm25s==0.3.16", "semble==0.7.0", "vicinity==0.4.4", "semble-grammars==0.1.2", "orjson==3.13.0")

WHEELS = ("django==5.2.19", "scikit-learn==1.9.1")
PLATFORM = ["--python-version=3.11", "--platform=manylinux_2_28_x86_64", "--only-binary=:all:"]  # of the checksum
HANDBOOK = {f"usr/share/doc/debian-handbook/html/{name}": name for name in ("zh-CN", "ja-JP", "ar-MA", "de-DE")}
DEBIAN = {  # package → the folders of the archive, and their names in the corpus
    "pydoc": {"python3.11-doc": {"usr/share/doc/python3.11/html": "."}},
    "html": {
        "git-doc": {"usr/share/doc/git-doc": "git"},
        "postgresql-doc-15": {"usr/share/doc/postgresql-doc-15/html": "postgres"},
    },
    "languages": {"debian-handbook=11.20220922": HANDBOOK},
}
THAI = "mate-user-guide", "usr/share/help/th/mate-user-guide"  # the package, and the folder of its archive
SECTION = re.compile(r'<(?:chapter|section)\b[^>]*\bid="([^"]+)"[^>]*>(.*?)(?=<section\b|\Z)', re.DOTALL)
SHA256 = {
    "debian-handbook_11.20220922_all.deb": "3d5dbeac1f1afc9c094eab9d0f701f6ecff99c4927d5a4794cf6c85678134faa",
    "django-5.2.19-py3-none-any.whl": "5965d974a5218a2b68a11dd1276434707f23886525c23f0598eccedaf4f4ca00",
    "git-doc_1%3a2.39.5-0+deb12u3_all.deb": "3c89668a11053a6bafade3de1f611f4613db31e082af63f43d8c5b69ad8795ec",
    "postgresql-doc-15_15.20-0+deb12u1_all.deb": "4c44bf2c599f208b3f46454a6cf7a72e25ec46ff74d37b59dd31ad76b00eebb7",
    "mate-user-guide_1.26.0-1_all.deb": "34d11899bcaa51619a6b574178b5bd79e5f6c6dd7a25debf57d095f2ea51ccfd",
    "python3.11-doc_3.11.2-6+deb12u9_all.deb": "5b3594189d6ef9a6963ce0347fd307a1cc67620ad697e144db366070e2e146be",
    "scikit_learn-1.9.1-cp311-cp311-manylinux_2_27_x86_64.manylinux_2_28_x86_64.whl": (
        "52a0703bbc07ad27f560fa63fa68e4c54dd735bfbbf65b4dd3c225dc7547b6df"
    ),
}
LEFT_OUT = {"tests"}  # of a corpus
STDLIB_LEFT_OUT = LEFT_OUT | {"test", "idlelib", "site-packages", "encodings", "ensurepip", "turtledemo", "pydoc_data"}


def corpus(name, books=None):
    """Return the folder of a corpus, which is fetched if it is missing, or made of the file of books."""
    folder = CACHE / "corpora" / name
    if not folder.is_dir():
        new = folder.with_suffix(".part")
        shutil.rmtree(new, ignore_errors=True)
        new.mkdir(parents=True)
        if name == "stdlib":
            copy_files(sysconfig.get_path("stdlib"), new, ".py", STDLIB_LEFT_OUT)
        elif name == "code":
            fetch_wheels(new)
        elif name == "thai":
            fetch_thai(new)
        elif name == "books":
            divide_books(Path(books), new)
        else:
            fetch_debian(DEBIAN[name], new)
        new.rename(folder)
    return folder


def questions(name, folder):
    """Return the questions of a corpus whose files it has; another version of Python lacks some."""
    lines = (Path(__file__).parent / "questions" / f"{name}.jsonl").read_text().splitlines()
    asked = [each for each in map(json.loads, lines) if all((folder / file).is_file() for file in each["files"])]
    if len(asked) < len(lines):
        print(f"{name}: {len(lines) - len(asked)} questions left out, whose files this version lacks", file=sys.stderr)
    return asked


def import_peers():
    """Install the peers that the environment of development lacks, and make them importable."""
    folder = CACHE / "peers"
    if not folder.is_dir():
        run(sys.executable, "-m", "pip", "install", "-q", "--no-deps", f"--target={folder}", *PEERS)
    sys.path.append(str(folder))


def fetch_wheels(new):
    with tempfile.TemporaryDirectory() as folder:
        run(sys.executable, "-m", "pip", "download", "-q", "--no-deps", *PLATFORM, f"--dest={folder}", *WHEELS)
        for path in Path(folder).iterdir():
            check(path)
            with tempfile.TemporaryDirectory() as unpacked, zipfile.ZipFile(path) as archive:
                archive.extractall(unpacked)
                copy_files(unpacked, new, ".py")


def fetch_debian(packages, new):
    with tempfile.TemporaryDirectory() as folder:
        for package, folders in packages.items():
            unpack_debian(package, folder)
            for inside, name in folders.items():
                copy_files(Path(folder, package, inside), Path(new, name), ".html")


def unpack_debian(package, folder):
    if not (shutil.which("apt-get") and shutil.which("dpkg")):
        raise SystemExit("this corpus needs apt-get and dpkg, of Debian 12; leave it out with --only")
    run("apt-get", "download", "-q", package, cwd=folder)
    (path,) = Path(folder).glob(f"{package.split('=')[0]}_*.deb")
    check(path)
    run("dpkg", "-x", path, Path(folder, package))


def fetch_thai(new):
    """Write each section of a manual of DocBook that is mostly in Thai to a file of HTML, named by its id."""
    package, inside = THAI
    with tempfile.TemporaryDirectory() as folder:
        unpack_debian(package, folder)
        for path in sorted(Path(folder, package, inside).glob("*.xml")):
            for name, marked in SECTION.findall(path.read_text("utf-8")):
                text = re.sub(r"(?s)<indexterm.*?</indexterm>", "", marked)
                if len(re.findall("[\u0e00-\u0e7f]", text)) > len(re.findall("[a-z]", re.sub("<[^>]*>", "", text))):
                    html = text.replace("<title>", "<h1>", 1).replace("</title>", "</h1>", 1).replace("para>", "p>")
                    (new / f"{name}.html").write_text(f'<meta charset="utf-8">\n{html}', "utf-8")


def divide_books(path, new):
    """Write each book to a file that has the name of its title, without the line that says it."""
    with (lzma.open if path.suffix == ".xz" else open)(path, "rt", encoding="utf-8") as file:
        for book in re.split(r"(?m)^# Title: ", file.read())[1:]:
            title, text = book.split("\n", 1)
            (new / f"{re.sub(r'[^a-z0-9]+', '-', title.lower()).strip('-')}.md").write_text(text, "utf-8")


def check(path):
    found = hashlib.sha256(path.read_bytes()).hexdigest()
    if path.name not in SHA256:
        print(f"{path.name}: another version than that of bench/RESULTS.md", file=sys.stderr)
    elif found != SHA256[path.name]:
        raise SystemExit(f"{path.name} has the SHA-256 {found}, not {SHA256[path.name]}")


def copy_files(source, target, suffix, left_out=LEFT_OUT):
    for path in Path(source).rglob(f"*{suffix}"):
        relative = path.relative_to(source)
        if path.is_file() and not left_out.intersection(relative.parts):
            Path(target, relative).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, Path(target, relative))


def run(*command, cwd=None):
    try:
        subprocess.run(command, check=True, cwd=cwd, stdout=sys.stderr, env=os.environ | {"LC_ALL": "C"})
    except subprocess.CalledProcessError as error:
        raise SystemExit(f"{' '.join(map(str, command))} failed; its messages are above") from error
