"""Compares the counted cycles of micro-kernel steps in drumlin/target/MicroKernels.def with the
measured time, on one core of this processor.

Run by `./dev bench routines`, or `routines:FILTER` for some routines. The columns are the routine,
its counted cycles, its measured cycles, and their ratio. The table is counted for a core that
begins two multiply-adds per cycle. This core may begin fewer. Its rate is measured for each compute
unit, from steps with many accumulators. No step is expected to take less time than its accumulators
need at this rate.
"""
import argparse
import pathlib
import re
import statistics
import subprocess
import sys

APART = 0.15  # a step is marked if its time differs from the expected time by more than this fraction
PORTS = 2  # multiply-adds per cycle of the core that the table's cycles are counted for
MANY = 20  # a step with at least this many accumulators is bound only by multiply-adds


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("filter", nargs="?", default="")
    arguments = parser.parse_args()
    lines = subprocess.run([arguments.build / "bin" / "RoutineSpeed", arguments.filter], capture_output=True, text=True, check=True).stdout.splitlines()
    units = {}
    for name, counted, measured in map(str.split, lines):
        unit, rows_of, vectors = re.match(r"routine_multiply_(\w+?)_(?:f32|f64|i32)_(\d+)x(\d+)x", name).groups()
        units.setdefault(unit, []).append((name, int(rows_of) * int(vectors), float(counted), float(measured)))
    for unit, rows in units.items():
        slower = statistics.median([PORTS * measured / sums for _, sums, _, measured in rows if sums >= MANY] or [1])
        apart, rate = 0, slower if slower > 1 + APART else 1
        for name, sums, counted, measured in rows:
            expected = max(counted, rate * sums / PORTS)
            ratio = measured / expected
            apart += abs(ratio - 1) > APART
            print(f"{name:60} {expected:7.2f} {measured:7.2f} {ratio:6.2f}" + ("  off" if abs(ratio - 1) > APART else ""))
        print(f"{unit}: {len(rows)} routines, {apart} of them off by more than {APART:.0%}; {PORTS / rate:.2f} multiply-adds a cycle")
    return 0


if __name__ == "__main__":
    sys.exit(main())
