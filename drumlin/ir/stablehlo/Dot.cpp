// The textual form, verifier and accessors of contractions.
#include "drumlin/ir/stablehlo/Assembly.h"
#include "drumlin/ir/stablehlo/Constraints.h"
#include "drumlin/ir/stablehlo/DotOps.h"
#include "drumlin/ir/stablehlo/ProductRoles.h"

using namespace mlir;

namespace drumlin::stablehlo {

//===-- textual form --------------------------------------------------------------------------===//

// Parses `[0] x [1]`.
static ParseResult parsePair(OpAsmParser &parser, SmallVectorImpl<int64_t> &lhs,
                             SmallVectorImpl<int64_t> &rhs) {
  return failure(parser.parseEqual() || parseNumbers(parser, lhs) || parser.parseKeyword("x") ||
                 parseNumbers(parser, rhs));
}

static void printPair(OpAsmPrinter &printer, ArrayRef<int64_t> lhs, ArrayRef<int64_t> rhs) {
  printNumbers(printer, lhs);
  printer << " x ";
  printNumbers(printer, rhs);
}

// Parses `batching_dims = [0] x [0], contracting_dims = [2] x [1]`. The first part is omitted if
// there are no batching dimensions.
static ParseResult parseDotDimensionNumbers(OpAsmParser &parser, DotDimensionNumbersAttr &numbers) {
  SmallVector<int64_t> lhsBatching, rhsBatching, lhsContracting, rhsContracting;
  if (succeeded(parser.parseOptionalKeyword("batching_dims"))) {
    if (parsePair(parser, lhsBatching, rhsBatching) || parser.parseComma()) {
      return failure();
    }
  }
  if (parser.parseKeyword("contracting_dims") ||
      parsePair(parser, lhsContracting, rhsContracting)) {
    return failure();
  }
  numbers = DotDimensionNumbersAttr::get(parser.getContext(), lhsBatching, rhsBatching,
                                         lhsContracting, rhsContracting);
  return success();
}

static void printDotDimensionNumbers(OpAsmPrinter &printer, Operation *,
                                     DotDimensionNumbersAttr numbers) {
  if (!numbers.getLhsBatchingDimensions().empty() || !numbers.getRhsBatchingDimensions().empty()) {
    printer << "batching_dims = ";
    printPair(printer, numbers.getLhsBatchingDimensions(), numbers.getRhsBatchingDimensions());
    printer << ", ";
  }
  printer << "contracting_dims = ";
  printPair(printer, numbers.getLhsContractingDimensions(), numbers.getRhsContractingDimensions());
}

// Parses `[DEFAULT, HIGHEST]`.
static ParseResult parsePrecisions(OpAsmParser &parser, ArrayAttr &precisionConfig) {
  MLIRContext *context = parser.getContext();
  SmallVector<Attribute> precisions;
  auto parsePrecision = [&]() -> ParseResult {
    SMLoc loc = parser.getCurrentLocation();
    StringRef keyword;
    if (parser.parseKeyword(&keyword)) {
      return failure();
    }
    std::optional<Precision> precision = symbolizePrecision(keyword);
    if (!precision) {
      return parser.emitError(loc) << "expected DEFAULT, HIGH or HIGHEST, got `" << keyword << "`";
    }
    precisions.push_back(PrecisionAttr::get(context, *precision));
    return success();
  };
  if (parser.parseEqual() ||
      parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Square, parsePrecision)) {
    return failure();
  }
  precisionConfig = parser.getBuilder().getArrayAttr(precisions);
  return success();
}

// Parses `, precision = [DEFAULT, HIGHEST]`, or nothing.
static ParseResult parsePrecisionConfig(OpAsmParser &parser, ArrayAttr &precisionConfig) {
  if (failed(parser.parseOptionalComma())) {
    return success();
  }
  return failure(parser.parseKeyword("precision") || parsePrecisions(parser, precisionConfig));
}

static void printPrecisionConfig(OpAsmPrinter &printer, Operation *, ArrayAttr precisionConfig) {
  if (precisionConfig) {
    printer << ", precision = [";
    llvm::interleaveComma(
        precisionConfig.getAsRange<PrecisionAttr>(), printer,
        [&](PrecisionAttr each) { printer << stringifyPrecision(each.getValue()); });
    printer << ']';
  }
}

// Parses `, precision = [DEFAULT, HIGHEST], algorithm = <…>`; both parts are optional.
static ParseResult parsePrecisionConfigAndAlgorithm(OpAsmParser &parser, ArrayAttr &precisionConfig,
                                                    DotAlgorithmAttr &algorithm) {
  if (failed(parser.parseOptionalComma())) {
    return success();
  }
  if (succeeded(parser.parseOptionalKeyword("precision"))) {
    if (parsePrecisions(parser, precisionConfig)) {
      return failure();
    }
    if (failed(parser.parseOptionalComma())) {
      return success();
    }
  }
  return failure(parser.parseKeyword("algorithm") || parser.parseEqual() ||
                 parser.parseCustomAttributeWithFallback(algorithm));
}

static void printPrecisionConfigAndAlgorithm(OpAsmPrinter &printer, Operation *op,
                                             ArrayAttr precisionConfig,
                                             DotAlgorithmAttr algorithm) {
  printPrecisionConfig(printer, op, precisionConfig);
  if (algorithm) {
    printer << ", algorithm = ";
    printer.printStrippedAttrOrType(algorithm);
  }
}

} // namespace drumlin::stablehlo

#define GET_OP_CLASSES
#include "drumlin/ir/stablehlo/Dot.cpp.inc"

namespace drumlin::stablehlo {

void StablehloDialect::addDotOperations() {
  addOperations<
#define GET_OP_LIST
#include "drumlin/ir/stablehlo/Dot.cpp.inc"
      >();
}

//===-- accessors -----------------------------------------------------------------------------===//

Precision DotGeneralOp::precisionOrDefault(unsigned operand) {
  return stablehlo::precisionOrDefault(getPrecisionConfig(), operand);
}

//===-- verifier ------------------------------------------------------------------------------===//

static SmallVector<int64_t> sizesOf(ArrayRef<int64_t> shape, ArrayRef<int64_t> dimensions) {
  return llvm::map_to_vector(dimensions, [&](int64_t d) { return shape[d]; });
}

namespace {
// An algorithm that some hardware supports.
struct KnownAlgorithm {
  bool (*isOperand)(Type);
  bool (*isAccumulator)(Type);
  int64_t operations;
  bool mayBeImprecise;
};
} // namespace

static bool isF8(Type type) { return isa<FloatType>(type) && type.getIntOrFloatBitWidth() == 8; }
static bool isF8Accumulator(Type type) { return type.isF16() || type.isBF16() || type.isF32(); }
template <typename... Types> static bool isOneOf(Type type) { return isa<Types...>(type); }

// The algorithms that the reference implementation knows; all of them have one component.
static constexpr KnownAlgorithm knownAlgorithms[] = {
    {isF8, isF8Accumulator, 1, true},
    {isOneOf<Float16Type>, isOneOf<Float16Type, Float32Type>, 1, false},
    {isOneOf<BFloat16Type>, isOneOf<BFloat16Type, Float32Type>, 1, false},
    {isOneOf<BFloat16Type>, isOneOf<Float32Type>, 3, false},
    {isOneOf<BFloat16Type>, isOneOf<Float32Type>, 6, false},
    {isOneOf<BFloat16Type>, isOneOf<Float32Type>, 9, false},
    {isOneOf<FloatTF32Type>, isOneOf<Float32Type>, 1, false},
    {isOneOf<FloatTF32Type>, isOneOf<Float32Type>, 3, false},
    {isOneOf<Float32Type>, isOneOf<Float32Type>, 1, false},
    {isOneOf<Float64Type>, isOneOf<Float64Type>, 1, false},
};

static bool isKnown(DotAlgorithmAttr algorithm) {
  return llvm::any_of(knownAlgorithms, [&](const KnownAlgorithm &known) {
    return known.isOperand(algorithm.getLhsPrecisionType()) &&
           known.isOperand(algorithm.getRhsPrecisionType()) &&
           known.isAccumulator(algorithm.getAccumulationType()) &&
           algorithm.getLhsComponentCount() == 1 && algorithm.getRhsComponentCount() == 1 &&
           algorithm.getNumPrimitiveOperations() == known.operations &&
           (known.mayBeImprecise || !algorithm.getAllowImpreciseAccumulation());
  });
}

// Checks that an algorithm's types are number formats of hardware: float types or tf32.
static LogicalResult verifyAlgorithm(DotGeneralOp op, DotAlgorithmAttr algorithm) {
  auto emit = [&] { return op.emitOpError(); };
  // dot_general_c21
  if (op.precisionOrDefault(0) != Precision::DEFAULT ||
      op.precisionOrDefault(1) != Precision::DEFAULT) {
    return op.emitOpError()
           << "expects precision DEFAULT for both operands with an algorithm (dot_general_c21)";
  }
  // dot_general_i8, dot_general_i9, dot_general_i10
  const std::pair<Type, StringRef> types[] = {{algorithm.getLhsPrecisionType(), "dot_general_i8"},
                                              {algorithm.getRhsPrecisionType(), "dot_general_i9"},
                                              {algorithm.getAccumulationType(), "dot_general_i10"}};
  for (auto [type, label] : types) {
    if (!isa<FloatType>(type)) {
      return op.emitOpError() << "expects floating-point types in the algorithm, got " << type
                              << " (" << label << ")";
    }
  }
  // dot_general_c22, dot_general_c23, dot_general_c24
  if (failed(checkAtLeast(emit, "dot_general_c22", "lhs_component_count",
                          algorithm.getLhsComponentCount(), 1)) ||
      failed(checkAtLeast(emit, "dot_general_c23", "rhs_component_count",
                          algorithm.getRhsComponentCount(), 1)) ||
      failed(checkAtLeast(emit, "dot_general_c24", "num_primitive_operations",
                          algorithm.getNumPrimitiveOperations(), 1))) {
    return failure();
  }
  if (!isKnown(algorithm)) {
    return op.emitOpError() << "expects an algorithm that some hardware supports, got " << algorithm
                            << " (dot_general_algorithm)";
  }
  return success();
}

// dot_general_c15, dot_general_c16.
static LogicalResult verifyQuantizedRhs(DotGeneralOp op) {
  Type rhs = op.getRhs().getType().getElementType();
  auto perTensor = dyn_cast<quant::UniformQuantizedType>(rhs);
  auto perAxis = dyn_cast<quant::UniformQuantizedPerAxisType>(rhs);
  bool zero = perTensor ? perTensor.getZeroPoint() == 0
                        : !perAxis || llvm::all_of(perAxis.getZeroPoints(),
                                                   [](int64_t point) { return point == 0; });
  if (!zero) {
    return op.emitOpError() << "expects zero points 0 in rhs, got " << rhs << " (dot_general_c15)";
  }
  if (perAxis && llvm::is_contained(op.getDotDimensionNumbers().getRhsContractingDimensions(),
                                    perAxis.getQuantizedDimension())) {
    return op.emitOpError() << "expects the quantized dimension of rhs not to be contracted, got "
                            << perAxis.getQuantizedDimension() << " (dot_general_c16)";
  }
  return success();
}

LogicalResult DotGeneralOp::verify() {
  auto emit = [&] { return emitOpError(); };
  DotDimensionNumbersAttr numbers = getDotDimensionNumbers();
  ArrayRef<int64_t> lhsBatching = numbers.getLhsBatchingDimensions();
  ArrayRef<int64_t> rhsBatching = numbers.getRhsBatchingDimensions();
  ArrayRef<int64_t> lhsContracting = numbers.getLhsContractingDimensions();
  ArrayRef<int64_t> rhsContracting = numbers.getRhsContractingDimensions();
  ArrayRef<int64_t> lhsShape = shapeOf(getLhs());
  ArrayRef<int64_t> rhsShape = shapeOf(getRhs());
  int64_t lhsRank = lhsShape.size(), rhsRank = rhsShape.size();

  // dot_general_c1, dot_general_c2
  if (failed(checkSize(emit, "dot_general_c1", "rhs batching dimensions", rhsBatching.size(),
                       lhsBatching.size())) ||
      failed(checkSize(emit, "dot_general_c2", "rhs contracting dimensions", rhsContracting.size(),
                       lhsContracting.size()))) {
    return failure();
  }
  // dot_general_c3, dot_general_c4
  SmallVector<int64_t> lhsAll(lhsBatching), rhsAll(rhsBatching);
  lhsAll.append(lhsContracting.begin(), lhsContracting.end());
  rhsAll.append(rhsContracting.begin(), rhsContracting.end());
  if (failed(
          checkUnique(emit, "dot_general_c3", "lhs batching and contracting dimensions", lhsAll)) ||
      failed(
          checkUnique(emit, "dot_general_c4", "rhs batching and contracting dimensions", rhsAll))) {
    return failure();
  }
  // dot_general_c5, dot_general_c6, dot_general_c7, dot_general_c8
  if (failed(
          checkInRange(emit, "dot_general_c5", "lhs batching dimensions", lhsBatching, lhsRank)) ||
      failed(checkInRange(emit, "dot_general_c6", "lhs contracting dimensions", lhsContracting,
                          lhsRank)) ||
      failed(
          checkInRange(emit, "dot_general_c7", "rhs batching dimensions", rhsBatching, rhsRank)) ||
      failed(checkInRange(emit, "dot_general_c8", "rhs contracting dimensions", rhsContracting,
                          rhsRank))) {
    return failure();
  }
  // dot_general_c9, dot_general_c10
  if (failed(checkShape(emit, "dot_general_c9", "rhs batching sizes",
                        sizesOf(rhsShape, rhsBatching), sizesOf(lhsShape, lhsBatching))) ||
      failed(checkShape(emit, "dot_general_c10", "rhs contracting sizes",
                        sizesOf(rhsShape, rhsContracting), sizesOf(lhsShape, lhsContracting)))) {
    return failure();
  }
  // dot_general_c11
  if (failed(checkPrecisionConfig(emit, "dot_general_c11", getPrecisionConfig()))) {
    return failure();
  }
  // dot_general_c12
  ProductRoles roles(*this);
  SmallVector<int64_t> expected = sizesOf(lhsShape, lhsBatching);
  expected.append(sizesOf(lhsShape, roles.lhs().free));
  expected.append(sizesOf(rhsShape, roles.rhs().free));
  if (failed(checkShape(emit, "dot_general_c12", "the result", getType().getShape(), expected))) {
    return failure();
  }
  // dot_general_c13, dot_general_c14, dot_general_c17, dot_general_c18, dot_general_c19,
  // dot_general_c20
  Type lhs = getLhs().getType(), rhs = getRhs().getType();
  ContractionLabels labels{"dot_general_c13", "dot_general_c14", "dot_general_c17",
                           "dot_general_c18", "dot_general_c19", "dot_general_c20"};
  if (failed(checkContractionElements(emit, labels, lhs, rhs, getType())) ||
      failed(verifyQuantizedRhs(*this))) {
    return failure();
  }
  if (std::optional<DotAlgorithmAttr> algorithm = getAlgorithm()) {
    return verifyAlgorithm(*this, *algorithm);
  }
  return success();
}

//===-- dot -----------------------------------------------------------------------------------===//

// Checks a dot of vectors and matrices, which contracts the last dimension of lhs with the first
// dimension of rhs.
LogicalResult DotOp::verify() {
  auto emit = [&] { return emitOpError(); };
  ArrayRef<int64_t> lhs = shapeOf(getLhs()), rhs = shapeOf(getRhs());
  if (lhs.empty() || lhs.size() > 2 || rhs.empty() || rhs.size() > 2) {
    return emitOpError() << "expects operands of rank 1 or 2, got " << getLhs().getType() << " and "
                         << getRhs().getType() << " (dot)";
  }
  SmallVector<int64_t> expected(lhs.drop_back());
  llvm::append_range(expected, rhs.drop_front());
  ContractionLabels labels{"dot", "dot", "dot", "dot", "dot", "dot"};
  return success(succeeded(checkShape(emit, "dot", "the contracted dimension of rhs",
                                      rhs.take_front(1), lhs.take_back(1))) &&
                 succeeded(checkShape(emit, "dot", "the result", getType().getShape(), expected)) &&
                 succeeded(checkPrecisionConfig(emit, "dot", getPrecisionConfig())) &&
                 succeeded(checkContractionElements(emit, labels, getLhs().getType(),
                                                    getRhs().getType(), getType())));
}

//===-- indexing ------------------------------------------------------------------------------===//

// The symbols of the maps are the contracting dimensions in the operation's order. The maps of both
// operands have the same symbols.
IndexingMap DotGeneralOp::indexingOf(OpOperand &operand, unsigned result) {
  IndexingBuilder made = indexingBuilder(operand, result);
  ProductRoles roles(*this);
  unsigned number = operand.getOperandNumber();
  const ProductRoles::Operand &own = roles.operands[number];
  for (int64_t d : llvm::concat<const int64_t>(own.batch, own.free)) {
    made.at(static_cast<size_t>(d)) = made.dim(*roles.inResult(number, d));
  }
  for (int64_t d : own.contracting) {
    made.at(static_cast<size_t>(d)) = made.all(shapeOf(operand.get())[static_cast<size_t>(d)]);
  }
  return made.finish();
}

IndexingMap DotOp::indexingOf(OpOperand &operand, unsigned result) {
  IndexingBuilder made = indexingBuilder(operand, result);
  ArrayRef<int64_t> lhs = shapeOf(getLhs()), shape = shapeOf(operand.get());
  AffineExpr contracted = made.all(lhs.back());
  if (operand.getOperandNumber() == 0) {
    made.at(lhs.size() - 1) = contracted;
    if (lhs.size() == 2) {
      made.at(0) = made.dim(0);
    }
  } else {
    made.at(0) = contracted;
    if (shape.size() == 2) {
      made.at(1) = made.dim(lhs.size() - 1);
    }
  }
  return made.finish();
}

} // namespace drumlin::stablehlo
