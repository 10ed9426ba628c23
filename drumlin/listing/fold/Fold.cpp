#include "drumlin/listing/fold/Fold.h"

#include "drumlin/listing/TextPrinter.h"
#include "drumlin/listing/fold/AppliedFunctions.h"
#include "drumlin/listing/fold/Configuration.h"
#include "drumlin/listing/fold/Expression.h"
#include "drumlin/listing/fold/LibraryFormula.h"

#include <algorithm>
#include <unordered_map>

namespace drumlin::listing {

// Whether a computation has no regions and calls no functions.
static bool isStraight(const Computation &computation) {
  return std::all_of(computation.instructions.begin(), computation.instructions.end(),
                     [](const auto &instruction) {
                       return instruction->regions.empty() &&
                              baseName(instruction->opcode) != "call";
                     });
}

// Returns the called computation or the region that the instruction's expression should replace, or
// null.
static Computation *foldedBy(const Instruction &instruction,
                             const std::unordered_map<const Computation *, size_t> &callers) {
  std::string_view name = baseName(instruction.opcode);
  if (instruction.opcode.starts_with("plan.") && instruction.regions.size() == 1) {
    return instruction.regions[0].get();
  }
  if (instruction.calls.size() != 1) {
    return nullptr;
  }
  Computation *called = instruction.calls[0];
  bool isFunction = name == "call" && callers.at(called) == 1 && !called->isEntry &&
                    (called->keyword.empty() || called->keyword.ends_with("private"));
  bool isKernel = instruction.opcode == "fusion" || instruction.opcode == "plan.launch";
  return isKernel || (isFunction && isStraight(*called)) ? called : nullptr;
}

static void visitAll(const Module &module, auto visit) {
  for (const std::unique_ptr<Computation> &computation : module.computations) {
    forEach(*computation, visit);
  }
}

// Sets the attributes that are printed with expressions: applied functions are replaced with their
// operations, and known fields are removed from configurations.
static void writeShortAttributes(Instruction &instruction, const std::vector<KnownField> &known,
                                 const std::unordered_map<const Computation *, std::string> &names,
                                 std::string_view sigil) {
  std::vector<Attribute> attributes;
  for (Attribute attribute : instruction.attributes) {
    for (const Computation *called : instruction.calls) {
      auto name = names.find(called);
      bool isApplied = name != names.end() && namesApplied(instruction, attribute);
      if (isApplied && attribute.text == std::string(sigil) + called->name) {
        attribute.text = name->second;
        break;
      }
    }
    if (attribute.isJson) {
      attribute.text = shortConfiguration(attribute.text, known);
    }
    if (!attribute.isJson || !attribute.text.empty()) {
      attributes.push_back(std::move(attribute));
    }
  }
  instruction.shortAttributes = std::move(attributes);
}

// Whether an attribute only states how the results are computed: by which computation, by which
// kind of fusion, and in which memory. A complete expression makes such attributes unnecessary.
static bool saysHow(const Attribute &attribute) {
  static constexpr std::string_view names[] = {"buffers", "callee", "calls", "kind", "to_apply"};
  return std::find(std::begin(names), std::end(names), attribute.name) != std::end(names);
}

// Sets the expressions of the instructions whose computations should be folded.
static void writeExpressions(Module &module) {
  std::unordered_map<const Computation *, size_t> callers;
  visitAll(module, [&](const Instruction &instruction) {
    for (const Computation *called : instruction.calls) {
      ++callers[called];
    }
  });
  std::unordered_map<Computation *, size_t> folded;
  visitAll(module, [&](Instruction &instruction) {
    Computation *called = foldedBy(instruction, callers);
    if (!called) {
      return;
    }
    std::vector<std::string> arguments;
    for (const Operand &operand : instruction.operands) {
      arguments.push_back(argumentName(nameOf(operand).substr(1)));
    }
    Expression expression = expressionOf(*called, arguments);
    instruction.expression = std::move(expression.text);
    instruction.isWhole = expression.isWhole;
    folded[called] += expression.isWhole;
    if (expression.isWhole && instruction.shortAttributes) {
      std::erase_if(*instruction.shortAttributes, saysHow);
    }
  });
  // A computation isn't folded if other instructions also name it, or if an expression describes
  // only a part of it.
  for (auto [computation, count] : folded) {
    size_t wanted = computation->isRegion ? 1 : callers.at(computation);
    computation->isFolded = count == wanted;
  }
}

void fold(Module &module) {
  std::unordered_map<const Computation *, std::string> names = namesOfApplied(module);
  visitAll(module, [&](Instruction &instruction) {
    std::vector<KnownField> known;
    if (std::optional<CallFormula> formula = formulaOf(instruction)) {
      instruction.expression = std::move(formula->text);
      instruction.isWhole = true;
      known = std::move(formula->said);
    }
    if (!instruction.attributes.empty()) {
      writeShortAttributes(instruction, known, names, module.sigil);
    }
  });
  for (const std::unique_ptr<Computation> &computation : module.computations) {
    computation->isNamed = names.contains(computation.get());
  }
  writeExpressions(module);
}

} // namespace drumlin::listing
