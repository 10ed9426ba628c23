// The attribute and the verifier of ragged_dot.
#include "drumlin/ir/chlo/RaggedDot.h"
#include "drumlin/ir/stablehlo/Assembly.h"
#include "drumlin/ir/stablehlo/Constraints.h"

#include "mlir/IR/DialectImplementation.h"

using namespace mlir;

namespace drumlin::chlo {

//===-- attribute -----------------------------------------------------------------------------===//

static constexpr StringLiteral fieldNames[] = {
    "lhs_batching_dimensions",    "rhs_batching_dimensions", "lhs_contracting_dimensions",
    "rhs_contracting_dimensions", "lhs_ragged_dimensions",   "rhs_group_dimensions"};

// Missing lists are parsed as empty.
Attribute RaggedDotDimensionNumbersAttr::parse(AsmParser &parser, Type) {
  SmallVector<int64_t> lists[std::size(fieldNames)];
  auto parseField = [&]() -> ParseResult {
    StringRef keyword;
    SMLoc loc = parser.getCurrentLocation();
    if (parser.parseKeyword(&keyword) || parser.parseEqual()) {
      return failure();
    }
    const auto *field = llvm::find(fieldNames, keyword);
    if (field == std::end(fieldNames)) {
      return parser.emitError(loc) << "expected a field of a ragged dot, got `" << keyword << "`";
    }
    return stablehlo::parseNumbers(parser, lists[field - fieldNames]);
  };
  if (parser.parseLess()) {
    return {};
  }
  if (failed(parser.parseOptionalGreater()) &&
      (parser.parseCommaSeparatedList(parseField) || parser.parseGreater())) {
    return {};
  }
  return get(parser.getContext(), lists[0], lists[1], lists[2], lists[3], lists[4], lists[5]);
}

void RaggedDotDimensionNumbersAttr::print(AsmPrinter &printer) const {
  ArrayRef<int64_t> lists[] = {getLhsBatchingDimensions(),    getRhsBatchingDimensions(),
                               getLhsContractingDimensions(), getRhsContractingDimensions(),
                               getLhsRaggedDimensions(),      getRhsGroupDimensions()};
  printer << '<';
  bool isFirst = true;
  for (auto [name, list] : llvm::zip_equal(fieldNames, lists)) {
    if (!list.empty()) {
      printer << (isFirst ? "" : ", ") << name << " = ";
      stablehlo::printNumbers(printer, list);
      isFirst = false;
    }
  }
  printer << '>';
}

//===-- verifier ------------------------------------------------------------------------------===//

RaggedMode raggedModeOf(RaggedDotDimensionNumbersAttr numbers) {
  int64_t ragged = numbers.getLhsRaggedDimensions().front();
  if (llvm::is_contained(numbers.getLhsContractingDimensions(), ragged)) {
    return RaggedMode::Contracting;
  }
  return llvm::is_contained(numbers.getLhsBatchingDimensions(), ragged)
             ? RaggedMode::Batch
             : RaggedMode::NonContracting;
}

static SmallVector<int64_t> sizesAt(ArrayRef<int64_t> shape, ArrayRef<int64_t> dimensions) {
  return llvm::map_to_vector(dimensions, [&](int64_t d) { return shape[d]; });
}

// Returns the sizes of all dimensions of `shape` that none of `lists` contains.
static SmallVector<int64_t> freeSizes(ArrayRef<int64_t> shape,
                                      std::initializer_list<ArrayRef<int64_t>> lists) {
  SmallVector<int64_t> sizes;
  for (auto [d, size] : llvm::enumerate(shape)) {
    auto has = [d = static_cast<int64_t>(d)](ArrayRef<int64_t> list) {
      return llvm::is_contained(list, d);
    };
    if (llvm::none_of(lists, has)) {
      sizes.push_back(size);
    }
  }
  return sizes;
}

SmallVector<int64_t> groupSizesDimensions(RaggedDotDimensionNumbersAttr numbers) {
  int64_t ragged = numbers.getLhsRaggedDimensions().front();
  RaggedMode mode = raggedModeOf(numbers);
  SmallVector<int64_t> dimensions;
  ArrayRef<int64_t> batching = numbers.getLhsBatchingDimensions();
  for (int64_t d : batching) {
    if (mode == RaggedMode::Batch && d == ragged) {
      break;
    }
    dimensions.push_back(d);
  }
  if (mode == RaggedMode::Contracting) {
    for (int64_t d : numbers.getLhsContractingDimensions()) {
      if (d == ragged) {
        break;
      }
      dimensions.push_back(d);
    }
  }
  if (mode == RaggedMode::NonContracting) {
    for (int64_t d = 0; d < ragged; ++d) {
      if (!llvm::is_contained(batching, d) &&
          !llvm::is_contained(numbers.getLhsContractingDimensions(), d)) {
        dimensions.push_back(d);
      }
    }
  }
  return dimensions;
}

SmallVector<int64_t> groupSizesShape(RaggedDotDimensionNumbersAttr numbers, ArrayRef<int64_t> lhs,
                                     int64_t groups) {
  SmallVector<int64_t> shape = sizesAt(lhs, groupSizesDimensions(numbers));
  shape.push_back(groups);
  return shape;
}

static LogicalResult checkDimensions(RaggedDotOp op) {
  auto emit = [&] { return op.emitOpError(); };
  RaggedDotDimensionNumbersAttr numbers = op.getRaggedDotDimensionNumbers();
  ArrayRef<int64_t> lhs = shapeOf(op.getLhs()), rhs = shapeOf(op.getRhs());
  SmallVector<int64_t> left(numbers.getLhsBatchingDimensions());
  llvm::append_range(left, numbers.getLhsContractingDimensions());
  SmallVector<int64_t> right(numbers.getRhsBatchingDimensions());
  llvm::append_range(right, numbers.getRhsContractingDimensions());
  llvm::append_range(right, numbers.getRhsGroupDimensions());
  if (failed(stablehlo::checkSize(emit, "ragged_dot", "ragged dimensions of lhs",
                                  numbers.getLhsRaggedDimensions().size(), 1)) ||
      failed(stablehlo::checkUnique(emit, "ragged_dot", "lhs dimensions", left)) ||
      failed(stablehlo::checkUnique(emit, "ragged_dot", "rhs dimensions", right)) ||
      failed(stablehlo::checkInRange(emit, "ragged_dot", "lhs dimensions", left, lhs.size())) ||
      failed(stablehlo::checkInRange(emit, "ragged_dot", "the ragged dimension",
                                     numbers.getLhsRaggedDimensions(), lhs.size())) ||
      failed(stablehlo::checkInRange(emit, "ragged_dot", "rhs dimensions", right, rhs.size()))) {
    return failure();
  }
  bool sameCounts =
      numbers.getLhsBatchingDimensions().size() == numbers.getRhsBatchingDimensions().size() &&
      numbers.getLhsContractingDimensions().size() == numbers.getRhsContractingDimensions().size();
  if (!sameCounts) {
    return emit() << "expects equal numbers of batching and of contracting dimensions in lhs and "
                     "rhs (ragged_dot)";
  }
  return success(
      succeeded(stablehlo::checkShape(emit, "ragged_dot", "rhs batching dimensions",
                                      sizesAt(rhs, numbers.getRhsBatchingDimensions()),
                                      sizesAt(lhs, numbers.getLhsBatchingDimensions()))) &&
      succeeded(stablehlo::checkShape(emit, "ragged_dot", "rhs contracting dimensions",
                                      sizesAt(rhs, numbers.getRhsContractingDimensions()),
                                      sizesAt(lhs, numbers.getLhsContractingDimensions()))));
}

LogicalResult RaggedDotOp::verify() {
  auto emit = [&] { return emitOpError(); };
  if (failed(checkDimensions(*this))) {
    return failure();
  }
  RaggedDotDimensionNumbersAttr numbers = getRaggedDotDimensionNumbers();
  RaggedMode mode = raggedModeOf(numbers);
  ArrayRef<int64_t> lhs = shapeOf(getLhs()), rhs = shapeOf(getRhs()),
                    sizes = shapeOf(getGroupSizes());
  if (failed(stablehlo::checkSize(emit, "ragged_dot", "group dimensions of rhs",
                                  numbers.getRhsGroupDimensions().size(),
                                  mode == RaggedMode::NonContracting ? 1 : 0))) {
    return failure();
  }
  if (sizes.empty()) {
    return emit() << "expects group sizes of rank 1 or more, got rank 0 (ragged_dot)";
  }
  int64_t groups = sizes.back();
  // Group sizes of rank 1 apply to all batches.
  if (sizes.size() > 1 && failed(stablehlo::checkShape(emit, "ragged_dot", "group sizes", sizes,
                                                       groupSizesShape(numbers, lhs, groups)))) {
    return failure();
  }
  if (mode == RaggedMode::NonContracting &&
      failed(stablehlo::checkShape(emit, "ragged_dot", "the group dimension of rhs",
                                   rhs[numbers.getRhsGroupDimensions().front()], groups))) {
    return failure();
  }
  SmallVector<int64_t> expected;
  if (mode == RaggedMode::Contracting) {
    expected.push_back(groups);
  }
  llvm::append_range(expected, sizesAt(lhs, numbers.getLhsBatchingDimensions()));
  llvm::append_range(expected, freeSizes(lhs, {numbers.getLhsBatchingDimensions(),
                                               numbers.getLhsContractingDimensions()}));
  llvm::append_range(expected, freeSizes(rhs, {numbers.getRhsBatchingDimensions(),
                                               numbers.getRhsContractingDimensions(),
                                               numbers.getRhsGroupDimensions()}));
  return stablehlo::checkShape(emit, "ragged_dot", "the result", getType().getShape(), expected);
}

} // namespace drumlin::chlo
