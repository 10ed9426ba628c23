"""Array input and output: every form of --input and --output, for every element type; files are written completely or not at all."""
import json
import os
import struct

import ml_dtypes
import numpy as np
import pytest

# NumPy's type for an MLIR type; types that NumPy lacks are stored as unsigned integers of the same width (RAW).
NATIVE = {"i1": "bool", "i8": "int8", "i16": "int16", "i32": "int32", "i64": "int64", "ui8": "uint8", "ui16": "uint16",
          "ui32": "uint32", "ui64": "uint64", "f16": "float16", "f32": "float32", "f64": "float64"}
RAW = {"bf16": ("uint16", "bfloat16"), "f8E4M3FN": ("uint8", "float8_e4m3fn"), "f8E5M2": ("uint8", "float8_e5m2"),
       "f8E4M3": ("uint8", "float8_e4m3"), "f8E3M4": ("uint8", "float8_e3m4"), "f8E4M3FNUZ": ("uint8", "float8_e4m3fnuz"),
       "f8E5M2FNUZ": ("uint8", "float8_e5m2fnuz"), "f8E4M3B11FNUZ": ("uint8", "float8_e4m3b11fnuz")}
SHAPE = (2, 3)


def identity(tmp_path, *types):
    """Writes a program that returns its arguments."""
    arguments = ", ".join(f"%a{i}: tensor<2x3x{kind}>" for i, kind in enumerate(types))
    kinds = ", ".join(f"tensor<2x3x{kind}>" for kind in types)
    names = ", ".join(f"%a{i}" for i in range(len(types)))
    results = f"({kinds})" if len(types) != 1 else kinds
    (tmp_path / "same.mlir").write_text(f"module {{\n  func.func public @main({arguments}) -> {results} {{\n"
                                        f"    return {names} : {kinds}\n  }}\n}}\n")
    return "same.mlir"


def bits(kind):
    """Returns six elements of the type in NumPy's representation: among them the largest bit pattern, and NaN for floats."""
    if kind == "i1":
        return np.array([True, False, True, True, False, False]).reshape(SHAPE)
    if kind in RAW:
        base = np.dtype(RAW[kind][0])
        return np.array([0, 1, 0x42, 0x7f, 0x80, 2**(8 * base.itemsize) - 1], base).reshape(SHAPE)
    base = np.dtype(NATIVE[kind])
    return np.frombuffer(bytes(range(1, 5 * base.itemsize + 1)) + b"\xff" * base.itemsize, base).reshape(SHAPE)


def safetensors(path, arrays):
    kinds = {"float32": "F32", "int32": "I32", "bool": "BOOL"}
    header, data = {}, b""
    for name, array in arrays.items():
        header[name] = {"dtype": kinds[array.dtype.name], "shape": list(array.shape),
                        "data_offsets": [len(data), len(data) + array.nbytes]}
        data += array.tobytes()
    text = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)


@pytest.mark.parametrize("mode", [(), ("--interpret",)])
@pytest.mark.parametrize("kind", [*NATIVE, *RAW])
def test_every_type_and_file_keeps_its_bits(call, tmp_path, kind, mode):
    program, array = identity(tmp_path, kind), bits(kind)
    np.save(tmp_path / "in.npy", array)
    (tmp_path / "folder").mkdir()
    # Converts .npy to .npz, the .npz to safetensors, and the safetensors to a folder of .npy files.
    steps = [("in.npy", "a.npz"), ("b.npz", "c.safetensors"), ("d.npz", "folder")]
    for source, target in steps:
        if source != "in.npy":
            np.savez(tmp_path / source, in0=array)
        result = call("run", program, "--input", source, "--output", target, *mode)
        assert result.returncode == 0, result.stderr
    for got in (np.load(tmp_path / "a.npz")["out0"], np.load(tmp_path / "folder" / "out0.npy")):
        assert got.shape == SHAPE and got.dtype.itemsize == array.dtype.itemsize
        assert got.tobytes() == array.tobytes()
    raw = (tmp_path / "c.safetensors").read_bytes()
    length, = struct.unpack("<Q", raw[:8])
    entry = json.loads(raw[8:8 + length])["out0"]
    first, last = entry["data_offsets"]
    assert tuple(entry["shape"]) == SHAPE and raw[8 + length:][first:last] == array.tobytes()
    # `--expect` reads the same file.
    if not np.isnan(array.view(RAW[kind][1]) if kind in RAW else array).any():
        assert call("run", program, "--input", source, "--expect", "c.safetensors", "--rtol", "0", *mode).returncode == 0


def test_one_file_for_all_arguments(call, add, tmp_path):
    arrays = {"in0": np.array([1, 2, 3, 4], np.float32), "in1": np.array([10, 20, 30, 40], np.float32)}
    np.savez(tmp_path / "in.npz", **arrays)
    safetensors(tmp_path / "in.safetensors", arrays)
    for name in ("in.npz", "in.safetensors"):
        assert call("run", add, "--input", name, "--output", "out.npz").returncode == 0
        np.testing.assert_array_equal(np.load(tmp_path / "out.npz")["out0"], [11, 22, 33, 44])


def test_zeros_and_linspace(call, add, tmp_path):
    assert call("run", add, "--input", "zeros", "linspace:-1,2", "--output", "out.npz").returncode == 0
    np.testing.assert_array_equal(np.load(tmp_path / "out.npz")["out0"], np.linspace(-1, 2, 4, dtype=np.float32))


def random(call, tmp_path, program, seed):
    assert call("run", program, "--input", f"random:{seed}", "--output", "out.npz").returncode == 0
    return np.load(tmp_path / "out.npz")["out0"]


def test_random_is_the_seed_s_alone(call, tmp_path):
    program = identity(tmp_path, "f32")
    first, again, other = (random(call, tmp_path, program, seed) for seed in (5, 5, 6))
    assert first.tobytes() == again.tobytes() and not (first == other).any()


def test_distribution_of_random(call, tmp_path):
    for kind in ("f32", "i8"):
        program = identity(tmp_path, kind)
        text = (tmp_path / program).read_text().replace("2x3x", "20000x")
        (tmp_path / program).write_text(text)
        array = random(call, tmp_path, program, 1).astype(np.float64)
        if kind == "f32":  # standard normal: bounds are five standard errors wide
            assert abs(array.mean()) < 5 / 20000**0.5 and abs(array.std() - 1) < 5 / 40000**0.5
        else:  # uniform over the type's range
            assert set(array) == set(range(-128, 128)) and abs(array.mean() + 0.5) < 5 * 74 / 20000**0.5


def test_wrong_shape_type_or_name(call, image, tmp_path):
    good = np.zeros(4, np.float32)
    for arrays in ({"in0": good}, {"in0": good, "in1": np.zeros(5, np.float32)}, {"in0": good, "in1": np.zeros(4, np.float64)},
                   {"in0": good, "in1": np.zeros((4, 1), np.float32)}, {"in0": good, "other": good}):
        np.savez(tmp_path / "in.npz", **arrays)
        result = call("run", image, "--input", "in.npz", "--output", "out.npz")
        assert result.returncode == 3 and "in.npz" in result.stderr and "error D1004: " in result.stderr, result.stderr
        assert "hint: " in result.stderr and not (tmp_path / "out.npz").exists()


@pytest.mark.parametrize("name", ["in.npy", "in.npz", "in.safetensors"])
def test_damaged_array_files(call, image, tmp_path, name):
    array = np.arange(4, dtype=np.float32)
    if name == "in.npy":
        np.save(tmp_path / name, array)
    elif name == "in.npz":
        np.savez(tmp_path / name, in0=array, in1=array)
    else:
        safetensors(tmp_path / name, {"in0": array, "in1": array})
    whole = (tmp_path / name).read_bytes()
    assert call("run", image, "--input", name).returncode == 0
    for length in sorted({*range(0, len(whole), max(1, len(whole) // 25)), len(whole) - 1}):
        (tmp_path / name).write_bytes(whole[:length])
        result = call("run", image, "--input", name)
        assert result.returncode == 3, f"{length} bytes: {result.returncode} {result.stderr}"
        assert name in result.stderr and "error D1003: " in result.stderr


def test_read_only_folder(call, add, locked):
    result = call("compile", add, "-o", locked / "x.so")
    assert result.returncode == 1 and "error D1002: " in result.stderr
    assert not [name for name in os.listdir(locked) if "x.so" in name or "drumlin" in name]
