"""`./dev docs`: the site has an entry for each table row, working links, no loaded resources, and a search that finds pages."""
import html.parser
import json
import os
import re
import subprocess
import time
import types
import urllib.parse

import pytest

from scripts import docs, docs_pages, lint, steps

pytestmark = pytest.mark.slow
WIDTHS = (400, 1000, 1600)
PASS = re.compile(r'^def \w+\s*:\s*(?:Interface)?Pass<\s*"([^"]*)"', re.MULTILINE)


class Page(html.parser.HTMLParser):
    """The contents of a page: anchors, links, resources that it loads, and the text of its headings."""

    def __init__(self, text):
        super().__init__()
        self.anchors, self.links, self.loaded, self.headings, self.open, self.text = set(), [], [], [], None, []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.anchors.add(attributes.get("id"))
        if tag == "a" and attributes.get("href"):
            self.links.append(attributes["href"])
        elif tag == "link" or "src" in attributes:
            self.loaded.append(attributes.get("src") or attributes.get("href"))
        elif re.fullmatch("h[1-6]", tag):
            self.open = tag
            self.headings.append("")

    def handle_endtag(self, tag):
        self.open = None if tag == self.open else self.open

    def handle_data(self, data):
        self.text.append(data)
        if self.open:
            self.headings[-1] += data


@pytest.fixture(scope="module")
def site(build_folder, tmp_path_factory):
    folder = tmp_path_factory.mktemp("docs") / "site"
    done = subprocess.run([steps.ROOT / "dev", "docs", "--into", folder], capture_output=True, text=True,
                          env={**os.environ, "DRUMLIN_BUILD": str(build_folder)})
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


@pytest.fixture(scope="module")
def pages(site):
    return {str(path.relative_to(site)): Page(path.read_text()) for path in site.rglob("*.html")}


def headings(pages, name):
    return [heading.rstrip("¶") for heading in pages[f"reference/{name}.html"].headings]


def test_each_page_of_the_tree_is_there(pages):
    names = {"index.html", "CONTRIBUTING.html", "SECURITY.html", *(f"docs/{path.stem}.html" for path in (steps.ROOT / "docs").glob("*.md"))}
    assert names <= set(pages)


def test_each_rule_reason_and_diagnostic_has_an_entry(pages):
    assert len(docs_pages.rules()) > 40 and len(docs_pages.reasons()) > 20 and len(docs_pages.diagnostics()) > 80
    assert headings(pages, "rules")[1:] == [name for name, *_ in docs_pages.rules()]
    assert headings(pages, "reasons")[1:] == [code for code, *_ in docs_pages.reasons()]
    assert [heading.split(":")[0] for heading in headings(pages, "diagnostics")[1:]] == [code for code, *_ in docs_pages.diagnostics()]
    text = " ".join("".join(pages[f"reference/{name}.html"].text) for name in ("rules", "reasons", "diagnostics")).split()
    for *_, sentence in (*docs_pages.rules(), *docs_pages.reasons(), *docs_pages.diagnostics()):
        plain = sentence.replace("`", "").replace("==>", "⇒").replace("'", "’")
        assert plain in " ".join(text).replace("'", "’"), sentence


def test_each_pass_has_an_entry(pages):
    found = [heading for name in pages if name.startswith("reference/passes-") for heading in headings(pages, name.split("/")[1][:-5])[1:]]
    declared = [f"--{flag}" for path in lint.tracked("*Passes.td") for flag in PASS.findall((steps.ROOT / path).read_text())]
    assert len(declared) > 25 and sorted(found) == sorted(declared)


def test_each_operation_has_an_entry(pages, operators):
    names = {each["operation"] for each in operators}
    assert len(names) > 160 and names <= set(pages["reference/operations.html"].text)
    described = set(headings(pages, "dialect-stablehlo")) | set(headings(pages, "dialect-chlo"))
    assert names <= described


def test_each_element_type_and_function_has_a_row(pages):
    types, functions = pages["reference/element-types.html"].text, pages["reference/math-functions.html"].text
    assert {row[1] for row in docs_pages.rows("drumlin/support/ElementType.def", "DRUMLIN_ELEMENT_TYPE")} <= set(types)
    assert {row[1] for row in docs_pages.rows("drumlin/codegen/cpu/math/MathFunctions.def", "DRUMLIN_MATH_FUNCTION")} <= set(functions)


def test_links_lead_somewhere(site, pages):
    for name, page in pages.items():
        for link in page.links:
            url = urllib.parse.urlsplit(link)
            if url.scheme:
                continue
            target = os.path.normpath(os.path.join(os.path.dirname(name), urllib.parse.unquote(url.path))) if url.path else name
            assert (site / target).is_file(), f"{name}: {link}"
            if url.fragment and target in pages:
                assert urllib.parse.unquote(url.fragment) in pages[target].anchors, f"{name}: {link}"


def test_nothing_is_loaded_from_elsewhere(site, pages):
    for name, page in pages.items():
        for loaded in page.loaded:
            assert loaded is None or "//" not in loaded, f"{name}: {loaded}"
    for path in site.rglob("*.css"):
        assert not re.search(r"url\(\s*['\"]?(https?:)?//|@import", path.read_text()), path


@pytest.mark.parametrize("listed", [
    [{"name": "--numerics", "commands": ["compile", "run"], "help": "how <exactly> to compute"}],
    {"compile": [{"name": "--numerics", "help": "how <exactly> to compute"}]}])
def test_options_are_a_page_where_the_command_lists_them(tmp_path, listed):
    binary = tmp_path / "drumlin"
    binary.write_text(f"#!/bin/sh\n[ \"$*\" = 'list-options --json' ] && echo '{json.dumps(listed)}'\n")
    binary.chmod(0o755)
    page = docs_pages.options_page(binary)
    assert "| --numerics |" in page and "how \\<exactly\\> to compute" in page and "compile" in page
    binary.write_text("#!/bin/sh\nexit 2\n")
    assert docs_pages.options_page(binary) is None


def test_a_link_that_leads_nowhere_fails_the_build(tmp_path, monkeypatch):
    """Builds the site with a page that has a broken link. The other generated pages are omitted."""
    monkeypatch.setattr(docs, "compiler", lambda: None)
    monkeypatch.setattr(docs_pages, "pages", lambda binary: {"rules": "# Rules\n\n[no such place](../docs/costs.md#no-such-heading)\n"})
    with pytest.raises(steps.Failure):
        docs.main(types.SimpleNamespace(into=str(tmp_path / "site")))
    assert "no-such-heading" in (steps.LOGS / "site.log").read_text()


@pytest.mark.parametrize("words, page", [("split-contraction", "reference/rules.html"), ("D5010", "reference/diagnostics.html"), ("lock", "docs/cli.html")])
def test_search_finds_a_page(site, browser, words, page):
    """Searches with the page's input field, without a server."""
    browser.get_log("browser")
    browser.get((site / "index.html").as_uri())
    field = browser.find_element("css selector", "input[name=q]")
    field.send_keys(words)
    field.submit()
    found, deadline = [], time.monotonic() + 20
    while not any(page in link for link in found) and time.monotonic() < deadline:
        time.sleep(0.1)
        found = [each.get_attribute("href") for each in browser.find_elements("css selector", "ul.search li a")]
    assert any(page in link for link in found), found
    assert browser.get_log("browser") == []


@pytest.mark.parametrize("width", WIDTHS)
def test_no_page_is_wider_than_the_window(site, pages, browser, width):
    """Wider tables and programs scroll separately."""
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False})
    for name in pages:
        browser.get((site / name).as_uri())
        assert browser.execute_script("return document.documentElement.scrollWidth") <= width, name
