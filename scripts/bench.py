"""Builds, sets up jaxlib as the peer, and runs one of these modules of benchmarks/: run.py,
products.py, dilations.py, convolutions.py, widths.py, predictions.py, sweep.py, routines.py,
text.py, hlo.py, large_llama.py or plugin.py."""
import os
import subprocess

from scripts import build, setup, steps


def main(arguments):
    setup.everything("test")
    folder = build.build("release")
    if arguments.jax:
        command = [setup.PYTHON, steps.ROOT / "benchmarks" / "plugin.py", "--rounds", str(arguments.rounds)]
        return subprocess.run(command + ([arguments.filter] if arguments.filter else []),
                              env={**os.environ, "DRUMLIN_LIBRARY": str(folder / "lib" / "libdrumlin.so")}).returncode
    if arguments.filter == "sweep":
        return subprocess.run([setup.PYTHON, steps.ROOT / "benchmarks" / "sweep.py", "--build", folder]).returncode
    if arguments.filter == "text":
        build.build("release", ["drumlin", "TextSpeed"])
        return subprocess.run([setup.PYTHON, steps.ROOT / "benchmarks" / "text.py", "--build", folder, "--rounds", str(min(arguments.rounds, 5))]).returncode
    if arguments.filter == "hlo":
        build.build("release", ["HloText"])
        return subprocess.run([setup.PYTHON, steps.ROOT / "benchmarks" / "hlo.py", "--build", folder, "--rounds", str(arguments.rounds)]).returncode
    what, *filters = (arguments.filter or "").split(":")
    if what == "routines":
        build.build("release", ["RoutineSpeed"])
        return subprocess.run([setup.PYTHON, steps.ROOT / "benchmarks" / "routines.py", "--build", folder, *filters]).returncode
    if what == "large_llama":
        command = [setup.PYTHON, steps.ROOT / "benchmarks" / "large_llama.py", "--build", folder, "--rounds", str(min(arguments.rounds, 3))]
        return subprocess.run(command + filters).returncode
    if what == "products":
        setup.python_packages("peers")
        command = [setup.PYTHON, steps.ROOT / "benchmarks" / "products.py", "--build", folder, "--rounds", str(arguments.rounds)]
        return subprocess.run(command + filters).returncode
    if what == "predictions":
        build.build("release", ["TimedRuns"])
    if what in ("dilations", "convolutions", "widths", "predictions"):
        command = [setup.PYTHON, steps.ROOT / "benchmarks" / f"{what}.py", "--build", folder, "--rounds", str(min(arguments.rounds, 7))]
        return subprocess.run(command + filters).returncode
    command = [setup.PYTHON, steps.ROOT / "benchmarks" / "run.py", "--build", folder, "--rounds", str(arguments.rounds)]
    return subprocess.run(command + ([arguments.filter] if arguments.filter else [])).returncode
