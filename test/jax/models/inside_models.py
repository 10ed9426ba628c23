"""Models of Flax, Haiku and Equinox: inference, training and generation on Drumlin agree with jaxlib's CPU backend."""
import functools

import compare
import equinox
import equinox_models
import flax_models
import haiku_models
import jax
import jax.numpy as jnp
import numpy as np
import pytest

PLATFORMS = "drumlin,cpu"
MODELS = {**flax_models.MODELS, **haiku_models.MODELS, **equinox_models.MODELS}
model = functools.cache(lambda name: MODELS[name]())
inferred = functools.cache(lambda platform, name, dtype: compare.infer(platform, model(name), dtype))
every_model = pytest.mark.parametrize("name", MODELS)


@every_model
def test_inference(name):
    """In f32, results differ only by the rounding of sums of about a hundred numbers, through a few layers."""
    assert compare.distance(inferred("drumlin", name, jnp.float32), inferred("cpu", name, jnp.float32)) < 3e-6


@every_model
def test_inference_in_bf16(name):
    """The errors of Drumlin's and jaxlib's bf16 results, compared with f32 results, have similar sizes: each keeps some intermediate values in
    f32, but not the same ones."""
    exact = inferred("cpu", name, jnp.float32)
    error, usual = (compare.distance(inferred(platform, name, jnp.bfloat16), exact) for platform in ("drumlin", "cpu"))
    assert error < 1.5 * usual and 1e-4 < usual < 0.1


@every_model
def test_training(name):
    """Both backends begin with the same weights and see the same batches. They sum in different orders, so their losses differ by a few units
    in the last place. The difference grows from step to step, as it does if the initial weights are changed by half a unit in the last place.
    The model's tolerance is larger than both differences.
    """
    it = model(name)
    step = compare.make_step(it)
    losses, weights = compare.train("drumlin", it, step, it.weights)
    expected, expected_weights = compare.train("cpu", it, step, it.weights)
    nudged, _ = compare.train("cpu", it, step, compare.nudged(it.weights))
    assert np.allclose(nudged, expected, rtol=it.tolerance / 2, atol=0)  # otherwise the tolerance would be meaningless
    assert np.allclose(losses, expected, rtol=it.tolerance, atol=0)
    assert compare.distance(weights, expected_weights) < 5 * it.tolerance
    assert losses[-compare.BATCHES:].mean() < 0.8 * losses[:compare.BATCHES].mean()


def test_generation():
    """A trained GPT decodes greedily with caches: both backends give the same tokens, and decoding without caches gives them, too."""
    it = model("gpt")
    step = compare.make_step(it)
    carried, batches, keys = compare.start("cpu", it, it.weights)
    for number in range(100):
        *carried, _ = step(*carried, batches[number % compare.BATCHES], keys[0])
    prompt = np.asarray(batches[0][0])[:, :4]
    written = {platform: np.asarray(jax.jit(flax_models.generate)(*compare.put(platform, (carried[0], prompt)))) for platform in ("drumlin", "cpu")}
    assert np.array_equal(written["drumlin"], written["cpu"])
    logits = np.asarray(jax.jit(it.forward)(*compare.put("drumlin", (carried[0], (), written["drumlin"]))))
    assert np.array_equal(logits.argmax(axis=-1)[:, 3:-1], written["drumlin"][:, 4:]) and len(np.unique(written["drumlin"])) > 8


def test_checks_of_equinox():
    """`error_if` raises at the call, under either `jit`. If the program has run before, JAX raises a ValueError."""
    checked = lambda x: equinox.error_if(x, x < 0, "less than nothing") * 2
    for jit in (equinox.filter_jit, jax.jit):
        program = jit(checked)
        assert program(jnp.float32(1)) == 2
        with pytest.raises((RuntimeError, ValueError), match="less than nothing"):
            program(jnp.float32(-1))
