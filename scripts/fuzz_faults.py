"""Proof that random programs find what they are for: faults, planted one at a time into a copy of the sources, and after how many
programs each is found (`./dev fuzz --target programs --faults`)."""
import dataclasses
import os
import shutil
import subprocess
import time

from scripts import build, fuzz_programs, steps

TREE = steps.BUILD / "fuzz" / "tree"  # a worktree, built beside the real one
PROGRAMS_AT_MOST = 2000
STEP = 100  # programs between two looks at what was found


@dataclasses.dataclass
class Fault:
    name: str
    path: str
    right: str  # stands in the file once
    wrong: str


FAULTS = (
    Fault("adding zero changes nothing", "drumlin/transforms/simplify/SimplifyElementwise.cpp",
          "isInteger(value, 0) || isFloat(value, -0.0)", "isInteger(value, 0) || isFloat(value, 0.0)"),
    Fault("a slice of a slice begins at the inner start", "drumlin/transforms/simplify/SimplifySlices.cpp",
          "inner.getStartIndices()[d] + op.getStartIndices()[d] * step", "inner.getStartIndices()[d] + op.getStartIndices()[d]"),
    Fault("two reversals undo each other whatever they reverse", "drumlin/transforms/simplify/SimplifySlices.cpp",
          "if (outerDimensions != innerDimensions) {", "if (outerDimensions.size() != innerDimensions.size()) {"),
    Fault("a swapped product keeps the order of its free dimensions", "drumlin/transforms/DotSwap.cpp",
          "llvm::append_range(swapped, llvm::seq<int64_t>(batch + lhsFree, rank));\n"
          "  llvm::append_range(swapped, llvm::seq<int64_t>(batch, batch + lhsFree));",
          "llvm::append_range(swapped, llvm::seq<int64_t>(rank - lhsFree, rank));\n"
          "  llvm::append_range(swapped, llvm::seq<int64_t>(batch, rank - lhsFree));"),
    Fault("a reshape's group varies with its last dimension alone", "drumlin/ir/plan/LoopWalk.cpp",
          "any |= from[k] != 1 && at[k];", "any = from[k] != 1 && at[k];"),
    Fault("an order in memory and its inverse are one", "drumlin/transforms/layout/RegionTransposes.cpp",
          "DimensionOrder places = inverseOrder(permutation);", "DimensionOrder places(permutation.begin(), permutation.end());"),
    Fault("a carried value's memory is free at its last reader", "drumlin/transforms/buffers/AssignSlots.cpp",
          "lastUse[carried] < position[next.getDefiningOp()]", "lastUse[carried] <= position[next.getDefiningOp()]"),
    Fault("any use of an input is in place", "drumlin/ir/plan/InPlace.cpp",
          "if (!sameShape || classify(user) != OperationClass::Pointwise) {", "if (!sameShape) {"),
    Fault("a broadcast of as many elements moves nothing", "drumlin/codegen/cpu/EmitShape.cpp",
          "if (elementCount(shape) == elementCount(at->shape) && is_sorted(dimensions)) {",
          "if (elementCount(shape) == elementCount(at->shape)) {"),
    Fault("unsigned indices are extended by their sign", "drumlin/codegen/cpu/EmitShape.cpp",
          "if (isSigned(type)) {", "if (isInteger(type)) {"),
    Fault("a window may end one element behind its input", "drumlin/codegen/cpu/GemmConvolution.cpp",
          "bool mayLeave = padding[d].first > 0 || last >= extent;", "bool mayLeave = padding[d].first > 0 || last > extent;"),
    Fault("halves are rounded up to bf16", "drumlin/codegen/cpu/ElementEmitter.cpp",
          "constantLike(bits, 0x7fff)), lsb)", "constantLike(bits, 0x8000)), constantLike(bits, 0))"),
    Fault("merging takes the right one of equals", "drumlin/codegen/cpu/SortKernelMerge.cpp",
          "Value *takeRight = emitLess(row, right, left);", "Value *takeRight = b.CreateNot(emitLess(row, left, right));"),
    Fault("a case out of range takes the first branch", "drumlin/transforms/simplify/SimplifyBranches.cpp",
          "op.getBranches()[isInside ? chosen : count - 1]", "op.getBranches()[isInside ? chosen : 0]"),
)


def make_tree():
    """The sources as they are committed, in a folder of their own; its build goes on from the last one."""
    if not (TREE / "CMakeLists.txt").exists():
        shutil.rmtree(TREE, ignore_errors=True)
        subprocess.run(["git", "worktree", "prune"], cwd=steps.ROOT, check=True)
        subprocess.run(["git", "worktree", "add", "--detach", TREE, "HEAD"], cwd=steps.ROOT, check=True, capture_output=True)
    subprocess.run(["git", "checkout", "--force", "--detach", "-q", git_head()], cwd=TREE, check=True)


def git_head():
    return subprocess.run(["git", "rev-parse", "HEAD"], cwd=steps.ROOT, check=True, capture_output=True, text=True).stdout.strip()


def build_tree(title):
    environment = {**build.ENVIRONMENT, "CCACHE_BASEDIR": os.path.commonpath([steps.ROOT, TREE])}
    target = TREE / "build" / "release"
    if not (target / "build.ninja").exists():
        steps.run("configure the copy", ["cmake", "--preset", "release"], cwd=TREE, log="fuzz-configure", environment=environment)
    steps.run(title, ["ninja", "-C", target, "-j", build.jobs(), "FuzzPrograms"], cwd=TREE, log="fuzz-build", environment=environment)
    return target / "bin" / "FuzzPrograms"


def first_finding(binary, first):
    """Programs are interpreted after each phase and compiled, as those of `./dev fuzz` are, until one shows a fault."""
    held = 0
    while held < PROGRAMS_AT_MOST:
        for checks in (("phases",), ("native",)):
            tally = fuzz_programs.Tally()
            fuzz_programs.run_range(first + held, STEP, checks, tally, binary)
            if tally.findings:
                finding = min(tally.findings, key=lambda each: each["seed"])
                return finding["seed"] - first + 1, finding["kind"]
        held += STEP
    return None, "not found"


def prove(first):
    """Prints a line for each fault; returns how many were not found."""
    make_tree()
    binary = build_tree("build of the copy")
    count, kind = first_finding(binary, first)
    if count:
        raise steps.Failure(f"the sources without a fault show one already, program {first + count - 1}: {kind}", "mend it first")
    missed = 0
    for fault in FAULTS:
        path = TREE / fault.path
        text = path.read_text()
        path.write_text(text.replace(fault.right, fault.wrong))
        try:
            begin = time.monotonic()
            count, kind = first_finding(build_tree(f"build with «{fault.name}»"), first)
        finally:
            path.write_text(text)
        missed += count is None
        after = f"after {count:4} programs" if count else "not found          "
        print(f"{after}  {fault.name}: {kind} ({time.monotonic() - begin:.0f} s)", flush=True)
    print(f"{len(FAULTS) - missed} of {len(FAULTS)} faults were found within {PROGRAMS_AT_MOST} programs")
    return missed
