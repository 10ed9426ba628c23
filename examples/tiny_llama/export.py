"""Writes decode.mlir (one decoding step, with weights as arguments), decode.json (the meaning of its arguments) and
expected.json (the model's text with the likeliest token each time): python export.py"""
import os

os.environ["JAX_PLATFORMS"] = "cpu"
import json
import re

import jax
import jax.numpy as jnp
import numpy as np

import model
import text
import weights as files

PROMPT = "In the beginning"
EXPECTED_TOKENS = 48


def zero_cache():
    rows = (1, model.CONTEXT, model.KV_HEADS, model.HEAD_WIDTH)
    return [(jnp.zeros(rows), jnp.zeros(rows)) for _ in range(model.LAYERS)]


def step(weights, cache, position, token):
    """Calls model.decode with the list of weights in the exported order."""
    return model.decode(dict(zip(model.weight_shapes(), weights)), cache, position, token)


def argument_names():
    cache = [f"layers.{layer}.{kind}_cache" for layer in range(model.LAYERS) for kind in ("key", "value")]
    return [*model.weight_shapes(), *cache, "position", "token"]


def name_arguments(module_text):
    """Adds the names of the entry function's arguments as locations, for readers and compilers."""
    names = iter(argument_names())
    head, body = module_text.split("func.func public @main(", 1)
    signature, body = body.split(") -> (", 1)
    pieces = re.split(r", (?=%arg\d+:)", signature)
    named = ", ".join(f'{piece} loc("{next(names)}")' for piece in pieces)
    return f"{head}func.func public @main({named}) -> ({body}"


def describe():
    names = argument_names()
    cached = len(model.weight_shapes())
    return {
        "program": "decode.mlir",
        "weights": {"file": "model.safetensors", "arguments": {name: index for index, name in enumerate(names[:cached])}},
        "cache": {"arguments": list(range(cached, len(names) - 2)), "results": list(range(2, 2 + len(names) - 2 - cached))},
        "position": len(names) - 2,
        "token": len(names) - 1,
        "results": {"next_token": 0, "logits": 1},
        "context": model.CONTEXT,
        "vocabulary": "vocabulary.txt",
    }


def write_json(path, value):
    path.write_text(json.dumps(value) + "\n")


def continuation(run, weights):
    """Returns the likeliest tokens after the prompt, and the smallest difference between a chosen token's logit and the second largest."""
    tokens = text.encode(PROMPT, text.load_vocabulary())
    prompt, cache, lead = len(tokens), zero_cache(), np.inf
    for position in range(prompt + EXPECTED_TOKENS - 1):
        token, logits, cache = run(weights, cache, jnp.int32(position), jnp.asarray(tokens[position : position + 1], jnp.int32))
        if position + 1 >= prompt:
            second, first = np.sort(np.asarray(logits)[0])[-2:]
            lead = min(lead, float(first - second))
            tokens.append(int(token[0]))
    return tokens[:prompt], tokens[prompt:], lead


def main():
    weights = [jnp.asarray(array) for array in files.load(text.HERE / "model.safetensors").values()]
    run = jax.jit(step, donate_argnums=1, keep_unused=True)
    lowered = run.lower(weights, zero_cache(), jnp.int32(0), jnp.zeros((1,), jnp.int32))
    (text.HERE / "decode.mlir").write_text(name_arguments(lowered.as_text()))
    write_json(text.HERE / "decode.json", describe())
    prompt, expected, lead = continuation(run, weights)
    vocabulary = text.load_vocabulary()
    write_json(text.HERE / "expected.json", {
        "prompt": PROMPT, "prompt_tokens": prompt, "tokens": expected,
        "text": "".join(vocabulary[token] for token in expected), "smallest_lead": round(lead, 4)})
    print(PROMPT + "".join(vocabulary[token] for token in expected), f"\n(smallest lead {lead:.4f})")


main()
