// How kernels run on CPUs: the schedules of each kind of kernel, and their keywords.
#ifndef DRUMLIN_PLAN_SCHEDULES
#define DRUMLIN_PLAN_SCHEDULES

include "drumlin/ir/plan/PlanDialect.td"
include "drumlin/ir/plan/ScheduleInterface.td"

// How a GEMM kernel traverses its iteration space (docs/architecture.md, "Products").
def Plan_GemmAlgorithm : I32EnumAttr<"GemmAlgorithm", "how a GEMM kernel traverses its iteration space", [
    I32EnumAttrCase<"packed", 0>, I32EnumAttrCase<"gemv", 1>, I32EnumAttrCase<"batch_interleaved", 2>,
    I32EnumAttrCase<"direct", 3>]> {
  let cppNamespace = "::drumlin::plan";
  let genSpecializedAttr = 0;
}

// How a loop kernel traverses its results (drumlin/ir/plan/loop/LoopSchedule.h).
def Plan_TraversalKind : I32EnumAttr<"TraversalKind", "how a loop kernel traverses its results", [
    I32EnumAttrCase<"flat", 0>, I32EnumAttrCase<"rows", 1>, I32EnumAttrCase<"blocked", 2>,
    I32EnumAttrCase<"scan", 3>, I32EnumAttrCase<"single", 4>, I32EnumAttrCase<"interleaved", 5>]> {
  let cppNamespace = "::drumlin::plan";
  let genSpecializedAttr = 0;
}

// Radix: a radix sort of words that consist of key and position. Merge: a merge sort, which calls the comparator. Select: a top_k that
// keeps the elements that exceed the k-th best element so far, and sorts the kept elements by radix. Minima: a top_k by k passes over the
// words of a row; each pass takes the smallest remaining word.
def Plan_SortAlgorithm : I32EnumAttr<"SortAlgorithm", "how a sort kernel orders a row", [
    I32EnumAttrCase<"radix", 0>, I32EnumAttrCase<"merge", 1>, I32EnumAttrCase<"select", 2>, I32EnumAttrCase<"minima", 3>]> {
  let cppNamespace = "::drumlin::plan";
  let genSpecializedAttr = 0;
}

def Plan_LaneUse : I32EnumAttr<"LaneUse", "whether lanes run along rows of a scatter's or window's result", [
    I32EnumAttrCase<"by_lanes", 0>, I32EnumAttrCase<"one_by_one", 1>]> {
  let cppNamespace = "::drumlin::plan";
  let genSpecializedAttr = 0;
}

def Plan_LineLanes : I32EnumAttr<"LineLanes", "whether lanes run along a transformed line, or each lane transforms its own line", [
    I32EnumAttrCase<"along", 0>, I32EnumAttrCase<"across", 1>]> {
  let cppNamespace = "::drumlin::plan";
  let genSpecializedAttr = 0;
}

// Whole: each task solves complete matrices, or some columns of the right-hand sides. Stepped: all tasks work on the same matrix, and the next step
// begins when all tasks have finished the current step.
def Plan_TriangularAlgorithm : I32EnumAttr<"TriangularAlgorithm", "how a triangular kernel shares its matrices among tasks", [
    I32EnumAttrCase<"whole", 0>, I32EnumAttrCase<"stepped", 1>]> {
  let cppNamespace = "::drumlin::plan";
  let genSpecializedAttr = 0;
}

// A schedule attribute. Its mnemonic is the name of the kind of kernel to which the schedule belongs.
class Plan_ScheduleAttr<string name, string attrMnemonic, list<string> methods = []> : Plan_Attr<name, attrMnemonic, [
    DeclareAttrInterfaceMethods<KernelSchedule, !listconcat(["kernelKind", "findFault"], methods)>]> {
  let extraClassDefinition = "::drumlin::plan::KernelKind $cppClass::kernelKind() const { return KernelKind::"#attrMnemonic#"; }";
}

def Plan_GemmScheduleAttr : Plan_ScheduleAttr<"GemmSchedule", "gemm", ["countsOf", "sumBoundOf", "unit"]> {
  let summary = "how a GEMM kernel runs: algorithm, instructions, tiles (drumlin/ir/plan/gemm/GemmSchedule.h)";
  let parameters = (ins AttrParameter<"::drumlin::GemmSchedule", "all decisions">:$schedule);
  let hasCustomAssemblyFormat = 1;
}

def Plan_LoopScheduleAttr : Plan_ScheduleAttr<"LoopSchedule", "loop", ["sumBoundOf"]> {
  let summary = "how a loop kernel runs: the traversal over the results of each shape (drumlin/ir/plan/loop/LoopSchedule.h)";
  let parameters = (ins AttrParameter<"::drumlin::LoopSchedule", "all decisions">:$schedule);
  let hasCustomAssemblyFormat = 1;
}

def Plan_SortScheduleAttr : Plan_ScheduleAttr<"SortSchedule", "sort"> {
  let summary = "how a sort kernel runs; `tile`: rows of one task; `candidates`: maximum number of candidates that `select` keeps";
  let parameters = (ins EnumParameter<Plan_SortAlgorithm>:$algorithm, "int64_t":$tile,
    DefaultValuedParameter<"int64_t", "0">:$candidates);
  let assemblyFormat = "`<` $algorithm `,` `tile` `=` $tile (`,` `candidates` `=` $candidates^)? `>`";
}

def Plan_ScatterScheduleAttr : Plan_ScheduleAttr<"ScatterSchedule", "scatter"> {
  let summary = "how a scatter kernel runs: updates one after another, each by rows of lanes or element by element; `tile`: the positions along one dimension of the result, `divided`, that one task updates; 0: all positions";
  let parameters = (ins EnumParameter<Plan_LaneUse>:$traversal, DefaultValuedParameter<"int64_t", "0">:$tile,
    DefaultValuedParameter<"int64_t", "0">:$divided);
  let assemblyFormat = "`<` $traversal (`,` `tile` `=` $tile^)? (`,` `along` `=` $divided^)? `>`";
}

def Plan_WindowScheduleAttr : Plan_ScheduleAttr<"WindowSchedule", "window"> {
  let summary = "how a window kernel runs; `tile`: batches of one task; `unrolled`: number of innermost window dimensions whose loops are unrolled";
  let parameters = (ins EnumParameter<Plan_LaneUse>:$traversal, "int64_t":$tile,
    DefaultValuedParameter<"int64_t", "0">:$unrolled);
  let assemblyFormat = "`<` $traversal `,` `tile` `=` $tile (`,` `unrolled` `=` $unrolled^)? `>`";
}

def Plan_FftScheduleAttr : Plan_ScheduleAttr<"FftSchedule", "fft"> {
  let summary = "how a Fourier transform runs; `factors`: the factor of each pass, in order; `tile`: blocks of lines of one task; `padded`: the length of Bluestein's convolution, which `factors` then divide";
  let parameters = (ins EnumParameter<Plan_LineLanes>:$traversal, OptionalArrayRefParameter<"int64_t">:$factors, "int64_t":$tile,
    DefaultValuedParameter<"int64_t", "0">:$padded);
  let assemblyFormat = "`<` $traversal (`,` `factors` `=` `[` $factors^ `]`)? `,` `tile` `=` $tile (`,` `padded` `=` $padded^)? `>`";
}

def Plan_TriangularScheduleAttr : Plan_ScheduleAttr<"TriangularSchedule", "triangular"> {
  let summary = "how a triangular kernel runs; `block`: rows that are eliminated at a time; `tile`: matrices or panels of one task (drumlin/ir/plan/heroes/TriangularProblem.h)";
  let parameters = (ins EnumParameter<Plan_TriangularAlgorithm>:$algorithm, "int64_t":$block, "int64_t":$tile);
  let assemblyFormat = "`<` $algorithm `,` `block` `=` $block `,` `tile` `=` $tile `>`";
}

#endif // DRUMLIN_PLAN_SCHEDULES
