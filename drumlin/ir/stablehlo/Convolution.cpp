// The textual form, verifier and accessors of convolution.
#include "drumlin/ir/stablehlo/Assembly.h"
#include "drumlin/ir/stablehlo/Constraints.h"
#include "drumlin/ir/stablehlo/ConvolutionOps.h"

using namespace mlir;

namespace drumlin::stablehlo {

//===-- textual form --------------------------------------------------------------------------===//

static ParseResult parseConvolutionDimensions(OpAsmParser &parser,
                                              ConvDimensionNumbersAttr &numbers) {
  if (succeeded(parser.parseOptionalKeyword("raw"))) {
    return parser.emitError(parser.getCurrentLocation())
           << "`raw` numbers are allowed only in the attribute's own form";
  }
  return parseConvolutionDimensionNumbers(parser, numbers);
}

static void printConvolutionDimensions(OpAsmPrinter &printer, Operation *,
                                       ConvDimensionNumbersAttr numbers) {
  if (hasConvolutionShorthand(numbers)) {
    printConvolutionDimensionNumbers(printer, numbers);
    return;
  }
  // Only invalid operations are printed in this form, in their own error messages.
  printer << numbers;
}

// Parses `[[0, 1], [0, 1]]`.
static ParseResult parsePadding(OpAsmParser &parser, DenseIntElementsAttr &padding) {
  SmallVector<int64_t> values;
  int64_t pairs = 0;
  auto parsePair = [&]() -> ParseResult {
    ++pairs;
    return failure(parser.parseLSquare() || parser.parseInteger(values.emplace_back()) ||
                   parser.parseComma() || parser.parseInteger(values.emplace_back()) ||
                   parser.parseRSquare());
  };
  if (parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Square, parsePair)) {
    return failure();
  }
  auto type = RankedTensorType::get({pairs, 2}, parser.getBuilder().getI64Type());
  padding = DenseIntElementsAttr::get(type, values);
  return success();
}

// Parses `[false, true]`, which older printers wrote as `[0, 1]`.
static ParseResult parseReversal(OpAsmParser &parser, DenseBoolArrayAttr &reversal) {
  SmallVector<bool> values;
  auto parseFlag = [&]() -> ParseResult {
    // Keywords are tried first, because the integer parser would accept them, too.
    if (succeeded(parser.parseOptionalKeyword("true"))) {
      values.push_back(true);
      return success();
    }
    if (succeeded(parser.parseOptionalKeyword("false"))) {
      values.push_back(false);
      return success();
    }
    SMLoc loc = parser.getCurrentLocation();
    int64_t number = 0;
    OptionalParseResult isNumber = parser.parseOptionalInteger(number);
    if (!isNumber.has_value() || failed(*isNumber) || number < 0 || number > 1) {
      return parser.emitError(loc, "expected `true`, `false`, 1 or 0");
    }
    values.push_back(number == 1);
    return success();
  };
  if (parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Square, parseFlag)) {
    return failure();
  }
  reversal = parser.getBuilder().getDenseBoolArrayAttr(values);
  return success();
}

// Parses `stride = [..], pad = [[..]], lhs_dilate = [..], rhs_dilate = [..], reverse = [..]`, each
// at most once, in any order.
static ParseResult parseWindowAttributes(OpAsmParser &parser, DenseI64ArrayAttr &strides,
                                         DenseIntElementsAttr &padding,
                                         DenseI64ArrayAttr &lhsDilation,
                                         DenseI64ArrayAttr &rhsDilation,
                                         DenseBoolArrayAttr &reversal) {
  auto parseList = [&](DenseI64ArrayAttr &attribute) -> ParseResult {
    SmallVector<int64_t> values;
    if (parseNumbers(parser, values)) {
      return failure();
    }
    attribute = parser.getBuilder().getDenseI64ArrayAttr(values);
    return success();
  };
  do {
    SMLoc loc = parser.getCurrentLocation();
    StringRef name;
    if (failed(parser.parseOptionalKeyword(&name))) {
      return success();
    }
    if (parser.parseEqual()) {
      return failure();
    }
    ParseResult parsed = failure();
    if (name == "stride" && !strides) {
      parsed = parseList(strides);
    } else if (name == "pad" && !padding) {
      parsed = parsePadding(parser, padding);
    } else if (name == "lhs_dilate" && !lhsDilation) {
      parsed = parseList(lhsDilation);
    } else if (name == "rhs_dilate" && !rhsDilation) {
      parsed = parseList(rhsDilation);
    } else if (name == "reverse" && !reversal) {
      parsed = parseReversal(parser, reversal);
    } else {
      return parser.emitError(loc)
             << "expected stride, pad, lhs_dilate, rhs_dilate or reverse, each once; got `" << name
             << "`";
    }
    if (failed(parsed)) {
      return failure();
    }
  } while (succeeded(parser.parseOptionalComma()));
  return success();
}

static void printWindowAttributes(OpAsmPrinter &printer, Operation *, DenseI64ArrayAttr strides,
                                  DenseIntElementsAttr padding, DenseI64ArrayAttr lhsDilation,
                                  DenseI64ArrayAttr rhsDilation, DenseBoolArrayAttr reversal) {
  StringRef separator = "";
  auto start = [&](StringRef name) {
    printer << separator << name << " = ";
    separator = ", ";
  };
  auto printList = [&](StringRef name, DenseI64ArrayAttr attribute) {
    if (attribute) {
      start(name);
      printNumbers(printer, attribute.asArrayRef());
    }
  };
  printList("stride", strides);
  if (padding) {
    start("pad");
    auto values = llvm::to_vector(padding.getValues<int64_t>());
    printer << '[';
    llvm::interleaveComma(llvm::seq<size_t>(0, values.size() / 2), printer, [&](size_t i) {
      printNumbers(printer, ArrayRef(values).slice(2 * i, 2));
    });
    printer << ']';
  }
  printList("lhs_dilate", lhsDilation);
  printList("rhs_dilate", rhsDilation);
  if (reversal) {
    start("reverse");
    printer << '[';
    llvm::interleaveComma(reversal.asArrayRef(), printer,
                          [&](bool flag) { printer << (flag ? "true" : "false"); });
    printer << ']';
  }
}

} // namespace drumlin::stablehlo

#define GET_OP_CLASSES
#include "drumlin/ir/stablehlo/Convolution.cpp.inc"

namespace drumlin::stablehlo {

void StablehloDialect::addConvolutionOperations() {
  addOperations<
#define GET_OP_LIST
#include "drumlin/ir/stablehlo/Convolution.cpp.inc"
      >();
}

//===-- accessors -----------------------------------------------------------------------------===//

template <typename Op> static size_t spatialRank(Op op) {
  return op.getDimensionNumbers().getInputSpatialDimensions().size();
}

template <typename Op> static SmallVector<bool> reversalOrDefault(Op op) {
  std::optional<ArrayRef<bool>> reversal = op.getWindowReversal();
  bool isGiven = reversal && !reversal->empty();
  return isGiven ? SmallVector<bool>(*reversal) : SmallVector<bool>(spatialRank(op), false);
}

SmallVector<int64_t> ConvolutionOp::windowStridesOrDefault() {
  return numbersOr(getWindowStrides(), spatialRank(*this), 1);
}
SmallVector<int64_t> ConvolutionOp::lhsDilationOrDefault() {
  return numbersOr(getLhsDilation(), spatialRank(*this), 1);
}
SmallVector<int64_t> ConvolutionOp::rhsDilationOrDefault() {
  return numbersOr(getRhsDilation(), spatialRank(*this), 1);
}
SmallVector<std::pair<int64_t, int64_t>> ConvolutionOp::paddingOrDefault() {
  return *paddingPairs(getPadding(), spatialRank(*this));
}
SmallVector<bool> ConvolutionOp::windowReversalOrDefault() { return reversalOrDefault(*this); }
Precision ConvolutionOp::precisionOrDefault(unsigned operand) {
  return stablehlo::precisionOrDefault(getPrecisionConfig(), operand);
}

SmallVector<int64_t> DynamicConvOp::windowStridesOrDefault() {
  return numbersOr(getWindowStrides(), spatialRank(*this), 1);
}
SmallVector<int64_t> DynamicConvOp::lhsDilationOrDefault() {
  return numbersOr(getLhsDilation(), spatialRank(*this), 1);
}
SmallVector<int64_t> DynamicConvOp::rhsDilationOrDefault() {
  return numbersOr(getRhsDilation(), spatialRank(*this), 1);
}
SmallVector<bool> DynamicConvOp::windowReversalOrDefault() { return reversalOrDefault(*this); }

std::optional<SmallVector<std::pair<int64_t, int64_t>>> DynamicConvOp::knownPadding() {
  std::optional<SmallVector<int64_t>> numbers = constantIntegers(getPadding());
  if (!numbers) {
    return std::nullopt;
  }
  SmallVector<std::pair<int64_t, int64_t>> pairs;
  for (size_t i = 0; i + 1 < numbers->size(); i += 2) {
    pairs.push_back({(*numbers)[i], (*numbers)[i + 1]});
  }
  return pairs;
}

//===-- verifier ------------------------------------------------------------------------------===//

// Returns a label such as convolution_c1 or dynamic_conv_c1; both operations' constraints have the
// same numbers.
template <typename Op> static std::string labelOf(Op op, int number) {
  return (op->getName().stripDialect() + "_c" + Twine(number)).str();
}

// Checks the dimensions of one of the three tensors: the expected number of spatial dimensions, all
// distinct and in range.
static LogicalResult checkRoles(EmitError emit, StringRef sizeLabel, StringRef rolesLabel,
                                StringRef name, int64_t first, int64_t second,
                                ArrayRef<int64_t> spatial, int64_t rank) {
  if (failed(checkSize(emit, sizeLabel, (name + " spatial dimensions").str(), spatial.size(),
                       rank - 2))) {
    return failure();
  }
  SmallVector<int64_t> all(spatial);
  all.push_back(first);
  all.push_back(second);
  std::string dimensions = (name + " dimensions").str();
  return success(succeeded(checkUnique(emit, rolesLabel, dimensions, all)) &&
                 succeeded(checkInRange(emit, rolesLabel, dimensions, all, rank)));
}

// convolution_c12, convolution_c13, convolution_c17, convolution_c18, convolution_c19,
// convolution_c20
template <typename Op> static LogicalResult checkAllRoles(Op op, int64_t rank) {
  auto emit = [&] { return op.emitOpError(); };
  ConvDimensionNumbersAttr numbers = op.getDimensionNumbers();
  return success(
      succeeded(checkRoles(emit, labelOf(op, 12), labelOf(op, 13), "input",
                           numbers.getInputBatchDimension(), numbers.getInputFeatureDimension(),
                           numbers.getInputSpatialDimensions(), rank)) &&
      succeeded(checkRoles(emit, labelOf(op, 17), labelOf(op, 18), "kernel",
                           numbers.getKernelInputFeatureDimension(),
                           numbers.getKernelOutputFeatureDimension(),
                           numbers.getKernelSpatialDimensions(), rank)) &&
      succeeded(checkRoles(emit, labelOf(op, 19), labelOf(op, 20), "output",
                           numbers.getOutputBatchDimension(), numbers.getOutputFeatureDimension(),
                           numbers.getOutputSpatialDimensions(), rank)));
}

// convolution_c4
static LogicalResult checkPadding(ConvolutionOp op, size_t n) {
  if (failed(paddingPairs(op.getPadding(), n))) {
    return op.emitOpError() << "expects padding of shape " << str({static_cast<int64_t>(n), 2})
                            << ", got " << str(op.getPadding()->getType().getShape())
                            << " (convolution_c4)";
  }
  return success();
}

// dynamic_conv_c4
static LogicalResult checkPadding(DynamicConvOp op, size_t n) {
  return checkShape([&] { return op.emitOpError(); }, "dynamic_conv_c4", "padding",
                    op.getPadding().getType().getShape(), {static_cast<int64_t>(n), 2});
}

template <typename Op> static LogicalResult checkWindow(Op op, int64_t rank) {
  auto emit = [&] { return op.emitOpError(); };
  size_t n = rank - 2;
  SmallVector<int64_t> strides = numbersOr(op.getWindowStrides(), n, 1);
  SmallVector<int64_t> lhsDilation = numbersOr(op.getLhsDilation(), n, 1);
  SmallVector<int64_t> rhsDilation = numbersOr(op.getRhsDilation(), n, 1);
  // convolution_c2, convolution_c3
  if (failed(checkSize(emit, labelOf(op, 2), "window strides", strides.size(), n)) ||
      failed(checkAtLeast(emit, labelOf(op, 3), "window strides", strides, 1)) ||
      failed(checkPadding(op, n))) {
    return failure();
  }
  // convolution_c5, convolution_c6, convolution_c7, convolution_c8
  if (failed(checkSize(emit, labelOf(op, 5), "lhs dilations", lhsDilation.size(), n)) ||
      failed(checkAtLeast(emit, labelOf(op, 6), "lhs dilations", lhsDilation, 1)) ||
      failed(checkSize(emit, labelOf(op, 7), "rhs dilations", rhsDilation.size(), n)) ||
      failed(checkAtLeast(emit, labelOf(op, 8), "rhs dilations", rhsDilation, 1))) {
    return failure();
  }
  // convolution_c9
  std::optional<ArrayRef<bool>> reversal = op.getWindowReversal();
  bool isGiven = reversal && !reversal->empty();
  return checkSize(emit, labelOf(op, 9), "window reversals", isGiven ? reversal->size() : n, n);
}

// Checks a % b = 0; sizes that are known only at run time pass.
static LogicalResult checkMultiple(EmitError emit, StringRef label, StringRef name, int64_t value,
                                   StringRef divisorName, int64_t divisor) {
  if (!isDynamic(value) && value % divisor != 0) {
    return emit() << "expects " << name << " to be a multiple of " << divisorName << " " << divisor
                  << ", got " << value << " (" << label << ")";
  }
  return success();
}

template <typename Op> static LogicalResult checkGroups(Op op) {
  auto emit = [&] { return op.emitOpError(); };
  ConvDimensionNumbersAttr numbers = op.getDimensionNumbers();
  int64_t featureGroups = op.getFeatureGroupCount(), batchGroups = op.getBatchGroupCount();
  ArrayRef<int64_t> lhs = shapeOf(op.getLhs()), rhs = shapeOf(op.getRhs());
  int64_t inputFeatures = lhs[numbers.getInputFeatureDimension()];
  int64_t outputFeatures = rhs[numbers.getKernelOutputFeatureDimension()];
  // convolution_c21, convolution_c22
  if (failed(checkAtLeast(emit, labelOf(op, 21), "feature_group_count", featureGroups, 1)) ||
      failed(checkAtLeast(emit, labelOf(op, 22), "batch_group_count", batchGroups, 1))) {
    return failure();
  }
  // convolution_c23
  if (featureGroups != 1 && batchGroups != 1) {
    return emit() << "expects feature_group_count or batch_group_count of 1, got " << featureGroups
                  << " and " << batchGroups << " (" << labelOf(op, 23) << ")";
  }
  // convolution_c10, convolution_c11
  if (failed(checkMultiple(emit, labelOf(op, 10), "the input batch size",
                           lhs[numbers.getInputBatchDimension()], "batch_group_count",
                           batchGroups)) ||
      failed(checkMultiple(emit, labelOf(op, 11), "the input feature size", inputFeatures,
                           "feature_group_count", featureGroups))) {
    return failure();
  }
  // convolution_c14
  int64_t kernelInputs = rhs[numbers.getKernelInputFeatureDimension()];
  if (!isDynamic(kernelInputs) && !isDynamic(inputFeatures) &&
      kernelInputs != inputFeatures / featureGroups) {
    return emit() << "expects the kernel's input feature size to be "
                  << inputFeatures / featureGroups
                  << " (input features / feature_group_count), got " << kernelInputs << " ("
                  << labelOf(op, 14) << ")";
  }
  // convolution_c15, convolution_c16
  return success(succeeded(checkMultiple(emit, labelOf(op, 15), "the kernel's output feature size",
                                         outputFeatures, "batch_group_count", batchGroups)) &&
                 succeeded(checkMultiple(emit, labelOf(op, 16), "the kernel's output feature size",
                                         outputFeatures, "feature_group_count", featureGroups)));
}

static std::optional<SmallVector<std::pair<int64_t, int64_t>>> knownPadding(ConvolutionOp op) {
  return op.paddingOrDefault();
}
static std::optional<SmallVector<std::pair<int64_t, int64_t>>> knownPadding(DynamicConvOp op) {
  return op.knownPadding();
}

// Returns the size of each result dimension by convolution_c25; kDynamic if a size or the padding
// is known only at run time.
template <typename Op> static FailureOr<SmallVector<int64_t>> resultShape(Op op) {
  ConvDimensionNumbersAttr numbers = op.getDimensionNumbers();
  ArrayRef<int64_t> lhs = shapeOf(op.getLhs()), rhs = shapeOf(op.getRhs());
  SmallVector<int64_t> strides = op.windowStridesOrDefault();
  SmallVector<int64_t> lhsDilation = op.lhsDilationOrDefault(),
                       rhsDilation = op.rhsDilationOrDefault();
  std::optional<SmallVector<std::pair<int64_t, int64_t>>> padding = knownPadding(op);
  SmallVector<int64_t> shape(lhs.size(), ShapedType::kDynamic);
  int64_t batch = lhs[numbers.getInputBatchDimension()];
  shape[numbers.getOutputBatchDimension()] =
      isDynamic(batch) ? batch : batch / static_cast<int64_t>(op.getBatchGroupCount());
  shape[numbers.getOutputFeatureDimension()] = rhs[numbers.getKernelOutputFeatureDimension()];
  for (size_t i = 0; padding && i < strides.size(); ++i) {
    WindowDimension window{rhs[numbers.getKernelSpatialDimensions()[i]],
                           strides[i],
                           (*padding)[i].first,
                           (*padding)[i].second,
                           lhsDilation[i],
                           rhsDilation[i]};
    std::optional<int64_t> count = windowCount(lhs[numbers.getInputSpatialDimensions()[i]], window);
    if (!count) {
      return op.emitOpError() << "has a window over spatial dimension " << i
                              << " whose size overflows 64 bits (" << labelOf(op, 25) << ")";
    }
    shape[numbers.getOutputSpatialDimensions()[i]] = *count;
  }
  return shape;
}

// convolution_c29, convolution_c30: values quantized per axis are quantized along the output
// features.
template <typename Op> static LogicalResult checkQuantizedDimensions(Op op) {
  ConvDimensionNumbersAttr numbers = op.getDimensionNumbers();
  auto check = [&](Type type, StringRef name, int64_t expected, int label) -> LogicalResult {
    auto perAxis = dyn_cast<quant::UniformQuantizedPerAxisType>(getElementTypeOrSelf(type));
    if (perAxis && perAxis.getQuantizedDimension() != expected) {
      return op.emitOpError() << "expects the quantized dimension of " << name << " to be "
                              << expected << ", its output features, got "
                              << perAxis.getQuantizedDimension() << " (" << labelOf(op, label)
                              << ")";
    }
    return success();
  };
  return success(
      succeeded(
          check(op.getRhs().getType(), "rhs", numbers.getKernelOutputFeatureDimension(), 29)) &&
      succeeded(check(op.getType(), "the result", numbers.getOutputFeatureDimension(), 30)));
}

template <typename Op> static LogicalResult verifyConvolution(Op op) {
  auto emit = [&] { return op.emitOpError(); };
  int64_t rank = op.getLhs().getType().getRank();
  // convolution_c1, convolution_c26
  if (op.getRhs().getType().getRank() != rank || op.getType().getRank() != rank || rank < 2) {
    return emit() << "expects lhs, rhs and result of one rank of at least 2, got " << rank << ", "
                  << op.getRhs().getType().getRank() << " and " << op.getType().getRank() << " ("
                  << labelOf(op, 1) << ", " << labelOf(op, 26) << ")";
  }
  // convolution_c24
  if (failed(checkAllRoles(op, rank)) || failed(checkWindow(op, rank)) || failed(checkGroups(op)) ||
      failed(checkPrecisionConfig(emit, labelOf(op, 24), op.getPrecisionConfig()))) {
    return failure();
  }
  FailureOr<SmallVector<int64_t>> expected = resultShape(op);
  if (failed(expected) ||
      failed(checkShape(emit, labelOf(op, 25), "the result", op.getType().getShape(), *expected))) {
    return failure();
  }
  // convolution_c27, convolution_c28, convolution_c31, convolution_c32, convolution_c33,
  // convolution_c34. As in dot_general, the result may have the accumulator's type.
  ContractionLabels labels{labelOf(op, 27), labelOf(op, 28), labelOf(op, 31),
                           labelOf(op, 32), labelOf(op, 33), labelOf(op, 34)};
  return success(succeeded(checkContractionElements(emit, labels, op.getLhs().getType(),
                                                    op.getRhs().getType(), op.getType())) &&
                 succeeded(checkQuantizedDimensions(op)));
}

LogicalResult ConvolutionOp::verify() { return verifyConvolution(*this); }

LogicalResult DynamicConvOp::verify() { return verifyConvolution(*this); }

//===-- indexing ------------------------------------------------------------------------------===//

// The symbols of the maps are the window's dimensions and the input features of a group. The maps
// of both operands have the same symbols. The constraints of the maps exclude padding.
IndexingMap ConvolutionOp::indexingOf(OpOperand &operand, unsigned result) {
  IndexingBuilder made = indexingBuilder(operand, result);
  ConvDimensionNumbersAttr numbers = getDimensionNumbers();
  ArrayRef<int64_t> lhs = shapeOf(getLhs()), rhs = shapeOf(getRhs()), to = shapeOf(getResult());
  auto at = [](ArrayRef<int64_t> shape, int64_t d) { return shape[static_cast<size_t>(d)]; };
  auto strides = windowStridesOrDefault(), dilations = rhsDilationOrDefault();
  auto baseDilations = lhsDilationOrDefault();
  auto padding = paddingOrDefault();
  auto isReversed = windowReversalOrDefault();
  bool isLhs = operand.getOperandNumber() == 0;
  for (size_t i = 0; i < strides.size(); ++i) {
    int64_t window = at(rhs, numbers.getKernelSpatialDimensions()[i]);
    AffineExpr inWindow = made.all(window);
    AffineExpr position =
        made.dim(static_cast<size_t>(numbers.getOutputSpatialDimensions()[i])) * strides[i] +
        inWindow * dilations[i] - padding[i].first;
    AffineExpr inLhs =
        made.undilated(position, baseDilations[i], at(lhs, numbers.getInputSpatialDimensions()[i]));
    if (isLhs) {
      made.at(static_cast<size_t>(numbers.getInputSpatialDimensions()[i])) = inLhs;
    } else {
      made.at(static_cast<size_t>(numbers.getKernelSpatialDimensions()[i])) =
          isReversed[i] ? window - 1 - inWindow : inWindow;
    }
  }
  int64_t groupFeatures = at(rhs, numbers.getKernelInputFeatureDimension());
  AffineExpr feature = made.all(groupFeatures);
  AffineExpr outputFeature = made.dim(static_cast<size_t>(numbers.getOutputFeatureDimension()));
  if (!isLhs) {
    made.at(static_cast<size_t>(numbers.getKernelInputFeatureDimension())) = feature;
    made.at(static_cast<size_t>(numbers.getKernelOutputFeatureDimension())) = outputFeature;
    return made.finish();
  }
  int64_t features = at(to, numbers.getOutputFeatureDimension());
  auto groupOf = [&](uint64_t groups) {
    return groups == 1 ? made.constant(0)
                       : outputFeature.floorDiv(
                             std::max<int64_t>(features / static_cast<int64_t>(groups), 1));
  };
  made.at(static_cast<size_t>(numbers.getInputFeatureDimension())) =
      groupOf(getFeatureGroupCount()) * groupFeatures + feature;
  int64_t batches = at(to, numbers.getOutputBatchDimension());
  made.at(static_cast<size_t>(numbers.getInputBatchDimension())) =
      groupOf(getBatchGroupCount()) * batches +
      made.dim(static_cast<size_t>(numbers.getOutputBatchDimension()));
  return made.finish();
}

} // namespace drumlin::stablehlo
