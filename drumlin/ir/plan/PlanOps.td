// The plan: the optimized program as data. Form 1 and 2: kernel-forming operations in a function, each holding
// the StableHLO of one kernel in its region. Form 3: each distinct kernel is a symbol, and launches name it.
#ifndef DRUMLIN_PLAN_OPS
#define DRUMLIN_PLAN_OPS

include "drumlin/ir/indexing/IndexingInterface.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Plan_Dialect : Dialect {
  let name = "plan";
  let cppNamespace = "::drumlin::plan";
  let summary = "kernels, copies, buffers: the optimized program";
  let dependentDialects = ["::drumlin::stablehlo::StablehloDialect"];
  let useDefaultAttributePrinterParser = 1;
}

//===- attributes ---------------------------------------------------------===//

def Plan_BufferKind : I32EnumAttr<"BufferKind", "which memory a buffer lies in", [
    I32EnumAttrCase<"argument", 0>, I32EnumAttrCase<"result", 1>,
    I32EnumAttrCase<"arena", 2>, I32EnumAttrCase<"weight", 3>]> {
  let cppNamespace = "::drumlin::plan";
  let genSpecializedAttr = 0;
}

// How code outside of the program is called (drumlin/support/HostCall.h, in the same order).
def Plan_HostInterface : I32EnumAttr<"HostInterface", "how code outside of the program is called", [
    I32EnumAttrCase<"original", 0>, I32EnumAttrCase<"status_returning", 1>, I32EnumAttrCase<"status_returning_unified", 2>,
    I32EnumAttrCase<"typed_ffi", 3>, I32EnumAttrCase<"infeed", 4>, I32EnumAttrCase<"outfeed", 5>, I32EnumAttrCase<"send", 6>,
    I32EnumAttrCase<"recv", 7>, I32EnumAttrCase<"exchange", 8>, I32EnumAttrCase<"process", 9>]> {
  let cppNamespace = "::drumlin::plan";
  let genSpecializedAttr = 0;
}

// The kinds differ in how their kernel traverses its iteration space; what it computes is the region's StableHLO.
def Plan_KernelKind : I32EnumAttr<"KernelKind", "how a kernel traverses its iteration space", [
    I32EnumAttrCase<"loop", 0>, I32EnumAttrCase<"gemm", 1>, I32EnumAttrCase<"sort", 2>,
    I32EnumAttrCase<"scatter", 3>, I32EnumAttrCase<"window", 4>, I32EnumAttrCase<"triangular", 5>,
    I32EnumAttrCase<"fft", 6>]> {
  let cppNamespace = "::drumlin::plan";
  let genSpecializedAttr = 0;
}

// How a GEMM kernel goes through its products (docs/architecture.md, "Products").
def Plan_GemmAlgorithm : I32EnumAttr<"GemmAlgorithm", "how a GEMM kernel goes through its products", [
    I32EnumAttrCase<"packed", 0>, I32EnumAttrCase<"gemv", 1>, I32EnumAttrCase<"batch_interleaved", 2>,
    I32EnumAttrCase<"direct", 3>]> {
  let cppNamespace = "::drumlin::plan";
  let genSpecializedAttr = 0;
}

// How a loop kernel goes through its results (drumlin/ir/plan/loop/LoopSchedule.h).
def Plan_TraversalKind : I32EnumAttr<"TraversalKind", "how a loop kernel goes through its results", [
    I32EnumAttrCase<"flat", 0>, I32EnumAttrCase<"rows", 1>, I32EnumAttrCase<"blocked", 2>,
    I32EnumAttrCase<"scan", 3>, I32EnumAttrCase<"single", 4>, I32EnumAttrCase<"interleaved", 5>]> {
  let cppNamespace = "::drumlin::plan";
  let genSpecializedAttr = 0;
}

// Radix: by keys, on words that hold key and position. Merge: by the comparator. Select: top_k of elements that beat the
// k-th best so far, by radix. Minima: top_k by k passes over a row's words, each of which takes the least that is left.
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

def Plan_LineLanes : I32EnumAttr<"LineLanes", "whether lanes run along a line that is transformed, or each has one of its own", [
    I32EnumAttrCase<"along", 0>, I32EnumAttrCase<"across", 1>]> {
  let cppNamespace = "::drumlin::plan";
  let genSpecializedAttr = 0;
}

// Whole: a task computes matrices, or columns of right-hand sides, from begin to end. Stepped: all tasks share each matrix, and
// the next step begins when all are done with one.
def Plan_TriangularAlgorithm : I32EnumAttr<"TriangularAlgorithm", "how a triangular kernel shares its matrices among tasks", [
    I32EnumAttrCase<"whole", 0>, I32EnumAttrCase<"stepped", 1>]> {
  let cppNamespace = "::drumlin::plan";
  let genSpecializedAttr = 0;
}

class Plan_Attr<string name, string attrMnemonic> : AttrDef<Plan_Dialect, name> {
  let mnemonic = attrMnemonic;
}

def Plan_BufferAttr : Plan_Attr<"Buffer", "buffer"> {
  let summary = "where a value lies: an argument, a result, a weight, or an interval of the arena (in bytes)";
  let parameters = (ins EnumParameter<Plan_BufferKind>:$kind, "int64_t":$index, "int64_t":$offset, "int64_t":$size);
  let assemblyFormat = "`<` $kind `,` $index `,` $offset `,` $size `>`";
}

def Plan_LayoutAttr : Plan_Attr<"Layout", "layout"> {
  let summary = "the order of a value's dimensions in memory, from the fastest to the slowest as HLO writes it";
  let description = [{
    Of an argument that is laid out in blocks (BlockedLayout in drumlin/support/Layout.h), also the block's size in each
    dimension, and the shape that it has for the caller: `#plan.layout<[1, 3, 0, 2], blocks = [2, 16], of = [512, 48]>`.
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$minorToMajor, OptionalArrayRefParameter<"int64_t">:$blocks,
    OptionalArrayRefParameter<"int64_t">:$of);
  let assemblyFormat = "`<` `[` $minorToMajor `]` (`,` `blocks` `=` `[` $blocks^ `]` `,` `of` `=` `[` $of `]`)? `>`";
}

def Plan_KernelKindAttr : EnumAttr<Plan_Dialect, Plan_KernelKind, "kind"> {
  let assemblyFormat = "`<` $value `>`";
}

def Plan_HostInterfaceAttr : EnumAttr<Plan_Dialect, Plan_HostInterface, "host_interface"> {
  let assemblyFormat = "`<` $value `>`";
}

def Plan_GemmScheduleAttr : Plan_Attr<"GemmSchedule", "gemm"> {
  let summary = "how a GEMM kernel runs: algorithm, instructions, tiles (drumlin/ir/plan/gemm/GemmSchedule.h)";
  let parameters = (ins AttrParameter<"::drumlin::GemmSchedule", "all that is decided">:$schedule);
  let hasCustomAssemblyFormat = 1;
}

def Plan_LoopScheduleAttr : Plan_Attr<"LoopSchedule", "loop"> {
  let summary = "how a loop kernel runs: the traversal over the results of each shape (drumlin/ir/plan/loop/LoopSchedule.h)";
  let parameters = (ins AttrParameter<"::drumlin::LoopSchedule", "all that is decided">:$schedule);
  let hasCustomAssemblyFormat = 1;
}

def Plan_SortScheduleAttr : Plan_Attr<"SortSchedule", "sort"> {
  let summary = "how a sort kernel runs; `tile`: rows of one task; `candidates`: those that `select` keeps at most";
  let parameters = (ins EnumParameter<Plan_SortAlgorithm>:$algorithm, "int64_t":$tile,
    DefaultValuedParameter<"int64_t", "0">:$candidates);
  let assemblyFormat = "`<` $algorithm `,` `tile` `=` $tile (`,` `candidates` `=` $candidates^)? `>`";
}

def Plan_ScatterScheduleAttr : Plan_Attr<"ScatterSchedule", "scatter"> {
  let summary = "how a scatter kernel runs: updates one after another, each by rows of lanes or element by element";
  let parameters = (ins EnumParameter<Plan_LaneUse>:$traversal);
  let assemblyFormat = "`<` $traversal `>`";
}

def Plan_WindowScheduleAttr : Plan_Attr<"WindowSchedule", "window"> {
  let summary = "how a window kernel runs; `tile`: batches of one task; `unrolled`: innermost dimensions of the window whose places are written out";
  let parameters = (ins EnumParameter<Plan_LaneUse>:$traversal, "int64_t":$tile,
    DefaultValuedParameter<"int64_t", "0">:$unrolled);
  let assemblyFormat = "`<` $traversal `,` `tile` `=` $tile (`,` `unrolled` `=` $unrolled^)? `>`";
}

def Plan_FftScheduleAttr : Plan_Attr<"FftSchedule", "fft"> {
  let summary = "how a Fourier transform runs; `factors`: of its passes in their order; `tile`: blocks of lines of one task; `padded`: the length of the convolution that it is (Bluestein), of which the factors then are";
  let parameters = (ins EnumParameter<Plan_LineLanes>:$traversal, OptionalArrayRefParameter<"int64_t">:$factors, "int64_t":$tile,
    DefaultValuedParameter<"int64_t", "0">:$padded);
  let assemblyFormat = "`<` $traversal (`,` `factors` `=` `[` $factors^ `]`)? `,` `tile` `=` $tile (`,` `padded` `=` $padded^)? `>`";
}

def Plan_TriangularScheduleAttr : Plan_Attr<"TriangularSchedule", "triangular"> {
  let summary = "how a triangular kernel runs; `block`: rows that are eliminated at a time; `tile`: matrices or panels of one task (drumlin/ir/plan/heroes/TriangularProblem.h)";
  let parameters = (ins EnumParameter<Plan_TriangularAlgorithm>:$algorithm, "int64_t":$block, "int64_t":$tile);
  let assemblyFormat = "`<` $algorithm `,` `block` `=` $block `,` `tile` `=` $tile `>`";
}

def Plan_OriginAttr : Plan_Attr<"Origin", "origin"> {
  let summary = "the number of the program operation that a location belongs to";
  // `calls`: those through which an inlined operation came, the outermost first, by number.
  let parameters = (ins "int64_t":$number, OptionalArrayRefParameter<"int64_t">:$calls);
  let assemblyFormat = "`<` $number (`,` `calls` `=` `[` $calls^ `]`)? `>`";
}

//===- kernels ------------------------------------------------------------===//

class Plan_Op<string mnemonic, list<Trait> traits = []> : Op<Plan_Dialect, mnemonic, traits>;

// A kernel-forming operation: its region takes whole tensors and holds logical StableHLO.
class Plan_KernelFormingOp<string mnemonic> : Plan_Op<mnemonic, [
    IsolatedFromAbove, SingleBlock, Pure]> {
  let arguments = (ins Variadic<AnyRankedTensor>:$inputs);
  let results = (outs Variadic<AnyRankedTensor>:$outputs);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasRegionVerifier = 1;
  code assembly = [{
    void $cppClass::print(::mlir::OpAsmPrinter &printer) { printKernelForming(printer, getOperation()); }
    ::mlir::ParseResult $cppClass::parse(::mlir::OpAsmParser &parser, ::mlir::OperationState &state) {
      return parseKernelForming(parser, state);
    }
    ::llvm::LogicalResult $cppClass::verifyRegions() { return verifyKernelForming(getOperation()); }
  }];
  let extraClassDefinition = assembly;
}

// A kind of kernel: its enumerator has the mnemonic's name, and so have its schedule (Plan_…ScheduleAttr) and what chooses
// and emits it (KernelKinds.h). `heroes`: the operations one of which each of its kernels holds; all else in the region is
// computed element by element.
class Plan_KernelKindOp<string mnemonic, string schedule, list<string> heroes = []> : Plan_KernelFormingOp<mnemonic> {
  let builders = [OpBuilder<(ins "::mlir::TypeRange":$results, "::mlir::ValueRange":$inputs), [{
    buildKernelForming($_state, results, inputs);
  }]>];
  let skipDefaultBuilders = 1;
  let extraClassDeclaration = "static constexpr KernelKind kind = KernelKind::" # mnemonic # [{;
    static bool isHero(::mlir::Operation *op);
    using Schedule = }] # schedule # ";";
  let extraClassDefinition = assembly # [{
    bool $cppClass::isHero(::mlir::Operation *op) { return isAnyOf<}] # !interleave(heroes, ", ") # ">(op); }";
}

def Plan_LoopOp : Plan_KernelKindOp<"loop", "LoopScheduleAttr"> {
  let summary = "pointwise, shape and gather operations and reductions, computed in one traversal over the results";
}
def Plan_GemmOp : Plan_KernelKindOp<"gemm", "GemmScheduleAttr", ["stablehlo::DotGeneralOp", "stablehlo::ConvolutionOp"]> {
  let summary = "one dot or convolution with what feeds its operands (prologue) and what uses its result (epilogue)";
}
def Plan_SortOp : Plan_KernelKindOp<"sort", "SortScheduleAttr", ["stablehlo::SortOp", "chlo::TopKOp"]> {
  let summary = "one sort or top-k with what feeds it and what is sliced from it";
}
def Plan_ScatterOp : Plan_KernelKindOp<"scatter", "ScatterScheduleAttr", ["stablehlo::ScatterOp"]> {
  let summary = "one scatter with what feeds it";
}
def Plan_WindowOp : Plan_KernelKindOp<"window", "WindowScheduleAttr", ["stablehlo::SelectAndScatterOp"]> {
  let summary = "one select_and_scatter with what feeds it";
}
def Plan_FftOp : Plan_KernelKindOp<"fft", "FftScheduleAttr", ["stablehlo::FftOp"]> {
  let summary = "one Fourier transform along the last dimension, with what feeds it and with the reordered parts of its result";
}

def Plan_TriangularOp : Plan_KernelKindOp<"triangular", "TriangularScheduleAttr", ["stablehlo::CholeskyOp", "stablehlo::TriangularSolveOp"]> {
  let summary = "one Cholesky factorization or triangular solve, with the parts of its complex numbers";
}

// A plan.gemm that a GPU's library computes (`select-library-calls`).
def Plan_LibraryCallOp : Plan_KernelFormingOp<"library_call"> {
  let summary = "one call of a target's library; the region says what it computes, `call` with which arguments";
  let description = [{
    `call` has the library's own names and enumerators (drumlin/target/LibraryCallText.h); `target` is the GPU whose library
    takes it. Pointers are `input 0` and `output 0`: operands and results by number.
  }];
  let arguments = (ins Variadic<AnyRankedTensor>:$inputs, StrAttr:$target, DictionaryAttr:$call);
  let hasVerifier = 1;
}

def Plan_YieldOp : Plan_Op<"yield", [Terminator, Pure, ReturnLike]> {
  let summary = "the results of a kernel's region";
  let arguments = (ins Variadic<AnyRankedTensor>:$operands);
  let assemblyFormat = "($operands^ `:` type($operands))? attr-dict";
}

def Plan_BitcastOp : Plan_Op<"bitcast", [Pure]> {
  let summary = "the same bytes under another shape: free";
  let description = [{
    Says which reshape it is: of a tensor of one shape, that lies in an order, to another shape in another order. That the
    bytes stay in place under these follows from the numbers, and is a contract.
  }];
  let arguments = (ins AnyRankedTensor:$operand, OptionalAttr<DenseI64ArrayAttr>:$fromShape,
    OptionalAttr<DenseI64ArrayAttr>:$fromOrder, OptionalAttr<DenseI64ArrayAttr>:$toShape,
    OptionalAttr<DenseI64ArrayAttr>:$toOrder);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$operand (`reshape` $fromShape^ `in` $fromOrder `to` $toShape `in` $toOrder)? attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def Plan_CopyOp : Plan_Op<"copy"> {
  let summary = "a copy of a value into its own buffer, with the reason it is paid for";
  let arguments = (ins AnyRankedTensor:$operand, StrAttr:$reason);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$operand `reason` `(` $reason `)` attr-dict `:` type($operand) `->` type($result)";
}

def Plan_SizeOp : Plan_Op<"size", [Pure, IndexingInterface, OfClass<"Constant">]> {
  let summary = "a size that is known when the program runs, as a number that elements are computed with";
  let description = [{
    `value` is it at the nominal sizes, and its expression stands in `sizes.attributes` (drumlin/ir/sizes/InstantiateSizes.h):
    `plan.size [97] {sizes.attributes = {value = #sizes.of<"b">}} : tensor<i32>`.
  }];
  let arguments = (ins DenseI64ArrayAttr:$value);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$value attr-dict `:` type($result)";
  let extraClassDeclaration = "::drumlin::SizeExpression getSize();";
  let hasVerifier = 1;
}

def Plan_HostCallOp : Plan_Op<"host_call", [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "a call of code outside of the program: custom calls, and what goes in and out while it runs";
  let description = [{
    `signature` has the types that the code sees, among them tokens, which are no operands here: calls with side effects run in
    the program's order. Operands and results are row-major in memory: where the code sees a value in another order, which
    `operand_layouts` and `result_layouts` say, they have the shape in memory; and once complex numbers are pairs, one more
    dimension, the last, of the two parts. `aliases` are pairs of a result of the signature and the operand whose memory it has.
  }];
  let arguments = (ins Variadic<AnyRankedTensor>:$inputs, Plan_HostInterfaceAttr:$interface, StrAttr:$target, TypeAttrOf<FunctionType>:$signature,
    OptionalAttr<AnyAttrOf<[StrAttr, DictionaryAttr]>>:$config, OptionalAttr<TypedArrayAttrBase<Plan_LayoutAttr, "layouts">>:$operand_layouts,
    OptionalAttr<TypedArrayAttrBase<Plan_LayoutAttr, "layouts">>:$result_layouts, OptionalAttr<DenseI64ArrayAttr>:$aliases,
    UnitAttr:$has_side_effect);
  let results = (outs Variadic<AnyRankedTensor>:$outputs);
  let assemblyFormat = "$interface $target `(` $inputs `)` `as` $signature attr-dict `:` functional-type($inputs, $outputs)";
  let hasVerifier = 1;
}

//===- outlined kernels ----------------------------------------------------===//

def Plan_KernelOp : Plan_Op<"kernel", [IsolatedFromAbove, SingleBlock, Symbol]> {
  let summary = "one distinct kernel; launches name it";
  let description = [{
    `key` is the content hash of its canonical, location-free text together with everything that codegen reads:
    equal keys are equal code.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, Plan_KernelKindAttr:$kind, StrAttr:$key);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def Plan_LaunchOp : Plan_Op<"launch", [Pure]> {
  let summary = "one run of a kernel";
  let arguments = (ins FlatSymbolRefAttr:$kernel, Variadic<AnyRankedTensor>:$inputs);
  let results = (outs Variadic<AnyRankedTensor>:$outputs);
  let assemblyFormat = "$kernel `(` $inputs `)` attr-dict `:` functional-type($inputs, $outputs)";
}

#endif // DRUMLIN_PLAN_OPS
