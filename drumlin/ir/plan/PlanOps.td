// The plan: the optimized program as data. In forms 1 and 2, the function contains kernel-forming operations, each with the StableHLO of
// one kernel in its region. In form 3, after outlining, each distinct kernel is a symbol, and launches refer to it.
#ifndef DRUMLIN_PLAN_OPS
#define DRUMLIN_PLAN_OPS

include "drumlin/ir/indexing/IndexingInterface.td"
include "drumlin/ir/plan/PlanDialect.td"
include "drumlin/ir/plan/Schedules.td"
include "mlir/IR/OpBase.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

//===- attributes ---------------------------------------------------------===//

def Plan_BufferKind : I32EnumAttr<"BufferKind", "the memory that a buffer is in", [
    I32EnumAttrCase<"argument", 0>, I32EnumAttrCase<"result", 1>,
    I32EnumAttrCase<"arena", 2>, I32EnumAttrCase<"weight", 3>]> {
  let cppNamespace = "::drumlin::plan";
  let genSpecializedAttr = 0;
}

// How code outside of the program is called. The enumerators are in the order of drumlin/support/HostCall.h.
def Plan_HostInterface : I32EnumAttr<"HostInterface", "how code outside of the program is called", [
    I32EnumAttrCase<"original", 0>, I32EnumAttrCase<"status_returning", 1>, I32EnumAttrCase<"status_returning_unified", 2>,
    I32EnumAttrCase<"typed_ffi", 3>, I32EnumAttrCase<"infeed", 4>, I32EnumAttrCase<"outfeed", 5>, I32EnumAttrCase<"send", 6>,
    I32EnumAttrCase<"recv", 7>, I32EnumAttrCase<"exchange", 8>, I32EnumAttrCase<"process", 9>]> {
  let cppNamespace = "::drumlin::plan";
  let genSpecializedAttr = 0;
}

def Plan_BufferAttr : Plan_Attr<"Buffer", "buffer"> {
  let summary = "the memory of a value: an argument, a result, a weight, or an interval of the arena (in bytes)";
  let parameters = (ins EnumParameter<Plan_BufferKind>:$kind, "int64_t":$index, "int64_t":$offset, "int64_t":$size);
  let assemblyFormat = "`<` $kind `,` $index `,` $offset `,` $size `>`";
}

def Plan_LayoutAttr : Plan_Attr<"Layout", "layout"> {
  let summary = "the order of a value's dimensions in memory, from the fastest to the slowest as HLO writes it";
  let description = [{
    An argument in a blocked layout (BlockedLayout in drumlin/support/Layout.h) also has the block's size in each dimension, and
    the caller's shape: `#plan.layout<[1, 3, 0, 2], blocks = [2, 16], of = [512, 48]>`.
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

def Plan_OriginAttr : Plan_Attr<"Origin", "origin"> {
  let summary = "the number of the program operation that a location belongs to";
  // `calls`: the numbers of the calls through which the operation was inlined, outermost first.
  let parameters = (ins "int64_t":$number, OptionalArrayRefParameter<"int64_t">:$calls);
  let assemblyFormat = "`<` $number (`,` `calls` `=` `[` $calls^ `]`)? `>`";
}

//===- kernels ------------------------------------------------------------===//

class Plan_Op<string mnemonic, list<Trait> traits = []> : Op<Plan_Dialect, mnemonic, traits>;

// A kernel-forming operation: its region takes complete tensors and describes the computation in StableHLO.
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

// A kind of kernel. Its enumerator, and the code that selects and emits kernels of the kind, are named after the mnemonic (KernelKinds.h).
// A schedule determines how a kernel runs; each kind has its own schedules (ScheduleInterface.td). `heroes` lists operations. Each kernel
// contains exactly one of them; all other operations in its region are computed element by element.
class Plan_KernelKindOp<string mnemonic, list<string> heroes = []> : Plan_KernelFormingOp<mnemonic> {
  let builders = [OpBuilder<(ins "::mlir::TypeRange":$results, "::mlir::ValueRange":$inputs), [{
    buildKernelForming($_state, results, inputs);
  }]>];
  let skipDefaultBuilders = 1;
  let extraClassDeclaration = "static constexpr KernelKind kind = KernelKind::" # mnemonic # [{;
    static bool isHero(::mlir::Operation *op);}];
  let extraClassDefinition = assembly # [{
    bool $cppClass::isHero(::mlir::Operation *op) { return isAnyOf<}] # !interleave(heroes, ", ") # ">(op); }";
}

def Plan_LoopOp : Plan_KernelKindOp<"loop"> {
  let summary = "pointwise, shape and gather operations and reductions, computed in one traversal over the results";
}
def Plan_GemmOp : Plan_KernelKindOp<"gemm", ["stablehlo::DotGeneralOp", "stablehlo::ConvolutionOp"]> {
  let summary = "one dot or convolution with what feeds its operands (prologue) and what uses its result (epilogue)";
}
def Plan_SortOp : Plan_KernelKindOp<"sort", ["stablehlo::SortOp", "chlo::TopKOp"]> {
  let summary = "one sort or top-k with what feeds it and what is sliced from it";
}
def Plan_ScatterOp : Plan_KernelKindOp<"scatter", ["stablehlo::ScatterOp"]> {
  let summary = "one scatter with what feeds it";
}
def Plan_WindowOp : Plan_KernelKindOp<"window", ["stablehlo::SelectAndScatterOp"]> {
  let summary = "one select_and_scatter with what feeds it";
}
def Plan_FftOp : Plan_KernelKindOp<"fft", ["stablehlo::FftOp"]> {
  let summary = "one Fourier transform along the last dimension, with what feeds it and with the reordered parts of its result";
}

def Plan_TriangularOp : Plan_KernelKindOp<"triangular", ["stablehlo::CholeskyOp", "stablehlo::TriangularSolveOp"]> {
  let summary = "one Cholesky factorization or triangular solve, with the parts of its complex numbers";
}

// A plan.gemm that a GPU library computes (`select-library-calls`).
def Plan_LibraryCallOp : Plan_KernelFormingOp<"library_call"> {
  let summary = "one call of a target's library; the region defines its results, `call` its arguments";
  let description = [{
    `call` has the library's own names and enumerators (drumlin/target/LibraryCallText.h); `target` is the GPU whose library
    executes it. Pointers are written `input 0` and `output 0`: operands and results by number.
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
  let summary = "a view of the same bytes as another shape, at no cost";
  let description = [{
    The attributes specify a reshape from a shape with a dimension order in memory to another shape and order. The contract is
    that such a reshape leaves all bytes in place, which can be checked from the numbers.
  }];
  let arguments = (ins AnyRankedTensor:$operand, OptionalAttr<DenseI64ArrayAttr>:$fromShape,
    OptionalAttr<DenseI64ArrayAttr>:$fromOrder, OptionalAttr<DenseI64ArrayAttr>:$toShape,
    OptionalAttr<DenseI64ArrayAttr>:$toOrder);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$operand (`reshape` $fromShape^ `in` $fromOrder `to` $toShape `in` $toOrder)? attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def Plan_CopyOp : Plan_Op<"copy"> {
  let summary = "a copy of a value into its own buffer, with the reason for its cost";
  let arguments = (ins AnyRankedTensor:$operand, StrAttr:$reason);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$operand `reason` `(` $reason `)` attr-dict `:` type($operand) `->` type($result)";
}

def Plan_SizeOp : Plan_Op<"size", [Pure, IndexingInterface, OfClass<"Constant">]> {
  let summary = "a size that is known only at run time, as a scalar for computing elements";
  let description = [{
    `value` is the nominal size; its expression is in `sizes.attributes` (drumlin/ir/sizes/InstantiateSizes.h):
    `plan.size [97] {sizes.attributes = {value = #sizes.of<"b">}} : tensor<i32>`.
  }];
  let arguments = (ins DenseI64ArrayAttr:$value);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$value attr-dict `:` type($result)";
  let extraClassDeclaration = "::drumlin::SizeExpression getSize();";
  let hasVerifier = 1;
}

def Plan_HostCallOp : Plan_Op<"host_call", [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "a call of code outside of the program: custom calls, and data transfers during a run";
  let description = [{
    `signature` has the types that the called code sees, including tokens. Tokens are no operands of this operation: calls with
    side effects run in program order. Operands and results are row-major: a value that the code sees in another order
    (`operand_layouts`, `result_layouts`) has its shape in memory as its type. Once complex numbers are lowered to pairs, the two
    parts are one more dimension, the last. `aliases` are pairs of a result of the signature and the operand whose memory it shares.
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
  let summary = "one distinct kernel, which launches refer to by name";
  let description = [{
    `key` is the hash of the kernel's canonical text without locations and of everything that code generation reads: kernels with
    equal keys have equal code.
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
