"""JAX functions of symbolic shapes, and checks of their images."""
import re
import subprocess

import jax
import jax.numpy as jnp
import numpy
from jax import export

SIZES = (1, 2, 17, 96, 130, 1000)
INTERPRETED = (2, 17)


def drumlin(build_folder, *words):
    return subprocess.run([build_folder / "bin" / "drumlin", *map(str, words)], capture_output=True, text=True)


# An argument's shape is written `b, 4` for f32, `int b, 4` for i32 from 0 to 4, or `complex b, 4`. `b` and `s` are symbolic sizes.
KINDS = {"int": numpy.int32, "complex": numpy.complex64}


def parsed(shape):
    name = next((each for each in KINDS if shape.startswith(each)), "")
    return KINDS.get(name, numpy.float32), shape.removeprefix(name).strip()


def made_of(kind, sizes, generator):
    if kind is numpy.int32:
        return generator.integers(0, 5, sizes, kind)
    real = generator.standard_normal(sizes, dtype=numpy.float32)
    return real if kind is numpy.float32 else (real + 1j * generator.standard_normal(sizes, dtype=numpy.float32)).astype(kind)


# `least` is the smallest value of `b`.
def exported(function, shapes, least=1):
    scope, specs = export.SymbolicScope([f"b >= {least}"]), []
    for shape in shapes:
        kind, text = parsed(shape)
        specs.append(jax.ShapeDtypeStruct(export.symbolic_shape(text, scope=scope) if text else (), kind))
    return export.export(jax.jit(function))(*specs).mlir_module()


def arrays(shapes, b, seed=0):
    generator = numpy.random.default_rng(seed + b)
    symbols = {"b": b, "s": 2 * b % 31 + 1}
    made = []
    for shape in shapes:
        kind, text = parsed(shape)
        sizes = [symbols[size] if size in symbols else int(size) for size in text.replace(" ", "").split(",")] if text else []
        made.append(made_of(kind, sizes, generator))
    return made


# Options that give both symbols the same nominal size: code that confuses the symbols is correct at this size only, so other sizes reveal it.
# A test passes alike=None if a size is the quotient of both symbols, since a nominal quotient of 1 is refused.
ALIKE = ("--size", "b=61", "--size", "s=61")


def check(build_folder, folder, function, shapes, sizes=SIZES, alike=ALIKE):
    """Checks that one image gives JAX's results at every size, and that the interpreter gives them at some sizes. Checks the same for an image
    that is compiled with the options `alike`."""
    program, image = folder / "program.mlir", folder / "program.so"
    program.write_text(exported(function, shapes, min(sizes)))
    done = drumlin(build_folder, "compile", program, "-o", image)
    assert done.returncode == 0, done.stderr
    ways = [[image], [program, "--interpret"]]
    if alike and {"b", "s"} <= {size for shape in shapes for size in re.findall(r"\w+", parsed(shape)[1])}:
        ways.append([folder / "alike.so"])
        done = drumlin(build_folder, "compile", program, "-o", *ways[2], *alike)
        assert done.returncode == 0, done.stderr
    for b in sizes:
        given = arrays(shapes, b)
        results = jax.tree.leaves(function(*map(jnp.asarray, given)))
        numpy.savez(folder / "in.npz", **{f"in{i}": array for i, array in enumerate(given)})
        for words in ways if b in INTERPRETED else ways[:1]:
            done = drumlin(build_folder, "run", *words, "--input", folder / "in.npz", "--output", folder / "got.npz")
            assert done.returncode == 0, (b, words, done.stderr)
            got = numpy.load(folder / "got.npz")
            for i, expected in enumerate(results):
                array, relative = got[f"out{i}"], 2e-5
                if expected.dtype == jnp.bfloat16:  # numpy has no bf16, so the file has the bits as integers
                    array, expected, relative = array.view(expected.dtype).astype(numpy.float32), expected.astype(numpy.float32), 2e-2
                assert array.shape == expected.shape, (b, words)
                # Relative to the largest finite number, since sums of numbers of that size are rounded.
                finite = numpy.abs(numpy.asarray(expected)[numpy.isfinite(expected)]).max(initial=1)
                numpy.testing.assert_allclose(array, expected, rtol=relative, atol=relative * float(finite), err_msg=f"b = {b}")
