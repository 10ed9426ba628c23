"""Haiku: a transformer that translates one sequence into another, an LSTM, and a mixture of experts with a capacity."""
import haiku as hk
import jax
import jax.numpy as jnp
import numpy as np
import optax

from compare import Model, initial

WIDTH, VOCABULARY = 32, 24


def cross_entropy(logits, labels):
    return optax.softmax_cross_entropy_with_integer_labels(logits, labels).mean()


def norm(x):
    return hk.LayerNorm(-1, create_scale=True, create_offset=True)(x)


def attend(query, memory, mask=None):
    return hk.MultiHeadAttention(4, WIDTH // 4, w_init=hk.initializers.VarianceScaling(1.0), model_size=WIDTH)(query, memory, memory, mask)


def feed_forward(x, dropout):
    x = hk.Linear(WIDTH)(jax.nn.relu(hk.Linear(4 * WIDTH)(x)))
    return hk.dropout(hk.next_rng_key(), dropout, x) if dropout else x


def embed(tokens):
    positions = hk.get_parameter("positions", (tokens.shape[1], WIDTH), init=hk.initializers.TruncatedNormal(0.1))
    return hk.Embed(VOCABULARY, WIDTH)(tokens) + positions


def translate(source, target, dropout=0.0):
    with hk.experimental.name_scope("encoder"):
        x = embed(source)
        for _ in range(2):
            x += attend(norm(x), norm(x))
            x += feed_forward(norm(x), dropout)
        memory = norm(x)
    with hk.experimental.name_scope("decoder"):
        x = embed(target)
        mask = jnp.tril(jnp.ones((1, 1, target.shape[1], target.shape[1]), bool))
        for _ in range(2):
            x += attend(norm(x), norm(x), mask)
            x += attend(norm(x), memory)
            x += feed_forward(norm(x), dropout)
    return hk.Linear(VOCABULARY)(norm(x))


def pairs(generator):
    """Returns three arrays: a sequence; its reverse after a start mark, without the last token; and its reverse without the mark."""
    source = generator.integers(1, VOCABULARY, (8, 12)).astype(np.int32)
    target = np.concatenate([np.zeros((8, 1), np.int32), source[:, ::-1]], axis=1)
    return source, target[:, :-1], target[:, 1:]


def transformer():
    program = hk.transform(translate)
    weights = initial(lambda: program.init(jax.random.key(0), *pairs(np.random.default_rng(0))[:2]))

    def loss(weights, state, batch, key):
        return cross_entropy(program.apply(weights, key, *batch[:2], dropout=0.1), batch[2]), state

    rate = optax.warmup_cosine_decay_schedule(0.0, 3e-3, 10, 50)
    return Model(weights, lambda weights, state, *inputs: program.apply(weights, None, *inputs), loss, pairs, optax.adam(rate, eps=1e-5), inputs=2)


def read_letters(tokens):
    core = hk.DeepRNN([hk.LSTM(48), jax.nn.tanh, hk.LSTM(48)])
    x = jax.nn.one_hot(tokens, VOCABULARY, dtype=hk.get_parameter("kind", (), init=jnp.zeros).dtype)
    outputs, _ = hk.dynamic_unroll(core, x, jax.tree.map(lambda s: s.astype(x.dtype), core.initial_state(tokens.shape[0])), time_major=False)
    return hk.Linear(VOCABULARY)(outputs)


def letters(generator):
    """Returns rows that count up, each with its own step."""
    begin, by = generator.integers(0, VOCABULARY, (2, 16, 1))
    return ((begin + by % 3 * np.arange(20)) % VOCABULARY).astype(np.int32),


def lstm():
    program = hk.without_apply_rng(hk.transform(read_letters))
    weights = initial(lambda: program.init(jax.random.key(0), *letters(np.random.default_rng(0))))

    def loss(weights, state, batch, key):
        return cross_entropy(program.apply(weights, batch[0])[:, :-1], batch[0][:, 1:]), state

    optimizer = optax.chain(optax.clip(1.0), optax.rmsprop(1e-2, eps=1e-4))
    return Model(weights, lambda weights, state, tokens: program.apply(weights, tokens), loss, letters, optimizer)


EXPERTS, CAPACITY = 4, 24


def mixture(x):
    """Routes each token to the two experts with the largest gates, unless an expert has reached its capacity. Returns the experts' combined
    outputs, and a measure of how unevenly the experts are used."""
    gates = jax.nn.softmax(hk.Linear(EXPERTS, with_bias=False)(x).astype(jnp.float32))
    weight, chosen = jax.lax.top_k(gates, 2)
    picks = jax.nn.one_hot(chosen, EXPERTS, dtype=jnp.int32)                   # token, choice, expert
    places = jnp.cumsum(picks.reshape(-1, EXPERTS), axis=0).reshape(picks.shape) - 1
    room = jax.nn.one_hot(jnp.where(picks > 0, places, -1), CAPACITY, dtype=x.dtype)  # token, choice, expert, place
    send = room.sum(axis=1)
    combine = jnp.einsum("tk,tkec->tec", weight.astype(x.dtype), room)
    inside = jnp.einsum("tec,td->ecd", send, x)
    up = hk.get_parameter("up", (EXPERTS, WIDTH, 2 * WIDTH), init=hk.initializers.VarianceScaling(EXPERTS))
    down = hk.get_parameter("down", (EXPERTS, 2 * WIDTH, WIDTH), init=hk.initializers.VarianceScaling(EXPERTS))
    outside = jnp.einsum("ech,ehd->ecd", jax.nn.silu(jnp.einsum("ecd,edh->ech", inside, up)), down)
    uneven = EXPERTS * jnp.mean(gates.mean(axis=0) * picks[:, 0].mean(axis=0, dtype=jnp.float32)) * EXPERTS
    return jnp.einsum("tec,ecd->td", combine, outside), uneven


def experts_forward(x):
    uneven = 0.0
    x = hk.Linear(WIDTH)(x)
    for index in range(2):
        with hk.experimental.name_scope(f"layer{index}"):
            y, more = mixture(norm(x))
            x, uneven = x + y, uneven + more
    return hk.Linear(4)(norm(x)), uneven


def points(generator):
    """Returns points, and values computed by a different formula in each quadrant."""
    x = generator.normal(size=(32, 8)).astype(np.float32)
    quadrant = (x[:, :1] > 0) * 2 + (x[:, 1:2] > 0)
    return x, (np.sin(x[:, 2:6] * (1 + quadrant)) + quadrant).astype(np.float32)


def experts():
    program = hk.without_apply_rng(hk.transform(experts_forward))
    weights = initial(lambda: program.init(jax.random.key(0), points(np.random.default_rng(0))[0]))

    def loss(weights, state, batch, key):
        y, uneven = program.apply(weights, batch[0])
        return jnp.mean((y - batch[1]) ** 2) + 0.01 * uneven, state

    return Model(weights, lambda weights, state, x: program.apply(weights, x)[0], loss, points, optax.adamw(3e-3, eps=1e-5))


MODELS = {"transformer": transformer, "lstm": lstm, "experts": experts}
