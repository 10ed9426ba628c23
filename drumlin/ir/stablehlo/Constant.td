// Constants: tensors whose elements are in the program, or are generated without operands.
include "drumlin/ir/stablehlo/StablehloBase.td"

def Stablehlo_ConstantOp
    : Stablehlo_Op<
          "constant", [ConstantLike, Pure,
                       DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>,
                       OfClass<"Constant">]> {
  let arguments = (ins ElementsAttr:$value);
  let results = (outs Stablehlo_TensorOrQuantized:$output);
  let builders = [OpBuilder<(ins "::mlir::ElementsAttr":$value)>];
  let hasCustomAssemblyFormat = 1;
  let hasFolder = 1;
  let hasVerifier = 1;
}

def Stablehlo_IotaOp : Stablehlo_Op<"iota", [Pure, OfClass<"DataMovement">]> {
  let arguments = (ins I64Attr:$iota_dimension);
  let results = (outs Stablehlo_NumericTensor:$output);
  let assemblyFormat = "`dim` `=` $iota_dimension attr-dict `:` type($output)";
  let hasVerifier = 1;
  let extraClassDeclaration = "bool readsBySizes() { return false; }";
}
