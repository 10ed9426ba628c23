"""Tests of the installed package. test_package.py runs this file in an environment with only the package, numpy and pytest, and reports the
result of each test."""
import concurrent.futures
import importlib.metadata
import pathlib
import subprocess
import sys
import warnings

import drumlin
import ml_dtypes
import numpy as np
import pytest

HERE = pathlib.Path(__file__).parent
MODELS = HERE.parent / "models"
ADD = """module @add {
  func.func public @main(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
    %0 = stablehlo.add %a, %b : tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}
"""
FP8 = (HERE / "fp8_dot.hlo").read_text()


def test_version():
    assert drumlin.__version__ == importlib.metadata.version("drumlin")
    assert (pathlib.Path(drumlin.__file__).parent / "py.typed").exists()


def test_stubs():
    stub = (pathlib.Path(drumlin.__file__).parent / "_hlo.pyi").read_text()
    assert "def parse(text: str, name: str = '<text>') -> Module" in stub and "def users(self) -> list[Instruction]" in stub
    assert "def insert(self, text: str, *, before: Instruction | None = None, after: Instruction | None = None) -> Instruction" in stub
    assert "def shape(self, value: Shape | str, /) -> None" in stub and "def sharding(self) -> drumlin.hlo.Word | None" in stub


@pytest.mark.parametrize("program", [ADD, ADD.encode(), bytearray(ADD.encode())], ids=["text", "bytes", "bytearray"])
def test_compile(program):
    add = drumlin.compile(program, numerics="strict", no_cache=True, disable_pass=["cse", "fold-constants"], threads=1)
    assert add.name == "program" and [value.type for value in add.arguments] == ["f32", "f32"]
    np.testing.assert_array_equal(add(np.arange(4, dtype=np.float32), np.ones(4, np.float32)), [1, 2, 3, 4])


def test_compile_a_file_to_an_image(tmp_path):
    path = tmp_path / "add.mlir"
    path.write_text(ADD)
    drumlin.compile(path, output=tmp_path / "add.so")
    loaded = drumlin.load(tmp_path / "add.so")
    assert loaded.name == "add" and loaded(np.ones(4, np.float32), np.ones(4, np.float32)).tolist() == [2, 2, 2, 2]
    assert "plan.launch @loop_0" in drumlin.plan(tmp_path / "add.so", text=True)


def test_weights_are_checked_where_that_is_asked_for(tmp_path):
    path = tmp_path / "add.mlir"
    path.write_text(ADD.replace("%b: tensor<4xf32>", '%b: tensor<4xf32> loc("w")'))
    np.savez(tmp_path / "weights.npz", w=np.ones(4, np.float32))
    drumlin.compile(path, output=tmp_path / "add.so", weights=tmp_path / "weights.npz")
    side = tmp_path / "add.so.weights"
    side.rename(tmp_path / "elsewhere")
    assert drumlin.load(tmp_path / "add.so", weights=tmp_path / "elsewhere", check_weights=True)(np.ones(4, np.float32)).tolist() == [2] * 4
    changed = bytearray((tmp_path / "elsewhere").read_bytes())
    changed[-1] ^= 1
    side.write_bytes(changed)
    assert drumlin.load(tmp_path / "add.so")(np.ones(4, np.float32)).tolist() != [2] * 4
    with pytest.raises(drumlin.Error, match="was changed since it was written"):
        drumlin.load(tmp_path / "add.so", check_weights=True)


@pytest.mark.parametrize("name", ["fp8_scaled_matmul_amax", "sample_tokens", "gqa_attention_bf16"])
def test_types_of_ml_dtypes(name):
    program = drumlin.compile(MODELS / name / "program.mlir")
    arrays = np.load(MODELS / name / "inputs.npz")
    expected = np.load(MODELS / name / "expected.npz")
    types = [drumlin.program.dtype_of(value.type) for value in program.arguments]
    results = program(*(arrays[f"in{i}"].view(kind) for i, kind in enumerate(types)))
    for number, result in enumerate(results if isinstance(results, tuple) else [results]):
        wanted = expected[f"out{number}"].view(result.dtype)
        np.testing.assert_allclose(result.astype(np.float64), wanted.astype(np.float64), rtol=0.13, atol=1e-2)


@pytest.mark.parametrize("name", ["int2", "int4", "uint2", "uint4"])
def test_integers_narrower_than_a_byte(name):
    """numpy leaves the bits above narrow integers zero, even for negative ones; other producers extend the sign."""
    dtype, kind = np.dtype(getattr(ml_dtypes, name)), name.replace("uint", "ui").replace("int", "i")
    info = ml_dtypes.iinfo(dtype)
    wide = np.random.default_rng(1).integers(int(info.min), int(info.max) + 1, (9, 40)).astype(np.int8)
    array = wide.astype(dtype)
    assert name.startswith("u") or array.view(np.uint8).max() < 16
    text = f"""func.func @main(%a: tensor<9x40x{kind}>) -> (tensor<9x40xf32>, tensor<9x9xi32>, tensor<9x40x{kind}>, tensor<9x40xi1>) {{
  %0 = stablehlo.convert %a : (tensor<9x40x{kind}>) -> tensor<9x40xf32>
  %1 = stablehlo.dot_general %a, %a, contracting_dims = [1] x [1] : (tensor<9x40x{kind}>, tensor<9x40x{kind}>) -> tensor<9x9xi32>
  %2 = "stablehlo.sort"(%a) ({{
  ^bb0(%x: tensor<{kind}>, %y: tensor<{kind}>):
    %less = stablehlo.compare LT, %x, %y : (tensor<{kind}>, tensor<{kind}>) -> tensor<i1>
    stablehlo.return %less : tensor<i1>
  }}) {{dimension = 1 : i64}} : (tensor<9x40x{kind}>) -> tensor<9x40x{kind}>
  %one = stablehlo.constant dense<1> : tensor<9x40x{kind}>
  %3 = stablehlo.compare LT, %a, %one : (tensor<9x40x{kind}>, tensor<9x40x{kind}>) -> tensor<9x40xi1>
  return %0, %1, %2, %3 : tensor<9x40xf32>, tensor<9x9xi32>, tensor<9x40x{kind}>, tensor<9x40xi1>
}}
"""
    program = drumlin.compile(text)
    for given in (array, wide.view(dtype)):
        numbers, product, ordered, less = program(given)
        np.testing.assert_array_equal(numbers, wide.astype(np.float32))
        np.testing.assert_array_equal(product, wide.astype(np.int32) @ wide.astype(np.int32).T)
        np.testing.assert_array_equal(ordered.astype(np.int8), np.sort(wide, 1))
        np.testing.assert_array_equal(less, wide < 1)


def test_arguments_are_read_where_they_lie():
    array = np.arange(8, dtype=ml_dtypes.bfloat16).reshape(2, 4)
    place = drumlin.program.Place(drumlin.compile(ADD.replace("4xf32", "2x4xbf16")).arguments[0])
    assert np.shares_memory(place.bytes_of(array), array)
    assert not np.shares_memory(place.bytes_of(array.T.copy().T), array)


def test_orders_of_callers():
    """Arguments and results that aren't row-major: memory that already has the program's layout isn't copied."""
    text = ADD.replace("4xf32", "2x3xf32").replace("%a: tensor<2x3xf32>", '%a: tensor<2x3xf32> {mhlo.layout_mode = "{0,1}"}').replace(
        "-> tensor<2x3xf32> {", '-> (tensor<2x3xf32> {mhlo.layout_mode = "{0,1}"}) {')
    add = drumlin.compile(text)
    a, b = np.asfortranarray(np.arange(6, dtype=np.float32).reshape(2, 3)), np.ones((2, 3), np.float32)
    assert add.arguments[0].layout == [1, 0] and np.shares_memory(drumlin.program.Place(add.arguments[0]).bytes_of(a), a)
    result = add(a, b)
    np.testing.assert_array_equal(result, [[1, 2, 3], [4, 5, 6]])
    assert result.flags.f_contiguous and not result.flags.c_contiguous


def test_no_elements():
    nothing = drumlin.compile("func.func @main(%a: tensor<0x4xf32>) -> tensor<0x4xf32> {\n  return %a : tensor<0x4xf32>\n}\n")
    assert nothing(np.ones((0, 4), np.float32)).shape == (0, 4)


def test_dlpack():
    class Exporter:
        def __init__(self, array):
            self.array = array

        def __dlpack__(self, **options):
            return self.array.__dlpack__(**options)

        def __dlpack_device__(self):
            return self.array.__dlpack_device__()

    add = drumlin.compile(ADD)
    assert add(Exporter(np.ones(4, np.float32)), np.ones(4, np.float32)).tolist() == [2, 2, 2, 2]


def test_errors():
    with pytest.raises(drumlin.Error) as caught:
        drumlin.compile("func.func @main() {\n  %0 = stablehlo.nothing\n}\n", name="broken.mlir")
    error = caught.value
    assert (error.code, error.location) == ("D4002", "broken.mlir:2:8") and error.message and error.remedy
    assert str(error).startswith("broken.mlir:2:8: D4002: ")
    add = drumlin.compile(ADD)
    for wrong in ([np.ones(4)] * 2, [np.ones(5, np.float32)] * 2, [np.ones(4, np.float32)]):
        with pytest.raises(drumlin.Error, match="D6007"):
            add(*wrong)
    with pytest.raises(drumlin.Error, match="D3023"):
        drumlin.compile(ADD, optimize=True)
    with pytest.raises(drumlin.Error, match="D1001"):
        drumlin.compile("absent.mlir")
    with pytest.raises(drumlin.Error, match="D2005") as caught:
        drumlin.hlo.parse("HloModule m\n\nENTRY %e {\n  %a = f32[ parameter(0)\n}\n", "m.hlo")
    assert caught.value.location.startswith("m.hlo:4:")


def test_warnings(tmp_path, monkeypatch):
    tmp_path.chmod(0o777)
    monkeypatch.setenv("DRUMLIN_CACHE", str(tmp_path))
    with pytest.warns(UserWarning, match="D1008"):
        drumlin.compile(ADD)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        drumlin.compile(ADD, no_cache=True)


HANDLERS = """
import pathlib, re, sys
def caught():
    # Without those of real time, two of which the C library takes for its threads.
    return int(re.search(r"SigCgt:\\s*(\\w+)", pathlib.Path("/proc/self/status").read_text())[1], 16) & (1 << 31) - 1
before = caught()
import drumlin
program = sys.argv[1]
drumlin.compile(program, no_cache=True)
try:
    drumlin.compile("no program\\n")
except drumlin.Error:
    pass
drumlin.check(program)
assert caught() == before, (caught(), before)
"""


def test_no_handlers_of_signals():
    """The package installs no signal handlers, as docs/libraries.md says."""
    done = subprocess.run([sys.executable, "-c", HANDLERS, ADD], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_threads():
    """Threads that compile wait for each other; threads that run programs don't. Each thread gets the program and the results that it asked for."""
    def work(number):
        text = ADD.replace("stablehlo.add %a, %b", f"stablehlo.{('add', 'multiply', 'subtract')[number % 3]} %a, %b")
        program = drumlin.compile(text, name=f"thread{number}.mlir")
        assert drumlin.why(text, name=f"thread{number}.mlir")[0]["source"].startswith(f"thread{number}.mlir")
        return program.name, program(np.full(4, 5, np.float32), np.full(4, 3, np.float32)).tolist()[0]

    with concurrent.futures.ThreadPoolExecutor(6) as pool:
        assert list(pool.map(work, range(12))) == [(f"thread{number}", (8, 15, 2)[number % 3]) for number in range(12)]


def test_calls_of_one_program_from_several_threads():
    text = ADD.replace("4xf32", "64x64xf32").replace("stablehlo.add %a, %b :", "stablehlo.dot %a, %b :").replace(
        ": tensor<64x64xf32>\n    return", ": (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>\n    return")
    product = drumlin.compile(text, threads=2)
    random = np.random.default_rng(0)
    arrays = [random.standard_normal((64, 64), np.float32) for _ in range(8)]
    expected = [product(array, array) for array in arrays]

    def work(number):
        return all(np.array_equal(product(arrays[number], arrays[number]), expected[number]) for _ in range(50))

    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        assert all(pool.map(work, range(8)))
    runs = [product.run_async(array, array) for array in arrays * 4]
    for number, run in enumerate(runs):
        np.testing.assert_array_equal(run.result(), expected[number % 8])
        assert run.done()
    product.run_async(arrays[0], arrays[1])  # nobody waits for this run
    with pytest.raises(drumlin.Error, match="D6007"):
        product.run_async(arrays[0])


def test_reports():
    plan = drumlin.plan(ADD)
    assert plan["kernels"] and "plan.launch" in drumlin.plan(ADD, text=True)
    assert drumlin.cost(ADD)["total"] and drumlin.cost(ADD, target="inf2")
    assert isinstance(drumlin.why(ADD), list)
    assert drumlin.check(ADD)["divergent_launches"] == 0
    assert drumlin.diff(ADD, ADD) == []
    assert drumlin.diff(ADD, ADD, text=True) == "the plans are the same\n"
    other = ADD.replace("stablehlo.add %a, %b", "stablehlo.multiply %a, %b")
    differences = drumlin.diff(ADD, other, exact=True)
    assert {"kind": "kernel new", "kernel": "loop of stablehlo.multiply program.mlir:3:10", "field": "kernels", "before": [],
            "after": ["loop of stablehlo.multiply program.mlir:3:10"], "worse": False} in differences
    assert "kernel new: loop of stablehlo.multiply program.mlir:3:10\n" in drumlin.diff(ADD, other, text=True)
    with pytest.raises(drumlin.Error, match="D2005"):
        drumlin.plan("no program\n")


def test_hlo_as_a_protocol_buffer():
    module = drumlin.hlo.parse(FP8)
    proto = module.to_proto()
    again = drumlin.hlo.parse(proto)
    assert [each.name for each in again.instructions()] == [each.name for each in module.instructions()]
    assert again.to_proto() == proto
    with pytest.raises(drumlin.Error, match="D2012") as caught:
        drumlin.hlo.parse(proto[:-1], "m.pb")
    assert caught.value.location.startswith("m.pb:")


def test_hlo_of_an_fp8_product():
    """Reads XLA's custom call for an fp8 GEMM, whose configuration contains the epilogue."""
    module = drumlin.hlo.parse(FP8)
    assert str(module) == FP8
    [call] = module.instructions(opcode="custom-call", custom_call_target="__cublas$lt*f8")
    assert call.shape.is_tuple and str(call.shape.elements[0]) == "f8e5m2[128,128]{1,0}"
    assert call.shape.elements[0].dtype == ml_dtypes.float8_e5m2 and call.shape.elements[0].layout == (1, 0)
    config = call.backend_config["gemm_backend_config"]
    assert config["epilogue"] == "DEFAULT" and config["dot_dimension_numbers"]["rhs_contracting_dimensions"] == ["1"]
    left, right = call.operands[:2]
    assert left.opcode == "parameter" and left.parameter_number == 0 and left.shape.dtype == ml_dtypes.float8_e4m3fn
    assert right.opcode == "fusion" and right.called_computations[0].root.opcode == "transpose" and call in right.users
    [result] = call.users
    assert result.opcode == "get-tuple-element" and result.is_root and result.attributes["index"] == 0
    assert "dot_general" in call.metadata["op_name"] and call.computation == module.entry


def test_hlo_edits():
    module = drumlin.hlo.parse(FP8)
    [call] = module.instructions(opcode="custom-call")
    config = call.backend_config
    config["gemm_backend_config"]["epilogue"] = "RELU"
    call.backend_config = config
    call.name = "matmul"
    for instruction in module.instructions():
        instruction.remove_attribute("metadata")
    call.set_attribute("note", "said \"so\"")
    call.set_attribute("dims", [1, 2])
    call.set_attribute("kind", drumlin.hlo.Word("kLoop"))
    module.find("wrapped_transpose_computation").name = "turned"
    module.name = "renamed"
    again = drumlin.hlo.parse(str(module))
    [call] = again.instructions(name="mat*")
    assert call.backend_config == config and call.metadata == {}
    assert call.attributes["note"] == 'said "so"' and call.attributes["dims"] == [1, 2]
    assert call.attribute_text("kind") == "kLoop" and isinstance(call.attributes["kind"], drumlin.hlo.Word)
    assert again.name == "renamed" and again.find("turned") and not again.find("wrapped_transpose_computation")
    assert again.entry.root.operands == [call] and "metadata" not in str(again)
    with pytest.raises(drumlin.Error, match="D2031"):
        call.name = again.entry.root.name
    with pytest.raises(drumlin.Error, match="D2005"):
        call.name = "two words"
    with pytest.raises(drumlin.Error, match="D2005"):
        call.set_attribute("kind", drumlin.hlo.Word("a, b=c"))
    with pytest.raises(TypeError):
        call.set_attribute("kind", object())


def same_when_read_again(module):
    text = str(module)
    again = drumlin.hlo.parse(text)
    assert str(again) == text
    return again


def test_hlo_instructions_come_and_go():
    module = drumlin.hlo.parse(FP8)
    entry, root = module.entry, module.entry.root
    twice = entry.insert(f"%twice = {root.shape} add(%{root.name}, %{root.name})", after=root)
    root.replace_uses(twice)  # the new instruction also becomes the root
    assert entry.root == twice and twice.operands == [root, root] and root.users == [twice] and not root.is_root
    half = entry.add("constant", "f32[]", literal="(0.5)", attributes={"metadata": {"op_name": "half"}}, before=root)
    pair = entry.add("tuple", "(f32[], f32[])", [half, half], name="pair")
    assert (half.name, half.literal, half.metadata, half.users) == ("constant", "(0.5)", {"op_name": "half"}, [pair])
    assert entry.instructions.index(half) + 1 == entry.instructions.index(root) and entry.instructions[-1] == pair
    half.literal = "(0.25)"
    pair.opcode = "custom-call"
    pair.set_attribute("custom_call_target", "pair")
    pair.set_operand(1, root)
    pair.operands = [*pair.operands, half]
    assert str(pair) == f'%pair = (f32[], f32[]) custom-call(%constant, %{root.name}, %constant), custom_call_target="pair"'
    same_when_read_again(module)
    with pytest.raises(drumlin.Error, match="D2033") as caught:
        half.remove()
    assert caught.value.location == f"%constant in %{entry.name}" and "pair" in caught.value.message and caught.value.remedy
    pair.remove()
    half.remove()
    entry.root = root
    twice.remove()
    assert str(same_when_read_again(module)) == FP8


def test_hlo_shapes_and_layouts():
    module = drumlin.hlo.parse(FP8)
    [call] = module.instructions(opcode="custom-call")
    root = module.entry.root
    call.set_layout([0, 1], tiles=[[8, 128], [2, 1]], memory_space=1, element=0)
    assert str(call.shape.elements[0]) == "f8e5m2[128,128]{0,1:T(8,128)(2,1)S(1)}" and call.layout is None
    assert f"({call.shape}) %{call.name}" not in str(root) and f"{call.shape} %{call.name}" in str(root)
    root.layout = [0, 1]
    root.tiles = [[8, 128]]
    root.memory_space = 5
    assert (root.layout, root.tiles, root.memory_space) == ((0, 1), [[8, 128]], 5)
    assert module.attribute_text("entry_computation_layout").endswith("->f8e5m2[128,128]{0,1:T(8,128)S(5)}}")
    root.layout = None
    root.shape = "bf16[128,128]"
    assert "-> bf16[128,128] {" in str(module.entry)
    shape = drumlin.hlo.Shape("(f32[2,3], (s32[4]{0}, pred[]))")
    assert shape.with_element(0, shape.elements[0].with_layout(memory_space=2)) == drumlin.hlo.Shape("(f32[2,3]{1,0:S(2)}, (s32[4]{0}, pred[]))")
    call.shape = shape
    call.set_layout(tiles=[[4]], element=(1, 0))
    assert str(call.shape) == "(f32[2,3], (s32[4]{0:T(4)}, pred[]))"
    same_when_read_again(module)
    for wrong in (lambda: setattr(root, "layout", [0, 0]), lambda: setattr(call, "layout", [0]), lambda: drumlin.hlo.Shape("f32[2")):
        with pytest.raises(drumlin.Error, match="D2005"):
            wrong()
    with pytest.raises(IndexError):
        call.set_layout([0], element=7)


def test_hlo_computations_come_and_go():
    module = drumlin.hlo.parse(FP8)
    function = module.add_computation("%twice (p: f32[4]) -> f32[4] {\n  %p = f32[4]{0} parameter(0)\n  ROOT %r = f32[4]{0} add(%p, %p)\n}")
    argument = module.entry.insert("%new = f32[4]{0} parameter(2)")
    call = module.entry.add("call", argument.shape, [argument], attributes={"to_apply": function})
    assert call.called_computations == [function] and module.computations.index(function) < module.computations.index(module.entry)
    assert "new: f32[4]) ->" in str(module.entry)
    function.name = "double"
    assert call.attribute_text("to_apply") == "%double"
    same_when_read_again(module)
    with pytest.raises(drumlin.Error, match="D2033.*\n.*hint"):
        function.remove()
    with pytest.raises(drumlin.Error, match="D2032"):
        function.insert("%again = f32[4]{0} call(%p), to_apply=%double")
    call.remove()
    function.remove()
    argument.remove()
    assert str(same_when_read_again(module)) == FP8


def test_hlo_refuses_what_no_text_says():
    module = drumlin.hlo.parse(FP8)
    entry, other = module.entry, module.computations[0].root
    [call] = module.instructions(opcode="custom-call")
    for code, change in [("D2005", lambda: entry.insert("%a = f32[] !")), ("D2030", lambda: entry.insert("%a = f32[] negate(%none)")),
                         ("D2031", lambda: entry.insert(f"%{call.name} = f32[] constant(1)")), ("D2032", lambda: call.set_operand(0, entry.root)),
                         ("D2030", lambda: call.set_operand(0, other)), ("D2030", lambda: entry.add("negate", "f32[]", [other])),
                         ("D2030", lambda: entry.insert("%a = f32[] constant(1)", before=other)), ("D2033", entry.root.remove),
                         ("D2033", entry.remove), ("D2030", lambda: call.set_attribute("to_apply", drumlin.hlo.Word("%none"))),
                         ("D2005", lambda: entry.add("negate", "f32[]", [call], attributes={"a b": 1}))]:
        with pytest.raises(drumlin.Error, match=code) as caught:
            change()
        assert caught.value.location and caught.value.remedy
        assert str(module) == FP8
    with pytest.raises(ValueError):
        entry.insert("%a = f32[] constant(1)", before=call, after=call)


def test_hlo_refuses_what_no_opcode_takes():
    """If an instruction is added or its operands are changed, its operands and attributes must be valid for its opcode."""
    module = drumlin.hlo.parse("HloModule m\n\nENTRY %e (a: f32[2,3]) -> f32[2,3] {\n  %a = f32[2,3]{1,0} parameter(0)\n"
                               "  ROOT %r = f32[2,3]{1,0} negate(%a)\n}\n\n")
    before, entry = str(module), module.entry
    a, r = entry.instructions
    for code, remedy, change in [("D2030", "`exponential`", lambda: entry.insert("%n = f32[2,3] exp(%a)")),
                                 ("D2030", "`get-tuple-element`", lambda: entry.add("get_tuple_element", "f32[]", [a])),
                                 ("D2030", "`negate`", lambda: setattr(r, "opcode", "negat")),
                                 ("D2006", "give it 2 operands", lambda: entry.add("add", "f32[2,3]", [a])),
                                 ("D2006", "give it 1 operand", lambda: setattr(r, "operands", [a, a])),
                                 ("D2006", "same dimensions", lambda: entry.add("add", "f32[3,2]", [a, a])),
                                 ("D2006", "`dimensions`[i]", lambda: entry.add("transpose", "f32[2,3]", [a], attributes={"dimensions": [1, 0]})),
                                 ("D2005", "letters", lambda: entry.add("add", "f32[2,3]", [a, a], attributes={"b=1, c": 1}))]:
        with pytest.raises(drumlin.Error, match=code) as caught:
            change()
        assert remedy in caught.value.remedy and caught.value.location and str(module) == before
    turned = entry.add("transpose", "f32[3,2]{1,0}", [a], attributes={"dimensions": [1, 0]})
    assert str(turned) == "%transpose = f32[3,2]{1,0} transpose(%a), dimensions={1,0}" and turned.shape.element_type == "f32"
    with pytest.raises(drumlin.Error, match="D2006"):
        r.set_operand(0, turned)
    r.shape = turned.shape
    r.set_operand(0, turned)
    same_when_read_again(module)


def test_hlo_of_what_was_removed():
    """Objects of removed instructions raise an error; none becomes another instruction."""
    module = drumlin.hlo.parse(FP8)
    entry = module.entry
    function = module.add_computation("%f (p: f32[4]) -> f32[4] {\n  ROOT %p = f32[4]{0} parameter(0)\n}")
    inside = function.root
    gone = entry.insert("%gone = f32[] constant(1)")
    gone.remove()
    function.remove()
    made = [entry.insert(f"%new.{i} = f32[] constant({i})") for i in range(100)]
    assert gone not in made and gone.is_removed and "removed" in repr(gone) and hash(gone) == hash(gone)
    for use in (lambda: gone.name, lambda: str(gone), lambda: gone.users, lambda: gone.operands, lambda: gone.computation, gone.remove,
                lambda: inside.shape, lambda: function.instructions, lambda: str(function), lambda: entry.root.replace_uses(gone),
                lambda: entry.insert("%a = f32[] constant(1)", after=gone), lambda: setattr(entry, "root", gone)):
        with pytest.raises(drumlin.Error, match="D2034"):
            use()


def test_hlo_random_changes():
    """Random changes of each model's module, while Python holds objects that are created and removed."""
    for path in sorted(MODELS.glob("*/optimized.hlo")):
        random = np.random.default_rng(len(path.parent.name))
        module = drumlin.hlo.parse(path.read_text())
        held = module.instructions()
        for number in range(60):
            living = [instruction for instruction in held if not instruction.is_removed]
            one = living[random.integers(len(living))]
            other = one.computation.instructions[random.integers(len(one.computation.instructions))]
            try:
                match random.integers(5):
                    case 0:
                        held.append(one.computation.add("custom-call", one.shape, [one, other], name=f"made.{number}"))
                    case 1:
                        one.replace_uses(other)
                    case 2:
                        one.remove()
                    case 3:
                        one.computation.root = one
                    case _:
                        one.set_operand(0, other)
            except (drumlin.Error, IndexError):
                pass
        again = same_when_read_again(module)
        assert [str(instruction) for instruction in again.instructions()] == [str(instruction) for instruction in module.instructions()]
        assert [[user.name for user in each.users] for each in again.instructions()] == [[user.name for user in each.users] for each in module.instructions()]
        for instruction in held:
            assert instruction.is_removed or instruction in instruction.computation.instructions


def test_hlo_of_mangled_texts():
    """Inserts lines and attributes with randomly exchanged characters. Each is either refused and leaves the module unchanged, or is accepted and
    printed as the same text."""
    random = np.random.default_rng(7)
    text = (MODELS / "newton_while" / "optimized.hlo").read_text()
    module, taken, refused = drumlin.hlo.parse(text), 0, 0
    for number in range(600):
        computation = module.computations[random.integers(len(module.computations))]
        instruction = computation.instructions[random.integers(len(computation.instructions))]
        line = list(str(instruction).replace(f"%{instruction.name} ", f"%new.{number} ", 1))
        for _ in range(random.integers(3)):
            line[random.integers(len(line))] = random.choice(["", " ", "\n", "/*x*/", *"%{}()[]=,:\"'/.<>-?0a"])
        before = str(module)
        try:
            match random.integers(3):
                case 0:
                    computation.insert("".join(line), before=instruction)
                case 1:
                    instruction.set_attribute("metadata", drumlin.hlo.Word("".join(line)[-random.integers(20):]))
                case _:
                    instruction.name = "".join(line)[:random.integers(12)]
            taken += 1
        except drumlin.Error as error:
            assert error.location and str(module) == before
            refused += 1
        same_when_read_again(module)
        if len(str(module)) > 3 * len(text):
            module = drumlin.hlo.parse(text)
    assert taken > 50 and refused > 50


def test_hlo_known_attributes():
    module = drumlin.hlo.parse(FP8.replace(
        "parameter(0), metadata", 'parameter(0), sharding={devices=[2,1]<=[2]}, original_value={{"a"}}, frontend_attributes={k="v",n={x=1}}, metadata'))
    [first] = [each for each in module.entry.instructions if each.parameter_number == 0]
    assert (first.sharding, first.original_value) == ("{devices=[2,1]<=[2]}", '{{"a"}}')
    assert first.frontend_attributes == {"k": "v", "n": {"x": 1}}
    first.sharding = "{replicated}"
    first.frontend_attributes = {"k": "w"}
    assert 'parameter(0), sharding={replicated}, original_value={{"a"}}, frontend_attributes={k="w"}, ' in str(first)
    assert (module.entry.root.sharding, module.entry.root.original_value, module.entry.root.frontend_attributes) == (None, None, {})
    same_when_read_again(module)


def test_hlo_parts_outlive_their_names():
    root = drumlin.hlo.parse(FP8).entry.root
    assert root.operands[0].operands[0].module.name.startswith("jit_")
    assert len({root, root.operands[0], root.computation.root}) == 2


def test_hlo_as_a_table():
    page = drumlin.hlo.parse(FP8)._repr_html_()
    assert "__cublas$lt$matmul$f8" in page and "<td" in page and page.count("<table>") == 2
    assert page.index("ENTRY main.4") < page.index("wrapped_transpose_computation")
    [other] = [each for each in drumlin.hlo.parse(FP8).computations if not each.is_entry]
    assert other._repr_html_() in page and "transpose.1.1" in other._repr_html_()


def test_hlo_of_jax():
    """The text that the installed jaxlib prints, written by test_package.py."""
    text = pathlib.Path("jax.hlo").read_text()
    module = drumlin.hlo.parse(text)
    assert str(module) == text
    assert any("tanh" in instruction.metadata.get("op_name", "") for instruction in module.instructions())


SUM_OF_TWO = """module @sum attributes {mhlo.num_replicas = 2 : i32} {
  func.func public @main(%a: tensor<3xi32>) -> (tensor<3xi32>, tensor<ui32>) {
    %0 = "stablehlo.all_reduce"(%a) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
    ^bb0(%x: tensor<i32>, %y: tensor<i32>):
      %t = stablehlo.add %x, %y : tensor<i32>
      stablehlo.return %t : tensor<i32>
    }) : (tensor<3xi32>) -> tensor<3xi32>
    %1 = stablehlo.replica_id : tensor<ui32>
    return %0, %1 : tensor<3xi32>, tensor<ui32>
  }
}
"""


def test_processes():
    program = drumlin.compile(SUM_OF_TWO)
    assert (program.replicas, program.partitions) == (2, 1)
    one, two = np.arange(3, dtype=np.int32), np.full(3, 10, np.int32)
    for number, (total, process) in enumerate(program.run_processes([(one,), (two,)])):
        np.testing.assert_array_equal(total, [10, 11, 12])
        assert process == number
    with pytest.raises(drumlin.Error, match="D6030"):
        program(one)
    with pytest.raises(drumlin.Error, match="D6007"):
        program.run_processes([(one,)])


@pytest.mark.parametrize("name", ["collectives", "exchanges", "rounds", "layer", "train"])
def test_programs_that_xla_has_partitioned(name):
    """Programs for four devices; partitioned.py wrote them with jaxlib's results."""
    values = np.load(f"partitioned_{name}.npz")

    def of(what, device):
        return [values[each] for each in values.files if each.startswith(f"{what}_{device}_")]

    program = drumlin.compile(pathlib.Path(f"partitioned_{name}.hlo").read_text())
    assert program.replicas * program.partitions == 4
    for device, given in enumerate(program.run_processes([of("arg", device) for device in range(4)])):
        expected = of("result", device)
        for got, want in zip(given if isinstance(given, tuple) else (given,), expected, strict=True):
            np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-6)


SIZED = """module @sized {
  func.func public @main(%x: tensor<?x3xf32>, %y: tensor<?xf32>) -> (tensor<?x3xf32>, tensor<?xf32>) {
    %0 = stablehlo.add %x, %x : tensor<?x3xf32>
    %1 = stablehlo.negate %y : tensor<?xf32>
    return %0, %1 : tensor<?x3xf32>, tensor<?xf32>
  }
}
"""


def test_sizes_of_each_call():
    program = drumlin.compile(SIZED)
    assert program.arguments[0].sizes == "arg0_0, 3" and program.results[1].sizes == "arg1_0"
    for n, m in (1, 4), (300, 1), (7, 0):
        x, y = np.arange(3 * n, dtype=np.float32).reshape(n, 3), np.arange(m, dtype=np.float32)
        for doubled, negated in (program(x, y), program.run_async(x, y).result()):
            np.testing.assert_array_equal(doubled, 2 * x)
            np.testing.assert_array_equal(negated, -y)
    for wrong in np.ones((2, 4), np.float32), np.ones(3, np.float32), np.ones((2, 3), np.int32):
        with pytest.raises(drumlin.Error, match="D6007"):
            program(wrong, np.ones(2, np.float32))
