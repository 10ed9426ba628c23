"""`list-operators --target`: agrees with documents on tensor engines, with libraries' GEMMs on GPUs, and with plans."""
import json
import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
TABLE = (ROOT / "drumlin/target/EngineOperators.def").read_text()
TYPES = re.findall(r'^DRUMLIN_ELEMENT_TYPE\(\w+, "([^"]+)"', (ROOT / "drumlin/support/ElementType.def").read_text(), re.MULTILINE)
ENGINES = ["inf2", "trn1", "trn1n", "trn2"]
GPUS = ["sm_89", "sm_90", "sm_100", "gfx942", "gfx950"]
STATES = {"listed", "described", "refused", "not listed", "not in HLO"}


TOLD = {}


def told(call, *arguments):
    """Returns the command's JSON, cached: it compiles a program for each type of each operation."""
    if arguments not in TOLD:
        result = call("list-operators", "--json", *arguments)
        assert result.returncode == 0 and result.stderr == "", result.stderr
        TOLD[arguments] = json.loads(result.stdout)
    return TOLD[arguments]


def instructions():
    """Returns the HLO instructions that have a row in the tensor engines' table."""
    single = re.findall(r'^ENGINE_(?:LISTED|DESCRIBED|REFUSED)\("([^"]+)"', TABLE, re.M) + re.findall(r'^ENGINE_RESTRICTION\(\w+, "([^"]+)"', TABLE, re.M)
    several = re.findall(r'^ENGINE_TYPES\(\w+,\s*((?:"[^"]*"\s*)+),', TABLE, re.M)
    return set(single) | set(" ".join("".join(re.findall(r'"([^"]*)"', each)) for each in several).split())


def test_every_target_is_listed_here(call):
    names = json.loads(call("targets", "--json").stdout)
    assert names["tensor engines"] == ENGINES and names["GPUs"] == GPUS


def test_rows_and_operations_map_both_ways(call):
    """For each row's HLO instruction, there is an operation that is lowered to it. Operations whose instruction has no row are `not listed`."""
    operations = told(call, "--target", "inf2")["operations"]
    known = {each["hlo"] for each in operations if "hlo" in each}
    assert len(instructions()) > 70 and instructions() <= known
    for each in operations:
        if "hlo" in each:
            assert (each["published"] == "not listed") == (each["hlo"] not in instructions()), each["operation"]
        else:
            assert each["published"] == "not in HLO"


@pytest.mark.slow
@pytest.mark.parametrize("target", ENGINES)
def test_what_an_engine_says(call, target):
    report = told(call, "--target", target)
    assert report["target"] == target and report["for"] == "plans and costs"
    assert report["generation"] == ("NeuronCore-v3" if target == "trn2" else "NeuronCore-v2")
    titles = {page["title"] for page in report["pages"]}
    native = {(entry["operation"], entry["type"]): entry["native"] for entry in told(call)}
    states = set()
    for each in report["operations"]:
        states.add(each["published"])
        if each["published"] == "not in HLO":
            continue
        assert bool(each["listed_as"]) == (each["published"] == "listed")
        for note in each["restrictions"] + ([each["basis"]] if "basis" in each else []):
            assert note["page"] in titles
        assert [kind["type"] for kind in each["types"]] == TYPES
        taken = each["published"] in ("listed", "described")
        for kind in each["types"]:
            assert kind["native"] == native[each["operation"], kind["type"]]
            assert kind["answer"] in ({"taken", "converted", "refused", "not named"} if taken else {each["published"]})
    assert states == STATES


@pytest.mark.parametrize("target", ENGINES)
def test_the_forms_say_the_same(call, target):
    report = {each["operation"]: each for each in told(call, "--target", target)["operations"]}
    short = call("list-operators", "--target", target).stdout.splitlines()
    header = next(i for i, line in enumerate(short) if line.startswith("operation "))
    end = short.index("pages of the AWS Neuron documentation:")
    assert end - header - 1 == len(report)
    for line in short[header + 1:end]:
        operation, state, *notes = re.split(r" {2,}", line)
        assert state == report[operation]["published"]
        for note in report[operation].get("restrictions", []):
            assert note["text"] in notes[0]
    words = call("list-operators", "--target", target, "--long", "stablehlo.(dot_general|cholesky)$").stdout
    for kind in report["stablehlo.dot_general"]["types"]:
        assert re.search(rf"^  {kind['answer']}:.* {re.escape(kind['type'])}( |$)", words, re.M), kind
    assert "stablehlo.cholesky\n  published: not listed\n" in words
    assert re.search(r"^  here, for CPUs: .* f32", words, re.M)


def test_names_and_expression(call):
    lines = call("list-operators", "--target", "trn1", "--names", "xla", "^(shift-right-arithmetic|power)$").stdout.splitlines()
    rows = [line.split()[0:2] for line in lines if line.startswith(("power", "shift"))]
    assert rows == [["power", "listed"], ["shift-right-arithmetic", "described"]]


@pytest.mark.parametrize("target", GPUS)
def test_what_a_library_multiplies(call, target):
    report = told(call, "--target", target, "(dot|add|convolution)$")
    calls = {each["operation"]: each["library_call"] for each in report["operations"]}
    assert calls["stablehlo.dot"] and not calls["stablehlo.add"] and not calls["stablehlo.convolution"]
    product = next(each for each in report["operations"] if each["library_call"])
    types = {each["type"]: each for each in product["types"]}
    assert "bf16" in types["bf16"]["results"] and product["epilogues"]
    narrow = "f8E4M3FNUZ" if target == "gfx942" else "f8E4M3FN"
    assert narrow in types and set(types) <= set(TYPES)
    text = call("list-operators", "--target", target, "(dot|add)$").stdout
    assert f"{target}: products as calls of {report['library']}" in text and re.search(r"^stablehlo.add +no call", text, re.M)
    for each in product["types"]:
        assert f"  {each['type']} by {' '.join(each['rhs'])} to {' '.join(each['results'])}" in text


@pytest.mark.parametrize("target,element,is_call", [("sm_90", "bf16", True), ("sm_90", "f8E4M3FNUZ", False), ("gfx942", "f8E4M3FNUZ", True)])
def test_plans_call_what_is_listed(call, tmp_path, target, element, is_call):
    (tmp_path / "dot.mlir").write_text(f"""func.func @main(%a: tensor<16x16x{element}>, %b: tensor<16x16x{element}>) -> tensor<16x16xf32> {{
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [1] : (tensor<16x16x{element}>, tensor<16x16x{element}>) -> tensor<16x16xf32>
  return %0 : tensor<16x16xf32>
}}
""")
    listed = {each["type"]: each for each in told(call, "--target", target, "stablehlo.dot_general")["operations"][0]["types"]}
    assert ("f32" in listed.get(element, {}).get("results", [])) == is_call
    assert f"{int(is_call)} of them calls" in call("plan", "dot.mlir", "--target", target).stdout


@pytest.mark.parametrize("options,code,hint", [
    (("--target", "trn9"), "D3001", "`drumlin targets` lists"), (("--target", "avx2"), "D3001", "pass it as `--target-cpu`"),
    (("--target", "inf2", "--target-cpu", "avx2"), "D3018", "leave it out"), (("--target", "sm_90", "--target-cpu", "avx2"), "D3018", "leave it out")])
def test_wrong_targets(call, options, code, hint):
    result = call("list-operators", *options)
    assert result.returncode == 2 and not result.stdout and f"error {code}: " in result.stderr and hint in result.stderr


PLANNED = """func.func @main(%a: tensor<8x8xbf16>, %q: tensor<8xf8E4M3FN>, %i: tensor<i32>, %j: tensor<4xi64>) -> (tensor<8x8xbf16>, tensor<8xf32>, tensor<4x8xbf16>, tensor<4xi64>) {
  %0 = stablehlo.cbrt %a : tensor<8x8xbf16>
  %1 = stablehlo.add %a, %0 : tensor<8x8xbf16>
  %2 = stablehlo.cbrt %1 : tensor<8x8xbf16>
  %3 = stablehlo.convert %q : (tensor<8xf8E4M3FN>) -> tensor<8xf32>
  %4 = stablehlo.reduce_precision %3, format = e5m2 : tensor<8xf32>
  %5 = stablehlo.slice %a [0:4, 0:8] : (tensor<8x8xbf16>) -> tensor<4x8xbf16>
  %6 = stablehlo.dynamic_update_slice %2, %5, %i, %i : (tensor<8x8xbf16>, tensor<4x8xbf16>, tensor<i32>, tensor<i32>) -> tensor<8x8xbf16>
  %7 = stablehlo.add %j, %j : tensor<4xi64>
  return %6, %4, %5, %7 : tensor<8x8xbf16>, tensor<8xf32>, tensor<4x8xbf16>, tensor<4xi64>
}
"""


@pytest.mark.parametrize("command", ["plan", "cost"])
def test_plans_say_what_is_not_taken(call, tmp_path, command):
    (tmp_path / "p.mlir").write_text(PLANNED)
    text = call(command, "p.mlir", "--target", "trn1").stdout
    lines = [line.removeprefix("not taken by the vendor's documents: ") for line in text.splitlines() if line.startswith("not taken")]
    assert lines == ["p.mlir:2:8: stablehlo.cbrt and 1 more: not listed",
                     "p.mlir:5:8: stablehlo.convert: f8E4M3FN refused, NCC_EVRF051: f8E4M3 is another type, with infinities",
                     "p.mlir:6:8: stablehlo.reduce_precision: `jax.lax.reduce_precision` is refused",
                     "p.mlir:8:8: stablehlo.dynamic_update_slice: start indices are constant: that of dimension 0 is computed"]
    assert "taken with a loss: p.mlir:9:8: stablehlo.add: i64 to 32 bits: the higher bits are lost\n" in text
    report = json.loads(call(command, "p.mlir", "--target", "trn1", "--json").stdout)
    assert [(each["operation"], each["count"]) for each in report["not_taken"]] == [
        ("stablehlo.cbrt", 2), ("stablehlo.convert", 1), ("stablehlo.reduce_precision", 1), ("stablehlo.dynamic_update_slice", 1)]
    assert [each["operation"] for each in report["loses"]] == ["stablehlo.add"] and report["may_fail"] == []


def test_plans_of_what_is_taken_say_nothing(call, add):
    text = call("plan", add, "--target", "inf2").stdout
    assert "taken" not in text
