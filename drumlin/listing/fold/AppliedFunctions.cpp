#include "drumlin/listing/fold/AppliedFunctions.h"

#include "drumlin/listing/fold/FunctionFinder.h"

#include <algorithm>

namespace drumlin::listing {

bool namesApplied(const Instruction &instruction, const Attribute &attribute) {
  return isOneOf(instruction.opcode,
                 {"all-reduce", "all-reduce-start", "map", "reduce", "reduce-scatter",
                  "reduce-window", "scatter", "select-and-scatter", "sort"}) &&
         isOneOf(attribute.name, {"to_apply", "select", "scatter"});
}

std::string operationOf(const Computation &computation) {
  const Instruction *parameters[2] = {}, *operation = nullptr;
  for (const std::unique_ptr<Instruction> &instruction : computation.instructions) {
    if (instruction->opcode == "parameter" && isOneOf(instruction->argument, {"0", "1"})) {
      parameters[instruction->argument == "1"] = instruction.get();
    } else {
      operation = instruction.get();
    }
  }
  bool isOne = computation.instructions.size() == 3 && parameters[0] && parameters[1] &&
               operation && operation->operands.size() == 2 &&
               (operation->isRoot || operation == computation.instructions.back().get()) &&
               operation->calls.empty();
  if (!isOne) {
    return {};
  }
  std::string name = mnemonicOf(*operation);
  const Instruction *lhs = operation->operands[0].instruction,
                    *rhs = operation->operands[1].instruction;
  bool isCommutative = isOneOf(name, {"add", "and", "maximum", "minimum", "multiply", "or", "xor"});
  bool isInOrder = lhs == parameters[0] && rhs == parameters[1];
  if (!isInOrder && !(isCommutative && lhs == parameters[1] && rhs == parameters[0])) {
    return {};
  }
  if (name == "compare" && operation->attributes.size() == 1) {
    return "compare(" + operation->attributes[0].text + ")";
  }
  bool keepsType = operation->type == lhs->type && operation->type == rhs->type;
  return keepsType && operation->attributes.empty() ? name : std::string();
}

// Returns a function's body as text without names, so that equal functions have equal texts; empty
// if it calls other functions.
static std::string bodyOf(const Computation &computation) {
  std::unordered_map<const Instruction *, size_t> numbers;
  std::string body;
  for (const std::unique_ptr<Instruction> &instruction : computation.instructions) {
    if (!instruction->calls.empty() || !instruction->regions.empty()) {
      return {};
    }
    body += instruction->isRoot ? "ROOT " : "";
    body += instruction->type + " " + instruction->opcode + "(" + instruction->argument;
    for (const Operand &operand : instruction->operands) {
      auto number = numbers.find(operand.instruction);
      if (number == numbers.end()) {
        return {};
      }
      body += " " + std::to_string(number->second);
    }
    body += ")";
    for (const Attribute &attribute : instruction->attributes) {
      body += ", " + attribute.name + "=" + attribute.text;
    }
    body += "\n";
    numbers.emplace(instruction.get(), numbers.size());
  }
  return body;
}

std::unordered_map<const Computation *, std::string> namesOfApplied(const Module &module) {
  // For each computation, the number of all calls, and the number of calls by reductions, scatters
  // and sorts.
  std::unordered_map<const Computation *, size_t> calls, applications;
  for (const std::unique_ptr<Computation> &computation : module.computations) {
    forEach(*computation, [&](const Instruction &instruction) {
      for (const Computation *called : instruction.calls) {
        ++calls[called];
        bool isApplied = std::any_of(instruction.attributes.begin(), instruction.attributes.end(),
                                     [&](const Attribute &attribute) {
                                       return attribute.text == module.sigil + called->name &&
                                              namesApplied(instruction, attribute);
                                     });
        applications[called] += isApplied;
      }
    });
  }
  std::unordered_map<const Computation *, std::string> names;
  std::unordered_map<std::string, const Computation *> firsts;
  for (const std::unique_ptr<Computation> &computation : module.computations) {
    size_t count = calls[computation.get()];
    if (count == 0 || count != applications[computation.get()] || computation->isEntry) {
      continue;
    }
    if (std::string operation = operationOf(*computation); !operation.empty()) {
      names[computation.get()] = operation;
      continue;
    }
    std::string body = bodyOf(*computation);
    auto [first, isNew] = firsts.try_emplace(body, computation.get());
    if (!isNew && !body.empty()) {
      names[computation.get()] = module.sigil + first->second->name;
    }
  }
  return names;
}

} // namespace drumlin::listing
