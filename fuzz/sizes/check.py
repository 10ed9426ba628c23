"""Checks random programs of symbolic sizes: compiles each once, runs it at several sizes, and compares the results with the
interpreter's. A sample of programs is also compared with JAX, or with the same program compiled for these sizes alone.
`./dev fuzz --target sizes` runs this script; for a single seed:

    JAX_PLATFORMS=cpu .venv/bin/python fuzz/sizes/check.py --first 1234 --write .      # writes its program, shrunk if it shows a fault

Prints a line of JSON for each program before it is compiled, a line for each finding, and the counts at the end."""
import argparse
import collections
import ctypes
import json
import pathlib
import re
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import jax
import jax.extend
import jax.numpy as jnp
import numpy as np
from jax import export

import drawing
from tape import HALVES, Tape

RELATIVE = {"exact": 0, "rounded": 2e-5, "half": 2e-2}
OTHER_ORDER = {"exact": 0, "rounded": 1e-4, "half": 3e-2}  # tolerances against JAX, which sums in another order and computes functions differently
CALLS = ("jit", "pjit", "closed_call", "custom_jvp_call")  # JAX primitives that call functions; the steps of these functions are perturbed, too
PERTURBED = 5  # number of runs with perturbed last bits
REFUSED = ("D4001", "D4004")  # errors for programs that can't be compiled, at all or for such sizes
AT_LEAST_ONE = re.compile(r"^.*@shape_assertion.*Expected value >= 1 for.*\n", re.MULTILINE)
SAMPLE = 8  # of this many programs, one is compared with JAX, and one with the same program compiled for static sizes


class Text(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("bytes", ctypes.c_char_p), ("byte_count", ctypes.c_size_t)]


class CompileRequest(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("program", ctypes.c_char_p), ("text", ctypes.POINTER(Text)), ("option_names", ctypes.POINTER(ctypes.c_char_p)),
                ("option_values", ctypes.POINTER(ctypes.c_char_p)), ("option_count", ctypes.c_size_t), ("output", ctypes.c_char_p), ("load", ctypes.c_void_p),
                ("warn", ctypes.c_void_p), ("context", ctypes.c_void_p)]


class Failure(Exception):
    def __init__(self, code, message):
        super().__init__(f"{code}: {message}")
        self.code, self.message = code, message


class Library:
    """libdrumlin.so: compiles, runs and interprets inside this process."""

    def __init__(self, build):
        self.functions = ctypes.CDLL(str(build / "lib" / "libdrumlin.so"))
        for name in ("code", "message"):
            getattr(self.functions, f"drumlin_error_{name}").restype = ctypes.c_char_p
        for name in ("drumlin_compile", "drumlin_command", "drumlin_run_sized", "drumlin_size_result"):
            getattr(self.functions, name).restype = ctypes.c_void_p

    def check(self, error):
        if error:
            code, message = (getattr(self.functions, f"drumlin_error_{part}")(ctypes.c_void_p(error)).decode() for part in ("code", "message"))
            self.functions.drumlin_error_free(ctypes.c_void_p(error))
            raise Failure(code, message)

    def compile(self, text):
        content = text.encode()
        source = Text(b"program.mlir", content, len(content))
        request = CompileRequest(ctypes.sizeof(CompileRequest), b"program.mlir", ctypes.pointer(source))
        executable = ctypes.c_void_p()
        self.check(self.functions.drumlin_compile(ctypes.byref(request), ctypes.byref(executable)))
        return executable

    def free(self, executable):
        self.functions.drumlin_free(executable)

    def run(self, executable, arguments, types):
        """Returns the results; `types` are their element types and ranks."""
        arguments = [np.ascontiguousarray(array) if array.ndim else array for array in arguments]
        shapes = [(ctypes.c_int64 * max(array.ndim, 1))(*array.shape) for array in arguments]
        dims = (ctypes.c_void_p * len(shapes))(*(ctypes.addressof(shape) for shape in shapes))
        count, results = ctypes.c_size_t(len(arguments)), []
        for i, (dtype, rank) in enumerate(types):
            sizes = (ctypes.c_int64 * max(rank, 1))()
            self.check(self.functions.drumlin_size_result(executable, dims, count, ctypes.c_size_t(i), sizes, ctypes.c_size_t(rank)))
            results.append(np.full(tuple(sizes)[:rank], 7, dtype))
        given = (ctypes.c_void_p * len(arguments))(*(array.ctypes.data for array in arguments))
        taken = (ctypes.c_void_p * len(results))(*(array.ctypes.data for array in results))
        self.check(self.functions.drumlin_run_sized(executable, given, dims, count, taken, ctypes.c_size_t(len(results))))
        return results

    def interpret(self, text, arguments, types, folder):
        np.savez(folder / "in.npz", **{f"in{i}": array.view(np.uint16) if array.dtype.name == "bfloat16" else array for i, array in enumerate(arguments)})
        content = text.encode()
        source = Text(b"program.mlir", content, len(content))
        words = [b"run", b"program.mlir", b"--interpret", b"--input", str(folder / "in.npz").encode(), b"--output", str(folder / "out.npz").encode()]
        printed = ctypes.c_char_p()
        self.check(self.functions.drumlin_command((ctypes.c_char_p * len(words))(*words), ctypes.c_size_t(len(words)), ctypes.byref(source), ctypes.c_size_t(1), ctypes.byref(printed)))
        self.functions.drumlin_text_free(printed)
        with np.load(folder / "out.npz") as file:
            return [file[f"out{i}"].view(dtype).reshape(file[f"out{i}"].shape) for i, (dtype, _) in enumerate(types)]


def precision(value):
    return "exact" if value.exact else "half" if value.half else "rounded"


def wide(array):
    return array.astype(np.complex128 if array.dtype.kind == "c" else np.float64)


def excess(got, expected, relative, allowed=None):
    """Describes the first element that is further away than allowed (index and both numbers) or
    returns None."""
    if got.shape != expected.shape:
        return f"sizes {got.shape}, expected {expected.shape}"
    if expected.size == 0:
        return None
    if relative == 0:
        bits = [np.ascontiguousarray(array.reshape(-1)).view(np.uint8).reshape(-1, array.dtype.itemsize) for array in (got, expected)]
        same = bits[0] == bits[1]
        bad = ~same.all(1)
        if got.dtype.kind not in "iub":
            bad &= ~(np.isnan(wide(got)) & np.isnan(wide(expected))).reshape(-1)
    else:
        a, e = wide(got).reshape(-1), wide(expected).reshape(-1)
        finite = np.abs(e[np.isfinite(e)])
        room = relative * (np.abs(e) + (np.sqrt((finite**2).mean()) if finite.size else 0))
        if allowed is not None:
            room = np.maximum(room, allowed.reshape(-1))
        with np.errstate(invalid="ignore"):
            bad = ~((np.abs(a - e) <= room) | (a == e) | (np.isnan(a) & np.isnan(e)))
    if not bad.any():
        return None
    at = int(np.flatnonzero(bad)[0])
    return (f"{int(bad.sum())} of {bad.size} elements of {got.dtype}{list(got.shape)} differ, the first at {np.unravel_index(at, got.shape) if got.ndim else ()}: "
            f"{got.reshape(-1)[at]}, expected {expected.reshape(-1)[at]}")


def moved(array, key, unit):
    """Adds noise to each element: up to `unit` times the element, and up to `unit` times the elements' root mean square."""
    if not jnp.issubdtype(array.dtype, jnp.inexact):
        return array
    noise = jax.random.uniform(key, array.shape, minval=-unit, maxval=unit)
    if jnp.iscomplexobj(array):
        noise = noise + 1j * jax.random.uniform(jax.random.fold_in(key, 1), array.shape, minval=-unit, maxval=unit)
    size = jnp.sqrt(jnp.mean(jnp.abs(array).astype(jnp.float32) ** 2)) if array.size else 0
    return (array * (1 + noise) + noise * size).astype(array.dtype)


def evaluate_moved(jaxpr, constants, arguments, key, unit):
    """Returns a function's results after perturbing the last bits of each step's result: this shows how much cancellation magnifies rounding."""
    values = dict(zip([*jaxpr.constvars, *jaxpr.invars], [*constants, *arguments]))
    for number, step in enumerate(jaxpr.eqns):
        given = [each.val if isinstance(each, jax.extend.core.Literal) else values[each] for each in step.invars]
        inner = step.params.get("jaxpr", step.params.get("call_jaxpr")) if step.primitive.name in CALLS else None
        here = jax.random.fold_in(key, number)
        if inner is not None:
            made = evaluate_moved(inner.jaxpr, inner.consts, given, here, unit)
        else:
            made = step.primitive.bind(*given, **step.params)
            made = made if step.primitive.multiple_results else [made]
            made = [moved(jnp.asarray(each), jax.random.fold_in(here, i), unit) for i, each in enumerate(made)]
        values.update(zip(step.outvars, made))
    return [each.val if isinstance(each, jax.extend.core.Literal) else values[each] for each in jaxpr.outvars]


class Program:
    """A tape and the values that it returns. The values in `cut` are replaced by arguments."""

    def __init__(self, tape, results, cut=()):
        self.tape, self.results, self.cut = tape, results, tuple(cut)
        self.types = [(tape.values[i].dtype, tape.values[i].rank) for i in results]

    def function(self, *arguments):
        return self.tape.replay(arguments, self.results, self.cut)

    def text(self, point=None):
        specs = self.tape.specs(self.tape.argument_indices(self.cut)) if point is None else \
            [jax.ShapeDtypeStruct(array.shape, array.dtype) for array in self.tape.arrays(point, self.cut)]
        text = export.export(jax.jit(self.function, keep_unused=True))(*specs).mlir_module()
        # JAX asserts that sizes aren't 0; the assertion is removed if the program allows 0.
        return AT_LEAST_ONE.sub("", text) if 0 in self.tape.least.values() else text

    def perturbed(self, arguments):
        """Returns how much the results change if the last bits of all intermediate values are
        perturbed."""
        def run(key, *arguments):
            tape, arrays = self.tape, dict(zip(self.tape.argument_indices(self.cut), arguments))

            for i in tape.needed(self.results, self.cut):
                value = tape.values[i]
                if i in arrays:
                    continue
                given = [arrays[j] for j in value.inputs]
                if value.exact:
                    arrays[i] = value.function(*given)
                    continue
                closed = jax.make_jaxpr(value.function)(*given)
                [arrays[i]] = evaluate_moved(closed.jaxpr, closed.consts, given, jax.random.fold_in(key, i), 2.0**-8 if value.half else 2.0**-22)
            return [arrays[i] for i in self.results]
        jitted, key = jax.jit(run), jax.random.key(0)
        runs = [[wide(np.asarray(each)) for each in jitted(jax.random.fold_in(key, n), *arguments)] for n in range(PERTURBED)]
        return [4 * np.ptp(np.abs(np.stack(each)), 0) + 4 * np.abs(np.stack(each) - each[0]).max(0) for each in zip(*runs)]


class Checker:
    def __init__(self, build):
        self.library = Library(build)
        self.counts = collections.Counter()
        self.families, self.declined, self.refused = collections.Counter(), collections.Counter(), collections.Counter()
        self.folder = tempfile.TemporaryDirectory()

    def compare(self, program, point, arguments, got, expected, table):
        """Returns a description of the first difference beyond the tolerance, or None."""
        allowed = None
        for i, index in enumerate(program.results):
            value = program.tape.values[index]
            relative = table[precision(value)]
            if excess(got[i], expected[i], relative) is None:
                continue
            if relative and allowed is None and got[i].shape == expected[i].shape:
                try:
                    allowed = program.perturbed(arguments)
                except Exception as error:
                    return f"JAX can't evaluate the perturbed program: {error}"[:300]
            what = excess(got[i], expected[i], relative, allowed[i] if relative and allowed else None)
            if what:
                return f"at {point}: result {i} (value {index}, {value.family}, {precision(value)}): {what}"
            self.counts["widened"] += 1
        return None

    def fault(self, program, text, points, sample=False):
        """Returns a program's fault as (kind, message), or None. Raises Failure if compilation is refused."""
        executable = self.library.compile(text)
        try:
            for number, point in enumerate(points):
                arguments = program.tape.arrays(point, program.cut)
                try:
                    got = self.library.run(executable, arguments, program.types)
                except Failure as failure:
                    if 0 in point.values() and failure.code == "D6007":
                        self.counts["sizes of 0 that the program doesn't take"] += 1
                        continue
                    return "run", f"at {point}: {failure}"
                try:
                    expected = self.library.interpret(text, arguments, program.types, pathlib.Path(self.folder.name))
                except Failure as failure:
                    if 0 in point.values() and failure.code == "D7007":
                        self.counts["sizes of 0 that the interpreter doesn't take"] += 1
                        continue
                    return "interpreter", f"at {point}: {failure}"
                self.counts["runs"] += 1
                for i, index in enumerate(program.results):
                    self.counts["exact elements" if program.tape.values[index].exact else "rounded elements"] += got[i].size
                what = self.compare(program, point, arguments, got, expected, RELATIVE)
                if what:
                    return "native", what
                if sample and number == program.tape.seed // SAMPLE % len(points):
                    what = self.others(program, point, arguments, got, expected)
                    if what:
                        return what
        finally:
            self.library.free(executable)
        return None

    def others(self, program, point, arguments, got, expected):
        """Compares the results with JAX's, or with those of the program compiled for these sizes alone."""
        if 0 in point.values():
            return None  # JAX reports different errors for size 0
        if program.tape.seed % SAMPLE == 0:
            theirs = [np.asarray(each) for each in jax.jit(program.function)(*arguments)]
            self.counts["compared with JAX"] += 1
            # The sign of a zero sum depends on the order of its addends.
            plain = lambda arrays: [array + np.zeros((), array.dtype) if array.dtype.kind not in "iub" else array for array in arrays]
            what = self.compare(program, point, arguments, plain(got), plain(theirs), OTHER_ORDER)
            return ("JAX", what) if what else None
        if program.tape.seed % SAMPLE == 1:
            executable = self.library.compile(program.text(point))
            try:
                static = self.library.run(executable, arguments, program.types)
            finally:
                self.library.free(executable)
            self.counts["compared with static programs"] += 1
            what = self.compare(program, point, arguments, got, static, RELATIVE)
            return ("static", what) if what else None
        return None

    def check(self, seed, tell):
        """Compares one program with the interpreter and returns the finding, if any."""
        tell({"seed": seed})
        tape = drawing.draw(Tape(seed))
        program = Program(tape, tape.draw_results())
        self.counts["programs"] += 1
        self.families.update(value.family for value in tape.values)
        self.declined.update(tape.declined)
        try:
            text = program.text()
        except Exception as error:  # JAX raises many kinds of errors for sizes that it can't compare
            self.counts["not exported"] += 1
            self.declined[f"export: {type(error).__name__}: {str(error).splitlines()[0][:100]}"] += 1
            return None
        try:
            found = self.fault(program, text, tape.points, sample=True)
        except Failure as failure:
            if failure.code in REFUSED:
                self.refused[re.sub(r"`[^`]*`|\d+", "…", failure.message)[:200]] += 1
                self.counts["refused"] += 1
                tell({"seed": seed, "refused": failure.message})
                return None
            found = "compile", str(failure)
        return None if found is None else {"seed": seed, "kind": found[0], "message": found[1][:1000]}

    # ---- Shrinking.

    def shows(self, program, kind, points):
        """Returns the program's text and the fault's message if the program shows a fault of this kind."""
        try:
            text = program.text()
            found = self.fault(program, text, points)
        except Failure as failure:
            found = None if failure.code in REFUSED and kind != "refused" else ("compile" if failure.code not in REFUSED else "refused", str(failure))
        except Exception:
            return None
        return (text, found[1]) if found and found[0] == kind else None

    def shrink(self, seed, kind):
        """Returns the smallest failing program found. Tries single results first, then replaces values by arguments."""
        tape = drawing.draw(Tape(seed))
        program, points = Program(tape, tape.draw_results()), tape.points
        best = self.shows(program, kind, points)
        if best is None:
            return program, (program.text(), "not shown again")
        for i in tape.needed(program.results):
            if tape.values[i].function and (shown := self.shows(Program(tape, [i]), kind, points)):
                program, best = Program(tape, [i]), shown
                break
        while True:
            inside = [i for i in tape.needed(program.results, program.cut) if tape.values[i].function and i not in program.cut and i not in program.results]
            for i in inside:
                smaller = Program(tape, program.results, (*program.cut, i))
                if shown := self.shows(smaller, kind, points):
                    program, best = smaller, shown
                    break
            else:
                return program, best


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    root = pathlib.Path(__file__).resolve().parents[2]
    parser.add_argument("--build", type=pathlib.Path, default=root / "build" / "release")
    parser.add_argument("--first", type=int, required=True)
    parser.add_argument("--count", type=int, default=1)
    parser.add_argument("--write", type=pathlib.Path, help="folder for each finding's shrunk program")
    parser.add_argument("--shrink", help="shrink a fault of this kind without searching for it first")
    parser.add_argument("--draw", action="store_true", help="only write the program")
    arguments = parser.parse_args()
    checker = Checker(arguments.build)
    tell = lambda said: print(json.dumps(said), flush=True)
    for seed in range(arguments.first, arguments.first + arguments.count):
        path = arguments.write / f"sizes-{seed}.mlir" if arguments.write else None
        if arguments.draw:
            tape = drawing.draw(Tape(seed))
            path.write_text(Program(tape, tape.draw_results()).text())
            continue
        found = {"seed": seed, "kind": arguments.shrink} if arguments.shrink else checker.check(seed, tell)
        if found:
            tell({"finding": found})
            if path:
                program, (text, message) = checker.shrink(seed, found["kind"])
                path.write_text(text)
                tell({"shrunk": str(path), "message": message,
                      "values": [program.tape.values[i].family for i in program.tape.needed(program.results, program.cut) if i not in program.cut]})
    tell({"counts": {"numbers": checker.counts, "families": checker.families, "declined": checker.declined, "refused": checker.refused}})


if __name__ == "__main__":
    main()
