"""Command lines that don't parse: a code, what is wrong with which word, and what was probably meant."""
import json
import re

import pytest

WRONG = [
    ("", "no command is given", "see `drumlin --help`"),
    ("compil add.mlir -o x", "compil: error D3023: no such command", "did you mean `compile`?"),
    ("nothing", "nothing: error D3023: no such command", "see `drumlin --help`"),
    ("compile", "program is required", "see `drumlin compile --help`"),
    ("compile add.mlir", "--output is required", "see `drumlin compile --help`"),
    ("compile add.mlir -o x --targets trn1", "--targets: error D3023: `compile` has no such option", "did you mean `--target`?"),
    ("compile add.mlir -o x --optimisation-level=2", "--optimisation-level=2: error D3023: `compile` has no such option", "did you mean `--optimization-level`?"),
    ("compile add.mlir --outputs x", "--outputs: error D3023: `compile` has no such option", "did you mean `--output`?"),
    ("compile add.mlir -o x --helf", "--helf: error D3023: `compile` has no such option", "did you mean `--help`?"),
    ("compile add.mlir add.mlir -o x", "add.mlir: error D3023: `compile` takes no further argument", "see `drumlin compile --help`"),
    ("compile add.mlir -o x --auto-cast matmul", "--auto-cast: error D3023: `matmul` is none of none, matmult, all", "did you mean `matmult`?"),
    ("compile add.mlir -o x --model-type unet", "`unet` is none of generic, transformer, unet-inference", "did you mean `unet-inference`?"),
    ("compile add.mlir -o x -O4", "--optimization-level: error D3023: `4` is none of 0, 1, 2, 3", ""),
    ("compile add.mlir -o x --num-parallel-jobs two", "--num-parallel-jobs: error D3023: `two` is not a number", "see `drumlin compile --help`"),
    ("compile add.mlir -o x --memory-budget lots", "--memory-budget: error D3023: lots unit not recognized", "see `drumlin compile --help`"),
    ("compile add.mlir -o", "--output: error D3023: 1 required FILE missing", "see `drumlin compile --help`"),
    ("print add.mlir --only x --around y", "--only excludes --around", "see `drumlin print --help`"),
    ("run add.mlir --rtol 1 --rtol 2", "--rtol: error D3023: At Most 1 required but received 2", "see `drumlin run --help`"),
]


@pytest.mark.parametrize("words, message, hint", WRONG, ids=[words or "nothing given" for words, _, _ in WRONG])
def test_wrong(call, add, words, message, hint):
    done = call(*words.split())
    assert done.returncode == 2 and done.stdout == ""
    lines = done.stderr.splitlines()
    assert len(lines) == 2 and "error D3023: " in lines[0] and message in lines[0], done.stderr
    assert lines[1].startswith("  hint: ") and hint in lines[1], done.stderr


def test_each_option_is_found_without_one_letter(call):
    """Of every command; those that without it are another option's name, or are nearer to one, name that."""
    for row in json.loads(call("list-options", "--json").stdout):
        names = [name for name in row["name"].split(", ") if name.startswith("--") and len(name) > 6]
        for name in names:
            done = call(row["command"], name[:4] + name[5:])
            assert done.returncode == 2 and re.search("hint: did you mean `--[a-z-]+`", done.stderr), (name, done.stderr)
