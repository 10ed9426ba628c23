// The dialect's attributes in bytecode become text, part by part. They are written as text, which
// bytecode allows.
// Source of the codes and fields: openxla/shardy, shardy/dialect/sdy/ir/bytecode.td.
#include "drumlin/ir/sdy/SdyDialect.h"

#include "mlir/Bytecode/BytecodeImplementation.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace drumlin::sdy {

namespace {
// Reads one attribute's fields into a text. After a field that couldn't be read, all others can't.
class TextReader {
public:
  explicit TextReader(DialectBytecodeReader &reader) : reader(reader) {}

  std::string string();
  int64_t number();
  bool flag();
  std::string optionalPriority();
  // A part that is an attribute itself; its mnemonic is `mnemonic`.
  std::string part(StringRef mnemonic);
  std::string optionalPart(StringRef mnemonic, StringRef before);
  std::string partList(StringRef mnemonic);
  SmallVector<int64_t> numbers();
  std::string mesh();
  std::string quotedList();

  bool failed() const { return hasFailed; }

private:
  template <typename T> T checked(LogicalResult result, T value) {
    hasFailed |= mlir::failed(result);
    return hasFailed ? T() : value;
  }
  uint64_t count() {
    uint64_t value = 0;
    LogicalResult result = hasFailed ? failure() : reader.readVarInt(value);
    return checked(result, value);
  }
  Attribute attribute() {
    Attribute value;
    LogicalResult result = hasFailed ? failure() : reader.readAttribute(value);
    return checked(result, value);
  }
  std::string body(Attribute attribute, StringRef mnemonic) {
    std::optional<StringRef> text = bodyOf(attribute, mnemonic);
    hasFailed |= !text;
    return text ? text->str() : "";
  }

  DialectBytecodeReader &reader;
  bool hasFailed = false;
};

class SdyBytecode : public BytecodeDialectInterface {
public:
  explicit SdyBytecode(Dialect *dialect) : BytecodeDialectInterface(dialect) {}
  Attribute readAttribute(DialectBytecodeReader &reader) const override;
};
} // namespace

//===-- fields --------------------------------------------------------------------------------===//

static std::string inQuotes(StringRef text) {
  std::string result;
  llvm::raw_string_ostream stream(result);
  stream << '"';
  llvm::printEscapedString(text, stream);
  stream << '"';
  return result;
}

std::string TextReader::string() {
  StringRef text;
  LogicalResult result = hasFailed ? failure() : reader.readString(text);
  return inQuotes(checked(result, text));
}

int64_t TextReader::number() {
  int64_t value = 0;
  LogicalResult result = hasFailed ? failure() : reader.readSignedVarInt(value);
  return checked(result, value);
}

bool TextReader::flag() {
  bool value = false;
  LogicalResult result = hasFailed ? failure() : reader.readBool(value);
  return checked(result, value);
}

std::string TextReader::optionalPriority() {
  uint64_t value = 0;
  bool isThere = false;
  LogicalResult result = hasFailed ? failure() : reader.readVarIntWithFlag(value, isThere);
  return checked(result, isThere) ? "p" + std::to_string(value) : "";
}

std::string TextReader::part(StringRef mnemonic) { return body(attribute(), mnemonic); }

std::string TextReader::optionalPart(StringRef mnemonic, StringRef before) {
  Attribute value;
  LogicalResult result = hasFailed ? failure() : reader.readOptionalAttribute(value);
  value = checked(result, value);
  return value ? before.str() + body(value, mnemonic) : "";
}

std::string TextReader::partList(StringRef mnemonic) {
  std::string list;
  for (uint64_t left = count(); left != 0 && !hasFailed; --left) {
    list += (list.empty() ? "" : ", ") + part(mnemonic);
  }
  return list;
}

SmallVector<int64_t> TextReader::numbers() {
  SmallVector<int64_t> list;
  for (uint64_t left = count(); left != 0 && !hasFailed; --left) {
    list.push_back(number());
  }
  return list;
}

// A mesh by name, or spelled out.
std::string TextReader::mesh() {
  Attribute value = attribute();
  if (auto name = dyn_cast_or_null<FlatSymbolRefAttr>(value)) {
    std::string text;
    llvm::raw_string_ostream(text) << value;
    return text;
  }
  return "mesh" + body(value, "mesh");
}

std::string TextReader::quotedList() {
  std::string list;
  for (uint64_t left = count(); left != 0 && !hasFailed; --left) {
    auto name = dyn_cast_or_null<StringAttr>(attribute());
    hasFailed |= !name;
    list += (list.empty() ? "" : ", ") + (name ? inQuotes(name.getValue()) : "");
  }
  return list;
}

//===-- rules ---------------------------------------------------------------------------------===//

// The factors of a rule are called i, j, …, z, z_1, z_2, …
static std::string factorName(int64_t index) {
  constexpr int64_t letters = 'z' - 'i' + 1;
  return index < letters ? std::string(1, static_cast<char>('i' + index))
                         : "z_" + std::to_string(index - letters + 1);
}

static std::string factors(TextReader &reader, StringRef name) {
  std::string list;
  for (int64_t factor : reader.numbers()) {
    list += (list.empty() ? "" : ", ") + factorName(factor);
  }
  return list.empty() ? "" : " " + name.str() + "={" + list + "}";
}

static std::string rule(TextReader &reader) {
  std::string sizes;
  for (auto [index, size] : llvm::enumerate(reader.numbers())) {
    sizes += (index == 0 ? "" : ", ") + factorName(index) + "=" + std::to_string(size);
  }
  std::string text = "<(" + reader.partList("tensor_mapping") + ")->(";
  text += reader.partList("tensor_mapping") + ")";
  text += sizes.empty() ? "" : " {" + sizes + "}";
  for (StringRef name : {"reduction", "need_replication", "permutation", "blocked_propagation"}) {
    text += factors(reader, name);
  }
  return text + (reader.flag() ? ", custom>" : ">");
}

//===-- shardings -----------------------------------------------------------------------------===//

static std::string namedAxes(StringRef name, const std::string &axes) {
  return axes.empty() ? "" : ", " + name.str() + "{" + axes + "}";
}

// `version` 1 has no axes left to reduce, 2 sums over them, 3 says how they are reduced.
static std::string sharding(TextReader &reader, unsigned version) {
  std::string text = "<" + reader.mesh() + ", [";
  text += reader.partList("dimension_sharding") + "]";
  text += namedAxes("replicated=", reader.partList("axis_ref"));
  if (version > 1) {
    std::string axes = reader.partList("axis_ref");
    int64_t reduction = version > 2 ? reader.number() : 0;
    text += namedAxes(reduction == 1   ? "unreduced=max"
                      : reduction == 2 ? "unreduced=min"
                                       : "unreduced=",
                      axes);
  }
  return text + ">";
}

static std::string dimension(TextReader &reader) {
  std::string axes = reader.partList("axis_ref");
  if (!reader.flag()) {
    axes += axes.empty() ? "?" : ", ?";
  }
  return "{" + axes + "}" + reader.optionalPriority();
}

static std::string mesh(TextReader &reader) {
  std::string text = "<[" + reader.partList("mesh_axis") + "]";
  std::string ids;
  for (int64_t id : reader.numbers()) {
    ids += (ids.empty() ? "" : ", ") + std::to_string(id);
  }
  return text + (ids.empty() ? ">" : ", device_ids=[" + ids + "]>");
}

Attribute SdyBytecode::readAttribute(DialectBytecodeReader &reader) const {
  uint64_t code = 0;
  if (failed(reader.readVarInt(code))) {
    return {};
  }
  TextReader fields(reader);
  StringRef mnemonic;
  std::string body;
  auto set = [&](StringRef name, std::string text) {
    mnemonic = name;
    body = std::move(text);
  };
  switch (code) {
  case 0:
    set("manual_axes", "{" + fields.quotedList() + "}");
    break;
  case 1: {
    std::string name = fields.string();
    set("mesh_axis", name + "=" + std::to_string(fields.number()));
    break;
  }
  case 2:
    set("mesh", mesh(fields));
    break;
  case 3: {
    std::string before = "(" + std::to_string(fields.number()) + ")";
    set("sub_axis_info", before + std::to_string(fields.number()));
    break;
  }
  case 4: {
    std::string name = fields.string();
    set("axis_ref", name + fields.optionalPart("sub_axis_info", ":"));
    break;
  }
  case 5:
    set("dimension_sharding", dimension(fields));
    break;
  case 6:
  case 15:
  case 17:
    set("sharding", sharding(fields, code == 6 ? 1 : code == 15 ? 2 : 3));
    break;
  case 7:
  case 16:
    set("sharding_per_value", "<[" + fields.partList("sharding") + "]>");
    break;
  case 8: {
    std::string names;
    for (int64_t factor : fields.numbers()) {
      names += factorName(factor);
    }
    // A dimension has one factor at least; the colon keeps the mnemonic apart from its body.
    set("dim_mapping", ":" + names);
    break;
  }
  case 9: {
    std::string list = fields.partList("dim_mapping");
    std::erase(list, ':');
    set("tensor_mapping", "[" + list + "]");
    break;
  }
  case 10:
    set("op_sharding_rule", rule(fields));
    break;
  default:
    reader.emitError() << "unknown attribute of `sdy`, code " << code;
    return {};
  }
  if (fields.failed()) {
    reader.emitError() << "malformed attribute of `sdy`, code " << code;
    return {};
  }
  return makeText(getContext(), mnemonic, body);
}

void SdyDialect::registerBytecode() { addInterfaces<SdyBytecode>(); }

} // namespace drumlin::sdy
