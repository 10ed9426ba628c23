// The `chlo` dialect: high-level operations that a compiler may keep or decompose into StableHLO
// operations.
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "drumlin/ir/chlo/ChloEnums.td"
include "drumlin/ir/stablehlo/StablehloBase.td"

def Chlo_Dialect : Dialect {
  let name = "chlo";
  let cppNamespace = "::drumlin::chlo";
  let summary = "high-level operations that StableHLO expresses with several operations";
  let dependentDialects = ["::drumlin::stablehlo::StablehloDialect"];
  let useDefaultAttributePrinterParser = 1;
  let hasConstantMaterializer = 1;
}

//===-- attributes ----------------------------------------------------------------------------===//

def Chlo_ComparisonDirectionAttr
    : EnumAttr<Chlo_Dialect, Chlo_ComparisonDirection, "comparison_direction">;
def Chlo_ComparisonTypeAttr : EnumAttr<Chlo_Dialect, Chlo_ComparisonType, "comparison_type">;
def Chlo_PrecisionAttr : EnumAttr<Chlo_Dialect, Chlo_Precision, "precision">;
def Chlo_PrecisionConfigAttr
    : TypedArrayAttrBase<Chlo_PrecisionAttr, "a precision for each operand">;

def Chlo_RaggedDotDimensionNumbers : AttrDef<Chlo_Dialect, "RaggedDotDimensionNumbers"> {
  let mnemonic = "ragged_dot";
  let summary = "the roles of a ragged dot's dimensions";
  let parameters = (ins ArrayRefParameter<"int64_t">:$lhsBatchingDimensions,
      ArrayRefParameter<"int64_t">:$rhsBatchingDimensions,
      ArrayRefParameter<"int64_t">:$lhsContractingDimensions,
      ArrayRefParameter<"int64_t">:$rhsContractingDimensions,
      ArrayRefParameter<"int64_t">:$lhsRaggedDimensions,
      ArrayRefParameter<"int64_t">:$rhsGroupDimensions);
  let hasCustomAssemblyFormat = 1;
}

//===-- operations ----------------------------------------------------------------------------===//

class Chlo_Op<string mnemonic, list<Trait> traits = []>
    : Op<Chlo_Dialect, mnemonic, traits#[Pure, IndexingInterface]>;
class Chlo_IndexedOp<string mnemonic, list<Trait> traits = []>
    : Op<Chlo_Dialect, mnemonic, traits#[Pure, Stablehlo_OwnIndexing]>;

// `chlo.op %x : type -> type`.
class Chlo_UnaryOp<string mnemonic, Type type, int operations = 1>
    : Chlo_Op<mnemonic, [Stablehlo_SameType, Elementwise]> {
  let arguments = (ins type:$operand);
  let results = (outs type:$result);
  let assemblyFormat = "$operand attr-dict `:` type($operand) `->` type($result)";
  let extraClassDeclaration = ElementCost<operations>.declaration;
}

// `chlo.op %a, %b : type, type -> type`.
class Chlo_BinaryOp<string mnemonic, Type type, string lhsName, string rhsName,
                    list<Trait> traits = []>
    : Chlo_Op<mnemonic, traits#[Stablehlo_SameType, Elementwise]> {
  let results = (outs type:$result);
  let assemblyFormat =
      "$"#lhsName#" `,` $"#rhsName#" attr-dict `:` type($"#lhsName#") `,` type($"#rhsName#") `->` "
                                                                                          "type($"
                                                                                          "result)";
}

// Computes the value from which both acos(x) and asin(x) of a complex number x follow.
def Chlo_AsinAcosKernelOp : Chlo_UnaryOp<"_asin_acos_kernel", Stablehlo_ComplexTensor, 48>;
def Chlo_AcosOp : Chlo_UnaryOp<"acos", Stablehlo_PlainFpOrComplexTensor, 48>;
def Chlo_AcoshOp : Chlo_UnaryOp<"acosh", Stablehlo_PlainFpOrComplexTensor, 48>;
def Chlo_AsinOp : Chlo_UnaryOp<"asin", Stablehlo_PlainFpOrComplexTensor, 48>;
def Chlo_AsinhOp : Chlo_UnaryOp<"asinh", Stablehlo_PlainFpOrComplexTensor, 48>;
def Chlo_AtanOp : Chlo_UnaryOp<"atan", Stablehlo_PlainFpOrComplexTensor, 48>;
def Chlo_AtanhOp : Chlo_UnaryOp<"atanh", Stablehlo_PlainFpOrComplexTensor, 48>;
def Chlo_BesselI1eOp : Chlo_UnaryOp<"bessel_i1e", Stablehlo_PlainFpTensor, 64>;
def Chlo_ConjOp : Chlo_UnaryOp<"conj", Stablehlo_PlainNumericTensor>;
def Chlo_CoshOp : Chlo_UnaryOp<"cosh", Stablehlo_PlainFpOrComplexTensor, 24>;
def Chlo_DigammaOp : Chlo_UnaryOp<"digamma", Stablehlo_PlainFpTensor, 256>;
def Chlo_ErfOp : Chlo_UnaryOp<"erf", Stablehlo_PlainFpTensor, 24>;
def Chlo_ErfInvOp : Chlo_UnaryOp<"erf_inv", Stablehlo_PlainFpTensor, 48>;
def Chlo_ErfcOp : Chlo_UnaryOp<"erfc", Stablehlo_PlainFpTensor, 48>;
def Chlo_LgammaOp : Chlo_UnaryOp<"lgamma", Stablehlo_PlainFpTensor, 256>;
def Chlo_SinhOp : Chlo_UnaryOp<"sinh", Stablehlo_PlainFpOrComplexTensor, 48>;
def Chlo_SquareOp : Chlo_UnaryOp<"square", Stablehlo_PlainNumericTensor>;
def Chlo_TanOp : Chlo_UnaryOp<"tan", Stablehlo_PlainFpOrComplexTensor>;

def Chlo_NextAfterOp : Chlo_BinaryOp<"next_after", Stablehlo_PlainFpTensor, "x", "y"> {
  let arguments = (ins Stablehlo_PlainFpTensor:$x, Stablehlo_PlainFpTensor:$y);
}
def Chlo_PolygammaOp : Chlo_BinaryOp<"polygamma", Stablehlo_PlainFpTensor, "n", "x"> {
  let arguments = (ins Stablehlo_PlainFpTensor:$n, Stablehlo_PlainFpTensor:$x);
  let extraClassDeclaration = ElementCost<4096>.declaration;
}
def Chlo_ZetaOp : Chlo_BinaryOp<"zeta", Stablehlo_PlainFpTensor, "x", "q"> {
  let arguments = (ins Stablehlo_PlainFpTensor:$x, Stablehlo_PlainFpTensor:$q);
  let extraClassDeclaration = ElementCost<4096>.declaration;
}
def Chlo_MulhiOp : Chlo_BinaryOp<"mulhi", Stablehlo_IntTensor, "lhs", "rhs", [Commutative]> {
  let arguments = (ins Stablehlo_IntTensor:$lhs, Stablehlo_IntTensor:$rhs);
}

// is_inf(x), is_neg_inf(x) and is_pos_inf(x): a boolean for each element.
class Chlo_ClassifyOp<string mnemonic>
    : Chlo_Op<mnemonic, [Stablehlo_SameShape, Elementwise]> {
  let arguments = (ins Stablehlo_PlainFpTensor:$operand);
  let results = (outs Stablehlo_PredTensor:$result);
  let assemblyFormat = "$operand attr-dict `:` type($operand) `->` type($result)";
}
def Chlo_IsInfOp : Chlo_ClassifyOp<"is_inf">;
def Chlo_IsNegInfOp : Chlo_ClassifyOp<"is_neg_inf">;
def Chlo_IsPosInfOp : Chlo_ClassifyOp<"is_pos_inf">;

def Chlo_TopKOp : Chlo_IndexedOp<"top_k", [OfClass<"Hero">]> {
  let summary = "the k largest elements of each row (the last dimension), in descending order, "
                "with their indices";
  let arguments = (ins Stablehlo_Tensor:$operand, I64Attr:$k,
      DefaultValuedOptionalAttr<BoolAttr, "true">:$is_stable);
  let results = (outs Stablehlo_Tensor:$values, Stablehlo_Tensor:$indices);
  let builders = [OpBuilder<(ins "::mlir::Value":$operand, "int64_t":$k)>];
  let assemblyFormat = [{
    `(` $operand `,` `k` `=` $k (`,` `is_stable` `=` $is_stable^)? `)` attr-dict `:` type($operand) `->` `(` type($values) `,`
    type($indices) `)`
  }];
  let hasVerifier = 1;
}

//===-- constants -----------------------------------------------------------------------------===//

def Chlo_ConstantOp
    : Chlo_Op<"constant", [ConstantLike, DeclareOpInterfaceMethods<InferTypeOpInterface>]> {
  let arguments = (ins ElementsAttr:$value);
  let results = (outs Stablehlo_PlainTensor:$output);
  let assemblyFormat = "attr-dict $value";
  let hasFolder = 1;
}

def Chlo_ConstantLikeOp : Chlo_Op<"constant_like", [Stablehlo_SameShape]> {
  let summary = "equal elements, in the shape of the operand";
  let arguments = (ins TypedAttrInterface:$value, Stablehlo_PlainTensor:$operand);
  let results = (outs Stablehlo_PlainTensor:$result);
  let hasVerifier = 1;
}

//===-- operations that broadcast their operands ----------------------------------------------===//

// Operands are broadcast to a common shape. `broadcast_dimensions` lists the result dimensions that
// correspond to the dimensions of the operand of smaller rank; without this list, they are the last
// dimensions of the result. Dimensions of size 1 are repeated.
def Chlo_Broadcasts : NativeOpTrait<"Broadcasts"> { let cppNamespace = "::drumlin::chlo"; }

class Chlo_BroadcastOp<string mnemonic, Type type, Type resultType = type,
                       list<Trait> traits = []>
    : Chlo_IndexedOp<"broadcast_"#mnemonic, traits#[Chlo_Broadcasts]> {
  let extraClassDefinition = [{
    ::drumlin::IndexingMap $cppClass::indexingOf(::mlir::OpOperand &operand, unsigned result) {
      return broadcastIndexing(operand, result, getBroadcastDimensions());
    }
  }];
  let arguments = (ins type:$lhs, type:$rhs,
      OptionalAttr<DenseI64ArrayAttr>:$broadcast_dimensions);
  let results = (outs resultType:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs attr-dict `:` `(` type($lhs) `,` type($rhs) `)` `->` type($result)
  }];
}

def Chlo_BroadcastAddOp : Chlo_BroadcastOp<"add", Stablehlo_Tensor, Stablehlo_Tensor, [Commutative]>;
def Chlo_BroadcastAndOp
    : Chlo_BroadcastOp<"and", Stablehlo_PredOrIntTensor, Stablehlo_PredOrIntTensor, [Commutative]>;
def Chlo_BroadcastAtan2Op : Chlo_BroadcastOp<"atan2", Stablehlo_Tensor>;
def Chlo_BroadcastComplexOp
    : Chlo_BroadcastOp<"complex", Stablehlo_F32OrF64Tensor, Stablehlo_ComplexTensor>;
def Chlo_BroadcastDivOp : Chlo_BroadcastOp<"divide", Stablehlo_Tensor>;
def Chlo_BroadcastMaxOp
    : Chlo_BroadcastOp<"maximum", Stablehlo_Tensor, Stablehlo_Tensor, [Commutative]>;
def Chlo_BroadcastMinOp
    : Chlo_BroadcastOp<"minimum", Stablehlo_Tensor, Stablehlo_Tensor, [Commutative]>;
def Chlo_BroadcastMulOp
    : Chlo_BroadcastOp<"multiply", Stablehlo_Tensor, Stablehlo_Tensor, [Commutative]>;
def Chlo_BroadcastNextAfterOp : Chlo_BroadcastOp<"next_after", Stablehlo_PlainFpTensor>;
def Chlo_BroadcastOrOp
    : Chlo_BroadcastOp<"or", Stablehlo_PredOrIntTensor, Stablehlo_PredOrIntTensor, [Commutative]>;
def Chlo_BroadcastPolygammaOp : Chlo_BroadcastOp<"polygamma", Stablehlo_PlainFpTensor>;
def Chlo_BroadcastPowOp : Chlo_BroadcastOp<"power", Stablehlo_Tensor>;
def Chlo_BroadcastRemOp : Chlo_BroadcastOp<"remainder", Stablehlo_Tensor>;
def Chlo_BroadcastShiftLeftOp : Chlo_BroadcastOp<"shift_left", Stablehlo_Tensor>;
def Chlo_BroadcastShiftRightArithmeticOp
    : Chlo_BroadcastOp<"shift_right_arithmetic", Stablehlo_Tensor>;
def Chlo_BroadcastShiftRightLogicalOp
    : Chlo_BroadcastOp<"shift_right_logical", Stablehlo_Tensor>;
def Chlo_BroadcastSubOp : Chlo_BroadcastOp<"subtract", Stablehlo_Tensor>;
def Chlo_BroadcastXorOp
    : Chlo_BroadcastOp<"xor", Stablehlo_PredOrIntTensor, Stablehlo_PredOrIntTensor, [Commutative]>;
def Chlo_BroadcastZetaOp : Chlo_BroadcastOp<"zeta", Stablehlo_PlainFpTensor>;

def Chlo_BroadcastCompareOp
    : Chlo_BroadcastOp<"compare", Stablehlo_Tensor, Stablehlo_PredTensor> {
  let arguments = (ins Stablehlo_Tensor:$lhs, Stablehlo_Tensor:$rhs,
      OptionalAttr<DenseI64ArrayAttr>:$broadcast_dimensions,
      Chlo_ComparisonDirectionAttr:$comparison_direction,
      OptionalAttr<Chlo_ComparisonTypeAttr>:$compare_type);
}

def Chlo_BroadcastSelectOp : Chlo_IndexedOp<"broadcast_select"> {
  let arguments = (ins Stablehlo_PredTensor:$pred, Stablehlo_Tensor:$on_true,
      Stablehlo_Tensor:$on_false);
  let results = (outs Stablehlo_Tensor:$result);
  let assemblyFormat = [{
    $pred `,` $on_true `,` $on_false attr-dict `:`
    `(` type($pred) `,` type($on_true) `,` type($on_false) `)` `->` type($result)
  }];
  let hasVerifier = 1;
}

//===-- products of groups, scans -------------------------------------------------------------===//

def Chlo_RaggedDotOp : Chlo_Op<"ragged_dot"> {
  let summary = "matrix products of groups, each of which has its own rhs or its own result";
  let arguments = (ins Stablehlo_PlainTensor:$lhs, Stablehlo_PlainTensor:$rhs,
      Stablehlo_IntTensor:$group_sizes,
      Chlo_RaggedDotDimensionNumbers:$ragged_dot_dimension_numbers,
      OptionalAttr<Chlo_PrecisionConfigAttr>:$precision_config);
  let results = (outs Stablehlo_PlainTensor:$result);
  let hasVerifier = 1;
}

// Computes: carries = inits; for each index of the dimension: (output slices, carries) = body(input
// slices, carries).
def Chlo_ScanOp
    : Op<Chlo_Dialect, "scan",
         [AttrSizedOperandSegments, AttrSizedResultSegments, RecursiveMemoryEffects,
          SingleBlock, IndexingInterface,
          DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmBlockArgumentNames"]>]> {
  let arguments = (ins Variadic<Stablehlo_PlainTensor>:$inputs,
      Variadic<Stablehlo_PlainTensor>:$inits, I64Attr:$dimension,
      OptionalAttr<I64Attr>:$scan_dim_size,
      DefaultValuedOptionalAttr<BoolAttr, "false">:$is_reverse,
      OptionalAttr<BoolAttr>:$is_associative);
  let results = (outs Variadic<Stablehlo_PlainTensor>:$outputs,
      Variadic<Stablehlo_PlainTensor>:$carries);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}
