// Random numbers.
include "drumlin/ir/stablehlo/StablehloBase.td"

def Stablehlo_PredIntOrFpScalar
    : Stablehlo_ScalarOf<["Boolean", "Integer", "Float"],
                         "tensor of booleans, integers or floating-point numbers">;
def Stablehlo_PredIntOrFpTensor
    : Stablehlo_TensorOf<["Boolean", "Integer", "Float"],
                         "tensor of booleans, integers or floating-point numbers">;
def Stablehlo_IntOrFpTensor
    : Stablehlo_TensorOf<["Integer", "Float"], "tensor of integers or floating-point numbers">;

// Operations with equal operands must not be merged, because each operation draws different
// numbers.
def Stablehlo_RngOp : Stablehlo_Op<"rng"> {
  let arguments = (ins Stablehlo_PredIntOrFpScalar:$a, Stablehlo_PredIntOrFpScalar:$b,
      Stablehlo_DimensionTensor:$shape, Stablehlo_RngDistributionAttr:$rng_distribution);
  let results = (outs Stablehlo_PredIntOrFpTensor:$result);
  let assemblyFormat = [{
    $a `,` $b `,` $shape `,` `distribution` `=` `` $rng_distribution attr-dict `:`
    functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

// The specification (rng_bit_generator_i2) requires a state of one dimension. But artifacts of all
// releases contain states of other ranks. Every reader of artifacts accepts such states; the
// interpreter rejects them.
def Stablehlo_RngBitGeneratorOp : Stablehlo_Op<"rng_bit_generator", [Pure]> {
  let arguments = (ins Stablehlo_RngAlgorithmAttr:$rng_algorithm,
      Stablehlo_IntOrFpTensor:$initial_state);
  let results = (outs Stablehlo_IntOrFpTensor:$output_state, Stablehlo_IntOrFpTensor:$output);
  let assemblyFormat = [{
    $initial_state `,` `algorithm` `=` `` $rng_algorithm attr-dict `:`
    functional-type(operands, results)
  }];
  let hasVerifier = 1;
}
