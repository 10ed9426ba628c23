"""`./dev device`: creates build/device, a self-contained folder to run on a machine with a GPU:
`build/device/run.sh RESULTS`."""
import glob
import lzma
import shutil
import subprocess

from scripts import build, steps

FOLDER = steps.BUILD / "device"
SOURCE = steps.ROOT / "benchmarks" / "device"


def cuda_headers():
    found = sorted(glob.glob("/usr/local/cuda*/include/cuda.h"))
    if not found:
        raise steps.Failure("cuda.h is missing, which the graph checks need", "install CUDA's headers: package `cuda-cudart-dev-13-0` of NVIDIA's archive")
    return found[-1].removesuffix("/cuda.h")


def main(arguments):
    headers = cuda_headers()
    made = build.build(targets=["PrintLibraryQuestions"])
    shutil.rmtree(FOLDER, ignore_errors=True)
    (FOLDER / "programs").mkdir(parents=True)
    questions = subprocess.run([made / "bin" / "PrintLibraryQuestions", arguments.target], capture_output=True, check=True).stdout
    (FOLDER / "questions.jsonl.xz").write_bytes(lzma.compress(questions))
    for path in SOURCE.iterdir():
        if path.suffix in (".py", ".ptx", ".sh"):
            shutil.copy(path, FOLDER)
    for path in (steps.ROOT / "test" / "models").glob("*/program.mlir"):
        shutil.copy(path, FOLDER / "programs" / f"{path.parent.name}.mlir")
    steps.run("graph_loops", ["clang++-22", "-O2", "-std=c++20", SOURCE / "graph_loops.cpp", f"-I{headers}", "-o", FOLDER / "graph_loops", "-ldl"], log="device")
    size = sum(path.stat().st_size for path in FOLDER.rglob("*") if path.is_file())
    print(f"{FOLDER.relative_to(steps.ROOT)}: {size / 2**20:.1f} MiB. On a machine with a card: {FOLDER.name}/run.sh RESULTS\n"
          f"Then keep RESULTS/answers.txt as drumlin/target/test/answers/{arguments.target}.txt, the rest in benchmarks/device/results.")
