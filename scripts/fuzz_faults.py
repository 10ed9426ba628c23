"""Checks that random programs find faults: plants one fault at a time into a copy of the sources,
and reports how many programs it takes to find each (`./dev fuzz --target programs --faults`)."""
import concurrent.futures
import dataclasses
import os
import shutil
import subprocess
import time

from scripts import build, fuzz_programs, steps

TREE = steps.BUILD / "fuzz" / "tree"  # a worktree, built next to the real one
PROGRAMS_AT_MOST = 2000
STEP = 50  # programs between two checks for findings


@dataclasses.dataclass
class Fault:
    name: str
    edits: tuple  # tuples of (path, text that occurs once, replacement with the fault)

    def texts(self):
        """Yields the paths with their correct and faulty texts."""
        paths = dict.fromkeys(path for path, _, _ in self.edits)
        for path in paths:
            right = wrong = (TREE / path).read_text()
            for where, old, new in self.edits:
                wrong = wrong.replace(old, new) if where == path else wrong
            yield TREE / path, right, wrong


def fault(name, path, right, wrong):
    return Fault(name, ((path, right, wrong),))


FAULTS = (
    fault("`x + 0.0` is simplified to `x`, also for -0.0", "drumlin/transforms/simplify/SimplifyElementwise.cpp",
          "isInteger(value, 0) || isFloat(value, -0.0)", "isInteger(value, 0) || isFloat(value, 0.0)"),
    fault("a slice of a strided slice ignores the inner stride in its start index", "drumlin/transforms/simplify/SimplifySlices.cpp",
          "inner.getStartIndices()[d] + op.getStartIndices()[d] * step", "inner.getStartIndices()[d] + op.getStartIndices()[d]"),
    fault("two reversals along different dimensions cancel each other", "drumlin/transforms/simplify/SimplifySlices.cpp",
          "if (outerDimensions != innerDimensions) {", "if (outerDimensions.size() != innerDimensions.size()) {"),
    fault("a dot with swapped operands keeps the order of its result's free dimensions", "drumlin/transforms/DotSwap.cpp",
          "llvm::append_range(swapped, roles.freeInResult(1));\n"
          "  llvm::append_range(swapped, roles.freeInResult(0));",
          "llvm::append_range(swapped, roles.freeInResult(0));\n"
          "  llvm::append_range(swapped, roles.freeInResult(1));"),
    fault("the lanes of a division are assumed to begin at a multiple of the divisor", "drumlin/ir/indexing/LaneForm.cpp",
          "int64_t block = std::gcd(a.alignment, c), first = 0, last = 0;", "int64_t block = c, first = 0, last = 0;"),
    fault("a dimension order is used in place of its inverse", "drumlin/transforms/layout/RegionTransposes.cpp",
          "DimensionOrder places = inverseOrder(permutation);", "DimensionOrder places(permutation.begin(), permutation.end());"),
    fault("a loop's carried value may be overwritten by the operation that reads it last", "drumlin/transforms/buffers/Reuse.cpp",
          "lastUse[carried] < position[next.getDefiningOp()]", "lastUse[carried] <= position[next.getDefiningOp()]"),
    fault("a kernel may overwrite an input that operations other than pointwise ones read", "drumlin/ir/plan/InPlace.cpp",
          "if (!sameShape || classify(user) != OperationClass::Pointwise) {", "if (!sameShape) {"),
    fault("a loop kernel may overwrite input elements that it reads later", "drumlin/ir/plan/loop/LoopReads.cpp",
          "simplifier.range(simplifier.run(ahead)).first >= 0", "simplifier.range(simplifier.run(ahead)).second >= 0"),
    fault("a broadcast that keeps the number of elements counts as the identity", "drumlin/ir/indexing/IndexingMap.cpp",
          "position() == position(index, resultSizes);", "position(index, resultSizes);"),
    fault("unsigned indices are sign-extended", "drumlin/codegen/cpu/element/EmitShape.cpp",
          "if (isSigned(type)) {", "if (isInteger(type)) {"),
    fault("the span of a load is one element too long", "drumlin/codegen/cpu/element/LaneIndex.cpp",
          "each.high - each.low + 1", "each.high - each.low + 2"),
    fault("numbers midway between two bf16 numbers are rounded up instead of to even", "drumlin/codegen/cpu/element/ElementEmitter.cpp",
          "constantLike(bits, 0x7fff)), lsb)", "constantLike(bits, 0x8000)),\n"
          "                                     builder.CreateAnd(lsb, constantLike(bits, 0)))"),
    fault("a merge takes the right one of two equal keys", "drumlin/codegen/cpu/sort/SortKernelMerge.cpp",
          "Value *takeRight = emitLess(row, right, left);", "Value *takeRight = b.CreateNot(emitLess(row, left, right));"),
    fault("a `case` whose index is out of range takes the first branch instead of the last", "drumlin/transforms/simplify/SimplifyBranches.cpp",
          "op.getBranches()[isInside ? chosen : count - 1]", "op.getBranches()[isInside ? chosen : 0]"),
)


# Faults that were found and fixed before, reintroduced.
MENDS = (
    fault("an epilogue reads its hero's result in two orders", "drumlin/ir/plan/Epilogue.cpp",
          "} else if (!next.reduction && !drumlin::inOneOrder(next.map, first->map)) {", "} else if (!next.reduction && false) {"),
    fault("a GEMM overwrites an operand that it reads in another order", "drumlin/ir/plan/InPlace.cpp",
          "areStoredTogether(region, yielded, outputs)", "(areStoredTogether(region, yielded, outputs) || true)"),
    Fault("a value that all lanes share is computed under the lanes' mask",
          (("drumlin/codegen/cpu/reduce/EmitReduce.cpp", "at->isUniform ? nullptr : activeMask", "activeMask"),
           ("drumlin/codegen/cpu/element/EmitRows.cpp", "results = emitReduceResults(op, indices.tuple(at->shape, dims)); }",
            "Value *mask = std::exchange(activeMask, nullptr); results = emitReduceResults(op, indices.tuple(at->shape, dims)); activeMask = mask; }"))),
    Fault("whether all lanes have the same index depends on how the index is represented",
          (("drumlin/codegen/cpu/element/LaneIndex.cpp", "made.dims.push_back(size.is(1) ? constant(0) : brought(dim, size));",
            "made.dims.push_back(brought(dim, size));"),
           ("drumlin/codegen/cpu/element/LaneIndex.cpp", "llvm::find_if(made->shape, isMany)",
            "llvm::find_if(made->shape, [](const Extent &) { return true; })"),
           ("drumlin/codegen/cpu/element/LaneIndex.cpp", "      if (isMany(made->shape[i])) {",
            "      if (isMany(made->shape[i]) || made->shape[i].is(1)) {"),
           ("drumlin/codegen/cpu/element/LaneIndex.cpp", "made.linear = isOne ? constant(0) : linear;", "made.linear = isOne ? linear : linear;"),
           ("drumlin/codegen/cpu/element/LaneIndex.cpp", "    made->linear = linearOfDims(*made);",
            "    made->linear = linearOfDims(*made);\n    made->isUniform = made->linear->isUniform();"))),
    Fault("a window omits positions outside its operand instead of combining the initial value",
          (("drumlin/codegen/cpu/reduce/EmitReduce.cpp", "    if (inside) {\n      bool isVector", "    if (false) {\n      bool isVector"),
           ("drumlin/codegen/cpu/reduce/EmitReduce.cpp", "    next.push_back(isUniform ? result.value : e.splat(result.value));\n  }\n  e.popScope();",
            "    Value *value = isUniform ? result.value : e.splat(result.value);\n"
            "    next.push_back(inside ? b.CreateSelect(isUniform ? inside : e.splat(inside), value, values[next.size()]) : value);\n"
            "  }\n  e.popScope();"))),
    fault("a window with any initial value counts as a prefix sum", "drumlin/ir/plan/Reducers.cpp",
          "reducer ? isNeutral(window.getInitValues().front(), *reducer)", "reducer ? (true || isNeutral(window.getInitValues().front(), *reducer))"),
    fault("a scatter treats large unsigned indices as negative", "drumlin/codegen/cpu/scatter/ScatterKernel.cpp",
          "Value *start = e.emitInteger(op.getScatterIndices(), place);",
          "Value *start = b.CreateIntCast(e.emit(op.getScatterIndices(), place).value, b.getInt64Ty(),\n"
          "                                     isSigned(typeOf(op.getScatterIndices())));"),
    fault("the inputs of a kernel's rematerialized operations are missing from the fusion graph", "drumlin/transforms/fusion/FusionGraph.cpp",
          "llvm::concat<Operation *const>(\n             group->kernel.fused.getArrayRef(), group->kernel.rematerialized.getArrayRef())",
          "group->kernel.fused"),
    fault("the fusion graph doesn't know which kernels rematerialize an operation", "drumlin/transforms/fusion/FusionGraph.cpp",
          "  if (group.kernel.rematerialized.insert(op)) {\n    groupsOfOperation[op].push_back(&group);\n  }",
          "  group.kernel.rematerialized.insert(op);"),
    fault("a kernel reads an operation that was rematerialized in another kernel", "drumlin/transforms/fusion/LoopFusion.cpp",
          "      }\n    }\n    for (auto [loop, mapping] : llvm::zip(loops, mappings)) {\n      for (Operation *fused",
          "      }\n      for (Operation *fused"),
    fault("a convolution's kernel isn't multiplied by the padding's zeros", "drumlin/interpreter/kernels/EvaluateConvolution.cpp",
          "          isPadding |= position < 0;", "          if (position < 0) {\n            return;\n          }"),
    fault("a negated number isn't rounded if its type has no sign", "drumlin/codegen/cpu/element/EmitElementwise.cpp",
          "return hasSign ? Lanes{b.CreateFNeg(x())} : rounded(b.CreateFNeg(x()));", "return hasSign ? Lanes{b.CreateFNeg(x())} : Lanes{b.CreateFNeg(x())};"),
)


def make_tree():
    """Creates a copy of the committed sources in a separate folder; its build is incremental."""
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
    """Returns the number of programs until one shows a fault, and what was found. First interprets all
    programs after each phase, since that is quick, and then compiles them like `./dev fuzz`
    does."""
    def hold(begin, check):
        tally = fuzz_programs.Tally()
        fuzz_programs.run_range(begin, STEP, (check,), tally, binary)
        return tally.findings

    for check in ("phases", "native"):
        pool = concurrent.futures.ThreadPoolExecutor(build.jobs())
        begins = range(first, first + PROGRAMS_AT_MOST, STEP)
        for findings in pool.map(hold, begins, [check] * len(begins)):
            if findings:
                pool.shutdown(cancel_futures=True)
                finding = min(findings, key=lambda each: each["seed"])
                return finding["seed"] - first + 1, finding["kind"]
    return None, "not found"


def prove(first):
    """Prints a line for each fault; returns the number of faults not found."""
    make_tree()
    binary = build_tree("build of the copy")
    count, kind = first_finding(binary, first)
    if count:
        raise steps.Failure(f"the sources without a fault show one already, program {first + count - 1}: {kind}", "mend it first")
    missed = 0
    for title, faults in (("planted faults", FAULTS), ("reverted fixes", MENDS)):
        found = sum(prove_one(fault, first) for fault in faults)
        print(f"{title}: {found} of {len(faults)} were found within {PROGRAMS_AT_MOST:,} programs", flush=True)
        missed += len(faults) - found
    return missed


def prove_one(fault, first):
    begin = time.monotonic()
    texts = list(fault.texts())
    for path, _, wrong in texts:
        path.write_text(wrong)
    try:
        count, kind = first_finding(build_tree(f"build with «{fault.name}»"), first)
    finally:
        for path, right, _ in texts:
            path.write_text(right)
    after = f"after {count:5,} programs" if count else "not found           "
    print(f"{after}  {fault.name}: {kind} ({time.monotonic() - begin:.0f} s)", flush=True)
    return count is not None
