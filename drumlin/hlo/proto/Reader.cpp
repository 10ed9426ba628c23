#include "drumlin/hlo/proto/Proto.h"

#include "drumlin/hlo/Cycles.h"
#include "drumlin/hlo/Parser.h"
#include "drumlin/hlo/ValueParser.h"
#include "drumlin/hlo/proto/Attributes.h"
#include "drumlin/hlo/proto/Literals.h"
#include "drumlin/hlo/proto/Order.h"
#include "drumlin/hlo/proto/Wire.h"

#include <google/protobuf/arena.h>
#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/text_format.h>

#include <algorithm>

namespace drumlin::hlo {

namespace {

// Ids count within a computation in their low half; older files have none in their high half.
uint32_t localId(int64_t id) { return static_cast<uint32_t>(id); }

class ModuleReader {
public:
  ModuleReader(const proto::HloModuleProto &message, std::string_view fileName)
      : message(message), fileName(fileName) {}

  Status read(Module &result);

private:
  struct Body {
    const proto::HloComputationProto *message = nullptr;
    Computation *computation = nullptr;
    std::unordered_map<uint32_t, Instruction *> instructions; // by local id
    std::vector<const proto::HloInstructionProto *> order;    // of the instructions
  };

  using MessagesById = std::unordered_map<uint32_t, const proto::HloInstructionProto *>;

  Diagnostic invalid(std::string what,
                     DiagnosticCode code = DiagnosticCode::BytecodeInvalid) const {
    return diagnose(code, std::move(what), std::string(fileName));
  }

  Status readHeader();
  void readFrames();
  Status declareComputations();
  Status declareInstructions(Body &body);
  void orderInstructions(Body &body, MessagesById byId) const;
  Status orderComputations();
  Status readComputation(Body &body);
  Status readSignature(Body &body);
  Status readOperands(Body &body, const proto::HloInstructionProto &from, Instruction &instruction);
  Status readAttributes(Body &body, const proto::HloInstructionProto &from,
                        Instruction &instruction);
  void addCalled(const proto::HloInstructionProto &from, Instruction &instruction);
  Status addPredecessors(Body &body, const proto::HloInstructionProto &from,
                         Instruction &instruction);
  Status addText(const std::string &text, std::vector<Attribute> &attributes,
                 const std::string &of) const;
  Status checkCycles(const Body &body) const;
  Status checkCalls() const;
  const proto::HloScheduleProto::InstructionSequence *sequenceOf(int64_t computation) const;

  const proto::HloModuleProto &message;
  std::string_view fileName;
  Module *module = nullptr;
  std::vector<Body> bodies;
  std::unordered_map<int64_t, Computation *> computations; // by id
};

} // namespace

// Attributes are written as text and read by its grammar, so that their trees are those that every
// reader of the model knows.
Status ModuleReader::addText(const std::string &text, std::vector<Attribute> &attributes,
                             const std::string &of) const {
  if (text.empty()) {
    return Done{};
  }
  Lexer lexer(text, fileName);
  NameResolver names(lexer);
  ValueParser values(lexer, names, ParseOptions().maxNesting, [] { return nullptr; });
  size_t count = attributes.size();
  if (values.parseAttributes(attributes) && lexer.atEnd()) {
    return Done{};
  }
  std::string name = attributes.size() > count ? attributes.back().name : "";
  return invalid("attribute `" + name + "` of " + of + " isn't one that text has");
}

static Value nameOf(Computation &computation) {
  Value value;
  value.kind = Value::Kind::Name;
  value.percent = true;
  value.text = computation.name;
  value.computation = &computation;
  return value;
}

static Value nameOf(Instruction &instruction) {
  Value value;
  value.kind = Value::Kind::Name;
  value.percent = true;
  value.text = instruction.name;
  value.instruction = &instruction;
  return value;
}

//===-- the module's own attributes -----------------------------------------------------------===//

static void printAliases(const proto::HloInputOutputAliasProto &aliases, std::string &out) {
  out += ", input_output_alias={ ";
  for (int i = 0; i < aliases.entries_size(); ++i) {
    const auto &entry = aliases.entries(i);
    out += i == 0 ? "" : ", ";
    printNumbers(entry.output_shape_index(), out);
    out.append(": (").append(std::to_string(entry.parameter_number())).append(", ");
    printNumbers(entry.parameter_shape_index(), out);
    out += entry.kind() == proto::MUST_ALIAS ? ", must-alias)" : ", may-alias)";
  }
  out += " }";
}

static void printDonors(const proto::HloBufferDonorProto &donors, std::string &out) {
  out += ", buffer_donor={ ";
  for (int i = 0; i < donors.entries_size(); ++i) {
    out += i == 0 ? "(" : ", (";
    out.append(std::to_string(donors.entries(i).parameter_number())).append(", ");
    printNumbers(donors.entries(i).parameter_shape_index(), out);
    out += ')';
  }
  out += " }";
}

static void printEntryLayout(const proto::ProgramShapeProto &program, std::string &out) {
  out += ", entry_computation_layout={(";
  for (int i = 0; i < program.parameters_size(); ++i) {
    out += i == 0 ? "" : ", ";
    if (i != 0 && i % 5 == 0) {
      out.append("/*index=").append(std::to_string(i)).append("*/");
    }
    readShape(program.parameters(i)).print(out);
  }
  out += ")->";
  readShape(program.result()).print(out);
  out += '}';
}

Status ModuleReader::readHeader() {
  module->name = message.name();
  if (!isName(module->name)) {
    return invalid("the module has no name that text can have");
  }
  module->lineBreaksAtEnd = 2;
  std::string text;
  if (message.has_schedule() && message.schedule().sequences_size() != 0) {
    text += ", is_scheduled=true";
  }
  if (message.input_output_alias().entries_size() != 0) {
    printAliases(message.input_output_alias(), text);
  }
  if (message.buffer_donor().entries_size() != 0) {
    printDonors(message.buffer_donor(), text);
  }
  if (message.has_host_program_shape()) {
    printEntryLayout(message.host_program_shape(), text);
  }
  if (message.frontend_attributes().map_size() != 0) {
    text += ", frontend_attributes=";
    printFrontendAttributes(message.frontend_attributes(), text);
  }
  readFrames();
  return addText(text, module->attributes, "the module");
}

void ModuleReader::readFrames() {
  if (!message.has_stack_frame_index()) {
    return;
  }
  const proto::StackFrameIndexProto &index = message.stack_frame_index();
  auto record = [](std::initializer_list<std::pair<std::string_view, int64_t>> fields) {
    std::vector<Value> items;
    for (auto [name, number] : fields) {
      items.push_back(Value::entry(name, Value::number(number)));
    }
    Value value = Value::list('{', std::move(items), /*spaced=*/true);
    for (Value &item : value.items) {
      item.comma = false;
    }
    return value;
  };
  auto add = [&](std::string_view name, const auto &rows, auto valueOf) {
    if (rows.empty()) {
      return;
    }
    FrameTable &table = module->frameTables.emplace_back();
    table.name = name;
    for (const auto &row : rows) {
      FrameTable::Row &to = table.rows.emplace_back();
      to.id = static_cast<int64_t>(table.rows.size());
      to.value = valueOf(row);
    }
  };
  add("FileNames", index.file_names(), [](const std::string &name) { return Value::string(name); });
  add("FunctionNames", index.function_names(),
      [](const std::string &name) { return Value::string(name); });
  add("FileLocations", index.file_locations(),
      [&](const proto::StackFrameIndexProto::FileLocation &at) {
        return record({{"file_name_id", at.file_name_id()},
                       {"function_name_id", at.function_name_id()},
                       {"line", at.line()},
                       {"end_line", at.end_line()},
                       {"column", at.column()},
                       {"end_column", at.end_column()}});
      });
  add("StackFrames", index.stack_frames(),
      [&](const proto::StackFrameIndexProto::StackFrame &frame) {
        // XLA's text counts the parents one higher.
        return record({{"file_location_id", frame.file_location_id()},
                       {"parent_frame_id", int64_t(frame.parent_frame_id()) + 1}});
      });
}

//===-- computations and instructions ---------------------------------------------------------===//

const proto::HloScheduleProto::InstructionSequence *
ModuleReader::sequenceOf(int64_t computation) const {
  for (const auto &entry : message.schedule().sequences()) {
    if (entry.key() == computation) {
      return &entry.value();
    }
  }
  return nullptr;
}

// Computations in XLA's order; fails where one calls none that there is.
Status ModuleReader::orderComputations() {
  std::vector<const proto::HloComputationProto *> messages;
  for (const proto::HloComputationProto &computation : message.computations()) {
    messages.push_back(&computation);
  }
  std::sort(messages.begin(), messages.end(),
            [](const auto *a, const auto *b) { return a->id() < b->id(); });
  std::unordered_map<int64_t, uint32_t> places;
  for (const proto::HloComputationProto *computation : messages) {
    if (!places.emplace(computation->id(), static_cast<uint32_t>(places.size())).second) {
      return invalid("a second computation with id " + std::to_string(computation->id()),
                     DiagnosticCode::HloNameTaken);
    }
  }
  std::vector<std::vector<std::vector<uint32_t>>> calls(messages.size());
  for (size_t i = 0; i < messages.size(); ++i) {
    std::vector<const proto::HloInstructionProto *> instructions;
    for (const proto::HloInstructionProto &instruction : messages[i]->instructions()) {
      instructions.push_back(&instruction);
    }
    std::sort(instructions.begin(), instructions.end(),
              [](const auto *a, const auto *b) { return localId(a->id()) < localId(b->id()); });
    for (const proto::HloInstructionProto *instruction : instructions) {
      std::vector<uint32_t> called;
      for (int64_t id : instruction->called_computation_ids()) {
        auto found = places.find(id);
        if (found == places.end()) {
          return invalid("no computation has the id " + std::to_string(id) +
                             ", which instruction `" + instruction->name() + "` calls",
                         DiagnosticCode::HloNameUnknown);
        }
        called.push_back(found->second);
      }
      if (!called.empty()) {
        calls[i].push_back(std::move(called));
      }
    }
  }
  bodies.reserve(messages.size());
  for (uint32_t place : computationOrder(calls)) {
    bodies.push_back({messages[place], nullptr, {}, {}});
  }
  return Done{};
}

Status ModuleReader::declareComputations() {
  if (message.computations_size() == 0) {
    return invalid("a module without computations");
  }
  std::unordered_map<std::string_view, const proto::HloComputationProto *> names;
  if (Status status = orderComputations(); !status) {
    return status;
  }
  for (Body &body : bodies) {
    const proto::HloComputationProto &from = *body.message;
    if (!isName(from.name())) {
      return invalid("computation " + std::to_string(from.id()) +
                     " has no name that text can have");
    }
    if (!names.emplace(from.name(), &from).second) {
      return invalid("a second computation `" + from.name() + "`", DiagnosticCode::HloNameTaken);
    }
    Computation &computation = *module->computations.emplace_back(std::make_unique<Computation>());
    computation.name = from.name();
    computation.hasSignature = true;
    bool isFirst = module->computations.size() == 1 && !module->frameTables.empty();
    computation.blankLines = isFirst ? 2 : 1;
    computation.isEntry = message.entry_computation_id() == from.id() &&
                          (message.entry_computation_name().empty() ||
                           message.entry_computation_name() == from.name());
    computations.emplace(from.id(), &computation);
    body.computation = &computation;
  }
  if (std::none_of(module->computations.begin(), module->computations.end(),
                   [](const auto &computation) { return computation->isEntry; })) {
    return invalid("no computation has the entry's id " +
                       std::to_string(message.entry_computation_id()),
                   DiagnosticCode::HloNameUnknown);
  }
  return Done{};
}

// Text has the order of the schedule, and without one XLA's own.
void ModuleReader::orderInstructions(Body &body, MessagesById byId) const {
  const auto *sequence = sequenceOf(body.message->id());
  if (sequence && sequence->instruction_ids_size() == body.message->instructions_size()) {
    std::vector<const proto::HloInstructionProto *> order;
    for (int64_t id : sequence->instruction_ids()) {
      auto found = byId.find(localId(id));
      if (found != byId.end()) {
        order.push_back(found->second);
        byId.erase(found);
      }
    }
    if (byId.empty()) {
      body.order = std::move(order);
    }
    return;
  }
  std::unordered_map<uint32_t, uint32_t> places;
  for (const proto::HloInstructionProto *instruction : body.order) {
    places.emplace(localId(instruction->id()), static_cast<uint32_t>(places.size()));
  }
  std::vector<Dependences> dependences(body.order.size());
  auto add = [&](const auto &ids, std::vector<uint32_t> &to) {
    for (int64_t id : ids) {
      auto found = places.find(localId(id));
      if (found != places.end()) {
        to.push_back(found->second);
      }
    }
  };
  for (size_t i = 0; i < body.order.size(); ++i) {
    add(body.order[i]->operand_ids(), dependences[i].operands);
    add(body.order[i]->control_predecessor_ids(), dependences[i].predecessors);
  }
  std::vector<const proto::HloInstructionProto *> order;
  for (uint32_t place : instructionOrder(dependences)) {
    order.push_back(body.order[place]);
  }
  body.order = std::move(order);
}

Status ModuleReader::declareInstructions(Body &body) {
  const proto::HloComputationProto &from = *body.message;
  if (from.instructions_size() == 0) {
    return invalid("computation `" + from.name() + "` has no instructions");
  }
  MessagesById byId;
  byId.reserve(static_cast<size_t>(from.instructions_size()));
  for (const proto::HloInstructionProto &instruction : from.instructions()) {
    if (!byId.emplace(localId(instruction.id()), &instruction).second) {
      return invalid("a second instruction with id " + std::to_string(instruction.id()) +
                         " in computation `" + from.name() + "`",
                     DiagnosticCode::HloNameTaken);
    }
    body.order.push_back(&instruction);
  }
  std::sort(body.order.begin(), body.order.end(),
            [](const auto *a, const auto *b) { return localId(a->id()) < localId(b->id()); });
  orderInstructions(body, std::move(byId));
  std::unordered_map<std::string_view, Instruction *> names;
  names.reserve(body.order.size());
  body.instructions.reserve(body.order.size());
  body.computation->instructions.reserve(body.order.size());
  for (const proto::HloInstructionProto *instruction : body.order) {
    Instruction &to = *body.computation->instructions.emplace_back(std::make_unique<Instruction>());
    to.name = instruction->name();
    to.opcode = instruction->opcode();
    if (!isName(to.name) || !isName(to.opcode)) {
      return invalid("instruction " + std::to_string(instruction->id()) + " of computation `" +
                     from.name() + "` has no name or no opcode");
    }
    if (!names.emplace(to.name, &to).second) {
      return invalid("a second instruction `" + to.name + "` in computation `" + from.name() + "`",
                     DiagnosticCode::HloNameTaken);
    }
    to.shape = readShape(instruction->shape());
    if (!to.shape.isWellFormed()) {
      return invalid("instruction `" + to.name + "` of computation `" + from.name() +
                     "` has a shape without an element type, or with a layout of other dimensions");
    }
    to.isRoot = localId(from.root_id()) == localId(instruction->id());
    body.instructions.emplace(localId(instruction->id()), &to);
  }
  if (!body.instructions.contains(localId(from.root_id()))) {
    return invalid("no instruction of computation `" + from.name() + "` has the root's id",
                   DiagnosticCode::HloNameUnknown);
  }
  return Done{};
}

Status ModuleReader::readOperands(Body &body, const proto::HloInstructionProto &from,
                                  Instruction &instruction) {
  if (from.opcode() == "parameter") {
    instruction.literal = numberList('(', std::vector<int64_t>{from.parameter_number()});
    return Done{};
  }
  if (from.opcode() == "constant") {
    std::vector<Value> items;
    if (from.has_literal()) {
      if (readShape(from.literal().shape()).str(/*withLayout=*/false) !=
          instruction.shape.str(/*withLayout=*/false)) {
        return invalid("the constant of instruction `" + from.name() + "` has another shape");
      }
      Result<Value> literal = readLiteral(from.literal());
      if (!literal) {
        return invalid(literal.error().message + ", instruction `" + from.name() + "`");
      }
      items.push_back(std::move(*literal));
    }
    instruction.literal = Value::list('(', std::move(items));
    return Done{};
  }
  instruction.operands.reserve(static_cast<size_t>(from.operand_ids_size()));
  instruction.indexComments = from.operand_ids_size() > 5;
  for (int64_t id : from.operand_ids()) {
    auto found = body.instructions.find(localId(id));
    if (found == body.instructions.end()) {
      return invalid("operand " + std::to_string(id) + " of instruction `" + from.name() +
                         "` is no instruction of computation `" + body.computation->name + "`",
                     DiagnosticCode::HloNameUnknown);
    }
    instruction.operands.emplace_back().instruction = found->second;
  }
  return Done{};
}

static bool isOneOf(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

void ModuleReader::addCalled(const proto::HloInstructionProto &from, Instruction &instruction) {
  std::vector<Value> called;
  for (int64_t id : from.called_computation_ids()) {
    called.push_back(nameOf(*computations.at(id)));
  }
  auto add = [&](std::string_view name, Value value) {
    instruction.attributes.push_back({std::string(name), std::move(value)});
  };
  if (called.empty()) {
    return;
  }
  std::string_view opcode = from.opcode();
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

Status ModuleReader::addPredecessors(Body &body, const proto::HloInstructionProto &from,
                                     Instruction &instruction) {
  if (from.control_predecessor_ids_size() == 0) {
    return Done{};
  }
  std::vector<Value> names;
  for (int64_t id : from.control_predecessor_ids()) {
    auto found = body.instructions.find(localId(id));
    if (found == body.instructions.end()) {
      return invalid("control predecessor " + std::to_string(id) + " of instruction `" +
                         from.name() + "` is no instruction of computation `" +
                         body.computation->name + "`",
                     DiagnosticCode::HloNameUnknown);
    }
    names.push_back(nameOf(*found->second));
  }
  instruction.attributes.push_back(
      {"control-predecessors", Value::list('{', std::move(names), /*spaced=*/true)});
  return Done{};
}

Status ModuleReader::readAttributes(Body &body, const proto::HloInstructionProto &from,
                                    Instruction &instruction) {
  AttributeContext context;
  if (!instruction.operands.empty()) {
    context.firstOperand = &instruction.operands[0].instruction->shape;
  }
  std::string of = "instruction `" + from.name() + "`";
  std::string text;
  if (!from.async_execution_thread().empty() && from.async_execution_thread() != "main") {
    text += ", async_execution_thread=";
    printQuoted(from.async_execution_thread(), text);
  }
  printFields(from, context, text);
  if (Status status = addText(text, instruction.attributes, of); !status) {
    return status;
  }
  addCalled(from, instruction);
  text.clear();
  if (from.is_composite()) {
    text += ", is_composite=true";
  }
  printSharedFields(from, text);
  if (Status status = addText(text, instruction.attributes, of); !status) {
    return status;
  }
  if (Status status = addPredecessors(body, from, instruction); !status) {
    return status;
  }
  text.clear();
  if (from.has_original_value()) {
    text += ", origin=";
    printOrigin(from.original_value(), from.shape(), text);
  }
  if (Status status = addText(text, instruction.attributes, of); !status) {
    return status;
  }
  text.clear();
  if (Value metadata = metadataValue(from.metadata()); !metadata.items.empty()) {
    instruction.attributes.push_back({"metadata", std::move(metadata)});
  }
  if (!from.backend_config().empty()) {
    text += ", backend_config=";
    printBackendConfig(from.backend_config(), text);
  }
  return addText(text, instruction.attributes, of);
}

Status ModuleReader::readSignature(Body &body) {
  Computation &computation = *body.computation;
  for (const std::unique_ptr<Instruction> &instruction : computation.instructions) {
    std::optional<int64_t> number = instruction->parameterNumber();
    if (!number) {
      continue;
    }
    if (*number < 0 || *number >= static_cast<int64_t>(computation.instructions.size())) {
      return invalid("parameter number " + std::to_string(*number) + " of computation `" +
                     computation.name + "`");
    }
    size_t index = static_cast<size_t>(*number);
    if (computation.signature.size() <= index) {
      computation.signature.resize(index + 1);
    }
    if (computation.signature[index].parameter) {
      return invalid("a second parameter " + std::to_string(*number) + " in computation `" +
                         computation.name + "`",
                     DiagnosticCode::HloNameTaken);
    }
    computation.signature[index].parameter = instruction.get();
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
  for (size_t i = 0; i < body.order.size(); ++i) {
    Instruction &instruction = *body.computation->instructions[i];
    if (Status status = readOperands(body, *body.order[i], instruction); !status) {
      return status;
    }
    if (Status status = readAttributes(body, *body.order[i], instruction); !status) {
      return status;
    }
  }
  if (Status status = readSignature(body); !status) {
    return status;
  }
  if (const std::string &thread = body.message->execution_thread();
      !thread.empty() && thread != "main") {
    std::string text = ", execution_thread=";
    printQuoted(thread, text);
    if (Status status = addText(text, body.computation->attributes,
                                "computation `" + body.message->name() + "`");
        !status) {
      return status;
    }
  }
  return checkCycles(body);
}

//===-- cycles --------------------------------------------------------------------------------===//

Status ModuleReader::checkCycles(const Body &body) const {
  std::unordered_map<uint32_t, uint32_t> places;
  places.reserve(body.order.size());
  for (size_t i = 0; i < body.order.size(); ++i) {
    places.emplace(localId(body.order[i]->id()), static_cast<uint32_t>(i));
  }
  // An order in which nothing stands before what it depends on has no cycle.
  bool isOrdered = true;
  Graph graph(body.order.size());
  for (size_t i = 0; i < graph.size(); ++i) {
    for (const auto *ids :
         {&body.order[i]->operand_ids(), &body.order[i]->control_predecessor_ids()}) {
      for (int64_t id : *ids) {
        auto found = places.find(localId(id));
        if (found == places.end()) {
          continue; // of a parameter or a constant, which have none
        }
        isOrdered &= found->second < i;
        graph[i].push_back(found->second);
      }
    }
  }
  std::vector<uint32_t> cycle = isOrdered ? std::vector<uint32_t>() : findCycle(graph);
  return cycle.empty() ? Status(Done{})
                       : invalid("instruction `" + body.order[cycle[0]]->name() +
                                     "` depends on its own result",
                                 DiagnosticCode::HloCycle);
}

Status ModuleReader::checkCalls() const {
  std::unordered_map<int64_t, uint32_t> places;
  for (const Body &body : bodies) {
    places.emplace(body.message->id(), static_cast<uint32_t>(places.size()));
  }
  Graph graph(bodies.size());
  for (size_t i = 0; i < bodies.size(); ++i) {
    for (const proto::HloInstructionProto *instruction : bodies[i].order) {
      for (int64_t id : instruction->called_computation_ids()) {
        graph[i].push_back(places.at(id));
      }
    }
  }
  std::vector<uint32_t> cycle = findCycle(graph);
  return cycle.empty()
             ? Status(Done{})
             : invalid("computation `" + bodies[cycle[0]].message->name() + "` calls itself",
                       DiagnosticCode::HloCycle);
}

Status ModuleReader::read(Module &result) {
  module = &result;
  if (Status status = readHeader(); !status) {
    return status;
  }
  if (Status status = declareComputations(); !status) {
    return status;
  }
  for (Body &body : bodies) {
    if (Status status = declareInstructions(body); !status) {
      return status;
    }
  }
  for (Body &body : bodies) {
    if (Status status = readComputation(body); !status) {
      return status;
    }
  }
  return checkCalls();
}

namespace {
// Keeps the first error of the text form, with its place.
class FirstTextError : public google::protobuf::io::ErrorCollector {
public:
  explicit FirstTextError(std::string_view fileName) : fileName(fileName) {}

  void AddError(int line, google::protobuf::io::ColumnNumber column,
                const std::string &message) override {
    if (!error) {
      std::string words = message;
      if (words.ends_with(".")) {
        words.pop_back();
      }
      error = diagnose(DiagnosticCode::SyntaxInvalid, "in the text form of a proto: " + words,
                       std::string(fileName) + ":" + std::to_string(line + 1) + ":" +
                           std::to_string(column + 1));
    }
  }

  std::optional<Diagnostic> error;

private:
  std::string_view fileName;
};
} // namespace

static Status parseText(std::string_view text, std::string_view fileName,
                        proto::HloModuleProto &message) {
  FirstTextError errors(fileName);
  google::protobuf::TextFormat::Parser parser;
  parser.RecordErrorsTo(&errors);
  parser.SetRecursionLimit(100); // as for bytes
  bool isWhole = false;
  if (text.size() <= static_cast<size_t>(std::numeric_limits<int>::max())) {
    google::protobuf::io::ArrayInputStream stream(text.data(), static_cast<int>(text.size()));
    std::string_view word = text.substr(std::min(text.find_first_of("nech"), text.size()));
    if (word.starts_with("hlo_module")) {
      auto *wrapper = google::protobuf::Arena::CreateMessage<proto::HloProto>(message.GetArena());
      isWhole = parser.Parse(&stream, wrapper);
      message.Swap(wrapper->mutable_hlo_module());
    } else {
      isWhole = parser.Parse(&stream, &message);
    }
  }
  if (!isWhole) {
    return errors.error ? std::move(*errors.error)
                        : diagnose(DiagnosticCode::SyntaxInvalid, "no text form of an HLO module",
                                   std::string(fileName) + ":1:1");
  }
  return Done{};
}

Result<Module> readProto(std::string_view bytes, std::string_view fileName) {
  google::protobuf::Arena arena;
  auto *message = google::protobuf::Arena::CreateMessage<proto::HloModuleProto>(&arena);
  if (isProtoText(bytes)) {
    Module module;
    Status status = parseText(bytes, fileName, *message);
    if (status) {
      status = ModuleReader(*message, fileName).read(module);
    }
    return status ? Result<Module>(std::move(module)) : status.error();
  }
  std::string_view content = moduleBytes(bytes);
  bool isWhole = content.size() <= static_cast<size_t>(std::numeric_limits<int>::max()) &&
                 message->ParseFromArray(content.data(), static_cast<int>(content.size()));
  if (!isWhole) {
    size_t offset = static_cast<size_t>(content.data() - bytes.data()) + firstInvalidField(content);
    return diagnose(DiagnosticCode::BytecodeInvalid, "a field of the HLO module isn't well-formed",
                    std::string(fileName) + ":" + std::to_string(offset));
  }
  Module module;
  if (Status status = ModuleReader(*message, fileName).read(module); !status) {
    return status.error();
  }
  return module;
}

} // namespace drumlin::hlo
