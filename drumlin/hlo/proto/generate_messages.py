"""Generates Messages.h, Builders.h and Schema.cpp from Hlo.proto, which defines the fields:
`generate_messages.py Hlo.proto FOLDER`. Views read messages from bytes; builders write them."""
import pathlib
import re
import sys

SCALARS = {"bool": "bool", "int32": "int32_t", "int64": "int64_t", "uint32": "uint32_t", "uint64": "uint64_t", "float": "float", "double": "double"}
TEXTS = ("string", "bytes")
HEADER = "// Made from Hlo.proto by generate_messages.py.\n"
TOKEN = re.compile(r"message (\w+) \{|enum (\w+) \{|(repeated )?([\w.]+) (\w+) = (\d+);|(\w+) = (\d+);|(\})")


class Message:
    def __init__(self, path):
        self.path, self.fields, self.enums, self.inner = path, [], [], []
        self.name = "_".join(path)


class Enum:
    def __init__(self, path):
        self.path, self.values = path, []


def parse(text):
    """Returns all messages, in the file's order with nested ones first, and all enumerations."""
    messages, enums, open_ = [], [], []
    for match in TOKEN.finditer(re.sub(r"//.*|^(syntax|package|option).*", "", text, flags=re.M)):
        message, enum, repeated, type, field, number, enumerator, value, close = match.groups()
        path = tuple(each.path[-1] for each in open_)
        if message:
            open_.append(Message((*path, message)))
        elif enum:
            open_.append(Enum((*path, enum)))
        elif field:
            open_[-1].fields.append((int(number), field, type, bool(repeated)))
        elif enumerator:
            open_[-1].values.append((enumerator, int(value)))
        elif close:
            done = open_.pop()
            (messages if isinstance(done, Message) else enums).append(done)
            if open_:
                (open_[-1].inner if isinstance(done, Message) else open_[-1].enums).append(done)
    for message in messages:
        message.fields.sort()
    return messages, enums


def enum_lines(enum, index, indent, static):
    name = enum.path[-1]
    yield f"{indent}enum {name} : int {{ " + ", ".join(f"{key} = {value}" for key, value in enum.values) + " };"
    yield f"{indent}{static}std::string_view {name}_Name(int value) {{ return enumeratorName({index}, value); }}"
    yield f"{indent}{static}bool {name}_Parse(std::string_view name, {name} *value) {{ return parseEnumerator({index}, name, *value); }}"


class Writer:
    def __init__(self, messages, enums):
        self.messages, self.enums = messages, enums
        self.message_of = {".".join(each.path): each for each in messages}
        self.enum_of = {".".join(each.path): each for each in enums}

    def kind(self, type):
        """Returns a field's kind (message, number or text) and its C++ type."""
        if type in self.message_of:
            return "message", self.message_of[type].name
        if type in self.enum_of:
            return "number", "::".join(("proto", *self.enum_of[type].path))
        return ("text", "std::string_view") if type in TEXTS else ("number", SCALARS[type])

    def views(self):
        yield HEADER + '#pragma once\n\n#include "drumlin/hlo/proto/Schema.h"\n#include "drumlin/hlo/proto/View.h"\n\nnamespace drumlin::hlo::proto {\n'
        for index, enum in enumerate(self.enums):
            if len(enum.path) == 1:
                yield from enum_lines(enum, index, "", "inline ")
        yield "".join(f"class {message.name};\n" for message in self.messages)
        later = []
        for message in self.messages:
            yield f"class {message.name} : public View {{\npublic:\n  using View::View;"
            yield from (f"  using {inner.path[-1]} = {inner.name};" for inner in message.inner)
            for enum in message.enums:
                yield from enum_lines(enum, self.enums.index(enum), "  ", "static ")
            for number, name, type, repeated in message.fields:
                kind, cpp = self.kind(type)
                wire = f"wireType<{cpp}>" if kind == "number" else "bytesWire"
                yield f"  static constexpr uint32_t {name}_tag = tagOf({number}, {'bytesWire' if repeated else wire});"
                if repeated and kind == "number":
                    yield f"  static constexpr uint32_t {name}_single_tag = tagOf({number}, {wire});"
                if repeated:
                    result = f"Numbers<{cpp}>" if kind == "number" else f"Items<{cpp}>"
                    yield f"  {result} {name}() const;"
                    yield f"  size_t {name}_size() const;"
                    later.append(f"inline {result} {message.name}::{name}() const {{ return {result}(*this, {number}); }}")
                    later.append(f"inline size_t {message.name}::{name}_size() const {{ return {name}().size(); }}")
                elif kind == "message":
                    yield f"  {cpp} {name}() const;\n  bool has_{name}() const {{ return has({number}); }}"
                    later.append(f"inline {cpp} {message.name}::{name}() const {{ return {cpp}(text({number})); }}")
                else:
                    read = f"number<{cpp}>" if kind == "number" else "text"
                    yield f"  {cpp} {name}() const {{ return {read}({number}); }}"
            yield "};\n"
        yield from later
        yield "\n} // namespace drumlin::hlo::proto"

    def builders(self):
        yield HEADER + '#pragma once\n\n#include "drumlin/hlo/proto/Builder.h"\n#include "drumlin/hlo/proto/Messages.h"\n\nnamespace drumlin::hlo::proto::builder {\n'
        yield "".join(f"class {message.name};\n" for message in self.messages)
        later = []
        for message in self.messages:
            yield f"class {message.name} : public Builder {{\npublic:"
            most = max((number for number, *_ in message.fields), default=0)
            yield f"  {message.name}() : Builder({most}) {{}}\n  explicit {message.name}(Arena &arena) : Builder({most}, arena) {{}}"
            yield from (f"  using {inner.path[-1]} = {inner.name};" for inner in message.inner)
            for number, name, type, repeated in message.fields:
                kind, cpp = self.kind(type)
                wire = f"wireType<{cpp}>"
                if kind == "message":
                    if repeated:
                        declared = [(f"{cpp} *", f"add_{name}()", f"return &addMessage<{cpp}>({number});"),
                                    (f"{cpp} *", f"mutable_{name}(size_t index)", f"return &messageAt<{cpp}>({number}, index);"),
                                    (f"const {cpp} &", f"{name}(size_t index) const", f"return messageAt<{cpp}>({number}, index);")]
                        yield f"  static constexpr uint32_t {name}_number = {number};"
                        yield f"  size_t {name}_size() const {{ return count({number}); }}"
                    else:
                        declared = [(f"{cpp} *", f"mutable_{name}()", f"return &onlyMessage<{cpp}>({number});"),
                                    (f"const {cpp} &", f"{name}() const", f"return onlyMessageOrNone<{cpp}>({number});")]
                        yield f"  bool has_{name}() const {{ return has({number}); }}"
                    yield f"  void clear_{name}() {{ clear({number}); }}"
                    for result, signature, body in declared:
                        yield f"  {result}{signature};"
                        later.append(f"inline {result}{message.name}::{signature} {{ {body} }}")
                elif kind == "text" and repeated:
                    yield f"  void add_{name}(std::string_view value) {{ addText({number}, value); }}"
                elif kind == "text":
                    yield f"  void set_{name}(std::string_view value) {{ setText({number}, value); }}"
                    yield f"  std::string_view {name}() const {{ return text({number}); }}"
                elif repeated:
                    yield f"  void add_{name}({cpp} value) {{ addNumber({number}, {wire}, bitsOf(value)); }}"
                    yield f"  void add_all_{name}(std::span<const {cpp}> values) {{ for ({cpp} value : values) add_{name}(value); }}"
                    yield f"  void set_{name}(size_t index, {cpp} value) {{ numberAt({number}, index) = bitsOf(value); }}"
                    yield f"  size_t {name}_size() const {{ return count({number}); }}"
                else:
                    yield f"  void set_{name}({cpp} value) {{ setNumber({number}, {wire}, bitsOf(value)); }}"
                    yield f"  {cpp} {name}() const {{ return fromBits<{cpp}>(number({number})); }}"
            yield "};\n"
        yield from later
        yield "\n} // namespace drumlin::hlo::proto::builder"

    def schema(self):
        yield HEADER + '#include "drumlin/hlo/proto/Schema.h"\n\nnamespace drumlin::hlo::proto {\n'
        for enum in self.enums:
            yield f"static constexpr Enumerator {'_'.join(enum.path)}_values[] = {{"
            yield from (f'    {{"{name}", {value}}},' for name, value in enum.values)
            yield "};"
        yield "static constexpr std::span<const Enumerator> enums[] = {" + ", ".join(f"{'_'.join(enum.path)}_values" for enum in self.enums) + "};"
        for message in self.messages:
            yield f"static constexpr FieldInfo {message.name}_fields[] = {{"
            for number, name, type, repeated in message.fields:
                if type in self.message_of:
                    child, type = self.messages.index(self.message_of[type]), "Message"
                elif type in self.enum_of:
                    child, type = self.enums.index(self.enum_of[type]), "Enum"
                else:
                    child = 0
                    type = type.replace("u", "U", 1).replace("int", "Int") if "int" in type else type
                    type = type[0].upper() + type[1:]
                yield f'    {{"{name}", {number}, FieldType::{type}, {str(repeated).lower()}, {child}}},'
            yield "};"
        yield "static constexpr std::span<const FieldInfo> messages[] = {" + ", ".join(f"{message.name}_fields" for message in self.messages) + "};\n"
        yield "std::span<const Enumerator> enumeratorsOf(uint16_t index) { return enums[index]; }"
        yield "std::span<const FieldInfo> fieldsOf(uint16_t index) { return messages[index]; }"
        yield f"const uint16_t messageCount = {len(self.messages)};"
        yield f"const uint16_t moduleMessage = {self.messages.index(self.message_of['HloModuleProto'])};"
        yield f"const uint16_t wrapperMessage = {self.messages.index(self.message_of['HloProto'])};"
        yield f"const uint16_t shapeMessage = {self.messages.index(self.message_of['ShapeProto'])};"
        yield "\n} // namespace drumlin::hlo::proto"


def main(source, folder):
    writer = Writer(*parse(pathlib.Path(source).read_text()))
    for name, lines in (("Messages.h", writer.views()), ("Builders.h", writer.builders()), ("Schema.cpp", writer.schema())):
        (pathlib.Path(folder) / name).write_text("\n".join(lines) + "\n")


main(*sys.argv[1:])
