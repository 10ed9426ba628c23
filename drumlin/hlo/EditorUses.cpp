// Changing operands, uses, shapes, attributes and names.
#include "drumlin/hlo/Dependences.h"
#include "drumlin/hlo/EditPlaces.h"
#include "drumlin/hlo/Editor.h"
#include "drumlin/hlo/EntryLayout.h"
#include "drumlin/hlo/ModuleParser.h"
#include "drumlin/hlo/OperandRules.h"
#include "drumlin/support/diagnostics/SyntaxErrors.h"

#include <algorithm>

namespace drumlin::hlo {

static void setOperand(Operand &operand, Instruction &to) {
  operand.instruction = &to;
  operand.otherShape.reset();
  operand.withShape &= to.shape.kind != Shape::Kind::Absent;
}

static Diagnostic dependsOnItself(const Computation &computation, const Instruction &instruction) {
  return diagnose(errors::HloCycle,
                  "instruction `" + instruction.name + "` would depend on its own result",
                  placeOf(computation, instruction));
}

//===-- inline instructions -------------------------------------------------------------------===//

// Names an inline instruction, so that it is printed as a separate line before its user.
void Editor::nameInline(Computation &computation, Instruction &instruction, std::string name) {
  instruction.name = name.empty() ? unusedName(computation, instruction.opcode) : std::move(name);
  instruction.isInline = false;
  for (const std::unique_ptr<Instruction> &user : computation.instructions) {
    if (!user->isInline) {
      instruction.percent = user->percent;
      instruction.indent = user->indent;
    }
    for (Operand &operand : user->operands) {
      if (operand.instruction == &instruction) {
        operand.percent = instruction.percent;
      }
    }
  }
}

// Gives names to inline instructions that can't stay inline after a change of a user's operands:
// old operands that the user no longer uses exactly once, and new operands that were inline in
// another user. `before`: the operands before the change.
void Editor::nameInlineOperands(Computation &computation, Instruction &user,
                                const std::vector<Instruction *> &before) {
  auto count = [&](const Instruction *each) {
    return std::count_if(user.operands.begin(), user.operands.end(),
                         [&](const Operand &operand) { return operand.instruction == each; });
  };
  for (Instruction *each : before) {
    if (each->isInline && count(each) != 1) {
      nameInline(computation, *each);
    }
  }
  for (const Operand &operand : user.operands) {
    Instruction &each = *operand.instruction;
    if (each.isInline && std::find(before.begin(), before.end(), &each) == before.end()) {
      nameInline(computation, each);
    }
  }
}

//===-- order ---------------------------------------------------------------------------------===//

template <typename T>
static void permute(std::vector<T> &items, const std::vector<uint32_t> &order) {
  std::vector<T> ordered;
  ordered.reserve(items.size());
  for (uint32_t place : order) {
    ordered.push_back(std::move(items[place]));
  }
  items = std::move(ordered);
}

template <typename Changed, typename Node>
static bool pointsAhead(const Graph &graph,
                        const std::unordered_map<const Node *, uint32_t> &places,
                        const std::vector<Changed *> &changed) {
  return std::any_of(changed.begin(), changed.end(), [&](const Node *each) {
    uint32_t place = places.at(each);
    return std::any_of(graph[place].begin(), graph[place].end(),
                       [&](uint32_t on) { return on > place; });
  });
}

void Editor::orderInstructions(Computation &computation,
                               const std::vector<Instruction *> &changed) {
  InstructionGraph all(computation);
  if (!pointsAhead(all.graph, all.places, changed)) {
    return;
  }
  Instruction *root = computation.root();
  permute(computation.instructions, stableOrder(all.graph));
  if (computation.root() != root) {
    root->isRoot = true;
  }
}

void Editor::orderComputations(const Computation &changed) {
  CallGraph all(module);
  if (!pointsAhead(all.graph, all.places, std::vector<const Computation *>{&changed})) {
    return;
  }
  Computation *entry = module.entry();
  permute(module.computations, stableOrder(all.graph));
  if (module.entry() != entry) {
    entry->isEntry = true;
  }
}

//===-- operands ------------------------------------------------------------------------------===//

Status Editor::setOperands(Computation &computation, Instruction &instruction,
                           const std::vector<Instruction *> &operands) {
  if (instruction.literal) {
    return diagnose(errors::SyntaxInvalid, "a " + instruction.opcode + " has no operands",
                    placeOf(computation, instruction));
  }
  InstructionGraph all(computation);
  uint32_t place = all.places.at(&instruction);
  std::vector<uint32_t> &edges = all.graph[place];
  edges.erase(edges.begin(),
              edges.begin() + static_cast<std::ptrdiff_t>(instruction.operands.size()));
  for (const Instruction *operand : operands) {
    if (Status status = checkMember(computation, *operand); !status) {
      return status;
    }
    edges.push_back(all.places.at(operand));
  }
  if (reachableFrom(all.graph, place)[place]) {
    return dependsOnItself(computation, instruction);
  }
  if (Status status = checkOperands(instruction, operands, placeOf(computation, instruction));
      !status) {
    return status;
  }
  bool withShapes = !instruction.operands.empty() && instruction.operands[0].withShape;
  std::vector<Instruction *> before;
  for (const Operand &operand : instruction.operands) {
    before.push_back(operand.instruction);
  }
  instruction.operands.resize(operands.size());
  for (size_t i = 0; i < operands.size(); ++i) {
    Operand &operand = instruction.operands[i];
    if (operand.instruction == operands[i]) {
      continue;
    }
    operand.percent = instruction.percent;
    operand.withShape = withShapes;
    setOperand(operand, *operands[i]);
  }
  nameInlineOperands(computation, instruction, before);
  orderInstructions(computation, {&instruction});
  return Done{};
}

// Replaces references to `of` in an attribute's value. Returns whether any was replaced.
static bool replaceNames(Value &value, const Instruction &of, Instruction &by) {
  bool found = value.instruction() == &of;
  if (found) {
    value.referent.set(&by);
  }
  for (Value &item : value.items) {
    found |= replaceNames(item, of, by);
  }
  return found;
}

// Fails if the user satisfies its opcode's rules now, but would violate them with `by` in place of
// `of`.
static Status checkReplaced(const Computation &computation, const Instruction &user,
                            const Instruction &of, Instruction &by) {
  std::vector<Instruction *> operands;
  bool isUser = false;
  for (const Operand &operand : user.operands) {
    isUser |= operand.instruction == &of;
    operands.push_back(operand.instruction == &of ? &by : operand.instruction);
  }
  std::string place = isUser ? placeOf(computation, user) : std::string();
  return isUser && checkOperands(user, place) ? checkOperands(user, operands, place)
                                              : Status(Done{});
}

Status Editor::replaceUses(Computation &computation, Instruction &of, Instruction &by) {
  if (Status status = checkMember(computation, by); !status) {
    return status;
  }
  if (&of == &by) {
    return Done{};
  }
  EntryLayout layout(module);
  InstructionGraph all(computation);
  uint32_t place = all.places.at(&by);
  std::vector<bool> needed = reachableFrom(all.graph, place);
  needed[place] = true;
  for (const std::unique_ptr<Instruction> &user : computation.instructions) {
    if (Status status =
            needed[all.places.at(user.get())] ? Done{} : checkReplaced(computation, *user, of, by);
        !status) {
      return status;
    }
  }
  std::vector<Instruction *> changed;
  for (const std::unique_ptr<Instruction> &user : computation.instructions) {
    if (needed[all.places.at(user.get())]) {
      continue;
    }
    bool isChanged = false;
    for (Operand &operand : user->operands) {
      if (operand.instruction == &of) {
        setOperand(operand, by);
        isChanged = true;
      }
    }
    for (Attribute &attribute : user->attributes) {
      isChanged |= replaceNames(attribute.value, of, by);
    }
    if (isChanged) {
      changed.push_back(user.get());
    }
  }
  bool isRoot = computation.root() == &of;
  if (isRoot) {
    makeRoot(computation, by);
  }
  if (!changed.empty() || isRoot) {
    for (Instruction *each : {&of, &by}) {
      if (each->isInline) {
        nameInline(computation, *each);
      }
    }
    orderInstructions(computation, changed);
    layout.update();
  }
  return Done{};
}

Status Editor::setShape(Computation &computation, Instruction &instruction, Shape shape) {
  if (shape.kind == Shape::Kind::Absent || !shape.isWellFormed()) {
    return diagnose(errors::SyntaxInvalid,
                    "`" + shape.str() + "` is not a shape whose layouts list each dimension once",
                    placeOf(computation, instruction),
                    "name each dimension once, the fastest first, as in `f32[8,4]{1,0}`");
  }
  EntryLayout layout(module);
  instruction.shape = std::move(shape);
  instruction.shapeInferred = false;
  for (SignatureParameter &parameter : computation.signature) {
    if (parameter.parameter == &instruction) {
      parameter.otherShape.reset();
    }
  }
  if (computation.root() == &instruction) {
    computation.otherResult.reset();
  }
  for (const std::unique_ptr<Instruction> &user : computation.instructions) {
    for (Operand &operand : user->operands) {
      if (operand.instruction == &instruction) {
        operand.otherShape.reset();
      }
    }
  }
  layout.update();
  return Done{};
}

//===-- attributes and names ------------------------------------------------------------------===//

Status Editor::setAttribute(Computation &computation, Instruction &instruction,
                            std::string_view name, std::string_view text,
                            std::string_view fileName) {
  if (Status status = checkName(name, /*percent=*/true, placeOf(computation, instruction));
      !status) {
    return status;
  }
  size_t computations = module.computations.size();
  auto &attributes = instruction.attributes;
  attributes.push_back({std::string(name), {}});
  ModuleParser parser(text, fileName, {}, module, &module);
  bool isRead = parser.parseAttributePiece(computation, instruction);
  Attribute made = std::move(attributes.back());
  attributes.pop_back();
  // The new value replaces the old one in the list; the old one is restored after an error.
  Value *place = findAttribute(attributes, name);
  bool isNew = !place;
  Value old;
  if (isNew) {
    attributes.push_back(std::move(made));
  } else {
    old = std::exchange(*place, std::move(made.value));
  }
  Status status = Done{};
  if (!isRead) {
    status = parser.error();
  } else if (name == "control-predecessors") {
    InstructionGraph all(computation);
    uint32_t at = all.places.at(&instruction);
    if (reachableFrom(all.graph, at)[at]) {
      status = dependsOnItself(computation, instruction);
    }
  } else {
    status = checkCalls(computation, instruction.calledComputations());
  }
  if (!status) {
    module.computations.resize(computations);
    if (isNew) {
      attributes.pop_back();
    } else {
      *place = std::move(old);
    }
    return status;
  }
  putInlineComputations(computations, computation);
  takeOutInline(old);
  if (instruction.isInline) {
    nameInline(computation, instruction);
  }
  if (name == "control-predecessors") {
    orderInstructions(computation, {&instruction});
  } else if (!instruction.calledComputations().empty()) {
    orderComputations(computation);
  }
  return Done{};
}

bool Editor::removeAttribute(Instruction &instruction, std::string_view name) {
  if (const Value *value = instruction.find(name)) {
    takeOutInline(*value);
  }
  return instruction.remove(name);
}

Status Editor::rename(Computation &computation, Instruction &instruction, std::string_view name) {
  std::string place = placeOf(computation, instruction);
  if (Status status = checkName(name, instruction.percent, place); !status) {
    return status;
  }
  const Instruction *other = computation.find(name);
  if (other && other != &instruction) {
    return diagnose(errors::HloNameTaken,
                    "`" + std::string(name) + "` is already the name of another instruction",
                    place);
  }
  if (instruction.isInline) {
    nameInline(computation, instruction, std::string(name));
  } else {
    instruction.name = name;
  }
  return Done{};
}

} // namespace drumlin::hlo
