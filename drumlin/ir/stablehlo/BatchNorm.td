// Normalization over all dimensions but one.
include "drumlin/ir/stablehlo/StablehloBase.td"

def Stablehlo_BatchNormGradOp : Stablehlo_IndexedOp<"batch_norm_grad", [Pure]> {
  let arguments = (ins Stablehlo_FpTensor:$operand, Stablehlo_FpVector:$scale,
      Stablehlo_FpVector:$mean, Stablehlo_FpVector:$variance, Stablehlo_FpTensor:$grad_output,
      F32Attr:$epsilon, I64Attr:$feature_index);
  let results = (outs Stablehlo_FpTensor:$grad_operand, Stablehlo_FpVector:$grad_scale,
      Stablehlo_FpVector:$grad_offset);
  let hasVerifier = 1;
}

def Stablehlo_BatchNormInferenceOp : Stablehlo_IndexedOp<"batch_norm_inference", [Pure]> {
  let arguments = (ins Stablehlo_FpTensor:$operand, Stablehlo_FpVector:$scale,
      Stablehlo_FpVector:$offset, Stablehlo_FpVector:$mean, Stablehlo_FpVector:$variance,
      F32Attr:$epsilon, I64Attr:$feature_index);
  let results = (outs Stablehlo_FpTensor:$result);
  let hasVerifier = 1;
}

def Stablehlo_BatchNormTrainingOp : Stablehlo_IndexedOp<"batch_norm_training", [Pure]> {
  let arguments = (ins Stablehlo_FpTensor:$operand, Stablehlo_FpVector:$scale,
      Stablehlo_FpVector:$offset, F32Attr:$epsilon, I64Attr:$feature_index);
  let results = (outs Stablehlo_FpTensor:$output, Stablehlo_FpVector:$batch_mean,
      Stablehlo_FpVector:$batch_var);
  let hasVerifier = 1;
}
