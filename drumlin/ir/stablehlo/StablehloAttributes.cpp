// The textual forms of the attributes.
#include "drumlin/ir/stablehlo/Assembly.h"
#include "drumlin/ir/stablehlo/StablehloDialect.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

#include "drumlin/ir/stablehlo/StablehloEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "drumlin/ir/stablehlo/StablehloAttributes.cpp.inc"

namespace drumlin::stablehlo {

static ParseResult parseBound(AsmParser &parser, int64_t &bound) {
  if (succeeded(parser.parseOptionalQuestion())) {
    bound = ShapedType::kDynamic;
    return success();
  }
  return parser.parseInteger(bound);
}

void StablehloDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "drumlin/ir/stablehlo/StablehloAttributes.cpp.inc"
      >();
}

// Parses an attribute by its mnemonic. Older programs write bounds as `type_extensions`.
Attribute StablehloDialect::parseAttribute(DialectAsmParser &parser, Type type) const {
  SMLoc loc = parser.getCurrentLocation();
  StringRef mnemonic;
  Attribute attribute;
  OptionalParseResult parsed = generatedAttributeParser(parser, &mnemonic, type, attribute);
  if (parsed.has_value()) {
    return attribute;
  }
  if (mnemonic != "type_extensions") {
    parser.emitError(loc) << "unknown attribute `" << mnemonic << "` in dialect `stablehlo`";
    return {};
  }
  SmallVector<int64_t> bounds;
  if (parser.parseLess() || parser.parseKeyword("bounds") || parser.parseEqual() ||
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Square,
                                     [&] { return parseBound(parser, bounds.emplace_back()); }) ||
      parser.parseGreater()) {
    return {};
  }
  return TypeExtensionsAttr::get(getContext(), bounds);
}

void StablehloDialect::printAttribute(Attribute attribute, DialectAsmPrinter &printer) const {
  if (failed(generatedAttributePrinter(attribute, printer))) {
    llvm_unreachable("every attribute of the dialect is generated");
  }
}

//===-- bounds --------------------------------------------------------------------------------===//

// Parses `<?, 3>`: a number or `?` for each dimension.
Attribute TypeExtensionsAttr::parse(AsmParser &parser, Type) {
  SmallVector<int64_t> bounds;
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::LessGreater,
                                     [&] { return parseBound(parser, bounds.emplace_back()); })) {
    return {};
  }
  return get(parser.getContext(), bounds);
}

void TypeExtensionsAttr::print(AsmPrinter &printer) const {
  printer << '<';
  llvm::interleaveComma(getBounds(), printer, [&](int64_t bound) {
    if (ShapedType::isDynamic(bound)) {
      printer << '?';
    } else {
      printer << bound;
    }
  });
  printer << '>';
}

LogicalResult TypeExtensionsAttr::verifyEncoding(ArrayRef<int64_t> shape, Type,
                                                 function_ref<InFlightDiagnostic()> emit) const {
  if (getBounds().size() != shape.size()) {
    return emit() << "expects " << shape.size() << " bounds, one for each dimension, got "
                  << getBounds().size();
  }
  for (auto [size, bound] : llvm::zip_equal(shape, getBounds())) {
    if (!ShapedType::isDynamic(bound) && (bound < 0 || !ShapedType::isDynamic(size))) {
      return emit() << "expects bounds of at least 0 for dimensions of unknown size only, got "
                    << bound << " for size " << size;
    }
  }
  return success();
}

//===-- fields --------------------------------------------------------------------------------===//

namespace {
// A field of a structured attribute: a list of dimensions or a single number.
struct Field {
  StringRef name;
  SmallVector<int64_t> *list = nullptr;
  int64_t *number = nullptr;
  bool seen = false;
};
} // namespace

// Parses `name = [..], name = 3>`: fields in any order, each at most once. An omitted field keeps
// its value.
static ParseResult parseFieldsUntilGreater(AsmParser &parser, MutableArrayRef<Field> fields) {
  // Producers write a comma after the last field.
  do {
    if (succeeded(parser.parseOptionalGreater())) {
      return success();
    }
    SMLoc loc = parser.getCurrentLocation();
    StringRef name;
    if (parser.parseKeyword(&name) || parser.parseEqual()) {
      return failure();
    }
    auto field = llvm::find_if(fields, [&](const Field &each) { return each.name == name; });
    if (field == fields.end() || field->seen) {
      return parser.emitError(loc)
             << (field == fields.end() ? "unknown field `" : "field given twice: `") << name << "`";
    }
    field->seen = true;
    if (field->list ? parseNumbers(parser, *field->list) : parser.parseInteger(*field->number)) {
      return failure();
    }
  } while (succeeded(parser.parseOptionalComma()));
  return parser.parseGreater();
}

namespace {
// Prints fields separated by commas, omitting those with the default (no dimension, number 0).
class FieldPrinter {
public:
  explicit FieldPrinter(AsmPrinter &printer) : printer(printer) { printer << '<'; }
  ~FieldPrinter() { printer << '>'; }
  FieldPrinter &list(StringRef name, ArrayRef<int64_t> dimensions) {
    if (!dimensions.empty()) {
      start(name);
      printNumbers(printer, dimensions);
    }
    return *this;
  }
  FieldPrinter &number(StringRef name, int64_t value) {
    if (value != 0) {
      start(name);
      printer << value;
    }
    return *this;
  }

private:
  void start(StringRef name) {
    printer << (first ? "" : ", ") << name << " = ";
    first = false;
  }
  AsmPrinter &printer;
  bool first = true;
};
} // namespace

//===-- dot, gather, scatter ------------------------------------------------------------------===//

Attribute DotDimensionNumbersAttr::parse(AsmParser &parser, Type) {
  SmallVector<int64_t> lhsBatching, rhsBatching, lhsContracting, rhsContracting;
  Field fields[] = {{"lhs_batching_dimensions", &lhsBatching},
                    {"rhs_batching_dimensions", &rhsBatching},
                    {"lhs_contracting_dimensions", &lhsContracting},
                    {"rhs_contracting_dimensions", &rhsContracting}};
  if (parser.parseLess() || parseFieldsUntilGreater(parser, fields)) {
    return {};
  }
  return get(parser.getContext(), lhsBatching, rhsBatching, lhsContracting, rhsContracting);
}

void DotDimensionNumbersAttr::print(AsmPrinter &printer) const {
  FieldPrinter(printer)
      .list("lhs_batching_dimensions", getLhsBatchingDimensions())
      .list("rhs_batching_dimensions", getRhsBatchingDimensions())
      .list("lhs_contracting_dimensions", getLhsContractingDimensions())
      .list("rhs_contracting_dimensions", getRhsContractingDimensions());
}

Attribute GatherDimensionNumbersAttr::parse(AsmParser &parser, Type) {
  SmallVector<int64_t> offset, collapsed, operandBatching, indicesBatching, indexMap;
  int64_t indexVectorDim = 0;
  Field fields[] = {{"offset_dims", &offset},
                    {"collapsed_slice_dims", &collapsed},
                    {"operand_batching_dims", &operandBatching},
                    {"start_indices_batching_dims", &indicesBatching},
                    {"start_index_map", &indexMap},
                    {"index_vector_dim", nullptr, &indexVectorDim}};
  if (parser.parseLess() || parseFieldsUntilGreater(parser, fields)) {
    return {};
  }
  return get(parser.getContext(), offset, collapsed, operandBatching, indicesBatching, indexMap,
             indexVectorDim);
}

void GatherDimensionNumbersAttr::print(AsmPrinter &printer) const {
  FieldPrinter(printer)
      .list("offset_dims", getOffsetDims())
      .list("collapsed_slice_dims", getCollapsedSliceDims())
      .list("operand_batching_dims", getOperandBatchingDims())
      .list("start_indices_batching_dims", getStartIndicesBatchingDims())
      .list("start_index_map", getStartIndexMap())
      .number("index_vector_dim", getIndexVectorDim());
}

Attribute ScatterDimensionNumbersAttr::parse(AsmParser &parser, Type) {
  SmallVector<int64_t> window, inserted, inputBatching, indicesBatching, toOperand;
  int64_t indexVectorDim = 0;
  Field fields[] = {{"update_window_dims", &window},
                    {"inserted_window_dims", &inserted},
                    {"input_batching_dims", &inputBatching},
                    {"scatter_indices_batching_dims", &indicesBatching},
                    {"scatter_dims_to_operand_dims", &toOperand},
                    {"index_vector_dim", nullptr, &indexVectorDim}};
  if (parser.parseLess() || parseFieldsUntilGreater(parser, fields)) {
    return {};
  }
  return get(parser.getContext(), window, inserted, inputBatching, indicesBatching, toOperand,
             indexVectorDim);
}

void ScatterDimensionNumbersAttr::print(AsmPrinter &printer) const {
  FieldPrinter(printer)
      .list("update_window_dims", getUpdateWindowDims())
      .list("inserted_window_dims", getInsertedWindowDims())
      .list("input_batching_dims", getInputBatchingDims())
      .list("scatter_indices_batching_dims", getScatterIndicesBatchingDims())
      .list("scatter_dims_to_operand_dims", getScatterDimsToOperandDims())
      .number("index_vector_dim", getIndexVectorDim());
}

//===-- convolution ---------------------------------------------------------------------------===//

// Parses `<[b, 0, f]x[0, i, o]->[b, 0, f]>`, or `<raw …>`, which lists every dimension number by
// name and can also represent invalid dimension numbers.
Attribute ConvDimensionNumbersAttr::parse(AsmParser &parser, Type) {
  if (parser.parseLess()) {
    return {};
  }
  if (failed(parser.parseOptionalKeyword("raw"))) {
    ConvDimensionNumbersAttr numbers;
    if (parseConvolutionDimensionNumbers(parser, numbers) || parser.parseGreater()) {
      return {};
    }
    return numbers;
  }
  int64_t inputBatch = 0, inputFeature = 0, kernelInput = 0, kernelOutput = 0, outputBatch = 0,
          outputFeature = 0;
  SmallVector<int64_t> input, kernel, output;
  Field fields[] = {{"input_batch_dimension", nullptr, &inputBatch},
                    {"input_feature_dimension", nullptr, &inputFeature},
                    {"input_spatial_dimensions", &input},
                    {"kernel_input_feature_dimension", nullptr, &kernelInput},
                    {"kernel_output_feature_dimension", nullptr, &kernelOutput},
                    {"kernel_spatial_dimensions", &kernel},
                    {"output_batch_dimension", nullptr, &outputBatch},
                    {"output_feature_dimension", nullptr, &outputFeature},
                    {"output_spatial_dimensions", &output}};
  if (parseFieldsUntilGreater(parser, fields)) {
    return {};
  }
  return get(parser.getContext(), inputBatch, inputFeature, input, kernelInput, kernelOutput,
             kernel, outputBatch, outputFeature, output);
}

void ConvDimensionNumbersAttr::print(AsmPrinter &printer) const {
  if (hasConvolutionShorthand(*this)) {
    printer << '<';
    printConvolutionDimensionNumbers(printer, *this);
    printer << '>';
    return;
  }
  printer << "<raw input_batch_dimension = " << getInputBatchDimension()
          << ", input_feature_dimension = " << getInputFeatureDimension()
          << ", input_spatial_dimensions = ";
  printNumbers(printer, getInputSpatialDimensions());
  printer << ", kernel_input_feature_dimension = " << getKernelInputFeatureDimension()
          << ", kernel_output_feature_dimension = " << getKernelOutputFeatureDimension()
          << ", kernel_spatial_dimensions = ";
  printNumbers(printer, getKernelSpatialDimensions());
  printer << ", output_batch_dimension = " << getOutputBatchDimension()
          << ", output_feature_dimension = " << getOutputFeatureDimension()
          << ", output_spatial_dimensions = ";
  printNumbers(printer, getOutputSpatialDimensions());
  printer << '>';
}

//===-- result accuracy -----------------------------------------------------------------------===//

// Parses `<atol = 1.0e-5, rtol = 0.0, ulps = 2, mode =
// #stablehlo.result_accuracy_mode<TOLERANCE>>`; zeros may be omitted.
Attribute ResultAccuracyAttr::parse(AsmParser &parser, Type) {
  SMLoc begin = parser.getCurrentLocation();
  double atol = 0, rtol = 0;
  int64_t ulps = 0;
  ResultAccuracyModeAttr mode;
  auto parseTolerance = [&](StringRef name, double &value) -> ParseResult {
    if (failed(parser.parseOptionalKeyword(name))) {
      return success();
    }
    return failure(parser.parseEqual() || parser.parseFloat(value) || parser.parseComma());
  };
  if (parser.parseLess() || parseTolerance("atol", atol) || parseTolerance("rtol", rtol)) {
    return {};
  }
  if (succeeded(parser.parseOptionalKeyword("ulps"))) {
    if (parser.parseEqual() || parser.parseInteger(ulps) || parser.parseComma()) {
      return {};
    }
  }
  if (parser.parseKeyword("mode") || parser.parseEqual() || parser.parseAttribute(mode) ||
      parser.parseGreater()) {
    return {};
  }
  return getChecked([&] { return parser.emitError(begin); }, parser.getContext(), APFloat(atol),
                    APFloat(rtol), ulps, mode);
}

LogicalResult ResultAccuracyAttr::verify(function_ref<InFlightDiagnostic()> emit, APFloat atol,
                                         APFloat rtol, int64_t ulps, ResultAccuracyModeAttr mode) {
  if (atol.isNegative() || rtol.isNegative() || ulps < 0) {
    return emit() << "expects tolerances of at least 0";
  }
  bool isZero = atol.isZero() && rtol.isZero() && ulps == 0;
  if (mode.getValue() != ResultAccuracyMode::TOLERANCE && !isZero) {
    return emit() << "expects no tolerances in mode "
                  << stringifyResultAccuracyMode(mode.getValue());
  }
  return success();
}

void ResultAccuracyAttr::print(AsmPrinter &printer) const {
  printer << '<';
  auto tolerance = [&](StringRef name, const APFloat &value) {
    if (!value.isZero()) {
      printer << name << " = ";
      printer.printFloat(value);
      printer << ", ";
    }
  };
  tolerance("atol", getAtol());
  tolerance("rtol", getRtol());
  if (getUlps() != 0) {
    printer << "ulps = " << getUlps() << ", ";
  }
  printer << "mode = " << getMode() << '>';
}

} // namespace drumlin::stablehlo
