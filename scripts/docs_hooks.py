"""Hooks of mkdocs.yml: the pages of the API reference, pages from the root, links, figures, and scripts as files.

Pages read well on GitHub and as a site: links that leave `docs/` lead to the page of the site with the same text, or
else to the repository. Inline scripts become files, because the workbench's content security policy forbids them.
"""

import posixpath
import re
import shutil
import tomllib
from fnmatch import fnmatch
from functools import cache
from hashlib import sha256
from pathlib import Path
from urllib.parse import urlsplit

import griffe
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

CHECKOUT = Path(__file__).parents[1]
Packages = dict[str, griffe.Module]

# Pages of the site that are files outside docs/.
INCLUDED = {
    "benchmarks.md": "bench/RESULTS.md",
    "changelog.md": "CHANGELOG.md",
    "contributing.md": "CONTRIBUTING.md",
    "security.md": "SECURITY.md",
}

# The public modules, in the order of the navigation.
MODULES = (
    "rowspace",
    "rowspace.text",
    "rowspace.encode",
    "rowspace.search",
    "rowspace.learn",
    "rowspace.grouping",
    "rowspace.scale",
    "rowspace.optim",
    "rowspace.space",
    "rowspace.store",
    "rowspace.layers",
    "rowspace.layers.tables",
    "rowspace.layers.positions",
    "rowspace.layers.rotary",
    "rowspace.layers.inputs",
    "rowspace.layers.pixels",
    "rowspace.layers.head",
    "rowspace.layers.parallel",
    "rowspace.layers.cost",
    "rowspace.layers.recipes",
    "rowspace.layers.training",
    "rowspace.serve.embeddings",
    "rowspace.contextual",
    "rowspace.compat.gensim",
    "rowspace_lab",
    "rowspace_lab.experiments",
    "rowspace.errors",
)
# A name of several modules is described on the page of the first one in this order.
DESCRIBED_IN = sorted(MODULES, key=lambda module: (module != "rowspace.errors", module == "rowspace.layers"))

MARKED_FENCE = re.compile(r"^```(console about|text printed)$", re.MULTILINE)
CODE = re.compile(r"(^```.*?^```$|`[^`\n]+`)", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"(?<=\]\()([^)\s#]+)(?=[)#])")
FIGURE = re.compile(
    r"<blockquote>\s*<p><strong>Figure\.</strong>((?:(?!</p>).)*?)"
    r"(In the workbench: <code>(/[^<]*)</code>)</p>\s*</blockquote>",
    re.DOTALL,
)
ADDRESS = re.compile(r"(?<=In the workbench: )<code>(?=/)|<code>(?=/[^<]*</code> in the workbench)")
INLINE_SCRIPT = re.compile(r"<script>(.+?)</script>", re.DOTALL)


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """List the pages that patterns of the navigation stand for; leave out the page for missing addresses."""
    config.nav = [_expanded(entry, config) for entry in config.nav or []]
    config.theme.static_templates = set()
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages that are not in docs/."""
    for page, text in {**_included(), **reference_pages()}.items():
        files.append(File.generated(config, page, content=text))
    return files


def on_page_markdown(markdown: str, page: Page, **_: object) -> str:
    """Rewrite what the site writes differently from GitHub: links that leave docs/, and names of fences.

    The table of contents of tutorials is hidden, to leave their width to their figures.
    """
    if page.file.src_uri.startswith("tutorials/"):
        page.meta["hide"] = ["toc"]
    folder = posixpath.dirname(INCLUDED.get(page.file.src_uri, f"docs/{page.file.src_uri}"))
    parts = CODE.split(MARKED_FENCE.sub(lambda fence: f"```{fence[1].split()[0]}", markdown))
    parts[::2] = [LINK.sub(lambda link: _target(link[1], folder, page.file.src_uri), part) for part in parts[::2]]
    return "".join(parts)


def on_page_content(html: str, **_: object) -> str:
    """Mark the figures of the workbench and its addresses, for assets/figures.js.

    A figure is a quotation that begins with "Figure." and ends with "In the workbench: `/words?word=king`".
    """
    figure = (
        r'<figure class="workbench" data-address="\3"><figcaption><strong>Figure.</strong>\1'
        r'<span class="place">\2</span></figcaption></figure>'
    )
    return ADDRESS.sub('<code class="workbench">', FIGURE.sub(figure, html))


def on_post_page(output: str, page: Page, config: MkDocsConfig) -> str:
    """Move inline scripts to files, and name the theme's search dialog for screen readers."""

    def as_file(script: re.Match[str]) -> str:
        name = f"assets/inline/{sha256(script[1].encode()).hexdigest()[:16]}.js"
        path = Path(config.site_dir, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(script[1], encoding="utf-8")
        return f'<script src="{posixpath.relpath(name, posixpath.dirname(page.url) or ".")}"></script>'

    return INLINE_SCRIPT.sub(as_file, output.replace('role="dialog"', 'role="dialog" aria-label="Search"'))


def on_post_build(config: MkDocsConfig) -> None:
    """Delete files of the theme that no page uses: source maps, other languages, an empty site map."""
    site = Path(config.site_dir)
    shutil.rmtree(site / "assets" / "javascripts" / "lunr")
    for path in [*site.rglob("*.map"), *site.glob("sitemap.xml*")]:
        path.unlink()


@cache
def reference_pages() -> dict[str, str]:
    """Return the Markdown of each page of the API reference, by its path in the site."""
    packages = {
        name: griffe.load(name, search_paths=[CHECKOUT / "packages" / folder / "src"])
        for name, folder in (("rowspace", "rowspace"), ("rowspace_lab", "rowspace-lab"))
    }
    described: dict[str, str] = {}
    text = {}
    for name in DESCRIBED_IN:
        text[name] = _reference_page(_module(name, packages), packages, described)
    return {f"reference/{name}.md": text[name] for name in MODULES}


def _reference_page(module: griffe.Module, packages: Packages, described: dict[str, str]) -> str:
    """Return a page with an entry for each public name that no earlier page describes, and links to the others."""
    summary = module.docstring.value.partition("\n\n")[0] if module.docstring else ""
    entries: list[str] = []
    elsewhere: dict[str, list[str]] = {}
    for name in public_names(module):
        path = _definition(module, name, packages)
        if path in described:
            elsewhere.setdefault(described[path], []).append(f"[`{name}`][{path}]")
        else:
            described[path] = module.path
            entries.append(f'<a id="{module.path}.{name}"></a>\n\n::: {path}')
    links = "\n".join(f"- [`{page}`]({page}.md): {', '.join(names)}" for page, names in elsewhere.items())
    return "\n\n".join([f"# `{module.path}`", summary, links, *entries])


def public_names(module: griffe.Module) -> list[str]:
    """Return the names in `__all__`, or what the stub of a lazily imported package imports but its own modules."""
    stub = module.filepath.with_suffix(".pyi")
    if stub.exists():
        module = griffe.visit(module.path, stub, stub.read_text(encoding="utf-8"))
        names = [name for name, path in module.imports.items() if path != f"{module.path}.{name}"]
        return sorted(names, key=str.lower)
    return sorted(map(str, module.exports or ()), key=str.lower)


def _definition(module: griffe.Module, name: str, packages: Packages) -> str:
    """Return the path of the definition of a name, which modules of the same name would hide."""
    while name in module.imports:
        parent, _, name = module.imports[name].rpartition(".")
        module = _module(parent, packages)
    return f"{module.path}.{name}"


def _module(name: str, packages: Packages) -> griffe.Module:
    """Return the module of this name."""
    package, _, inner = name.partition(".")
    return packages[package][inner] if inner else packages[package]


@cache
def _included() -> dict[str, str]:
    return {page: (CHECKOUT / source).read_text(encoding="utf-8") for page, source in INCLUDED.items()}


def _target(link: str, folder: str, page: str) -> str:
    """Return where a link of a page leads on the site; `folder` is the folder of its source."""
    if urlsplit(link).scheme:
        return link
    path = posixpath.normpath(posixpath.join(folder, link))
    pages = {source: name for name, source in INCLUDED.items()}
    if path in pages or path.startswith("docs/"):
        return posixpath.relpath(pages.get(path, path.removeprefix("docs/")), posixpath.dirname(page) or ".")
    return f"{_repository()}/blob/main/{path}"


@cache
def _repository() -> str:
    project = tomllib.loads((CHECKOUT / "packages/rowspace/pyproject.toml").read_text(encoding="utf-8"))["project"]
    return str(project["urls"]["Source"])


def _expanded(entry: dict[str, object], config: MkDocsConfig) -> dict[str, object]:
    """Replace the pattern of a section by the pages of docs/ by name, or by the pages of the reference."""
    ((title, pages),) = entry.items()
    if not isinstance(pages, str) or "*" not in pages:
        return entry
    folder = Path(config.docs_dir)
    found = sorted(path.relative_to(folder).as_posix() for path in folder.glob(pages))
    return {title: [*found, *(page for page in reference_pages() if fnmatch(page, pages))]}
