"""Layouts from the command line: those that a program requests, static arguments, forced kernels, and the signature that callers see."""
import ctypes
import re

import numpy as np
import pytest

# A dense layer with a checkpoint's weight layout, whose caller passes the activations column-major.
LAYER = """module @layer {
  func.func public @main(%arg0: tensor<24x64xf32> {mhlo.layout_mode = "{0,1}"} loc("x"), %arg1: tensor<40x64xf32> loc("w"))
      -> (tensor<24x40xf32> {mhlo.layout_mode = "RESULT"}) {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [1] : (tensor<24x64xf32>, tensor<40x64xf32>) -> tensor<24x40xf32>
    return %0 : tensor<24x40xf32>
  }
}
"""
RANDOM = np.random.default_rng(3)
X = RANDOM.standard_normal((24, 64), np.float32)
W = RANDOM.standard_normal((40, 64), np.float32)
PHASES = ("simplify", "rewrite", "fusion", "layout", "select", "schedule", "buffers")


@pytest.fixture
def layer(tmp_path):
    (tmp_path / "layer.mlir").write_text(LAYER.replace("RESULT", "{0,1}"))
    np.savez(tmp_path / "inputs.npz", in0=X, in1=W)
    np.savez(tmp_path / "expected.npz", out0=X @ W.T)
    return tmp_path


def test_arrays_stay_in_the_programs_shape(call, layer):
    arguments = ("run", "layer.mlir", "--input", "inputs.npz", "--expect", "expected.npz", "--rtol", "2e-5")
    for more in ((), ("--static-args", "1"), ("--interpret",), *(("--interpret", "--stop-after", phase) for phase in PHASES)):
        result = call(*arguments, *more)
        assert result.returncode == 0, (more, result.stdout + result.stderr)


class Value(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("type", ctypes.c_char_p), ("dims", ctypes.POINTER(ctypes.c_int64)), ("rank", ctypes.c_size_t),
                ("bytes", ctypes.c_size_t), ("donated_to", ctypes.c_int64), ("layout", ctypes.POINTER(ctypes.c_int64)),
                ("is_static", ctypes.c_int)]


def signature(library, program, describe, index):
    value = Value()
    assert describe(program, ctypes.c_size_t(index), ctypes.byref(value)) == 1
    return [value.dims[i] for i in range(value.rank)], [value.layout[i] for i in range(value.rank)] if value.layout else None, value.is_static


@pytest.mark.parametrize("asked", ["{0,1}", "default"])
def test_a_caller_by_pointers_sees_the_orders(call, layer, build_folder, asked):
    (layer / "layer.mlir").write_text(LAYER.replace("RESULT", asked))
    assert call("compile", "layer.mlir", "--static-args", "1", "-o", "layer.so").returncode == 0
    # If the result is row-major, the plan for every target changes the weight's layout to panels. If the result is column-major, only some
    # targets' plans do.
    assert asked == "{0,1}" or "{drumlin.static, plan.layout" in call("plan", "layer.so").stdout
    library = ctypes.CDLL(str(build_folder / "lib" / "libdrumlin_runtime.so"))
    for name in ("drumlin_load", "drumlin_run"):
        getattr(library, name).restype = ctypes.c_void_p
    program = ctypes.c_void_p()
    assert library.drumlin_load(str(layer / "layer.so").encode(), None, ctypes.byref(program)) is None
    assert signature(library, program, library.drumlin_argument, 0) == ([24, 64], [1, 0], 0)
    # The signature has the caller's layout of the weight, row-major: the runtime changes the layout.
    assert signature(library, program, library.drumlin_argument, 1) == ([40, 64], None, 1)
    assert signature(library, program, library.drumlin_result, 0) == ([24, 40], [1, 0] if asked == "{0,1}" else None, 0)
    x = np.ascontiguousarray(X.T)
    result = np.empty((24, 40), np.float32, order="F" if asked == "{0,1}" else "C")
    for weight in (W, 2 * W, W):
        args = (ctypes.c_void_p * 2)(x.ctypes.data, weight.ctypes.data)
        results = (ctypes.c_void_p * 1)(result.ctypes.data)
        assert library.drumlin_run(program, args, ctypes.c_size_t(2), results, ctypes.c_size_t(1)) is None
        np.testing.assert_allclose(result, X @ weight.T, rtol=1e-4, atol=1e-4)
    library.drumlin_free(program)


def test_bound_weights_are_stored_as_their_kernel_reads_them(call, layer):
    np.savez(layer / "weights.npz", w=W)
    for spelled, shape in (("checkpoint", "40x64"), ("canonical", "64x40")):
        text = LAYER.replace("RESULT", "default").replace("{0,1}", "{1,0}")
        if spelled == "canonical":
            text = text.replace("40x64", "64x40").replace("[1] x [1]", "[1] x [0]")
            np.savez(layer / "weights.npz", w=np.ascontiguousarray(W.T))
        (layer / f"{spelled}.mlir").write_text(text)
        assert call("compile", f"{spelled}.mlir", "--weights", "weights.npz", "-o", f"{spelled}.so").returncode == 0
        np.savez(layer / "x.npz", in0=X)
        result = call("run", f"{spelled}.so", "--input", "x.npz", "--expect", "expected.npz", "--rtol", "2e-5")
        assert result.returncode == 0, result.stdout + result.stderr
        result = call("check", f"{spelled}.mlir", "--weights", "weights.npz", "--input", "x.npz")
        assert result.returncode == 0 and "1 launch of 1 kernel" in result.stdout, result.stdout + result.stderr
    # Both weights are stored as the same bytes, in panels of `width` columns with the last panel padded by zeros, and read by the same kernel.
    width = int(re.search(r"tensor<\d+x64x(\d+)xf32> {plan.layout = ", call("plan", "checkpoint.so").stdout)[1])
    panels = np.zeros((64, (40 + width - 1) // width * width), np.float32)
    panels[:, :40] = W.T
    header = 64
    stored = [(layer / f"{name}.so.weights").read_bytes()[header:] for name in ("checkpoint", "canonical")]
    assert stored[0] == stored[1] == np.ascontiguousarray(panels.reshape(64, -1, width).transpose(1, 0, 2)).tobytes()
    keys = [[line.split('key("')[1].split('"')[0] for line in call("plan", f"{name}.so").stdout.splitlines() if "plan.kernel" in line]
            for name in ("checkpoint", "canonical")]
    assert keys[0] == keys[1] and len(keys[0]) == 1
    assert "transposed" not in call("plan", "checkpoint.so").stdout


def test_weights_fit_the_text_of_each_phase(call, layer):
    """In the phases after `layout`, weights have the shape that they have in memory."""
    np.savez(layer / "weights.npz", w=W)
    (layer / "layer.mlir").write_text(LAYER.replace("RESULT", "default").replace("{0,1}", "{1,0}"))
    (layer / "phases").mkdir()
    assert call("compile", "layer.mlir", "--weights", "weights.npz", "--dump-phases", "phases", "-o", "layer.so").returncode == 0
    weights = (layer / "layer.so.weights").read_bytes()
    for phase in PHASES[3:]:
        text, = (layer / "phases").glob(f"*-{phase}.mlir")
        (layer / "layer.mlir").write_text(text.read_text())
        result = call("compile", "layer.mlir", "--start-from", phase, "--weights", "weights.npz", "-o", "layer.so")
        assert result.returncode == 0, (phase, result.stderr)
        assert (layer / "layer.so.weights").read_bytes() == weights, phase
        np.savez(layer / "x.npz", in0=X)
        assert call("run", "layer.so", "--input", "x.npz", "--expect", "expected.npz", "--rtol", "2e-5").returncode == 0, phase


def test_checks_and_locks_know_layouts(call, layer):
    result = call("check", "layer.mlir", "--input", "inputs.npz", "--static-args", "1")
    assert result.returncode == 0, result.stdout + result.stderr
    (layer / "rows.mlir").write_text(LAYER.replace("RESULT", "default"))
    difference = call("diff", "layer.mlir", "rows.mlir").stdout
    assert "layouts: " in difference and "result" in difference, difference


def test_auto_is_chosen_and_said(call, layer):
    (layer / "auto.mlir").write_text(LAYER.replace('"{0,1}"', '"auto"').replace("RESULT", "auto"))
    result = call("run", "auto.mlir", "--input", "inputs.npz", "--expect", "expected.npz", "--rtol", "2e-5")
    assert result.returncode == 0, result.stdout + result.stderr


def test_why_says_what_an_order_costs(call, layer):
    (layer / "sum.mlir").write_text("""func.func @main(%x: tensor<64x24xf32> {mhlo.layout_mode = "{0,1}"}) -> tensor<64x24xf32> {
  return %x : tensor<64x24xf32>
}
""")
    text = call("why", "sum.mlir").stdout
    assert "assign-layout: taken" in text
    assert "share-layout: layout-imposed" in text and "unfused: 12288 bytes" in text


@pytest.mark.parametrize("kernel", ["packed", "gemv"])
def test_a_forced_kernel_computes_the_same(call, layer, kernel):
    result = call("run", "layer.mlir", "--input", "inputs.npz", "--expect", "expected.npz", "--rtol", "2e-5", "--force-kernel", f"dot={kernel}")
    assert result.returncode == 0, result.stdout + result.stderr
    assert f'plan.force_kernel = "{kernel}"' in call("plan", "layer.mlir", "--force-kernel", f"dot@*layer*={kernel}").stdout


@pytest.mark.parametrize("choice,status,code", [
    ("dot", 2, "D3014"), ("=packed", 2, "D3014"), ("dot=fast", 2, "D3014"), ("sort=packed", 2, "D3014"), ("dot@*elsewhere*=packed", 2, "D3014"),
    ("dot=direct", 5, "D5014"), ("dot=batch_interleaved", 5, "D5014"), ("dot=cublaslt", 2, "D3014")])
def test_a_choice_that_cannot_be(call, layer, choice, status, code):
    result = call("compile", "layer.mlir", "-o", "layer.so", "--force-kernel", choice)
    assert result.returncode == status and f"error {code}" in result.stderr, result.stderr
    assert not (layer / "layer.so").exists()


def test_a_library_that_cannot(call, layer):
    (layer / "longs.mlir").write_text("""func.func @main(%x: tensor<64x64xi64>, %w: tensor<64x64xi64>) -> tensor<64x64xi64> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<64x64xi64>, tensor<64x64xi64>) -> tensor<64x64xi64>
  return %0 : tensor<64x64xi64>
}
""")
    result = call("plan", "longs.mlir", "--target", "sm_90", "--force-kernel", "dot=cublaslt")
    assert result.returncode == 5 and "error D5014" in result.stderr and "longs.mlir:2" in result.stderr
    assert "the user named a kernel of our own" in call("plan", "longs.mlir", "--target", "sm_90", "--force-kernel", "dot=own").stdout


@pytest.mark.parametrize("mode", ["{1,0,2}", "{1,1}", "{0,1:T(8,128)}", "columns"])
def test_what_is_no_order(call, layer, mode):
    (layer / "bad.mlir").write_text(LAYER.replace("RESULT", mode))
    result = call("compile", "bad.mlir", "-o", "bad.so")
    assert result.returncode == 4 and "error D4006" in result.stderr and "result 0" in result.stderr


@pytest.mark.parametrize("left_out,status", [("assign-layouts", 5), ("normalize-layouts", 5), ("assign-layout", 0)])
def test_what_layouts_cannot_do_without(call, layer, left_out, status):
    result = call("compile", "layer.mlir", "-o", "layer.so", "--disable-pass", left_out)
    assert result.returncode == status and ("error D5012" in result.stderr) == (status == 5), result.stderr


def test_static_arguments_are_the_programs(call, layer):
    result = call("compile", "layer.mlir", "-o", "layer.so", "--static-args", "0,7")
    assert result.returncode == 2 and "no argument 7" in result.stderr


def test_static_arguments_have_names(call, layer):
    """A number, range, name or pattern gives the same image; an unknown name is an error that suggests the nearest name."""
    images = set()
    for words in ("1", "1-1", "w", "in1", "w*", "[w]"):
        assert call("compile", "layer.mlir", "-o", "layer.so", "--static-args", words).returncode == 0, words
        images.add((layer / "layer.so").read_bytes())
    assert len(images) == 1
    for words, message in (("ww", "no argument `ww`: it takes 2"), ("params.*", "no argument `params.*`: it takes 2"), ("0-2", "no argument 0-2: it takes 2"),
                           ("[", "`[` is not a valid pattern")):
        result = call("compile", "layer.mlir", "-o", "layer.so", "--static-args", words)
        assert result.returncode == 2 and "error D3009" in result.stderr and message in result.stderr, result.stderr
    assert "did you mean `w`?" in call("compile", "layer.mlir", "-o", "layer.so", "--static-args", "ww").stderr


STEP = """func.func @main(%x: tensor<4xf32> {tf.aliasing_output = 0 : i32} loc("x"), %w: tensor<4xf32> loc("w")) -> tensor<4xf32> {
  %0 = stablehlo.add %x, %w : tensor<4xf32>
  return %0 : tensor<4xf32>
}
"""


def test_static_pattern_leaves_out_what_is_donated(call, tmp_path):
    (tmp_path / "step.mlir").write_text(STEP)
    result = call("compile", "step.mlir", "-o", "step.so", "--static-args", "*")
    assert result.returncode == 0 and "argument 0 gives its memory to result 0: `*` leaves it out" in result.stderr, result.stderr
    for name in ("x", "0", "0-1"):
        result = call("compile", "step.mlir", "-o", "step.so", "--static-args", name)
        assert result.returncode != 0 and "error D3017" in result.stderr, result.stderr


def with_static(attributes):
    return LAYER.replace("RESULT", "{0,1}").replace('%arg1: tensor<40x64xf32> loc("w")', f'%arg1: tensor<40x64xf32> {{{attributes}}} loc("w")')


def test_static_is_what_the_program_says(call, layer):
    for name, attributes in (("unit", "drumlin.static"), ("true", "drumlin.static = true"), ("false", "drumlin.static = false"), ("none", "")):
        (layer / f"{name}.mlir").write_text(with_static(attributes))
    plans = {name: call("plan", f"{name}.mlir").stdout.replace(f"{name}.mlir", "") for name in ("unit", "true", "false", "none")}
    assert plans["unit"] == plans["true"] != plans["false"] == plans["none"]
    (layer / "odd.mlir").write_text(with_static('drumlin.static = "no"'))
    result = call("compile", "odd.mlir", "-o", "odd.so")
    assert result.returncode == 4 and "error D4006: argument 1" in result.stderr and "`true` or `false`" in result.stderr


DONATED = """func.func @main(%x: tensor<8x64xf32>, %w: tensor<64x64xf32> {tf.aliasing_output = 0 : i32STATIC}) -> (tensor<64x64xf32>, tensor<8x64xf32>) {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [1] : (tensor<8x64xf32>, tensor<64x64xf32>) -> tensor<8x64xf32>
  %1 = stablehlo.add %w, %w : tensor<64x64xf32>
  return %1, %0 : tensor<64x64xf32>, tensor<8x64xf32>
}
"""


@pytest.mark.parametrize("command", [("compile", "-o", "d.so"), ("plan",), ("cost", "--target=inf2"), ("plan", "--target=sm_90"), ("why",)])
@pytest.mark.parametrize("attribute,option", [(", drumlin.static", ()), ("", ("--static-args=1",))])
def test_a_donated_argument_is_never_static(call, layer, command, attribute, option):
    (layer / "d.mlir").write_text(DONATED.replace("STATIC", attribute))
    result = call(command[0], "d.mlir", *command[1:], *option)
    assert result.returncode == 3 and "error D3017: argument 1" in result.stderr and "d.mlir:1" in result.stderr, result.stderr
    assert not (layer / "d.so").exists()


PRODUCT = """func.func @main(%a: tensor<4x6x5xT>, %b: tensor<4x3x5xT>) -> tensor<4x6x3xT> {
  %0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<4x6x5xT>, tensor<4x3x5xT>) -> tensor<4x6x3xT>
  return %0 : tensor<4x6x3xT>
}
"""


@pytest.mark.parametrize("element", ["f64", "f32", "bf16", "f16", "f8E4M3FN", "i64", "i32", "i16", "i8", "ui8"])
@pytest.mark.parametrize("target", ["baseline", "avx2", "native"])
def test_static_arguments_of_every_register(call, tmp_path, element, target):
    """Panels are as wide as an accumulator register: two 64-bit numbers in 128 bits."""
    (tmp_path / "product.mlir").write_text(PRODUCT.replace("T>", f"{element}>"))
    result = call("check", "product.mlir", "--static-args", "1", "--target-cpu", target)
    assert result.returncode == 0, result.stdout + result.stderr
