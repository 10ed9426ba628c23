#include "drumlin/ir/vhlo/VersionChange.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

using namespace drumlin;
using namespace drumlin::vhlo;
using namespace mlir;

// Returns a module with an operation whose operands are the f32 tensors `%0`, `%1`, ….
static OwningOpRef<ModuleOp> moduleOf(MLIRContext &context, StringRef text) {
  context.loadDialect<VhloDialect>();
  std::string program = "!t = !vhlo.tensor_v1<4x4x4x4x!vhlo.f32_v1>\n"
                        "!h = !vhlo.tensor_v1<4x4x4x4x!vhlo.f16_v1>\n"
                        "%0 = \"vhlo.create_token_v1\"() : () -> !t\n" +
                        text.str();
  return parseSourceString<ModuleOp>(program, &context);
}

// Returns the name of the last operation after the program is converted to a release, or the
// obstacle to the conversion.
static std::string changed(StringRef text, Version release) {
  MLIRContext context;
  OwningOpRef<ModuleOp> module = moduleOf(context, text);
  EXPECT_TRUE(module) << text.str();
  if (std::optional<VersionObstacle> obstacle = changeVersion(*module, release)) {
    return obstacle->message;
  }
  EXPECT_TRUE(succeeded(verify(*module)));
  return module->getBody()->back().getName().getStringRef().str();
}

static bool refuses(StringRef text, Version release, StringRef words) {
  return StringRef(changed(text, release)).contains(words);
}

// An upgrade followed by a downgrade changes nothing, for each operation that has several versions.
TEST(VersionChange, GoesUpAndComesDown) {
  MLIRContext context;
  for (const OperationVersion &row : allOperations()) {
    ArrayRef<OperationVersion> versions = versionsOf(row.base);
    if (row.number != 1 || versions.size() == 1) {
      continue;
    }
    OwningOpRef<ModuleOp> module = moduleOf(context, "");
    OpBuilder builder = OpBuilder::atBlockEnd(module->getBody());
    Value value = module->getBody()->front().getResult(0);
    OperationState state(builder.getUnknownLoc(), row.name);
    state.addOperands(
        SmallVector<Value>(std::max(row.operands.least, 1u) + (row.base == "send"), value));
    state.addTypes(SmallVector<Type>(std::max(row.results.least, 1u), value.getType()));
    for (unsigned i = 0; i < row.regions.least; ++i) {
      state.addRegion();
    }
    for (const std::string &name : row.attributes) {
      // This is the only attribute that upgrades drop; its value must be zero.
      bool isPadding = row.base == "dynamic_conv" && name == "padding";
      state.addAttribute(
          name, isPadding ? parseAttribute("#vhlo.tensor_v1<dense<0> : tensor<2x2xi64>>", &context)
                          : Attribute(StringV1Attr::get(&context, name)));
    }
    builder.create(state);
    std::string before;
    llvm::raw_string_ostream(before) << *module;
    EXPECT_EQ(changeVersion(*module, newestVersion), std::nullopt) << row.name;
    EXPECT_EQ(module->getBody()->back().getName().getStringRef(), versions.back().name);
    EXPECT_TRUE(succeeded(verify(*module))) << row.name;
    EXPECT_EQ(changeVersion(*module, row.releases.last), std::nullopt) << row.name;
    std::string after;
    llvm::raw_string_ostream(after) << *module;
    EXPECT_EQ(after, before);
  }
}

TEST(VersionChange, RefusesOperationsThatAReleaseLacks) {
  EXPECT_TRUE(refuses("%1 = \"vhlo.async_done_v1\"(%0) : (!t) -> !t", {1, 14, 0},
                      "`vhlo.async_done_v1` doesn't exist in release 1.14.0"));
}

TEST(VersionChange, RefusesAttributesThatSayMoreThanTheDefault) {
  StringRef accuracy = R"(%1 = "vhlo.cosine_v2"(%0) <{result_accuracy = #vhlo.result_accuracy_v1<
      atol = 0.0, rtol = 0.0, ulps = U, mode = #vhlo.result_accuracy_mode_v1<M>>}> : (!t) -> !t)";
  auto with = [&](StringRef ulps, StringRef mode) {
    std::string text = accuracy.str();
    text.replace(text.find('U'), 1, ulps);
    text.replace(text.find("<M>") + 1, 1, mode);
    return text;
  };
  EXPECT_EQ(changed(with("0", "DEFAULT"), {1, 9, 0}), "vhlo.cosine_v1");
  EXPECT_TRUE(refuses(with("0", "HIGHEST"), {1, 9, 0}, "`result_accuracy` is newer"));
  EXPECT_TRUE(refuses(with("1", "TOLERANCE"), {1, 9, 0}, "`result_accuracy` is newer"));
}

TEST(VersionChange, RefusesSeveralOperandsWhereThereWasOne) {
  StringRef text = R"(%1:2 = "vhlo.all_gather_v2"(%0, %0) <{
      all_gather_dim = #vhlo.integer_v1<0 : i64>, channel_id = #vhlo.integer_v1<0 : i64>,
      replica_groups = #vhlo.array_v1<[]>, use_global_device_ids = #vhlo.bool_v1<false>}>
      : (!t, !t) -> (!t, !t))";
  EXPECT_EQ(changed(text, {1, 5, 0}), "vhlo.all_gather_v2");
  EXPECT_TRUE(refuses(text, {1, 4, 0}, "takes one operand, not 2"));
}

TEST(VersionChange, RefusesRegionsOfComposites) {
  auto text = [](StringRef regions) {
    return R"("vhlo.composite_v2"(%0) <{composite_attributes = #vhlo.dict_v1<{}>,
        decomposition = #vhlo.string_v1<"f">, name = #vhlo.string_v1<"a.b">,
        version = #vhlo.integer_v1<0 : i32>}> )" +
           regions.str() + " : (!t) -> ()";
  };
  EXPECT_EQ(changed(text(""), {1, 13, 0}), "vhlo.composite_v1");
  EXPECT_TRUE(refuses(text("({})"), {1, 13, 0}, "has no regions"));
}

TEST(VersionChange, RefusesNewerTypesAndAttributes) {
  EXPECT_TRUE(refuses(R"(%1 = "vhlo.convert_v1"(%0) : (!t) -> !vhlo.tensor_v1<2x!vhlo.f8E3M4_v1>)",
                      {1, 6, 0}, "f8E3M4_v1>` is newer"));
  EXPECT_TRUE(refuses(R"("vhlo.return_v1"() {a = #vhlo.array_v1<[#vhlo.sub_axis_info_v1<
      pre_size = 1, size = 2>]>} : () -> ())",
                      {1, 15, 0}, "the value of attribute `a` is newer"));
}

TEST(VersionChange, RefusesWhatReleasesAllowedLater) {
  StringRef reduce = R"(%1 = "vhlo.reduce_v1"(%0, %0) <{dimensions = #vhlo.array_v1<[]>}> ({})
      : (!t, !t) -> !h)";
  EXPECT_EQ(changed(reduce, {0, 17, 0}), "vhlo.reduce_v1");
  EXPECT_TRUE(refuses(reduce, {0, 16, 0}, "another element type"));
  StringRef call = R"("vhlo.custom_call_v1"(%0) <{api_version = #vhlo.api_version_v1<A>,
      backend_config = B, call_target_name = #vhlo.string_v1<"f">,
      called_computations = #vhlo.array_v1<[]>, has_side_effect = #vhlo.bool_v1<false>,
      operand_layouts = #vhlo.array_v1<[]>, output_operand_aliases = #vhlo.array_v1<[]>,
      result_layouts = #vhlo.array_v1<[]>}> : (T) -> ())";
  auto with = [&](StringRef version, StringRef config, StringRef type) {
    std::string text = call.str();
    text.replace(text.find("<A>") + 1, 1, version);
    text.replace(text.find("= B,") + 2, 1, config);
    text.replace(text.find("(T)") + 1, 1, type);
    if (type != "!t") {
      text = "%1 = \"vhlo.create_token_v1\"() : () -> " + type.str() + "\n" + text;
      text.replace(text.find("_v1\"(%0)") + 5, 2, "%1");
    }
    return text;
  };
  EXPECT_EQ(changed(with("API_VERSION_ORIGINAL", "#vhlo.string_v1<\"\">", "!t"), {1, 2, 0}),
            "vhlo.custom_call_v1");
  EXPECT_TRUE(refuses(with("API_VERSION_ORIGINAL", "#vhlo.dict_v1<{}>", "!t"), {1, 2, 0},
                      "a dictionary as `backend_config`"));
  EXPECT_TRUE(refuses(with("API_VERSION_TYPED_FFI", "#vhlo.string_v1<\"\">", "!t"), {1, 2, 0},
                      "a dictionary as `backend_config`"));
  EXPECT_TRUE(refuses(with("API_VERSION_ORIGINAL", "#vhlo.string_v1<\"\">", "!vhlo.future_v1<!t>"),
                      {1, 16, 0}, "operands of type `future`"));
}
