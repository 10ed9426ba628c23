// Elementwise operations, one per line. The type constraint of an operation is the strictest one
// that permits all types in the specification's table of inputs. `operations` is the cost of an
// element (IndexingInterface.td).
include "drumlin/ir/stablehlo/StablehloBase.td"

// op(x), whose result has the operand's type: `stablehlo.op %x : type`.
class Stablehlo_UnaryOp<string mnemonic, Type type, list<Trait> traits = []>
    : Stablehlo_Op<mnemonic,
                   traits#[Pure, Stablehlo_SameType, Elementwise]> {
  let arguments = (ins type:$operand);
  let results = (outs type:$result);
  let builders = [OpBuilder<(ins "::mlir::Value":$operand), [{
    build($_builder, $_state, operand.getType(), operand);
  }]>];
  let assemblyFormat =
      "$operand attr-dict `:` custom<OperandAndResultTypes>(type($operand), type($result))";
}

// op(x) whose result accuracy can be specified.
class Stablehlo_TranscendentalOp<string mnemonic, int operations>
    : Stablehlo_Op<mnemonic,
                   [Pure, Stablehlo_SameType, Elementwise]> {
  let arguments = (ins Stablehlo_FpOrComplexTensor:$operand,
      OptionalAttr<Stablehlo_ResultAccuracy>:$result_accuracy);
  let results = (outs Stablehlo_FpOrComplexTensor:$result);
  let builders = [OpBuilder<(ins "::mlir::Value":$operand), [{
    build($_builder, $_state, operand.getType(), operand, ResultAccuracyAttr());
  }]>];
  let assemblyFormat =
      "$operand attr-dict `:` custom<OperandAndResultTypes>(type($operand), type($result))";
  let extraClassDeclaration = ElementCost<operations>.declaration;
}

// op(x), whose result has a different element type than the operand.
class Stablehlo_UnaryOtherTypeOp<string mnemonic, Type operandType, Type resultType,
                                 list<Trait> traits = []>
    : Stablehlo_Op<mnemonic,
                   traits#[Pure, Stablehlo_SameShape, Elementwise]> {
  let arguments = (ins operandType:$operand);
  let results = (outs resultType:$result);
  let assemblyFormat =
      "$operand attr-dict `:` custom<OperandAndResultTypes>(type($operand), type($result))";
}

// op(a, b), with the same type for all values: `stablehlo.op %a, %b : type`.
class Stablehlo_BinaryOp<string mnemonic, Type type, list<Trait> traits = [],
                           int operations = 1>
    : Stablehlo_Op<mnemonic,
                   traits#[Pure, Stablehlo_SameType, Elementwise]> {
  let arguments = (ins type:$lhs, type:$rhs);
  let results = (outs type:$result);
  let builders = [OpBuilder<(ins "::mlir::Value":$lhs, "::mlir::Value":$rhs), [{
    build($_builder, $_state, lhs.getType(), lhs, rhs);
  }]>];
  let assemblyFormat = [{
    $lhs `,` $rhs attr-dict `:` custom<OperandAndResultTypes>(type($lhs), type($rhs), type($result))
  }];
  let extraClassDeclaration = ElementCost<operations>.declaration;
}

// Unary operations (the constraint c1 of each: type(operand) = type(result)).
def Stablehlo_CeilOp : Stablehlo_UnaryOp<"ceil", Stablehlo_FpTensor>;
def Stablehlo_ClzOp : Stablehlo_UnaryOp<"count_leading_zeros", Stablehlo_IntTensor>;
def Stablehlo_FloorOp : Stablehlo_UnaryOp<"floor", Stablehlo_FpTensor>;
def Stablehlo_NegOp : Stablehlo_UnaryOp<"negate", Stablehlo_NumericTensor>;
def Stablehlo_NotOp : Stablehlo_UnaryOp<"not", Stablehlo_PredOrIntTensor>;
def Stablehlo_PopulationCountOp : Stablehlo_UnaryOp<"popcnt", Stablehlo_IntTensor>;
def Stablehlo_RoundOp : Stablehlo_UnaryOp<"round_nearest_afz", Stablehlo_FpTensor>;
def Stablehlo_RoundNearestEvenOp : Stablehlo_UnaryOp<"round_nearest_even", Stablehlo_FpTensor>;
def Stablehlo_SignOp : Stablehlo_UnaryOp<"sign", Stablehlo_SignedFpOrComplexTensor>;

def Stablehlo_CbrtOp : Stablehlo_TranscendentalOp<"cbrt", 48>;
def Stablehlo_CosineOp : Stablehlo_TranscendentalOp<"cosine", 24>;
def Stablehlo_ExpOp : Stablehlo_TranscendentalOp<"exponential", 16>;
def Stablehlo_Expm1Op : Stablehlo_TranscendentalOp<"exponential_minus_one", 24>;
def Stablehlo_LogOp : Stablehlo_TranscendentalOp<"log", 16>;
def Stablehlo_Log1pOp : Stablehlo_TranscendentalOp<"log_plus_one", 24>;
def Stablehlo_LogisticOp : Stablehlo_TranscendentalOp<"logistic", 16>;
def Stablehlo_RsqrtOp : Stablehlo_TranscendentalOp<"rsqrt", 8>;
def Stablehlo_SineOp : Stablehlo_TranscendentalOp<"sine", 24>;
def Stablehlo_SqrtOp : Stablehlo_TranscendentalOp<"sqrt", 8>;
def Stablehlo_TanOp : Stablehlo_TranscendentalOp<"tan", 24>;
def Stablehlo_TanhOp : Stablehlo_TranscendentalOp<"tanh", 16>;

// Binary operations (the constraint c1 of each: type(lhs) = type(rhs) = type(result)).
def Stablehlo_AddOp : Stablehlo_BinaryOp<"add", Stablehlo_TensorOrQuantized, [Commutative]> {
  let hasVerifier = 1;
}
def Stablehlo_AndOp : Stablehlo_BinaryOp<"and", Stablehlo_PredOrIntTensor, [Commutative]>;
def Stablehlo_Atan2Op : Stablehlo_BinaryOp<"atan2", Stablehlo_FpOrComplexTensor, [], 48>;
def Stablehlo_DivOp : Stablehlo_BinaryOp<"divide", Stablehlo_NumericTensor, [], 8>;
def Stablehlo_MaxOp : Stablehlo_BinaryOp<"maximum", Stablehlo_Tensor, [Commutative]>;
def Stablehlo_MinOp : Stablehlo_BinaryOp<"minimum", Stablehlo_Tensor, [Commutative]>;
def Stablehlo_MulOp : Stablehlo_BinaryOp<"multiply", Stablehlo_Tensor, [Commutative]>;
def Stablehlo_OrOp : Stablehlo_BinaryOp<"or", Stablehlo_PredOrIntTensor, [Commutative]>;
def Stablehlo_PowOp : Stablehlo_BinaryOp<"power", Stablehlo_NumericTensor, [], 48>;
def Stablehlo_RemOp : Stablehlo_BinaryOp<"remainder", Stablehlo_NumericTensor, [], 8>;
def Stablehlo_ShiftLeftOp : Stablehlo_BinaryOp<"shift_left", Stablehlo_IntTensor>;
def Stablehlo_ShiftRightArithmeticOp
    : Stablehlo_BinaryOp<"shift_right_arithmetic", Stablehlo_IntTensor>;
def Stablehlo_ShiftRightLogicalOp : Stablehlo_BinaryOp<"shift_right_logical", Stablehlo_IntTensor>;
def Stablehlo_SubtractOp : Stablehlo_BinaryOp<"subtract", Stablehlo_NumericTensor>;
def Stablehlo_XorOp : Stablehlo_BinaryOp<"xor", Stablehlo_PredOrIntTensor, [Commutative]>;

// Operations whose result has a different element type than the operands. Builders without a result
// type infer the result type.
def Stablehlo_AbsOp : Stablehlo_UnaryOtherTypeOp<"abs", Stablehlo_SignedFpOrComplexTensor,
                                                 Stablehlo_SignedOrFpTensor> {
  let builders = [OpBuilder<(ins "::mlir::Value":$operand)>];
  let hasVerifier = 1;
}
def Stablehlo_ConvertOp
    : Stablehlo_UnaryOtherTypeOp<"convert", Stablehlo_PlainTensor, Stablehlo_PlainTensor> {
  let builders = [OpBuilder<(ins "::mlir::Value":$operand, "::mlir::Type":$resultElementType)>];
}
def Stablehlo_ImagOp
    : Stablehlo_UnaryOtherTypeOp<"imag", Stablehlo_PlainFpOrComplexTensor,
                                 Stablehlo_PlainFpTensor> {
  let builders = [OpBuilder<(ins "::mlir::Value":$operand)>];
  let hasVerifier = 1;
}
def Stablehlo_RealOp
    : Stablehlo_UnaryOtherTypeOp<"real", Stablehlo_PlainFpOrComplexTensor,
                                 Stablehlo_PlainFpTensor> {
  let builders = [OpBuilder<(ins "::mlir::Value":$operand)>];
  let hasVerifier = 1;
}

def Stablehlo_IsFiniteOp : Stablehlo_Op<"is_finite", [Pure, Stablehlo_SameShape, Elementwise]> {
  let arguments = (ins Stablehlo_FpTensor:$x);
  let results = (outs Stablehlo_PredTensor:$y);
  let builders = [OpBuilder<(ins "::mlir::Value":$x)>];
  let assemblyFormat = "$x attr-dict `:` functional-type(operands, results)";
}

def Stablehlo_ComplexOp : Stablehlo_Op<"complex", [Pure, Stablehlo_SameShape, Elementwise]> {
  let arguments = (ins Stablehlo_F32OrF64Tensor:$lhs, Stablehlo_F32OrF64Tensor:$rhs);
  let results = (outs Stablehlo_ComplexTensor:$result);
  let builders = [OpBuilder<(ins "::mlir::Value":$lhs, "::mlir::Value":$rhs)>];
  let assemblyFormat = [{
    $lhs `,` $rhs attr-dict `:` custom<ComplexOpType>(type($lhs), type($rhs), type($result))
  }];
  let hasVerifier = 1;
}

def Stablehlo_CompareOp : Stablehlo_Op<"compare", [Pure, Stablehlo_SameShape, Elementwise]> {
  let arguments = (ins Stablehlo_Tensor:$lhs, Stablehlo_Tensor:$rhs,
      Stablehlo_ComparisonDirectionAttr:$comparison_direction,
      OptionalAttr<Stablehlo_ComparisonTypeAttr>:$compare_type);
  let results = (outs Stablehlo_PredTensor:$result);
  let builders = [OpBuilder<(ins "::mlir::Value":$lhs, "::mlir::Value":$rhs,
      "ComparisonDirection":$direction, CArg<"ComparisonType", "ComparisonType::NOTYPE">:$type)>];
  let assemblyFormat = [{
    `` $comparison_direction `,` $lhs `,` $rhs (`,` `` $compare_type^)? attr-dict `:`
    functional-type(operands, results)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    // Returns the comparison type that the program specifies or, if there is none, the comparison
    // type that follows from the element type.
    ComparisonType compareTypeOrDefault();
  }];
}

def Stablehlo_ClampOp : Stablehlo_IndexedOp<"clamp", [Pure, OfClass<"Pointwise">]> {
  let arguments = (ins Stablehlo_Tensor:$min, Stablehlo_Tensor:$operand, Stablehlo_Tensor:$max);
  let results = (outs Stablehlo_Tensor:$result);
  let builders = [OpBuilder<(ins "::mlir::Value":$min, "::mlir::Value":$operand,
      "::mlir::Value":$max)>];
  let assemblyFormat = [{
    $min `,` $operand `,` $max attr-dict `:`
    custom<OperandAndResultTypes>(type($min), type($operand), type($max), type($result))
  }];
  let hasVerifier = 1;
}

def Stablehlo_SelectOp : Stablehlo_IndexedOp<"select", [Pure, OfClass<"Pointwise">]> {
  let arguments = (ins Stablehlo_PredTensor:$pred, Stablehlo_Tensor:$on_true,
      Stablehlo_Tensor:$on_false);
  let results = (outs Stablehlo_Tensor:$result);
  let builders = [OpBuilder<(ins "::mlir::Value":$pred, "::mlir::Value":$on_true,
      "::mlir::Value":$on_false)>];
  let assemblyFormat = [{
    operands attr-dict `:`
    custom<SelectOpType>(type($pred), type($on_true), type($on_false), type($result))
  }];
  let hasVerifier = 1;
}

def Stablehlo_ReducePrecisionOp
    : Stablehlo_Op<"reduce_precision", [Pure, Stablehlo_SameType, Elementwise]> {
  let arguments = (ins Stablehlo_FpTensor:$operand, I32Attr:$exponent_bits, I32Attr:$mantissa_bits);
  let results = (outs Stablehlo_FpTensor:$output);
  let assemblyFormat = [{
    $operand `,` `format` `=` custom<ExponentMantissa>($exponent_bits, $mantissa_bits) attr-dict `:`
    custom<OperandAndResultTypes>(type($operand), type($output))
  }];
  let hasVerifier = 1;
}
