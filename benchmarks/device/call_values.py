"""Computes with NumPy, in f64, the results expected of a planned cuBLASLt call, by the equation in
drumlin/target/LibraryCall.h.

Operands are small integers and scales are powers of two, so that sums are exact. The result of an
activation is rounded once.
"""

import ml_dtypes
import numpy as np

DTYPES = {
    "CUDA_R_32F": np.float32, "CUDA_R_64F": np.float64, "CUDA_R_16F": np.float16, "CUDA_R_8I": np.int8,
    "CUDA_R_32I": np.int32, "CUDA_R_16BF": ml_dtypes.bfloat16, "CUDA_R_8F_E4M3": ml_dtypes.float8_e4m3fn,
    "CUDA_R_8F_E5M2": ml_dtypes.float8_e5m2, "CUDA_R_8F_UE8M0": ml_dtypes.float8_e8m0fnu,
}  # fmt: skip
SCALE_TYPES = {"VEC16_UE4M3": ml_dtypes.float8_e4m3fn, "VEC32_UE8M0": ml_dtypes.float8_e8m0fnu}
GUARD, FILL = 256, 0xA5  # bytes around each buffer, and their value


def sizes(call):
    """Returns m, n, k."""
    return call["D"]["rows"], call["D"]["cols"], call["A"]["rows" if call["transa"].endswith("T") else "cols"]


def extent(matrix):
    return (matrix["batch_count"] - 1) * matrix["batch_stride"] + (matrix["cols"] - 1) * matrix["ld"] + matrix["rows"]


def places(matrix):
    """Returns the index of each element relative to the pointer: [batch, row, column]."""
    batches, rows, columns = (np.arange(matrix[each]) for each in ("batch_count", "rows", "cols"))
    start = matrix["offset_bytes"] // np.dtype(DTYPES.get(matrix["type"], np.uint8)).itemsize
    return start + batches[:, None, None] * matrix["batch_stride"] + rows[:, None] + columns * matrix["ld"]


def view(elements, matrix):
    return elements[places(matrix)]


def mode_of(scale):
    return scale["mode"].removeprefix("CUBLASLT_MATMUL_MATRIX_SCALE_") if scale else None


def scale_count(scale, free, k):
    """Returns the number of scales in memory. The rows of scales of 128 x 128 blocks are padded to
    a multiple of four."""
    depth = -(-k // 128)
    return {
        "SCALAR_32F": 1, "OUTER_VEC_32F": free, "VEC128_32F": free * depth, "BLK128x128_32F": -(-free // 128) * -(-depth // 4) * 4,
        "VEC32_UE8M0": -(-free // 128) * 128 * -(-k // 128) * 4, "VEC16_UE4M3": -(-free // 128) * 128 * -(-k // 64) * 4,
    }[mode_of(scale)]  # fmt: skip


def scales_of(call, name, buffers):
    """Returns the scale index of each element [free, k] of A or B, as in section 3.1.4 of the
    cuBLAS documentation."""
    m, n, k = sizes(call)
    free, scale = (m if name == "A" else n), call.get(f"scale_{name}")
    if not scale:
        return np.ones((1, 1))
    values, mode = buffers[scale["pointer"]].astype(np.float64), mode_of(scale)
    depth = -(-k // 128)
    if mode == "SCALAR_32F":
        return values[:1].reshape(1, 1)
    if mode == "OUTER_VEC_32F":
        return values[:free].reshape(free, 1)
    if mode == "VEC128_32F":  # the scales of one block of k are contiguous
        return np.repeat(values[: free * depth].reshape(depth, free).T, 128, axis=1)[:, :k]
    if mode == "BLK128x128_32F":  # the scales of one row of blocks are contiguous
        blocks = values.reshape(-1, -(-depth // 4) * 4)[:, :depth]
        return np.repeat(np.repeat(blocks, 128, axis=0)[:free], 128, axis=1)[:, :k]
    raise KeyError(mode)


def needs(call):
    """Returns [(pointer, NumPy type, elements, name)] of each buffer of the call."""
    m, n, k = sizes(call)
    made = []
    for name in "ABCD":
        matrix = call[name]
        dtype = DTYPES[matrix["type"]]
        if matrix["pointer"] != "null":
            made.append((matrix["pointer"], dtype, extent(matrix) + -(-matrix["offset_bytes"] // np.dtype(dtype).itemsize), name))
    for name, free in (("A", m), ("B", n), ("D", m)):
        if scale := call.get(f"scale_{name}"):
            kind = SCALE_TYPES.get(mode_of(scale), np.float32)
            made.append((scale["pointer"], kind, scale_count(scale, free, k), "scale"))
    if bias := call.get("bias") or call.get("bias_gradient"):
        count = max(m, n) + (call["D"]["batch_count"] - 1) * bias["batch_stride"]
        made.append((bias["pointer"], DTYPES[bias["type"]], count, "bias"))
    if aux := call.get("aux"):
        made.append((aux["pointer"], DTYPES[aux["type"]], extent(aux), "aux"))
    if call.get("amax_D"):
        made.append((call["amax_D"], np.float32, 1, "amax"))
    return made


def random_values(random, dtype, count, what):
    if what == "scale":
        return random.choice([0.5, 1, 2], count).astype(dtype)
    if what == "aux":
        return (random.integers(-8, 9, count) / 4).astype(dtype)
    largest = 2 if what in "AB" else 4
    return random.integers(-largest, largest + 1, count).astype(dtype)


def buffers_of(call, random):
    """Returns {pointer: elements}. If two matrices share a pointer, it gets the elements of the
    larger matrix."""
    made = {}
    for pointer, dtype, count, what in needs(call):
        values = random_values(random, dtype, count, what)
        if pointer not in made or values.nbytes > made[pointer].nbytes or what == "D":
            made[pointer] = values
    return made


def tanh_gelu(x):
    return 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))


def gelu_gradient(x):
    inner = np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)
    return 0.5 * (1 + np.tanh(inner)) + 0.5 * x * (1 - np.tanh(inner) ** 2) * np.sqrt(2 / np.pi) * (1 + 3 * 0.044715 * x**2)


def rounded(values, dtype):
    if np.dtype(dtype).kind in "iu":
        limits = np.iinfo(dtype)
        return np.clip(np.rint(values), limits.min, limits.max).astype(dtype)
    if np.dtype(dtype).itemsize == 1:
        largest = float(ml_dtypes.finfo(dtype).max)
        values = np.clip(values, -largest, largest)
    return values.astype(np.float32).astype(dtype) if np.dtype(dtype).itemsize < 4 else values.astype(dtype)


def expected(call, given):
    """Returns {name: f64 values} of D, aux, bias (a gradient) and amax, before they are rounded to
    their types."""
    epilogue = call["epilogue"].removeprefix("CUBLASLT_EPILOGUE_")
    operands = {}
    for name in "AB":
        values = view(given[call[name]["pointer"]], call[name]).astype(np.float64)
        transposes = call[f"trans{name.lower()}"].endswith("T")
        operands[name] = values.transpose(0, 2, 1) if transposes else values
    a, b = operands["A"], operands["B"]
    scale_a, scale_b = scales_of(call, "A", given), scales_of(call, "B", given)
    sums = (a * scale_a) @ (b * scale_b.T)
    alpha, beta = float(call["alpha"]), float(call["beta"])
    sums = alpha * sums
    if beta:
        sums = sums + beta * view(given[call["C"]["pointer"]], call["C"]).astype(np.float64)
    if bias := call.get("bias"):
        values = given[bias["pointer"]].astype(np.float64)
        rows = np.arange(sums.shape[1])
        sums = sums + np.stack([values[rows + i * bias["batch_stride"]] for i in range(sums.shape[0])])[:, :, None]
    made, aux = {}, call.get("aux")
    if epilogue.startswith("RELU"):
        if aux:
            made["aux"] = sums
        result = np.maximum(sums, 0)
    elif epilogue.startswith("GELU"):
        if aux:
            made["aux"] = sums
        result = tanh_gelu(sums)
    elif epilogue.startswith("DRELU"):
        result = sums * (view(given[aux["pointer"]], aux).astype(np.float64) > 0)
    elif epilogue.startswith("DGELU"):
        result = sums * gelu_gradient(view(given[aux["pointer"]], aux).astype(np.float64))
    else:
        result = sums
    if epilogue.endswith("BGRAD"):
        made["bias"] = result.sum(axis=2)
    elif epilogue == "BGRADA":
        made["bias"] = a.sum(axis=2)
    elif epilogue == "BGRADB":
        made["bias"] = b.sum(axis=1)
    if call.get("amax_D"):
        made["amax"] = np.abs(result).max()
    scale_d = float(given[call["scale_D"]["pointer"]][0]) if call.get("scale_D") else 1.0
    made["D"] = result * scale_d
    return made


def difference(got, exact, dtype):
    """Returns two differences: the largest in units in the last place of the expected number, and
    the largest relative to the expected number or to 1, whichever is larger."""
    want = rounded(exact, dtype).astype(np.float64)
    apart = np.abs(got.astype(np.float64) - want)
    apart[np.isnan(apart)] = np.inf
    relative = float(np.max(apart / np.maximum(np.abs(want), 1)))
    if np.dtype(dtype).kind in "iu":
        return float(np.max(apart)), relative
    bits = ml_dtypes.finfo(dtype).nmant
    unit = np.exp2(np.floor(np.log2(np.maximum(np.abs(want), 2.0**-6))) - bits)
    return float(np.max(apart / unit)), relative


def compare(call, given, taken):
    """Returns {result's name: difference}. The name `elsewhere` is included if a byte outside the
    results changed."""
    apart = {}
    for what, exact in expected(call, given).items():
        if what == "amax":
            apart[what] = difference(taken[call["amax_D"]][:1], np.array([exact]), np.float32)
        elif what == "bias":
            gradient = call["bias_gradient"]
            last = exact[-1] if gradient["batch_stride"] == 0 else exact
            apart[what] = difference(taken[gradient["pointer"]][: last.shape[-1]], last, DTYPES[gradient["type"]])
        else:
            matrix = call[what if what == "D" else "aux"]
            apart[what] = difference(view(taken[matrix["pointer"]], matrix), exact, DTYPES[matrix["type"]])
    matrix = call["D"]
    left = np.array(taken[matrix["pointer"]])
    left[places(matrix)] = view(given[matrix["pointer"]], matrix)
    aux_shares = (call.get("aux") or {}).get("pointer") == matrix["pointer"]
    if not aux_shares and left.tobytes() != given[matrix["pointer"]].tobytes():
        apart["elsewhere"] = (float("inf"), float("inf"))
    return apart
