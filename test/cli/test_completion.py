"""`completion`: real shells run its scripts, and offer the words that commands accept."""
import json
import os
import pathlib
import pty
import re
import select
import shutil
import subprocess
import time

import pytest

# Calls bash's completion function as bash does: with the words and the index of the word under the cursor.
ASK = 'source drumlin.bash; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _drumlin; printf "%s\\n" "${COMPREPLY[@]}"'


@pytest.fixture
def script(call, tmp_path):
    def write(shell):
        result = call("completion", shell)
        assert result.returncode == 0 and result.stderr == ""
        (tmp_path / f"drumlin.{shell}").write_text(result.stdout)
        return tmp_path / f"drumlin.{shell}"
    return write


@pytest.fixture
def offered(script, tmp_path):
    """Fixture offered(*words): returns what bash offers to complete the last word."""
    script("bash")

    def ask(*words):
        result = subprocess.run(["bash", "--norc", "-c", ASK, "bash", "drumlin", *words], capture_output=True, text=True, cwd=tmp_path, timeout=60)
        assert result.returncode == 0 and result.stderr == "", result.stderr
        return sorted(result.stdout.split("\n")[:-1]) if result.stdout.strip() else []
    return ask


def commands(call):
    return re.findall(r"^  ([a-z][a-z-]+) ", call("--help").stdout.split("ubcommands:")[1], re.MULTILINE)


def options(call, command):
    found = set()
    for line in call(command, "--help").stdout.splitlines():
        if line.startswith("  -"):
            found |= set(re.findall(r"(?<![\w-])--?[A-Za-z][a-z-]*", line.split("  ")[1]))
    return found


def test_every_command_and_option(call, offered):
    assert offered("") == sorted(commands(call))
    assert offered("comp") == ["compile", "completion"]
    assert offered("--v") == ["--version"]
    for command in commands(call):
        assert set(offered(command, "-")) == options(call, command) | {"--color"}, command


def test_values(call, offered, tmp_path):
    (tmp_path / "a model.mlir").write_text("")
    (tmp_path / "folder").mkdir()
    names = json.loads(call("targets", "--json").stdout)
    assert offered("compile", "--numerics", "") == ["contract", "default", "flush-products", "reassociate", "strict"]
    assert offered("run", "--tune", "=", "o") == ["off", "on"] and offered("run", "--tune", "=") == ["off", "on", "require"]
    assert offered("plan", "--target", "tr") == ["trn1", "trn1n", "trn2"]
    assert set(offered("compile", "--target-cpu", "")) == set(names["CPUs"])
    assert set(offered("targets", "")) == {name for each in names.values() for name in each}
    assert offered("compile", "--stop-after", "s") == ["schedule", "select", "simplify"]
    assert "cse" in offered("compile", "--disable-pass", "")
    assert offered("compile", "a") == ["a model.mlir"] and offered("diff", "x", "f") == ["folder"]
    assert offered("compile", "--dump-phases", "") == ["folder"]
    assert offered("run", "--input", "z") == ["zeros"] and "a model.mlir" in offered("run", "x", "--input", "")
    assert offered("run", "--threads", "") == [] and offered("completion", "") == ["bash", "fish", "zsh"]
    assert offered("no-such-command", "") == []


def test_the_words_of_the_table_are_taken(call, add, offered):
    """Each value that is offered for an option is accepted by a command, and no other value is."""
    rows = json.loads(call("list-options", "--json").stdout)
    ways = {"--numerics": ("plan", add), "--tune": ("compile", add, "-o", "x.so", "--tune-record", "record"), "--emit": ("convert", add, "-o", "x"),
            "--layout": ("plan", add, "--target", "trn2"), "--stop-after": ("compile", add, "-o", "x.mlir"), "--disable-pass": ("plan", add)}
    for option, (command, *words) in ways.items():
        row = next(row for row in rows if row["command"] == command and row["name"].split(", ")[0] == option)
        offers = offered(command, option, "")
        assert offers and (set(row["values"]) == set(offers) or row["type"] in ("text", "file")), option
        for word in offers:
            result = call(command, *words, option, word)
            assert result.returncode != 2 or "D3022" in result.stderr, (option, word, result.stderr)
        assert call(command, *words, option, "nonsense").returncode == 2, option


def test_another_shell_is_refused(call):
    result = call("completion", "tcsh")
    assert result.returncode == 2 and "shell" in result.stderr and result.stdout == ""


@pytest.mark.skipif(not shutil.which("fish"), reason="needs fish")
def test_fish(script, tmp_path, call):
    path = script("fish")

    def ask(line):
        result = subprocess.run(["fish", "--no-config", "-c", f"source {path}; complete -C '{line}'"], capture_output=True, text=True, cwd=tmp_path,
                                env={**os.environ, "HOME": str(tmp_path)}, timeout=60)
        assert result.returncode == 0 and result.stderr == ""
        return sorted(line.split("\t")[0] for line in result.stdout.splitlines())
    (tmp_path / "model.mlir").write_text("")
    assert ask("drumlin ") == sorted(commands(call))
    assert ask("drumlin compile --numerics ") == ["contract", "default", "flush-products", "reassociate", "strict"]
    assert ask("drumlin plan --target tr") == ["trn1", "trn1n", "trn2"]
    assert "model.mlir" in ask("drumlin compile mo") and ask("drumlin run --thr") == ["--threads"]


@pytest.mark.skipif(not shutil.which("zsh"), reason="needs zsh")
def test_zsh(script, tmp_path):
    path = script("zsh")
    process, terminal = pty.fork()
    if process == 0:
        os.chdir(tmp_path)
        os.execvpe("zsh", ["zsh", "-f", "-i"], {**os.environ, "TERM": "dumb", "PS1": "> ", "HOME": str(tmp_path)})
    seen = b""

    def until(text, keys=b""):
        nonlocal seen
        os.write(terminal, keys)
        end = time.monotonic() + 30
        while text not in seen and time.monotonic() < end:
            if select.select([terminal], [], [], 0.2)[0]:
                seen += os.read(terminal, 4096)
        assert text in seen, seen
        seen = b""
    try:
        until(b"ready-2", f"autoload -Uz compinit; compinit -u; source {path}; echo ready-$((1+1))\n".encode())
        until(b"drumlin completion ", b"drumlin complet\t")
        until(b"bash", b"b\t")
        until(b"strict", b"\x15drumlin compile --numer\ts\t")
        until(b"zeros", b"\x15drumlin run drum\t --input=ze\t")
    finally:
        os.write(terminal, b"\x15exit\n")
        os.close(terminal)
        os.waitpid(process, 0)
