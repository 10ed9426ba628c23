// Which bytes are a module, and what is said of those that are a wrong one.
#include "drumlin/hlo/Printer.h"
#include "drumlin/hlo/proto/Hlo.pb.h"
#include "drumlin/hlo/proto/Proto.h"

#include <gtest/gtest.h>

namespace drumlin::hlo {

// A module of one computation, `x` and `y = negate(x)`.
static proto::HloModuleProto small() {
  proto::HloModuleProto module;
  module.set_name("m");
  module.set_entry_computation_name("e");
  proto::HloComputationProto &entry = *module.add_computations();
  entry.set_name("e");
  entry.set_root_id(1);
  for (std::string_view opcode : {"parameter", "negate"}) {
    proto::HloInstructionProto &instruction = *entry.add_instructions();
    instruction.set_id(entry.instructions_size() - 1);
    instruction.set_name(instruction.id() == 0 ? "x" : "y");
    instruction.set_opcode(std::string(opcode));
    instruction.mutable_shape()->set_element_type(proto::F32);
  }
  entry.mutable_instructions(1)->add_operand_ids(0);
  return module;
}

static void expectError(const proto::HloModuleProto &message, DiagnosticCode code,
                        std::string_view text) {
  Result<Module> module = readProto(message.SerializeAsString(), "m.pb");
  ASSERT_FALSE(module) << text;
  EXPECT_EQ(module.error().code, code) << text;
  EXPECT_EQ(module.error().location, "m.pb");
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
  proto::HloModuleProto module = small();
  module.mutable_computations(0)->mutable_instructions(1)->set_operand_ids(0, 7);
  expectError(module, DiagnosticCode::HloNameUnknown, "operand 7 of instruction `y`");
  module = small();
  module.mutable_computations(0)->mutable_instructions(1)->add_called_computation_ids(9);
  expectError(module, DiagnosticCode::HloNameUnknown, "no computation has the id 9");
  module = small();
  module.mutable_computations(0)->mutable_instructions(1)->add_control_predecessor_ids(8);
  expectError(module, DiagnosticCode::HloNameUnknown, "control predecessor 8");
  module = small();
  module.mutable_computations(0)->set_root_id(5);
  expectError(module, DiagnosticCode::HloNameUnknown, "the root's id");
  module = small();
  module.set_entry_computation_id(3);
  expectError(module, DiagnosticCode::HloNameUnknown, "the entry's id 3");
}

TEST(HloProto, NamesAndIdsTwice) {
  proto::HloModuleProto module = small();
  module.mutable_computations(0)->mutable_instructions(1)->set_name("x");
  expectError(module, DiagnosticCode::HloNameTaken, "a second instruction `x`");
  module = small();
  module.mutable_computations(0)->mutable_instructions(1)->set_id(0);
  expectError(module, DiagnosticCode::HloNameTaken, "a second instruction with id 0");
  module = small();
  *module.add_computations() = module.computations(0);
  expectError(module, DiagnosticCode::HloNameTaken, "a second computation with id 0");
  module.mutable_computations(1)->set_id(1);
  expectError(module, DiagnosticCode::HloNameTaken, "a second computation `e`");
}

TEST(HloProto, Cycles) {
  proto::HloModuleProto module = small();
  module.mutable_computations(0)->mutable_instructions(1)->set_operand_ids(0, 1);
  expectError(module, DiagnosticCode::HloCycle, "instruction `y` depends on its own result");
  module = small();
  module.mutable_computations(0)->mutable_instructions(1)->add_called_computation_ids(0);
  expectError(module, DiagnosticCode::HloCycle, "computation `e` calls itself");
}

TEST(HloProto, WhatTextCannotSay) {
  proto::HloModuleProto module = small();
  module.mutable_computations(0)->mutable_instructions(0)->set_name("a b");
  expectError(module, DiagnosticCode::BytecodeInvalid, "no name or no opcode");
  module = small();
  proto::HloInstructionProto &typeless = *module.mutable_computations(0)->mutable_instructions(0);
  typeless.mutable_shape()->set_element_type(static_cast<proto::PrimitiveType>(77));
  expectError(module, DiagnosticCode::BytecodeInvalid, "a shape without an element type");
  module = small();
  module.mutable_computations(0)->mutable_instructions(0)->set_parameter_number(7);
  expectError(module, DiagnosticCode::BytecodeInvalid, "parameter number 7");
  module = small();
  proto::HloInstructionProto &constant = *module.mutable_computations(0)->mutable_instructions(0);
  constant.set_opcode("constant");
  constant.mutable_literal()->mutable_shape()->set_element_type(proto::F32);
  expectError(module, DiagnosticCode::BytecodeInvalid, "has 0 elements");
  constant.mutable_literal()->mutable_shape()->add_dimensions(int64_t(1) << 62);
  constant.mutable_literal()->mutable_shape()->add_dimensions(int64_t(1) << 62);
  expectError(module, DiagnosticCode::BytecodeInvalid, "has another shape");
  *constant.mutable_shape() = constant.literal().shape();
  expectError(module, DiagnosticCode::BytecodeInvalid, "a constant's shape");
}

} // namespace drumlin::hlo
