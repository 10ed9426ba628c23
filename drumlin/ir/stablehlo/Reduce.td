// Reduction over complete dimensions.
include "drumlin/ir/stablehlo/StablehloBase.td"

def Stablehlo_ReduceOp : Stablehlo_IndexedRegionOp<"reduce", [SameVariadicOperandSize, OfClass<"Reduction">]> {
  let arguments = (ins Variadic<Stablehlo_Tensor>:$inputs, Variadic<Stablehlo_Scalar>:$init_values,
      DenseI64ArrayAttr:$dimensions);
  let results = (outs Variadic<Stablehlo_Tensor>:$results);
  let regions = (region SizedRegion<1>:$body);
  // Infers the result types from the inputs. The caller fills the body. The block of the body has
  // arguments for the scalars to combine.
  let builders = [OpBuilder<(ins "::mlir::ValueRange":$inputs, "::mlir::ValueRange":$init_values,
      "::llvm::ArrayRef<int64_t>":$dimensions)>];
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}
