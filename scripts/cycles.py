"""`./dev cycles`: counts the cycles of a k step of each micro-kernel from its code, and writes
drumlin/target/MicroKernels.def."""
import json
import re
import subprocess

from scripts import build, setup, steps

TABLE = steps.ROOT / "drumlin" / "target" / "MicroKernels.def"
# The simulated core. In each cycle it begins two multiply-adds of any width and two loads.
PROCESSOR = "skylake-avx512"
# The first steps don't wait for earlier steps, so they are not counted.
WARM_UP, COUNTED = 100, 200
# llvm-mca assumes two loads of any width per cycle. For loads of 64 bytes, or of the same width as
# a multiply-add, processors sustain only five in three cycles, as `./dev bench routines` shows for
# kernels with as many loads as multiplies.
CYCLES_OF_WIDE_LOAD, WIDE_BYTES = 0.6, 64
BYTES = {"f64": 8}  # size of an accumulator in bytes; types that aren't listed have 4
NAME = re.compile(r"routine_multiply_(?P<unit>\w+)_(?P<sums>f32|f64|i32)_(?P<rows>\d+)x(?P<vectors>\d+)x(?P<width>\d+)"
                  r"(?:_unsigned_columns)?(?:_moved_rows)?(?P<form>_in_place|_prefetched)?$")
FORMS = {None: "Packed", "_prefetched": "Prefetched", "_in_place": "InPlace"}
HEAD = f"""// Cycles that the micro-kernels of the routine library take for one step of k, counted from their code by llvm-mca for a core
// of `{PROCESSOR}`, except that wide loads take longer (scripts/cycles.py). `./dev cycles` writes this file, and writes
// the same file on every machine.
//
// MICRO_KERNELS(unit, sums, width, form, vectors, cycles of 1 row, of 2 rows, …)
//   width    sums per register
//   form     how the micro-kernel reads its columns (PanelForm)
//   vectors  column registers
"""


def total_cycles(loops, iterations):
    """Returns the number of cycles of all steps, by routine."""
    command = [setup.LLVM_BIN / "llvm-mca", "-mtriple=x86_64", f"-mcpu={PROCESSOR}", f"-iterations={iterations}", "-json"]
    counted = json.loads(subprocess.run(command, input=loops, capture_output=True, text=True, check=True).stdout)
    return {region["Name"]: region["SummaryView"]["TotalCycles"] for region in counted["CodeRegions"]}


def loads(loops):
    """Returns the number of loads per step of each routine."""
    counts, name = {}, None
    for line in loops.splitlines():
        if line.startswith("# LLVM-MCA-BEGIN"):
            name = line.split()[-1]
            counts[name] = 0
        elif "(" in line and not line.startswith(("prefetch", "lea")):
            counts[name] += 1
    return counts


def table(folder):
    """Returns the table's text, for the routines in a build folder."""
    loops = subprocess.run([folder / "bin" / "RoutineLoops"], capture_output=True, text=True, check=True).stdout
    few, many = (total_cycles(loops, iterations) for iterations in (WARM_UP, WARM_UP + COUNTED))
    rows, loaded = {}, loads(loops)
    for name, cycles in many.items():
        is_read = NAME.match(name)
        if not is_read:
            raise steps.Failure(f"`{name}` is not the name of a micro-kernel", "extend NAME in scripts/cycles.py")
        key = (is_read["unit"], is_read["sums"].upper().replace("I32", "SI32"), int(is_read["width"]), FORMS[is_read["form"]], int(is_read["vectors"]))
        step, of_rows = (cycles - few[name]) / COUNTED, rows.setdefault(key, {})
        if int(is_read["width"]) * BYTES.get(is_read["sums"], 4) >= WIDE_BYTES:
            step = max(step, loaded[name] * CYCLES_OF_WIDE_LOAD)
        # Routines for unsigned columns or for moved rows share the table's entry, since their k
        # step is the same.
        of_rows[int(is_read["rows"])] = max(of_rows.get(int(is_read["rows"]), 0), step)
    lines = [f"MICRO_KERNELS({unit}, {sums}, {width}, {form}, {vectors}, {', '.join(f'{of_rows[count]:.2f}' for count in sorted(of_rows))})"
             for (unit, sums, width, form, vectors), of_rows in sorted(rows.items())]
    return HEAD + "\n".join(lines) + "\n#undef MICRO_KERNELS\n"


def main(arguments):
    setup.everything("test")
    folder = build.build("release", ["RoutineLoops"])
    TABLE.write_text(table(folder))
    steps.say(f"wrote {TABLE.relative_to(steps.ROOT)}")
    return 0
