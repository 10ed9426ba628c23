"""Compares the interpreter and compiled programs with jaxlib's CPU backend, for each operation with many element types, shapes and attributes.

The cases of one family and element type are one module, so that one process runs hundreds of cases. departures.txt lists where jaxlib and
Drumlin differ on purpose, with the reason; a line that no longer excuses anything is an error."""
import functools
import hashlib
import itertools
import json
import os
import pathlib
import re
import subprocess

import jaxlib
import ml_dtypes
import numpy as np
import pytest

import composition
import contraction
import control
import departures
import dynamic
import elementwise
import quantized
import shape
from case import inputs, module
from values import DTYPES, is_complex, is_float, restored, same, storable

pytestmark = pytest.mark.long

FAMILIES = {"elementwise": elementwise, "shape": shape, "contraction": contraction, "composition": composition,
            "control": control, "dynamic": dynamic, "quantized": quantized}
FAST = [("composition", "i32"), ("elementwise", "f32"), ("elementwise", "i8"), ("shape", "bf16"), ("contraction", "f32")]


@functools.cache
def cases_of(family):
    groups = {}
    for case in FAMILIES[family].cases():
        groups.setdefault(case.type, []).append(case)
    return groups


GROUPS = [(family, type) for family in FAMILIES for type in cases_of(family)]


def expected_of(folder, cases):
    """Returns jaxlib's results, cached in a file: they depend on the module, its inputs, jaxlib's version and how it is called."""
    text, arguments = module(cases, reference=True), inputs(cases)
    caller = (pathlib.Path(__file__).parent / "reference.py").read_bytes()
    key = hashlib.sha256(b"\0".join([jaxlib.__version__.encode(), caller, text.encode(), *(array.tobytes() for array in arguments)]))
    path = folder / f"{key.hexdigest()[:32]}.npz"
    types = result_types(cases)
    if not path.exists():
        import reference
        results = [in_type(array, type) for array, type in zip(reference.run(text, arguments), types)]
        folder.mkdir(parents=True, exist_ok=True)
        written = path.with_suffix(f".{os.getpid()}.npz")
        np.savez(written, **{f"out{i}": storable(array) for i, array in enumerate(results)})
        written.rename(path)
    return load(path, types)


def result_types(cases):
    return [each.type for case in cases for each in case.results]


def load(path, types):
    with np.load(path) as results:
        return [restored(results[f"out{i}"], type) for i, type in enumerate(types)]


def in_type(array, type):
    """jaxlib returns random bits as unsigned numbers, whatever the type."""
    return array if array.dtype == DTYPES[type] else array.view(DTYPES[type])


def run(build_folder, folder, cases, *options, program="cases.mlir"):
    """Runs the cases' module, or `program` in the folder, with `drumlin run`; returns the results in the cases' types."""
    (folder / "cases.mlir").write_text(module(cases))
    np.savez(folder / "inputs.npz", **{f"in{i}": storable(array) for i, array in enumerate(inputs(cases))})
    done = subprocess.run([build_folder / "bin" / "drumlin", "run", program, "--input", "inputs.npz", "--output", "results.npz", *options],
                          cwd=folder, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    return load(folder / "results.npz", result_types(cases))


def ordered(array):
    """Maps floating-point bit patterns to integers so that neighbours differ by one."""
    bits = array.dtype.itemsize * 8
    codes = array.view(f"u{array.dtype.itemsize}").astype(np.float64 if bits < 64 else np.longdouble)
    half = 2.0 ** (bits - 1)
    return np.where(codes >= half, half - codes, codes)


def largest_operand(operands):
    """Returns the largest finite magnitude of the operands, to which errors of sums are relative."""
    sizes = [np.abs(array.astype(np.complex128)) for array in operands if array.size and array.dtype.kind not in "iub"]
    finite = [each[np.isfinite(each)] for each in sizes]
    return max([float(each.max()) for each in finite if each.size], default=1.0)


def close(case, operands, ours, theirs, type):
    """Returns which elements are within the case's tolerance."""
    equal = same(ours, theirs)
    if case.ulps and is_float(type):
        near = np.isfinite(ours.astype(np.float64)) & np.isfinite(theirs.astype(np.float64))
        equal |= near & (np.abs(ordered(ours) - ordered(theirs)) <= case.ulps)
        if case.absolute:
            # jaxlib computes narrow types in f32, so their errors are in units of f32's epsilon.
            epsilon = min(float(ml_dtypes.finfo(ours.dtype).eps), 2.0 ** -23)
            equal |= near & (np.abs(ours.astype(np.float64) - theirs.astype(np.float64)) <= case.absolute * epsilon)
        return equal
    if case.relative:
        with np.errstate(all="ignore"):
            wide = np.complex128 if is_complex(type) else np.float64
            difference = np.abs(ours.astype(wide) - theirs.astype(wide))
            scale = np.abs(theirs.astype(wide)) if case.elementwise else np.abs(theirs.astype(wide)) + largest_operand(operands)
            return equal | (difference <= case.relative * scale)
    return equal


def results_of(cases, ours, theirs):
    """Yields a tuple for each result of each case: the case, its operands, the result's Operand, Drumlin's values and jaxlib's values."""
    pairs, values = iter(zip(ours, theirs)), iter(inputs(cases))
    for case in cases:
        operands = [next(values) for _ in case.operands]
        for each in case.results:
            yield case, operands, each, *next(pairs)


@np.errstate(all="ignore")
def compare(place, cases, ours, theirs, used):
    """Returns lines about the cases whose results differ."""
    found = []
    for case, operands, each, a, b in results_of(cases, ours, theirs):
        assert a.shape == b.shape == each.shape, case.label()
        bad = ~(close(case, operands, a, b, each.type) | departures.excused(place, case, operands, a, b, each.type, used))
        if bad.any():
            first = np.argwhere(bad)[0]
            where = tuple(int(i) for i in first)
            at = [array[where] if array.shape == a.shape else array for array in operands] if case.elementwise else []
            found.append(f"{case.label()}: {int(bad.sum())} of {bad.size} differ, first at {where} of {[str(x) for x in at]}: "
                         f"{a[where]}, jaxlib's {b[where]}")
    return found


def report(found):
    assert not found, f"{len(found)} cases\n" + "\n".join(found[:60])


USED = set()


@pytest.fixture(scope="module")
def expected(build_folder):
    return functools.cache(lambda family, type: expected_of(build_folder / "differential", cases_of(family)[type]))


def marked(groups):
    return [pytest.param(*group, id="-".join(group), marks=() if group in FAST else pytest.mark.slow) for group in groups]


@pytest.mark.parametrize("family, type", marked(GROUPS))
def test_interpreter(build_folder, tmp_path, expected, family, type):
    cases = cases_of(family)[type]
    report(compare("interpreted", cases, run(build_folder, tmp_path, cases, "--interpret"), expected(family, type), USED))


@functools.cache
def native_operations(binary):
    """Returns the (operation, type) pairs that have native code."""
    listed = json.loads(subprocess.run([binary, "list-operators", "--json"], capture_output=True, text=True, check=True).stdout)
    return {(each["operation"], each["type"]) for each in listed if each["native"]}


def is_native(binary, case):
    """Returns whether all operations have native code for the case's type, and whether `convert` has native code for all of the case's types."""
    native = native_operations(binary)
    types = {each.type for each in (*case.operands, *case.results)}
    if case.name.endswith("at run time") or "?" in case.body:
        return False
    if case.name.startswith("bitcast_convert") and case.operands[0].shape != case.results[0].shape:
        return False
    operations = set(re.findall(r"\b((?:stablehlo|chlo)\.\w+)", re.sub(r"#stablehlo[.<]\w+", "", case.body)))
    return all((operation, case.type) in native for operation in operations) \
        and all(("stablehlo.convert", type) in native for type in types)


@pytest.mark.parametrize("family, type", marked(GROUPS))
def test_compiled(build_folder, tmp_path, expected, family, type):
    binary = build_folder / "bin" / "drumlin"
    cases = cases_of(family)[type]
    wanted = expected(family, type)
    counts = list(itertools.accumulate((len(case.results) for case in cases), initial=0))
    chosen = [(case, first) for case, first in zip(cases, counts) if is_native(binary, case)]
    if not chosen:
        pytest.skip("no operation of this group has native code for the type")
    theirs = [wanted[first + i] for case, first in chosen for i in range(len(case.results))]
    own = [case for case, _ in chosen]
    report(compare("native", own, run(build_folder, tmp_path, own, "--no-cache"), theirs, USED))


@pytest.mark.parametrize("family, type", marked(GROUPS))
def test_hlo(build_folder, tmp_path, family, type):
    """XLA's HLO of the module, read by Drumlin's importer, gives the same numbers."""
    cases = cases_of(family)[type]
    import reference
    (tmp_path / "cases.hlo").write_text(reference.hlo_text(module(cases, reference=True)))
    ours = run(build_folder, tmp_path, cases, "--interpret")
    read = run(build_folder, tmp_path, cases, "--interpret", program="cases.hlo")
    # XLA decomposes some operations on import (`chlo.next_after`); for these, Drumlin's results differ from `ours` as jaxlib's do.
    report(compare("interpreted", cases, ours, read, set()))


# Operations without an HLO counterpart: legacy ones, functions that XLA decomposes, and quantized types.
NOT_IN_HLO = {"chlo._asin_acos_kernel", "chlo.bessel_i1e", "chlo.broadcast_next_after", "chlo.broadcast_polygamma", "chlo.broadcast_zeta", "chlo.digamma", "chlo.erf_inv",
              "chlo.erfc", "chlo.lgamma", "chlo.next_after", "chlo.polygamma", "chlo.zeta", "stablehlo.collective_reduce",
              "stablehlo.cross-replica-sum", "stablehlo.einsum", "stablehlo.torch_index_select", "stablehlo.unary_einsum", "stablehlo.uniform_dequantize",
              "stablehlo.uniform_quantize"}


def operations(case):
    return set(re.findall(r"\b((?:stablehlo|chlo)\.[\w-]+)", re.sub(r"#stablehlo[.<]\w+", "", case.body)))


def convert(build_folder, folder, text):
    (folder / "cases.mlir").write_text(text)
    return subprocess.run([build_folder / "bin" / "drumlin", "convert", "cases.mlir", "--emit", "hlo", "-o", "cases.hlo"], cwd=folder,
                          capture_output=True, text=True)


@pytest.mark.parametrize("family, type", marked(GROUPS))
def test_written_hlo(build_folder, tmp_path, family, type):
    """XLA reads Drumlin's HLO, and Drumlin reads it back with the same numbers."""
    import reference
    # HLO can't express dynamic sizes without bounds, and has no quantized types.
    dynamic_or_quantized = re.compile(r"[<x]\?x|!quant")
    cases = [case for case in cases_of(family)[type]
             if not operations(case) & (NOT_IN_HLO | ({"chlo.atan"} if is_complex(type) else set())) and not dynamic_or_quantized.search(case.body) and not case.name.endswith("at run time")]
    if not cases:
        pytest.skip("HLO has no quantized types")
    done = convert(build_folder, tmp_path, module(cases))
    assert done.returncode == 0, done.stderr
    reference.read_hlo((tmp_path / "cases.hlo").read_text())
    ours = run(build_folder, tmp_path, cases, "--interpret")
    read = run(build_folder, tmp_path, cases, "--interpret", program="cases.hlo")
    report(compare("interpreted", cases, read, ours, set()))


@pytest.mark.parametrize("operation", sorted(NOT_IN_HLO))
def test_operations_without_hlo(build_folder, tmp_path, operation):
    case = next(case for family in FAMILIES for cases in cases_of(family).values() for case in cases if operation in operations(case))
    done = convert(build_folder, tmp_path, module([case]))
    assert done.returncode == 4 and "error D4007: HLO has no" in done.stderr, done.stderr
    assert not (tmp_path / "cases.hlo").exists()


# Opcodes without a counterpart in StableHLO and CHLO.
WITHOUT_OPERATION = {"rng-get-and-update-state"}


def test_every_opcode_is_known(build_folder, tmp_path):
    import reference
    refused = set()
    for opcode in reference.opcodes():
        (tmp_path / "one.hlo").write_text(f"HloModule m\nENTRY e {{\n  ROOT r = f32[] {opcode}()\n}}\n")
        done = subprocess.run([build_folder / "bin" / "drumlin", "plan", "one.hlo"], cwd=tmp_path, capture_output=True, text=True)
        if f"HLO's operation `{opcode}` isn't supported" in done.stderr:
            refused.add(opcode)
    assert refused == WITHOUT_OPERATION


# Operations that no case uses, with the reason.
NOT_COMPARED = {
    "stablehlo.custom_call": "jaxlib calls code of its own; the interpreter knows the checks of test data",
    "stablehlo.infeed": "jaxlib's CPU client has no way to feed a program",
    "stablehlo.outfeed": "jaxlib's CPU client has no way to take what is fed out",
    "stablehlo.recv": "jaxlib's CPU client runs no other process to receive from",
    "stablehlo.send": "jaxlib's CPU client runs no other process to send to",
    "stablehlo.rng": "each side draws numbers of its own",
}


def test_every_operation_is_compared(operators):
    """Every operation except NOT_COMPARED has a case, and so has every type except the 6-bit types, which XLA's CPU backend lacks."""
    bodies = "\n".join(case.body for family in FAMILIES for cases in cases_of(family).values() for case in cases)
    compared = set(re.findall(r"\b((?:stablehlo|chlo)\.[\w-]+)", re.sub(r"#stablehlo[.<]\w+", "", bodies)))
    assert {each["operation"] for each in operators} - compared == set(NOT_COMPARED)
    types = {type for family in FAMILIES for type in cases_of(family)}
    assert set(DTYPES) - types == {"f6E2M3FN", "f6E3M2FN"}


@pytest.mark.slow
def test_every_departure_is_needed(request):
    ran = {item.callspec.id for item in request.session.items if item.function.__name__ in ("test_interpreter", "test_compiled")}
    if len(ran) < len(GROUPS):
        pytest.skip("only some groups ran")
    unused = [line for position, line in enumerate(departures.read()) if position not in USED]
    assert not unused
