"""Measures the time and memory to compile a llama of 70 billion weights. Run by `./dev bench
large_llama[:FILTER]`.

The programs are those of `benchmarks/llama.py`: a decode step and a prefill of 80 layers of width
8,192, unrolled and as a loop over stacked weights. Drumlin compiles each program with an empty
kernel cache and with its 138 GB of weights in place. jaxlib's CPU backend compiles it with its
weights as arguments. Each compilation runs in a separate process, and times and peaks are medians
of these processes. jaxlib's times exclude importing it but include the lowering of the function.
FILTER is part of a row's name, such as `decode`."""
import argparse
import os
import pathlib
import statistics
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
from benchmarks import large_program, llama

# Measures jaxlib's compile time, without the start of Python and the import of JAX.
PEER = """
import sys, time
from benchmarks import llama
import jax
function, arguments, donated = llama.STEPS[sys.argv[1]](llama.LARGE, sys.argv[2] == "stacked")
begin = time.monotonic()
jax.jit(function, donate_argnums=donated, keep_unused=True).lower(*arguments).compile()
print(time.monotonic() - begin, file=open(sys.argv[3], "w"))
"""


def drumlin_once(build, folder, step):
    with tempfile.TemporaryDirectory() as cache:
        os.environ["DRUMLIN_CACHE"] = cache
        return large_program.measure((build / "bin" / "drumlin", "compile", f"{step}.mlir", "-o", "image.so", "--weights", "weights.safetensors",
                                      "--weights-in-place", "sampled"), folder)


def peer_once(folder, step, form):
    os.environ |= {"PYTHONPATH": str(ROOT), "JAX_PLATFORMS": "cpu"}
    _, megabytes = large_program.measure((sys.executable, "-c", PEER, step, form, "seconds"), folder)
    return float((folder / "seconds").read_text()), megabytes


def medians(samples):
    return tuple(statistics.median(column) for column in zip(*samples))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("filter", nargs="?", default="")
    options = parser.parse_args()
    print(f"{'compilation':28} {'drumlin':>9} {'memory':>9} {'jaxlib':>9} {'memory':>9}")
    for form in ("unrolled", "stacked"):
        for step in llama.STEPS:
            name = f"large_llama_{step}_{form}"
            if options.filter not in name:
                continue
            with tempfile.TemporaryDirectory() as at:
                folder = pathlib.Path(at)
                llama.write(folder, llama.LARGE, step, form == "stacked")
                samples = [(*drumlin_once(options.build.resolve(), folder, step), *peer_once(folder, step, form)) for _ in range(options.rounds)]
            seconds, megabytes, peer_seconds, peer_megabytes = medians(samples)
            print(f"{name:28} {seconds:7.2f} s {megabytes:6.0f} MB {peer_seconds:7.2f} s {peer_megabytes:6.0f} MB", flush=True)


if __name__ == "__main__":
    main()
