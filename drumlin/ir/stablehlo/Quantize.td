// Conversions to and from quantized elements.
include "drumlin/ir/stablehlo/StablehloBase.td"

def Stablehlo_UniformQuantizeOp
    : Stablehlo_Op<"uniform_quantize", [Pure, Stablehlo_SameShape, Elementwise]> {
  let arguments = (ins Stablehlo_FpOrAnyQuantizedTensor:$operand);
  let results = (outs Stablehlo_QuantizedTensor:$result);
  let assemblyFormat =
      "$operand attr-dict `:` custom<OperandAndResultTypes>(type($operand), type($result))";
  let hasVerifier = 1;
}

def Stablehlo_UniformDequantizeOp
    : Stablehlo_Op<"uniform_dequantize", [Pure, Stablehlo_SameShape, Elementwise]> {
  let arguments = (ins Stablehlo_QuantizedTensor:$operand);
  let results = (outs Stablehlo_PlainFpTensor:$result);
  let assemblyFormat =
      "$operand attr-dict `:` custom<OperandAndResultTypes>(type($operand), type($result))";
  let hasVerifier = 1;
}
