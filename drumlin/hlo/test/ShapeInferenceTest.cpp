// Tests the inference of missing shapes for each opcode whose shape XLA infers.
#include "drumlin/hlo/ShapeInference.h"
#include "drumlin/hlo/Parser.h"
#include "drumlin/hlo/Printer.h"

#include <gtest/gtest.h>

#include <set>

namespace drumlin::hlo {

namespace {
struct Sample {
  std::string opcode;
  std::vector<std::string> operands; // their shapes
  std::string attributes, shape;
};
} // namespace

// The computations that the samples' attributes name.
static constexpr std::string_view computations = R"(
f32sum {
  x = f32[] parameter(0)
  y = f32[] parameter(1)
  ROOT s = add(x, y)
}
argmax {
  x = f32[] parameter(0)
  i = s32[] parameter(1)
  y = f32[] parameter(2)
  j = s32[] parameter(3)
  ROOT best = tuple(x, i)
}
step {
  x = f32[3] parameter(0)
  c = s32[2] parameter(1)
  ROOT both = tuple(x, c)
}
rounded {
  x = f32[] parameter(0)
  ROOT y = s8[] convert(x)
}
halves {
  p = f32[4] parameter(0)
  ROOT b = (bf16[4], s32[]) custom-call(p), custom_call_target="halves"
}
)";

static const std::vector<Sample> &samples() {
  static const std::vector<Sample> all = {
      {"abs", {"c64[2,3]{0,1}"}, "", "f32[2,3]{0,1}"},
      {"abs", {"s8[2]"}, "", "s8[2]"},
      {"add", {"f32[2,3]{0,1}", "f32[2,3]{1,0}"}, "", "f32[2,3]{0,1}"},
      {"add", {"bf16[4]{0}", "f32[4]{0}"}, "", "f32[4]{0}"},
      {"add", {"f16[4]", "bf16[4]"}, "", "bf16[4]"},
      {"add", {"f32[<=2,3]", "f32[2,3]"}, "", "f32[<=2,3]"},
      {"add", {"f32[2,3]", "f32[<=2,3]"}, "", "f32[<=2,3]"},
      {"add-dependency", {"f32[2]{0}", "token[]"}, "", "f32[2]{0}"},
      {"after-all", {"token[]", "token[]"}, "", "token[]"},
      {"after-all", {}, "", "token[]"},
      {"batch-norm-grad",
       {"f32[3,4]", "f32[4]", "f32[4]", "f32[4]", "f32[3,4]"},
       ", epsilon=0.1, feature_index=1",
       "(f32[3,4], f32[4], f32[4])"},
      {"batch-norm-inference",
       {"f32[3,4]", "f32[4]", "f32[4]", "f32[4]", "f32[4]"},
       ", epsilon=0.1, feature_index=1",
       "f32[3,4]"},
      {"batch-norm-training",
       {"f32[3,4]", "f32[3]", "f32[3]"},
       ", epsilon=0.1, feature_index=0",
       "(f32[3,4], f32[3], f32[3])"},
      {"broadcast", {"f32[]"}, ", dimensions={}", "f32[]"},
      {"broadcast", {"f32[]"}, "", "f32[]"},
      {"call", {"f32[4]"}, ", to_apply=halves", "(bf16[4], s32[])"},
      {"cholesky", {"f32[3,3]"}, ", lower=true", "f32[3,3]"},
      {"clamp", {"f32[]", "f32[2]{0}", "f32[]"}, "", "f32[2]{0}"},
      {"compare", {"f32[2,3]{0,1}", "f32[2,3]"}, ", direction=LT", "pred[2,3]{0,1}"},
      {"complex", {"f32[2]", "f32[2]"}, "", "c64[2]"},
      {"complex", {"f64[2]", "f64[2]"}, "", "c128[2]"},
      {"concatenate", {"f32[2,3]", "bf16[2,4]", "f32[2,5]"}, ", dimensions={1}", "f32[2,12]"},
      {"conditional",
       {"pred[]", "f32[4]", "f32[4]"},
       ", true_computation=halves, false_computation=halves",
       "(bf16[4], s32[])"},
      {"conditional", {"s32[]", "f32[4]"}, ", branch_computations={halves}", "(bf16[4], s32[])"},
      {"convolution",
       {"f32[1,6,6,2]", "f32[3,3,2,4]"},
       ", window={size=3x3 stride=2x2 pad=1_1x0_0}, dim_labels=b01f_01io->b01f",
       "f32[1,3,2,4]"},
      {"convolution",
       {"f32[1,6,6,2]", "f32[3,3,2,4]"},
       ", window={size=3x3 lhs_dilate=2x2 rhs_dilate=2x1}, dim_labels=b01f_01io->f01b",
       "f32[4,7,9,1]"},
      {"convolution",
       {"f32[4,6,2]", "f32[3,2,8]"},
       ", window={size=3}, dim_labels=b0f_0io->b0f, batch_group_count=2",
       "f32[2,4,8]"},
      {"convolution", {"f32[2,3]", "f32[3,4]"}, ", dim_labels=bf_io->bf", "f32[2,4]"},
      {"copy", {"f32[2,3]{0,1}"}, "", "f32[2,3]{0,1}"},
      {"domain",
       {"f32[2]"},
       ", domain={kind=\"sharding\", entry={maximal device=0}, exit={maximal device=1}}",
       "f32[2]"},
      {"dot",
       {"f32[7,2,3]", "f32[7,3,4]"},
       ", lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2}, "
       "rhs_contracting_dims={1}",
       "f32[7,2,4]"},
      {"dot",
       {"s8[2,3]", "s16[3,4]"},
       ", lhs_contracting_dims={1}, rhs_contracting_dims={0}",
       "s16[2,4]"},
      {"dot",
       {"f8e5m2[3]", "f8e4m3fn[3]"},
       ", lhs_contracting_dims={0}, rhs_contracting_dims={0}",
       "f8e5m2[]"},
      {"fft", {"c64[2,3]"}, ", fft_type=FFT, fft_length={3}", "c64[2,3]"},
      {"fft", {"f32[2,3]{0,1}"}, ", fft_type=RFFT, fft_length={3}", "c64[2,2]{0,1}"},
      {"fft", {"c128[2,3]"}, ", fft_type=IRFFT, fft_length={4}", "f64[2,4]"},
      {"gather",
       {"f32[5,3]", "s32[7,1]"},
       ", offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, "
       "slice_sizes={1,3}",
       "f32[7,3]"},
      {"gather",
       {"f32[6,5,3]", "s32[6,7]"},
       ", offset_dims={0}, collapsed_slice_dims={1}, start_index_map={1}, index_vector_dim=2, "
       "slice_sizes={1,1,2}, operand_batching_dims={0}, start_indices_batching_dims={0}",
       "f32[2,6,7]"},
      {"get-dimension-size", {"f32[2,3]"}, ", dimensions={1}", "s32[]"},
      {"get-tuple-element", {"(f32[2], s32[3]{0})"}, ", index=1", "s32[3]{0}"},
      {"imag", {"c64[2]"}, "", "f32[2]"},
      {"is-finite", {"f32[2]"}, "", "pred[2]"},
      {"map", {"f32[5]"}, ", dimensions={0}, to_apply=rounded", "s8[5]"},
      {"opt-barrier", {"(f32[2], s32[])"}, "", "(f32[2], s32[])"},
      {"pad", {"f32[2,3]", "f32[]"}, ", padding=1_1_2x0_-1", "f32[6,2]"},
      {"pad", {"f32[0]", "f32[]"}, ", padding=1_1_2", "f32[2]"},
      {"partition-id", {}, "", "u32[]"},
      {"ragged-dot",
       {"f32[4,8]", "f32[2,8,3]", "s64[2]"},
       ", lhs_contracting_dims={1}, rhs_contracting_dims={1}, lhs_ragged_dims={0}, "
       "rhs_group_dims={0}",
       "f32[4,3]"},
      {"ragged-dot",
       {"f32[4,8]", "f32[8,3]", "s64[2]"},
       ", lhs_contracting_dims={1}, rhs_contracting_dims={0}, lhs_ragged_dims={1}",
       "f32[2,4,3]"},
      {"real", {"c128[2]"}, "", "f64[2]"},
      {"reduce", {"bf16[8,64]{0,1}", "bf16[]"}, ", dimensions={0}, to_apply=f32sum", "f32[64]"},
      {"reduce",
       {"f32[8,4]", "s32[8,4]", "f32[]", "s32[]"},
       ", dimensions={1}, to_apply=argmax",
       "(f32[8], s32[8])"},
      {"reduce-window",
       {"bf16[8,64]{0,1}", "bf16[]"},
       ", window={size=2x2 stride=2x2 pad=0_1x0_0}, to_apply=f32sum",
       "bf16[4,32]"},
      {"replica-id", {}, "", "u32[]"},
      {"reverse", {"f32[2,3]{0,1}"}, ", dimensions={0}", "f32[2,3]{0,1}"},
      {"scaled-dot",
       {"f8e4m3fn[8,64]", "f8e4m3fn[64,16]", "f8e8m0fnu[8,2]", "f8e8m0fnu[2,16]"},
       ", lhs_contracting_dims={1}, rhs_contracting_dims={0}",
       "f8e4m3fn[8,16]"},
      {"scan",
       {"f32[5,3]", "s32[2]"},
       ", dimensions={0}, num_carries=1, to_apply=step",
       "(f32[5,3], s32[2])"},
      {"scatter",
       {"f32[5,3]{0,1}", "s32[2,1]", "f32[2,3]"},
       ", update_window_dims={1}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, "
       "index_vector_dim=1, to_apply=f32sum",
       "f32[5,3]{0,1}"},
      {"scatter",
       {"f32[5,3]", "s32[5,3]", "s32[2,1]", "f32[2,3]", "s32[2,3]"},
       ", update_window_dims={1}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, "
       "index_vector_dim=1, to_apply=argmax",
       "(f32[5,3], s32[5,3])"},
      {"select", {"pred[2]", "bf16[2]", "f32[2]"}, "", "f32[2]"},
      {"select-and-scatter",
       {"f32[4,4]", "f32[2,2]", "f32[]"},
       ", window={size=2x2 stride=2x2}, select=f32sum, scatter=f32sum",
       "f32[4,4]"},
      {"set-dimension-size", {"f32[2,3]{0,1}", "s32[]"}, ", dimensions={0}", "f32[<=2,3]{0,1}"},
      {"sort", {"f32[2,3]{0,1}"}, ", dimensions={1}, to_apply=f32sum", "f32[2,3]{0,1}"},
      {"sort", {"f32[3]", "s32[3]"}, ", dimensions={0}, to_apply=argmax", "(f32[3], s32[3])"},
      {"topk", {"f32[2,3]{0,1}"}, ", k=2", "(f32[2,2], s32[2,2])"},
      {"transpose", {"f32[2,3,4]{0,1,2}"}, ", dimensions={2,0,1}", "f32[4,2,3]"},
      {"triangular-solve", {"f32[3,3]", "f32[3,4]"}, ", left_side=true", "f32[3,4]"},
      {"tuple", {"f32[2]{0}", "(s32[])"}, "", "(f32[2]{0}, (s32[]))"},
      {"tuple", {}, "", "()"},
      {"while", {"f32[4]"}, ", condition=halves, body=halves", "f32[4]"},
  };
  return all;
}

// Returns all samples, including those of elementwise opcodes, which share a rule.
static std::vector<Sample> allSamples() {
  std::vector<Sample> all = samples();
  for (const OperandRule &rule : operandRules()) {
    if (rule.inference == InferenceRule::Wider) {
      all.push_back({std::string(rule.opcode),
                     std::vector<std::string>(rule.least, "f32[2,3]{0,1}"), "", "f32[2,3]{0,1}"});
    }
  }
  return all;
}

static std::string textOf(const Sample &sample) {
  std::string text = "HloModule m\n" + std::string(computations) + "ENTRY e {\n";
  std::string operands;
  for (size_t i = 0; i < sample.operands.size(); ++i) {
    std::string number = std::to_string(i);
    text += "  p" + number + " = " + sample.operands[i] + " parameter(" + number + ")\n";
    operands += (i == 0 ? "p" : ", p") + number;
  }
  return text + "  ROOT r = " + sample.opcode + "(" + operands + ")" + sample.attributes + "\n}\n";
}

TEST(HloShapeInference, WhatXlaInfers) {
  std::set<std::string_view> seen;
  std::vector<Sample> all = allSamples();
  for (const Sample &sample : all) {
    std::string text = textOf(sample);
    SCOPED_TRACE(text.substr(text.find("ENTRY")));
    Result<Module> module = parse(text, "m.hlo");
    ASSERT_TRUE(module) << module.error().str();
    std::optional<UnknownShape> unknown = inferShapes(*module);
    ASSERT_FALSE(unknown) << unknown->reason;
    EXPECT_EQ(module->entry()->root()->shape.str(), sample.shape);
    EXPECT_EQ(print(*module), text) << "an inferred shape is not printed";
    seen.insert(sample.opcode);
  }
  for (const OperandRule &rule : operandRules()) {
    EXPECT_EQ(seen.contains(rule.opcode), rule.inference != InferenceRule::Stated) << rule.opcode;
  }
}

TEST(HloShapeInference, WhatMustBeStated) {
  for (const OperandRule &rule : operandRules()) {
    if (rule.inference != InferenceRule::Stated) {
      continue;
    }
    Result<Module> module = parse(
        textOf({std::string(rule.opcode), std::vector<std::string>(rule.least, "f32[2]"), "", ""}),
        "m.hlo");
    if (!module) {
      continue; // has a number or elements in parentheses, not operands
    }
    std::optional<UnknownShape> unknown = inferShapes(*module);
    ASSERT_TRUE(unknown) << rule.opcode;
    EXPECT_EQ(unknown->instruction, module->entry()->root());
    EXPECT_NE(unknown->reason.find("`" + std::string(rule.opcode) + "`"), std::string::npos);
  }
}

// Each sample gives an error with a reason, without out-of-bounds reads.
TEST(HloShapeInference, WhatCannotBeInferred) {
  for (const Sample &sample : std::vector<Sample>{
           {"add", {"f32[2]", "s32[2]"}, "", "different types"},
           {"add", {"f32[2]", "f32[3]"}, "", "different sizes"},
           {"add", {"f32[2]", "f32[2,2]"}, "", "different ranks"},
           {"add", {"f32[2]", "(f32[2])"}, "", "different types"},
           {"add", {"f32[2]"}, "", "of 1 operands"},
           {"complex", {"f16[2]", "f16[2]"}, "", "f32 or f64"},
           {"get-tuple-element", {"(f32[2])"}, ", index=1", "no such element"},
           {"get-tuple-element", {"f32[2]"}, ", index=0", "no such element"},
           {"get-tuple-element", {"(f32[2])"}, "", "no number `index`"},
           {"transpose", {"f32[2]"}, ", dimensions={1}", "dimensions of its operand"},
           {"transpose", {"f32[2]"}, "", "`dimensions`"},
           {"concatenate", {"f32[2]", "f32[]"}, ", dimensions={0}", "different ranks"},
           {"concatenate",
            {"f32[9223372036854775807]", "f32[2]"},
            ", dimensions={0}",
            "longer than 2^63"},
           {"pad", {"f32[2]", "f32[]"}, ", padding=1", "negative size"},
           {"pad", {"f32[2]", "f32[]"}, ", padding=-2_-1", "negative size"},
           {"pad", {"f32[2]", "f32[]"}, "", "no `padding`"},
           {"reduce", {"f32[2]", "f32[]"}, ", dimensions={0}", "no computation as `to_apply`"},
           {"reduce-window", {"f32[2]", "f32[]"}, ", to_apply=f32sum", "different rank"},
           {"reduce-window",
            {"f32[2]", "f32[]"},
            ", window={size=1 stride=0}, to_apply=f32sum",
            "invalid `window`"},
           {"scan", {"f32[2]"}, ", dimensions={1}, num_carries=0, to_apply=step", "`dimensions`"},
           {"dot", {"f32[2]", "f32[2]"}, ", lhs_batch_dims={1}", "batch dimensions"},
           {"convolution", {"f32[2,3]", "f32[3,4]"}, "", "no `dim_labels`"},
           {"convolution", {"f32[2,3]", "f32[3,4]"}, ", dim_labels=b0f_0io->b0f", "different rank"},
           {"fft", {"f32[2]"}, "", "`fft_length`"},
           {"topk", {"f32[]"}, ", k=1", "without dimensions"},
           {"gather",
            {"f32[5,3]", "s32[7]"},
            ", offset_dims={3}, collapsed_slice_dims={0}, index_vector_dim=1, slice_sizes={1,3}",
            "`offset_dims`"},
           {"set-dimension-size", {"f32[2]", "s32[]"}, ", dimensions={1}", "`dimensions`"},
           {"batch-norm-training",
            {"f32[2]", "f32[2]", "f32[2]"},
            ", feature_index=1",
            "feature dimension"},
       }) {
    Result<Module> module = parse(textOf(sample), "m.hlo");
    ASSERT_TRUE(module) << module.error().str();
    std::optional<UnknownShape> unknown = inferShapes(*module);
    ASSERT_TRUE(unknown) << sample.opcode << sample.attributes;
    EXPECT_NE(unknown->reason.find(sample.shape), std::string::npos) << unknown->reason;
  }
}

// Operands may follow their users, and computations their callers. Shapes are inferred again after
// changes.
TEST(HloShapeInference, AnyOrderAndAgain) {
  Result<Module> module = parse("ENTRY e {\n  ROOT r = call(n), to_apply=f\n  n = negate(p)\n"
                                "  p = f32[4]{0} parameter(0)\n}\n"
                                "f {\n  x = f32[4]{0} parameter(0)\n  ROOT t = tuple(x, x)\n}\n",
                                "m.hlo");
  ASSERT_TRUE(module) << module.error().str();
  ASSERT_FALSE(inferShapes(*module));
  EXPECT_EQ(module->entry()->root()->shape.str(), "(f32[4]{0}, f32[4]{0})");
  Instruction *parameter = module->entry()->find("p");
  parameter->shape.dimensions[0].size = 5;
  ASSERT_FALSE(inferShapes(*module));
  EXPECT_EQ(module->entry()->find("n")->shape.str(), "f32[5]{0}");
}

} // namespace drumlin::hlo
