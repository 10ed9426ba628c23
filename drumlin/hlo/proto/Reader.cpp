#include "drumlin/hlo/proto/Proto.h"

#include "drumlin/hlo/Cycles.h"
#include "drumlin/hlo/Lexer.h"
#include "drumlin/hlo/proto/Attributes.h"
#include "drumlin/hlo/proto/Header.h"
#include "drumlin/hlo/proto/Literals.h"
#include "drumlin/hlo/proto/Order.h"
#include "drumlin/hlo/proto/Places.h"
#include "drumlin/hlo/proto/TextForm.h"
#include "drumlin/hlo/proto/Wire.h"

#include <algorithm>
#include <variant>

namespace drumlin::hlo {

namespace {

// Ids count within a computation in their low half; older files have none in their high half.
uint32_t localId(int64_t id) { return static_cast<uint32_t>(id); }

using FoundInstruction = proto::Found<proto::HloInstructionProto>;

// A computation and its message. Its instructions are numbered in the order of their ids; what the
// reader knows of them stands in lists of the whole module, `count` places from `first` on.
struct Body {
  int64_t id = 0;
  std::string_view name, thread;
  uint32_t root = 0;
  std::string_view bytes;                                // of the message
  proto::HloScheduleProto::InstructionSequence schedule; // empty where there is none
  std::unique_ptr<Computation> owned;                    // until the module has it
  Computation *computation = nullptr;
  size_t first = 0, count = 0;
  size_t firstUnread = 0;
};

class ModuleReader {
public:
  // `file`: the bytes that the message lies in, from which places are counted; nothing: places are
  // the file's name.
  ModuleReader(const proto::HloModuleProto &message, std::optional<std::string_view> file,
               std::string_view fileName, Module &module)
      : message(message), file(file), fileName(fileName), module(module), arena(*module.arena),
        current(message.bytes()), attributes(arena) {}

  Status read();

private:
  Diagnostic invalid(std::string what,
                     DiagnosticCode code = DiagnosticCode::HloProtoInvalid) const {
    std::string place(fileName);
    if (file) {
      place += ":" + std::to_string(current.data() - file->data());
    }
    return diagnose(code, std::move(what), std::move(place));
  }

  Body readBody(const proto::HloComputationProto &message);
  Status collectComputations();
  Body *findBody(int64_t id);
  Status readInstruction(const Body &body, const proto::HloInstructionProto &message,
                         Instruction &to);
  Status readInstructions(const Body &body);
  Status collectInstructions(Body &body);
  Status link(const Body &body, uint32_t number, std::span<const uint32_t> ids,
              std::string_view what, NumberLists &to) const;
  Status linkCalled(uint32_t instruction);
  void sortById(const Body &body);
  void findOrder(const Body &body);
  std::vector<uint32_t> orderComputations() const;
  Status declareComputations();
  Status checkNames(const Body &body);
  Status readComputation(Body &body);
  Status readSignature(const Body &body);
  Status readOperands(const Body &body, uint32_t number, const FoundInstruction &from);
  void readAttributes(const Body &body, uint32_t number, const FoundInstruction &from);
  void addCalled(std::span<const uint32_t> numbers, const Instruction &instruction);
  // Says which of the attributes that have been read isn't one that text has.
  Diagnostic wrongAttribute(const std::string &of) const {
    return invalid("attribute `" + *attributes.firstWrong() + "` of " + of +
                   " isn't one that text has");
  }
  Status checkCycles(const Body &body);
  std::span<const uint32_t> orderOf(const Body &body) const {
    return std::span(instructionOrder).subspan(body.first, body.count);
  }
  Status checkCalls();

  proto::HloModuleProto message;
  std::optional<std::string_view> file;
  std::string_view fileName;
  Module &module;
  Arena &arena;
  std::string_view current;    // the message that is read
  std::vector<Body> bodies;    // in the order of their ids
  std::vector<uint32_t> order; // of the computations

  std::vector<proto::HloInstructionProto> unread; // instructions in the module's order
  // Of the instructions, those of one computation behind those of another.
  std::vector<proto::HloInstructionProto> messages;
  std::vector<Instruction *> instructions;
  std::vector<uint32_t> instructionOrder; // in which a computation has them
  NumberLists operands, predecessors;
  NumberLists called; // computations in the order of their ids

  // Their memory is used again.
  std::vector<std::unique_ptr<Instruction>> unsorted;
  std::vector<uint32_t> ids, sortedIds;
  std::vector<uint32_t> byId; // numbers of a computation's instructions in the order of their ids
  NumberLists operandIds, predecessorIds;
  std::vector<int64_t> calledIds;
  std::vector<size_t> calledEnds; // the end of each instruction's ids
  Places places;
  std::vector<std::pair<int64_t, Instruction *>> parameters; // of a computation, and their numbers
  std::vector<uint32_t> positions; // of what is checked for cycles in its order
  NameSet names;
  InstructionOrder orderer;
  AttributeList attributes;
};

} // namespace

static Value nameOf(Computation &computation, Arena &arena) {
  Value value;
  value.kind = Value::Kind::Name;
  value.percent = true;
  value.text.assign(computation.name, arena);
  value.referent.set(&computation);
  return value;
}

static Value nameOf(Instruction &instruction, Arena &arena) {
  Value value;
  value.kind = Value::Kind::Name;
  value.percent = true;
  value.text.assign(instruction.name, arena);
  value.referent.set(&instruction);
  return value;
}

//===-- computations and their order ----------------------------------------------------------===//

// A computation's fields are many, so that they are looked at once.
Body ModuleReader::readBody(const proto::HloComputationProto &message) {
  using Message = proto::HloComputationProto;
  Body body;
  body.bytes = message.bytes();
  body.firstUnread = unread.size();
  proto::WireField field{};
  for (proto::Cursor fields = message.cursor(); fields.take(field);) {
    switch (field.tag) {
    case Message::name_tag:
      body.name = field.bytes();
      break;
    case Message::instructions_tag:
      unread.emplace_back(field.bytes());
      break;
    case Message::id_tag:
      body.id = proto::takeNumber<int64_t>(field.data);
      break;
    case Message::root_id_tag:
      body.root = localId(proto::takeNumber<int64_t>(field.data));
      break;
    case Message::execution_thread_tag:
      body.thread = field.bytes();
      break;
    default:
      break;
    }
  }
  body.count = unread.size() - body.firstUnread;
  body.owned = std::make_unique<Computation>();
  body.computation = body.owned.get();
  return body;
}

Status ModuleReader::collectComputations() {
  for (proto::HloComputationProto computation : message.computations()) {
    bodies.push_back(readBody(computation));
  }
  if (bodies.empty()) {
    return invalid("a module without computations");
  }
  std::sort(bodies.begin(), bodies.end(), [](const Body &a, const Body &b) { return a.id < b.id; });
  for (size_t i = 1; i < bodies.size(); ++i) {
    if (bodies[i - 1].id == bodies[i].id) {
      current = bodies[i].bytes;
      return invalid("a second computation with id " + std::to_string(bodies[i].id),
                     DiagnosticCode::HloNameTaken);
    }
  }
  for (proto::HloScheduleProto::SequencesEntry entry : message.schedule().sequences()) {
    if (Body *body = findBody(entry.key())) {
      body->schedule = entry.value();
    }
  }
  messages.reserve(unread.size());
  instructions.reserve(unread.size());
  instructionOrder.reserve(unread.size());
  for (Body &body : bodies) {
    if (Status status = collectInstructions(body); !status) {
      return status;
    }
  }
  return Done{};
}

// Null where there is none.
Body *ModuleReader::findBody(int64_t id) {
  auto found = std::lower_bound(bodies.begin(), bodies.end(), id,
                                [](const Body &body, int64_t id) { return body.id < id; });
  return found != bodies.end() && found->id == id ? &*found : nullptr;
}

// Computations in XLA's order.
std::vector<uint32_t> ModuleReader::orderComputations() const {
  std::vector<Instructions> ranges;
  ranges.reserve(bodies.size());
  for (const Body &body : bodies) {
    ranges.push_back({body.first, body.count});
  }
  return computationOrder(ranges, called);
}

Status ModuleReader::declareComputations() {
  names.clear(bodies.size());
  order = orderComputations();
  std::string_view entryName = message.entry_computation_name();
  int64_t entry = message.entry_computation_id();
  bool hasEntry = false;
  module.computations.reserve(bodies.size());
  for (uint32_t number : order) {
    Body &body = bodies[number];
    current = body.bytes;
    if (!isName(body.name)) {
      return invalid("computation " + std::to_string(body.id) + " has no name that text can have");
    }
    if (!names.insert(body.name)) {
      return invalid("a second computation `" + std::string(body.name) + "`",
                     DiagnosticCode::HloNameTaken);
    }
    Computation &computation = *module.computations.emplace_back(std::move(body.owned));
    computation.name = body.name;
    computation.hasSignature = true;
    bool isFirst = module.computations.size() == 1 && !module.frameTables.empty();
    computation.blankLines = isFirst ? 2 : 1;
    computation.isEntry = entry == body.id && (entryName.empty() || entryName == body.name);
    hasEntry |= computation.isEntry;
  }
  current = message.bytes();
  return hasEntry ? Status(Done{})
                  : invalid("no computation has the entry's id " + std::to_string(entry),
                            DiagnosticCode::HloNameUnknown);
}

//===-- instructions and their order ----------------------------------------------------------===//

// Constants and parameters have none.
static bool hasOperands(std::string_view opcode) {
  return opcode != "parameter" && opcode != "constant";
}

// What an instruction is by itself; what it names are ids, of instructions that may follow. Its
// fields are many, of which few are read here.
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
  if (!isName(to.name) || !isName(to.opcode)) {
    return invalid("instruction " + std::to_string(id) + " of computation `" +
                   std::string(body.name) + "` has no name or no opcode");
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

// The instructions and what they name by their ids, in the message's order.
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

// The numbers of the instructions that an instruction names.
Status ModuleReader::link(const Body &body, uint32_t number, std::span<const uint32_t> ids,
                          std::string_view what, NumberLists &to) const {
  for (uint32_t id : ids) {
    std::optional<uint32_t> found = places.find(id);
    if (!found) {
      return invalid(std::string(what) + std::to_string(id) + " of instruction `" +
                         std::string(messages[body.first + number].name()) +
                         "` is no instruction of computation `" + std::string(body.name) + "`",
                     DiagnosticCode::HloNameUnknown);
    }
    to.push(*found);
  }
  to.end();
  return Done{};
}

// The numbers of the computations that an instruction calls.
Status ModuleReader::linkCalled(uint32_t instruction) {
  for (size_t i = instruction == 0 ? 0 : calledEnds[instruction - 1]; i < calledEnds[instruction];
       ++i) {
    const Body *found = findBody(calledIds[i]);
    if (!found) {
      return invalid("no computation has the id " + std::to_string(calledIds[i]) +
                         ", which instruction `" + unsorted[instruction]->name + "` calls",
                     DiagnosticCode::HloNameUnknown);
    }
    called.push(static_cast<uint32_t>(found - bodies.data()));
  }
  called.end();
  return Done{};
}

// The instructions in the order of their ids, as most messages have them.
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
                   DiagnosticCode::HloNameTaken);
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
                   DiagnosticCode::HloNameUnknown);
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

// Text has the order of the schedule, and without one XLA's own.
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
  if (instructionOrder.size() != messages.size()) { // of others, the order of their ids
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
                     DiagnosticCode::HloNameTaken);
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
        return invalid("the constant of instruction `" + instruction.name + "` has another shape");
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

Status ModuleReader::readSignature(const Body &body) {
  Computation &computation = *body.computation;
  computation.signature.reserve(parameters.size());
  for (auto [number, instruction] : parameters) {
    if (number < 0 || number >= static_cast<int64_t>(computation.instructions.size())) {
      return invalid("parameter number " + std::to_string(number) + " of computation `" +
                     computation.name + "`");
    }
    size_t index = static_cast<size_t>(number);
    if (computation.signature.size() <= index) {
      computation.signature.resize(index + 1);
    }
    if (computation.signature[index].parameter) {
      return invalid("a second parameter " + std::to_string(number) + " in computation `" +
                         computation.name + "`",
                     DiagnosticCode::HloNameTaken);
    }
    computation.signature[index].parameter = instruction;
  }
  for (size_t i = 0; i < computation.signature.size(); ++i) {
    if (!computation.signature[i].parameter) {
      return invalid("computation `" + computation.name + "` has no parameter " + std::to_string(i),
                     DiagnosticCode::HloNameUnknown);
    }
  }
  return Done{};
}

Status ModuleReader::readComputation(Body &body) {
  parameters.clear();
  for (uint32_t number : orderOf(body)) {
    FoundInstruction from(messages[body.first + number]);
    Instruction &instruction = *instructions[body.first + number];
    current = from.bytes();
    if (Status status = readOperands(body, number, from); !status) {
      return status;
    }
    readAttributes(body, number, from);
    if (attributes.firstWrong()) {
      return wrongAttribute("instruction `" + instruction.name + "`");
    }
    instruction.attributes = attributes.take();
  }
  current = body.bytes;
  if (Status status = readSignature(body); !status) {
    return status;
  }
  if (!body.thread.empty() && body.thread != "main") {
    attributes.quoted("execution_thread", body.thread);
    body.computation->attributes = attributes.take();
  }
  return checkCycles(body);
}

//===-- cycles --------------------------------------------------------------------------------===//

Status ModuleReader::checkCycles(const Body &body) {
  std::span<const uint32_t> inOrder = orderOf(body);
  positions.resize(body.count);
  for (uint32_t i = 0; i < body.count; ++i) {
    positions[inOrder[i]] = i;
  }
  // An order in which nothing stands before what it depends on has no cycle.
  bool isOrdered = true;
  for (uint32_t i = 0; i < body.count; ++i) {
    uint32_t number = inOrder[i];
    for (const NumberLists *lists : {&operands, &predecessors}) {
      for (uint32_t on : (*lists)[body.first + number]) {
        isOrdered &= positions[on] < i;
      }
    }
  }
  if (isOrdered) {
    return Done{};
  }
  Graph graph(body.count);
  for (size_t i = 0; i < graph.size(); ++i) {
    for (const NumberLists *lists : {&operands, &predecessors}) {
      std::span<const uint32_t> on = (*lists)[body.first + i];
      graph[i].insert(graph[i].end(), on.begin(), on.end());
    }
  }
  std::vector<uint32_t> cycle = findCycle(graph);
  return cycle.empty() ? Status(Done{})
                       : invalid("instruction `" + instructions[body.first + cycle[0]]->name +
                                     "` depends on its own result",
                                 DiagnosticCode::HloCycle);
}

Status ModuleReader::checkCalls() {
  positions.resize(bodies.size());
  for (uint32_t i = 0; i < order.size(); ++i) {
    positions[order[i]] = i;
  }
  bool isOrdered = true;
  for (size_t caller = 0; caller < bodies.size(); ++caller) {
    for (size_t number = 0; number < bodies[caller].count; ++number) {
      for (uint32_t callee : called[bodies[caller].first + number]) {
        isOrdered &= positions[callee] < positions[caller];
      }
    }
  }
  if (isOrdered) {
    return Done{};
  }
  Graph graph(bodies.size());
  for (size_t i = 0; i < bodies.size(); ++i) {
    for (size_t number = 0; number < bodies[i].count; ++number) {
      std::span<const uint32_t> calls = called[bodies[i].first + number];
      graph[i].insert(graph[i].end(), calls.begin(), calls.end());
    }
  }
  std::vector<uint32_t> cycle = findCycle(graph);
  return cycle.empty()
             ? Status(Done{})
             : invalid("computation `" + std::string(bodies[cycle[0]].name) + "` calls itself",
                       DiagnosticCode::HloCycle);
}

Status ModuleReader::read() {
  module.name = message.name();
  if (!isName(module.name)) {
    return invalid("the module has no name that text can have");
  }
  module.lineBreaksAtEnd = 2;
  readHeader(message, attributes);
  readFrames(message.stack_frame_index(), module);
  if (attributes.firstWrong()) {
    return wrongAttribute("the module");
  }
  module.attributes = attributes.take();
  if (Status status = collectComputations(); !status) {
    return status;
  }
  if (Status status = declareComputations(); !status) {
    return status;
  }
  for (uint32_t number : order) {
    if (Status status = readComputation(bodies[number]); !status) {
      return status;
    }
  }
  current = message.bytes();
  return checkCalls();
}

// The module's bytes in those of the message, or the place of the field that isn't well-formed.
static std::variant<std::string_view, size_t> moduleOf(std::string_view bytes, ProtoMessage kind) {
  std::string_view content = bytes;
  if (kind == ProtoMessage::ModuleWithConfig) {
    if (std::optional<size_t> bad = firstInvalidOuterField(bytes)) {
      return *bad;
    }
    // Both messages have the module as their first field.
    std::string_view found = proto::HloProto(bytes).hlo_module().bytes();
    content = found.empty() ? bytes.substr(0, 0) : found;
  } else {
    content = moduleBytes(bytes);
  }
  std::optional<size_t> bad = content.size() > maxProtoSize ? 0 : firstInvalidField(content);
  if (bad) {
    return static_cast<size_t>(content.data() - bytes.data()) + *bad;
  }
  return content;
}

Result<Module> readProto(std::string_view bytes, std::string_view fileName, ProtoMessage kind) {
  std::string ofText;
  std::string_view content;
  std::optional<std::string_view> file;
  if (kind == ProtoMessage::Any && isProtoText(bytes)) {
    Result<std::string> read = bytesOfProtoText(bytes, fileName);
    if (!read) {
      return read.error();
    }
    ofText = std::move(*read);
    content = ofText;
  } else {
    std::variant<std::string_view, size_t> found = moduleOf(bytes, kind);
    if (const size_t *bad = std::get_if<size_t>(&found)) {
      return diagnose(DiagnosticCode::HloProtoInvalid,
                      "a field of the HLO module isn't well-formed",
                      std::string(fileName) + ":" + std::to_string(*bad));
    }
    content = std::get<std::string_view>(found);
    file = bytes;
  }
  Module module;
  if (Status status = ModuleReader(proto::HloModuleProto(content), file, fileName, module).read();
      !status) {
    return status.error();
  }
  return module;
}

} // namespace drumlin::hlo
