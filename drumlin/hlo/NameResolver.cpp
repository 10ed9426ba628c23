#include "drumlin/hlo/NameResolver.h"

#include "drumlin/hlo/Dependences.h"
#include "drumlin/support/diagnostics/SyntaxErrors.h"

#include <algorithm>

namespace drumlin::hlo {

// Returns the kind of objects that the words in an attribute's value denote. Since names need no
// `%`, the attribute determines whether a word is a name.
NameKind nameKindOf(std::string_view attribute) {
  static constexpr std::string_view computations[] = {
      "to_apply",
      "calls",
      "body",
      "condition",
      "select",
      "scatter",
      "true_computation",
      "called_computations",
      "false_computation",
      "branch_computations",
  };
  if (std::find(std::begin(computations), std::end(computations), attribute) !=
      std::end(computations)) {
    return NameKind::Computations;
  }
  return attribute == "control-predecessors" ? NameKind::Instructions : NameKind::Any;
}

template <typename T>
static T *find(const std::unordered_map<std::string_view, T *> &map, std::string_view name) {
  auto found = map.find(name);
  return found == map.end() ? nullptr : found->second;
}

Instruction *NameResolver::findInstruction(std::string_view name) const {
  Instruction *found = find(scope.instructions, name);
  return found || !scope.existing ? found : scope.existing->find(name);
}

Computation *NameResolver::findComputation(std::string_view name) const {
  Computation *found = find(computations, name);
  return found || !existing || name.empty() ? found : existing->find(name);
}

bool NameResolver::lookUp(Value &value, std::string_view name, NameKind kind) const {
  if (kind != NameKind::Instructions) {
    value.referent.set(findComputation(name));
  }
  if (!value.computation() && kind != NameKind::Computations) {
    value.referent.set(findInstruction(name));
  }
  return value.computation() || value.instruction();
}

void NameResolver::resolve(Value &value, std::string_view name, size_t offset, NameKind kind) {
  value.kind = Value::Kind::Name;
  value.text = name;
  if (!lookUp(value, name, kind) && scope.user) {
    scope.later.push_back({name, offset, kind, scope.user, {}});
  }
}

static void setOperand(Operand &operand, Instruction &instruction) {
  operand.instruction = &instruction;
  if (operand.otherShape && operand.otherShape->printsAs(instruction.shape)) {
    operand.otherShape.reset();
  }
}

void NameResolver::resolveOperand(Instruction &user, std::string_view name, size_t offset) {
  if (Instruction *instruction = findInstruction(name)) {
    setOperand(user.operands.back(), *instruction);
  } else {
    scope.later.push_back({name, offset, NameKind::Instructions, &user, user.operands.size() - 1});
  }
}

bool NameResolver::add(Instruction &instruction, const Computation &computation, size_t offset) {
  bool isNew = !scope.existing || !scope.existing->find(instruction.name);
  return (isNew && scope.instructions.emplace(instruction.name, &instruction).second) ||
         lexer.fail(errors::HloNameTaken,
                    "a second instruction `" + instruction.name + "` in computation `" +
                        computation.name + "`",
                    offset);
}

bool NameResolver::add(Computation &computation, size_t offset) {
  bool isNew = !existing || !existing->find(computation.name);
  return computation.name.empty() ||
         (isNew && computations.emplace(computation.name, &computation).second) ||
         lexer.fail(errors::HloNameTaken, "a second computation `" + computation.name + "`",
                    offset);
}

bool NameResolver::failUnknown(const Later &later, const std::string &what) {
  return lexer.fail(errors::HloNameUnknown,
                    "no " + what + " is named `" + std::string(later.name) + "`", later.offset);
}

// Resolves the remaining unresolved names in a value. Recursive; the parser limits the nesting of
// values.
void NameResolver::resolveItems(Value &value, NameKind kind) const {
  if (value.kind == Value::Kind::Name && !value.computation() && !value.instruction()) {
    lookUp(value, value.text, kind);
  }
  for (Value &item : value.items) {
    resolveItems(item, kind);
  }
}

void NameResolver::resolveAttributes(Instruction &user) const {
  for (Attribute &attribute : user.attributes) {
    resolveItems(attribute.value, nameKindOf(attribute.name));
  }
}

// Returns a use in `later` that is on a cycle, or null. Each cycle has a use that precedes the
// definition of the used name, and `later` has all such uses.
template <typename IsOnCycle>
static const NameResolver::Later *findClosing(const std::vector<NameResolver::Later> &later,
                                              IsOnCycle isOnCycle) {
  auto found = std::find_if(later.begin(), later.end(), isOnCycle);
  return found == later.end() ? nullptr : &*found;
}

// Returns the nodes of one cycle as a set; empty if the graph is acyclic.
static std::vector<bool> cycleOf(const Graph &graph) {
  std::vector<bool> nodes;
  for (uint32_t node : findCycle(graph)) {
    nodes.resize(graph.size());
    nodes[node] = true;
  }
  return nodes;
}

bool NameResolver::finish(const Computation &computation) {
  std::vector<Later> found;
  for (const Later &later : scope.later) {
    Instruction *instruction =
        later.kind == NameKind::Computations ? nullptr : findInstruction(later.name);
    if (!instruction) {
      if (later.kind == NameKind::Instructions) {
        return failUnknown(later, "instruction of this computation");
      }
      laterComputations.push_back(later);
      continue;
    }
    if (later.operand) {
      setOperand(later.user->operands[*later.operand], *instruction);
    } else if (found.empty() || found.back().user != later.user || found.back().operand) {
      resolveAttributes(*later.user);
    }
    found.push_back(later);
  }
  if (found.empty()) {
    return true;
  }
  InstructionGraph instructions(computation);
  const auto &places = instructions.places;
  std::vector<bool> cycle = cycleOf(instructions.graph);
  const Later *closing = findClosing(found, [&](const Later &later) {
    return !cycle.empty() && later.kind == NameKind::Instructions && cycle[places.at(later.user)] &&
           cycle[places.at(findInstruction(later.name))];
  });
  return !closing ||
         lexer.fail(errors::HloCycle,
                    "instruction `" + std::string(closing->name) + "` depends on its own result",
                    closing->offset);
}

bool NameResolver::finish(const Module &module) {
  if (laterComputations.empty()) {
    return true;
  }
  Instruction *user = nullptr;
  for (const Later &later : laterComputations) {
    if (later.kind == NameKind::Computations && !findComputation(later.name)) {
      return failUnknown(later, "computation");
    }
    if (user != later.user) {
      resolveAttributes(*later.user);
      user = later.user;
    }
  }
  CallGraph calls(module);
  std::unordered_map<const Instruction *, uint32_t> owners;
  for (size_t i = 0; i < module.computations.size(); ++i) {
    for (const std::unique_ptr<Instruction> &instruction : module.computations[i]->instructions) {
      owners.emplace(instruction.get(), i);
    }
  }
  std::vector<bool> cycle = cycleOf(calls.graph);
  const Later *closing = findClosing(laterComputations, [&](const Later &later) {
    const Computation *called = findComputation(later.name);
    return !cycle.empty() && called && cycle[owners.at(later.user)] &&
           cycle[calls.places.at(called)];
  });
  return !closing || lexer.fail(errors::HloCycle,
                                "computation `" + std::string(closing->name) + "` calls itself",
                                closing->offset);
}

} // namespace drumlin::hlo
