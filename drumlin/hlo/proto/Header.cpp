// Reads the attributes of a module's header and the tables of stack frames.
#include "drumlin/hlo/proto/Header.h"

#include <algorithm>

namespace drumlin::hlo {

static void readAliases(const proto::HloInputOutputAliasProto &aliases, AttributeList &out) {
  std::string text = "{ ";
  bool isFirst = true;
  for (proto::HloInputOutputAliasProto::AliasEntryProto entry : aliases.entries()) {
    text += isFirst ? "" : ", ";
    printNumbers(entry.output_shape_index(), text);
    text.append(": (").append(std::to_string(entry.parameter_number())).append(", ");
    printNumbers(entry.parameter_shape_index(), text);
    text += entry.kind() == proto::MUST_ALIAS ? ", must-alias)" : ", may-alias)";
    isFirst = false;
  }
  out.text("input_output_alias", text + " }");
}

static void readDonors(const proto::HloBufferDonorProto &donors, AttributeList &out) {
  std::string text = "{ ";
  bool isFirst = true;
  for (proto::HloBufferDonorProto::BufferDonorEntryProto entry : donors.entries()) {
    text += isFirst ? "(" : ", (";
    text.append(std::to_string(entry.parameter_number())).append(", ");
    printNumbers(entry.parameter_shape_index(), text);
    text += ')';
    isFirst = false;
  }
  out.text("buffer_donor", text + " }");
}

// Sets `value` as if the shape's text were parsed. Returns false if the shape has layout suffixes
// or unbounded dimensions, or isn't well-formed. The caller must then parse the shape's text
// instead.
static bool setShape(const proto::ShapeProto &shape, Value &value, Arena &arena);

// Sets a list of shapes such as `(f32[2]{0}, s32[])`. Returns false in the same cases as
// setShape().
static bool setShapes(const proto::Items<proto::ShapeProto> &shapes, Value &list, Arena &arena) {
  list.kind = Value::Kind::List;
  list.bracket = '(';
  list.items.reserve(shapes.size(), arena);
  for (proto::ShapeProto shape : shapes) {
    Value &item = list.items.emplace_back();
    item.comma = list.items.size() != 1;
    item.before.spaces = item.comma ? 1 : 0;
    if (!setShape(shape, item, arena)) {
      return false;
    }
  }
  list.indexComments = list.items.size() > 5;
  return true;
}

static bool setShape(const proto::ShapeProto &shape, Value &value, Arena &arena) {
  if (shape.element_type() == proto::TUPLE) {
    return setShapes(shape.tuple_shapes(), value, arena);
  }
  auto read = std::make_unique<Shape>();
  readShape(shape, &arena, *read);
  bool isPlain = read->isWellFormed() && (!read->layout || read->layout->suffixes.empty()) &&
                 std::all_of(read->dimensions.begin(), read->dimensions.end(),
                             [](const Dimension &each) { return each.size >= 0; });
  value.kind = Value::Kind::Shape;
  value.referent.set(std::move(read));
  return isPlain;
}

// Sets `value` as if a text such as `{(f32[2]{0}, s32[])->f32[2]{0}}` were parsed. Returns false in
// the same cases as setShape().
static bool setProgram(const proto::ProgramShapeProto &program, Value &value, Arena &arena) {
  value.kind = Value::Kind::List;
  value.bracket = '{';
  value.items.reserve(1, arena);
  Value &sequence = value.items.emplace_back();
  sequence.kind = Value::Kind::Sequence;
  sequence.items.reserve(3, arena);
  if (!setShapes(program.parameters(), sequence.items.emplace_back(), arena)) {
    return false;
  }
  Value &mark = sequence.items.emplace_back();
  mark.kind = Value::Kind::Mark;
  mark.text = "->";
  return setShape(program.result(), sequence.items.emplace_back(), arena);
}

static void readEntryLayout(const proto::ProgramShapeProto &program, AttributeList &out) {
  if (Value value; setProgram(program, value, out.arena)) {
    out.add("entry_computation_layout") = std::move(value);
    return;
  }
  std::string text = "{(";
  size_t i = 0;
  for (proto::ShapeProto parameter : program.parameters()) {
    text += i == 0 ? "" : ", ";
    if (i != 0 && i % 5 == 0) {
      text.append("/*index=").append(std::to_string(i)).append("*/");
    }
    readShape(parameter).print(text);
    ++i;
  }
  text += ")->";
  readShape(program.result()).print(text);
  out.text("entry_computation_layout", text + "}");
}

void readHeader(const proto::HloModuleProto &message, AttributeList &out) {
  if (message.schedule().sequences_size() != 0) {
    out.flag("is_scheduled", true);
  }
  if (message.input_output_alias().entries_size() != 0) {
    readAliases(message.input_output_alias(), out);
  }
  if (message.buffer_donor().entries_size() != 0) {
    readDonors(message.buffer_donor(), out);
  }
  if (message.has_host_program_shape()) {
    readEntryLayout(message.host_program_shape(), out);
  }
  if (message.frontend_attributes().map_size() != 0) {
    std::string text;
    printFrontendAttributes(message.frontend_attributes(), text);
    out.text("frontend_attributes", text);
  }
}

void readFrames(const proto::StackFrameIndexProto &index, Module &module) {
  Arena &arena = *module.arena;
  auto record = [&](std::initializer_list<std::pair<std::string_view, int64_t>> fields) {
    Value value;
    value.kind = Value::Kind::List;
    value.bracket = '{';
    value.items.reserve(fields.size(), arena);
    for (auto [name, number] : fields) {
      addEntry(name, value.items, arena).setNumber(number, arena);
    }
    return value;
  };
  auto add = [&](std::string_view name, const auto &rows, auto valueOf) {
    if (rows.empty()) {
      return;
    }
    FrameTable &table = module.frameTables.emplace_back();
    table.name = name;
    table.rows.reserve(rows.size());
    for (auto row : rows) {
      FrameTable::Row &to = table.rows.emplace_back();
      to.id = static_cast<int64_t>(table.rows.size());
      to.value = valueOf(row);
    }
  };
  add("FileNames", index.file_names(), [](std::string_view name) { return Value::string(name); });
  add("FunctionNames", index.function_names(),
      [](std::string_view name) { return Value::string(name); });
  add("FileLocations", index.file_locations(),
      [&](const proto::StackFrameIndexProto::FileLocation &row) {
        proto::Found<proto::StackFrameIndexProto::FileLocation> at(row);
        return record({{"file_name_id", at.file_name_id()},
                       {"function_name_id", at.function_name_id()},
                       {"line", at.line()},
                       {"end_line", at.end_line()},
                       {"column", at.column()},
                       {"end_column", at.end_column()}});
      });
  add("StackFrames", index.stack_frames(),
      [&](const proto::StackFrameIndexProto::StackFrame &frame) {
        // In XLA's text, parent ids are one higher than in the proto.
        return record({{"file_location_id", frame.file_location_id()},
                       {"parent_frame_id", int64_t(frame.parent_frame_id()) + 1}});
      });
}

} // namespace drumlin::hlo
