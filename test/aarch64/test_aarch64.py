"""Code for aarch64, run by QEMU: the models of test/models give their recorded numbers, and random programs give the interpreter's."""
import json
import os
import pathlib
import re
import subprocess
import sys

import ml_dtypes
import numpy as np
import pytest

from scripts import aarch64, fuzz_programs, setup

MODELS = pathlib.Path(__file__).parent.parent / "models"
sys.path.insert(0, str(MODELS))
import test_models  # noqa: E402  for each model's tolerance

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def run_image():
    """Fixture run_image(IMAGE, ARGUMENTS, RESULTS, THREADS): runs an image on files of bytes, as examples/c/run_image.c does."""
    missing = aarch64.missing_packages()
    if missing:
        pytest.skip("not installed: " + ", ".join(missing))
    command = aarch64.runner(aarch64.runtime())

    def run(*words):
        return subprocess.run([*command, *map(str, words)], capture_output=True, text=True, timeout=300)
    return run


def compile_for(build_folder, processor, program, image):
    return subprocess.run([build_folder / "bin" / "drumlin", "compile", program, "-o", image, "--target-cpu", processor],
                          capture_output=True, text=True, timeout=300)


@pytest.mark.parametrize("name", test_models.selected("compiled"))
def test_models_give_their_numbers(build_folder, tmp_path, run_image, name):
    compiled = compile_for(build_folder, "neoverse-v2", MODELS / name / "program.mlir", tmp_path / "model.so")
    assert compiled.returncode == 0, compiled.stderr
    inputs, expected = np.load(MODELS / name / "inputs.npz"), np.load(MODELS / name / "expected.npz")
    (tmp_path / "arguments").write_bytes(b"".join(inputs[f"in{number}"].tobytes() for number in range(len(inputs.files))))
    ran = run_image(tmp_path / "model.so", tmp_path / "arguments", tmp_path / "results", 2)
    assert ran.returncode == 0, ran.stderr
    types = json.loads((MODELS / name / "types.json").read_text())
    results = (tmp_path / "results").read_bytes()
    for one in test_models.typed(expected, types):
        got = np.frombuffer(results, one.dtype, one.size).reshape(one.shape)
        results = results[one.nbytes:]
        test_models.assert_close(got, one, test_models.tolerance(name, types, "compiled"))
    assert not results


@pytest.mark.parametrize("level", aarch64.LEVELS)
def test_random_programs(build_folder, run_image, level):
    command = " ".join(aarch64.runner(aarch64.FOLDER))
    tally = fuzz_programs.Tally()
    first = 40 * aarch64.LEVELS.index(level)
    fuzz_programs.run_seeds([build_folder / "bin" / "FuzzPrograms"], ["--check", "native", "--level", level, "--runner", command],
                            os.environ, first, 40, tally)
    assert not tally.findings and tally.numbers["programs"] == 40


def test_images_say_what_they_are_for(build_folder, tmp_path, run_image):
    program = MODELS / "dot_canonical_f32" / "program.mlir"
    assert compile_for(build_folder, "neoverse-n1", program, tmp_path / "model.so").returncode == 0
    here = subprocess.run([build_folder / "bin" / "drumlin", "run", tmp_path / "model.so", "--input", MODELS / "dot_canonical_f32" / "inputs.npz"],
                          capture_output=True, text=True, timeout=60)
    assert here.returncode != 0 and "`neoverse-n1`, a processor of aarch64, and this one is of x86-64" in here.stderr
    assert compile_for(build_folder, "avx2", program, tmp_path / "x86.so").returncode == 0
    there = run_image(tmp_path / "x86.so", MODELS / "dot_canonical_f32" / "inputs.npz", tmp_path / "results", 1)
    assert there.returncode == 1 and "a processor of x86-64, and this one is of aarch64" in there.stderr
    plan = subprocess.run([build_folder / "bin" / "drumlin", "plan", tmp_path / "model.so"], capture_output=True, text=True, timeout=60)
    assert plan.returncode == 0 and "plan.kernel" in plan.stdout


PORTS = 4  # multiply-add ports of neoverse-v2
LINE = re.compile(r"\s*([0-9a-f]+):\s+(\S+)\s*(.*)")
JUMP = re.compile(r"b\.|cbn?z|tbn?z|b$")


def loops(image):
    """Returns the innermost loops of an image's code, each as a list of assembly instructions."""
    listing = subprocess.run([setup.LLVM_BIN / "llvm-objdump", "-d", "--no-show-raw-insn", image], capture_output=True, text=True, check=True).stdout
    lines = [match.groups() for match in map(LINE.match, listing.splitlines()) if match]
    place = {int(address, 16): number for number, (address, *_) in enumerate(lines)}
    found = []
    for number, (_, name, operands) in enumerate(lines):
        target = re.search(r"0x([0-9a-f]+)", operands)
        begin = place.get(int(target[1], 16)) if target and JUMP.match(name) else None
        if begin is not None and begin <= number:
            found.append((begin, number))
    innermost = [one for one in found if not any(one != other and one[0] <= other[0] and other[1] <= one[1] for other in found)]
    return [[f"{name} {operands}".split("<")[0] for _, name, operands in lines[begin:end]] for begin, end in innermost]


def cycles_of(loop, tmp_path):
    """Returns the cycles per iteration of the loop on neoverse-v2, by LLVM's machine model."""
    (tmp_path / "loop.s").write_text("\n".join(loop) + "\n")
    told = subprocess.run([setup.LLVM_BIN / "llvm-mca", "-mtriple=aarch64", "-mcpu=neoverse-v2", "-iterations=1000", tmp_path / "loop.s"],
                          capture_output=True, text=True, check=True).stdout
    return int(re.search(r"Total Cycles:\s+(\d+)", told)[1]) / 1000


def product(rows, depth, columns, left, right, sums, wide=""):
    """Returns a program that multiplies two matrices, after converting their elements to `wide`."""
    a, b, result = (f"tensor<{m}x{n}x{element}>" for m, n, element in ((rows, depth, left), (depth, columns, right), (rows, columns, sums)))
    lines, names = [], []
    for name, kind, shape in (("a", a, f"{rows}x{depth}"), ("b", b, f"{depth}x{columns}")):
        to = f"tensor<{shape}x{wide}>" if wide else kind
        names.append((f"%w{name}" if wide else f"%{name}", to))
        if wide:
            lines.append(f"  %w{name} = stablehlo.convert %{name} : ({kind}) -> {to}")
    (x, of_x), (y, of_y) = names
    lines.append(f"  %r = stablehlo.dot_general {x}, {y}, contracting_dims = [1] x [0] : ({of_x}, {of_y}) -> {result}")
    return f"func.func @main(%a: {a}, %b: {b}) -> {result} {{\n" + "\n".join(lines) + f"\n  return %r : {result}\n}}\n"


def run_product(build_folder, tmp_path, run_image, processor, unit, program, arguments, result, planned=""):
    (tmp_path / "product.mlir").write_text(program)
    compiled = compile_for(build_folder, processor, tmp_path / "product.mlir", tmp_path / "product.so")
    assert compiled.returncode == 0, compiled.stderr
    plan = subprocess.run([build_folder / "bin" / "drumlin", "plan", tmp_path / "product.so"], capture_output=True, text=True, timeout=60)
    assert f"unit = {unit}" in plan.stdout and planned in plan.stdout, plan.stdout
    (tmp_path / "arguments").write_bytes(b"".join(each.tobytes() for each in arguments))
    ran = run_image(tmp_path / "product.so", tmp_path / "arguments", tmp_path / "results", 2)
    assert ran.returncode == 0, ran.stderr
    return np.fromfile(tmp_path / "results", result)


@pytest.mark.parametrize("left, right", [("i8", "i8"), ("ui8", "ui8"), ("i8", "ui8"), ("ui8", "i8")])
def test_products_of_bytes(build_folder, tmp_path, run_image, left, right):
    """Signed and unsigned operands. The depth isn't a multiple of the k-group or of the block."""
    numbers = np.random.default_rng(1)
    types = {"i8": np.int8, "ui8": np.uint8}
    for rows, depth, columns in ((37, 75, 50), (17, 2051, 20)):
        a, b = (numbers.integers(np.iinfo(types[one]).min, np.iinfo(types[one]).max, shape, types[one], endpoint=True)
                for one, shape in ((left, (rows, depth)), (right, (depth, columns))))
        for processor, unit in (("neoverse-n1", "int8_dots"), ("neoverse-v1", "int8_mmla")):
            got = run_product(build_folder, tmp_path, run_image, processor, unit,
                              product(rows, depth, columns, left, right, "i32", "i32"), (a, b), np.int32)
            np.testing.assert_array_equal(got.reshape(rows, columns), a.astype(np.int32) @ b.astype(np.int32))


def test_products_of_bf16(build_folder, tmp_path, run_image):
    """Each step rounds the accumulator to odd, by at most one unit in the last place."""
    numbers = np.random.default_rng(1)
    for rows, depth, columns in ((37, 75, 50), (17, 2051, 20)):
        a, b = (numbers.standard_normal(shape).astype(np.float32).astype(ml_dtypes.bfloat16) for shape in ((rows, depth), (depth, columns)))
        got = run_product(build_folder, tmp_path, run_image, "neoverse-v1", "bf16_mmla",
                          product(rows, depth, columns, "bf16", "bf16", "f32"), (a, b), np.float32)
        exact = a.astype(np.float64) @ b.astype(np.float64)
        most = np.abs(a.astype(np.float64)) @ np.abs(b.astype(np.float64))
        assert (np.abs(got.reshape(rows, columns) - exact) <= depth * most * 2.0**-23).all()


@pytest.mark.parametrize("element, unit", [("i8", "int8_mmla"), ("bf16", "bf16_mmla")])
@pytest.mark.parametrize("rows, depth, columns", [(3, 768, 500), (33, 200, 96), (5, 104, 37)])
def test_products_of_weights(build_folder, tmp_path, run_image, element, unit, rows, depth, columns):
    """Weights are stored in panels, in the order in which the matrix instructions read them, so no weight is packed at run time."""
    numbers = np.random.default_rng(1)
    if element == "i8":
        a, w = (numbers.integers(-128, 127, shape, np.int8, endpoint=True) for shape in ((rows, depth), (depth, columns)))
        sums, result = "i32", np.int32
    else:
        a, w = (numbers.standard_normal(shape).astype(ml_dtypes.bfloat16) for shape in ((rows, depth), (depth, columns)))
        sums, result = "f32", np.float32
    of_a, of_w, of_r = f"tensor<{rows}x{depth}x{element}>", f"tensor<{depth}x{columns}x{element}>", f"tensor<{rows}x{columns}x{sums}>"
    program = (f"func.func @main(%a: {of_a}) -> {of_r} {{\n  %w = stablehlo.constant dense<\"0x{w.tobytes().hex().upper()}\"> : {of_w}\n"
               f"  %r = stablehlo.dot_general %a, %w, contracting_dims = [1] x [0] : ({of_a}, {of_w}) -> {of_r}\n  return %r : {of_r}\n}}\n")
    got = run_product(build_folder, tmp_path, run_image, "neoverse-v1", unit, program, (a,), result, "columns_in_panels").reshape(rows, columns)
    exact, most = a.astype(np.float64) @ w.astype(np.float64), np.abs(a.astype(np.float64)) @ np.abs(w.astype(np.float64))
    assert (np.abs(got - exact) <= (depth * most * 2.0**-23 if sums == "f32" else 0)).all()


@pytest.mark.parametrize("element, sums, instruction", [("f32", "f32", "fmla"), ("f64", "f64", "fmla"), ("bf16", "f32", "bfmmla"),
                                                        ("i8", "i32", "smmla")])
@pytest.mark.parametrize("size", [512, 197])
def test_products_keep_the_ports_busy(build_folder, tmp_path, element, sums, instruction, size):
    """A GEMM's main loop uses nine tenths of the multiply-add throughput and keeps all accumulators in registers."""
    (tmp_path / "product.mlir").write_text(product(size, size, size, element, element, sums))
    compiled = compile_for(build_folder, "neoverse-v2", tmp_path / "product.mlir", tmp_path / "product.so")
    assert compiled.returncode == 0, compiled.stderr
    main = max(loops(tmp_path / "product.so"), key=lambda loop: sum(line.startswith(instruction) for line in loop))
    products = sum(line.startswith(instruction) for line in main)
    assert products >= 32 and not any("[sp" in line or re.match(r"mov\s+v|mov\.16b", line) for line in main), main
    assert products / PORTS >= 0.9 * cycles_of(main, tmp_path), main
