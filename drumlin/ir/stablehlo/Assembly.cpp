#include "drumlin/ir/stablehlo/Assembly.h"

#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;

namespace drumlin::stablehlo {

//===-- types ---------------------------------------------------------------------------------===//

// Assigns the types in `(types) -> type` to the operands and the only result.
static ParseResult distribute(OpAsmParser &parser, SMLoc loc, FunctionType function,
                              ArrayRef<Type *> types) {
  size_t operands = types.size() - 1;
  if (function.getNumInputs() != operands || function.getNumResults() != 1) {
    return parser.emitError(loc) << "expected " << operands
                                 << " operand types and 1 result type, got "
                                 << function.getNumInputs() << " and " << function.getNumResults();
  }
  for (size_t i = 0; i < operands; ++i) {
    *types[i] = function.getInput(i);
  }
  *types.back() = function.getResult(0);
  return success();
}

ParseResult parseSharedType(OpAsmParser &parser, ArrayRef<Type *> types) {
  SMLoc loc = parser.getCurrentLocation();
  Type type;
  if (parser.parseType(type)) {
    return failure();
  }
  if (auto function = dyn_cast<FunctionType>(type)) {
    return distribute(parser, loc, function, types);
  }
  for (Type *each : types) {
    *each = type;
  }
  return success();
}

void printSharedType(OpAsmPrinter &printer, ArrayRef<Type> types) {
  if (llvm::all_equal(types)) {
    printer << types.back();
    return;
  }
  printer.printFunctionalType(types.drop_back(), types.take_back());
}

// Returns the tensor type of the real or imaginary part of a complex tensor; null for other types.
static Type partType(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  auto complex = tensor ? dyn_cast<ComplexType>(tensor.getElementType()) : ComplexType();
  return complex ? tensor.clone(complex.getElementType()) : Type();
}

ParseResult parseComplexOpType(OpAsmParser &parser, Type &lhs, Type &rhs, Type &result) {
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseType(result)) {
    return failure();
  }
  if (auto function = dyn_cast<FunctionType>(result)) {
    return distribute(parser, loc, function, {&lhs, &rhs, &result});
  }
  lhs = rhs = partType(result);
  if (!lhs) {
    return parser.emitError(loc) << "expected a tensor of complex numbers, got " << result;
  }
  return success();
}

void printComplexOpType(OpAsmPrinter &printer, Operation *, Type lhs, Type rhs, Type result) {
  if (lhs == rhs && partType(result) == lhs) {
    printer << result;
    return;
  }
  printer.printFunctionalType(TypeRange({lhs, rhs}), TypeRange(result));
}

ParseResult parseSelectOpType(OpAsmParser &parser, Type &pred, Type &onTrue, Type &onFalse,
                              Type &result) {
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseType(pred)) {
    return failure();
  }
  if (auto function = dyn_cast<FunctionType>(pred)) {
    return distribute(parser, loc, function, {&pred, &onTrue, &onFalse, &result});
  }
  if (parser.parseComma() || parser.parseType(result)) {
    return failure();
  }
  onTrue = onFalse = result;
  return success();
}

void printSelectOpType(OpAsmPrinter &printer, Operation *, Type pred, Type onTrue, Type onFalse,
                       Type result) {
  if (onTrue == result && onFalse == result) {
    printer << pred << ", " << result;
    return;
  }
  printer.printFunctionalType(TypeRange({pred, onTrue, onFalse}), TypeRange(result));
}

ParseResult parsePairwiseTypes(OpAsmParser &parser, SmallVectorImpl<Type> &operands,
                               SmallVectorImpl<Type> &results) {
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseTypeList(operands)) {
    return failure();
  }
  if (operands.size() == 1) {
    if (auto function = dyn_cast<FunctionType>(operands.front())) {
      (void)loc;
      operands.assign(function.getInputs().begin(), function.getInputs().end());
      results.assign(function.getResults().begin(), function.getResults().end());
      return success();
    }
  }
  results.assign(operands.begin(), operands.end());
  return success();
}

void printPairwiseTypes(OpAsmPrinter &printer, Operation *, TypeRange operands, TypeRange results) {
  if (operands == results) {
    llvm::interleaveComma(results, printer);
    return;
  }
  printer.printFunctionalType(operands, results);
}

//===-- operands and attributes ---------------------------------------------------------------===//

ParseResult parseOperandsThenComma(OpAsmParser &parser,
                                   SmallVectorImpl<OpAsmParser::UnresolvedOperand> &operands) {
  while (true) {
    OpAsmParser::UnresolvedOperand operand;
    OptionalParseResult parsed = parser.parseOptionalOperand(operand);
    if (!parsed.has_value()) {
      return success();
    }
    if (failed(*parsed) || parser.parseComma()) {
      return failure();
    }
    operands.push_back(operand);
  }
}

void printOperandsThenComma(OpAsmPrinter &printer, Operation *, OperandRange operands) {
  llvm::interleaveComma(operands, printer);
  if (!operands.empty()) {
    printer << ',';
  }
}

ParseResult parseSliceRanges(OpAsmParser &parser, DenseI64ArrayAttr &start,
                             DenseI64ArrayAttr &limit, DenseI64ArrayAttr &strides) {
  SmallVector<int64_t> starts, limits, steps;
  auto parseRange = [&]() -> ParseResult {
    steps.push_back(1);
    if (parser.parseInteger(starts.emplace_back()) || parser.parseColon() ||
        parser.parseInteger(limits.emplace_back())) {
      return failure();
    }
    if (succeeded(parser.parseOptionalColon())) {
      return parser.parseInteger(steps.back());
    }
    return success();
  };
  if (parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Square, parseRange)) {
    return failure();
  }
  start = parser.getBuilder().getDenseI64ArrayAttr(starts);
  limit = parser.getBuilder().getDenseI64ArrayAttr(limits);
  strides = parser.getBuilder().getDenseI64ArrayAttr(steps);
  return success();
}

void printSliceRanges(OpAsmPrinter &printer, Operation *, DenseI64ArrayAttr start,
                      DenseI64ArrayAttr limit, DenseI64ArrayAttr strides) {
  // Invalid operations are printed, too, in their own error messages. So the lengths of the lists
  // may differ.
  size_t rank = std::min({start.size(), limit.size(), strides.size()});
  printer << '[';
  llvm::interleaveComma(llvm::seq<size_t>(0, rank), printer, [&](size_t d) {
    printer << start[d] << ':' << limit[d];
    if (strides[d] != 1) {
      printer << ':' << strides[d];
    }
  });
  printer << ']';
}

ParseResult parseExponentMantissa(OpAsmParser &parser, IntegerAttr &exponent,
                                  IntegerAttr &mantissa) {
  SMLoc loc = parser.getCurrentLocation();
  StringRef format;
  if (parser.parseKeyword(&format)) {
    return failure();
  }
  int32_t exponentBits = 0, mantissaBits = 0;
  StringRef rest = format;
  if (!rest.consume_front("e") || rest.consumeInteger(10, exponentBits) ||
      !rest.consume_front("m") || rest.getAsInteger(10, mantissaBits)) {
    return parser.emitError(loc) << "expected a format such as `e8m10`, got `" << format << "`";
  }
  exponent = parser.getBuilder().getI32IntegerAttr(exponentBits);
  mantissa = parser.getBuilder().getI32IntegerAttr(mantissaBits);
  return success();
}

void printExponentMantissa(OpAsmPrinter &printer, Operation *, IntegerAttr exponent,
                           IntegerAttr mantissa) {
  printer << 'e' << exponent.getInt() << 'm' << mantissa.getInt();
}

ParseResult parseNumbers(AsmParser &parser, SmallVectorImpl<int64_t> &numbers) {
  return parser.parseCommaSeparatedList(
      AsmParser::Delimiter::Square, [&] { return parser.parseInteger(numbers.emplace_back()); });
}

void printNumbers(AsmPrinter &printer, ArrayRef<int64_t> numbers) {
  printer << '[';
  llvm::interleaveComma(numbers, printer);
  printer << ']';
}

ParseResult parseNumberList(AsmParser &parser, SmallVectorImpl<int64_t> &numbers) {
  return parseNumbers(parser, numbers);
}

void printNumberList(AsmPrinter &printer, ArrayRef<int64_t> numbers) {
  printNumbers(printer, numbers);
}

//===-- convolution dimensions ----------------------------------------------------------------===//

// Parses a bracketed list: two letters for the two non-spatial roles, and numbers for the spatial
// dimensions.
static ParseResult parseRoles(AsmParser &parser, StringRef first, int64_t &firstDimension,
                              StringRef second, int64_t &secondDimension,
                              SmallVectorImpl<int64_t> &spatial) {
  SMLoc begin = parser.getCurrentLocation();
  SmallVector<std::pair<int64_t, int64_t>> numbered; // pairs of (spatial number, dimension)
  int64_t dimension = 0;
  firstDimension = secondDimension = -1;
  auto parseRole = [&]() -> ParseResult {
    SMLoc loc = parser.getCurrentLocation();
    int64_t number;
    OptionalParseResult parsed = parser.parseOptionalInteger(number);
    if (parsed.has_value()) {
      if (failed(*parsed)) {
        return failure();
      }
      numbered.push_back({number, dimension++});
      return success();
    }
    StringRef letter;
    if (parser.parseKeyword(&letter)) {
      return failure();
    }
    int64_t &role = letter == first ? firstDimension : secondDimension;
    if ((letter != first && letter != second) || role >= 0) {
      return parser.emitError(loc) << "expected a number, `" << first << "` or `" << second
                                   << "`, each once; got `" << letter << "`";
    }
    role = dimension++;
    return success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseRole)) {
    return failure();
  }
  if (firstDimension < 0 || secondDimension < 0) {
    return parser.emitError(begin)
           << "expected `" << first << "` and `" << second << "` among the dimensions";
  }
  spatial.assign(numbered.size(), -1);
  for (auto [number, at] : numbered) {
    if (number < 0 || number >= static_cast<int64_t>(numbered.size()) || spatial[number] != -1) {
      return parser.emitError(begin) << "expected each spatial dimension from 0 to "
                                     << numbered.size() - 1 << " once, got " << number;
    }
    spatial[number] = at;
  }
  return success();
}

ParseResult parseConvolutionDimensionNumbers(AsmParser &parser, ConvDimensionNumbersAttr &numbers) {
  int64_t inputBatch, inputFeature, kernelInput, kernelOutput, outputBatch, outputFeature;
  SmallVector<int64_t> input, kernel, output;
  if (parseRoles(parser, "b", inputBatch, "f", inputFeature, input)) {
    return failure();
  }
  // `x` and `[` may be adjacent. As no number follows `x`, the lexer always reads `x` as a keyword.
  if (parser.parseKeyword("x") || parseRoles(parser, "i", kernelInput, "o", kernelOutput, kernel) ||
      parser.parseArrow() || parseRoles(parser, "b", outputBatch, "f", outputFeature, output)) {
    return failure();
  }
  numbers = ConvDimensionNumbersAttr::get(parser.getContext(), inputBatch, inputFeature, input,
                                          kernelInput, kernelOutput, kernel, outputBatch,
                                          outputFeature, output);
  return success();
}

static bool isPermutation(int64_t first, int64_t second, ArrayRef<int64_t> spatial) {
  SmallVector<bool> seen(spatial.size() + 2, false);
  auto mark = [&](int64_t dimension) {
    if (dimension < 0 || dimension >= static_cast<int64_t>(seen.size()) || seen[dimension]) {
      return false;
    }
    seen[dimension] = true;
    return true;
  };
  return mark(first) && mark(second) && llvm::all_of(spatial, mark);
}

bool hasConvolutionShorthand(ConvDimensionNumbersAttr numbers) {
  return isPermutation(numbers.getInputBatchDimension(), numbers.getInputFeatureDimension(),
                       numbers.getInputSpatialDimensions()) &&
         isPermutation(numbers.getKernelInputFeatureDimension(),
                       numbers.getKernelOutputFeatureDimension(),
                       numbers.getKernelSpatialDimensions()) &&
         isPermutation(numbers.getOutputBatchDimension(), numbers.getOutputFeatureDimension(),
                       numbers.getOutputSpatialDimensions());
}

static void printRoles(AsmPrinter &printer, char first, int64_t firstDimension, char second,
                       int64_t secondDimension, ArrayRef<int64_t> spatial) {
  SmallVector<std::string> roles(spatial.size() + 2);
  roles[firstDimension] = first;
  roles[secondDimension] = second;
  for (auto [number, dimension] : llvm::enumerate(spatial)) {
    roles[dimension] = std::to_string(number);
  }
  printer << '[';
  llvm::interleaveComma(roles, printer, [&](const std::string &role) { printer << role; });
  printer << ']';
}

void printConvolutionDimensionNumbers(AsmPrinter &printer, ConvDimensionNumbersAttr numbers) {
  printRoles(printer, 'b', numbers.getInputBatchDimension(), 'f',
             numbers.getInputFeatureDimension(), numbers.getInputSpatialDimensions());
  printer << 'x';
  printRoles(printer, 'i', numbers.getKernelInputFeatureDimension(), 'o',
             numbers.getKernelOutputFeatureDimension(), numbers.getKernelSpatialDimensions());
  printer << "->";
  printRoles(printer, 'b', numbers.getOutputBatchDimension(), 'f',
             numbers.getOutputFeatureDimension(), numbers.getOutputSpatialDimensions());
}

} // namespace drumlin::stablehlo
