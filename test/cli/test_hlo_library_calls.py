"""Calls of GEMM libraries in XLA's text for GPUs are read as the operations that they compute."""
import json
import subprocess

import ml_dtypes
import numpy as np
import pytest

TYPES = {"f32": np.float32, "bf16": ml_dtypes.bfloat16, "f8e4m3fn": ml_dtypes.float8_e4m3fn}


def shape(array):
    name = next(name for name, type in TYPES.items() if array.dtype == type)
    return f"{name}[{','.join(map(str, array.shape))}]"


def module(target, operands, results, config):
    lines = [f"  p{i} = {shape(operand)} parameter({i})" for i, operand in enumerate(operands)]
    whole = [*map(shape, results), "s8[1024]"]
    lines.append(f"  call = ({', '.join(whole)}) custom-call({', '.join(f'p{i}' for i in range(len(operands)))}), "
                 f"custom_call_target=\"{target}\", backend_config={json.dumps({'gemm_backend_config': config}, separators=(',', ':'))}")
    lines += [f"  r{i} = {shape(result)} get-tuple-element(call), index={i}" for i, result in enumerate(results)]
    lines.append(f"  ROOT r = ({', '.join(map(shape, results))}) tuple({', '.join(f'r{i}' for i in range(len(results)))})")
    return "HloModule m\n\nENTRY main {\n" + "\n".join(lines) + "\n}\n"


def config(lhs=(1,), rhs=(0,), batch=(), epilogue="DEFAULT", **more):
    dimensions = {"lhs_contracting_dimensions": [*map(str, lhs)], "rhs_contracting_dimensions": [*map(str, rhs)],
                  "lhs_batch_dimensions": [*map(str, batch)], "rhs_batch_dimensions": [*map(str, batch)]}
    return {"alpha_real": 1, "alpha_imag": 0, "beta": 0, "dot_dimension_numbers": dimensions, "epilogue": epilogue, **more}


def storable(array):
    return array if array.dtype == np.float32 else array.view({1: np.uint8, 2: np.uint16}[array.dtype.itemsize])


def run(build_folder, folder, text, operands, results):
    (folder / "m.hlo").write_text(text)
    np.savez(folder / "inputs.npz", **{f"in{i}": storable(operand) for i, operand in enumerate(operands)})
    done = subprocess.run([build_folder / "bin" / "drumlin", "run", "m.hlo", "--input", "inputs.npz", "--output", "out.npz"], cwd=folder,
                          capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    with np.load(folder / "out.npz") as arrays:
        got = [arrays[f"out{i}"] for i in range(len(results))]
    return [array if array.dtype == result.dtype else array.view(result.dtype) for array, result in zip(got, results)]


def gelu(x):
    return 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))


@pytest.fixture
def random():
    return np.random.default_rng(3)


def test_scaled_f8_with_bias_gelu_and_largest(build_folder, tmp_path, random):
    a = (random.standard_normal((16, 32)) * 4).astype(ml_dtypes.float8_e4m3fn)
    b = (random.standard_normal((24, 32)) * 4).astype(ml_dtypes.float8_e4m3fn)
    scales = [np.float32(each).reshape(()) for each in (0.25, 0.5, 1, 40)]
    bias = random.standard_normal(24).astype(ml_dtypes.bfloat16)
    operands = [a, b, *scales, bias]
    results = [np.zeros((16, 24), ml_dtypes.float8_e4m3fn), np.zeros((), np.float32)]
    text = module("__cublas$lt$matmul$f8", operands, results, config(rhs=(1,), epilogue="BIAS_GELU", damax_output=True))
    got, largest = run(build_folder, tmp_path, text, operands, results)
    x = gelu(a.astype(np.float64) @ b.astype(np.float64).T * 0.125 + bias.astype(np.float64))
    expected = np.clip(x * 40, -448, 448)
    assert np.abs(got.astype(np.float64) - expected).max() <= np.abs(expected).max() / 16
    assert (got.astype(np.float64).max() == 448) == (expected.max() == 448) and expected.max() == 448
    np.testing.assert_allclose(largest, np.abs(x).max(), rtol=1e-5)


# Two scales belong to A and B. If there are three, D has an f8 type and the third scale. If there are four, the third belongs to C and the
# fourth to D.
@pytest.mark.parametrize("scales", [2, 3, 4])
@pytest.mark.parametrize("beta, bias", [(0, False), (0, True), (2, True)])
def test_f8_with_the_scales_that_there_are(build_folder, tmp_path, random, scales, beta, bias):
    a, b = ((random.standard_normal(each) * 4).astype(ml_dtypes.float8_e4m3fn) for each in ((16, 32), (24, 32)))
    c, added = (random.standard_normal(each).astype(ml_dtypes.bfloat16) for each in ((16, 24), (24,)))
    values = {2: (0.25, 0.5), 3: (0.25, 0.5, 1.5), 4: (0.25, 0.5, 1.25, 1.5)}[scales]
    operands = [a, b] + [c] * (beta != 0) + [np.float32(each).reshape(()) for each in values] + [added] * bias
    result = np.zeros((16, 24), ml_dtypes.bfloat16 if scales == 2 else ml_dtypes.float8_e4m3fn)
    text = module("__cublas$lt$matmul$f8", operands, [result], config(rhs=(1,), beta=beta, epilogue="BIAS" if bias else "DEFAULT"))
    got, = run(build_folder, tmp_path, text, operands, [result])
    x = a.astype(np.float64) @ b.astype(np.float64).T * 0.125
    x += beta * (1.25 if scales == 4 else 1) * c.astype(np.float64) + bias * added.astype(np.float64)
    expected = np.clip(x * 1.5, -448, 448) if scales > 2 else x
    assert np.abs(got.astype(np.float64) - expected).max() <= np.abs(expected).max() / (256 if scales == 2 else 16)
    folded = subprocess.run([build_folder / "bin" / "drumlin", "print", "m.hlo", "--fold"], cwd=tmp_path, capture_output=True, text=True).stdout
    for role in ("a_scale", "b_scale", "c_scale", "d_scale"):
        assert (f"{role} = " in folded) == (role in ("a_scale", "b_scale") or scales == 4 or (scales == 3 and role == "d_scale")), folded


@pytest.mark.parametrize("target", ["__cublas$gemm", "__cublas$lt$matmul"])
def test_alpha_beta_and_batches(build_folder, tmp_path, random, target):
    a, b, c = (random.standard_normal(each).astype(np.float32) for each in ((3, 8, 5), (3, 5, 7), (3, 8, 7)))
    text = module(target, [a, b, c], [c], config(lhs=(2,), rhs=(1,), batch=(0,), alpha_real=0.5, beta=2))
    got, = run(build_folder, tmp_path, text, [a, b, c], [c])
    np.testing.assert_allclose(got, 0.5 * a.astype(np.float64) @ b + 2 * c, rtol=1e-5, atol=1e-5)


def test_relu_of_bias(build_folder, tmp_path, random):
    a, b, bias = (random.standard_normal(each).astype(np.float32) for each in ((8, 5), (5, 7), (7,)))
    result = np.zeros((8, 7), np.float32)
    text = module("__cublas$lt$matmul", [a, b, bias], [result], config(epilogue="BIAS_RELU"))
    got, = run(build_folder, tmp_path, text, [a, b, bias], [result])
    np.testing.assert_allclose(got, np.maximum(a.astype(np.float64) @ b + bias, 0), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("changed", [{"epilogue": "GELU_AUX"}, {"alpha_imag": 1}, {"beta": 1}, {"dot_dimension_numbers": None}])
def test_what_is_not_known_stays_a_call(build_folder, tmp_path, random, changed):
    a, b = (random.standard_normal(each).astype(np.float32) for each in ((8, 5), (5, 7)))
    (tmp_path / "m.hlo").write_text(module("__cublas$lt$matmul", [a, b], [np.zeros((8, 7), np.float32)], config() | changed))
    done = subprocess.run([build_folder / "bin" / "drumlin", "convert", "m.hlo", "-o", "m.mlir", "--emit", "text"], cwd=tmp_path, capture_output=True,
                          text=True)
    assert done.returncode == 0, done.stderr
    written = (tmp_path / "m.mlir").read_text()
    assert "stablehlo.custom_call @__cublas$lt$matmul" in written and "dot_general" not in written
