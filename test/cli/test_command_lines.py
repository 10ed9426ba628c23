"""Invalid command lines: an error code, the offending word, and a suggestion."""
import json
import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
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
    ("compile add.mlir -o x -O4", "--optimization-level: error D3023: `4` is none of 0, 1, 2, 3", "see `drumlin compile --help`"),
    ("compile add.mlir -o x --optlevel 2", "--optlevel: error D3023: `compile` has no such option", "an option of neuronx-cc; here: `-O LEVEL`"),
    ("compile add.mlir -o x --lnc 2", "--lnc: error D3023: `compile` has no such option", "an option of neuronx-cc; here: no counterpart: "),
    ("compile add.mlir -o x --xla_dump_to=/tmp/x", "`compile` has no such option", "an option of XLA; here: `--dump-phases FOLDER`"),
    ("compile add.mlir -o x --xla_gpu_no_such_option=1", "`compile` has no such option", "see `drumlin compile --help`"),
    ("compile add.mlir -o x --iree-hal-target-backends=llvm-cpu", "`compile` has no such option", "an option of iree-compile; here: `--target`"),
    ("compile add.mlir -o x --num-parallel-jobs two", "--num-parallel-jobs: error D3023: `two` is not a number", "see `drumlin compile --help`"),
    ("compile add.mlir -o x --memory-budget lots", "--memory-budget: error D3023: `lots` isn't a number of bytes, such as 4096, 500MB or 2GiB", "see `drumlin compile --help`"),
    ("compile add.mlir -o", "--output: error D3023: its value is missing: FILE", "see `drumlin compile --help`"),
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


@pytest.mark.parametrize("words, message, hint", [
    ("dot_generl", "operation: error D3007: no operation's name matches `dot_generl`", "did you mean `dot_general`?"),
    ("nothing_like_this", "operation: error D3007: no operation's name matches `nothing_like_this`", "see `drumlin list-operators` for all names"),
    ("expoential --names xla", "operation: error D3007: no operation's name matches `expoential`", "did you mean `exponential`?")])
def test_no_operation(call, words, message, hint):
    done = call("list-operators", *words.split())
    assert done.returncode == 2 and done.stdout == ""
    assert message in done.stderr and f"hint: {hint}" in done.stderr, done.stderr


XLA = re.findall(r"^XLA_OPTION\((\w+),", (ROOT / "drumlin/pjrt/XlaOptions.def").read_text(), re.MULTILINE)
IREE = re.findall(r"IREE_OPTION\(\"([^\"]+)\"\)", (ROOT / "tools/commands/IreeOptions.def").read_text())
OTHERS = re.findall(r"^OTHER_OPTION\((\w+), \"([^\"]+)\", \"([^\"]+)\"\)", (ROOT / "tools/commands/OtherOptions.def").read_text(), re.MULTILINE)


def test_options_of_other_compilers(call):
    """The hint for another compiler's option comes from the table row with the longest prefix of that option. Every row is used, and the
    Drumlin options that a row names exist."""
    ours = {name for row in json.loads(call("list-options", "--json").stdout) for name in row["name"].split(", ")}
    names = {"Xla": [f"--{name}" for name in XLA], "Iree": [f"--{name}" for name in IREE],
             "Neuron": [beginning for compiler, beginning, _ in OTHERS if compiler == "Neuron"]}
    used = set()
    for compiler, options in names.items():
        rows = [(beginning, answer) for of, beginning, answer in OTHERS if of == compiler]
        for option in options:
            answers = [row for row in rows if option.startswith(row[0])]
            assert answers, option
            used.add(max(answers, key=lambda row: len(row[0]))[0])
    assert used == {beginning for _, beginning, _ in OTHERS}
    for _, beginning, answer in OTHERS:
        for name in re.findall(r"`(--?[\w-]+)", answer):
            assert name in ours or name[:2] in ours, (beginning, name)
    for option in (*names["Neuron"], *names["Xla"][::40], *names["Iree"][::40]):
        done = call("compile", "add.mlir", "-o", "x", option)
        assert done.returncode == 2 and "hint: " in done.stderr
        assert "; here: " in done.stderr or option.lstrip("-") in [name.lstrip("-") for name in ours], done.stderr


def test_each_option_is_found_without_one_letter(call):
    """For every command, an option with one letter missing suggests the complete option, or another option that is at least as similar."""
    for row in json.loads(call("list-options", "--json").stdout):
        names = [name for name in row["name"].split(", ") if name.startswith("--") and len(name) > 6]
        for name in names:
            done = call(row["command"], name[:4] + name[5:])
            assert done.returncode == 2 and re.search("hint: did you mean `--[a-z-]+`", done.stderr), (name, done.stderr)
