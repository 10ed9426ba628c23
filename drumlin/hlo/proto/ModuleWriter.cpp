#include "drumlin/hlo/ShapeInference.h"
#include "drumlin/hlo/proto/FieldReader.h"
#include "drumlin/hlo/proto/Places.h"
#include "drumlin/hlo/proto/Proto.h"
#include "drumlin/hlo/proto/ProtoLiterals.h"
#include "drumlin/hlo/proto/TextForm.h"
#include "drumlin/hlo/proto/Wire.h"
#include "drumlin/support/diagnostics/UnsupportedErrors.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

namespace drumlin::hlo {

namespace {

// The subset of an instruction's attributes to write. An asynchronous instruction such as
// `custom-call-start` becomes an `async-start` and a wrapped operation, and each of the two gets
// some of the attributes.
enum class Part : uint8_t { Whole, Start, Wrapped };

class ModuleWriter {
public:
  explicit ModuleWriter(const Module &module)
      : module(module), out(usualSize * instructionCount(module)),
        computations(module.computations.size()), instructions(instructionCount(module)) {}

  Status write();
  std::string_view bytes() const { return out.bytes(); }

private:
  static Diagnostic unwritable(const std::string &what) {
    return diagnose(errors::ArtifactUnsupported, "an HLO proto can't represent " + what);
  }

  static constexpr size_t usualSize = 160; // typical bytes per instruction
  static size_t instructionCount(const Module &module) {
    size_t count = 0;
    for (const auto &computation : module.computations) {
      count += computation->instructions.size();
    }
    return count;
  }
  void numberAll();
  Status writeHeader();
  void writeAliases(const Value &value);
  void writeDonors(const Value &value);
  Status writeEntryLayout(const Value &value);
  void writeFrames();
  void writeProgram(const Computation &computation,
                    proto::builder::ProgramShapeProto &program) const;
  Status writeComputation(const Computation &computation);
  Status fillInstruction(const Instruction &instruction, proto::builder::HloInstructionProto &to);
  Status writeAttributes(const Instruction &instruction, Part part,
                         proto::builder::HloInstructionProto &to);
  Status writeWrapped(const Instruction &start, int64_t id);

  // Writes an instruction that was built in `scratch`, and frees the scratch memory.
  void append(const proto::builder::HloInstructionProto &instruction) {
    size_t before = out.size();
    instruction.write(out);
    out.beginField(proto::builder::HloComputationProto::instructions_number, before);
    scratch.reset();
  }

  const Module &module;
  proto::builder::HloModuleProto message; // everything but the computations
  // The output. It is written backwards, from the last instruction of the last computation.
  proto::ReverseBytes out;
  PointerIds computations, instructions;
  std::unordered_set<const Computation *> fused; // computations that fusions call
  Arena scratch;                                 // memory for the current instruction
  // The ids of the computations created for wrapped operations, in the module's order.
  std::vector<std::pair<const Instruction *, int64_t>> wrapped;
  std::unordered_map<const Instruction *, int64_t> wrappedIds;
};

} // namespace

namespace {
// The two parts of an opcode such as `custom-call-start`: the wrapped operation (`custom-call`) and
// the step.
struct Asynchronous {
  std::string_view operation, step;
};
} // namespace

static std::optional<Asynchronous> asynchronousIn(std::string_view opcode) {
  if (opcode.find('-') == opcode.npos) {
    return std::nullopt;
  }
  // Operations for whose asynchronous steps XLA has separate opcodes.
  static constexpr std::string_view whole[] = {
      "all-gather", "all-reduce", "collective-permute", "copy", "send", "recv", "async"};
  for (std::string_view step : {"-start", "-update", "-done"}) {
    if (opcode.ends_with(step)) {
      std::string_view operation = opcode.substr(0, opcode.size() - step.size());
      bool isWhole = std::find(std::begin(whole), std::end(whole), operation) != std::end(whole);
      return isWhole ? std::nullopt : std::optional(Asynchronous{operation, step});
    }
  }
  return std::nullopt;
}

//===-- the module's own attributes -----------------------------------------------------------===//

void ModuleWriter::writeAliases(const Value &value) {
  for (const Value &item : value.items) {
    if (item.kind != Value::Kind::Entry || item.items[1].items.size() < 2) {
      continue;
    }
    const List<Value> &to = item.items[1].items;
    auto &entry = *message.mutable_input_output_alias()->add_entries();
    for (int64_t index : numbersIn(item.items[0])) {
      entry.add_output_shape_index(index);
    }
    entry.set_parameter_number(to[0].integer().value_or(0));
    for (int64_t index : numbersIn(to[1])) {
      entry.add_parameter_shape_index(index);
    }
    bool isMust = to.size() > 2 && to[2].isWord("must-alias");
    entry.set_kind(isMust ? proto::MUST_ALIAS : proto::MAY_ALIAS);
  }
}

void ModuleWriter::writeDonors(const Value &value) {
  for (const Value &item : value.items) {
    if (item.items.size() == 2) {
      auto &entry = *message.mutable_buffer_donor()->add_entries();
      entry.set_parameter_number(item.items[0].integer().value_or(0));
      for (int64_t index : numbersIn(item.items[1])) {
        entry.add_parameter_shape_index(index);
      }
    }
  }
}

// Writes a layout such as `{(f32[2]{0}, s32[])->f32[2]{0}}`.
Status ModuleWriter::writeEntryLayout(const Value &value) {
  const List<Value> *parts = value.items.size() == 1 ? &value.items[0].items : nullptr;
  if (!parts || parts->size() != 3) {
    return unwritable("this `entry_computation_layout`");
  }
  proto::builder::ProgramShapeProto &program = *message.mutable_host_program_shape();
  program.clear_parameters();
  program.clear_result();
  for (const Value &parameter : (*parts)[0].items) {
    std::optional<Shape> shape = shapeOf(parameter);
    if (!shape) {
      return unwritable("this `entry_computation_layout`");
    }
    writeShape(*shape, *program.add_parameters());
  }
  std::optional<Shape> result = shapeOf((*parts)[2]);
  if (!result) {
    return unwritable("this `entry_computation_layout`");
  }
  writeShape(*result, *program.mutable_result());
  return Done{};
}

void ModuleWriter::writeFrames() {
  proto::builder::StackFrameIndexProto *index =
      module.frameTables.empty() ? nullptr : message.mutable_stack_frame_index();
  std::string text;
  for (const FrameTable &table : module.frameTables) {
    for (const FrameTable::Row &row : table.rows) {
      // Returns the field of `row` that has the given name. Tries the next field first, since the
      // row usually has its fields in the order of these calls.
      auto next = row.value.items.begin();
      auto number = [&](std::string_view name) {
        const Value *value = next != row.value.items.end() && next->kind == Value::Kind::Entry &&
                                     next->items[0].text == name
                                 ? &(next++)->items[1]
                                 : row.value.find(name);
        return static_cast<int32_t>(value ? value->integer().value_or(0) : 0);
      };
      if (table.name == "FileNames") {
        index->add_file_names(unescaped(row.value, text));
      } else if (table.name == "FunctionNames") {
        index->add_function_names(unescaped(row.value, text));
      } else if (table.name == "FileLocations") {
        auto &at = *index->add_file_locations();
        at.set_file_name_id(number("file_name_id"));
        at.set_function_name_id(number("function_name_id"));
        at.set_line(number("line"));
        at.set_end_line(number("end_line"));
        at.set_column(number("column"));
        at.set_end_column(number("end_column"));
      } else if (table.name == "StackFrames") {
        auto &frame = *index->add_stack_frames();
        frame.set_file_location_id(number("file_location_id"));
        // In XLA's text, parent ids are one higher than in the proto.
        frame.set_parent_frame_id(std::max(number("parent_frame_id") - 1, 0));
      }
    }
  }
}

Status ModuleWriter::writeHeader() {
  const Computation *entry = module.entry();
  message.set_name(module.name.empty() ? "module" : module.name); // the text may have no name
  message.set_entry_computation_name(entry->name);
  message.set_entry_computation_id(computations.at(entry));
  writeProgram(*entry, *message.mutable_host_program_shape());
  for (const Attribute &attribute : module.attributes) {
    if (attribute.name == "input_output_alias") {
      writeAliases(attribute.value);
    } else if (attribute.name == "buffer_donor") {
      writeDonors(attribute.value);
    } else if (attribute.name == "frontend_attributes") {
      setFrontendAttributes(attribute.value, *message.mutable_frontend_attributes());
    } else if (attribute.name == "entry_computation_layout") {
      if (Status status = writeEntryLayout(attribute.value); !status) {
        return status;
      }
    } else if (attribute.name == "is_scheduled" && attribute.value.isWord("true")) {
      for (const auto &computation : module.computations) {
        auto &sequence = *message.mutable_schedule()->add_sequences();
        sequence.set_key(computations.at(computation.get()));
        for (const auto &instruction : computation->instructions) {
          sequence.mutable_value()->add_instruction_ids(instructions.at(instruction.get()));
        }
      }
      for (const auto &[start, id] : wrapped) {
        auto &sequence = *message.mutable_schedule()->add_sequences();
        sequence.set_key(id);
        for (size_t i = 0; i <= start->operands.size(); ++i) {
          sequence.mutable_value()->add_instruction_ids((id << 32) + static_cast<int64_t>(i));
        }
      }
    }
    // All other attributes belong to the configuration, which isn't part of the module's message.
  }
  writeFrames();
  return Done{};
}

//===-- computations and instructions ---------------------------------------------------------===//

void ModuleWriter::writeProgram(const Computation &computation,
                                proto::builder::ProgramShapeProto &program) const {
  std::vector<const Instruction *> parameters;
  for (const auto &instruction : computation.instructions) {
    if (std::optional<int64_t> number = instruction->parameterNumber(); number && *number >= 0) {
      parameters.push_back(instruction.get());
    }
  }
  std::sort(parameters.begin(), parameters.end(), [](const Instruction *a, const Instruction *b) {
    return *a->parameterNumber() < *b->parameterNumber();
  });
  for (const Instruction *parameter : parameters) {
    writeShape(parameter->shape, *program.add_parameters());
    program.add_parameter_names(parameter->name);
  }
  writeShape(computation.root()->shape, *program.mutable_result());
}

static void collectCalled(const Value &value, std::vector<const Computation *> &called) {
  if (value.computation()) {
    called.push_back(value.computation());
  }
  for (const Value &item : value.items) {
    collectCalled(item, called);
  }
}

Status ModuleWriter::writeAttributes(const Instruction &instruction, Part part,
                                     proto::builder::HloInstructionProto &to) {
  std::vector<const Computation *> called;
  for (const Attribute &attribute : instruction.attributes) {
    std::string_view name = attribute.name;
    bool isOfStart =
        name == "async_execution_thread" || name == "control-predecessors" || name == "metadata";
    bool isOfWrapped = !isOfStart || name == "metadata";
    if ((part == Part::Start && !isOfStart) || (part == Part::Wrapped && !isOfWrapped)) {
      continue;
    }
    size_t before = called.size();
    collectCalled(attribute.value, called);
    if (called.size() != before) {
      continue;
    }
    if (name == "control-predecessors") {
      for (const Value &item : attribute.value.items) {
        if (item.instruction()) {
          to.add_control_predecessor_ids(instructions.at(item.instruction()));
        }
      }
    } else if (!setField(instruction, attribute, to)) {
      return unwritable("attribute `" + attribute.name + "` of instruction `" + instruction.name +
                        "`");
    }
  }
  if (std::string_view(instruction.opcode) == "while" && called.size() == 2 &&
      instruction.attributes.size() >= 2 && instruction.find("body") &&
      instruction.find("body")->computation() == called[1]) {
    std::swap(called[0], called[1]); // the proto has the body first
  }
  for (const Computation *computation : called) {
    to.add_called_computation_ids(computations.at(computation));
  }
  return Done{};
}

// Sets the defaults of fields that the text left out.
static void setDefaults(const Instruction &instruction, proto::builder::HloInstructionProto &to) {
  std::string_view opcode = to.opcode();
  if (opcode == "dot" || opcode == "convolution" || opcode == "ragged-dot") {
    while (to.precision_config().operand_precision_size() < 2) {
      to.mutable_precision_config()->add_operand_precision(proto::PrecisionConfig::DEFAULT);
    }
  }
  if (opcode == "convolution" || opcode == "reduce-window") {
    to.mutable_window(); // present even if the window has no dimensions
  }
  if (opcode == "convolution" || opcode == "custom-call") {
    to.set_feature_group_count(std::max<int64_t>(to.feature_group_count(), 1));
    to.set_batch_group_count(std::max<int64_t>(to.batch_group_count(), 1));
  }
  if (opcode == "custom-call" && to.custom_call_api_version() == proto::API_VERSION_UNSPECIFIED) {
    to.set_custom_call_api_version(proto::API_VERSION_ORIGINAL);
  }
  if (opcode == "compare" && to.comparison_type().empty() && !instruction.operands.empty()) {
    std::string_view element = instruction.operands[0].instruction->shape.element;
    char first = element.empty() ? 'f' : element[0];
    to.set_comparison_type(first == 's'                   ? "SIGNED"
                           : first == 'u' || first == 'p' ? "UNSIGNED"
                                                          : "FLOAT");
  }
}

Status ModuleWriter::fillInstruction(const Instruction &instruction,
                                     proto::builder::HloInstructionProto &to) {
  to.set_id(instructions.at(&instruction));
  to.set_name(instruction.name.empty() ? "inline." + std::to_string(to.id()) : instruction.name);
  to.set_opcode(instruction.opcode);
  writeShape(instruction.shape, *to.mutable_shape());
  for (const Operand &operand : instruction.operands) {
    to.add_operand_ids(instructions.at(operand.instruction));
  }
  if (std::optional<int64_t> number = instruction.parameterNumber()) {
    to.set_parameter_number(*number);
  } else if (instruction.literal && (instruction.literal->items.size() != 1 ||
                                     !writeLiteral(instruction.literal->items[0], instruction.shape,
                                                   *to.mutable_literal()))) {
    return unwritable("the constant of instruction `" + instruction.name + "`");
  }
  Part part = Part::Whole;
  if (std::optional<Asynchronous> operation = asynchronousIn(instruction.opcode)) {
    to.set_opcode("async" + std::string(operation->step));
    if (operation->step == "-start") {
      to.add_called_computation_ids(wrappedIds.at(&instruction));
      part = Part::Start;
    }
  }
  if (Status status = writeAttributes(instruction, part, to); !status) {
    return status;
  }
  setDefaults(instruction, to);
  return Done{};
}

// Writes the computation that an `async-start` calls: parameters for its operands, and the wrapped
// operation. The start's shape is a tuple of its operands, its result and elements that XLA adds.
Status ModuleWriter::writeWrapped(const Instruction &start, int64_t id) {
  std::string_view operation = asynchronousIn(start.opcode)->operation;
  if (start.shape.kind != Shape::Kind::Tuple || start.shape.elements.size() < 2) {
    return unwritable("operation `" + start.opcode + "` with the shape of `" + start.name + "`");
  }
  proto::builder::HloComputationProto to;
  std::string suffix = "." + std::to_string(id), text;
  to.set_name("async_wrapped" + suffix);
  to.set_id(id);
  if (const Value *thread = start.find("async_execution_thread")) {
    to.set_execution_thread(unescaped(*thread, text));
  }
  int64_t firstId = id << 32;
  auto count = static_cast<int64_t>(start.operands.size());
  auto parameterName = [&](int64_t number) {
    return "async_param" + suffix + "." + std::to_string(number);
  };
  to.set_root_id(firstId + count);
  for (int64_t i = 0; i < count; ++i) {
    const Shape &shape = start.operands[static_cast<size_t>(i)].instruction->shape;
    writeShape(shape, *to.mutable_program_shape()->add_parameters());
    to.mutable_program_shape()->add_parameter_names(parameterName(i));
  }
  writeShape(start.shape.elements[1], *to.mutable_program_shape()->mutable_result());
  size_t before = out.size();
  to.writeFields(out, to.instructions_number + 1, proto::maxFields);
  proto::builder::HloInstructionProto root(scratch);
  root.set_id(firstId + count);
  root.set_name(std::string(operation) + suffix);
  root.set_opcode(operation);
  writeShape(start.shape.elements[1], *root.mutable_shape());
  for (int64_t i = 0; i < count; ++i) {
    root.add_operand_ids(firstId + i);
  }
  if (Status status = writeAttributes(start, Part::Wrapped, root); !status) {
    return status;
  }
  setDefaults(start, root);
  append(root);
  for (int64_t i = count; i-- > 0;) {
    proto::builder::HloInstructionProto parameter(scratch);
    parameter.set_parameter_number(i);
    parameter.set_id(firstId + i);
    parameter.set_name(parameterName(i));
    parameter.set_opcode("parameter");
    writeShape(start.operands[static_cast<size_t>(i)].instruction->shape,
               *parameter.mutable_shape());
    append(parameter);
  }
  to.writeFields(out, 0, to.instructions_number);
  out.beginField(message.computations_number, before);
  return Done{};
}

Status ModuleWriter::writeComputation(const Computation &computation) {
  proto::builder::HloComputationProto to;
  to.set_id(computations.at(&computation));
  to.set_name(computation.name.empty() ? "inline." + std::to_string(to.id()) : computation.name);
  to.set_root_id(instructions.at(computation.root()));
  to.set_is_fusion_computation(fused.contains(&computation));
  writeProgram(computation, *to.mutable_program_shape());
  std::string text;
  if (const Value *thread = findAttribute(computation.attributes, "execution_thread")) {
    to.set_execution_thread(unescaped(*thread, text));
  }
  size_t before = out.size();
  to.writeFields(out, to.instructions_number + 1, proto::maxFields);
  for (size_t i = computation.instructions.size(); i-- > 0;) {
    proto::builder::HloInstructionProto instruction(scratch);
    if (Status status = fillInstruction(*computation.instructions[i], instruction); !status) {
      return status;
    }
    append(instruction);
  }
  to.writeFields(out, 0, to.instructions_number);
  out.beginField(message.computations_number, before);
  return Done{};
}

// Assigns ids to all computations and instructions.
void ModuleWriter::numberAll() {
  int64_t id = 0;
  for (const auto &computation : module.computations) {
    computations.insert(computation.get(), ++id);
    // The high half of an instruction's id is the computation's id, as in XLA.
    int64_t next = id << 32;
    for (const auto &instruction : computation->instructions) {
      instructions.insert(instruction.get(), next++);
      std::optional<Asynchronous> operation = asynchronousIn(instruction->opcode);
      if (operation && operation->step == "-start") {
        wrapped.emplace_back(instruction.get(), 0);
      }
      if (std::string_view(instruction->opcode) == "fusion" ||
          (operation && operation->operation == "fusion")) {
        for (const Computation *called : instruction->calledComputations()) {
          fused.insert(called);
        }
      }
    }
  }
  for (auto &[start, wrappedId] : wrapped) {
    wrappedId = ++id;
    wrappedIds.emplace(start, wrappedId);
  }
}

Status ModuleWriter::write() {
  numberAll();
  if (Status status = writeHeader(); !status) {
    return status;
  }
  message.writeFields(out, message.computations_number + 1, proto::maxFields);
  auto start = wrapped.rbegin();
  for (auto at = module.computations.rbegin(); at != module.computations.rend(); ++at) {
    if (Status status = writeComputation(**at); !status) {
      return status;
    }
    // A wrapped operation's computation follows its callees and precedes its caller.
    for (size_t i = (*at)->instructions.size(); i-- > 0;) {
      if (start == wrapped.rend() || start->first != (*at)->instructions[i].get()) {
        continue;
      }
      if (Status status = writeWrapped(*start->first, start->second); !status) {
        return status;
      }
      ++start;
    }
  }
  message.writeFields(out, 0, message.computations_number);
  return Done{};
}

Result<std::string> writeProto(Module &module, ProtoForm form) {
  if (std::optional<UnknownShape> unknown = inferShapes(module)) {
    return diagnose(errors::ArtifactUnsupported, unknown->reason, {},
                    "write the instruction's shape before its opcode");
  }
  ModuleWriter writer(module);
  if (Status status = writer.write(); !status) {
    return status.error();
  }
  std::string_view bytes = writer.bytes();
  if (bytes.size() > maxProtoSize) {
    return diagnose(errors::ArtifactUnsupported, "an HLO proto can have at most 2 GiB");
  }
  return form == ProtoForm::Text ? protoText(bytes) : std::string(bytes);
}

} // namespace drumlin::hlo
