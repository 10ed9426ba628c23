#include "drumlin/hlo/Cycles.h"
#include "drumlin/hlo/Lexer.h"
#include "drumlin/hlo/proto/Header.h"
#include "drumlin/hlo/proto/ModuleReader.h"
#include "drumlin/hlo/proto/TextForm.h"
#include "drumlin/hlo/proto/Wire.h"
#include "drumlin/support/diagnostics/SyntaxErrors.h"

#include <algorithm>
#include <variant>

namespace drumlin::hlo {

//===-- computations and their order ----------------------------------------------------------===//

// Reads a computation's fields in a single pass, as modules can have many computations.
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
                     errors::HloNameTaken);
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

// Returns the computation with an id, or null.
Body *ModuleReader::findBody(int64_t id) {
  auto found = std::lower_bound(bodies.begin(), bodies.end(), id,
                                [](const Body &body, int64_t id) { return body.id < id; });
  return found != bodies.end() && found->id == id ? &*found : nullptr;
}

// Returns the indices of the computations in the order in which XLA prints them.
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
    Computation &computation = *module.computations.emplace_back(std::move(body.owned));
    computation.name = nameInText(body.name, "computation." + std::to_string(body.id));
    if (!names.insert(computation.name)) {
      return invalid("a second computation `" + computation.name + "`", errors::HloNameTaken);
    }
    computation.hasSignature = true;
    bool isFirst = module.computations.size() == 1 && !module.frameTables.empty();
    computation.blankLines = isFirst ? 2 : 1;
    computation.isEntry = entry == body.id && (entryName.empty() || entryName == body.name);
    hasEntry |= computation.isEntry;
  }
  current = message.bytes();
  return hasEntry ? Status(Done{})
                  : invalid("no computation has the entry's id " + std::to_string(entry),
                            errors::HloNameUnknown);
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
                     errors::HloNameTaken);
    }
    computation.signature[index].parameter = instruction;
  }
  for (size_t i = 0; i < computation.signature.size(); ++i) {
    if (!computation.signature[i].parameter) {
      return invalid("computation `" + computation.name + "` has no parameter " + std::to_string(i),
                     errors::HloNameUnknown);
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
  // There is no cycle if each instruction follows everything that it depends on.
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
                                 errors::HloCycle);
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
                       errors::HloCycle);
}

Status ModuleReader::read() {
  module.name = nameInText(message.name(), "main");
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

// Returns the module's bytes within the message's bytes, or the offset of a malformed field.
static std::variant<std::string_view, size_t> moduleOf(std::string_view bytes, ProtoMessage kind) {
  std::string_view content = bytes;
  if (kind == ProtoMessage::ModuleWithConfig) {
    if (std::optional<size_t> bad = firstInvalidOuterField(bytes)) {
      return *bad;
    }
    // The module is the first field, as in HloProto, so the view for HloProto can read the module.
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
      return diagnose(errors::HloProtoInvalid, "malformed field in the HLO module",
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
