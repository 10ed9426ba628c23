#include "drumlin/hlo/Lexer.h"
#include "drumlin/hlo/proto/Header.h"
#include "drumlin/hlo/proto/ModuleReader.h"
#include "drumlin/hlo/proto/ProtoLiterals.h"
#include "drumlin/support/diagnostics/SyntaxErrors.h"

#include <algorithm>

namespace drumlin::hlo {

// Returns a value that names an instruction or a computation.
template <typename Named> static Value nameOf(Named &named, Arena &arena) {
  Value value;
  value.kind = Value::Kind::Name;
  value.percent = true;
  value.text.assign(named.name, arena);
  value.referent.set(&named);
  return value;
}

//===-- instructions and their order ----------------------------------------------------------===//

// Whether instructions with this opcode can have operands.
static bool hasOperands(std::string_view opcode) {
  return opcode != "parameter" && opcode != "constant";
}

// Reads an instruction's name, opcode and shape, and collects the ids that it refers to, since the
// instructions with these ids may follow later. A single pass reads the few fields needed here.
Status ModuleReader::readInstruction(const Body &body, const proto::HloInstructionProto &message,
                                     Instruction &to) {
  using Message = proto::HloInstructionProto;
  int64_t id = 0;
  proto::ShapeProto shape;
  proto::WireField field{};
  for (proto::Cursor fields = message.cursor(); fields.take(field);) {
    switch (field.tag) {
    case Message::name_tag:
      to.name = field.bytes();
      break;
    case Message::opcode_tag:
      to.opcode = field.bytes();
      break;
    case Message::shape_tag:
      shape = proto::ShapeProto(field.bytes());
      break;
    case Message::id_tag:
      id = proto::takeNumber<int64_t>(field.data);
      break;
    case Message::operand_ids_tag:
    case Message::operand_ids_single_tag:
      proto::eachNumber<int64_t>(field, [&](int64_t id) { operandIds.push(localId(id)); });
      break;
    case Message::control_predecessor_ids_tag:
    case Message::control_predecessor_ids_single_tag:
      proto::eachNumber<int64_t>(field, [&](int64_t id) { predecessorIds.push(localId(id)); });
      break;
    case Message::called_computation_ids_tag:
    case Message::called_computation_ids_single_tag:
      proto::eachNumber<int64_t>(field, [&](int64_t id) { calledIds.push_back(id); });
      break;
    default:
      break;
    }
  }
  if (!isName(to.opcode)) {
    return invalid("instruction " + std::to_string(id) + " of computation `" +
                   std::string(body.name) + "` has no opcode");
  }
  if (!isName(to.name)) {
    to.name = nameInText(to.name, to.opcode + "." + std::to_string(id));
  }
  readShape(shape, &arena, to.shape);
  if (!to.shape.isWellFormed()) {
    return invalid("instruction `" + to.name + "` of computation `" + std::string(body.name) +
                   "` has a shape without an element type, or with a layout of other dimensions");
  }
  if (!hasOperands(to.opcode)) {
    operandIds.drop();
  }
  operandIds.end();
  predecessorIds.end();
  calledEnds.push_back(calledIds.size());
  ids.push_back(localId(id));
  return Done{};
}

// Reads a computation's instructions and the ids that they refer to, in the proto's order.
Status ModuleReader::readInstructions(const Body &body) {
  unsorted.clear();
  ids.clear();
  operandIds.clear();
  predecessorIds.clear();
  calledIds.clear();
  calledEnds.clear();
  Instruction *made = Instruction::allocate(body.count, arena);
  for (size_t i = 0; i < body.count; ++i) {
    unsorted.emplace_back(Instruction::makeAt(made + i));
    current = unread[body.firstUnread + i].bytes();
    if (Status status = readInstruction(body, unread[body.firstUnread + i], made[i]); !status) {
      return status;
    }
  }
  return Done{};
}

// Appends the indices of the instructions with the given ids, to which instruction `number` refers.
// `what`: the role of the ids, for error messages.
Status ModuleReader::link(const Body &body, uint32_t number, std::span<const uint32_t> ids,
                          std::string_view what, NumberLists &to) const {
  for (uint32_t id : ids) {
    std::optional<uint32_t> found = places.find(id);
    if (!found) {
      return invalid(std::string(what) + std::to_string(id) + " of instruction `" +
                         std::string(messages[body.first + number].name()) +
                         "` is not an instruction of computation `" + std::string(body.name) + "`",
                     errors::HloNameUnknown);
    }
    to.push(*found);
  }
  to.end();
  return Done{};
}

// Appends the indices of the computations that an instruction calls.
Status ModuleReader::linkCalled(uint32_t instruction) {
  for (size_t i = instruction == 0 ? 0 : calledEnds[instruction - 1]; i < calledEnds[instruction];
       ++i) {
    const Body *found = findBody(calledIds[i]);
    if (!found) {
      return invalid("no computation has the id " + std::to_string(calledIds[i]) +
                         ", which instruction `" + unsorted[instruction]->name + "` calls",
                     errors::HloNameUnknown);
    }
    called.push(static_cast<uint32_t>(found - bodies.data()));
  }
  called.end();
  return Done{};
}

// Sorts a computation's instructions by id. Most protos have them in this order.
void ModuleReader::sortById(const Body &body) {
  byId.resize(body.count);
  for (uint32_t i = 0; i < body.count; ++i) {
    byId[i] = i;
  }
  if (!std::is_sorted(ids.begin(), ids.end())) {
    std::sort(byId.begin(), byId.end(),
              [&](uint32_t a, uint32_t b) { return std::pair(ids[a], a) < std::pair(ids[b], b); });
  }
  sortedIds.clear();
  for (uint32_t number : byId) {
    messages.push_back(unread[body.firstUnread + number]);
    instructions.push_back(unsorted[number].get());
    sortedIds.push_back(ids[number]);
  }
}

Status ModuleReader::collectInstructions(Body &body) {
  if (Status status = readInstructions(body); !status) {
    return status;
  }
  body.first = messages.size();
  current = body.bytes;
  if (body.count == 0) {
    return invalid("computation `" + std::string(body.name) + "` has no instructions");
  }
  sortById(body);
  places.assign(sortedIds);
  if (std::optional<uint32_t> second = places.repeated()) {
    return invalid("a second instruction with id " +
                       std::to_string(messages[body.first + *second].id()) + " in computation `" +
                       std::string(body.name) + "`",
                   errors::HloNameTaken);
  }
  for (uint32_t i = 0; i < body.count; ++i) {
    current = messages[body.first + i].bytes();
    if (Status status = link(body, i, operandIds[byId[i]], "operand ", operands); !status) {
      return status;
    }
    if (Status status =
            link(body, i, predecessorIds[byId[i]], "control predecessor ", predecessors);
        !status) {
      return status;
    }
    if (Status status = linkCalled(byId[i]); !status) {
      return status;
    }
  }
  current = body.bytes;
  std::optional<uint32_t> root = places.find(body.root);
  if (!root) {
    return invalid("no instruction of computation `" + std::string(body.name) +
                       "` has the root's id",
                   errors::HloNameUnknown);
  }
  body.root = *root;
  instructions[body.first + *root]->isRoot = true;
  findOrder(body);
  std::vector<std::unique_ptr<Instruction>> &ordered = body.computation->instructions;
  ordered.reserve(body.count);
  for (uint32_t number : orderOf(body)) {
    ordered.push_back(std::move(unsorted[byId[number]]));
  }
  return checkNames(body);
}

// Determines the order of a computation's instructions: the schedule's order or, without a
// schedule, the order in which XLA prints them.
void ModuleReader::findOrder(const Body &body) {
  if (body.schedule.instruction_ids_size() != body.count) {
    orderer.append(operands, predecessors, body.first, body.count, instructionOrder);
    return;
  }
  std::vector<bool> seen(body.count);
  for (int64_t id : body.schedule.instruction_ids()) {
    std::optional<uint32_t> number = places.find(localId(id));
    if (number && !seen[*number]) {
      seen[*number] = true;
      instructionOrder.push_back(*number);
    }
  }
  if (instructionOrder.size() != messages.size()) { // invalid schedule; orders by id
    instructionOrder.resize(body.first);
    for (size_t i = 0; i < body.count; ++i) {
      instructionOrder.push_back(static_cast<uint32_t>(i));
    }
  }
}

Status ModuleReader::checkNames(const Body &body) {
  names.clear(body.count);
  for (const std::unique_ptr<Instruction> &instruction : body.computation->instructions) {
    if (!names.insert(instruction->name)) {
      return invalid("a second instruction `" + instruction->name + "` in computation `" +
                         std::string(body.name) + "`",
                     errors::HloNameTaken);
    }
  }
  return Done{};
}

Status ModuleReader::readOperands(const Body &body, uint32_t number, const FoundInstruction &from) {
  Instruction &instruction = *instructions[body.first + number];
  std::string_view opcode = instruction.opcode;
  if (opcode == "parameter") {
    parameters.emplace_back(from.parameter_number(), &instruction);
    instruction.literal =
        numberList('(', std::initializer_list<int64_t>{from.parameter_number()}, arena);
    return Done{};
  }
  if (opcode == "constant") {
    List<Value> items;
    if (from.has_literal()) {
      std::string_view shape = from.literal().shape().bytes();
      if (shape != from.shape().bytes() &&
          readShape(proto::ShapeProto(shape)).str(/*withLayout=*/false) !=
              instruction.shape.str(/*withLayout=*/false)) {
        return invalid("the constant of instruction `" + instruction.name +
                       "` has a different shape than the instruction");
      }
      Result<Value> literal = readLiteral(from.literal(), arena);
      if (!literal) {
        return invalid(literal.error().message + ", instruction `" + instruction.name + "`");
      }
      items.reserve(1, arena);
      items.push_back(std::move(*literal));
    }
    instruction.literal = Value::list('(', std::move(items));
    return Done{};
  }
  std::span<const uint32_t> numbers = operands[body.first + number];
  instruction.operands.reserve(numbers.size(), arena);
  instruction.indexComments = numbers.size() > 5;
  for (uint32_t operand : numbers) {
    instruction.operands.emplace_back().instruction = instructions[body.first + operand];
  }
  return Done{};
}

static bool isOneOf(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

void ModuleReader::addCalled(std::span<const uint32_t> numbers, const Instruction &instruction) {
  if (numbers.empty()) {
    return;
  }
  List<Value> called;
  called.reserve(numbers.size(), arena);
  for (uint32_t number : numbers) {
    called.push_back(nameOf(*bodies[number].computation, arena));
  }
  auto add = [&](std::string_view name, Value value) { attributes.add(name) = std::move(value); };
  std::string_view opcode = instruction.opcode;
  if (opcode == "while" && called.size() == 2) {
    add("condition", std::move(called[1]));
    add("body", std::move(called[0]));
  } else if (opcode == "select-and-scatter" && called.size() == 2) {
    add("select", std::move(called[0]));
    add("scatter", std::move(called[1]));
  } else if (opcode == "conditional") {
    bool isBoolean = !instruction.operands.empty() && called.size() == 2 &&
                     instruction.operands[0].instruction->shape.element == "pred";
    if (isBoolean) {
      add("true_computation", std::move(called[0]));
      add("false_computation", std::move(called[1]));
    } else {
      add("branch_computations", Value::list('{', std::move(called), /*spaced=*/true));
    }
  } else if (opcode == "custom-call") {
    add("called_computations", Value::list('{', std::move(called), /*spaced=*/true));
  } else {
    bool applies =
        isOneOf(opcode, {"call", "map", "reduce", "reduce-window", "reduce-scatter", "all-reduce",
                         "all-reduce-start", "scatter", "topk", "sort", "scan"});
    std::string_view name = applies ? "to_apply" : "calls";
    add(name,
        called.size() == 1 ? std::move(called[0]) : Value::list('{', std::move(called), true));
  }
}

void ModuleReader::readAttributes(const Body &body, uint32_t number, const FoundInstruction &from) {
  Instruction &instruction = *instructions[body.first + number];
  AttributeContext context;
  if (!instruction.operands.empty()) {
    context.firstOperand = &instruction.operands[0].instruction->shape;
  }
  if (std::string_view thread = from.async_execution_thread();
      !thread.empty() && thread != "main") {
    attributes.quoted("async_execution_thread", thread);
  }
  printFields(from, context, attributes);
  addCalled(called[body.first + number], instruction);
  attributes.flag("is_composite", from.is_composite());
  printSharedFields(from, attributes);
  if (std::span<const uint32_t> before = predecessors[body.first + number]; !before.empty()) {
    List<Value> values;
    values.reserve(before.size(), arena);
    for (uint32_t predecessor : before) {
      values.push_back(nameOf(*instructions[body.first + predecessor], arena));
    }
    attributes.add("control-predecessors") = Value::list('{', std::move(values), /*spaced=*/true);
  }
  if (from.has_original_value()) {
    std::string text;
    printOrigin(from.original_value(), from.shape(), text);
    attributes.text("origin", text);
  }
  if (from.has_metadata()) {
    if (Value metadata = metadataValue(from.metadata(), arena); !metadata.items.empty()) {
      attributes.add("metadata") = std::move(metadata);
    }
  }
  if (std::string_view config = from.backend_config(); !config.empty()) {
    printBackendConfig(config, attributes);
  }
}

} // namespace drumlin::hlo
