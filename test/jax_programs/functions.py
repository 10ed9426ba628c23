"""A table of small functions as JAX users write them, with arguments. Each is lowered in a different way."""
import pathlib
import sys

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "differential"))
import elementwise

RNG = np.random.default_rng(1)
FUNCTIONS = {}


def normal(*shape):
    return RNG.standard_normal(shape, np.float32)


def integers(low, high, *shape):
    return RNG.integers(low, high, shape).astype(np.int32)


def function(*arguments):
    def add(call):
        FUNCTIONS[call.__name__] = (call, arguments)
        return call
    return add


# Control flow.


def loss_of(weights, x):
    for weight in weights:
        x = jnp.tanh(x @ weight)
    return x.sum()


@function([normal(8, 8), normal(8, 8)], normal(4, 8))
def rematerialized_gradient(weights, x):
    return jax.grad(jax.checkpoint(loss_of))(weights, x)


@function(normal(5, 8, 8) / 3, normal(4, 8))
def rematerialized_scan(weights, x):
    def step(carried, weight):
        return jnp.sin(carried @ weight), None
    return jax.grad(lambda w: lax.scan(jax.checkpoint(step), x, w)[0].sum())(weights)


@function(normal(5, 7))
def cond(x):
    return lax.cond(x.sum() > 0, lambda y: y * 2, lambda y: y - 1, x)


@function(np.int32(1), normal(6, 6))
def switch(i, x):
    return lax.switch(i, [lambda y: y + 1, lambda y: y @ y, lambda y: y.T], x)


@function(normal(7), normal(7, 3))
def mapped_cond(p, x):
    return jax.vmap(lambda a, b: lax.cond(a > 0, jnp.sin, jnp.cos, b))(p, x)


@function(np.abs(normal(6)))
def while_loop(x):
    return lax.while_loop(lambda s: (s[0] < 10) & (s[1].sum() < 100), lambda s: (s[0] + 1, s[1] * 1.5, jnp.flip(s[2])), (0, x, x))


@function(normal(5, 9))
def mapped_sort(x):
    return lax.map(lambda row: jnp.sort(row) * 2, x)


@function(normal(8, 8), normal(12, 8))
def scan(weight, inputs):
    def step(carried, x):
        return (jnp.tanh(carried[0] @ weight + x), carried[1] + 1), carried
    return lax.scan(step, (jnp.zeros(8), 0), inputs)


@function(normal(33, 4))
def associative_scan(x):
    return lax.associative_scan(jnp.add, x)


@function(normal(4, 4))
def composite(x):
    return lax.composite(lambda y: jnp.sin(y) + 1, "example.sine")(x)


@function(normal(4, 4))
def sharding_constraint(x):
    return lax.with_sharding_constraint(x, jax.sharding.SingleDeviceSharding(jax.devices()[0])) * 2


# Networks.


@function(normal(33, 64), normal(64, 192) / 8)
def attention(x, weight):
    query, key, value = jnp.split(x @ weight, 3, -1)
    scores = jnp.where(jnp.tril(jnp.ones((33, 33), bool)), query @ key.T / 8, -1e9)
    return jax.nn.softmax(scores) @ value


@function(normal(2, 5, 3, 8), normal(2, 6, 3, 8))
def scores_by_einsum(query, key):
    return jnp.einsum("bihd,bjhd->bhij", query, key)


@function(normal(3, 4, 5), normal(5, 6), normal(4, 6, 2))
def einsum_of_three(a, b, c):
    return jnp.einsum("abc,cd,bde->ae", a, b, c)


@function(normal(4, 6, 6, 8))
def batch_norm(x):
    return (x - x.mean((0, 1, 2))) / jnp.sqrt(x.var((0, 1, 2)) + 1e-5)


@function(normal(8), normal(4, 8))
def layer_norm_gradients(gain, x):
    def loss(g, y):
        normal = (y - y.mean(-1, keepdims=True)) * lax.rsqrt(y.var(-1, keepdims=True) + 1e-5)
        return ((normal * g) ** 2 * y).sum()
    return jax.value_and_grad(loss, argnums=(0, 1))(gain, x)


@function(normal(8, 10), integers(0, 10, 8))
def cross_entropy_gradient(logits, labels):
    return jax.grad(lambda l: -jnp.take_along_axis(jax.nn.log_softmax(l), labels[:, None], 1).mean())(logits)


@function(normal(9, 9), normal(9, 9), normal(9, 9), np.abs(normal(9, 9)), np.float32(3))
def adam(p, g, m, v, t):
    m, v = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g * g
    return p - 1e-3 * (m / (1 - 0.9**t)) / (jnp.sqrt(v / (1 - 0.999**t)) + 1e-8), m, v


@function(normal(30))
def activation_gradients(x):
    def loss(y):
        smooth = jax.nn.gelu(y, approximate=False) + jax.nn.mish(y) + jax.nn.silu(y) + jax.nn.softplus(y)
        return (smooth * jax.nn.relu(y) + jax.nn.elu(y) + jax.nn.selu(y) + jax.nn.hard_swish(y) + jax.nn.leaky_relu(y)).sum()
    return jax.grad(loss)(x)


@function(normal(2, 9, 9, 4), normal(3, 3, 4, 6))
def transposed_convolution(x, weight):
    return lax.conv_transpose(x, weight, (2, 2), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))


@function(normal(1, 12, 12, 8), normal(3, 3, 1, 8))
def depthwise_convolution(x, weight):
    return lax.conv_general_dilated(x, weight, (1, 1), "SAME", feature_group_count=8, dimension_numbers=("NHWC", "HWIO", "NHWC"))


@function(normal(2, 3, 30), normal(5, 3, 3))
def dilated_convolution(x, weight):
    return lax.conv_general_dilated(x, weight, (2,), [(3, 1)], rhs_dilation=(2,), dimension_numbers=("NCH", "OIH", "NCH"))


@function(normal(1, 2, 5, 6, 7), normal(3, 2, 3, 3, 3))
def convolution_3d(x, weight):
    return lax.conv(x, weight, (1, 1, 1), "SAME")


@function(normal(4, 3, 3, 3), normal(2, 3, 9, 9))
def convolution_gradients(weight, x):
    return jax.grad(lambda w, y: (lax.conv(y, w, (2, 2), "SAME") ** 2).sum(), argnums=(0, 1))(weight, x)


@function(normal(2, 8, 8, 3))
def pooling(x):
    mean = lax.reduce_window(x, 0.0, lax.add, (1, 2, 2, 1), (1, 2, 2, 1), "VALID") / 4
    most = lax.reduce_window(x, -jnp.inf, lax.max, (1, 3, 3, 1), (1, 2, 2, 1), "SAME")
    return mean, most, jax.grad(lambda y: lax.reduce_window(y, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID").sum())(x)


@function(normal(1, 5, 6, 2))
def bilinear_resize(x):
    return jax.image.resize(x, (1, 11, 13, 2), "bilinear")


# Functions that index, sort and search.


@function(normal(9, 9), integers(-3, 12, 9))
def indexing(x, i):
    return jnp.take(x, i, axis=1), x[i], x.at[i].add(2.0), x.at[:, i].set(0.0), jnp.take_along_axis(x, i[:, None] % 9, 1)


@function(normal(8, 8), np.int32(7))
def dynamic_slices(x, i):
    return lax.dynamic_slice(x, (i, 0), (3, 4)), lax.dynamic_update_slice(x, jnp.ones((2, 2)), (i, i))


@function(normal(50, 3), integers(0, 7, 50))
def segment_sum(x, i):
    return jax.ops.segment_sum(x, i, 7)


@function(integers(0, 4, 30, 2), normal(30, 2))
def sort_by_two_keys(x, y):
    return lax.sort((x, y), num_keys=2, dimension=0)


@function(normal(17, 29))
def orders(x):
    return jnp.argsort(x, -1), lax.top_k(x, 3), jnp.median(x, 1), jnp.quantile(x, 0.3)


@function(normal(64))
def histograms(x):
    return (jnp.histogram(x, bins=5, range=(-2, 2))[0], jnp.searchsorted(jnp.sort(x), 0.5),
            jnp.bincount(jnp.abs(x * 3).astype("i4"), length=10), jnp.digitize(x, jnp.array([-1.0, 0, 1])))


@function(normal(6, 7))
def predicates(x):
    return (jnp.any(x > 1, 0), jnp.all(x > -3), jnp.logical_xor(x > 0, x > 1), jnp.count_nonzero(x > 0), jnp.argmax(x),
            jnp.argmin(x, 1), jnp.nanmax(x))


@function(normal(5, 9))
def running(x):
    return jnp.cumsum(x, 0), jnp.cumprod(x, 1), lax.cummax(x, 0), lax.cumlogsumexp(x, 1)


@function(normal(6, 6))
def matrices(x):
    return jnp.tril(x), jnp.triu(x, 1), jnp.diag(x), jnp.trace(x), jnp.kron(x[:2, :2], x[:3, :3]), jnp.outer(x[0], x[1])


@function(normal(8, 9))
def rearranged(x):
    return jnp.roll(x, 3, 1), jnp.flip(x, 0), jnp.pad(x, ((1, 1), (0, 0)), mode="reflect"), jnp.repeat(x, 2, 1), jnp.tile(x, (2, 1))


# Arithmetic.


@function(normal(40))
def functions_of_floats(x):
    return (jnp.arcsin(x / 9), jnp.arccos(x / 9), jnp.arccosh(1 + x * x), jnp.arctanh(x / 9), jnp.log2(1 + x * x), jnp.exp2(x), jnp.hypot(x, x + 1), jnp.sinc(x),
            jnp.sign(x), jnp.round(x), jnp.trunc(x), jnp.square(x), jnp.isinf(x), jnp.isnan(x))


@function(normal(40))
def single_operations(x):
    """Applies the `lax` functions named like StableHLO or CHLO operations; test/differential tests these operations in detail."""
    left_out = ("real", "imag", "optimization_barrier")  # not functions of real numbers
    names = [name.removeprefix("chlo.") for name, types in elementwise.UNARY.items() if "f32" in types]
    return {name: getattr(lax, name)(x) for name in names if hasattr(lax, name) and name not in left_out}


@function(normal(30))
def error_functions(x):
    special = jax.scipy.special
    return special.erf(x), special.erfc(x), special.erfinv(x / 9), special.ndtr(x), special.expit(x), special.logit(jnp.abs(x) / 9)


@function(normal(30))
def bits_of_floats(x):
    return (jnp.nextafter(x, jnp.float32(3)), *jnp.frexp(x), jnp.ldexp(x, 2), jnp.copysign(x, -x), jnp.signbit(x),
            lax.reduce_precision(x, 5, 10))


@function(integers(-100, 100, 50), integers(1, 50, 50))
def functions_of_integers(a, b):
    return (a // b, a % b, a & b, a | b, a ^ b, ~a, a << (b & 7), a >> (b & 7), lax.population_count(a), lax.clz(a), jnp.gcd(a, b),
            a**2, jnp.abs(a))


@function(RNG.integers(0, 255, 33).astype(np.uint8))
def small_integers(a):
    return a + a, a * 3, a // 7, a.astype("f4"), jnp.bitwise_not(a), jnp.unpackbits(a)


@function(normal(20, 7))
def statistics(x):
    return jnp.var(x), jnp.std(x, 0), jnp.linalg.norm(x), jax.nn.logsumexp(x, -1)


@function(normal(20))
def polynomials(x):
    return (jnp.polyval(jnp.array([1.0, 2, 3]), x), jnp.interp(x, jnp.array([-1.0, 0, 1]), jnp.array([2.0, 3, 5])),
            jnp.convolve(x, x[:5]))


@function(np.array([1, 2], np.uint32))
def random_numbers(key):
    key = jax.random.wrap_key_data(key)
    return (jax.random.normal(key, (5, 7)), jax.random.randint(key, (5,), 0, 10), jax.random.permutation(key, 12),
            jax.random.gamma(key, 2.0, (3,)), jax.random.bernoulli(key, 0.3, (8, 16)))


@function(normal(4, 30))
def transforms_there_and_back(x):
    return jnp.fft.irfft(jnp.fft.rfft(x)), jnp.fft.irfft2(jnp.fft.rfft2(x)), jnp.fft.ifft(jnp.fft.fft(x)).real
