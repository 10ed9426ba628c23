// The `stablehlo` dialect: its tensor types, enums and attributes, shared by the operation
// families.
// Source: StableHLO specification, https://openxla.org/stablehlo/spec.
#ifndef DRUMLIN_STABLEHLO_BASE
#define DRUMLIN_STABLEHLO_BASE

include "drumlin/ir/indexing/IndexingInterface.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/OpBase.td"
include "mlir/IR/TensorEncoding.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Stablehlo_Dialect : Dialect {
  let name = "stablehlo";
  let cppNamespace = "::drumlin::stablehlo";
  let summary = "operations of machine-learning programs on tensors";
  let useDefaultTypePrinterParser = 1;
  let hasConstantMaterializer = 1;
  let dependentDialects = ["::mlir::quant::QuantDialect"];
  let extraClassDeclaration = [{
    // Each family registers its own operations, so that a change to a family recompiles only this
    // family.
    void addElementwiseOperations();
    void addConstantOperations();
    void addDotOperations();
    void addConvolutionOperations();
    void addReduceOperations();
    void addWindowOperations();
    void addShapeOperations();
    void addGatherOperations();
    void addControlOperations();
    void addSortOperations();
    void addDynamicOperations();
    void addLinearAlgebraOperations();
    void addBatchNormOperations();
    void addRandomOperations();
    void addQuantizeOperations();
    void addLegacyOperations();
    void addCollectiveOperations();
    void addCommunicationOperations();
    void addCallOperations();
    void registerTypes();
    void registerAttributes();

    ::mlir::Attribute parseAttribute(::mlir::DialectAsmParser &parser,
                                     ::mlir::Type type) const override;
    void printAttribute(::mlir::Attribute attribute,
                        ::mlir::DialectAsmPrinter &printer) const override;
  }];
}

//===-- tensor types --------------------------------------------------------------------------===//

// A ranked tensor with an element type of one of the kinds (`kinds` in StablehloTypes.h). Its
// dimensions may be known only at run time.
class Stablehlo_IsTensorOf<list<string> kinds>
    : CPred<"::drumlin::stablehlo::isTensorOf($_self, "#!interleave(
          !foreach(kind, kinds, "::drumlin::stablehlo::kinds::"#kind), " | ")#")">;
class Stablehlo_TensorOf<list<string> kinds, string description>
    : Type<Stablehlo_IsTensorOf<kinds>, description, "::mlir::RankedTensorType">;
class Stablehlo_RankedTensorOf<list<string> kinds, int rank, string description>
    : Type<And<[Stablehlo_IsTensorOf<kinds>,
                CPred<"::llvm::cast<::mlir::RankedTensorType>($_self).getRank() == "#rank>]>,
           rank#"-dimensional "#description, "::mlir::RankedTensorType">;
class Stablehlo_ScalarOf<list<string> kinds, string description>
    : Stablehlo_RankedTensorOf<kinds, 0, description>;

// The types in the specification's tables of inputs. Most operations accept elements that are
// quantized per tensor. Some also accept elements that are quantized per axis, and a few accept no
// quantized elements.
def Stablehlo_Tensor
    : Stablehlo_TensorOf<["Any", "Quantized"], "tensor or per-tensor quantized tensor">;
def Stablehlo_TensorOrQuantized
    : Stablehlo_TensorOf<["Any", "Quantized", "QuantizedPerAxis"], "tensor or quantized tensor">;
def Stablehlo_PlainTensor : Stablehlo_TensorOf<["Any"], "tensor without quantization">;
def Stablehlo_QuantizedTensor
    : Stablehlo_TensorOf<["Quantized", "QuantizedPerAxis"], "quantized tensor">;
def Stablehlo_FpOrAnyQuantizedTensor
    : Stablehlo_TensorOf<["Float", "Quantized", "QuantizedPerAxis"],
                         "tensor of floating-point numbers or quantized tensor">;
def Stablehlo_PredTensor : Stablehlo_TensorOf<["Boolean"], "tensor of booleans">;
def Stablehlo_IntTensor : Stablehlo_TensorOf<["Integer"], "tensor of integers">;
def Stablehlo_PredOrIntTensor
    : Stablehlo_TensorOf<["Boolean", "Integer"], "tensor of booleans or integers">;
def Stablehlo_FpTensor
    : Stablehlo_TensorOf<["Float", "Quantized"],
                         "tensor of floating-point numbers or per-tensor quantized tensor">;
def Stablehlo_PlainFpTensor : Stablehlo_TensorOf<["Float"], "tensor of floating-point numbers">;
def Stablehlo_FpVector
    : Stablehlo_RankedTensorOf<["Float", "Quantized"], 1,
                               "tensor of floating-point numbers or per-tensor quantized tensor">;
def Stablehlo_FpOrComplexTensor
    : Stablehlo_TensorOf<["Float", "Complex", "Quantized"],
                         "tensor of floating-point or complex numbers or per-tensor quantized tensor">;
def Stablehlo_PlainFpOrComplexTensor
    : Stablehlo_TensorOf<["Float", "Complex"], "tensor of floating-point or complex numbers">;
def Stablehlo_ComplexTensor : Stablehlo_TensorOf<["Complex"], "tensor of complex numbers">;
def Stablehlo_SignedFpOrComplexTensor
    : Stablehlo_TensorOf<["Signed", "Float", "Complex", "Quantized"],
                         "tensor of signed integers, floating-point or complex numbers or "
                         "per-tensor quantized tensor">;
def Stablehlo_NumericTensor
    : Stablehlo_TensorOf<["Integer", "Float", "Complex", "Quantized"],
                         "tensor of integers, floating-point or complex numbers or per-tensor "
                         "quantized tensor">;
def Stablehlo_PlainNumericTensor
    : Stablehlo_TensorOf<["Integer", "Float", "Complex"],
                         "tensor of integers, floating-point or complex numbers">;
def Stablehlo_SignedOrFpTensor
    : Stablehlo_TensorOf<["Signed", "Float", "Quantized"],
                         "tensor of signed integers or floating-point numbers or per-tensor "
                         "quantized tensor">;
def Stablehlo_F32OrF64Tensor : Type<And<[Stablehlo_IsTensorOf<["Float"]>,
                                         CPred<"::mlir::getElementTypeOrSelf($_self).isF32() || "
                                               "::mlir::getElementTypeOrSelf($_self).isF64()">]>,
                                    "tensor of f32 or f64", "::mlir::RankedTensorType">;
def Stablehlo_Scalar
    : Stablehlo_ScalarOf<["Any", "Quantized"], "tensor or per-tensor quantized tensor">;
def Stablehlo_PredScalar : Stablehlo_ScalarOf<["Boolean"], "tensor of booleans">;
def Stablehlo_IntScalar : Stablehlo_ScalarOf<["Integer"], "tensor of integers">;
def Stablehlo_FpScalar : Stablehlo_ScalarOf<["Float"], "tensor of floating-point numbers">;
def Stablehlo_I32Scalar
    : Type<And<[Stablehlo_IntScalar.predicate,
                CPred<"::mlir::getElementTypeOrSelf($_self).isSignlessInteger(32)">]>,
           "0-dimensional tensor of i32", "::mlir::RankedTensorType">;
// A shape as a value: a vector of integers or, from the dialects of shape computations, of `index`.
def Stablehlo_DimensionTensor
    : Type<CPred<"::drumlin::stablehlo::isDimensionTensor($_self)">,
           "1-dimensional tensor of integers or index values", "::mlir::RankedTensorType">;

//===-- enums ---------------------------------------------------------------------------------===//

class Stablehlo_Enum<string name, string summary, list<I32EnumAttrCase> cases>
    : I32EnumAttr<name, summary, cases> {
  let cppNamespace = "::drumlin::stablehlo";
  let genSpecializedAttr = 0;
}

def Stablehlo_Precision
    : Stablehlo_Enum<"Precision", "precision of one operand of a dot or convolution",
                     [I32EnumAttrCase<"DEFAULT", 0>, I32EnumAttrCase<"HIGH", 1>,
                      I32EnumAttrCase<"HIGHEST", 2>]>;
def Stablehlo_PrecisionAttr : EnumAttr<Stablehlo_Dialect, Stablehlo_Precision, "precision">;
def Stablehlo_PrecisionConfigAttr
    : TypedArrayAttrBase<Stablehlo_PrecisionAttr, "one precision for each operand">;

def Stablehlo_ComparisonDirection
    : Stablehlo_Enum<"ComparisonDirection", "which comparison",
                     [I32EnumAttrCase<"EQ", 0>, I32EnumAttrCase<"NE", 1>, I32EnumAttrCase<"GE", 2>,
                      I32EnumAttrCase<"GT", 3>, I32EnumAttrCase<"LE", 4>,
                      I32EnumAttrCase<"LT", 5>]>;
def Stablehlo_ComparisonDirectionAttr
    : EnumAttr<Stablehlo_Dialect, Stablehlo_ComparisonDirection, "comparison_direction">;

def Stablehlo_ComparisonType
    : Stablehlo_Enum<"ComparisonType", "how elements are compared",
                     [I32EnumAttrCase<"NOTYPE", 0>, I32EnumAttrCase<"FLOAT", 1>,
                      I32EnumAttrCase<"TOTALORDER", 2>, I32EnumAttrCase<"SIGNED", 3>,
                      I32EnumAttrCase<"UNSIGNED", 4>]>;
def Stablehlo_ComparisonTypeAttr
    : EnumAttr<Stablehlo_Dialect, Stablehlo_ComparisonType, "comparison_type">;

def Stablehlo_ResultAccuracyMode
    : Stablehlo_Enum<"ResultAccuracyMode", "the required accuracy of a result",
                     [I32EnumAttrCase<"DEFAULT", 0>, I32EnumAttrCase<"HIGHEST", 1>,
                      I32EnumAttrCase<"TOLERANCE", 2>]>;
def Stablehlo_ResultAccuracyModeAttr
    : EnumAttr<Stablehlo_Dialect, Stablehlo_ResultAccuracyMode, "result_accuracy_mode"> {
  let assemblyFormat = "`<` $value `>`";
}

def Stablehlo_FftType
    : Stablehlo_Enum<"FftType", "the kind of Fourier transform",
                     [I32EnumAttrCase<"FFT", 0>, I32EnumAttrCase<"IFFT", 1>,
                      I32EnumAttrCase<"RFFT", 2>, I32EnumAttrCase<"IRFFT", 3>]>;
def Stablehlo_FftTypeAttr : EnumAttr<Stablehlo_Dialect, Stablehlo_FftType, "fft_type">;

def Stablehlo_Transpose
    : Stablehlo_Enum<"Transpose", "the transposition of a triangular matrix",
                     [I32EnumAttrCase<"TRANSPOSE_INVALID", 0>, I32EnumAttrCase<"NO_TRANSPOSE", 1>,
                      I32EnumAttrCase<"TRANSPOSE", 2>, I32EnumAttrCase<"ADJOINT", 3>]>;
def Stablehlo_TransposeAttr : EnumAttr<Stablehlo_Dialect, Stablehlo_Transpose, "transpose">;

def Stablehlo_RngDistribution
    : Stablehlo_Enum<"RngDistribution", "the distribution of random numbers",
                     [I32EnumAttrCase<"UNIFORM", 1>, I32EnumAttrCase<"NORMAL", 2>]>;
def Stablehlo_RngDistributionAttr
    : EnumAttr<Stablehlo_Dialect, Stablehlo_RngDistribution, "rng_distribution">;

def Stablehlo_RngAlgorithm
    : Stablehlo_Enum<"RngAlgorithm", "the generator of random bits",
                     [I32EnumAttrCase<"DEFAULT", 0>, I32EnumAttrCase<"THREE_FRY", 1>,
                      I32EnumAttrCase<"PHILOX", 2>]>;
def Stablehlo_RngAlgorithmAttr
    : EnumAttr<Stablehlo_Dialect, Stablehlo_RngAlgorithm, "rng_algorithm">;

//===-- attributes ----------------------------------------------------------------------------===//

class Stablehlo_Attr<string name, string attrMnemonic> : AttrDef<Stablehlo_Dialect, name> {
  let mnemonic = attrMnemonic;
}

def Stablehlo_DotDimensionNumbers : Stablehlo_Attr<"DotDimensionNumbers", "dot"> {
  let summary = "which dimensions of a dot's operands are batching and which are contracted";
  let parameters = (ins ArrayRefParameter<"int64_t">:$lhsBatchingDimensions,
      ArrayRefParameter<"int64_t">:$rhsBatchingDimensions,
      ArrayRefParameter<"int64_t">:$lhsContractingDimensions,
      ArrayRefParameter<"int64_t">:$rhsContractingDimensions);
  let hasCustomAssemblyFormat = 1;
}

def Stablehlo_DotAlgorithm : Stablehlo_Attr<"DotAlgorithm", "dot_algorithm"> {
  let summary = "the required arithmetic of a dot";
  let parameters = (ins "::mlir::Type":$lhsPrecisionType, "::mlir::Type":$rhsPrecisionType,
      "::mlir::Type":$accumulationType, "int64_t":$lhsComponentCount, "int64_t":$rhsComponentCount,
      "int64_t":$numPrimitiveOperations, "bool":$allowImpreciseAccumulation);
  let assemblyFormat = [{
    `<` `lhs_precision_type` `=` $lhsPrecisionType `,`
    `rhs_precision_type` `=` $rhsPrecisionType `,`
    `accumulation_type` `=` $accumulationType `,` `lhs_component_count` `=` $lhsComponentCount `,`
    `rhs_component_count` `=` $rhsComponentCount `,`
    `num_primitive_operations` `=` $numPrimitiveOperations `,`
    `allow_imprecise_accumulation` `=` $allowImpreciseAccumulation `>`
  }];
}

def Stablehlo_ConvDimensionNumbers : Stablehlo_Attr<"ConvDimensionNumbers", "conv"> {
  let summary = "the roles of the dimensions of a convolution's input, kernel and output";
  let parameters = (ins "int64_t":$inputBatchDimension, "int64_t":$inputFeatureDimension,
      ArrayRefParameter<"int64_t">:$inputSpatialDimensions, "int64_t":$kernelInputFeatureDimension,
      "int64_t":$kernelOutputFeatureDimension,
      ArrayRefParameter<"int64_t">:$kernelSpatialDimensions, "int64_t":$outputBatchDimension,
      "int64_t":$outputFeatureDimension, ArrayRefParameter<"int64_t">:$outputSpatialDimensions);
  let hasCustomAssemblyFormat = 1;
}

def Stablehlo_GatherDimensionNumbers : Stablehlo_Attr<"GatherDimensionNumbers", "gather"> {
  let summary = "the roles of the dimensions of a gather";
  let parameters = (ins ArrayRefParameter<"int64_t">:$offsetDims,
      ArrayRefParameter<"int64_t">:$collapsedSliceDims,
      ArrayRefParameter<"int64_t">:$operandBatchingDims,
      ArrayRefParameter<"int64_t">:$startIndicesBatchingDims,
      ArrayRefParameter<"int64_t">:$startIndexMap, "int64_t":$indexVectorDim);
  let hasCustomAssemblyFormat = 1;
}

def Stablehlo_ScatterDimensionNumbers : Stablehlo_Attr<"ScatterDimensionNumbers", "scatter"> {
  let summary = "the roles of the dimensions of a scatter";
  let parameters = (ins ArrayRefParameter<"int64_t">:$updateWindowDims,
      ArrayRefParameter<"int64_t">:$insertedWindowDims,
      ArrayRefParameter<"int64_t">:$inputBatchingDims,
      ArrayRefParameter<"int64_t">:$scatterIndicesBatchingDims,
      ArrayRefParameter<"int64_t">:$scatterDimsToOperandDims, "int64_t":$indexVectorDim);
  let hasCustomAssemblyFormat = 1;
}

def Stablehlo_ResultAccuracy : Stablehlo_Attr<"ResultAccuracy", "result_accuracy"> {
  let summary = "the required accuracy of a transcendental operation's result";
  let parameters = (ins APFloatParameter<"absolute tolerance">:$atol,
      APFloatParameter<"relative tolerance">:$rtol, "int64_t":$ulps,
      "::drumlin::stablehlo::ResultAccuracyModeAttr":$mode);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def Stablehlo_TypeExtensions : AttrDef<
        Stablehlo_Dialect, "TypeExtensions",
        [DeclareAttrInterfaceMethods<VerifiableTensorEncoding>]> {
  let mnemonic = "bounds";
  let summary = "the bounds of a tensor's dimensions that are known only at run time; "
                "kDynamic for dimensions without a bound";
  let parameters = (ins ArrayRefParameter<"int64_t">:$bounds);
  let hasCustomAssemblyFormat = 1;
}

//===-- operations ----------------------------------------------------------------------------===//

// Two traits: all operands and results have the same shape, or they have the same type except for
// scales and zero points. Sizes that are known only at run time match any size. Error messages
// contain the types and the specification's label.
def Stablehlo_SameShape : NativeOpTrait<"SameShape"> { let cppNamespace = "::drumlin::stablehlo"; }
def Stablehlo_SameType : NativeOpTrait<"SameType"> { let cppNamespace = "::drumlin::stablehlo"; }

class Stablehlo_Op<string mnemonic, list<Trait> traits = []>
    : Op<Stablehlo_Dialect, mnemonic, traits#[IndexingInterface]>;

// An operation that implements its indexing maps itself (indexing/).
def Stablehlo_OwnIndexing : DeclareOpInterfaceMethods<IndexingInterface, ["indexingOf"]>;
class Stablehlo_IndexedOp<string mnemonic, list<Trait> traits = []>
    : Op<Stablehlo_Dialect, mnemonic, traits#[Stablehlo_OwnIndexing]>;

// An operation with regions. Its effects are the effects of the operations in the regions.
class Stablehlo_RegionOp<string mnemonic, list<Trait> traits = []>
    : Stablehlo_Op<mnemonic, traits#[RecursiveMemoryEffects]>;
class Stablehlo_IndexedRegionOp<string mnemonic, list<Trait> traits = []>
    : Stablehlo_IndexedOp<mnemonic, traits#[RecursiveMemoryEffects]>;

#endif // DRUMLIN_STABLEHLO_BASE
