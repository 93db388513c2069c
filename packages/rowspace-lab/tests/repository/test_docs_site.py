"""The documentation as a site: each public name has an entry, and pages load nothing from another host."""

import re
import subprocess
from html.parser import HTMLParser
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from urllib.parse import urlsplit

import pytest
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File
from mkdocs.structure.pages import Page

CHECKOUT = Path(__file__).parents[4]
PACKAGE = CHECKOUT / "packages/rowspace/src/rowspace"
# Folders without public names; modules of the package but `errors` are imported through it.
INTERNAL = {"rowspace._base", "rowspace.cli", "rowspace.compat", "rowspace.files", "rowspace.serve"}
INTERNAL |= {"rowspace.subwords"}
MORE = {"rowspace", "rowspace.compat.gensim", "rowspace.errors", "rowspace.serve.embeddings"}
MORE |= {"rowspace_lab", "rowspace_lab.experiments"}
LOADING = {"script": "src", "img": "src", "iframe": "src", "source": "src", "link": "href"}


@pytest.fixture(scope="module")
def hooks() -> ModuleType:
    """`scripts/docs_hooks.py`, which is not in a package."""
    spec = spec_from_file_location("docs_hooks", CHECKOUT / "scripts" / "docs_hooks.py")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    command = [CHECKOUT / "scripts" / "docs", "--site-dir", folder]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "WARNING" not in done.stderr
    return folder


def public_names(module: ModuleType) -> set[str]:
    """What `__all__` names, but the modules of a package, which are no names of their own."""
    return {name for name in module.__all__ if not isinstance(getattr(module, name), ModuleType)}


class Parsed(HTMLParser):
    """The ids, links and loaded addresses of a page, and the text of its inline scripts."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.ids: set[str] = set()
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.inline: list[str] = []
        self.in_script = False
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        self.ids.add(values.get("id") or "")
        self.links += [values["href"] or ""] if tag == "a" and "href" in values else []
        self.loaded += (
            [values[LOADING[tag]] or ""] if LOADING.get(tag) in values and values.get("rel") != "prev" else []
        )
        self.in_script = tag == "script" and "src" not in values and values.get("type") != "application/json"

    def handle_data(self, data: str) -> None:
        self.inline += [data] * self.in_script

    def handle_endtag(self, tag: str) -> None:
        self.in_script = False


@pytest.fixture(scope="module")
def pages(site: Path) -> dict[Path, Parsed]:
    return {path: Parsed(path) for path in sorted(site.resolve().rglob("*.html"))}


def test_every_public_folder_has_a_page(hooks: ModuleType) -> None:
    folders = [*PACKAGE.glob("[!_]*/__init__.py"), *(PACKAGE / "layers").glob("[!_]*/__init__.py")]
    names = {".".join(path.parent.relative_to(PACKAGE.parent).parts) for path in folders}
    assert sorted(hooks.MODULES) == sorted((names | MORE) - INTERNAL)


@pytest.mark.long
def test_every_public_name_has_one_entry_with_its_definition(hooks: ModuleType) -> None:
    pages = hooks.reference_pages()
    described = re.findall(r"^::: (\S+)$", "\n".join(pages.values()), re.MULTILINE)
    assert len(described) == len(set(described))
    for name in hooks.MODULES:
        module, page = import_module(name), pages[f"reference/{name}.md"]
        entries = dict(re.findall(r'^<a id="(\S+)"></a>\n\n::: (\S+)$', page, re.MULTILINE))
        links = dict(re.findall(r"\[`(\w+)`\]\[(\S+?)\]", page))
        assert sorted(entries) == sorted(f"{name}.{public}" for public in public_names(module) - links.keys())
        assert links.keys() <= public_names(module)
        assert set(links.values()) <= set(described)
        for public in public_names(module):
            parent, _, defined = (links.get(public) or entries[f"{name}.{public}"]).rpartition(".")
            assert getattr(import_module(parent), defined) is getattr(module, public), f"{name}.{public}"
            # In a package, static analysis finds a module of the same name instead.
            assert not hasattr(import_module(parent), "__path__"), f"{name}.{public} is described as {parent}.{defined}"


@pytest.mark.parametrize(
    ("page", "written", "shown"),
    [
        ("design.md", "[a](../CONTRIBUTING.md#tests)", "[a](contributing.md#tests)"),
        ("guides/lab.md", "[a](text.md) [b](#top)", "[a](text.md) [b](#top)"),
        ("contributing.md", "[a](docs/guides/lab.md)", "[a](guides/lab.md)"),
        ("benchmarks.md", "[a](../docs/design.md) [b](../CHANGELOG.md)", "[a](design.md) [b](changelog.md)"),
        ("index.md", "[a](../examples)", "[a](https://github.com/rowspace/rowspace/blob/main/examples)"),
        ("index.md", "[a](https://example.org/x.md)", "[a](https://example.org/x.md)"),
        ("index.md", "`[a](../examples)`", "`[a](../examples)`"),
        ("index.md", "```console about\n$ ls\n```", "```console\n$ ls\n```"),
    ],
)
def test_links_that_leave_docs_lead_to_pages_or_the_repository(
    hooks: ModuleType, page: str, written: str, shown: str
) -> None:
    config = MkDocsConfig()
    file = File(page, "docs", "site", use_directory_urls=False)
    assert hooks.on_page_markdown(written, page=Page(None, file, config)) == shown


def test_figures_and_addresses_of_the_workbench_are_marked(hooks: ModuleType) -> None:
    address = "/words?table=six-words&amp;word=cat"
    shown = "The row of <em>cat</em>."
    place = f"In the workbench: <code>{address}</code>"
    marked = place.replace("<code", '<code class="workbench"')
    figure = f"<blockquote>\n<p><strong>Figure.</strong> {shown} {place}</p>\n</blockquote>"
    other = "<blockquote><p>A quotation, and <code>/etc</code>.</p></blockquote>"
    text = "<p>A map (<code>/words</code> in the workbench).</p>"
    assert hooks.on_page_content(other + figure + text) == (
        f'{other}<figure class="workbench" data-address="{address}"><figcaption><strong>Figure.</strong> {shown} '
        f'<span class="place">{marked}</span></figcaption></figure>'
        '<p>A map (<code class="workbench">/words</code> in the workbench).</p>'
    )


@pytest.mark.long
def test_pages_load_only_files_of_the_site(pages: dict[Path, Parsed]) -> None:
    for path, page in pages.items():
        assert page.inline == [], f"{path.name}: the content security policy of the workbench forbids inline scripts"
        for address in page.loaded:
            assert urlsplit(address)[:2] == ("", ""), f"{path.name} loads {address}"
            assert (path.parent / urlsplit(address).path).is_file(), f"{path.name} loads {address}, which is missing"


@pytest.mark.long
def test_links_lead_to_existing_pages_and_headings(pages: dict[Path, Parsed]) -> None:
    for path, page in pages.items():
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = (path.parent / parts.path).resolve() if parts.path else path
            assert target.exists(), f"{path.name}: {link}"
            assert not parts.fragment or parts.fragment in pages[target].ids, f"{path.name}: {link}"


@pytest.mark.long
def test_entries_are_in_the_built_pages(site: Path, pages: dict[Path, Parsed], hooks: ModuleType) -> None:
    for name in hooks.MODULES:
        path = site.resolve() / "reference" / f"{name}.html"
        assert "<blockquote>" not in path.read_text(encoding="utf-8"), f"{name}: a doctest is not shown as code"
        links = {link.rpartition(".")[2] for link in pages[path].links}
        entries = {id.removeprefix(f"{name}.") for id in pages[path].ids}
        assert public_names(import_module(name)) <= entries | links, name
