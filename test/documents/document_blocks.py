"""Reads the code blocks of a page, in order: the kind of each block, and the commands of shell blocks with their output.

A block of code is the first of these that applies:

- a *file*, if the paragraph before it begins with the file's name in backquotes and ends with a colon;
- a *session*, if it begins with `$ `: commands, each with its output. A line `…` stands for any lines, `…` inside of a line for any
  text. A command continues on the next line if the shell needs more of it;
- *commands*, if it begins with one: their output isn't shown, and they end with status 0, or with the status in a comment after them
  (`# …: status 3`);
- a program in *python*;
- *other*.
"""
import dataclasses
import functools
import re
import subprocess

import markdown_it

# The first words of command lines. A shell block that begins with another word is `other`, and must be listed in not-run.txt.
FIRST_WORDS = {"drumlin", "./dev", "build/release/bin/FuzzPrograms", "cmake", "export", "for", "pip", "python", "source", "sh"}
FILE_NAME = re.compile(r"^`([\w-]+\.(?:hlo|mlir|py|sh|yml))`")
# Languages of blocks that may be files. A block in another language isn't the file that the paragraph before it names.
FILE_LANGUAGES = {"hlo", "mlir", "python", "sh", "yaml"}
STATUS = re.compile(r"#.*: status (\d+)$", re.MULTILINE)
PARSER = markdown_it.MarkdownIt("commonmark").enable("table")


@dataclasses.dataclass(frozen=True)
class Command:
    text: str
    line: int
    printed: tuple = None  # the lines that the page shows; None if it shows none
    status: int = 0


@dataclasses.dataclass(frozen=True)
class Block:
    kind: str
    language: str
    text: str
    line: int  # line in the page, from 1
    name: str = None  # a file's name
    commands: tuple = ()

    def first_line(self):
        return self.text.strip().split("\n")[0]


@functools.cache
def complete(text):
    """Returns whether the text is a complete shell command."""
    checked = subprocess.run(["bash", "-n", "-c", text], capture_output=True, text=True)
    return not text.endswith("\\") and checked.returncode == 0 and not checked.stderr


def session(text, line):
    """Yields the commands after `$ `, each with the lines that it prints."""
    command, printed, begin = None, [], line
    for number, each in enumerate(text.rstrip("\n").split("\n"), line):
        if command is not None and not complete(command):
            command += "\n" + each.removeprefix("> ")
        elif each.startswith("$ "):
            if command is not None:
                yield Command(command, begin, tuple(printed))
            command, printed, begin = each[2:], [], number
        else:
            printed.append(each)
    yield Command(command, begin, tuple(printed))


def commands(text, line):
    command = ""
    for number, each in enumerate(text.rstrip("\n").split("\n"), line):
        command = f"{command}\n{each}" if command else each
        if command.strip() and complete(command):
            status = STATUS.search(command)
            if not command.startswith("#"):
                yield Command(command, number, None, int(status[1]) if status else 0)
            command = ""
    assert not command.strip(), f"line {line}: the shell doesn't understand `{command}`"


def block(token, before):
    text, line = token.content, token.map[0] + (2 if token.type == "fence" else 1)
    language = token.info.split()[0] if token.info else ""
    named = FILE_NAME.match(before) if before.endswith(":") else None
    if named and language and (language not in FILE_LANGUAGES or (language == "python" and not named[1].endswith(".py"))):
        named = None
    first = next((each for each in text.split("\n") if each and not each.startswith("#")), "")
    if named:
        return Block("file", language, text, line, named[1])
    if language == "python":
        return Block("python", language, text, line)
    if first.startswith("$ "):
        return Block("session", language, text, line, commands=tuple(session(text, line)))
    if language in ("", "sh") and first.split(" ")[0] in FIRST_WORDS:
        return Block("commands", language, text, line, commands=tuple(commands(text, line)))
    return Block("other", language, text, line)


def blocks(page):
    """Yields all blocks of a page's text."""
    before = ""
    for token in PARSER.parse(page):
        if token.type in ("fence", "code_block"):
            yield block(token, before)
            before = ""
        elif token.type == "inline":
            before = token.content


def inline_code(page):
    """Yields (line, text) of each text in backquotes."""
    for token in PARSER.parse(page):
        for child in token.children or ():
            if child.type == "code_inline":
                yield token.map[0] + 1, child.content


def matches(shown, printed):
    """Returns whether a command has printed what the page shows."""
    pattern = "".join("(?:.*\n)*?" if line.strip() == "…" else ".*".join(map(re.escape, line.rstrip().split("…"))) + "[ ]*\n" for line in shown)
    return re.fullmatch(pattern.rstrip("\n") + "\n*" if not shown else pattern + "\n*", printed.rstrip("\n") + "\n" if printed.strip() else "\n") is not None
