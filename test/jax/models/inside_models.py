"""Models of Flax, Haiku and Equinox: they infer, train and generate on Drumlin as on jaxlib's backend for CPUs."""
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
    """Within a few units in the last place of sums of a hundred numbers, through a few layers."""
    assert compare.distance(inferred("drumlin", name, jnp.float32), inferred("cpu", name, jnp.float32)) < 3e-6


@every_model
def test_inference_in_bf16(name):
    """As near to the results in f32 as jaxlib's are: it keeps some values between operations in f32, and Drumlin others."""
    exact = inferred("cpu", name, jnp.float32)
    error, usual = (compare.distance(inferred(platform, name, jnp.bfloat16), exact) for platform in ("drumlin", "cpu"))
    assert error < 1.5 * usual and 1e-4 < usual < 0.1


@every_model
def test_training(name):
    """
    Both begin with the same weights and see the same batches. Their sums differ in order, and so their losses by a few units in the last
    place, which grow with the steps as a change of the weights by as much does. The model's tolerance is above that growth.
    """
    it = model(name)
    step = compare.make_step(it)
    losses, weights = compare.train("drumlin", it, step, it.weights)
    expected, expected_weights = compare.train("cpu", it, step, it.weights)
    nudged, _ = compare.train("cpu", it, step, compare.nudged(it.weights))
    assert np.allclose(nudged, expected, rtol=it.tolerance / 2, atol=0)  # else the tolerance means nothing
    assert np.allclose(losses, expected, rtol=it.tolerance, atol=0)
    assert compare.distance(weights, expected_weights) < 5 * it.tolerance
    assert losses[-compare.BATCHES:].mean() < 0.8 * losses[:compare.BATCHES].mean()


def test_generation():
    """A trained GPT decodes greedily with its caches: the same tokens, which are those that it finds without caches."""
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
    """`error_if` raises where the function is called, under either `jit`. What a program raises that has run before is a ValueError to JAX."""
    checked = lambda x: equinox.error_if(x, x < 0, "less than nothing") * 2
    for jit in (equinox.filter_jit, jax.jit):
        program = jit(checked)
        assert program(jnp.float32(1)) == 2
        with pytest.raises((RuntimeError, ValueError), match="less than nothing"):
            program(jnp.float32(-1))
