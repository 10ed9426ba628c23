"""The same input gives the same image, byte for byte, and an image gives the same numbers, bit for bit, on any number of threads."""
import hashlib
import itertools
import pathlib
import shutil

import numpy as np
import pytest

MODELS = pathlib.Path(__file__).parent
NAMES = sorted(path.parent.name for path in MODELS.glob("*/program.mlir"))
LARGEST = sorted(NAMES, key=lambda name: -(MODELS / name / "program.mlir").stat().st_size)[:5]
RUN_THREADS = (1, 2, 7)


def digest(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


# The fast tests compile only the smallest program.
@pytest.mark.parametrize("name", [name if name == LARGEST[-1] else pytest.param(name, marks=pytest.mark.slow) for name in LARGEST])
def test_image_is_the_same_from_process_to_process(drumlin, tmp_path, name):
    """Compiles in four fresh processes, each with its own folder and environment, and one or two threads."""
    images = []
    for number, threads in enumerate((1, 2, 1, 2)):
        folder = tmp_path / str(number)
        folder.mkdir()
        program = shutil.copy(MODELS / name / "program.mlir", folder)
        drumlin("compile", program if number % 3 else "program.mlir", "-o", f"{number}.so", "--no-cache", "--num-parallel-jobs",
                threads, cwd=folder, HOME=str(folder), TZ=f"UTC{number:+}", PADDING="x" * 999 * number)
        images.append(digest(folder / f"{number}.so"))
    assert len(set(images)) == 1


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_image_from_a_shared_cache_is_the_same(drumlin, image_of, tmp_path, name):
    """An image with kernels from the cache, where other programs' compilations stored them, equals an image compiled without the cache."""
    drumlin("compile", MODELS / name / "program.mlir", "-o", tmp_path / "fresh.so", "--no-cache")
    assert digest(tmp_path / "fresh.so") == digest(image_of(name))


def results(drumlin, image, inputs, output, threads):
    """Returns the type, shape and bytes of each result."""
    drumlin("run", image, "--input", *inputs, "--output", output, "--threads", threads)
    arrays = np.load(output)
    return {name: (arrays[name].dtype, arrays[name].shape, arrays[name].tobytes()) for name in arrays.files}


@pytest.mark.parametrize("name", NAMES)
def test_results_are_the_same_on_any_number_of_threads(drumlin, image_of, tmp_path, name):
    got = [results(drumlin, image_of(name), [MODELS / name / "inputs.npz"], tmp_path / "r.npz", threads)
           for threads in RUN_THREADS]
    assert got[0] and all(one == got[0] for one in got)


# Kernels of many tiles. Threads take the tiles dynamically, and the order in which partial results are combined matters.
WIDE = """module @wide {
  func.func public @main(%x: tensor<1000x1030xf32>, %w: tensor<1030x400xf32>, %i: tensor<5000x1xi32>, %u: tensor<5000x1030xf32>)
      -> (tensor<f32>, tensor<1000xf32>, tensor<1030xf32>, tensor<1000x400xf32>, tensor<f32>, tensor<1000x1030xf32>) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %least = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %all = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0, 1]
      : (tensor<1000x1030xf32>, tensor<f32>) -> tensor<f32>
    %rows = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1]
      : (tensor<1000x1030xf32>, tensor<f32>) -> tensor<1000xf32>
    %columns = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0]
      : (tensor<1000x1030xf32>, tensor<f32>) -> tensor<1030xf32>
    %product = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
      : (tensor<1000x1030xf32>, tensor<1030x400xf32>) -> tensor<1000x400xf32>
    %sizes = stablehlo.abs %product : tensor<1000x400xf32>
    %largest = stablehlo.reduce(%sizes init: %least) applies stablehlo.maximum across dimensions = [0, 1]
      : (tensor<1000x400xf32>, tensor<f32>) -> tensor<f32>
    %added = "stablehlo.scatter"(%x, %i, %u) <{
      scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0],
        scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
      ^bb0(%a: tensor<f32>, %b: tensor<f32>):
        %sum = stablehlo.add %a, %b : tensor<f32>
        stablehlo.return %sum : tensor<f32>
      }) : (tensor<1000x1030xf32>, tensor<5000x1xi32>, tensor<5000x1030xf32>) -> tensor<1000x1030xf32>
    return %all, %rows, %columns, %product, %largest, %added
      : tensor<f32>, tensor<1000xf32>, tensor<1030xf32>, tensor<1000x400xf32>, tensor<f32>, tensor<1000x1030xf32>
  }
}
"""


def test_large_results_are_the_same_on_any_number_of_threads(drumlin, tmp_path):
    (tmp_path / "wide.mlir").write_text(WIDE)
    drumlin("compile", tmp_path / "wide.mlir", "-o", tmp_path / "wide.so")
    # Rows 0 to 999, each five times, ordered so that consecutive rows are far apart.
    np.save(tmp_path / "rows.npy", (np.arange(5000, dtype=np.int32) * 617 % 1000)[:, None])
    inputs = ["random:1", "random:2", tmp_path / "rows.npy", "random:3"]
    # Threads race differently in each run.
    got = [results(drumlin, tmp_path / "wide.so", inputs, tmp_path / "r.npz", threads)
           for threads, _ in itertools.product(RUN_THREADS, range(2))]
    assert len(got[0]) == 6 and all(one == got[0] for one in got)
