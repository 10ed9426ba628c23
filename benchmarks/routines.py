"""Compares the cycles of micro-kernels' steps that drumlin/target/MicroKernels.def has with time, on one core of this processor.

`./dev bench routines`, or `routines:FILTER` for some of them, calls it. Columns: the routine, its counted cycles, cycles as measured,
their ratio. The table is counted for a core that begins two multiply-adds in each cycle; routines of a unit for which CpuModels.def has
another rate here are scaled by what most of them take.
"""
import argparse
import pathlib
import statistics
import subprocess
import sys

APART = 0.15  # the share by which a step may take longer or less


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("filter", nargs="?", default="")
    arguments = parser.parse_args()
    lines = subprocess.run([arguments.build / "bin" / "RoutineSpeed", arguments.filter], capture_output=True, text=True, check=True).stdout.splitlines()
    units = {}
    for name, counted, measured in map(str.split, lines):
        unit = name.removeprefix("routine_multiply_").split("_f32")[0].split("_f64")[0].split("_i32")[0]
        units.setdefault(unit, []).append((name, float(counted), float(measured)))
    for unit, rows in units.items():
        rate = statistics.median(measured / counted for _, counted, measured in rows)
        scale = rate if abs(rate - 1) > APART else 1
        apart = 0
        for name, counted, measured in rows:
            ratio = measured / counted / scale
            apart += abs(ratio - 1) > APART
            print(f"{name:60} {counted:7.2f} {measured:7.2f} {ratio:6.2f}" + ("  apart" if abs(ratio - 1) > APART else ""))
        print(f"{unit}: {len(rows)} routines, {apart} of them more than {APART:.0%} apart; median ratio {rate:.2f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
