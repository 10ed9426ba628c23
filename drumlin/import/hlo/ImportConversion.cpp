#include "drumlin/import/hlo/Emitter.h"

#include "drumlin/ir/stablehlo/StablehloDialect.h"
#include "drumlin/ir/stablehlo/StablehloTypes.h"
#include "drumlin/support/Tensor.h"
#include "drumlin/support/diagnostics/ProgramErrors.h"
#include "drumlin/support/diagnostics/UnsupportedErrors.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

using namespace mlir;

namespace drumlin::hlo {

// The maximum number of converted instructions is `copiesOfInstruction` per instruction of the
// module, plus `freeCopies`.
static constexpr size_t copiesOfInstruction = 64;
static constexpr size_t freeCopies = 10'000;

static size_t instructionCount(const Module &module) {
  size_t count = 0;
  for (const auto &computation : module.computations) {
    count += computation->instructions.size();
  }
  return count;
}

Conversion::Conversion(const Module &module, std::string_view text, llvm::StringRef fileName,
                       ModuleOp target, const ElidedFill &fill)
    : module(module), text(text), fileName(fileName), lineStarts{0},
      mlirContext(target.getContext()), symbols(target),
      budget(instructionCount(module) * copiesOfInstruction + freeCopies), fill(fill) {
  for (size_t at = text.find('\n'); at != std::string_view::npos; at = text.find('\n', at + 1)) {
    lineStarts.push_back(at + 1);
  }
}

Location Conversion::placeOf(size_t offset) const {
  auto next = std::upper_bound(lineStarts.begin(), lineStarts.end(), offset);
  size_t line = static_cast<size_t>(next - lineStarts.begin());
  size_t column = offset - lineStarts[line - 1] + 1;
  return FileLineColLoc::get(context(), fileName, static_cast<unsigned>(line),
                             static_cast<unsigned>(column));
}

Location Conversion::locationOf(const Instruction &instruction) const {
  auto name = [&](llvm::StringRef text) { return StringAttr::get(context(), text); };
  Location location = NameLoc::get(name(instruction.name), placeOf(instruction.offset));
  const Value *metadata = instruction.metadata();
  const Value *operation = metadata ? metadata->find("op_name") : nullptr;
  std::string operationName = operation ? operation->contents() : "";
  return operationName.empty() ? location : NameLoc::get(name(operationName), location);
}

std::string Conversion::placeText(const Instruction &instruction) const {
  auto place = cast<FileLineColLoc>(placeOf(instruction.offset));
  return (fileName + ":" + llvm::Twine(place.getLine()) + ":" + llvm::Twine(place.getColumn()))
      .str();
}

void Conversion::fail(DiagnosticCode code, std::string message, const Instruction &instruction,
                      std::string remedy) {
  if (!error) {
    error = diagnose(code, std::move(message), placeText(instruction), std::move(remedy));
  }
}

// Identifies constants by their position in the text, so that all copies of a computation get the
// same elements.
void Conversion::fillElided(Tensor &tensor, const Instruction &constant) {
  fill.fill(tensor, constant.offset);
  if (!fill.isStated && elidedPlace.empty()) {
    elidedPlace = placeText(constant);
  }
}

bool Conversion::spendOne() {
  budget -= budget > 0;
  return budget > 0;
}

//===-- types ---------------------------------------------------------------------------------===//

// The maximum rank, the same as for MLIR text (ImportLimits::rank).
static constexpr size_t maxRank = 64;

static Type arrayType(const Shape &shape, Conversion &conversion, const Instruction &instruction) {
  MLIRContext *context = conversion.context();
  if (shape.element == "token") {
    return stablehlo::TokenType::get(context);
  }
  auto refuse = [&](DiagnosticCode code, const std::string &why) {
    conversion.fail(code, "shape `" + shape.str() + "` " + why, instruction);
    return Type();
  };
  std::optional<ElementType> element = shape.elementType();
  if (!element) {
    return refuse(errors::UnsupportedType, "has an element type that isn't supported");
  }
  if (shape.dimensions.size() > maxRank) {
    return refuse(errors::TensorTooLarge,
                  "has more than " + std::to_string(maxRank) + " dimensions");
  }
  SmallVector<int64_t> sizes, bounds;
  bool isBounded = false;
  std::vector<int64_t> largest;
  for (const Dimension &dimension : shape.dimensions) {
    isBounded |= dimension.dynamic && dimension.size >= 0;
    sizes.push_back(dimension.dynamic ? ShapedType::kDynamic : dimension.size);
    bounds.push_back(dimension.dynamic && dimension.size >= 0 ? dimension.size
                                                              : ShapedType::kDynamic);
    largest.push_back(std::max<int64_t>(dimension.size, 0));
    if (!dimension.dynamic && dimension.size < 0) {
      return refuse(errors::ProgramInvalid, "has a negative size");
    }
  }
  if (!byteCount(*element, largest)) {
    return refuse(errors::TensorTooLarge, "has more than 2^63 bytes");
  }
  mlir::Attribute encoding;
  if (isBounded) {
    encoding = stablehlo::TypeExtensionsAttr::get(context, bounds);
  }
  return RankedTensorType::get(sizes, toMlirType(*element, context), encoding);
}

size_t leafCount(const Shape &shape) {
  if (shape.kind == Shape::Kind::Array) {
    return 1;
  }
  size_t count = 0;
  for (const Shape &element : shape.elements) {
    count += leafCount(element);
  }
  return count;
}

static void addLeafTypes(const Shape &shape, Conversion &conversion, const Instruction &instruction,
                         SmallVectorImpl<Type> &types) {
  // A buffer is converted to the array that it holds. Operations that change the buffer return a
  // new array.
  if (shape.kind == Shape::Kind::Tuple || shape.kind == Shape::Kind::Buffer) {
    for (const Shape &element : shape.elements) {
      addLeafTypes(element, conversion, instruction, types);
    }
    return;
  }
  if (Type type = arrayType(shape, conversion, instruction)) {
    types.push_back(type);
  }
}

SmallVector<Type> leafTypes(const Shape &shape, Conversion &conversion,
                            const Instruction &instruction) {
  SmallVector<Type> types;
  addLeafTypes(shape, conversion, instruction, types);
  return types;
}

// Returns the parameters ordered by number; empty after an error.
static std::vector<const Instruction *> parametersOf(const Computation &computation,
                                                     Conversion &conversion) {
  std::vector<const Instruction *> all;
  for (const auto &instruction : computation.instructions) {
    if (instruction->opcode == "parameter") {
      all.push_back(instruction.get());
    }
  }
  std::vector<const Instruction *> parameters(all.size());
  for (const Instruction *instruction : all) {
    std::optional<int64_t> number = instruction->parameterNumber();
    if (!number || *number < 0 || *number >= static_cast<int64_t>(all.size()) ||
        parameters[static_cast<size_t>(*number)]) {
      conversion.fail(errors::ProgramInvalid,
                      "`" + instruction->name + "` of a computation with " +
                          std::to_string(all.size()) +
                          " parameters has an invalid or repeated number",
                      *instruction, "number parameters from 0, each once");
      return {};
    }
    parameters[static_cast<size_t>(*number)] = instruction;
  }
  return parameters;
}

SmallVector<Type> parameterTypes(const Computation &computation, Conversion &conversion) {
  SmallVector<Type> types;
  for (const Instruction *parameter : parametersOf(computation, conversion)) {
    addLeafTypes(parameter->shape, conversion, *parameter, types);
  }
  return types;
}

//===-- functions -----------------------------------------------------------------------------===//

func::FuncOp Conversion::functionOf(const Computation &computation) {
  func::FuncOp &function = functions[&computation];
  if (!function) {
    const Instruction &root = *computation.root();
    auto type = FunctionType::get(context(), parameterTypes(computation, *this),
                                  leafTypes(root.shape, *this, root));
    bool isEntry = &computation == module.entry();
    StringRef name = isEntry                    ? "main"
                     : computation.name.empty() ? "inline"
                                                : StringRef(computation.name);
    function = func::FuncOp::create(locationOf(root), name, type);
    if (!isEntry) {
      function.setPrivate();
    }
    symbols.insert(function); // renames it if the name is taken
    withoutBody.push_back(&computation);
  }
  return function;
}

// Names arguments after their parameters. The arguments for a tuple parameter `p` are named `p.0`,
// `p.1` ….
static void nameArguments(Block &block, const Computation &computation, Conversion &conversion) {
  MutableArrayRef<BlockArgument> left = block.getArguments();
  for (const Instruction *parameter : parametersOf(computation, conversion)) {
    size_t leaves = leafTypes(parameter->shape, conversion, *parameter).size();
    Location location = conversion.locationOf(*parameter);
    for (auto [i, argument] : llvm::enumerate(left.take_front(leaves))) {
      StringAttr name =
          StringAttr::get(conversion.context(), parameter->name + "." + std::to_string(i));
      argument.setLoc(leaves == 1 ? location : Location(NameLoc::get(name, location)));
    }
    left = left.drop_front(leaves);
  }
}

void Conversion::writeBodies() {
  while (!withoutBody.empty() && !failed()) {
    const Computation &computation = *withoutBody.front();
    withoutBody.pop_front();
    func::FuncOp function = functions.lookup(&computation);
    Block *block = function.addEntryBlock();
    nameArguments(*block, computation, *this);
    OpBuilder builder = OpBuilder::atBlockEnd(block);
    Emitter emitter(*this, builder, /*callsBecomeCalls=*/true, /*depth=*/0);
    Leaves results = emitter.emitComputation(computation, block->getArguments());
    if (failed()) {
      return;
    }
    func::ReturnOp::create(builder, locationOf(*computation.root()), results);
  }
}

} // namespace drumlin::hlo
