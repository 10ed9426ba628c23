#include "drumlin/hlo/Editor.h"

#include "drumlin/hlo/Dependences.h"
#include "drumlin/hlo/EditPlaces.h"
#include "drumlin/hlo/EntryLayout.h"
#include "drumlin/hlo/ModuleParser.h"
#include "drumlin/hlo/OperandRules.h"
#include "drumlin/support/diagnostics/SyntaxErrors.h"

#include <algorithm>

namespace drumlin::hlo {

std::string placeOf(const Computation &computation) { return "%" + computation.name; }

std::string placeOf(const Computation &computation, const Instruction &instruction) {
  return "%" + (instruction.isInline ? instruction.opcode : instruction.name) + " in " +
         placeOf(computation);
}

Status checkName(std::string_view name, bool percent, const std::string &place) {
  // Without a `%`, the parser would read the names `ROOT` and `ENTRY` as keywords, and a name that
  // begins with a digit as the start of a layout.
  bool isPlain =
      !name.empty() && name != "ROOT" && name != "ENTRY" && !(name[0] >= '0' && name[0] <= '9');
  if (isName(name) && (percent || isPlain)) {
    return Done{};
  }
  return diagnose(errors::SyntaxInvalid, "`" + std::string(name) + "` is not a valid name", place,
                  "use letters, digits, `_`, `.` and `-`");
}

Status checkMember(const Computation &computation, const Instruction &instruction) {
  const auto &all = computation.instructions;
  if (std::any_of(all.begin(), all.end(),
                  [&](const auto &each) { return each.get() == &instruction; })) {
    return Done{};
  }
  return diagnose(errors::HloNameUnknown,
                  "`" + instruction.name + "` is not an instruction of this computation",
                  placeOf(computation));
}

std::string unusedName(const Computation &computation, std::string_view base) {
  std::string name(base);
  for (size_t i = 1; computation.find(name); ++i) {
    name = std::string(base) + "." + std::to_string(i);
  }
  return name;
}

bool namesInstruction(const Value &value, const Instruction &instruction) {
  return value.instruction() == &instruction ||
         std::any_of(value.items.begin(), value.items.end(),
                     [&](const Value &item) { return namesInstruction(item, instruction); });
}

static bool uses(const Instruction &user, const Instruction &used) {
  return std::any_of(user.operands.begin(), user.operands.end(),
                     [&](const Operand &operand) { return operand.instruction == &used; }) ||
         std::any_of(user.attributes.begin(), user.attributes.end(),
                     [&](const Attribute &each) { return namesInstruction(each.value, used); });
}

//===-- roots and parameters ------------------------------------------------------------------===//

// Whether the instruction has a shape. Signatures, and operands printed with shapes, need one.
static bool hasShape(const Instruction &instruction) {
  return instruction.shape.kind != Shape::Kind::Absent;
}

void Editor::makeRoot(Computation &computation, Instruction &instruction) {
  Instruction *old = computation.root();
  if (old == &instruction) {
    return;
  }
  if (hasShape(instruction)) {
    computation.otherResult.reset();
  } else if (!computation.otherResult) {
    computation.otherResult = std::make_unique<Shape>(old->shape);
  }
  for (const std::unique_ptr<Instruction> &each : computation.instructions) {
    each->isRoot = false;
  }
  instruction.isRoot = true;
}

Status Editor::setRoot(Computation &computation, Instruction &instruction) {
  if (Status status = checkMember(computation, instruction); !status) {
    return status;
  }
  EntryLayout layout(module);
  if (instruction.isInline) {
    nameInline(computation, instruction);
  }
  makeRoot(computation, instruction);
  layout.update();
  return Done{};
}

void Editor::addToSignature(Computation &computation, Instruction &parameter) {
  int64_t number = *parameter.parameterNumber();
  if (computation.hasSignature && computation.signature.size() == static_cast<size_t>(number)) {
    computation.signature.push_back({&parameter, parameter.name, nullptr});
  }
}

void Editor::renumberParameters(Computation &computation, const Instruction &without) {
  int64_t gone = *without.parameterNumber();
  auto &signature = computation.signature;
  std::erase_if(signature,
                [&](const SignatureParameter &each) { return each.parameter == &without; });
  for (const std::unique_ptr<Instruction> &each : computation.instructions) {
    std::optional<int64_t> number = each->parameterNumber();
    if (number && *number > gone) {
      each->literal->items[0].text = std::to_string(*number - 1);
    }
  }
}

//===-- adding and removing instructions ------------------------------------------------------===//

Status Editor::checkCalls(const Computation &computation,
                          const std::vector<Computation *> &called) const {
  if (called.empty()) {
    return Done{};
  }
  CallGraph calls(module);
  uint32_t caller = calls.places.at(&computation);
  for (const Computation *each : called) {
    if (each == &computation || reachableFrom(calls.graph, calls.places.at(each))[caller]) {
      return diagnose(errors::HloCycle, "computation `" + computation.name + "` would call itself",
                      placeOf(computation));
    }
  }
  return Done{};
}

Status checkInstructions(const Computation &computation, size_t begin) {
  for (size_t i = begin; i < computation.instructions.size(); ++i) {
    const Instruction &each = *computation.instructions[i];
    std::string place = placeOf(computation, each);
    if (Status status = checkOpcode(each.opcode, place); !status) {
      return status;
    }
    if (Status status = checkOperands(each, place); !status) {
      return status;
    }
  }
  return Done{};
}

// Checks the instructions that were just added, which begin at index `begin`: inline operands, then
// the instruction that uses them.
Status Editor::checkInserted(const Computation &computation, size_t begin) const {
  const Instruction &made = *computation.instructions.back();
  if (Status status = checkInstructions(computation, begin); !status) {
    return status;
  }
  if (Status status = checkName(made.name, made.percent, placeOf(computation, made)); !status) {
    return status;
  }
  if (std::optional<int64_t> number = made.parameterNumber()) {
    int64_t next = 0;
    for (const std::unique_ptr<Instruction> &each : computation.instructions) {
      next += each.get() != &made && each->opcode == "parameter";
    }
    if (*number != next) {
      return diagnose(errors::SyntaxInvalid,
                      "parameter " + std::to_string(*number) +
                          " is out of order; the next number is " + std::to_string(next),
                      placeOf(computation, made),
                      "write `parameter(" + std::to_string(next) + ")`");
    }
  } else if (made.opcode == "parameter") {
    return diagnose(errors::SyntaxInvalid, "a parameter without a number",
                    placeOf(computation, made));
  }
  if (!hasShape(made) && made.opcode == "parameter" && computation.hasSignature) {
    return diagnose(errors::SyntaxInvalid, "a parameter without a shape",
                    placeOf(computation, made), "write its shape before its opcode");
  }
  return checkCalls(computation, made.calledComputations());
}

// Moves the inline computations, which begin at index `begin`, in front of their caller.
void Editor::putInlineComputations(size_t begin, const Computation &caller) {
  auto &all = module.computations;
  auto place =
      std::find_if(all.begin(), all.end(), [&](const auto &each) { return each.get() == &caller; });
  std::rotate(place, all.begin() + static_cast<std::ptrdiff_t>(begin), all.end());
}

Result<Instruction *> Editor::insert(Computation &computation, std::string_view text,
                                     const Instruction *before, std::string_view fileName) {
  if (Status status = before ? checkMember(computation, *before) : Done{}; !status) {
    return status.error();
  }
  EntryLayout layout(module);
  auto &all = computation.instructions;
  Instruction *root = computation.root();
  auto begin = static_cast<std::ptrdiff_t>(all.size());
  size_t computations = module.computations.size();
  ModuleParser parser(text, fileName, {}, module, &module);
  bool isRead = parser.parseInstructionPiece(computation);
  Status status =
      isRead ? checkInserted(computation, static_cast<size_t>(begin)) : Status(parser.error());
  for (size_t i = computations; status && i < module.computations.size(); ++i) {
    status = checkInstructions(*module.computations[i], 0); // inline computations
  }
  if (!status) {
    all.erase(all.begin() + begin, all.end());
    module.computations.resize(computations);
    return status.error();
  }
  Instruction &made = *all.back();
  made.indent = root->indent;
  if (made.isRoot) {
    made.isRoot = false;
    root->isRoot = true;
    makeRoot(computation, made);
  } else if (computation.root() != root) {
    root->isRoot = true;
  }
  if (made.opcode == "parameter") {
    addToSignature(computation, made);
  }
  putInlineComputations(computations, computation);
  if (before) {
    auto place = std::find_if(all.begin(), all.end(),
                              [&](const auto &each) { return each.get() == before; });
    std::rotate(place, all.begin() + begin, all.end());
    orderInstructions(computation, {&made});
  }
  if (!made.calledComputations().empty()) {
    orderComputations(computation);
  }
  layout.update();
  return &made;
}

Status Editor::remove(Computation &computation, Instruction &instruction) {
  std::string place = placeOf(computation, instruction);
  if (computation.root() == &instruction) {
    return diagnose(errors::HloInUse, "it is the root of computation `" + computation.name + "`",
                    place, "give the computation another root first");
  }
  for (const std::unique_ptr<Instruction> &user : computation.instructions) {
    if (user.get() != &instruction && uses(*user, instruction)) {
      return diagnose(errors::HloInUse,
                      "`" + (user->isInline ? user->opcode : user->name) + "` uses it", place);
    }
  }
  EntryLayout layout(module);
  if (instruction.parameterNumber()) {
    renumberParameters(computation, instruction);
  }
  takeOut(computation, instruction);
  layout.update();
  return Done{};
}

// Moves an instruction to `removed`, with the operands and computations written inline in it.
void Editor::takeOut(Computation &computation, Instruction &instruction) {
  std::vector<Instruction *> open{&instruction};
  while (!open.empty()) {
    Instruction &each = *open.back();
    open.pop_back();
    for (const Operand &operand : each.operands) {
      if (operand.instruction->isInline) {
        open.push_back(operand.instruction);
      }
    }
    for (const Attribute &attribute : each.attributes) {
      takeOutInline(attribute.value);
    }
    auto &all = computation.instructions;
    auto place = std::find_if(all.begin(), all.end(),
                              [&](const auto &owner) { return owner.get() == &each; });
    removed.instructions.push_back(std::move(*place));
    all.erase(place);
  }
}

Status Editor::setLiteral(Instruction &instruction, std::string_view text) {
  if (instruction.opcode != "constant") {
    return diagnose(errors::SyntaxInvalid, "only constants have elements", "%" + instruction.name);
  }
  Module none;
  Value literal;
  ModuleParser parser(text, "<literal>", {}, none);
  if (!parser.parseLiteralPiece(literal)) {
    return parser.error();
  }
  instruction.literal = std::move(literal);
  return Done{};
}

Status Editor::setOpcode(Instruction &instruction, std::string_view opcode) {
  auto isLeaf = [](std::string_view name) { return name == "constant" || name == "parameter"; };
  if (!isName(opcode)) {
    return diagnose(errors::SyntaxInvalid, "`" + std::string(opcode) + "` is not a valid opcode",
                    "%" + instruction.name, "write an opcode such as `add` or `custom-call`");
  }
  if (opcode != instruction.opcode && (isLeaf(opcode) || isLeaf(instruction.opcode))) {
    return diagnose(errors::SyntaxInvalid,
                    "`" + instruction.opcode + "` can't become `" + std::string(opcode) + "`",
                    "%" + instruction.name, "insert another instruction and replace the uses");
  }
  if (Status status = checkOpcode(opcode, "%" + instruction.name); !status) {
    return status;
  }
  instruction.opcode = opcode;
  return Done{};
}

} // namespace drumlin::hlo
