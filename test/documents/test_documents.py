"""Runs what README.md and docs/ tell a reader to type, page by page and in order, each page in its own folder.

document_blocks.py defines the kinds of blocks. `before/PAGE.sh` creates what a page assumes to exist (a model, a link to the build),
`around/PAGE.c` (or `.cc`) completes the partial programs that a page shows, and `not-run.txt` lists what can't run in a test, with the
reason.
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import sysconfig

import pytest
import yaml

import document_blocks
from scripts import lint_rules

HERE = pathlib.Path(__file__).parent
ROOT = HERE.parents[1]
PAGES = {path.name: path for path in (ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md")))}
# One interpreter runs all Python programs of a page in order: it reads and writes a JSON line for each.
INTERPRETER = """
import json, sys, traceback
answers, sys.stdout = sys.stdout, sys.stderr
names = {"__name__": "__main__"}
for line in sys.stdin:
    try:
        exec(compile(json.loads(line), "the page's program", "exec"), names)
        answer = ""
    except BaseException:
        answer = traceback.format_exc()
    print(json.dumps(answer), file=answers, flush=True)
"""


def not_run():
    """Returns (page, beginning of a command or of a block) => reason."""
    rows = {}
    for line in (HERE / "not-run.txt").read_text().splitlines():
        if line and not line.startswith("#"):
            where, _, reason = line.partition(" => ")
            page, _, beginning = where.partition(": ")
            assert (page, beginning) not in rows and reason.strip(), line
            rows[page, beginning.strip()] = reason.strip()
    return rows


NOT_RUN = not_run()


# Matches a line `/* page: WORDS */` of a program in `around`. The line is replaced by the block of the page whose first line contains WORDS.
PART = re.compile(r"^ *[/][*] page: (.*) [*][/]$", re.MULTILINE)
AROUND = {f"{path.stem}.md": path for path in (HERE / "around").iterdir()}
# The expected output of each program in `around`.
PRINTED = {"custom-calls.md": "12\n", "libraries.md": "44\n32 128 -5\n", "processes.md": "22 11\n"}


def part(page, words):
    """Returns the block of a page that is a part of a program."""
    [found] = [block for block in page_blocks(page) if block.kind == "other" and words in block.first_line()]
    return found


def row(page, text):
    """Returns the row of not-run.txt that matches a command or a block, if there is one."""
    return next((key for key in NOT_RUN if key[0] == page and text.strip().startswith(key[1])), None)


def page_blocks(page):
    return list(document_blocks.blocks(PAGES[page].read_text()))


class Reader:
    """Executes what a page says: has a folder, a shell whose variables persist, and a Python interpreter."""

    def __init__(self, page, folder, state, environment):
        self.page, self.folder, self.state, self.environment = page, folder, state, environment
        self.interpreter = None

    def shell(self, command, status=0, shown=None, line=0):
        script = f'[ -e "{self.state}/cwd" ] && {{ source "{self.state}/variables"; cd "$(< "{self.state}/cwd")"; }}\n' \
                 f'trap \'status=$?; export -p > "{self.state}/variables"; pwd > "{self.state}/cwd"; exit $status\' EXIT\n{command}'
        done = subprocess.run(["bash", "-c", script], cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, timeout=120)
        told = f"{self.page}:{line}: $ {command}\nstatus {done.returncode}, printed:\n{done.stdout}"
        assert done.returncode == status, told
        if shown is not None:
            assert document_blocks.matches(shown, done.stdout), told + "\nthe page shows:\n" + "\n".join(shown)

    def python(self, text, line):
        if self.interpreter is None:
            self.interpreter = subprocess.Popen([sys.executable, "-c", INTERPRETER], cwd=self.folder, env=self.environment, text=True,
                                                stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        print(json.dumps(text), file=self.interpreter.stdin, flush=True)
        answer = json.loads(self.interpreter.stdout.readline())
        assert not answer, f"{self.page}:{line}: {answer}"

    def write(self, block):
        path = self.folder / block.name
        path.write_text(block.text)
        path.chmod(0o755)
        if block.name.endswith(".yml"):  # a continuous-integration workflow: its steps are shell commands
            for job in yaml.safe_load(block.text)["jobs"].values():
                for step in job["steps"]:
                    self.run(document_blocks.Command(step.get("run", f"uses {step.get('uses')}"), block.line))

    def run(self, command):
        if row(self.page, command.text) is None:
            self.shell(command.text, command.status, command.printed, command.line)

    def read(self):
        for block in page_blocks(self.page):
            if row(self.page, block.first_line()) is not None and not block.commands:
                continue
            if block.kind == "file":
                self.write(block)
            elif block.kind == "python":
                self.python(block.text, block.line)
            else:
                for command in block.commands:
                    self.run(command)

    def leave(self):
        if self.interpreter is not None:
            self.interpreter.stdin.close()
            self.interpreter.wait(timeout=60)


@pytest.mark.parametrize("page", [page for page in PAGES if page_blocks(page)])
def test_page(page, build_folder, tmp_path, request):
    folder, state = tmp_path / "reader", tmp_path / "state"
    folder.mkdir()
    state.mkdir()
    environment = {**os.environ, "ROOT": str(ROOT), "PATH": f"{build_folder / 'bin'}:{pathlib.Path(sys.executable).parent}:{os.environ['PATH']}",
                   "DRUMLIN_CACHE": str(tmp_path / "cache"), "BUILD": str(build_folder), "PYTHONDONTWRITEBYTECODE": "1"}
    if any(re.search(r"\bimport drumlin\b|JAX_PLATFORMS=drumlin", block.text) for block in page_blocks(page)):
        environment["PYTHONPATH"] = str(request.getfixturevalue("package"))
    reader = Reader(page, folder, state, environment)
    before = HERE / "before" / f"{page.removesuffix('.md')}.sh"
    if before.exists():
        reader.shell(f"set -e\n{before.read_text()}")
    try:
        reader.read()
    finally:
        reader.leave()


def commands_of(page):
    for block in page_blocks(page):
        yield from (command.text for command in block.commands)
        if block.kind == "file" and block.name.endswith(".yml"):
            for job in yaml.safe_load(block.text)["jobs"].values():
                yield from (step.get("run", f"uses {step.get('uses')}") for step in job["steps"])


@pytest.mark.parametrize("page", AROUND)
def test_parts_of_programs(page, build_folder, tmp_path):
    path = AROUND[page]
    source, program = tmp_path / path.name, tmp_path / "program"
    source.write_text(PART.sub(lambda words: part(page, words[1]).text, path.read_text()))
    compiler = ["c++", "-std=c++17"] if path.suffix == ".cc" else ["cc", "-std=c11"]
    headers = pathlib.Path(sysconfig.get_path("purelib")) / "jaxlib" / "include"
    subprocess.run([*compiler, "-Wall", "-Wextra", "-Werror", f"-I{ROOT}", "-isystem", headers, source, "-o", program, f"-L{build_folder / 'lib'}",
                    "-ldrumlin", f"-Wl,-rpath,{build_folder / 'lib'}"], check=True, timeout=120)
    environment = {**os.environ, "DRUMLIN_CACHE": str(tmp_path / "cache")}
    done = subprocess.run([program], cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=120)
    assert (done.stdout, done.returncode) == (PRINTED[page], 0), done.stdout + done.stderr


def test_every_block_is_run_or_listed():
    for page in PAGES:
        parts = {part(page, words).line for words in PART.findall(AROUND[page].read_text())} if page in AROUND else set()
        for block in page_blocks(page):
            if block.kind == "other" and block.line not in parts:
                assert row(page, block.first_line()), f"{page}:{block.line}: neither run nor in not-run.txt: {block.first_line()}"


def test_every_row_is_about_something():
    used = set()
    for page in PAGES:
        used |= {row(page, command) for command in commands_of(page)}
        used |= {row(page, block.first_line()) for block in page_blocks(page) if not block.commands}
    assert set(NOT_RUN) <= used


def test_what_is_made_before_belongs_to_a_page():
    assert {f"{path.stem}.md" for path in (HERE / "before").iterdir()} <= set(PAGES)


@pytest.fixture(scope="module")
def known_options(build_folder):
    """Returns subcommand => its options."""
    call = lambda *words: subprocess.run([build_folder / "bin" / "drumlin", *words, "--help"], capture_output=True, text=True, check=True).stdout
    option = re.compile(r"(?<![\w-])--?[a-z][a-z-]*")
    names = re.findall(r"^  ([a-z][a-z-]+) ", re.split("subcommands:", call(), flags=re.IGNORECASE)[1], re.MULTILINE)
    shared = set(option.findall(call()))
    return {name: shared | set(option.findall(call(name))) for name in names}


def test_commands_in_sentences_exist(known_options):
    """Commands in sentences, such as `drumlin plan model.mlir --lock FILE`, aren't run, but the command and its options exist."""
    seen = 0
    for page, path in PAGES.items():
        for line, text in document_blocks.inline_code(path.read_text()):
            words = text.split()
            if len(words) > 1 and words[0] == "drumlin" and re.fullmatch("[a-z-]+", words[1]) and not words[1].startswith("-"):
                assert words[1] in known_options, f"{page}:{line}: {text}"
                for word in words[2:]:
                    option = re.match(r"--?[a-z][a-z-]*", word)
                    assert not option or option[0] in known_options[words[1]], f"{page}:{line}: {text}"
                seen += 1
    assert seen > 50
