"""`list-operators`: its statements on an operation and a type agree with `compile` and `run --interpret`."""
import json
import os
import pathlib
import re
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
TYPES = re.findall(r'^DRUMLIN_ELEMENT_TYPE\(\w+, "([^"]+)"', (ROOT / "drumlin/support/ElementType.def").read_text(), re.MULTILINE)
# The test has its own programs: `list-operators` compiles samples of its own, whose errors would be errors of the list.
UNARY = """func.func @main(%a: tensor<6x$T>) -> tensor<6x$T> {
  %0 = OPERATION %a : tensor<6x$T>
  return %0 : tensor<6x$T>
}
"""
BINARY = UNARY.replace("(%a: tensor<6x$T>)", "(%a: tensor<6x$T>, %b: tensor<6x$T>)").replace("%a :", "%a, %b :")
PROGRAMS = {
    **{f"stablehlo.{name}": UNARY for name in ("negate", "exponential", "not", "popcnt", "sign", "cosine", "round_nearest_even")},
    **{f"stablehlo.{name}": BINARY for name in ("add", "divide", "and", "power", "shift_left", "atan2", "maximum")},
    "stablehlo.compare": """func.func @main(%a: tensor<3x$T>, %b: tensor<3x$T>) -> tensor<3xi1> {
  %0 = stablehlo.compare GE, %a, %b : (tensor<3x$T>, tensor<3x$T>) -> tensor<3xi1>
  return %0 : tensor<3xi1>
}
""",
    "stablehlo.dot_general": """func.func @main(%a: tensor<2x3x$T>, %b: tensor<3x5x$T>) -> tensor<2x5x$T> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<2x3x$T>, tensor<3x5x$T>) -> tensor<2x5x$T>
  return %0 : tensor<2x5x$T>
}
""",
    "stablehlo.bitcast_convert": """func.func @main(%a: tensor<3x$T>) -> tensor<3x$T> {
  %0 = stablehlo.bitcast_convert %a : (tensor<3x$T>) -> tensor<3x$T>
  return %0 : tensor<3x$T>
}
""",
    "stablehlo.transpose": """func.func @main(%a: tensor<2x3x$T>) -> tensor<3x2x$T> {
  %0 = stablehlo.transpose %a, dims = [1, 0] : (tensor<2x3x$T>) -> tensor<3x2x$T>
  return %0 : tensor<3x2x$T>
}
""",
    "chlo.erf": """func.func @main(%a: tensor<3x$T>) -> tensor<3x$T> {
  %0 = chlo.erf %a : tensor<3x$T> -> tensor<3x$T>
  return %0 : tensor<3x$T>
}
""",
}


def listed(call, *arguments):
    result = call("list-operators", "--json", *arguments)
    assert result.returncode == 0 and result.stderr == "", result.stderr
    return {(entry["operation"], entry["type"]): entry for entry in json.loads(result.stdout)}


@pytest.fixture(scope="module")
def table(operators):
    return {(entry["operation"], entry["type"]): entry for entry in operators}


@pytest.fixture(scope="module")
def lines(build_folder):
    """Returns the lines that the command prints without options."""
    return subprocess.run([build_folder / "bin" / "drumlin", "list-operators"], capture_output=True, text=True, check=True, timeout=300).stdout.splitlines()


def test_every_operation_has_a_sample(call, table):
    """The text lists all operations of the dialects; the JSON lists those with samples."""
    named = re.findall(r"^(\S+)$", call("list-operators", "--long").stdout, re.MULTILINE)
    assert len(named) > 150 and set(named) == {operation for operation, _ in table}


def test_every_type_in_order(table):
    assert [kind for operation, kind in table if operation == "stablehlo.add"] == TYPES
    assert len(table) == len(TYPES) * len({operation for operation, _ in table})


def test_what_is_run_is_verified(table):
    for key, entry in table.items():
        assert entry["verified"] or not (entry["interpreted"] or entry["native"]), key
    unknown = {operation for operation, _ in table} - {operation for (operation, _), entry in table.items() if entry["interpreted"]}
    assert unknown == {"stablehlo.custom_call"}  # calls foreign code
    for kind in ("f32", "bf16", "i32", "i8"):
        for operation in ("add", "transpose", "reduce", "dot_general", "gather", "sort", "while"):
            assert table[f"stablehlo.{operation}", kind]["native"], (operation, kind)


@pytest.mark.parametrize("operation", PROGRAMS)
def test_commands_do_what_is_listed(call, table, tmp_path, operation):
    kinds = TYPES[::3] + ["f32", "f8E4M3FN", "complex<f32>"]
    for kind in dict.fromkeys(kinds):
        (tmp_path / "p.mlir").write_text(PROGRAMS[operation].replace("OPERATION", operation).replace("$T", kind))
        entry = table[operation, kind]
        interpreted = call("run", "p.mlir", "--input", "zeros", "--interpret").returncode
        compiled = call("compile", "p.mlir", "-o", "p.so").returncode
        assert (interpreted == 0) == entry["interpreted"], (kind, interpreted)
        assert (compiled == 0) == entry["native"], (kind, compiled)
        # Status 4 means an unsupported program, status 3 an invalid program.
        assert {interpreted, compiled} <= ({0, 4} if entry["verified"] else {3, 4}), (kind, interpreted, compiled)


def test_refusals_and_restrictions(call, table, tmp_path):
    """Each entry that isn't native gives the command's reason; only native entries have restrictions."""
    for key, entry in table.items():
        assert entry["native"] or re.match(r"D\d{4}: ", entry["refusal"]), key
        assert entry["native"] or not entry["restrictions"], key
    assert "sizes known only at run time" in table["stablehlo.dynamic_pad", "f32"]["restrictions"]
    assert table["stablehlo.add", "f32"]["restrictions"] == []
    assert "several operands" not in table["stablehlo.sort", "f32"]["restrictions"]
    # Every operation that the interpreter supports also has native code, for the same types.
    assert [key for key, entry in table.items() if entry["interpreted"] and not entry["native"]] == []
    (tmp_path / "p.mlir").write_text('func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {\n  %r = "chlo._asin_acos_kernel"(%a) : (tensor<4xf32>) -> tensor<4xf32>\n'
                                     "  return %r : tensor<4xf32>\n}\n")
    assert table["chlo._asin_acos_kernel", "f32"]["refusal"] in call("compile", "p.mlir", "-o", "p.so").stderr.replace("error ", "")


def test_filter(call):
    assert {operation for operation, _ in listed(call, "^stablehlo.add$")} == {"stablehlo.add"}
    result = call("list-operators", "(")
    assert result.returncode == 2 and "is no regular expression" in result.stderr


def test_each_type_by_its_name(call):
    lines = call("list-operators", "--long", "^stablehlo.and$").stdout.splitlines()
    assert lines[0] == "stablehlo.and" and lines[1].split() == ["verified:", *TYPES[:13]]
    assert [line.split()[0] for line in lines[1:4]] == ["verified:", "interpreted:", "native:"]
    # The types that the verifier refuses, by reason.
    refused = {reason: types.split() for types, reason in (line.removeprefix("  refused:").strip().split(": ", 1) for line in lines[4:])}
    assert sorted(sum(refused.values(), [])) == sorted(set(TYPES) - set(TYPES[:13]))
    assert call("list-operators", "--long", "--json").returncode == 2


GROUPS = {"i1": TYPES[:1], "integers": [each for each in TYPES if re.match(r"u?i(?!1$)\d", each)],
          "floats": [each for each in TYPES if re.match(r"f\d|bf16", each)], "complex": [each for each in TYPES if each.startswith("complex")]}


def types_of(words):
    """Returns the types that a column of the abbreviated list stands for."""
    if words in ("all", "none"):
        return set(TYPES if words == "all" else [])
    found = set()
    for part in words.split(", "):
        group, _, missing = part.partition(" but ")
        assert set(missing.split()) <= set(GROUPS.get(group, []))
        found |= set(GROUPS[group] if group in GROUPS else group.split()) - set(missing.split())
    return found


def test_an_operation_is_a_line_that_says_the_same(lines, table):
    assert sorted(sum(GROUPS.values(), [])) == sorted(TYPES)
    header, *lines = lines
    assert re.split(r" {2,}", header) == ["operation", "verified", "interpreted", "native", "not native"]
    assert len(lines) * len(TYPES) == len(table)
    for line in lines:
        operation, verified, interpreted, native, *restrictions = re.split(r" {2,}", line)
        listed = {each for kind in TYPES for each in table[operation, kind]["restrictions"]}
        assert {each.partition(":")[0] for each in (restrictions or [""])[0].split("; ")} - {""} == listed, line
        for column, words in (("verified", verified), ("interpreted", interpreted), ("native", native)):
            said = types_of(verified if words == "these" else words)
            assert said == {each for each in TYPES if table[operation, each][column]}, (line, column)


def test_the_page_shows_what_is_printed(call):
    page = (ROOT / "docs/cli.md").read_text().split("$ drumlin list-operators 'stablehlo.(sort|tanh)$'\n")[1].split("\n\n")[0]
    assert re.sub(r"^    ", "", page, flags=re.M) + "\n" == call("list-operators", "stablehlo.(sort|tanh)$").stdout


def test_names_of_xla(call, lines, table):
    """Each operation with an HLO instruction is listed under the instruction's name, with the same statements."""
    opcodes = {operation: entry["hlo"] for (operation, _), entry in table.items() if "hlo" in entry}
    assert opcodes["stablehlo.shift_left"] == "shift-left" and "stablehlo.einsum" not in opcodes and "stablehlo.uniform_quantize" not in opcodes
    own = dict(re.split(r" {2,}", line, maxsplit=1) for line in lines[1:])
    shown = [re.split(r" {2,}", line, maxsplit=1) for line in call("list-operators", "--names", "xla").stdout.splitlines()[1:]]
    assert len(shown) == len(opcodes) and [name for name, _ in shown] == sorted(name for name, _ in shown)
    for name, rest in shown:
        opcode, _, operation = name.removesuffix(")").partition(" (")
        operations = [each for each, other in opcodes.items() if other == opcode]
        assert operation in operations if operation else len(operations) == 1, name
        assert rest.split() == own[operation or operations[0]].split()
    assert "dot (stablehlo.dot_general)" in dict(shown)
    assert call("list-operators", "--names", "xla", "^shift-left$").stdout.splitlines()[1].startswith("shift-left ")
