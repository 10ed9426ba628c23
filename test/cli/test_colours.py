"""Terminals that support colours get them unless the user disables them. Without colours, the text is the same."""
import os
import pty
import re
import select
import subprocess
from concurrent import futures

import pytest

SEQUENCE = re.compile(r"\x1b\[\d*m")
LEAST = {**os.environ, "TERM": "xterm"}
LEAST.pop("NO_COLOR", None)
END = b"\0"


@pytest.fixture
def on_terminal(build_folder, tmp_path, environment):
    """Fixture on_terminal(*arguments, **variables): returns the status and the text of both streams on a terminal."""
    def run(*arguments, **variables):
        ours, theirs = pty.openpty()
        process = subprocess.Popen([build_folder / "bin" / "drumlin", *map(str, arguments)], stdout=theirs, stderr=theirs, stdin=subprocess.DEVNULL,
                                   cwd=tmp_path, env={**environment, **LEAST, "DRUMLIN_CACHE": environment["DRUMLIN_CACHE"], **variables})

        def end():
            process.wait(timeout=60)
            os.write(theirs, END)

        # A terminal may lose its last output when the last writer closes it, so the test keeps the terminal open until its marker arrives.
        with futures.ThreadPoolExecutor() as threads:
            ended = threads.submit(end)
            text = b""
            while END not in text:
                assert select.select([ours], [], [], 90)[0], "the program neither writes nor ends"
                text += os.read(ours, 65536)
            ended.result()
        os.close(ours)
        os.close(theirs)
        return process.returncode, text.removesuffix(END).decode().replace("\r\n", "\n").replace("\r\x1b[K", "")
    return run


def ways(add):
    return {"print": ("print", add), "diff": ("diff", add, add), "why": ("why", "dot.mlir"), "error": ("print", "none.mlir"), "usage": ("plan", add, "--target", "z80")}


@pytest.fixture
def dot(tmp_path):
    (tmp_path / "dot.mlir").write_text(
        "func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {\n"
        "  %d = stablehlo.dot_general %x, %x, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>\n"
        "  %y = stablehlo.add %d, %x : tensor<8x8xf32>\n  return %y : tensor<8x8xf32>\n}\n")


@pytest.mark.parametrize("way", ["print", "diff", "why", "error", "usage"])
def test_a_terminal_gets_them(call, on_terminal, add, dot, way):
    arguments = ways(add)[way]
    plain = call(*arguments)
    status, text = on_terminal(*arguments)
    assert status == plain.returncode and SEQUENCE.search(text)
    assert SEQUENCE.sub("", text) == plain.stdout + plain.stderr and "\x1b" not in plain.stdout + plain.stderr
    # Each colour sequence is closed, on the same line except for hints.
    assert text.count("\x1b[0m") * 2 == len(SEQUENCE.findall(text))
    for variables in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
        assert on_terminal(*arguments, **variables) == (status, plain.stdout + plain.stderr)
    assert on_terminal(*arguments, "--color", "never") == (status, plain.stdout + plain.stderr)
    assert on_terminal(*arguments, NO_COLOR="") == (status, text)
    assert on_terminal("--color", "always", *arguments, NO_COLOR="1") == (status, text)
    always = call(*arguments, "--color=always")
    assert always.stdout + always.stderr == text


def test_what_the_colours_say(call, environment, add, dot, tmp_path):
    (tmp_path / "other.mlir").write_text((tmp_path / "dot.mlir").read_text().replace("8x8", "16x16"))
    worse = call("diff", "dot.mlir", "other.mlir", "--color", "always")
    assert worse.returncode == 5 and "\x1b[31mworse: \x1b[0m" in worse.stdout and "\x1b[31merror D5013:\x1b[0m" in worse.stderr
    why = call("why", "dot.mlir", "--color", "always").stdout
    assert "\x1b[32mtaken" in why
    assert "\x1b[36m%" in call("print", "dot.mlir", "--color", "always").stdout
    os.chmod(environment["DRUMLIN_CACHE"], 0o777)
    warned = call("compile", add, "-o", "x.so", "--color", "always")
    assert "\x1b[33mwarning D1008:\x1b[0m" in warned.stderr and "\x1b[36m\n  hint: \x1b[0m" in warned.stderr


def test_what_programs_read_has_none(call, add):
    for arguments in (("print", "--json"), ("print", "--graphviz"), ("why", "--json"), ("why", "--remarks"), ("cost", "--json")):
        assert "\x1b" not in call(arguments[0], add, *arguments[1:], "--color", "always").stdout


def test_other_words_are_refused(call, add):
    result = call("print", add, "--color", "blue")
    assert result.returncode == 2 and "--color" in result.stderr


# Names with sequences that set the window's title, clear the screen, and reverse the writing direction.
HOSTILE = """func.func @main(%x: tensor<4xf32> loc("\\1B]0;title\\07")) -> tensor<4xf32> {
  %y = stablehlo.add %x, %x : tensor<4xf32> loc("\\1B[2Ja\\E2\\80\\AEb":1:2)
  return %y : tensor<4xf32>
}
"""


@pytest.mark.parametrize("command", ["print", "why", "plan", "cost"])
def test_a_terminal_gets_no_control_characters(call, on_terminal, tmp_path, command):
    """A terminal gets only Drumlin's own colour sequences; files and pipes get names unchanged."""
    (tmp_path / "hostile.mlir").write_text(HOSTILE)
    status, text = on_terminal(command, "hostile.mlir")
    plain = call(command, "hostile.mlir")
    assert status == plain.returncode == 0 and not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e]", SEQUENCE.sub("", text)), text
    assert "\\x1b" not in plain.stdout
    if command == "print":
        assert "\x1b]0;title" in plain.stdout or "title" not in plain.stdout


def test_no_diagnostic_has_control_characters(call, on_terminal, tmp_path):
    """Diagnostics are clean in files and pipes, too: they may end up on a terminal as part of a log."""
    name = "\x1b[2J\rno.mlir"
    (tmp_path / name).write_text("func.func @main() { \x1b[31m }")
    for command in (("print", name), ("run", "none\x1b[8m.mlir"), ("compile", name, "-o", "x.so")):
        errors = call(*command).stderr
        assert "\\x1b[" in errors and "\x1b" not in errors and "\r" not in errors, errors
        _, shown = on_terminal(*command)
        assert "\x1b" not in SEQUENCE.sub("", shown) and "\\x1b[" in shown
