"""The measured workloads: functions as a JAX user writes them, and their inputs."""
import pathlib
import sys

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

MODELS = pathlib.Path(__file__).resolve().parent.parent / "test" / "models"
sys.path.insert(0, str(MODELS))
import programs


EMPTY = "empty_call"  # adds one to a number: its time is the cost of a call
WORKLOADS = {}  # name -> function that returns (function, arguments); with symbolic sizes: (function, arguments, shapes as text)


def add(name, make):
    WORKLOADS[name] = make


def draw(*shape, dtype="float32", scale=1.0, seed=1):
    generator = np.random.default_rng([seed, *shape])
    return jnp.asarray(generator.standard_normal(shape, np.float32) * np.float32(scale), dtype)


def matmul(m, k, n, dtype, contracted=0):
    """Returns a function that multiplies x[m, k] by a weight, and its inputs. With contracting
    dimension 0 the weight is [k, n], which is canonical; with 1 it is [n, k], as in checkpoints."""
    def multiply(x, w):
        return lax.dot_general(x, w, (((1,), (contracted,)), ((), ())))
    shape = (k, n) if contracted == 0 else (n, k)
    return multiply, (draw(m, k, dtype=dtype), draw(*shape, dtype=dtype, scale=k**-0.5))


add(EMPTY, lambda: (lambda x: x + 1, (jnp.float32(1),)))
for _short, _dtype in (("f32", "float32"), ("bf16", "bfloat16")):
    for _size in (256, 1024):
        add(f"matmul_{_size}_{_short}", lambda s=_size, t=_dtype: matmul(s, s, s, t))
    for _order, _contracted in (("canonical", 0), ("checkpoint", 1)):
        for _rows, _width in ((1, 4096), (64, 2048)):
            add(f"rows{_rows}_{_width}_{_order}_{_short}",
                lambda r=_rows, w=_width, t=_dtype, c=_contracted: matmul(r, w, w, t, c))


def fp8_scaled():
    def multiply(a, b, scale_a, scale_b):
        lhs = a.astype(jnp.bfloat16) * scale_a.astype(jnp.bfloat16)
        rhs = b.astype(jnp.bfloat16) * scale_b.astype(jnp.bfloat16)
        return lax.dot(lhs, rhs.T)
    f8 = jnp.float8_e4m3fn
    return multiply, (draw(256, 1024).astype(f8), draw(1024, 1024).astype(f8), jnp.float32(0.37), jnp.float32(1.7))


def mlp(rows=128):
    def layer(x, up, down):
        return jax.nn.gelu(x @ up) @ down
    return layer, (draw(rows, 1024), draw(1024, 4096, scale=0.03), draw(4096, 1024, scale=0.015))


def attention(rows=256, heads=16, kv_heads=4, width=64):
    def attend(query, key, value):
        return jax.nn.dot_product_attention(query, key, value, is_causal=True, implementation="xla")
    return attend, tuple(draw(1, rows, h, width) for h in (heads, kv_heads, kv_heads))


def layer_norm():
    def normalize(x, gain, shift):
        centred = x - x.mean(-1, keepdims=True)
        return centred * lax.rsqrt((centred**2).mean(-1, keepdims=True) + 1e-6) * gain + shift
    return normalize, (draw(4096, 1024), draw(1024), draw(1024))


add("fp8_scaled_256x1024x1024", fp8_scaled)
add("mlp_gelu_128x1024x4096", mlp)
add("gqa_causal_256", attention)
add("softmax_4096x1024", lambda: (lambda x: jax.nn.softmax(x, axis=-1), (draw(4096, 1024),)))
add("layer_norm_4096x1024", layer_norm)
add("column_sum_4096", lambda: (lambda x: x.sum(0), (draw(4096, 4096),)))
add("transpose_4096", lambda: (lambda x: x.T.copy(), (draw(4096, 4096),)))
add("gelu_exp_tanh_8M", lambda: (lambda x: jax.nn.gelu(x) + jnp.exp(jnp.tanh(x)), (draw(8, 1 << 20),)))
def factorization(batch, size, dtype):
    half = np.asarray(draw(*batch, size, size), dtype)
    definite = jnp.asarray(half @ half.swapaxes(-1, -2) / size + 2 * np.eye(size, dtype=dtype))
    return lambda a: lax.linalg.cholesky(a, symmetrize_input=False), (definite,)


def solve(batch, size, others, dtype, left_side=True):
    a = np.tril(np.asarray(draw(*batch, size, size, scale=size**-0.5), dtype)) + 2 * np.eye(size, dtype=dtype)
    b = draw(*batch, *((size, others) if left_side else (others, size))).astype(dtype)
    return lambda a, b: lax.linalg.triangular_solve(a, b, left_side=left_side, lower=True), (jnp.asarray(a), b)


def in_double(make, *arguments):
    """Returns the workload that `make` makes, with 64-bit numbers enabled in JAX."""
    jax.config.update("jax_enable_x64", True)
    return make(*arguments)


for _short, _dtype in (("f32", "float32"), ("f64", "float64")):
    for _batch, _size in (((64,), 64), ((), 512), ((), 1024)):
        _label = f"{_batch[0]}x{_size}" if _batch else str(_size)
        add(f"cholesky_{_label}_{_short}", lambda b=_batch, s=_size, t=_dtype: in_double(factorization, b, s, t))
        add(f"solve_{_label}_{_short}", lambda b=_batch, s=_size, t=_dtype: in_double(solve, b, s, s, t))
    add(f"solve_right_512_{_short}", lambda t=_dtype: in_double(solve, (), 512, 512, t, False))
    add(f"solve_vector_1024_{_short}", lambda t=_dtype: in_double(solve, (), 1024, 1, t))


def transform(kind, *shape, axes=(-1,)):
    """Returns a function and its inputs: a Fourier transform whose real and imaginary parts are separate arrays."""
    def parts(x):
        return x.real, x.imag
    if kind == "rfft":
        return lambda x: parts(jnp.fft.rfftn(x, axes=axes)), (draw(*shape),)
    if kind == "irfft":
        return lambda x, y: jnp.fft.irfftn(lax.complex(x, y), axes=axes), (draw(*shape), draw(*shape, seed=2))
    return lambda x, y: parts(getattr(jnp.fft, kind + "n")(lax.complex(x, y), axes=axes)), (draw(*shape), draw(*shape, seed=2))


for _kind, _shape, _axes in (("fft", (1024, 256), (-1,)), ("fft", (1024, 1024), (-2, -1)), ("fft", (1 << 16,), (-1,)), ("fft", (64, 1000), (-1,)),
                             ("fft", (64, 1009), (-1,)), ("fft", (1 << 20,), (-1,)), ("fft", (4096, 15), (-1,)), ("fft", (64, 64, 64), (-3, -2, -1)),
                             ("rfft", (64, 4096), (-1,)), ("irfft", (64, 2049), (-1,))):
    add(f"{_kind}{len(_axes)}d_{'x'.join(map(str, _shape))}", lambda k=_kind, s=_shape, a=_axes: transform(k, *s, axes=a))


def eigenvectors(batch, size):
    """Returns a function of a batch of matrices, and its inputs. The function computes
    eigenvalues, and the matrix rebuilt from them and the eigenvectors. The eigenvectors themselves
    aren't compared, since each library chooses their signs."""
    half = np.asarray(draw(*batch, size, size))
    def decompose(a):
        values, vectors = jnp.linalg.eigh(a, symmetrize_input=False)
        return values, (vectors * values[..., None, :]) @ vectors.swapaxes(-1, -2)
    return decompose, (jnp.asarray(half + half.swapaxes(-1, -2)),)


def batch_norm(kind, shape, features):
    """Returns a function and its inputs: a batch normalization for `inference`, `training` or the
    `gradient` of training. `features` is the dimension that isn't reduced."""
    others = tuple(d for d in range(len(shape)) if d != features)
    width = shape[features]
    def across(values):
        return values.reshape([width if d == features else 1 for d in range(len(shape))])
    def normalize(x, gain, shift, mean, variance):
        return (x - across(mean)) * across(lax.rsqrt(variance + 1e-5) * gain) + across(shift)
    def train(x, gain, shift):
        mean = x.mean(others)
        variance = ((x - across(mean)) ** 2).mean(others)
        return normalize(x, gain, shift, mean, variance), mean, variance
    def loss(x, gain, shift, weights):
        return (train(x, gain, shift)[0] * weights).sum()
    vectors = draw(width), draw(width, seed=2)
    if kind == "gradient":
        return jax.grad(loss, (0, 1, 2)), (draw(*shape), *vectors, draw(*shape, seed=3))
    if kind == "training":
        return train, (draw(*shape), *vectors)
    return normalize, (draw(*shape), *vectors, draw(width, seed=3), jnp.abs(draw(width, seed=4)) + 0.5)


def int4_weights(rows, width):
    """Returns a function and its inputs: a dot whose weights have 4 bits and one scale per row."""
    weights = jnp.asarray(np.random.default_rng(1).integers(-8, 8, (width, width)), jnp.int4)
    def multiply(x, weights, scales):
        return lax.dot(x, weights.astype(jnp.float32) * scales[:, None])
    return multiply, (draw(rows, width), weights, jnp.abs(draw(width)))


def complex_product(size):
    def multiply(a, b, c, d):
        product = lax.dot(lax.complex(a, b), lax.complex(c, d))
        return product.real, product.imag
    return multiply, tuple(draw(size, size, seed=seed) for seed in range(4))


def segment_sums(count, width, segments):
    ids = jnp.asarray(np.random.default_rng(1).integers(0, segments, count), jnp.int32)
    return lambda x, ids: jax.ops.segment_sum(x, ids, segments), (draw(count, width), ids)


def ragged_product(rows, width, groups):
    sizes = np.full(groups, rows // groups)
    sizes[0], sizes[1] = sizes[0] + sizes[1] // 2, sizes[1] - sizes[1] // 2
    return lax.ragged_dot, (draw(rows, width), draw(groups, width, width, scale=width**-0.5), jnp.asarray(sizes, jnp.int32))


def ragged_tokens(rows, width=256, groups=8):
    """Returns a function, its inputs and their symbolic shapes: a ragged dot of tokens in groups of
    uneven, data-dependent sizes, as in mixtures of experts."""
    product, (tokens, weights, sizes) = ragged_product(max(rows, groups), width, groups)
    sizes = jnp.asarray(np.diff(np.minimum(np.cumsum(np.concatenate([[0], sizes])), rows)), jnp.int32)
    return product, (tokens[:rows], weights, sizes), (f"s, {width}", f"{groups}, {width}, {width}", f"{groups}")


def recurrence(steps, rows, width):
    def run(xs, state, weights):
        def step(state, x):
            state = jnp.tanh(x + state @ weights)
            return state, state
        return lax.scan(step, state, xs)
    return run, (draw(steps, rows, width), draw(rows, width), draw(width, width, scale=width**-0.5))


def transformer_layer(rows, width=512, heads=8, hidden=1536):
    """Returns a function, its inputs and their symbolic shapes: one layer over a prompt of any length."""
    def split(x):
        return x.reshape(x.shape[0], heads, width // heads)
    def layer(x, query, key, value, out, up, down):
        normal = x * lax.rsqrt((x * x).mean(-1, keepdims=True) + 1e-5)
        scores = jnp.einsum("shd,thd->hst", split(normal @ query), split(normal @ key)) * (width // heads) ** -0.5
        scores = jnp.where(jnp.tril(jnp.ones((x.shape[0], x.shape[0]), bool)), scores, -1e9)
        x = x + jnp.einsum("hst,thd->shd", jax.nn.softmax(scores, -1), split(normal @ value)).reshape(x.shape) @ out
        normal = x * lax.rsqrt((x * x).mean(-1, keepdims=True) + 1e-5)
        return x + jax.nn.silu(normal @ up) @ down
    square = [draw(width, width, scale=width**-0.5, seed=seed) for seed in range(4)]
    arguments = draw(rows, width), *square, draw(width, hidden, scale=width**-0.5), draw(hidden, width, scale=hidden**-0.5)
    return layer, arguments, (f"s, {width}", *[f"{width}, {width}"] * 4, f"{width}, {hidden}", f"{hidden}, {width}")


def convolutional_network(images):
    def convolve(x, kernel):
        return jax.nn.relu(lax.conv_general_dilated(x, kernel, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC")))
    def halve(x):
        return lax.reduce_window(x, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")
    def network(x, first, second, dense):
        x = halve(convolve(halve(convolve(x, first)), second))
        return jax.nn.log_softmax(x.reshape(x.shape[0], -1) @ dense)
    shapes = ("b, 32, 32, 3", "3, 3, 3, 32", "3, 3, 32, 64", "4096, 10")
    return network, (draw(images, 32, 32, 3), draw(3, 3, 3, 32, scale=0.2), draw(3, 3, 32, 64, scale=0.06), draw(4096, 10, scale=0.02)), shapes


def layer_norm_of_any(rows, width):
    normalize, (_, gain, shift) = layer_norm()
    def of_rows(x, gain, shift):
        return normalize(x, gain.sum() + jnp.zeros(x.shape[1]), shift.sum() + jnp.zeros(x.shape[1]))
    return of_rows, (draw(rows, width), gain, shift), ("b, w", "1024", "1024")


for _rows in (1, 37, 256):
    add(f"dynamic_transformer_layer_{_rows}", lambda r=_rows: transformer_layer(r))
for _images in (1, 33):
    add(f"dynamic_cnn_{_images}", lambda b=_images: convolutional_network(b))
for _rows in (1, 37):
    add(f"dynamic_mlp_{_rows}", lambda r=_rows: (*mlp(r), ("b, 1024", "1024, 4096", "4096, 1024")))
for _rows in (1, 37, 512):
    add(f"dynamic_ragged_tokens_{_rows}", lambda r=_rows: ragged_tokens(r))
add("dynamic_layer_norm_777x1023", lambda: layer_norm_of_any(777, 1023))
add("eigh_256", lambda: eigenvectors((), 256))
add("eigh_64x32", lambda: eigenvectors((64,), 32))
for _order, _shape, _features in (("nhwc", (32, 28, 28, 128), 3), ("nchw", (32, 128, 28, 28), 1)):
    for _kind in ("inference", "training", "gradient"):
        add(f"batch_norm_{_kind}_{_order}", lambda k=_kind, s=_shape, f=_features: batch_norm(k, s, f))
for _rows in (1, 64):
    add(f"int4_rows{_rows}_2048", lambda r=_rows: int4_weights(r, 2048))
add("complex_matmul_512", lambda: complex_product(512))
add("random_bits_4M", lambda: (lambda key: jax.random.bits(jax.random.wrap_key_data(key), (1 << 22,)), (jnp.asarray([1, 2], jnp.uint32),)))
add("random_normal_4M", lambda: (lambda key: jax.random.normal(jax.random.wrap_key_data(key), (1 << 22,)), (jnp.asarray([1, 2], jnp.uint32),)))
add("rng_bit_generator_4M", lambda: (lambda key: lax.rng_bit_generator(key, (1 << 22,)), (jnp.asarray([1, 2, 3, 4], jnp.uint32),)))
add("segment_sum_65536x64", lambda: segment_sums(65536, 64, 1024))
add("segment_sum_1M", lambda: segment_sums(1 << 20, 1, 1 << 12))
add("ragged_dot_8x512", lambda: ragged_product(512, 512, 8))
add("cumsum_rows_4096x1024", lambda: (lambda x: jnp.cumsum(x, 1), (draw(4096, 1024),)))
add("cumsum_columns_4096x1024", lambda: (lambda x: jnp.cumsum(x, 0), (draw(4096, 1024),)))
add("associative_scan_4096x1024", lambda: (lambda x: lax.associative_scan(jnp.maximum, x, axis=1), (draw(4096, 1024),)))
add("scan_rnn_128x8x256", lambda: recurrence(128, 8, 256))
for _name in sorted(programs.PROGRAMS):
    add(f"model_{_name}", lambda n=_name: programs.PROGRAMS[n](programs.Draw(n)))
