"""Programs that call code compiled for XLA, run natively and interpreted. The called code (handlers.cpp) checks the operands, results and
attributes that it gets."""
import pathlib
import subprocess
import sysconfig

import numpy as np
import pytest

HANDLERS = pathlib.Path(__file__).with_name("handlers.cpp")
HEADERS = pathlib.Path(sysconfig.get_path("purelib")) / "jaxlib" / "include"


@pytest.fixture(scope="session")
def library(tmp_path_factory):
    made = tmp_path_factory.mktemp("handlers") / "handlers.so"
    subprocess.run(["c++", "-std=c++20", "-O1", "-fPIC", "-shared", f"-I{HEADERS}", str(HANDLERS), "-o", str(made)], check=True, timeout=300)
    return made


class Runner:
    def __init__(self, folder, binary, library):
        self.folder, self.binary, self.library = folder, binary, library

    def start(self, program, calls, inputs, *options):
        text, out = self.folder / "program.mlir", self.folder / "out.npz"
        text.write_text(program)
        np.savez(self.folder / "in.npz", **{f"in{i}": value for i, value in enumerate(inputs)})
        words = [f"--custom-call={name}={self.library}:{symbol}" for name, symbol in calls.items()]
        given = ["--input", str(self.folder / "in.npz")] if inputs else []
        done = subprocess.run([str(self.binary), "run", str(text), *given, "--output", str(out), *words, *options], capture_output=True, text=True,
                              timeout=300)
        return done, out

    def run(self, program, calls, inputs=(), *options):
        done, out = self.start(program, calls, inputs, *options)
        assert done.returncode == 0, done.stderr
        with np.load(out) as loaded:
            return [loaded[f"out{i}"] for i in range(len(loaded.files))]


@pytest.fixture(params=["compiled", "interpreted"])
def run(request, tmp_path, build_folder, library):
    runner = Runner(tmp_path, build_folder / "bin" / "drumlin", library)
    options = ["--interpret"] if request.param == "interpreted" else ["--no-cache"]
    return lambda program, calls, inputs=(): runner.run(program, calls, inputs, *options)


@pytest.fixture(params=["compiled", "interpreted"])
def fail(request, tmp_path, build_folder, library):
    runner = Runner(tmp_path, build_folder / "bin" / "drumlin", library)
    options = ["--interpret"] if request.param == "interpreted" else ["--no-cache"]

    def start(program, calls, inputs=()):
        done, out = runner.start(program, calls, inputs, *options)
        assert not out.exists()
        return done
    return start


def main(body, *arguments, results):
    listed = ", ".join(f"%a{i}: {each}" for i, each in enumerate(arguments))
    names = ", ".join(f"%r#{i}" for i in range(len(results))) if len(results) > 1 else "%r"
    types = ", ".join(results)
    end = f"return {names} : {types}" if results else "return"
    return f"func.func @main({listed}) -> ({types}) {{\n{body}\n{end}\n}}\n"


def test_a_handler_computes_between_kernels(run):
    program = main("""
    %s = stablehlo.add %a0, %a0 : tensor<3x5xf32>
    %c = stablehlo.custom_call @my.scale(%s) {api_version = 4 : i32, backend_config = {factor = 2.5 : f32}} : (tensor<3x5xf32>) -> tensor<3x5xf32>
    %r = stablehlo.negate %c : tensor<3x5xf32>""", "tensor<3x5xf32>", results=["tensor<3x5xf32>"])
    x = np.arange(15, dtype=np.float32).reshape(3, 5)
    [y] = run(program, {"my.scale": "Scale"}, [x])
    np.testing.assert_array_equal(y, -5 * x)


# The first operand has the result's sizes and isn't passed to the called code, as in exported programs of symbolic shapes.
SIZED = main("""
    %n = stablehlo.get_dimension_size %a0, dim = 0 : (tensor<?x5xf32>) -> tensor<i32>
    %n1 = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
    %five = stablehlo.constant dense<5> : tensor<1xi32>
    %sizes = stablehlo.concatenate %n1, %five, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %s = stablehlo.add %a0, %a0 : tensor<?x5xf32>
    %c = stablehlo.custom_call @my.scale(%sizes, %s) {api_version = 4 : i32, backend_config = {factor = 2.5 : f32},
      indices_of_shape_operands = dense<0> : tensor<1xi64>} : (tensor<2xi32>, tensor<?x5xf32>) -> tensor<?x5xf32>
    %r = stablehlo.negate %c : tensor<?x5xf32>""", "tensor<?x5xf32>", results=["tensor<?x5xf32>"])

# A result that aliases an operand has the operand's sizes.
SHARED = main("""
    %s = stablehlo.add %a0, %a0 : tensor<?x5xf32>
    %c = stablehlo.custom_call @my.scale(%s) {api_version = 4 : i32, backend_config = {factor = 2.5 : f32}, output_operand_aliases =
      [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []>]} : (tensor<?x5xf32>) -> tensor<?x5xf32>
    %r = stablehlo.negate %c : tensor<?x5xf32>""", "tensor<?x5xf32>", results=["tensor<?x5xf32>"])


@pytest.mark.parametrize("program", (SIZED, SHARED), ids=("sized", "shared"))
@pytest.mark.parametrize("rows", (0, 1, 3, 130))
def test_sizes_that_the_run_tells(run, program, rows):
    x = np.arange(rows * 5, dtype=np.float32).reshape(rows, 5)
    [y] = run(program, {"my.scale": "Scale"}, [x])
    np.testing.assert_array_equal(y, -5 * x)


def test_the_dictionary_of_older_programs(run):
    program = main("""
    %r = stablehlo.custom_call @scale(%a0) {api_version = 4 : i32, mhlo.backend_config = {factor = 3.0 : f32}} : (tensor<2xf32>) -> tensor<2xf32>""",
                   "tensor<2xf32>", results=["tensor<2xf32>"])
    [y] = run(program, {"scale": "Scale"}, [np.float32([1, 2])])
    np.testing.assert_array_equal(y, [3, 6])


def test_attributes_of_all_kinds(run):
    program = main("""
    %r = stablehlo.custom_call @attributes() {api_version = 4 : i32, backend_config = {flag = true, small = -3 : i8, large = 18446744073709551615 : ui64,
      number = 0.1 : f64, text = "four", array = array<i64: 1, 2, 39>, inner = {depth = 7 : i32, name = "ab"}}} : () -> tensor<8xf64>""",
                   results=["tensor<8xf64>"])
    [y] = run(program, {"attributes": "Attributes"})
    np.testing.assert_array_equal(y, [1, -3, 2.0**64, 0.1, 4, 42, 7, 2])


TYPES = ["i1", "i8", "i16", "i32", "i64", "ui8", "ui16", "ui32", "ui64", "f32", "f64", "f16", "complex<f32>", "complex<f64>"]
NUMPY = {"i1": bool, "complex<f32>": np.complex64, "complex<f64>": np.complex128}


def numpy_of(name):
    return NUMPY.get(name) or np.dtype(name.replace("ui", "uint") if name[0] == "u" else name.replace("i", "int") if name[0] == "i" else
                                       name.replace("f", "float"))


@pytest.mark.parametrize("shape", [(), (0,), (1,), (3,), (2, 3, 4)], ids=str)
def test_values_of_all_types_and_shapes(run, shape):
    """Several values in one call, including complex ones, with kernels before and after it."""
    types = ["tensor<" + "".join(f"{size}x" for size in shape) + name + ">" for name in TYPES]
    generator = np.random.default_rng(0)
    inputs = [(generator.normal(size=shape) * 50 + (1j * generator.normal(size=shape) if "complex" in name else 0)).astype(numpy_of(name))
              if name[0] not in "u" and name != "i1" else generator.integers(0, 2 if name == "i1" else 100, shape).astype(numpy_of(name))
              for name in TYPES]
    listed = ", ".join(f"%a{i}" for i in range(len(TYPES)))
    joined = ", ".join(types)
    body = f"%r:{len(TYPES)} = stablehlo.custom_call @copy({listed}) {{api_version = 4 : i32}} : ({joined}) -> ({joined})"
    outputs = run(main(body, *types, results=types), {"copy": "Copy"}, inputs)
    for given, got in zip(inputs, outputs, strict=True):
        np.testing.assert_array_equal(got, given)


def test_values_in_other_orders(run):
    """The code copies memory in order: with a column-major operand and a row-major result, it transposes a matrix."""
    program = main("""
    %r:2 = stablehlo.custom_call @copy(%a0, %a1) {api_version = 4 : i32, operand_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<[0, 2, 1]> : tensor<3xindex>],
      result_layouts = [dense<[1, 0]> : tensor<2xindex>, dense<[2, 1, 0]> : tensor<3xindex>]} :
      (tensor<2x3xf32>, tensor<2x3x4xcomplex<f32>>) -> (tensor<2x3xf32>, tensor<2x3x4xcomplex<f32>>)""",
                   "tensor<2x3xf32>", "tensor<2x3x4xcomplex<f32>>", results=["tensor<2x3xf32>", "tensor<2x3x4xcomplex<f32>>"])
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    z = (np.arange(24) + 1j * np.arange(24)[::-1]).astype(np.complex64).reshape(2, 3, 4)
    y, w = run(program, {"copy": "Copy"}, [x, z])
    np.testing.assert_array_equal(y, x.T.reshape(2, 3))
    np.testing.assert_array_equal(w, z.transpose(1, 2, 0).reshape(2, 3, 4))


def test_a_result_in_its_operands_memory(run):
    """An operand that is used again later keeps its value."""
    program = main("""
    %c = stablehlo.custom_call @increment(%a0) {api_version = 4 : i32, output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [],
      operand_index = 0, operand_tuple_indices = []>]} : (tensor<4xi32>) -> tensor<4xi32>
    %r = stablehlo.multiply %c, %a0 : tensor<4xi32>""", "tensor<4xi32>", results=["tensor<4xi32>"])
    [y] = run(program, {"increment": "Increment"}, [np.int32([1, 2, 3, 4])])
    np.testing.assert_array_equal(y, [2, 6, 12, 20])


def test_calls_in_loops_and_branches_keep_their_order(run):
    """Calls with side effects are ordered by tokens; calls whose results are unused run, too."""
    program = """
    func.func @main(%n: tensor<i32>) -> (tensor<i32>, tensor<i32>) {
      %zero = stablehlo.constant dense<0> : tensor<i32>
      %one = stablehlo.constant dense<1> : tensor<i32>
      %t0 = stablehlo.create_token : !stablehlo.token
      %l:3 = stablehlo.while(%i = %zero, %sum = %zero, %t = %t0) : tensor<i32>, tensor<i32>, !stablehlo.token
      cond {
        %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %c : tensor<i1>
      } do {
        %u:2 = stablehlo.custom_call @next(%t) {api_version = 4 : i32, has_side_effect = true} : (!stablehlo.token) -> (tensor<i32>, !stablehlo.token)
        %v:2 = stablehlo.custom_call @next(%u#1) {api_version = 4 : i32, has_side_effect = true} : (!stablehlo.token) -> (tensor<i32>, !stablehlo.token)
        %s = stablehlo.add %sum, %v#0 : tensor<i32>
        %i1 = stablehlo.add %i, %one : tensor<i32>
        stablehlo.return %i1, %s, %v#1 : tensor<i32>, tensor<i32>, !stablehlo.token
      }
      %big = stablehlo.compare GT, %n, %one : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %b:2 = "stablehlo.if"(%big) ({
        %w:2 = stablehlo.custom_call @next(%l#2) {api_version = 4 : i32, has_side_effect = true} : (!stablehlo.token) -> (tensor<i32>, !stablehlo.token)
        stablehlo.return %w#0, %w#1 : tensor<i32>, !stablehlo.token
      }, {
        stablehlo.return %zero, %l#2 : tensor<i32>, !stablehlo.token
      }) : (tensor<i1>) -> (tensor<i32>, !stablehlo.token)
      return %l#1, %b#0 : tensor<i32>, tensor<i32>
    }"""
    # Handlers get tokens as operands and results. `Next` has none of these, so the tokens are removed from the program's calls.
    program = program.replace("@next(%t)", "@next()").replace("@next(%u#1)", "@next()").replace("@next(%l#2)", "@next()")
    program = program.replace("has_side_effect = true} : (!stablehlo.token) -> (tensor<i32>, !stablehlo.token)", "has_side_effect = true} : () -> tensor<i32>")
    program = program.replace("%u:2 =", "%u =").replace("%v:2 =", "%v =").replace("%w:2 =", "%w =").replace("%v#0", "%v").replace("%v#1", "%t")
    program = program.replace("%w#0, %w#1", "%w, %l#2")
    total, last = run(program, {"next": "Next"}, [np.int32(3)])
    assert (int(total), int(last)) == (1 + 3 + 5, 6)


def test_tokens_of_the_program_and_of_calls(run):
    program = """
    func.func @main(%t: !stablehlo.token, %x: tensor<2xf32>) -> (!stablehlo.token, tensor<2xf32>) {
      %u = stablehlo.after_all %t, %t : !stablehlo.token
      %r:2 = stablehlo.custom_call @copy(%u, %x) {api_version = 4 : i32, has_side_effect = true} : (!stablehlo.token, tensor<2xf32>) -> (!stablehlo.token, tensor<2xf32>)
      return %r#0, %r#1 : !stablehlo.token, tensor<2xf32>
    }"""
    [y] = run(program, {"copy": "Copy"}, [np.float32([1, 2])])
    np.testing.assert_array_equal(y, [1, 2])


def test_code_that_goes_on_after_it_has_returned(run):
    program = main("""
    %c = stablehlo.custom_call @later(%a0) {api_version = 4 : i32} : (tensor<1000xf32>) -> tensor<1000xf32>
    %r = stablehlo.custom_call @context(%c) {api_version = 4 : i32} : (tensor<1000xf32>) -> tensor<1000xf32>""", "tensor<1000xf32>",
                   results=["tensor<1000xf32>"])
    x = np.arange(1000, dtype=np.float32)
    [y] = run(program, {"later": "Later", "context": "Context"}, [x])
    np.testing.assert_array_equal(y, 2 * (x + 1))


def test_the_older_conventions(run):
    program = """
    func.func @main(%x: tensor<4xf32>, %b: tensor<f32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xi8>) {
      %p = stablehlo.custom_call @plain(%x, %b) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
      %t:2 = stablehlo.custom_call @two(%x) {api_version = 2 : i32} : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
      %o = stablehlo.custom_call @opaque() {api_version = 3 : i32, backend_config = "abc"} : () -> tensor<4xi8>
      return %p, %t#0, %t#1, %o : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xi8>
    }"""
    x = np.float32([1, 2, 3, 4])
    outputs = run(program, {"plain": "plain:1", "two": "two:2", "opaque": "opaque:3"}, [x, np.float32(3)])
    for got, expected in zip(outputs, [3 * x, x + 1, x - 1, [97, 98, 99, 0]], strict=True):
        np.testing.assert_array_equal(got, expected)


FAILING = main("%r = stablehlo.custom_call @fail(%a0) {api_version = 4 : i32} : (tensor<4xf32>) -> tensor<4xf32>", "tensor<4xf32>",
               results=["tensor<4xf32>"])


def test_what_the_code_says_fails_the_run(fail):
    done = fail(FAILING, {"fail": "Fail"}, [np.zeros(4, np.float32)])
    assert done.returncode == 3 and "D6011" in done.stderr and "`@fail`: the matrix is not to its liking" in done.stderr


def test_a_message_of_an_older_convention(fail):
    program = main("%r:2 = stablehlo.custom_call @two(%a0) {api_version = 2 : i32} : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)", "tensor<4xf32>",
                   results=["tensor<4xf32>", "tensor<4xf32>"])
    done = fail(program, {"two": "two:2"}, [np.full(4, -1, np.float32)])
    assert "D6011" in done.stderr and "a negative number" in done.stderr


def test_code_that_nobody_registered(fail):
    done = fail(FAILING, {}, [np.zeros(4, np.float32)])
    assert "D6009" in done.stderr and "@fail" in done.stderr and "--custom-call" in done.stderr


def test_code_of_another_convention(fail):
    done = fail(FAILING, {"fail": "plain:1"}, [np.zeros(4, np.float32)])
    assert "D6010" in done.stderr and "api_version" in done.stderr


def test_attributes_that_the_code_refuses(fail):
    program = main("%r = stablehlo.custom_call @scale(%a0) {api_version = 4 : i32, backend_config = {}} : (tensor<2xf32>) -> tensor<2xf32>", "tensor<2xf32>",
                   results=["tensor<2xf32>"])
    done = fail(program, {"scale": "Scale"}, [np.zeros(2, np.float32)])
    assert "D6011" in done.stderr and "@scale" in done.stderr


@pytest.mark.parametrize("option", ["", "name", "name=library", "name=:symbol", "name=library:", "=library:symbol", "name=/no/such/library.so:symbol"])
def test_options_that_name_no_code(option, build_folder, tmp_path):
    text = tmp_path / "program.mlir"
    text.write_text(FAILING)
    done = subprocess.run([str(build_folder / "bin" / "drumlin"), "run", str(text), f"--custom-call={option}"], capture_output=True, text=True, timeout=60)
    assert done.returncode == 2 and "--custom-call" in done.stderr, done.stderr


def test_an_option_that_names_no_symbol(build_folder, tmp_path, library):
    text = tmp_path / "program.mlir"
    text.write_text(FAILING)
    done = subprocess.run([str(build_folder / "bin" / "drumlin"), "run", str(text), f"--custom-call=fail={library}:NoSuch"], capture_output=True, text=True,
                          timeout=60)
    assert done.returncode == 2 and "no such symbol" in done.stderr


def test_marks_for_several_devices_and_memory_of_any_contents(run):
    program = main("""
    %s = stablehlo.custom_call @Sharding(%a0) {mhlo.sharding = "{replicated}"} : (tensor<3xf32>) -> tensor<3xf32>
    %t = stablehlo.custom_call @annotate_device_placement(%s) {has_side_effect = true} : (tensor<3xf32>) -> tensor<3xf32>
    %b = stablehlo.custom_call @AllocateBuffer() : () -> tensor<3xf32>
    %z = stablehlo.constant dense<false> : tensor<3xi1>
    %r = stablehlo.select %z, %b, %t : tensor<3xi1>, tensor<3xf32>""", "tensor<3xf32>", results=["tensor<3xf32>"])
    [y] = run(program, {}, [np.float32([1, 2, 3])])
    np.testing.assert_array_equal(y, [1, 2, 3])


@pytest.mark.parametrize("largest", [True, False])
@pytest.mark.parametrize("dimension", [0, 1])
def test_approximate_elements_are_exact(run, largest, dimension):
    import jax
    function = jax.lax.approx_max_k if largest else jax.lax.approx_min_k
    x = np.random.default_rng(3).permutation(600).astype(np.float32).reshape(20, 30)
    program = jax.jit(lambda x: function(x, 4, reduction_dimension=dimension)).lower(x).as_text()
    values, positions = run(program, {}, [x])
    order = np.argsort(-x if largest else x, axis=dimension, kind="stable").take(range(4), axis=dimension)
    np.testing.assert_array_equal(positions, order)
    np.testing.assert_array_equal(values, np.take_along_axis(x, order, dimension))


def test_the_largest_elements_by_their_older_name(run):
    program = main("""
    %r:2 = stablehlo.custom_call @TopK(%a0) : (tensor<2x5xf32>) -> (tensor<2x3xf32>, tensor<2x3xi32>)""", "tensor<2x5xf32>",
                   results=["tensor<2x3xf32>", "tensor<2x3xi32>"])
    x = np.float32([[1, 5, 2, 4, 3], [0, -1, -2, 7, 7]])
    values, positions = run(program, {}, [x])
    np.testing.assert_array_equal(values, [[5, 4, 3], [7, 7, 0]])
    np.testing.assert_array_equal(positions, [[1, 3, 4], [3, 4, 0]])
