"""`./dev docs`: builds a static site from README.md, docs/ and reference pages generated from the
code's tables."""
import os
import pathlib
import re
import shutil
import subprocess

from scripts import build, docs_pages, setup, steps

CONFIGURATION = steps.ROOT / "scripts" / "site"
# The pages in a good reading order for newcomers. The build fails if a page is in none of these lists.
NAVIGATION = {
    "First steps": ("docs/tutorial", "docs/coming-from-xla", "docs/coming-from-iree", "docs/coming-from-neuronx-cc"),
    "Using it": ("docs/cli", "docs/requirements", "docs/formats", "docs/python", "docs/jax", "docs/pjrt", "docs/libraries", "docs/tuning", "SECURITY"),
    "What it does": ("docs/architecture", "docs/costs", "docs/custom-calls", "docs/dynamic-shapes", "docs/layouts", "docs/library-calls", "docs/numerics", "docs/processes"),
    "Working on it": ("CONTRIBUTING", "docs/adding-a-pass", "docs/adding-an-op", "docs/adding-a-kernel-kind", "docs/adding-a-unit", "docs/random-programs"),
}
LINK = re.compile(r"\]\(([^)#\s]+)(#[^)\s]*)?\)")


def toctree(caption, names):
    return f"\n```{{toctree}}\n:hidden:\n:caption: {caption}\n\n" + "\n".join(names) + "\n```\n"


def linked_files(page, text):
    """Copies files of the tree that pages link to and that aren't pages themselves."""
    for target, _ in LINK.findall(text):
        path = pathlib.Path(os.path.normpath(page.parent / target))
        if "://" not in target and path.suffix != ".md" and not path.is_absolute() and (steps.ROOT / path).is_file():
            yield path


def gather(folder, binary):
    """Creates the site's sources: pages as in the tree, README.md as the first page, and generated
    pages in `reference`."""
    shutil.rmtree(folder, ignore_errors=True)
    reference = docs_pages.pages(binary)
    pages = [pathlib.Path("README.md"), pathlib.Path("CONTRIBUTING.md"), pathlib.Path("SECURITY.md"), *(path.relative_to(steps.ROOT) for path in sorted((steps.ROOT / "docs").glob("*.md")))]
    for page in pages:
        text = (steps.ROOT / page).read_text()
        for path in linked_files(page, text):
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(steps.ROOT / path, folder / path)
        if page.name == "README.md":
            page = page.with_name("index.md")
            text += "".join(toctree(caption, names) for caption, names in NAVIGATION.items()) + toctree("Reference", [f"reference/{name}" for name in reference])
        (folder / page).parent.mkdir(parents=True, exist_ok=True)
        (folder / page).write_text(text.replace("](../README.md", "](../index.md"))
    (folder / "reference").mkdir()
    for name, text in reference.items():
        (folder / "reference" / f"{name}.md").write_text(text)
    return len(pages) + len(reference)


def compiler():
    """Returns the command that lists operations and options. It comes from $DRUMLIN_BUILD, or is
    built now."""
    folder = os.environ.get("DRUMLIN_BUILD")
    return (pathlib.Path(folder) if folder else build.build("release", ["drumlin"])) / "bin" / "drumlin"


def main(arguments):
    setup.everything("docs")
    into = pathlib.Path(arguments.into).resolve() if arguments.into else steps.BUILD / "site"
    binary = compiler()
    sources = steps.BUILD / "site-sources" if not arguments.into else into.with_name(into.name + "-sources")
    count = gather(sources, binary)
    shutil.rmtree(into, ignore_errors=True)
    # -W: broken links or anchors, pages in no list, and any other Sphinx warning fail the build.
    steps.run("site", [setup.PYTHON, "-m", "sphinx", "--color" if steps.on_terminal() else "--no-color", "-q", "-W", "--keep-going", "-n",
                       "-c", CONFIGURATION, "-d", sources / ".doctrees", sources, into], log="site")
    steps.say(f"docs: {count} pages; open {into / 'index.html'}")
