"""Programs with symbolic shapes, exported by jax.export: one image, run at many sizes, gives JAX's results at each size. If an argument has a
size that the program doesn't accept, the error names the size."""
import jax
import jax.numpy as jnp
import numpy
import pytest
from symbolic import arrays, check, drumlin, exported


def sums_of_other_rows(x, y):
    weights = jnp.exp(x)
    return y * weights.sum(-1, keepdims=True) + weights.max(-1, keepdims=True)


def softmax(x):
    return jax.nn.softmax(x * 2 + 1, axis=-1)


def reductions(x):
    return x.sum(0), x.sum(), x.max(1), jnp.exp(x) + 1, jnp.argmax(x, 1), jnp.cumsum(x, axis=1)


def mixed(x, y):
    return jnp.concatenate([x * 2, y], 1), (x - y[:, :3]).reshape(-1), jnp.where(x > 0, x, -x).astype(jnp.bfloat16)


def layer_norm(x, scale):
    mean = x.mean(-1, keepdims=True)
    variance = ((x - mean) ** 2).mean(-1, keepdims=True)
    return (x - mean) * jax.lax.rsqrt(variance + 1e-5) * scale


def mlp(x, w, bias, v):
    return jax.nn.relu(x @ w + bias) @ v


def cnn(x, w, v):
    y = jax.lax.conv_general_dilated(x, w, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))
    y = jax.lax.reduce_window(jax.nn.relu(y), -jnp.inf, jax.lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")
    return y.reshape(y.shape[0], -1) @ v


def attention(q, k, v):
    scores = jnp.einsum("shd,thd->hst", q, k) * 0.25
    scores = jnp.where(jnp.tril(jnp.ones((q.shape[0], q.shape[0]), bool)), scores, -1e9)
    return jnp.einsum("hst,thd->shd", jax.nn.softmax(scores, -1), v)


def grouped_attention(q, k, v):
    """Attention with two query heads for each key and value head: a row of the GEMM is a pair of a head and a position."""
    return jax.nn.dot_product_attention(q[None], k[None], v[None], is_causal=True, implementation="xla")[0]


# Functions with their arguments' shapes; `b` is the symbol.
PROGRAMS = {
    "softmax": (softmax, ("b, 16",)),
    "sums_of_rows_of_another_length": (sums_of_other_rows, ("8, b", "8, s")),
    "softmax_of_odd_rows": (softmax, ("b, 37",)),
    "reductions": (reductions, ("b, 24",)),
    "mixed": (mixed, ("b, 3", "b, 5")),
    "layer_norm": (layer_norm, ("b, 64", "64")),
    "vector": (lambda x: x * 3 - 1, ("b",)),
    "inner_dimensions": (lambda x: jnp.transpose(x, (0, 2, 1)) + 1, ("b, 4, 6",)),
    "twice": (lambda x: jnp.concatenate([x, x + 1], 1).reshape(2 * x.shape[0], 8), ("b, 8",)),
    "mlp": (mlp, ("b, 16", "16, 48", "48", "48, 10")),
    "wide_product": (lambda x, w: jnp.tanh(x @ w * 0.05), ("b, 300", "300, 200")),
    "product_of_wide_rows": (lambda x, w: x @ w + 1, ("b, 700", "700, 80")),
    "transposed_product": (lambda x, w: jnp.einsum("bk,nk->bn", x, w), ("b, 64", "33, 64")),
    "product_of_few_rows": (lambda x, w: (x @ w + 1, (x * 2).astype(jnp.int32) @ w[:, :96].astype(jnp.int32)), ("b, 64", "64, 160"),
                            (1, 2, 3, 4, 5, 6, 7, 8, 9, 13, 48, 49)),
    "product_without_terms": (lambda x: jnp.einsum("abc,abd->cd", x[:, 4:], x[:, 4:]), ("b, 4, 6",)),
    "matrix_times_vector": (lambda x, v: x @ v, ("b, 256", "256")),
    "batch_of_products": (lambda x, y: jnp.einsum("bik,bkj->bij", x, y), ("b, 20, 30", "b, 30, 40")),
    "cnn": (cnn, ("b, 8, 8, 3", "3, 3, 3, 16", "256, 10")),
    "several_kernels": (lambda x: jax.nn.softmax(jax.nn.softmax(x) * 3), ("b, 40",)),
    # Symbolic sizes after the first dimension, sums over them, and sizes used as numbers.
    "columns": (lambda x: x * 2 + jnp.arange(x.shape[1]), ("3, b",)),
    "softmax_along": (lambda x: jax.nn.softmax(x, -1), ("3, b, b",)),
    "transposed": (lambda x: (jnp.transpose(x, (0, 2, 1)) * 2, x.reshape(-1) + 1), ("b, 4, b",)),
    "joined": (lambda x: x.reshape(x.shape[0] * x.shape[1], 8) * 2, ("3, b, 8",)),
    "every_sum": (lambda x: (x.sum(0), x.sum(1), x.max(), jnp.argmax(x, 1), jnp.argmax(x, 0)), ("7, b",)),
    "means": (lambda x: (x - x.mean(0), x.mean(), x.var(1)), ("b, 33",)),
    "norm_along": (lambda x: layer_norm(x, 1), ("6, b",)),
    "contraction": (lambda x, y: x @ y, ("64, b", "b, 96")),
    "contraction_of_few": (lambda x, y: (x @ y, y @ y), ("20, b", "b")),
    "outer_product": (lambda x, y: x @ y.T, ("b, 64", "b, 64")),
    "columns_of_a_product": (lambda x, w: jnp.tanh(w @ x), ("48, b", "80, 48")),
    # Results that are reduced to one number, over a dynamic number of tiles.
    "largest_of_a_product": (lambda x, w: (lambda y: (jnp.abs(y).max(), y))(x @ w), ("b, 64", "64, 96")),
    "sum_of_a_product": (lambda x, w: (x @ w).sum(), ("b, 64", "64, b"), (1, 2, 17, 130, 300)),
    "loss": (lambda x, w, y: jnp.mean((x @ w - y) ** 2), ("b, 16", "16, 48", "b, 48")),
    "batches": (lambda x, y: jnp.einsum("bsd,de->bse", x, y), ("b, b, 8", "8, 12")),
    "concatenated": (lambda x, y: jnp.concatenate([x, y], -1), ("3, b, 4", "3, b, 2")),
    "sliced": (lambda x: x[:, 1:] * 2, ("3, b",)),
    "concatenated_along": (lambda x, y: (jnp.concatenate([x, y * 2, x], -1), jnp.concatenate([x, y], 0)), ("3, b",) * 2),
    "padded": (lambda x: (jnp.pad(x, ((0, 0), (1, 2)), constant_values=3), jnp.pad(x, ((2, 1), (0, 0)))), ("b, b",)),
    "attention": (attention, ("b, 4, 16",) * 3),
    "grouped_attention": (grouped_attention, ("b, 4, 16", "b, 2, 16", "b, 2, 16")),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", PROGRAMS)
def test_runs_at_every_size(build_folder, tmp_path, name):
    check(build_folder, tmp_path, *PROGRAMS[name])


def test_names_what_does_not_fit(build_folder, tmp_path):
    program, image = tmp_path / "program.mlir", tmp_path / "program.so"
    program.write_text(exported(mixed, PROGRAMS["mixed"][1]))
    assert drumlin(build_folder, "compile", program, "-o", image).returncode == 0

    def message(*given):
        numpy.savez(tmp_path / "in.npz", **{f"in{i}": array for i, array in enumerate(given)})
        done = drumlin(build_folder, "run", image, "--input", tmp_path / "in.npz")
        assert done.returncode != 0
        return done.stderr

    ones = lambda *shape: numpy.ones(shape, numpy.float32)
    assert "dimension 0, is 4, and the program takes b = 3" in message(ones(3, 3), ones(4, 5))
    assert "b = 0, and the program takes 1 at least" in message(ones(0, 3), ones(0, 5))
    assert "tensor<(b)x(3)xf32>" in message(ones(3, 4), ones(3, 5))


# Sizes that the elements of an argument determine are refused, and so are programs for which there is no code yet.
@pytest.mark.parametrize("text,message", (
    ("func.func @main(%n: tensor<1xi32>) -> tensor<?xi32> {\n"
     "  %0 = stablehlo.dynamic_iota %n, dim = 0 : (tensor<1xi32>) -> tensor<?xi32>\n  return %0 : tensor<?xi32>\n}",
     "don't follow from the sizes of the arguments"),
    ("func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {\n  %0 = stablehlo.custom_call @f(%x) : (tensor<?xf32>) -> tensor<?xf32>\n"
     "  return %0 : tensor<?xf32>\n}", "don't follow from the sizes of the arguments")))
def test_refuses(build_folder, tmp_path, text, message):
    (tmp_path / "program.mlir").write_text(text)
    done = drumlin(build_folder, "compile", tmp_path / "program.mlir", "-o", tmp_path / "program.so")
    assert done.returncode != 0 and "D4004" in done.stderr and message in done.stderr, done.stderr


# If an operation with dynamic operands has a result of static size, callers must pass arguments of the sizes that give this result.
def test_types_bound_sizes(build_folder, tmp_path):
    program, image = tmp_path / "program.mlir", tmp_path / "program.so"
    program.write_text("""
func.func @main(%x: tensor<?x2xf32>) -> (tensor<4xi32>, tensor<?x2xf32>) {
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x2xf32>) -> tensor<i32>
  %n1 = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %0 = stablehlo.dynamic_iota %n1, dim = 0 : (tensor<1xi32>) -> tensor<4xi32>
  return %0, %x : tensor<4xi32>, tensor<?x2xf32>
}""")
    assert drumlin(build_folder, "compile", program, "-o", image).returncode == 0
    for rows in 4, 5:
        numpy.savez(tmp_path / "in.npz", in0=numpy.ones((rows, 2), numpy.float32))
        done = drumlin(build_folder, "run", image, "--input", tmp_path / "in.npz")
        assert (done.returncode == 0) == (rows == 4) and (rows == 4 or "tensor<4x2xf32>" in done.stderr), done.stderr


# Operations that JAX doesn't emit: it lowers a reversal, for example, to a gather.
MOVES = """func.func @main(%x: tensor<4x?xf32>, %y: tensor<4x?xf32>, %i: tensor<i32>) -> (tensor<4x?xf32>, tensor<4x1xf32>, tensor<4x?xf32>) {
  %0 = stablehlo.reverse %x, dims = [1] : tensor<4x?xf32>
  %c = stablehlo.constant dense<0> : tensor<i32>
  %1 = stablehlo.dynamic_slice %x, %c, %i, sizes = [4, 1] : (tensor<4x?xf32>, tensor<i32>, tensor<i32>) -> tensor<4x1xf32>
  %2 = stablehlo.concatenate %x, %y, dim = 1 : (tensor<4x?xf32>, tensor<4x?xf32>) -> tensor<4x?xf32>
  return %0, %1, %2 : tensor<4x?xf32>, tensor<4x1xf32>, tensor<4x?xf32>
}
"""


def test_moves_along_sizes(build_folder, tmp_path):
    (tmp_path / "moves.mlir").write_text(MOVES)
    done = drumlin(build_folder, "compile", tmp_path / "moves.mlir", "-o", tmp_path / "moves.so")
    assert done.returncode == 0, done.stderr
    for n, m, i in (1, 1, 0), (5, 0, 9), (33, 7, -3), (40, 300, 17):
        x, y = numpy.arange(4 * n, dtype=numpy.float32).reshape(4, n), -numpy.arange(4 * m, dtype=numpy.float32).reshape(4, m)
        numpy.savez(tmp_path / "in.npz", in0=x, in1=y, in2=numpy.int32(i))
        done = drumlin(build_folder, "run", tmp_path / "moves.so", "--input", tmp_path / "in.npz", "--output", tmp_path / "got.npz")
        assert done.returncode == 0, done.stderr
        got, at = numpy.load(tmp_path / "got.npz"), min(max(i, 0), n - 1)
        for name, expected in {"out0": x[:, ::-1], "out1": x[:, at:at + 1], "out2": numpy.concatenate([x, y], 1)}.items():
            numpy.testing.assert_array_equal(got[name], expected, err_msg=f"{name} at {n}, {m}")


def test_sizes_of_zero(build_folder, tmp_path):
    (tmp_path / "program.mlir").write_text("""
func.func @main(%x: tensor<?x16xf32>) -> (tensor<?x16xf32>, tensor<16xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.exponential %x : tensor<?x16xf32>
  %1 = stablehlo.reduce(%0 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<?x16xf32>, tensor<f32>) -> tensor<16xf32>
  return %0, %1 : tensor<?x16xf32>, tensor<16xf32>
}""")
    assert drumlin(build_folder, "compile", tmp_path / "program.mlir", "-o", tmp_path / "program.so").returncode == 0
    for size in (0, 1, 5):
        numpy.save(tmp_path / "in.npy", numpy.zeros((size, 16), numpy.float32))
        done = drumlin(build_folder, "run", tmp_path / "program.so", "--input", tmp_path / "in.npy", "--output", tmp_path / "out.npz")
        assert done.returncode == 0, done.stderr
        out = numpy.load(tmp_path / "out.npz")
        assert out["out0"].shape == (size, 16) and (out["out0"] == 1).all() and (out["out1"] == size).all()


# Kernels divide by a shape's sizes to compute indices. Vector lanes after the last element divide, too, so a size of zero must not trap.
def test_quotients_by_sizes_of_zero(build_folder, tmp_path):
    (tmp_path / "program.mlir").write_text("""
func.func @main(%x: tensor<?x?xf32>) -> (tensor<f32>, tensor<?xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x?xf32>) -> tensor<i32>
  %m = stablehlo.get_dimension_size %x, dim = 1 : (tensor<?x?xf32>) -> tensor<i32>
  %count = stablehlo.multiply %n, %m : tensor<i32>
  %size = stablehlo.reshape %count : (tensor<i32>) -> tensor<1xi32>
  %0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<?x?xf32>) -> tensor<?x?xf32>
  %1 = stablehlo.dynamic_reshape %0, %size : (tensor<?x?xf32>, tensor<1xi32>) -> tensor<?xf32>
  %2 = stablehlo.reduce(%1 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<?xf32>, tensor<f32>) -> tensor<f32>
  return %2, %1 : tensor<f32>, tensor<?xf32>
}""")
    assert drumlin(build_folder, "compile", tmp_path / "program.mlir", "-o", tmp_path / "program.so").returncode == 0
    for sizes in ((0, 5), (5, 0), (0, 0), (1, 1), (3, 4), (40, 3)):
        x = numpy.arange(sizes[0] * sizes[1], dtype=numpy.float32).reshape(sizes)
        numpy.save(tmp_path / "in.npy", x)
        done = drumlin(build_folder, "run", tmp_path / "program.so", "--input", tmp_path / "in.npy", "--output", tmp_path / "out.npz")
        assert done.returncode == 0, (sizes, done.stderr)
        out = numpy.load(tmp_path / "out.npz")
        numpy.testing.assert_array_equal(out["out1"], x.T.reshape(-1))
        assert out["out0"] == x.sum()


# A loop with carried values of dynamic sizes, with branches, and with values that are updated in place: compared with the interpreter.
LOOP = """
func.func @main(%x: tensor<?x8xf32>, %n: tensor<i32>) -> (tensor<?x8xf32>, tensor<?xf32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %null = stablehlo.constant dense<0.0> : tensor<f32>
  %0:3 = stablehlo.while(%i = %zero, %a = %x, %b = %x) : tensor<i32>, tensor<?x8xf32>, tensor<?x8xf32>
    cond {
      %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    }
    do {
      %next = stablehlo.add %i, %one : tensor<i32>
      %s = stablehlo.reduce(%a init: %null) applies stablehlo.maximum across dimensions = [1] : (tensor<?x8xf32>, tensor<f32>) -> tensor<?xf32>
      %r = stablehlo.reverse %b, dims = [1] : tensor<?x8xf32>
      %size = stablehlo.get_dimension_size %a, dim = 0 : (tensor<?x8xf32>) -> tensor<i32>
      %size1 = stablehlo.reshape %size : (tensor<i32>) -> tensor<1xi32>
      %eight = stablehlo.constant dense<8> : tensor<1xi32>
      %shape = stablehlo.concatenate %size1, %eight, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
      %wide = stablehlo.dynamic_broadcast_in_dim %s, %shape, dims = [0] : (tensor<?xf32>, tensor<2xi32>) -> tensor<?x8xf32>
      %sum = stablehlo.add %wide, %r : tensor<?x8xf32>
      stablehlo.return %next, %sum, %a : tensor<i32>, tensor<?x8xf32>, tensor<?x8xf32>
    }
  %1 = stablehlo.add %0#1, %0#2 : tensor<?x8xf32>
  %2 = stablehlo.reduce(%1 init: %null) applies stablehlo.add across dimensions = [1] : (tensor<?x8xf32>, tensor<f32>) -> tensor<?xf32>
  return %0#1, %2 : tensor<?x8xf32>, tensor<?xf32>
}"""


def test_loops_carry_sizes(build_folder, tmp_path):
    program, image = tmp_path / "program.mlir", tmp_path / "program.so"
    program.write_text(LOOP)
    done = drumlin(build_folder, "compile", program, "-o", image)
    assert done.returncode == 0, done.stderr
    for size in (0, 1, 33, 500):
        numpy.savez(tmp_path / "in.npz", in0=arrays(("b, 8",), size)[0], in1=numpy.int32(5))
        done = drumlin(build_folder, "run", program, "--interpret", "--input", tmp_path / "in.npz", "--output", tmp_path / "out.npz")
        assert done.returncode == 0, done.stderr
        done = drumlin(build_folder, "run", image, "--input", tmp_path / "in.npz", "--expect", tmp_path / "out.npz", "--rtol", "2e-5")
        assert done.returncode == 0, (size, done.stderr)


def test_constants_of_shapes(build_folder, tmp_path):
    program, image = tmp_path / "program.mlir", tmp_path / "program.so"
    program.write_text("""
func.func @main(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %0 = "chlo.constant_like"(%x) {value = 3.0 : f32} : (tensor<?x4xf32>) -> tensor<?x4xf32>
  %1 = stablehlo.add %0, %x : tensor<?x4xf32>
  return %1 : tensor<?x4xf32>
}""")
    done = drumlin(build_folder, "compile", program, "-o", image)
    assert done.returncode == 0, done.stderr
    for rows in 0, 1, 33:
        x = arrays(("b, 4",), rows)[0]
        numpy.save(tmp_path / "in.npy", x)
        done = drumlin(build_folder, "run", image, "--input", tmp_path / "in.npy", "--output", tmp_path / "out.npz")
        assert done.returncode == 0, done.stderr
        numpy.testing.assert_array_equal(numpy.load(tmp_path / "out.npz")["out0"], x + 3)
