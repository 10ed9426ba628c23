"""Tests of the installed package. test_package.py runs them where nothing else is installed, and shows each as one of its own."""
import concurrent.futures
import importlib.metadata
import pathlib
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


def test_arguments_are_read_where_they_lie():
    array = np.arange(8, dtype=ml_dtypes.bfloat16).reshape(2, 4)
    place = drumlin.program.Place(drumlin.compile(ADD.replace("4xf32", "2x4xbf16")).arguments[0])
    assert np.shares_memory(place.bytes_of(array), array)
    assert not np.shares_memory(place.bytes_of(array.T.copy().T), array)


def test_orders_of_callers():
    """Arguments and results whose memory isn't row-major: none is copied where it lies as the program takes it."""
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


def test_threads():
    """Compilations take turns, programs run meanwhile: each thread gets its own program and its results."""
    def work(number):
        text = ADD.replace("stablehlo.add %a, %b", f"stablehlo.{('add', 'multiply', 'subtract')[number % 3]} %a, %b")
        program = drumlin.compile(text, name=f"thread{number}.mlir")
        assert drumlin.why(text, name=f"thread{number}.mlir")[0]["source"].startswith(f"thread{number}.mlir")
        return program.name, program(np.full(4, 5, np.float32), np.full(4, 3, np.float32)).tolist()[0]

    with concurrent.futures.ThreadPoolExecutor(6) as pool:
        assert list(pool.map(work, range(12))) == [(f"thread{number}", (8, 15, 2)[number % 3]) for number in range(12)]


def test_reports():
    plan = drumlin.plan(ADD)
    assert plan["kernels"] and "plan.launch" in drumlin.plan(ADD, text=True)
    assert drumlin.cost(ADD)["total"] and drumlin.cost(ADD, target="inf2")
    assert isinstance(drumlin.why(ADD), list)
    assert drumlin.check(ADD)["divergent_launches"] == 0
    assert drumlin.diff(ADD, ADD) == []
    other = ADD.replace("stablehlo.add %a, %b", "stablehlo.multiply %a, %b")
    assert drumlin.diff(ADD, other, exact=True)
    with pytest.raises(drumlin.Error, match="D2005"):
        drumlin.plan("no program\n")


def test_hlo_of_an_fp8_product():
    """What XLA made of a product of fp8 numbers: its custom call, and the epilogue in its configuration."""
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


def test_hlo_parts_outlive_their_names():
    root = drumlin.hlo.parse(FP8).entry.root
    assert root.operands[0].operands[0].module.name.startswith("jit_")
    assert len({root, root.operands[0], root.computation.root}) == 2


def test_hlo_as_a_table():
    page = drumlin.hlo.parse(FP8)._repr_html_()
    assert "__cublas$lt$matmul$f8" in page and "<td" in page and page.count("<table>") == 2
    assert page.index("ENTRY main.4") < page.index("wrapped_transpose_computation")


def test_hlo_of_jax():
    """The text that this jaxlib prints, which test_package.py has written."""
    text = pathlib.Path("jax.hlo").read_text()
    module = drumlin.hlo.parse(text)
    assert str(module) == text
    assert any("tanh" in instruction.metadata.get("op_name", "") for instruction in module.instructions())
