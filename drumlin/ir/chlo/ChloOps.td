// The `chlo` dialect: operations above StableHLO that compilers may keep whole or decompose.
include "mlir/IR/AttrTypeBase.td"
include "drumlin/ir/stablehlo/StablehloBase.td"

def Chlo_Dialect : Dialect {
  let name = "chlo";
  let cppNamespace = "::drumlin::chlo";
  let summary = "operations with one meaning that StableHLO spells with many";
  let dependentDialects = ["::drumlin::stablehlo::StablehloDialect"];
}

class Chlo_Op<string mnemonic, list<Trait> traits = []> : Op<Chlo_Dialect, mnemonic, traits#[Pure]>;

// `chlo.op %x : type -> type`.
class Chlo_UnaryOp<string mnemonic, Type type>
    : Chlo_Op<mnemonic, [Stablehlo_SameType, Elementwise]> {
  let arguments = (ins type:$operand);
  let results = (outs type:$result);
  let assemblyFormat = "$operand attr-dict `:` type($operand) `->` type($result)";
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

def Chlo_AcosOp : Chlo_UnaryOp<"acos", Stablehlo_PlainFpOrComplexTensor>;
def Chlo_AcoshOp : Chlo_UnaryOp<"acosh", Stablehlo_PlainFpOrComplexTensor>;
def Chlo_AsinOp : Chlo_UnaryOp<"asin", Stablehlo_PlainFpOrComplexTensor>;
def Chlo_AsinhOp : Chlo_UnaryOp<"asinh", Stablehlo_PlainFpOrComplexTensor>;
def Chlo_AtanOp : Chlo_UnaryOp<"atan", Stablehlo_PlainFpOrComplexTensor>;
def Chlo_AtanhOp : Chlo_UnaryOp<"atanh", Stablehlo_PlainFpOrComplexTensor>;
def Chlo_BesselI1eOp : Chlo_UnaryOp<"bessel_i1e", Stablehlo_PlainFpTensor>;
def Chlo_ConjOp : Chlo_UnaryOp<"conj", Stablehlo_PlainNumericTensor>;
def Chlo_CoshOp : Chlo_UnaryOp<"cosh", Stablehlo_PlainFpOrComplexTensor>;
def Chlo_DigammaOp : Chlo_UnaryOp<"digamma", Stablehlo_PlainFpTensor>;
def Chlo_ErfOp : Chlo_UnaryOp<"erf", Stablehlo_PlainFpTensor>;
def Chlo_ErfInvOp : Chlo_UnaryOp<"erf_inv", Stablehlo_PlainFpTensor>;
def Chlo_ErfcOp : Chlo_UnaryOp<"erfc", Stablehlo_PlainFpTensor>;
def Chlo_LgammaOp : Chlo_UnaryOp<"lgamma", Stablehlo_PlainFpTensor>;
def Chlo_SinhOp : Chlo_UnaryOp<"sinh", Stablehlo_PlainFpOrComplexTensor>;
def Chlo_SquareOp : Chlo_UnaryOp<"square", Stablehlo_PlainNumericTensor>;
def Chlo_TanOp : Chlo_UnaryOp<"tan", Stablehlo_PlainFpOrComplexTensor>;

def Chlo_NextAfterOp : Chlo_BinaryOp<"next_after", Stablehlo_PlainFpTensor, "x", "y"> {
  let arguments = (ins Stablehlo_PlainFpTensor:$x, Stablehlo_PlainFpTensor:$y);
}
def Chlo_PolygammaOp : Chlo_BinaryOp<"polygamma", Stablehlo_PlainFpTensor, "n", "x"> {
  let arguments = (ins Stablehlo_PlainFpTensor:$n, Stablehlo_PlainFpTensor:$x);
}
def Chlo_ZetaOp : Chlo_BinaryOp<"zeta", Stablehlo_PlainFpTensor, "x", "q"> {
  let arguments = (ins Stablehlo_PlainFpTensor:$x, Stablehlo_PlainFpTensor:$q);
}
def Chlo_MulhiOp : Chlo_BinaryOp<"mulhi", Stablehlo_IntTensor, "lhs", "rhs", [Commutative]> {
  let arguments = (ins Stablehlo_IntTensor:$lhs, Stablehlo_IntTensor:$rhs);
}

// is_inf(x) and its halves: a boolean for each element.
class Chlo_ClassifyOp<string mnemonic>
    : Chlo_Op<mnemonic, [Stablehlo_SameShape, Elementwise]> {
  let arguments = (ins Stablehlo_PlainFpTensor:$operand);
  let results = (outs Stablehlo_PredTensor:$result);
  let assemblyFormat = "$operand attr-dict `:` type($operand) `->` type($result)";
}
def Chlo_IsInfOp : Chlo_ClassifyOp<"is_inf">;
def Chlo_IsNegInfOp : Chlo_ClassifyOp<"is_neg_inf">;
def Chlo_IsPosInfOp : Chlo_ClassifyOp<"is_pos_inf">;

def Chlo_TopKOp : Chlo_Op<"top_k"> {
  let summary = "the k largest elements of each row (the last dimension), in descending order, "
                "with their indices";
  let arguments = (ins Stablehlo_Tensor:$operand, I64Attr:$k);
  let results = (outs Stablehlo_Tensor:$values, Stablehlo_Tensor:$indices);
  let builders = [OpBuilder<(ins "::mlir::Value":$operand, "int64_t":$k)>];
  let assemblyFormat = [{
    `(` $operand `,` `k` `=` $k `)` attr-dict `:` type($operand) `->` `(` type($values) `,`
    type($indices) `)`
  }];
  let hasVerifier = 1;
}
