// Which instructions are printed, and what is said where there are none.
#include "drumlin/listing/Selection.h"

#include "drumlin/listing/TextPrinter.h"
#include "drumlin/listing/test/Program.h"

namespace drumlin::listing {

static std::vector<std::string> namesOf(const Module &module, const Selection &selection) {
  std::vector<std::string> names;
  for (const std::unique_ptr<Computation> &computation : module.computations) {
    forEach(*computation, [&](const Instruction &instruction) {
      if (selection.has(instruction)) {
        names.push_back(instruction.name);
      }
    });
  }
  return names;
}

using Names = std::vector<std::string>;

TEST(ListingSelection, OpcodesMatchFully) {
  Module module = listed(scaledProduct);
  Result<Selection> selection = selectByOpcode(module, "custom-call|fusion|max");
  ASSERT_TRUE(selection);
  EXPECT_EQ(namesOf(module, *selection), Names({"wrapped_transpose", "cublas-gemm"}));
  std::string text = textOf(module, *selection);
  EXPECT_NE(text.find("ENTRY %main.9 -> (f32[16,32]{1,0}, f32[]) {  // 2 of 11\n"), text.npos)
      << text;
  EXPECT_EQ(text.find("max_f32"), text.npos);
}

TEST(ListingSelection, StepsToOperandsAndUsers) {
  Module module = listed(scaledProduct);
  for (std::string name : {"%wrapped_transpose", "wrapped_transpose"}) {
    Result<Selection> near = selectAround(module, name, 1);
    ASSERT_TRUE(near);
    EXPECT_EQ(namesOf(module, *near), Names({"Arg_1", "wrapped_transpose", "cublas-gemm"}));
  }
  Result<Selection> itself = selectAround(module, "%cublas-gemm.1.0", 0);
  ASSERT_TRUE(itself);
  EXPECT_EQ(namesOf(module, *itself), Names({"cublas-gemm"}));
  Result<Selection> far = selectAround(module, "%reduce.4", 2);
  ASSERT_TRUE(far);
  EXPECT_EQ(namesOf(module, *far),
            Names({"cublas-gemm", "get-tuple-element.1", "low", "reduce.4", "tuple"}));
}

TEST(ListingSelection, NothingFound) {
  Module module = listed(scaledProduct);
  Result<Selection> opcode = selectByOpcode(module, "custom_call");
  ASSERT_FALSE(opcode);
  EXPECT_EQ(opcode.error().code, DiagnosticCode::FilterInvalid);
  EXPECT_NE(opcode.error().remedy.find("did you mean `custom-call`"), std::string::npos);
  Result<Selection> name = selectAround(module, "%wraped_transpose", 1);
  ASSERT_FALSE(name);
  EXPECT_EQ(name.error().code, DiagnosticCode::FilterInvalid);
  EXPECT_NE(name.error().remedy.find("`%wrapped_transpose`"), std::string::npos);
  Result<const Computation *> computation = findComputation(module, "%main");
  ASSERT_FALSE(computation);
  EXPECT_NE(computation.error().remedy.find("`%main.9`"), std::string::npos);
  for (std::string invalid : {"a(", "fusion)|(add", "*"}) {
    Result<Selection> selection = selectByOpcode(module, invalid);
    ASSERT_FALSE(selection) << invalid;
    EXPECT_EQ(selection.error().code, DiagnosticCode::FilterInvalid);
    EXPECT_NE(selection.error().message.find("is no regular expression"), std::string::npos);
  }
}

} // namespace drumlin::listing
