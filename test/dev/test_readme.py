"""Compares README.md's claims about the program with its tables."""
import fnmatch
import pathlib
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text()


def operations(operators, which):
    """Returns the names of the operations that are interpreted, or have native code, for no type. `which` is `interpreted` or `native`."""
    names = {each["operation"] for each in operators}
    some = {each["operation"] for each in operators if each[which]}
    return {name.split(".", 1)[1] for name in names - some}


def test_operations_without_native_code_are_those_that_it_names(operators):
    bullet = README.split("- **Operations that are read but have no native code**")[1].split("The interpreter")[0]
    patterns = {name.removeprefix("chlo.") for name in re.findall(r"`([a-z_][\w.*]*)`", bullet)}
    without = operations(operators, "native")
    assert {name for name in without if not any(fnmatch.fnmatch(name, pattern) for pattern in patterns)} == set()
    assert {pattern for pattern in patterns if not fnmatch.filter(without, pattern)} == set()
    named = {name for pattern in patterns for name in fnmatch.filter({each["operation"].split(".", 1)[1] for each in operators}, pattern)}
    assert named <= without


def test_operations_that_the_interpreter_lacks_are_those_that_it_names(operators):
    sentence = re.search(r"The interpreter\s+lacks\s+(.*?)\.\s", README, re.DOTALL)[1]
    assert {name.removeprefix("chlo.") for name in re.findall("`(.*?)`", sentence)} == operations(operators, "interpreted")


def test_types_with_native_code_are_those_that_it_names(operators):
    sentence = re.search(r"- Element types: (.*?)\.\n", README, re.DOTALL)[1]
    assert "i1, integers of 2 to 64 bits" in sentence and "complex numbers" in sentence
    computed = {each["type"] for each in operators if each["native"] and each["operation"] == "stablehlo.add"}
    assert {each["type"] for each in operators} == computed


def test_models_are_counted(build_folder):
    folders = [path for path in (ROOT / "test" / "models").iterdir() if (path / "program.mlir").exists()]
    assert f"The {len(folders)}\n  programs in `test/models`" in README


def test_targets_are_counted(build_folder):
    printed = subprocess.run([build_folder / "bin" / "drumlin", "targets"], capture_output=True, text=True, check=True).stdout
    numbers = {4: "four", 5: "five"}
    listed = {line.split(",")[0]: len(line.split(": ")[1].split()) for line in printed.splitlines()}
    assert f"for {numbers[listed['GPUs']]} GPUs" in README
    assert f"the tensor engines of {numbers[listed['tensor engines']]} accelerators" in README


def test_pages_are_all_linked():
    assert {f"docs/{path.name}" for path in (ROOT / "docs").glob("*.md")} <= set(re.findall(r"\]\((docs/[\w-]+\.md)", README))
