"""Weights: arguments that are bound by name to a file's arrays at compile time. Their elements are never in a phase's text, so compiling such a
text needs the file again. Tests each command and the C interface."""
import ctypes
import glob
import json
import os
import struct
import subprocess
import sys

import numpy as np
import pytest

# A program as JAX prints it: names in locations, one argument used twice, one donated.
MODEL = """module @model {
  func.func public @main(%arg0: tensor<2x3xf32> loc("x"), %arg1: tensor<3x4xf32> loc("params['w']"), %arg2: tensor<4xf32> loc("params['b']"),
      %arg3: tensor<2x4xf32> {tf.aliasing_output = 0 : i32} loc("state")) -> (tensor<2x4xf32>, tensor<4xf32>) {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0] : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
    %1 = stablehlo.broadcast_in_dim %arg2, dims = [1] : (tensor<4xf32>) -> tensor<2x4xf32>
    %2 = stablehlo.add %0, %1 : tensor<2x4xf32>
    %3 = stablehlo.add %2, %arg3 : tensor<2x4xf32>
    return %3, %arg2 : tensor<2x4xf32>, tensor<4xf32>
  }
}
"""
X = np.arange(6, dtype=np.float32).reshape(2, 3)
W = np.arange(12, dtype=np.float32).reshape(3, 4) / 8
B = np.array([1, -2, 3, -4], np.float32)
STATE = np.ones((2, 4), np.float32)
PHASES = ("simplify", "rewrite", "fusion", "layout", "select", "schedule", "buffers")


def safetensors(path, arrays):
    kinds = {"float32": "F32", "int32": "I32", "uint16": "U16", "uint8": "U8"}
    header, data = {}, b""
    for name, (array, kind) in arrays.items():
        header[name] = {"dtype": kind or kinds[array.dtype.name], "shape": list(array.shape),
                        "data_offsets": [len(data), len(data) + array.nbytes]}
        data += array.tobytes()
    text = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)


def write(path, **arrays):
    if path.suffix == ".npz":
        np.savez(path, **arrays)
    else:
        safetensors(path, {name: (array, None) for name, array in arrays.items()})


@pytest.fixture
def model(tmp_path):
    (tmp_path / "model.mlir").write_text(MODEL)
    np.savez(tmp_path / "all.npz", in0=X, in1=W, in2=B, in3=STATE)
    np.savez(tmp_path / "rest.npz", in0=X, in1=STATE)
    np.savez(tmp_path / "expected.npz", out0=X @ W + B + STATE, out1=B)
    write(tmp_path / "w.safetensors", **{"params['w']": W, "params['b']": B})
    return "model.mlir"


@pytest.mark.parametrize("ending", ["npz", "safetensors"])
@pytest.mark.parametrize("names", [("params['w']", "params['b']"), ("params.w", "params.b"), ("in1", "in2"), ("in1", "params.b")])
@pytest.mark.parametrize("mode", ["image", "run", "interpret"])
def test_binds_by_name_or_number(call, model, tmp_path, ending, names, mode):
    file = f"weights.{ending}"
    write(tmp_path / file, **dict(zip(names, (W, B))))
    program, options = model, ("--weights", file)
    if mode == "image":
        result = call("compile", model, "-o", "m.so", "--weights", file)
        assert result.returncode == 0, result.stderr
        os.remove(tmp_path / file)  # the side file `m.so.weights` has a copy
        program, options = "m.so", ()
    elif mode == "interpret":
        options += ("--interpret",)
    result = call("run", program, "--input", "rest.npz", "--expect", "expected.npz", "--rtol", "1e-6", *options)
    assert result.returncode == 0, result.stdout + result.stderr


def test_results_equal_those_of_arguments(call, model, tmp_path):
    assert call("run", model, "--input", "all.npz", "--output", "a.npz").returncode == 0
    assert call("run", model, "--weights", "w.safetensors", "--input", "rest.npz", "--output", "b.npz").returncode == 0
    for name in ("out0", "out1"):
        assert np.load(tmp_path / "a.npz")[name].tobytes() == np.load(tmp_path / "b.npz")[name].tobytes()


@pytest.mark.parametrize("phase", PHASES)
def test_every_phase_keeps_them_bound(call, model, tmp_path, phase):
    weights = ("--weights", "w.safetensors")
    assert call("run", model, *weights, "--interpret", "--stop-after", phase, "--input", "rest.npz", "--expect", "expected.npz",
                "--rtol", "1e-6").returncode == 0
    assert call("compile", model, *weights, "-o", "p.mlir", "--stop-after", phase).returncode == 0
    text = (tmp_path / "p.mlir").read_text()
    assert """plan.weights = ["params['w']", "params['b']"]""" in text
    assert any(entry["rule"] == "bind-weight" for entry in json.loads((tmp_path / "p.ledger.json").read_text()))
    missing = call("compile", "p.mlir", "-o", "p.so", "--start-from", phase)
    assert missing.returncode == 3 and "error D3005: " in missing.stderr and "`params['w']`" in missing.stderr
    result = call("compile", "p.mlir", "-o", "p.so", "--start-from", phase, *weights)
    assert result.returncode == 0, result.stderr
    assert call("run", "p.so", "--input", "rest.npz", "--expect", "expected.npz", "--rtol", "1e-6").returncode == 0
    # A phase's text that was written with bound weights can be compiled only with all of these weights.
    write(tmp_path / "half.safetensors", **{"params.w": W})
    half = call("compile", "p.mlir", "-o", "p.so", "--start-from", phase, "--weights", "half.safetensors")
    assert half.returncode == 3 and "error D3005: " in half.stderr and "`params['b']`" in half.stderr


def test_plan_why_and_bench_take_them(call, model):
    weights = ("--weights", "w.safetensors")
    plan = call("plan", model, *weights)
    assert plan.returncode == 0 and "plan.weights" in plan.stdout
    why = call("why", model, *weights)
    assert why.returncode == 0 and "argument `params['w']`: bind-weight: taken" in why.stdout
    assert call("bench", model, *weights, "--seconds", "0.01").returncode == 0


def test_weights_stay_out_of_text_and_image(call, tmp_path):
    """A megabyte of weights enlarges neither the image nor any phase's text; the side file holds the weights once."""
    size = 1 << 18
    (tmp_path / "m.mlir").write_text(f"""module @large {{
  func.func public @main(%arg0: tensor<{size}xf32> loc("w"), %arg1: tensor<f32>) -> tensor<{size}xf32> {{
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<{size}xf32>
    %1 = stablehlo.multiply %arg0, %0 : tensor<{size}xf32>
    return %1 : tensor<{size}xf32>
  }}
}}
""")
    array = np.random.default_rng(1).standard_normal(size, np.float32)
    write(tmp_path / "w.safetensors", w=array)
    result = call("compile", "m.mlir", "-o", "m.so", "--weights", "w.safetensors", "--dump-phases", "phases")
    assert result.returncode == 0, result.stderr
    assert (tmp_path / "m.so").stat().st_size < 50_000
    for path in glob.glob(str(tmp_path / "phases" / "*")):
        assert os.path.getsize(path) < 20_000, path
    side = (tmp_path / "m.so.weights").read_bytes()
    assert len(side) == 64 + array.nbytes and side[64:] == array.tobytes()


def test_same_inputs_same_files(call, model, tmp_path):
    for name in ("a.so", "b.so"):
        assert call("compile", model, "-o", name, "--weights", "w.safetensors", "--no-cache").returncode == 0
    for ending in (".so", ".so.weights"):
        assert (tmp_path / f"a{ending}").read_bytes() == (tmp_path / f"b{ending}").read_bytes()


def test_types_that_numpy_lacks(call, tmp_path):
    """bf16 from safetensors' own type and from raw bits; fp8 from raw bits."""
    (tmp_path / "m.mlir").write_text("""module {
  func.func public @main(%a: tensor<4xbf16> loc("a"), %b: tensor<4xf8E4M3FN> loc("b"), %c: tensor<4xbf16> loc("c")) -> (tensor<4xbf16>, tensor<4xf8E4M3FN>, tensor<4xbf16>) {
    return %a, %b, %c : tensor<4xbf16>, tensor<4xf8E4M3FN>, tensor<4xbf16>
  }
}
""")
    half, byte = np.array([0x3f80, 0x4000, 0xc040, 0x0001], np.uint16), np.array([1, 0x38, 0x7e, 0xb8], np.uint8)
    safetensors(tmp_path / "w.safetensors", {"a": (half, "BF16"), "b": (byte, None), "c": (half, None)})
    assert call("compile", "m.mlir", "-o", "m.so", "--weights", "w.safetensors").returncode == 0
    assert call("run", "m.so", "--output", "o.npz").returncode == 0
    out = np.load(tmp_path / "o.npz")
    assert out["out0"].tobytes() == out["out2"].tobytes() == half.tobytes() and out["out1"].tobytes() == byte.tobytes()


@pytest.mark.parametrize("arrays, code, seen", [
    ({"params.w": W, "extra": B}, "D3004", "the array `extra` belongs to no argument"),
    ({"params.w": W.astype(np.int32)}, "D1004", "`params['w']` is a `tensor<3x4xf32>`"),
    ({"params.w": W.T.copy()}, "D1004", "the array has the shape [4x3], but the argument `params['w']` is a `tensor<3x4xf32>`"),
    ({"state": STATE}, "D3006", "the argument `state` is donated to result 0"),
])
@pytest.mark.parametrize("command", [("compile", "-o", "x.so"), ("run",), ("run", "--interpret"), ("bench",), ("plan",), ("why",)])
def test_weights_that_do_not_fit(call, model, tmp_path, arrays, code, seen, command):
    write(tmp_path / "bad.safetensors", **arrays)
    before = sorted(os.listdir(tmp_path))
    result = call(command[0], model, *command[1:], "--weights", "bad.safetensors")
    assert result.returncode == 3 and f"error {code}: " in result.stderr and seen in result.stderr, result.stderr
    assert result.stderr.startswith("bad.safetensors") and "hint: " in result.stderr
    assert sorted(os.listdir(tmp_path)) == before


def test_remedy_names_the_arguments(call, model, tmp_path):
    write(tmp_path / "bad.npz", extra=B)
    hint = call("compile", model, "-o", "x.so", "--weights", "bad.npz").stderr.split("hint: ")[1]
    assert all(f"`{name}`" in hint for name in ("x", "params['w']", "params['b']", "state", "in0"))


def test_unreadable_file(call, model):
    result = call("compile", model, "-o", "x.so", "--weights", "none.safetensors")
    assert result.returncode == 1 and "error D1001: " in result.stderr


def checkpoint(folder, weight_map=None, **files):
    """Writes array files with the index that Hugging Face's libraries write."""
    for name, arrays in files.items():
        write(folder / f"{name}.safetensors", **arrays)
    weight_map = weight_map or {array: f"{name}.safetensors" for name, arrays in files.items() for array in arrays}
    (folder / "model.safetensors.index.json").write_text(json.dumps({"metadata": {"total_size": 64}, "weight_map": weight_map}))
    return "--weights", "model.safetensors.index.json"


@pytest.mark.parametrize("mode", ["image", "run", "interpret", "check"])
@pytest.mark.parametrize("folder", [".", "hub"])
def test_binds_arrays_of_several_files(call, model, tmp_path, mode, folder):
    (tmp_path / "hub").mkdir()
    # The second file begins with the name that sorts last, and has an array that the index omits.
    _, index = checkpoint(tmp_path / folder, {"params.w": "a-00002.safetensors", "params['b']": "a-00001.safetensors"},
                          **{"a-00002": {"params.w": W, "left out": B}, "a-00001": {"params['b']": B}})
    weights = ("--weights", f"{folder}/{index}")
    if mode == "check":
        assert call("check", model, *weights, "--input", "rest.npz").returncode == 0
        return
    program, options = model, weights
    if mode == "image":
        assert call("compile", model, "-o", "m.so", *weights).returncode == 0
        assert call("compile", model, "-o", "one.so", "--weights", "w.safetensors").returncode == 0
        assert (tmp_path / "m.so.weights").read_bytes() == (tmp_path / "one.so.weights").read_bytes()
        for shard in (tmp_path / folder).glob("a-0000*"):
            shard.unlink()  # the image has its own copy beside it
        program, options = "m.so", ()
    elif mode == "interpret":
        options += ("--interpret",)
    result = call("run", program, "--input", "rest.npz", "--expect", "expected.npz", "--rtol", "1e-6", *options)
    assert result.returncode == 0, result.stdout + result.stderr


def test_the_text_of_a_phase_takes_several_files(call, model, tmp_path):
    weights = checkpoint(tmp_path, one={"params.w": W}, two={"params.b": B})
    assert call("compile", model, *weights, "-o", "p.mlir", "--stop-after", "layout").returncode == 0
    assert call("run", "p.mlir", "--start-from", "layout", *weights, "--input", "rest.npz", "--expect", "expected.npz",
                "--rtol", "1e-6").returncode == 0


@pytest.mark.parametrize("weight_map, files, status, code, place, seen", [
    ({"params.w": "one.safetensors", "params.b": "none.safetensors"}, {"one": {"params.w": W}}, 1, "D1001", "none.safetensors",
     "the index `model.safetensors.index.json` says that it has `params.b`"),
    ({"params.w": "one.safetensors", "params.b": "one.safetensors"}, {"one": {"params.w": W}}, 3, "D1003", "one.safetensors",
     "has no array `params.b`"),
    ({"params.w": "one.safetensors", "params.b": "two.safetensors"}, {"one": {"params.w": W, "params.b": B}, "two": {"params.b": B}}, 3, "D1003",
     "one.safetensors", "says that `two.safetensors` has it"),
    ({"params.w": "one.safetensors", "extra": "one.safetensors"}, {"one": {"params.w": W, "extra": B}}, 3, "D3004", "model.safetensors.index.json",
     "the array `extra` belongs to no argument"),
    ({"params.w": "one.safetensors"}, {"one": {"params.w": W.T.copy()}}, 3, "D1004", "model.safetensors.index.json:params.w", "[4x3]"),
    ({"params.w": "../one.safetensors"}, {"one": {"params.w": W}}, 3, "D1003", "model.safetensors.index.json", "names no `.safetensors` file beside it"),
    ({"params.w": "one.npz"}, {"one": {"params.w": W}}, 3, "D1003", "model.safetensors.index.json", "names no `.safetensors` file beside it"),
    ({"params.w": 1}, {"one": {"params.w": W}}, 3, "D1003", "model.safetensors.index.json", "the file of `params.w` is no string"),
])
def test_several_files_that_do_not_fit(call, model, tmp_path, weight_map, files, status, code, place, seen):
    result = call("compile", model, "-o", "x.so", *checkpoint(tmp_path, weight_map, **files))
    assert result.returncode == status and f"{place}: error {code}: " in result.stderr and seen in result.stderr, result.stderr
    assert not (tmp_path / "x.so").exists()


@pytest.mark.parametrize("text, seen", [
    ("", "no JSON object"), ("[]", "no JSON object"), ("{}", "no JSON object"), ('{"weight_map": []}', "no JSON object"),
    ('{"weight_map": ' * 100 + "{}" + "}" * 100, "no JSON object"),
    ('{"weight_map": {"params.w": "one.safetensors", "params.w": "two.safetensors"}}', "`params.w` is there twice"),
])
def test_indices_that_are_none(call, model, tmp_path, text, seen):
    (tmp_path / "model.safetensors.index.json").write_text(text)
    result = call("compile", model, "-o", "x.so", "--weights", "model.safetensors.index.json")
    assert result.returncode == 3 and "model.safetensors.index.json: error D1003: " in result.stderr and seen in result.stderr, result.stderr


def test_an_index_that_names_the_same_metadata_twice_is_one(call, model, tmp_path):
    write(tmp_path / "one.safetensors", **{"params.w": W})
    (tmp_path / "model.safetensors.index.json").write_text(
        '{"metadata": {"a": 1, "a": 2}, "weight_map": {"params.w": "one.safetensors"}}')
    assert call("plan", model, "--weights", "model.safetensors.index.json").returncode == 0


def test_side_file_gone_cut_or_foreign(call, model, tmp_path):
    assert call("compile", model, "-o", "m.so", "--weights", "w.safetensors").returncode == 0
    side = tmp_path / "m.so.weights"
    whole = side.read_bytes()
    run = ("run", "m.so", "--input", "rest.npz")
    side.rename(tmp_path / "elsewhere")
    assert call(*run).returncode == 1
    assert call(*run, "--weights", "elsewhere", "--expect", "expected.npz", "--rtol", "1e-6").returncode == 0
    for content in (b"", whole[:100], whole[:-1], whole + b"x", b"x" + whole[1:], whole[:20] + b"x" + whole[21:]):
        side.write_bytes(content)
        result = call(*run)
        assert result.returncode == 3 and "error D6005: " in result.stderr, result.stderr
    write(tmp_path / "other.safetensors", **{"params.w": W + 1, "params.b": B})
    assert call("compile", model, "-o", "other.so", "--weights", "other.safetensors").returncode == 0
    assert call(*run, "--weights", "other.so.weights").returncode == 3


def test_every_element_is_checked_where_that_is_asked_for(call, model, tmp_path):
    assert call("compile", model, "-o", "m.so", "--weights", "w.safetensors").returncode == 0
    run = ("run", "m.so", "--input", "rest.npz", "--expect", "expected.npz", "--rtol", "1e-6")
    assert call(*run, "--check-weights").returncode == 0
    changed = bytearray((tmp_path / "m.so.weights").read_bytes())
    changed[-3] ^= 1
    (tmp_path / "m.so.weights").write_bytes(changed)
    assert "D6005" not in call(*run).stderr
    result = call(*run, "--check-weights")
    assert result.returncode == 3 and "error D6005: the weight `params['b']` was changed since it was written" in result.stderr
    result = call("run", model, "--weights", "w.safetensors", "--input", "rest.npz", "--check-weights")
    assert result.returncode == 2 and "D3018" in result.stderr


# Loads an image with its weights through the C interface, in a process without LLVM.
THROUGH_C = """
import ctypes, json, sys
import numpy as np
class Options(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("threads", ctypes.c_uint32), ("check", ctypes.c_uint32), ("weights", ctypes.c_char_p)]
class Value(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("type", ctypes.c_char_p), ("dims", ctypes.POINTER(ctypes.c_int64)), ("rank", ctypes.c_size_t),
                ("bytes", ctypes.c_size_t), ("donated", ctypes.c_int64), ("layout", ctypes.c_void_p), ("is_static", ctypes.c_int)]
library, image, weights = sys.argv[1:4]
runtime = ctypes.CDLL(library)
for name in ("drumlin_load", "drumlin_run", "drumlin_error_code"):
    getattr(runtime, name).restype = ctypes.c_void_p
runtime.drumlin_argument_count.restype = ctypes.c_size_t
def check(error):
    if error:
        runtime.drumlin_error_code.restype = ctypes.c_char_p
        print(runtime.drumlin_error_code(ctypes.c_void_p(error)).decode())
        sys.exit(0)
options = Options(ctypes.sizeof(Options), 1, 1, weights.encode() if weights else None)
program = ctypes.c_void_p()
check(runtime.drumlin_load(image.encode(), ctypes.byref(options), ctypes.byref(program)))
names = []
for i in range(runtime.drumlin_argument_count(program)):
    value = Value()
    assert runtime.drumlin_argument(program, ctypes.c_size_t(i), ctypes.byref(value)) == 1
    names.append([value.name.decode(), value.type.decode(), value.dims[:value.rank], value.donated])
x = np.arange(6, dtype=np.float32).reshape(2, 3)
state, out, bias = np.ones((2, 4), np.float32), np.zeros((2, 4), np.float32), np.zeros(4, np.float32)
pointers = lambda arrays: (ctypes.c_void_p * len(arrays))(*[array.ctypes.data for array in arrays])
check(runtime.drumlin_run(program, pointers([x, state]), ctypes.c_size_t(2), pointers([out, bias]), ctypes.c_size_t(2)))
assert not any("LLVM" in line or "MLIR" in line for line in open("/proc/self/maps"))
print(json.dumps([names, out.tolist(), bias.tolist()]))
"""


def hidden():
    """Returns a command prefix that hides all LLVM libraries of the system, if the machine permits; the process's maps are checked
    anyway."""
    paths = [*glob.glob("/usr/lib/*/libLLVM*"), *glob.glob("/usr/lib/*/libMLIR*")]
    folders = glob.glob("/usr/lib/llvm-*")
    mounts = [f"mount --bind /dev/null {path}" for path in paths if os.path.isfile(path)]
    mounts += [f"mount -t tmpfs none {folder}" for folder in folders]
    prefix = ["unshare", "-m", "sh", "-ec", " && ".join([*mounts, 'exec "$@"']), "sh"]
    try:
        return prefix if subprocess.run([*prefix, "true"], capture_output=True).returncode == 0 else []
    except FileNotFoundError:
        return []


def through_c(build_folder, tmp_path, image, weights=""):
    command = [*hidden(), sys.executable, "-c", THROUGH_C, build_folder / "lib" / "libdrumlin_runtime.so", image, weights]
    result = subprocess.run(list(map(str, command)), cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert result.returncode == 0, result.stderr
    return result.stdout.strip()


def test_c_interface_without_llvm(build_folder, call, model, tmp_path):
    assert call("compile", model, "-o", "m.so", "--weights", "w.safetensors").returncode == 0
    signature = [["x", "f32", [2, 3], -1], ["state", "f32", [2, 4], 0]]
    names, out, bias = json.loads(through_c(build_folder, tmp_path, tmp_path / "m.so"))
    assert names == signature and bias == B.tolist()
    np.testing.assert_allclose(out, X @ W + B + STATE, rtol=1e-6)
    # The side file is loaded from another path; a changed element is refused.
    side = tmp_path / "m.so.weights"
    side.rename(tmp_path / "elsewhere")
    assert json.loads(through_c(build_folder, tmp_path, tmp_path / "m.so", "elsewhere"))[2] == B.tolist()
    changed = bytearray((tmp_path / "elsewhere").read_bytes())
    changed[-1] ^= 1
    side.write_bytes(changed)
    assert through_c(build_folder, tmp_path, tmp_path / "m.so") == "D6005"
    side.unlink()
    assert through_c(build_folder, tmp_path, tmp_path / "m.so") == "D1001"
