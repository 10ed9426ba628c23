// Tests which bytes are recognized as a module, and the errors for invalid modules.
#include "drumlin/hlo/Lexer.h"
#include "drumlin/hlo/Parser.h"
#include "drumlin/hlo/Printer.h"
#include "drumlin/hlo/proto/Builders.h"
#include "drumlin/hlo/proto/Proto.h"
#include "drumlin/hlo/proto/TextForm.h"
#include "drumlin/support/diagnostics/SyntaxErrors.h"

#include <gtest/gtest.h>

#include <array>

namespace drumlin::hlo {

// Adds a computation with the instructions `x` and `y = negate(x)`.
static void addSmall(proto::builder::HloModuleProto &module) {
  proto::builder::HloComputationProto &entry = *module.add_computations();
  entry.set_name("e");
  entry.set_root_id(1);
  for (std::string_view opcode : {"parameter", "negate"}) {
    proto::builder::HloInstructionProto &instruction = *entry.add_instructions();
    instruction.set_id(entry.instructions_size() - 1);
    instruction.set_name(instruction.id() == 0 ? "x" : "y");
    instruction.set_opcode(std::string(opcode));
    instruction.mutable_shape()->set_element_type(proto::F32);
  }
  entry.mutable_instructions(1)->add_operand_ids(0);
}

// Returns a module whose only computation is the one that addSmall() adds.
static proto::builder::HloModuleProto small() {
  proto::builder::HloModuleProto module;
  module.set_name("m");
  module.set_entry_computation_name("e");
  addSmall(module);
  return module;
}

static void expectError(const proto::builder::HloModuleProto &message, DiagnosticCode code,
                        std::string_view text) {
  Result<Module> module = readProto(message.SerializeAsString(), "m.pb");
  ASSERT_FALSE(module) << text;
  EXPECT_EQ(module.error().code, code) << text;
  EXPECT_TRUE(module.error().location.starts_with("m.pb:")) << module.error().location;
  EXPECT_NE(module.error().message.find(text), std::string::npos) << module.error().message;
}

TEST(HloProto, Detection) {
  std::string bytes = small().SerializeAsString();
  EXPECT_TRUE(isProto(bytes));
  for (std::string_view text : {"", "\n", "\n\nHloModule m\n", "HloModule m", "module {}"}) {
    EXPECT_FALSE(isProto(text)) << text;
  }
  std::string wrapped = "\n" + std::string(1, static_cast<char>(bytes.size())) + bytes;
  ASSERT_LT(bytes.size(), 128U);
  EXPECT_TRUE(isProto(wrapped));
  Result<Module> module = readProto(wrapped, "m.pb");
  ASSERT_TRUE(module);
  EXPECT_EQ(print(*module), "HloModule m\n\nENTRY %e (x: f32[]) -> f32[] {\n"
                            "  %x = f32[] parameter(0)\n  ROOT %y = f32[] negate(%x)\n}\n\n");
}

TEST(HloProto, EachByteMissing) {
  std::string bytes = small().SerializeAsString();
  for (size_t size = 5; size < bytes.size(); ++size) {
    Result<Module> module = readProto(std::string_view(bytes).substr(0, size), "m.pb");
    ASSERT_FALSE(module) << size;
    EXPECT_TRUE(module.error().location.starts_with("m.pb")) << module.error().str();
  }
}

TEST(HloProto, IdsOfNothing) {
  proto::builder::HloModuleProto module = small();
  module.mutable_computations(0)->mutable_instructions(1)->set_operand_ids(0, 7);
  expectError(module, errors::HloNameUnknown, "operand 7 of instruction `y`");
  module = small();
  module.mutable_computations(0)->mutable_instructions(1)->add_called_computation_ids(9);
  expectError(module, errors::HloNameUnknown, "no computation has the id 9");
  module = small();
  module.mutable_computations(0)->mutable_instructions(1)->add_control_predecessor_ids(8);
  expectError(module, errors::HloNameUnknown, "control predecessor 8");
  module = small();
  module.mutable_computations(0)->set_root_id(5);
  expectError(module, errors::HloNameUnknown, "the root's id");
  module = small();
  module.set_entry_computation_id(3);
  expectError(module, errors::HloNameUnknown, "the entry's id 3");
}

// Protos may have computations and instructions in an order other than that of their ids.
TEST(HloProto, IdsInAnyOrder) {
  struct Each {
    std::string_view computation;
    int64_t id, parameterId;
    std::string_view opcode;
  };
  std::string expected = "HloModule m\n\n"
                         "%f (f.0: f32[]) -> f32[] {\n  %f.0 = f32[] parameter(0)\n"
                         "  ROOT %f.1 = f32[] negate(%f.0)\n}\n\n"
                         "ENTRY %e (e.0: f32[]) -> f32[] {\n  %e.0 = f32[] parameter(0)\n"
                         "  ROOT %e.1 = f32[] call(%e.0), to_apply=%f\n}\n\n";
  Each f{"f", 3, 4, "negate"}, e{"e", 9, 10, "call"};
  for (bool isReversed : {false, true}) {
    for (const auto &order : {std::array{f, e}, std::array{e, f}}) {
      proto::builder::HloModuleProto module;
      module.set_name("m");
      module.set_entry_computation_name("e");
      module.set_entry_computation_id(9);
      for (const Each &each : order) {
        proto::builder::HloComputationProto &to = *module.add_computations();
        to.set_name(each.computation);
        to.set_id(each.id);
        to.set_root_id(each.parameterId + 2);
        for (int64_t number : {isReversed ? 1 : 0, isReversed ? 0 : 1}) {
          proto::builder::HloInstructionProto &instruction = *to.add_instructions();
          instruction.set_id(each.parameterId + 2 * number);
          instruction.set_name(std::string(each.computation) + "." + std::to_string(number));
          instruction.set_opcode(number == 0 ? "parameter" : each.opcode);
          instruction.mutable_shape()->set_element_type(proto::F32);
          if (number == 1) {
            instruction.add_operand_ids(each.parameterId);
          }
          if (number == 1 && each.computation == "e") {
            instruction.add_called_computation_ids(3);
          }
        }
      }
      Result<Module> read = readProto(module.SerializeAsString(), "m.pb");
      ASSERT_TRUE(read) << read.error().str();
      EXPECT_EQ(print(*read), expected);
    }
  }
}

TEST(HloProto, NamesAndIdsTwice) {
  proto::builder::HloModuleProto module = small();
  module.mutable_computations(0)->mutable_instructions(1)->set_name("x");
  expectError(module, errors::HloNameTaken, "a second instruction `x`");
  module = small();
  module.mutable_computations(0)->mutable_instructions(1)->set_id(0);
  expectError(module, errors::HloNameTaken, "a second instruction with id 0");
  module = small();
  addSmall(module);
  expectError(module, errors::HloNameTaken, "a second computation with id 0");
  module.mutable_computations(1)->set_id(1);
  expectError(module, errors::HloNameTaken, "a second computation `e`");
}

TEST(HloProto, Cycles) {
  proto::builder::HloModuleProto module = small();
  module.mutable_computations(0)->mutable_instructions(1)->set_operand_ids(0, 1);
  expectError(module, errors::HloCycle, "instruction `y` depends on its own result");
  module = small();
  module.mutable_computations(0)->mutable_instructions(1)->add_called_computation_ids(0);
  expectError(module, errors::HloCycle, "computation `e` calls itself");
}

// Clients of XlaBuilder can give computations any name or none.
TEST(HloProto, NamesThatTextCannotHave) {
  proto::builder::HloModuleProto message;
  message.set_name("x*x, sqrt(x).5");
  message.set_entry_computation_name("x*x, sqrt(x).5");
  addSmall(message);
  proto::builder::HloComputationProto &entry = *message.mutable_computations(0);
  entry.set_name(message.name());
  entry.mutable_instructions(0)->set_name("//");
  entry.mutable_instructions(1)->set_name("");
  Result<Module> module = readProto(message.SerializeAsString(), "m.pb");
  ASSERT_TRUE(module) << module.error().message;
  EXPECT_EQ(print(*module),
            "HloModule x_x__sqrt_x_.5\n\nENTRY %x_x__sqrt_x_.5 (__: f32[]) -> f32[] {\n"
            "  %__ = f32[] parameter(0)\n  ROOT %negate.1 = f32[] negate(%__)\n}\n\n");
  EXPECT_TRUE(parse(print(*module), "again.hlo"));
  message.set_name("");
  message.set_entry_computation_name("");
  entry.set_name("");
  module = readProto(message.SerializeAsString(), "m.pb");
  ASSERT_TRUE(module);
  EXPECT_EQ(module->name, "main");
  EXPECT_EQ(module->entry()->name, "computation.0");
  // Each byte gives a valid name, alone and next to other characters.
  for (int i = 0; i < 256; ++i) {
    std::string c(1, static_cast<char>(i));
    for (const std::string &name : {c, c + c, "a" + c, c + "->", "/" + c + "*"}) {
      EXPECT_TRUE(isName(nameInText(name, ""))) << i;
    }
  }
  // Two different names become the same name.
  entry.mutable_instructions(0)->set_name("a b");
  entry.mutable_instructions(1)->set_name("a,b");
  expectError(message, errors::HloNameTaken, "a_b");
}

TEST(HloProto, WhatTextCannotSay) {
  proto::builder::HloModuleProto module = small();
  module.mutable_computations(0)->mutable_instructions(0)->set_opcode("a b");
  expectError(module, errors::HloProtoInvalid, "no opcode");
  module = small();
  proto::builder::HloInstructionProto &typeless =
      *module.mutable_computations(0)->mutable_instructions(0);
  typeless.mutable_shape()->set_element_type(static_cast<proto::PrimitiveType>(77));
  expectError(module, errors::HloProtoInvalid, "a shape without an element type");
  module = small();
  module.mutable_computations(0)->mutable_instructions(0)->set_parameter_number(7);
  expectError(module, errors::HloProtoInvalid, "parameter number 7");
  module = small();
  proto::builder::HloInstructionProto &constant =
      *module.mutable_computations(0)->mutable_instructions(0);
  constant.set_opcode("constant");
  constant.mutable_literal()->mutable_shape()->set_element_type(proto::F32);
  expectError(module, errors::HloProtoInvalid, "has 0 elements");
  constant.mutable_literal()->mutable_shape()->add_dimensions(int64_t(1) << 62);
  constant.mutable_literal()->mutable_shape()->add_dimensions(int64_t(1) << 62);
  expectError(module, errors::HloProtoInvalid, "has a different shape");
  constant.mutable_shape()->add_all_dimensions(std::array{int64_t(1) << 62, int64_t(1) << 62});
  expectError(module, errors::HloProtoInvalid, "a constant's shape");
}

TEST(HloProto, AttributesThatTextCannotSay) {
  for (std::string_view direction : {"LT, =1", "LT x, y=", "{", "LT)"}) {
    proto::builder::HloModuleProto module = small();
    proto::builder::HloInstructionProto &compare =
        *module.mutable_computations(0)->mutable_instructions(1);
    compare.set_opcode("compare");
    compare.set_comparison_direction(direction);
    expectError(module, errors::HloProtoInvalid, "can't be written as HLO text");
  }
  proto::builder::HloModuleProto module = small();
  proto::builder::HloInstructionProto &dot =
      *module.mutable_computations(0)->mutable_instructions(1);
  dot.set_opcode("dot");
  dot.mutable_precision_config()->add_operand_precision(
      static_cast<proto::PrecisionConfig::Precision>(9));
  dot.mutable_precision_config()->add_operand_precision(proto::PrecisionConfig::HIGH);
  expectError(module, errors::HloProtoInvalid, "can't be written as HLO text");
}

static void expectSame(const Value &a, const Value &b, const std::string &where) {
  ASSERT_EQ(a.kind, b.kind) << where;
  EXPECT_EQ(a.bracket, b.bracket) << where;
  EXPECT_EQ(a.comma, b.comma) << where;
  EXPECT_EQ(a.before, b.before) << where;
  EXPECT_EQ(a.text, b.text) << where;
  EXPECT_EQ(a.indexComments, b.indexComments) << where;
  ASSERT_EQ(a.shape() != nullptr, b.shape() != nullptr) << where;
  EXPECT_TRUE(!a.shape() || a.shape()->printsAs(*b.shape())) << where;
  ASSERT_EQ(a.items.size(), b.items.size()) << where;
  for (size_t i = 0; i < a.items.size(); ++i) {
    expectSame(a.items[i], b.items[i], where);
  }
}

// Attributes that are built directly from fields equal attributes that are parsed from text.
TEST(HloProto, ValuesAreThoseOfText) {
  Result<Module> written = parse(R"(HloModule m, is_scheduled=true

%add (x: f32[], y: f32[]) -> f32[] {
  %x = f32[] parameter(0)
  %y = f32[] parameter(1)
  ROOT %z = f32[] add(%x, %y)
}

ENTRY %e (p: f32[4,4]) -> f32[4,4] {
  %p = f32[4,4]{1,0} parameter(0), parameter_replication={true}
  %a = f32[8,4]{1,0} all-gather(%p), channel_id=1, replica_groups={{0,1},{2,3}}, dimensions={0}, use_global_device_ids=true
  %b = f32[4,4]{1,0} collective-permute(%p), channel_id=2, source_target_pairs={{0,1},{1,0}}
  %c = f32[4,4]{1,0} dot(%p, %p), lhs_contracting_dims={1}, rhs_contracting_dims={0}, operand_precision={high,highest}, algorithm=dot_tf32_tf32_f32
  %d = f32[4]{0} custom-call(%p), custom_call_target="f \"o\"", metadata={op_name="a\nb" source_file="f" source_line=3}, backend_config="x"
  %f = pred[4,4]{1,0} compare(%p, %p), direction=LT, type=TOTALORDER
  %g = f32[4,4]{1,0} all-reduce(%p), replica_groups={}, to_apply=%add, control-predecessors={%f, %d}
  %h = f32[4]{0} reduce(%p, %p), dimensions={1}, to_apply=%add
  %i = s32[4]{0} iota(), iota_dimension=0
  ROOT %j = f32[4,4]{1,0} transpose(%p), dimensions={1,0}
}
)",
                                 "m.hlo");
  ASSERT_TRUE(written) << written.error().str();
  Result<std::string> bytes = writeProto(*written);
  ASSERT_TRUE(bytes);
  Result<Module> read = readProto(*bytes, "m.pb");
  ASSERT_TRUE(read) << read.error().str();
  Result<Module> text = parse(print(*read), "printed.hlo");
  ASSERT_TRUE(text) << text.error().str();
  for (size_t c = 0; c < read->computations.size(); ++c) {
    const Computation &computation = *read->computations[c];
    for (size_t i = 0; i < computation.instructions.size(); ++i) {
      const Instruction &a = *computation.instructions[i];
      const Instruction &b = *text->computations[c]->instructions[i];
      ASSERT_EQ(a.attributes.size(), b.attributes.size()) << a.name;
      for (size_t k = 0; k < a.attributes.size(); ++k) {
        EXPECT_EQ(a.attributes[k].name, b.attributes[k].name);
        expectSame(a.attributes[k].value, b.attributes[k].value,
                   a.name + "." + b.attributes[k].name);
      }
    }
  }
}

// Fields that XLA has written since 2026.
TEST(HloProto, KindsOfConvolutionsAndOrderOfTopK) {
  Result<Module> written = parse(R"(HloModule m

ENTRY %e (p: f32[1,4,1], k: f32[2,1,1], v: f32[3]) -> (f32[2], s32[2]) {
  %p = f32[1,4,1]{2,1,0} parameter(0)
  %k = f32[2,1,1]{2,1,0} parameter(1)
  %v = f32[3]{0} parameter(2)
  %c = f32[1,3,1]{2,1,0} convolution(%p, %k), window={size=2}, dim_labels=b0f_0io->b0f, convolution_kind=dgrad
  ROOT %t = (f32[2]{0}, s32[2]{0}) topk(%v), k=2, largest=true, is_stable=true
}
)",
                                 "m.hlo");
  ASSERT_TRUE(written) << written.error().str();
  Result<std::string> bytes = writeProto(*written);
  ASSERT_TRUE(bytes) << bytes.error().str();
  Result<Module> read = readProto(*bytes, "m.pb");
  ASSERT_TRUE(read) << read.error().str();
  const Value *kind = read->entry()->find("c")->find("convolution_kind");
  const Value *stable = read->entry()->find("t")->find("is_stable");
  ASSERT_TRUE(kind && stable);
  EXPECT_TRUE(kind->isWord("dgrad")) << kind->str();
  EXPECT_TRUE(stable->isWord("true")) << stable->str();
}

// An entry layout that is built from fields equals one that is parsed from text. Tests nested
// tuples, more than five parameters, and shapes that need the parser.
TEST(HloProto, EntryLayoutIsThatOfText) {
  for (std::string_view layout :
       {"{()->()}", "{(f32[], s32[4,2]{0,1})->f32[4]{0}}",
        "{(token[], f32[<=4,2]{1,0}, (s32[], (pred[], f32[2]{0})), u8[], u8[], "
        "/*index=5*/u8[])->(f32[], (s32[]))}",
        "{(f32[], f32[], f32[], f32[], f32[], /*index=5*/f32[])->(f32[], f32[], f32[], f32[], "
        "f32[], /*index=5*/f32[])}",
        "{(f32[4,4]{1,0:T(2,2)S(1)})->f32[]}"}) {
    std::string given = "HloModule m, entry_computation_layout=" + std::string(layout) +
                        "\n\nENTRY %e () -> f32[] {\n  ROOT %c = f32[] constant(1)\n}\n\n";
    Result<Module> written = parse(given, "m.hlo");
    ASSERT_TRUE(written) << written.error().str();
    Result<std::string> bytes = writeProto(*written);
    ASSERT_TRUE(bytes) << bytes.error().str();
    Result<Module> read = readProto(*bytes, "m.pb");
    ASSERT_TRUE(read) << read.error().str();
    Result<Module> text = parse(print(*read), "printed.hlo");
    ASSERT_TRUE(text) << text.error().str();
    const Value *made = findAttribute(read->attributes, "entry_computation_layout");
    const Value *grammars = findAttribute(text->attributes, "entry_computation_layout");
    ASSERT_TRUE(made && grammars);
    expectSame(*made, *grammars, std::string(layout));
    EXPECT_EQ(made->str(), layout);
  }
}

// Appends unknown fields, and known fields with other wire types, to a module's bytes.
TEST(HloProto, OtherFields) {
  std::string bytes = small().SerializeAsString();
  for (std::string_view more :
       {std::string_view("\xfa\x7f\x02xy"), std::string_view("\x2a\x01x"),
        std::string_view("\x0d\0\0\0\0", 5), std::string_view("\xf9\x01\0\0\0\0\0\0\0\0", 10)}) {
    Result<Module> module = readProto(bytes + std::string(more), "m.pb");
    ASSERT_TRUE(module) << module.error().str();
    EXPECT_EQ(module->name, "m");
  }
}

static void expectMalformed(const std::string &bytes, std::string_view place) {
  Result<Module> module = readProto(bytes, "m.pb");
  ASSERT_FALSE(module);
  EXPECT_EQ(module.error().code, errors::HloProtoInvalid);
  EXPECT_EQ(module.error().location, "m.pb:" + std::string(place));
}

TEST(HloProto, Malformed) {
  std::string bytes = small().SerializeAsString(), end = std::to_string(bytes.size());
  // Malformed fields: an unfinished varint, a varint of more than ten bytes, a length near 2^64, a
  // group, field 0, and invalid UTF-8.
  expectMalformed(bytes + "\x28\x80", end);
  expectMalformed(bytes + "\x28" + std::string(10, '\xff') + "\x01", end);
  expectMalformed(bytes + "\x3a" + std::string(9, '\xff') + "\x01", end);
  expectMalformed(bytes + "\x2b\x2c", end);
  expectMalformed(bytes + std::string("\x02\x00", 2), end);
  expectMalformed(bytes + "\x12\x01\xff", end);
  // Shapes that are nested too deeply.
  std::string shape;
  for (int depth = 0; depth < 200; ++depth) {
    std::string length;
    for (size_t size = shape.size(); size >= 128; size /= 128) {
      length += static_cast<char>(size % 128 + 128);
    }
    size_t high = shape.size();
    while (high >= 128) {
      high /= 128;
    }
    shape = "\x22" + length + static_cast<char>(high) + shape;
  }
  proto::builder::HloModuleProto module = small();
  std::string program = "\x12";
  program += static_cast<char>(shape.size() % 128 + 128);
  program += static_cast<char>(shape.size() / 128);
  program += shape;
  std::string nested = module.SerializeAsString() + "\x22";
  nested += static_cast<char>(program.size() % 128 + 128);
  nested += static_cast<char>(program.size() / 128);
  Result<Module> read = readProto(nested + program, "m.pb");
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, errors::HloProtoInvalid);
}

// The location of an error is the byte where the invalid message begins.
TEST(HloProto, Places) {
  proto::builder::HloModuleProto module = small();
  module.mutable_computations(0)->mutable_instructions(1)->set_opcode("a b");
  std::string bytes = module.SerializeAsString();
  size_t instruction = bytes.find("\x0a\x01"
                                  "y\x12\x03");
  ASSERT_NE(instruction, std::string::npos);
  std::string config = "\x12\x02\x28\x01"; // the wrapper's second field, a configuration
  std::string wrapped = config + "\x0a" + static_cast<char>(bytes.size()) + bytes;
  size_t before = wrapped.size() - bytes.size();
  for (const auto &[text, offset, kind] :
       {std::tuple(bytes, instruction, ProtoMessage::Any),
        std::tuple(bytes, instruction, ProtoMessage::Module),
        std::tuple(wrapped, before + instruction, ProtoMessage::ModuleWithConfig)}) {
    Result<Module> read = readProto(text, "m.pb", kind);
    ASSERT_FALSE(read);
    EXPECT_EQ(read.error().location, "m.pb:" + std::to_string(offset));
  }
}

// If the caller states the message type, it isn't detected from the first bytes.
TEST(HloProto, KnownMessages) {
  std::string bytes = small().SerializeAsString();
  std::string wrapped =
      "\x12\x02\x28\x01\x0a" + std::string(1, static_cast<char>(bytes.size())) + bytes;
  Result<Module> module = readProto(wrapped, "m.pb", ProtoMessage::ModuleWithConfig);
  ASSERT_TRUE(module) << module.error().str();
  EXPECT_EQ(module->name, "m");
  for (std::string_view text : {"", "HloModule m", "\x0a", "\x12\x02\x28\x01"}) {
    for (ProtoMessage kind : {ProtoMessage::Module, ProtoMessage::ModuleWithConfig}) {
      Result<Module> read = readProto(text, "m.pb", kind);
      ASSERT_FALSE(read) << text;
      EXPECT_EQ(read.error().code, errors::HloProtoInvalid);
      EXPECT_TRUE(read.error().location.starts_with("m.pb:")) << read.error().location;
    }
  }
}

// A truncated module gives an error at or before its end, or a module without its last fields.
TEST(HloProto, Truncated) {
  std::string bytes = small().SerializeAsString();
  for (size_t size = 0; size < bytes.size(); ++size) {
    Result<Module> read = readProto(bytes.substr(0, size), "m.pb", ProtoMessage::Module);
    if (read) {
      continue;
    }
    std::string place = read.error().location;
    ASSERT_TRUE(place.starts_with("m.pb:")) << place;
    EXPECT_LE(std::stoul(place.substr(5)), size);
  }
}

// XLA computes fingerprints of texts without names. A proto that is written from such a text gets
// names.
TEST(HloProto, WithoutNames) {
  Result<Module> module = parse("{\n  x = f32[] parameter(0)\n  ROOT y = f32[] abs(x)\n}\n", "m");
  ASSERT_TRUE(module) << module.error().str();
  Result<std::string> bytes = writeProto(*module);
  ASSERT_TRUE(bytes) << bytes.error().str();
  Result<Module> again = readProto(*bytes, "m.pb");
  ASSERT_TRUE(again) << again.error().str();
  EXPECT_EQ(again->name, "module");
}

// Repeated numbers may be unpacked, one per field.
TEST(HloProto, UnpackedNumbers) {
  proto::builder::HloModuleProto module = small();
  std::string packed = module.SerializeAsString();
  std::string operands("\xa2\x02\x01\x00", 4), single("\xa0\x02\x00", 3);
  size_t at = packed.find(operands);
  ASSERT_NE(at, packed.npos);
  std::string bytes = packed;
  bytes.replace(at, operands.size(), single);
  // The instruction and its computation are one byte shorter; adjusts their lengths.
  Result<Module> whole = readProto(packed, "m.pb");
  ASSERT_TRUE(whole);
  size_t instruction = packed.rfind('\x12', packed.find("negate"));
  instruction = packed.rfind('\x12', instruction - 1);
  bytes[instruction + 1] = static_cast<char>(bytes[instruction + 1] - 1);
  size_t computation = packed.find('\x1a');
  bytes[computation + 1] = static_cast<char>(bytes[computation + 1] - 1);
  Result<Module> read = readProto(bytes, "m.pb");
  ASSERT_TRUE(read) << read.error().str();
  EXPECT_EQ(print(*read), print(*whole));
}

TEST(HloProto, TextForm) {
  proto::builder::HloModuleProto module = small();
  module.mutable_computations(0)->mutable_instructions(1)->set_epsilon(0.1F);
  module.mutable_computations(0)->mutable_instructions(1)->set_backend_config("a\"\n\x01");
  module.mutable_computations(0)->mutable_instructions(1)->add_dimensions(-1);
  std::string text = protoText(module.SerializeAsString());
  EXPECT_NE(text.find("    opcode: \"negate\"\n    shape {\n      element_type: F32\n    }\n    "
                      "dimensions: -1\n    epsilon: 0.1\n"),
            text.npos)
      << text;
  EXPECT_NE(text.find("backend_config: \"a\\\"\\n\\001\"\n"), text.npos);
  Result<std::string> again = bytesOfProtoText(text, "m.pbtxt");
  ASSERT_TRUE(again) << again.error().str();
  EXPECT_EQ(*again, module.SerializeAsString());
  // Equivalent forms of the same module.
  again = bytesOfProtoText("# a module\nname: 'm' \"n\"; computations: < id: 0x10, root_id: 010\n"
                           "instructions { dimensions: [1, 2] dimensions: 3 epsilon: 1.5f "
                           "is_stable: t shape { element_type: 11 } } >",
                           "m.pbtxt");
  ASSERT_TRUE(again) << again.error().str();
  EXPECT_EQ(protoText(*again), "name: \"mn\"\ncomputations {\n  instructions {\n    shape {\n      "
                               "element_type: F32\n    }\n    dimensions: 1\n    dimensions: 2\n   "
                               " dimensions: 3\n    epsilon: 1.5\n    is_stable: true\n  }\n  id: "
                               "16\n  root_id: 8\n}\n");
}

TEST(HloProto, WrongTextForm) {
  for (auto [text, place, words] : std::initializer_list<std::array<std::string_view, 3>>{
           {"name: \"m\"\nnam: 1", "2:1", "no field `nam`"},
           {"name: \"m\" name: \"n\"", "1:11", "twice"},
           {"name: m", "1:7", "expected a string"},
           {"name: \"m", "1:7", "not closed"},
           {"name: \"\\q\"", "1:9", "escape"},
           {"name: \"\\377\"", "1:7", "UTF-8"},
           {"id: 9223372036854775808", "1:5", "not a valid value"},
           {"id: 1.5", "1:5", "not a valid value"},
           {"id 1", "1:4", "expected `:`"},
           {"computations { id: 1", "1:21", "expected `}`"},
           {"computations: 1", "1:15", "expected `{`"},
           {"is_dynamic: 2", "1:13", "not a valid value"},
           {"name: \"m\" }", "1:11", "unmatched closing bracket"},
           {"payloads: [\"a\"", "1:15", "expected `]`"},
           {": 1", "1:1", "expected the name"}}) {
    Result<std::string> bytes = bytesOfProtoText(text, "m");
    ASSERT_FALSE(bytes) << text;
    EXPECT_EQ(bytes.error().code, errors::SyntaxInvalid);
    EXPECT_EQ(bytes.error().location, "m:" + std::string(place)) << text;
    EXPECT_NE(bytes.error().message.find(words), std::string::npos) << bytes.error().message;
  }
  std::string nested = "computations { program_shape { result ";
  for (int i = 0; i < 200; ++i) {
    nested += "{ tuple_shapes ";
  }
  EXPECT_FALSE(bytesOfProtoText(nested, "m"));
}

} // namespace drumlin::hlo
