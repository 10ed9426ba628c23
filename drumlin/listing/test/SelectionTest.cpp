// Tests the selection of instructions to print, and the errors if no instruction is selected.
#include "drumlin/listing/Selection.h"

#include "drumlin/listing/TextPrinter.h"
#include "drumlin/listing/fold/Fold.h"
#include "drumlin/listing/test/ListedProgram.h"
#include "drumlin/support/diagnostics/OptionErrors.h"

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

// A folded computation is found by its own name and by its caller's, and is then printed.
TEST(ListingSelection, FoldedComputations) {
  for (std::string name : {"wrapped_transpose_computation", "%wrapped_transpose"}) {
    Module module = listed(scaledProduct);
    fold(module);
    ASSERT_EQ(textOf(module).find("transpose.2"), std::string::npos);
    Result<std::vector<const Computation *>> found = unfold(module, name);
    ASSERT_TRUE(found) << name;
    ASSERT_EQ(found->size(), 1u);
    EXPECT_EQ(found->front()->name, "wrapped_transpose_computation");
    std::string text = textOf(module, Selection().within(*found));
    EXPECT_NE(text.find("ROOT %transpose = f8e4m3fn[32,64]{1,0}  transpose(%param_0.3)"), text.npos)
        << text;
    EXPECT_EQ(text.find("cublas"), text.npos) << text;
  }
}

TEST(ListingSelection, PlacesInTheSource) {
  Module module = listed(scaledProduct);
  Names dense = {"cublas-gemm", "get-tuple-element.1"};
  for (std::string place :
       {"dense.py", "dense.py:7", "dense.py:7:4", "dense.py:1-7", "dense.py:7-9"}) {
    Result<Selection> selection = selectBySource(module, place);
    ASSERT_TRUE(selection) << place;
    EXPECT_EQ(namesOf(module, *selection), dense) << place;
  }
  for (std::string place :
       {"dense.py:8", "dense.py:8-9", "ense.py", "a/dense.py", "dense.py:", ":7"}) {
    Result<Selection> selection = selectBySource(module, place);
    ASSERT_FALSE(selection) << place;
    EXPECT_EQ(selection.error().code, errors::FilterInvalid);
    EXPECT_EQ(selection.error().remedy, "did you mean `dense.py`?");
  }
  for (std::string path : {"/a/b/dense.py", "b/dense.py"}) {
    module.sources[2].place = path + ":7";
    EXPECT_TRUE(selectBySource(module, "dense.py:7")) << path;
    EXPECT_TRUE(selectBySource(module, "b/dense.py")) << path;
    EXPECT_TRUE(selectBySource(module, path)) << path;
  }
}

TEST(ListingSelection, Scopes) {
  Module module = listed(scaledProduct);
  Result<Selection> dot = selectByScope(module, "dense.*/dot");
  ASSERT_TRUE(dot);
  EXPECT_EQ(namesOf(module, *dot), Names({"cublas-gemm", "get-tuple-element.1"}));
  Result<Selection> fused = selectByOpcode(module, "custom-call|reduce");
  ASSERT_TRUE(fused);
  EXPECT_EQ(namesOf(module, dot->with(*fused)), Names({"cublas-gemm"}));
  EXPECT_EQ(namesOf(module, Selection().with(*fused)), namesOf(module, *fused));
  EXPECT_EQ(selectByScope(module, "mlp").error().code, errors::FilterInvalid);
  EXPECT_EQ(selectByScope(module, "(").error().code, errors::FilterInvalid);
}

// The caller of a folded computation has the sources of the computation's instructions.
TEST(ListingSelection, SourcesOfWhatIsFolded) {
  std::string text(scaledProduct);
  std::string transpose = "transpose(%param_0.3), dimensions={1,0}";
  text.insert(text.find(transpose) + transpose.size(),
              ", metadata={op_name=\"inside\" source_file=\"/a/inner.py\" source_line=3}");
  Module module = listed(text);
  EXPECT_EQ(namesOf(module, *selectByScope(module, "inside")), Names({"transpose"}));
  fold(module);
  EXPECT_EQ(namesOf(module, *selectByScope(module, "inside")), Names({"wrapped_transpose"}));
  EXPECT_EQ(namesOf(module, *selectBySource(module, "inner.py:3")), Names({"wrapped_transpose"}));
}

TEST(ListingSelection, NothingFound) {
  Module module = listed(scaledProduct);
  Result<Selection> opcode = selectByOpcode(module, "custom_call");
  ASSERT_FALSE(opcode);
  EXPECT_EQ(opcode.error().code, errors::FilterInvalid);
  EXPECT_NE(opcode.error().remedy.find("did you mean `custom-call`"), std::string::npos);
  Result<Selection> name = selectAround(module, "%wraped_transpose", 1);
  ASSERT_FALSE(name);
  EXPECT_EQ(name.error().code, errors::FilterInvalid);
  EXPECT_NE(name.error().remedy.find("`%wrapped_transpose`"), std::string::npos);
  Result<std::vector<const Computation *>> computation = unfold(module, "%main");
  ASSERT_FALSE(computation);
  EXPECT_NE(computation.error().remedy.find("`%main.9`"), std::string::npos);
  for (std::string invalid : {"a(", "fusion)|(add", "*"}) {
    Result<Selection> selection = selectByOpcode(module, invalid);
    ASSERT_FALSE(selection) << invalid;
    EXPECT_EQ(selection.error().code, errors::FilterInvalid);
    EXPECT_NE(selection.error().message.find("is no regular expression"), std::string::npos);
  }
}

} // namespace drumlin::listing
