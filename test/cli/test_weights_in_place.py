"""Weights used in place in the user's file: nothing is copied, the numbers are the same, and another file is detected."""
import json
import os
import re
import struct

import jax
import numpy as np
import pytest

from benchmarks import large_program, llama
from test_weights import B, MODEL, STATE, W, X, safetensors, through_c

IN_PLACE = ("--weights", "w.safetensors", "--weights-in-place")
RUN = ("run", "m.so", "--input", "rest.npz", "--expect", "expected.npz", "--rtol", "1e-6", "--weights")
LIMIT = 4000  # MB


@pytest.fixture
def model(tmp_path):
    (tmp_path / "model.mlir").write_text(MODEL)
    np.savez(tmp_path / "rest.npz", in0=X, in1=STATE)
    np.savez(tmp_path / "expected.npz", out0=X @ W + B + STATE, out1=B)
    safetensors(tmp_path / "w.safetensors", {"params['w']": (W, None), "params['b']": (B, None)})
    padded(tmp_path / "w.safetensors", 64, 8)
    return "model.mlir"


def header_of(path):
    content = path.read_bytes()
    end = 8 + struct.unpack_from("<Q", content)[0]
    return content[8:end], content[end:]


def padded(path, multiple, rest=0):
    """Pads the header so that the elements' offset in the file is a multiple of `multiple`, plus `rest`."""
    text, data = header_of(path)
    text = text.rstrip()
    text += b" " * ((rest - 8 - len(text)) % multiple)
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)


def compiled(call, model, *options, output="m.so"):
    done = call("compile", model, "-o", output, *options)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("how", ["sampled", "hashed"])
def test_no_copy_is_written(call, model, tmp_path, how):
    summary = compiled(call, model, *IN_PLACE, how)
    assert "in place" in summary and not (tmp_path / "m.so.weights").exists()
    assert call(*RUN, "w.safetensors").returncode == 0
    # The image also finds the weights through a link to their file at the side file's path.
    (tmp_path / "m.so.weights").symlink_to("w.safetensors")
    assert call(*RUN[:-1]).returncode == 0
    compiled(call, model, *IN_PLACE, how)
    assert (tmp_path / "m.so.weights").is_symlink() and call(*RUN[:-1]).returncode == 0


def test_programs_that_run_at_once(call, model):
    for extra in ((), ("--interpret", "--stop-after", "layout")):
        done = call("run", model, *IN_PLACE, "sampled", "--input", "rest.npz", "--expect", "expected.npz", "--rtol", "1e-6", *extra)
        assert done.returncode == 0, done.stderr


def test_same_inputs_same_image(call, model, tmp_path):
    """The image doesn't depend on the file's name and times, nor on the number of threads that compute the hashes."""
    (tmp_path / "other").mkdir()
    copy = tmp_path / "other" / "copy.safetensors"
    copy.write_bytes((tmp_path / "w.safetensors").read_bytes())
    os.utime(copy, (0, 0))
    compiled(call, model, *IN_PLACE, "hashed", "--num-parallel-jobs", "1", output="a.so")
    compiled(call, model, "--weights", copy, "--weights-in-place", "hashed", "--no-cache", output="b.so")
    assert (tmp_path / "a.so").read_bytes() == (tmp_path / "b.so").read_bytes()


def refused(call, command, code, where, what):
    done = call(*command)
    assert done.returncode in (1, 3) and done.stderr.startswith(f"{where}: error {code}: ") and what in done.stderr, done.stderr
    assert "hint: " in done.stderr
    return done.stderr


def test_other_files_are_refused(call, model, tmp_path):
    compiled(call, model, *IN_PLACE, "sampled")
    path = tmp_path / "other.safetensors"

    def expect(what, code="D6005"):
        message = refused(call, (*RUN, "other.safetensors"), code, "other.safetensors", what)
        assert "the file that the program was compiled with" in message
    expect("the image uses its weights in place", code="D1001")
    whole = (tmp_path / "w.safetensors").read_bytes()
    for content in (b"", whole[:4], whole[:-1], whole + b"\0"):
        path.write_bytes(content)
        expect(f"the file of weights has {len(content)} bytes")
    text, data = header_of(tmp_path / "w.safetensors")
    # Arrays with changed offsets, names or shapes, in a file of the same size.
    for header in (text.replace(b"[0, 48]", b"[00, 4]"), text.replace(b"'b'", b"'c'"), text.replace(b"[3, 4]", b"[4, 3]")):
        assert header != text and len(header) == len(text)
        path.write_bytes(struct.pack("<Q", len(header)) + header + data)
        expect("another header")
    path.write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]))
    expect("the weight `params['b']` isn't the one")
    path.write_bytes(b"\xff" * 8 + whole[8:])
    expect("another header")


def test_default_place_says_what_is_missing(call, model):
    compiled(call, model, *IN_PLACE, "sampled")
    refused(call, RUN[:-1], "D1001", "m.so.weights", "the image uses its weights in place")


def test_checks_of_all_elements(call, tmp_path, build_folder):
    """A large array is identified by samples; only its hash covers the elements between the samples."""
    size = 1 << 16
    (tmp_path / "m.mlir").write_text(f"""module {{
  func.func public @main(%x: tensor<2x3xf32> loc("x"), %state: tensor<2x4xf32> loc("state"), %w: tensor<{size}xf32> loc("w"))
      -> (tensor<2x4xf32>, tensor<4xf32>) {{
    %0 = stablehlo.slice %w [8192:8196] : (tensor<{size}xf32>) -> tensor<4xf32>
    return %state, %0 : tensor<2x4xf32>, tensor<4xf32>
  }}
}}
""")
    array = np.arange(size, dtype=np.float32)
    safetensors(tmp_path / "w.safetensors", {"w": (array, None)})
    padded(tmp_path / "w.safetensors", 8)
    for how in ("sampled", "hashed"):
        compiled(call, "m.mlir", *IN_PLACE, how, output=f"{how}.so")
    assert json.loads(through_c(build_folder, tmp_path, tmp_path / "hashed.so", "w.safetensors"))[2] == array[8192:8196].tolist()
    # The C interface requests a check of all elements, but this image has no hashes.
    assert through_c(build_folder, tmp_path, tmp_path / "sampled.so", "w.safetensors") == "D6005"
    changed = bytearray((tmp_path / "w.safetensors").read_bytes())
    changed[-4 * size + 4 * 8193] ^= 1
    (tmp_path / "w.safetensors").write_bytes(changed)
    assert through_c(build_folder, tmp_path, tmp_path / "hashed.so", "w.safetensors") == "D6005"
    assert call("run", "hashed.so", "--weights", "w.safetensors", "--input", "random:1").returncode == 0
    for how in ("sampled", "hashed"):
        refused(call, ("run", f"{how}.so", "--weights", "w.safetensors", "--input", "random:1", "--check-weights"), "D6005", "w.safetensors",
                "hashes" if how == "sampled" else "an element of the weight `w`")
    changed[-1] ^= 1
    (tmp_path / "w.safetensors").write_bytes(changed)
    refused(call, ("run", "hashed.so", "--weights", "w.safetensors", "--input", "random:1"), "D6005", "w.safetensors", "the weight `w`")


PRODUCT = """module @product {{
  func.func public @main(%x: tensor<{m}x{k}x{type}> loc("x"), %w: tensor<{shape}x{type}> loc("w")) -> tensor<{m}x{n}x{type}> {{
    {prepare}%0 = stablehlo.dot_general %x, %{used}, contracting_dims = [1] x [{contracted}] : (tensor<{m}x{k}x{type}>, tensor<{of}x{type}>) -> tensor<{m}x{n}x{type}>
    return %0 : tensor<{m}x{n}x{type}>
  }}
}}
"""


def product(m, spelling, type="f32", k=96, n=48):
    shapes = {"canonical": (k, n), "checkpoint": (n, k), "panels": (n // 16, k, 16)}
    text = "x".join(map(str, shapes[spelling]))
    if spelling == "panels":
        prepare = (f"%t = stablehlo.transpose %w, dims = [1, 0, 2] : (tensor<{text}x{type}>) -> tensor<{k}x{n // 16}x16x{type}>\n"
                   f"    %r = stablehlo.reshape %t : (tensor<{k}x{n // 16}x16x{type}>) -> tensor<{k}x{n}x{type}>\n    ")
        return PRODUCT.format(m=m, k=k, n=n, type=type, shape=text, prepare=prepare, used="r", contracted=0, of=f"{k}x{n}"), shapes[spelling]
    return PRODUCT.format(m=m, k=k, n=n, type=type, shape=text, prepare="", used="w", contracted=int(spelling == "checkpoint"), of=text), shapes[spelling]


@pytest.mark.parametrize("cpu", ["baseline", "avx2", "avx512", "avx512,+emulated-tiles"])
@pytest.mark.parametrize("type, kind", [("f32", None), ("bf16", "BF16")])
def test_kernels_read_them_at_any_place(call, tmp_path, cpu, type, kind):
    """Kernels read arrays at any address that is a multiple of the element size, as in the file; arrays that Drumlin allocates are aligned to
    64 bytes."""
    generator = np.random.default_rng(1)
    for spelling in ("canonical", "checkpoint", "panels"):
        for m in (1, 64):
            text, shape = product(m, spelling, type)
            (tmp_path / "p.mlir").write_text(text)
            wide = generator.standard_normal(shape).astype(np.float32)
            array = wide if type == "f32" else (wide.view(np.uint32) >> 16).astype(np.uint16)
            safetensors(tmp_path / "w.safetensors", {"w": (array, kind)})
            padded(tmp_path / "w.safetensors", 64, 2 * array.itemsize)
            compiled(call, "p.mlir", *IN_PLACE, "sampled", "--target-cpu", cpu)
            inputs = ("--input", "random:1")
            expected = call("run", "p.mlir", "--weights", "w.safetensors", "--interpret", *inputs, "--output", "expected.npz")
            assert expected.returncode == 0, expected.stderr
            done = call("run", "m.so", "--weights", "w.safetensors", *inputs, "--expect", "expected.npz", "--rtol", "2e-2" if kind else "2e-5")
            if "D6004" in done.stderr:
                return  # this machine's processor lacks the instructions of this target
            assert done.returncode == 0, (spelling, m, done.stdout, done.stderr)


def test_ledger_says_what_is_left_undone(call, tmp_path):
    """For many rows, weights in panels would be faster, but weights in place keep their layout. The ledger has the declined decision with both
    times."""
    text, shape = product(64, "checkpoint", k=512, n=256)
    (tmp_path / "p.mlir").write_text(text)
    safetensors(tmp_path / "w.safetensors", {"w": (np.ones(shape, np.float32), None)})
    padded(tmp_path / "w.safetensors", 8)
    options = ("--target-cpu", "avx512")
    assert "block-layout: taken" in call("why", "p.mlir", "--weights", "w.safetensors", *options).stdout
    why = call("why", "p.mlir", *IN_PLACE, "sampled", *options).stdout
    assert "bind-weight: taken: used in place in the file" in why
    declined = next(line for line in why.splitlines() if "block-layout: weight-in-place" in line)
    assert "in panels" in declined and "drop `--weights-in-place`" in declined, declined
    assert call("compile", "p.mlir", *IN_PLACE, "sampled", *options, "-o", "l.mlir", "--stop-after", "layout").returncode == 0
    placed = (tmp_path / "l.mlir").read_text()
    assert "plan.weights_in_place" in placed and "plan.layout" not in placed
    # When a phase's text is compiled, --weights-in-place must be given again: without it, the weights are copied into a side file.
    compiled(call, "l.mlir", "--start-from", "layout", *IN_PLACE, "hashed", *options)
    assert not (tmp_path / "m.so.weights").exists()
    compiled(call, "l.mlir", "--start-from", "layout", "--weights", "w.safetensors", *options)
    assert (tmp_path / "m.so.weights").exists()


def test_ledger_says_which_order_a_product_would_have_liked(call, tmp_path):
    text, shape = product(20, "checkpoint", k=64)
    (tmp_path / "p.mlir").write_text(text)
    safetensors(tmp_path / "w.safetensors", {"w": (np.ones(shape, np.float32), None)})
    padded(tmp_path / "w.safetensors", 8)
    options = ("--target-cpu", "avx512")
    assert "assign-layout: taken: stored as {0,1}" in call("why", "p.mlir", "--weights", "w.safetensors", *options).stdout
    why = call("why", "p.mlir", *IN_PLACE, "sampled", *options).stdout
    declined = next(line for line in why.splitlines() if "assign-layout: weight-in-place" in line)
    assert re.search(r"unfused: [1-9]\d* bytes", declined), declined


def test_what_cannot_lie_in_place(call, model, tmp_path):
    compile = ("compile", model, "-o", "m.so")
    np.savez(tmp_path / "w.npz", **{"params.w": W, "params.b": B})
    refused(call, (*compile, "--weights", "w.npz", "--weights-in-place", "sampled"), "D3024", "w.npz", "only the arrays of one `.safetensors` file")
    index = {"weight_map": {"params.w": "w.safetensors", "params.b": "w.safetensors"}}
    safetensors(tmp_path / "w.safetensors", {"params.w": (W, None), "params.b": (B, None)})
    (tmp_path / "w.index.json").write_text(json.dumps(index))
    refused(call, (*compile, "--weights", "w.index.json", "--weights-in-place", "sampled"), "D3024", "w.index.json",
            "only the arrays of one `.safetensors` file")
    for options in (("--weights-in-place", "sampled"), (*IN_PLACE, "sampled", "--interpret")):
        done = call("run", model, *options, "--input", "rest.npz")
        assert done.returncode == 2 and "error D3018: " in done.stderr, done.stderr
    assert call("compile", model, "-o", "m.so", *IN_PLACE, "everything").returncode == 2
    # The phases before this text have already changed the weight's layout, so it can't be used in place.
    text, shape = product(64, "checkpoint", k=512, n=256)
    (tmp_path / "p.mlir").write_text(text)
    safetensors(tmp_path / "p.safetensors", {"w": (np.ones(shape, np.float32), None)})
    options = ("--weights", "p.safetensors", "--target-cpu", "avx512")
    assert call("compile", "p.mlir", *options, "-o", "l.mlir", "--stop-after", "layout").returncode == 0
    refused(call, ("compile", "l.mlir", "--start-from", "layout", *options, "--weights-in-place", "sampled", "-o", "m.so"), "D3024", "p.safetensors:w",
            "in another layout than the file")
    assert not (tmp_path / "m.so").exists()


def test_small_arrays_that_code_cannot_read_there_are_copied(call, tmp_path):
    """Booleans, and arrays misaligned by a header of odd length, are copied into the image; the ledger records it."""
    (tmp_path / "m.mlir").write_text("""module {
  func.func public @main(%a: tensor<3xi1> loc("a"), %b: tensor<2xf32> loc("b"), %c: tensor<0xf32> loc("c"), %d: tensor<2xf32> loc("d"))
      -> (tensor<3xi1>, tensor<2xf32>, tensor<0xf32>, tensor<2xf32>) {
    return %a, %b, %c, %d : tensor<3xi1>, tensor<2xf32>, tensor<0xf32>, tensor<2xf32>
  }
}
""")
    numbers = np.array([1.5, -2], np.float32)
    arrays = {"d": (numbers * 2, None), "a": (np.array([0, 2, 1], np.uint8), "BOOL"), "c": (np.zeros(0, np.float32), None), "b": (numbers, None)}
    safetensors(tmp_path / "w.safetensors", arrays)
    padded(tmp_path / "w.safetensors", 8)
    compiled(call, "m.mlir", *IN_PLACE, "hashed")
    assert call("run", "m.so", "--weights", "w.safetensors", "--output", "o.npz").returncode == 0
    out = np.load(tmp_path / "o.npz")
    assert out["out0"].tolist() == [False, True, True] and out["out1"].tolist() == [1.5, -2] and out["out3"].tolist() == [3, -4]
    why = call("why", "m.so").stdout
    assert why.count("copied into the image") == 3 and "argument `d`: bind-weight: taken: used in place" in why
    # No array in the file has the layout that the kernels read: all are copied into the image, which needs no file.
    padded(tmp_path / "w.safetensors", 2, 1)
    safetensors(tmp_path / "w.safetensors", {name: arrays[name] for name in ("a", "c", "b", "d")})
    padded(tmp_path / "w.safetensors", 8)
    assert "in place" not in compiled(call, "m.mlir", *IN_PLACE, "sampled")
    assert call("run", "m.so", "--output", "o.npz").returncode == 0 and np.load(tmp_path / "o.npz")["out3"].tolist() == [3, -4]


def test_large_arrays_are_not_copied_unasked(call, tmp_path):
    size = (1 << 22) + 1
    (tmp_path / "m.mlir").write_text(f"""module {{
  func.func public @main(%w: tensor<{size}xf32> loc("w")) -> tensor<4xf32> {{
    %0 = stablehlo.slice %w [0:4] : (tensor<{size}xf32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }}
}}
""")
    safetensors(tmp_path / "w.safetensors", {"w": (np.zeros(size, np.float32), None)})
    padded(tmp_path / "w.safetensors", 4, 1)
    message = refused(call, ("compile", "m.mlir", "-o", "m.so", *IN_PLACE, "sampled"), "D3024", "w.safetensors:w", "at a multiple of 4 bytes")
    assert "a header that ends at a multiple of 8 bytes" in message


def arguments_of(config, step, stacked):
    """Returns the arguments of a step, and the arrays of its weights by name."""
    generator = np.random.default_rng(3)
    function, shapes, _ = llama.STEPS[step](config, stacked)

    def draw(leaf):
        if leaf.dtype == "int32":
            return generator.integers(1, config.context - 1 if leaf.shape == () else config.vocabulary, leaf.shape).astype(np.int32)
        return (generator.standard_normal(leaf.shape) * 0.2).astype(np.float32)
    values = jax.tree.map(draw, shapes)
    named = dict(zip((name for name, _ in llama.named_weights(config, stacked)), jax.tree.leaves(values[:2])))
    return function, values, named


@pytest.mark.parametrize("stacked", [False, True], ids=["unrolled", "stacked"])
@pytest.mark.parametrize("step", llama.STEPS)
@pytest.mark.parametrize("alignment", [8, 64])
def test_llama_like_jax(call, tmp_path, step, stacked, alignment):
    """A small llama model gives JAX's numbers with weights in place and with copied weights. The next test compiles a large one."""
    config = llama.dataclasses.replace(llama.SMALL, dtype="float32")
    function, values, named = arguments_of(config, step, stacked)
    (tmp_path / "m.mlir").write_text(llama.program(config, step, stacked))
    llama.write_weights(tmp_path / "w.safetensors", config, stacked, arrays=named, alignment=alignment)
    np.savez(tmp_path / "in.npz", **{f"in{i}": each for i, each in enumerate(jax.tree.leaves(values[2:]))})
    expected = jax.tree.leaves(jax.jit(function)(*values))
    np.savez(tmp_path / "expected.npz", **{f"out{i}": np.asarray(each) for i, each in enumerate(expected)})
    compare = ("--input", "in.npz", "--expect", "expected.npz", "--rtol", "2e-5")
    compiled(call, "m.mlir", *IN_PLACE, "sampled")
    for command in (("m.so", "--weights", "w.safetensors"), ("m.mlir", "--weights", "w.safetensors")):
        done = call("run", *command, *compare)
        assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("stacked", [False, True], ids=["unrolled", "stacked"])
@pytest.mark.parametrize("step", llama.STEPS)
def test_seventy_billion_weights_fit_a_small_machine(build_folder, tmp_path, environment, monkeypatch, step, stacked):
    """80 layers of width 8,192, with 138 GB of weights, compile within 4 GB; `./dev bench large_llama` measures the time."""
    monkeypatch.setenv("DRUMLIN_CACHE", environment["DRUMLIN_CACHE"])
    llama.write(tmp_path, llama.LARGE, step, stacked)
    assert (tmp_path / "weights.safetensors").stat().st_size > 137e9
    drumlin = build_folder / "bin" / "drumlin"
    command = (drumlin, "compile", f"{step}.mlir", "-o", "m.so", "--weights", "weights.safetensors", "--weights-in-place", "sampled")
    _, megabytes = large_program.measure(command, tmp_path)
    assert megabytes < LIMIT
    assert {path.name for path in tmp_path.iterdir()} == {f"{step}.mlir", "weights.safetensors", "m.so"}
