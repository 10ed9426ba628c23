// Tests the conversion of HLO's regions, calls, shapes and headers, and the errors for modules that
// are invalid, but syntactically correct.
#include "drumlin/import/hlo/test/HloImportTest.h"

#include "drumlin/support/diagnostics/InterpreterErrors.h"
#include "drumlin/support/diagnostics/ProgramErrors.h"
#include "drumlin/support/diagnostics/SyntaxErrors.h"
#include "drumlin/support/diagnostics/UnsupportedErrors.h"

using namespace drumlin;
using namespace mlir;

//===-- regions, calls and shapes -------------------------------------------------------------===//

// Returns the only operation of this name in the module; null if there is none or several.
static Operation *only(ModuleOp module, StringRef name) {
  Operation *found = nullptr;
  bool several = false;
  module->walk([&](Operation *op) {
    if (op->getName().getStringRef() == name) {
      several |= found != nullptr;
      found = op;
    }
  });
  return several ? nullptr : found;
}

TEST_F(HloImportTest, CallsInScalarRegionsAreCopied) {
  auto module = import(R"(
HloModule m
inner {
  x = f32[] parameter(0)
  ROOT twice = f32[] add(x, x)
}
outer {
  x = f32[] parameter(0)
  y = f32[] parameter(1)
  z = f32[] fusion(y), kind=kLoop, calls=inner
  ROOT sum = f32[] add(x, z)
}
ENTRY e {
  a = f32[4] parameter(0)
  zero = f32[] constant(0)
  ROOT r = f32[] reduce(a, zero), dimensions={0}, to_apply=outer
})");
  ASSERT_TRUE(module) << module.error().str();
  EXPECT_FALSE(only(**module, "func.call"));
  ASSERT_TRUE(only(**module, "stablehlo.reduce"));
  Block &body = only(**module, "stablehlo.reduce")->getRegion(0).front();
  EXPECT_EQ(std::distance(body.begin(), body.end()), 3);
}

// XLA may widen the operand of a sum across processes without changing the computation's type.
TEST_F(HloImportTest, CollectivesComputeInTheOperandsType) {
  auto module = import(R"(
HloModule m
sum {
  x = f8e4m3fn[] parameter(0)
  y = f8e4m3fn[] parameter(1)
  ROOT z = f8e4m3fn[] add(x, y), metadata={op_name="psum"}
}
ENTRY e {
  a = f16[4] parameter(0)
  ROOT r = f16[4] all-reduce(a), replica_groups={{0}}, to_apply=sum
})");
  ASSERT_TRUE(module) << module.error().str();
  Operation *add = only(**module, "stablehlo.add");
  ASSERT_TRUE(add);
  EXPECT_TRUE(getElementTypeOrSelf(add->getResult(0)).isF16());
}

// Tests replica groups along axes of a mesh, and along parts of axes.
TEST_F(HloImportTest, GroupsAlongAxesOfAMesh) {
  const std::pair<const char *, std::vector<std::vector<int64_t>>> cases[] = {
      {"mesh['a'=2,'b'=2] {'a'}", {{0, 2}, {1, 3}}},
      {"mesh['a'=2,'b'=2] {'b'}", {{0, 1}, {2, 3}}},
      {"mesh['a'=2,'b'=2] {'b','a'}", {{0, 2, 1, 3}}},
      {"mesh['a'=4,'b'=1] {'a'}", {{0, 1, 2, 3}}},
      {"mesh['a'=8] {'a':(1)2}", {{0, 4}, {1, 5}, {2, 6}, {3, 7}}},
      {"mesh['a'=8] {'a':(2)2}", {{0, 2}, {1, 3}, {4, 6}, {5, 7}}},
      {"mesh['a'=8] {'a':(4)2, 'a':(1)2}", {{0, 4, 1, 5}, {2, 6, 3, 7}}},
  };
  for (const auto &[text, groups] : cases) {
    auto module =
        import(moduleOf({"f32[4]{0}"}, std::string("f32[4]{0} all-reduce(p0), channel_id=1, "
                                                   "use_global_device_ids=true, to_apply=add, "
                                                   "replica_groups=") +
                                           text));
    ASSERT_TRUE(module) << text << ": " << module.error().str();
    Operation *reduce = only(**module, "stablehlo.all_reduce");
    auto ids = reduce->getAttrOfType<DenseIntElementsAttr>("replica_groups");
    std::vector<int64_t> expected;
    for (const auto &group : groups) {
      expected.insert(expected.end(), group.begin(), group.end());
    }
    EXPECT_EQ(
        std::vector<int64_t>(ids.getValues<int64_t>().begin(), ids.getValues<int64_t>().end()),
        expected)
        << text;
    EXPECT_EQ(ids.getType().getShape()[0], static_cast<int64_t>(groups.size())) << text;
  }
  for (const char *text : {"mesh['a'=2] {'b'}", "mesh['a'=8] {'a':(3)2}", "mesh['a'=0] {'a'}",
                           "mesh['a'=8] {'a':(1)4,'a':(2)4}", "mesh['a'=4] 'a'"}) {
    auto module = import(
        moduleOf({"f32[4]{0}"},
                 std::string("f32[4]{0} all-reduce(p0), to_apply=add, replica_groups=") + text));
    ASSERT_FALSE(module) << text;
    EXPECT_NE(module.error().message.find("groups of processes"), std::string::npos) << text;
  }
}

TEST_F(HloImportTest, ParametersStandInAnyOrder) {
  auto module = import(R"(
ENTRY e {
  second = f32[2] parameter(1)
  first = s32[3] parameter(0)
  ROOT r = (f32[2], s32[3]) tuple(second, first)
})");
  ASSERT_TRUE(module) << module.error().str();
  auto main = (*module)->lookupSymbol("main");
  ASSERT_TRUE(main);
  std::string type;
  llvm::raw_string_ostream(type) << main->getAttr("function_type");
  EXPECT_EQ(type, "(tensor<3xi32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<3xi32>)");
}

TEST_F(HloImportTest, OperandsStandAnywhereAndComputationsInline) {
  auto module = import(R"(
HloModule m
ENTRY e {
  ROOT r = f32[4] add(b, c)
  c = f32[4] negate(b)
  b = f32[4] exponential(a)
  a = f32[4] parameter(0)
})");
  ASSERT_TRUE(module) << module.error().str();
  module = import(R"(
HloModule m
ENTRY e {
  a = f32[4] parameter(0)
  zero = f32[] constant(0)
  ROOT r = f32[] reduce(a, zero), dimensions={0}, to_apply={
    x = f32[] parameter(0)
    y = f32[] parameter(1)
    ROOT s = f32[] add(x, y)
  }
})");
  ASSERT_TRUE(module) << module.error().str();
  EXPECT_TRUE(only(**module, "stablehlo.add"));
  // A function gets a name if it has none, and another one if the name is taken.
  module = import(R"(
HloModule m
main {
  x = f32[4] parameter(0)
  ROOT y = f32[4] negate(x)
}
ENTRY e {
  a = f32[4] parameter(0)
  b = f32[4] call(a), to_apply=main
  ROOT r = f32[4] fusion(b), kind=kLoop, calls={
    x = f32[4] parameter(0)
    ROOT y = f32[4] abs(x)
  }
})");
  ASSERT_TRUE(module) << module.error().str();
  EXPECT_EQ(only(**module, "func.func"), nullptr);
}

TEST_F(HloImportTest, EntryAttributes) {
  auto module = import(R"(
HloModule m, entry_computation_layout={((f32[4,3]{0,1:T(8,128)}, f32[2]{0}), s32[])->(s32[], f32[4,3]{0,1})}, input_output_alias={ {1}: (0, {0}, may-alias) }, buffer_donor={ (0, {1}), (1, {}) }, replica_count=2, num_partitions=4
ENTRY e {
  p = (f32[4,3], f32[2]) parameter(0)
  q = s32[] parameter(1), sharding={replicated}
  a = f32[4,3] get-tuple-element(p), index=0
  ROOT r = (s32[], f32[4,3]) tuple(q, a)
})");
  ASSERT_TRUE(module) << module.error().str();
  std::string text;
  llvm::raw_string_ostream stream(text);
  (*module)->print(stream);
  for (StringRef part :
       {"%arg0: tensor<4x3xf32> {mhlo.layout_mode = \"{0,1}\", tf.aliasing_output = 1 : i32}",
        "%arg1: tensor<2xf32> {jax.buffer_donor = true}",
        "%arg2: tensor<i32> {jax.buffer_donor = true, mhlo.sharding = \"{replicated}\"}",
        "-> (tensor<i32>, tensor<4x3xf32> {mhlo.layout_mode = \"{0,1}\"})",
        "mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 2 : i32"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part.str() << " is not in\n" << text;
  }
}

TEST_F(HloImportTest, Literals) {
  auto module = import(R"(
ENTRY e {
  a = f32[4] constant({-inf, nan, 0x1p-3, 1e40})
  b = c64[2] constant({(1, -2), (inf, 0)})
  c = pred[3] constant({1, false, true})
  d = f16[] constant(-nan(0x2a))
  e = (s32[], (u64[1], f32[0,2])) constant((-1, ({18446744073709551615}, {})))
  f = u64[2] constant({-1, 3})
  ROOT r = (f32[4], c64[2], pred[3], f16[], (s32[], (u64[1], f32[0,2])), u64[2]) tuple(a, b, c, d, e, f)
})");
  ASSERT_TRUE(module) << module.error().str();
  std::string text;
  llvm::raw_string_ostream stream(text);
  (*module)->print(stream);
  for (StringRef part :
       {"dense<[0xFF800000, 0x7FC00000, 1.250000e-01, 0x7F800000]> : tensor<4xf32>",
        "dense<[(1.000000e+00,-2.000000e+00), (0x7F800000,0.000000e+00)]> : tensor<2xcomplex<f32>>",
        "dense<[true, false, true]> : tensor<3xi1>", "dense<0xFC2A> : tensor<f16>",
        "dense<-1> : tensor<i32>", "dense<18446744073709551615> : tensor<1xui64>",
        "dense<[18446744073709551615, 3]> : tensor<2xui64>", "dense<> : tensor<0x2xf32>"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part.str() << " is not in\n" << text;
  }
}

//===-- errors --------------------------------------------------------------------------------===//

namespace {
struct Fault {
  const char *text;
  DiagnosticCode code;
  const char *place;
  const char *words;
};
} // namespace

static std::vector<Fault> faults() {
  return {
      {"HloModule m\nENTRY e {\n  a = f32[2] parameter(0)\n  ROOT b = f32[2] "
       "stochastic-convert(a, a)\n}",
       errors::ProgramInvalid, "4:8", "a result of signed integers"},
      {"ENTRY e {\n  a = f32[4] parameter(0)\n  v = s32[3] parameter(1)\n  ROOT b = f32[4] "
       "ragged-all-to-all(a, a, v, v, v, v), replica_groups={{0,1}}\n}",
       errors::ProgramInvalid, "4:8", "the same number for each process"},
      {"ENTRY e {\n  ROOT a = u64[2] rng-get-and-update-state(), delta=1\n}",
       errors::UnsupportedOperation, "2:8", "`rng-get-and-update-state` isn't supported"},
      {"ENTRY e {\n  a = f32[4,6] parameter(0)\n  s = f32[3,6] parameter(1)\n  ROOT b = f32[4,4] "
       "scaled-dot(a, a, s, s), lhs_contracting_dims={1}, rhs_contracting_dims={1}\n}",
       errors::ProgramInvalid, "4:8", "don't divide operand 0"},
      {"ENTRY e {\n  ROOT a = f32[2,2] constant({{1, 2}, {...}})\n}", errors::ConstantInvalid,
       "2:8", "a part that was elided"},
      {"ENTRY e {\n  a = f32[2] parameter(0)\n  ROOT s = f32[2] negate-start(a)\n}",
       errors::ProgramInvalid, "3:8", "no tuple of operands"},
      {"ENTRY e {\n  ROOT a = f32[2] constant({1, 2, 3})\n}", errors::ConstantInvalid, "2:8",
       "a list of 3 items in dimension 0"},
      {"ENTRY e {\n  ROOT a = s8[2] constant({1, 200})\n}", errors::ConstantInvalid, "2:8",
       "the element `200`"},
      {"ENTRY e {\n  ROOT a = f32[2,2] constant({1, {2, 3}})\n}", errors::ConstantInvalid, "2:8",
       "`1` where a list is expected"},
      {"ENTRY e {\n  ROOT a = f32[<=2] constant({1, 2})\n}", errors::ConstantInvalid, "2:8",
       "a dynamic size"},
      {"ENTRY e {\n  ROOT a = f32[] constant()\n}", errors::ConstantInvalid, "2:8", "no literal"},
      {"ENTRY e {\n  ROOT a = (f32[], f32[]) constant((1))\n}", errors::ConstantInvalid, "2:8",
       "isn't a tuple with this number of elements"},
      {"ENTRY e {\n  ROOT a = opaque[] parameter(0)\n}", errors::UnsupportedType, "2:8",
       "element type"},
      {"HloModule m\nf {\n  x = f32[3] parameter(0)\n  ROOT y = f32[3] negate(x)\n}\nENTRY e {\n  "
       "s = ((), (), s32[]) async-start(), calls=f\n  ROOT d = f32[3] async-done(s)\n}",
       errors::ProgramInvalid, "8:8", "with 1 operands, of which 0 are bound"},
      {"ENTRY e {\n  a = f32[4] parameter(0)\n  ROOT b = f32[4] collective-permute(a, a, (s32[]) "
       "tuple(s32[] constant(0)), (s32[]) tuple(s32[] constant(0))), "
       "source_target_pairs={{0,0}}, slice_sizes={{2}}\n}",
       errors::UnsupportedAttribute, "3:8", "`slice_sizes` of `collective-permute`"},
      {"ENTRY e {\n  ROOT a = f32[9223372036854775807,2] parameter(0)\n}", errors::TensorTooLarge,
       "2:8", "2^63 bytes"},
      {"ENTRY e {\n  a = f32[2] parameter(0)\n  ROOT b = f32[2] parameter(2)\n}",
       errors::ProgramInvalid, "3:8", "an invalid or repeated number"},
      {"ENTRY e {\n  a = f32[2] parameter(0)\n  ROOT b = f32[2] add(a)\n}", errors::ProgramInvalid,
       "3:8", "`stablehlo.add`"},
      {"ENTRY e {\n  a = f32[2] parameter(0)\n  ROOT b = f32[3] add(a, a)\n}",
       errors::ProgramInvalid, "3:8", "`stablehlo.add`"},
      {"ENTRY e {\n  a = f32[2] parameter(0)\n  ROOT b = f32[3] copy(a)\n}", errors::ProgramInvalid,
       "3:8", "differs from the shape that `copy` computes"},
      {"ENTRY e {\n  a = f32[2] parameter(0)\n  ROOT b = f32[2] negate(a), speed=5\n}",
       errors::UnsupportedAttribute, "3:8", "`speed` of `negate`"},
      {"ENTRY e {\n  a = f32[2] parameter(0)\n  ROOT b = f32[2] compare(a, a), direction=UP\n}",
       errors::ProgramInvalid, "3:8", "`direction` of `compare` is `UP`"},
      {"ENTRY e {\n  a = f32[2] parameter(0)\n  ROOT b = f32[2] transpose(a), dimensions={x}\n}",
       errors::ProgramInvalid, "3:8", "a list of integers"},
      {"ENTRY e {\n  ROOT b = f32[2] iota()\n}", errors::ProgramInvalid, "2:8",
       "`iota_dimension` of `iota` is missing"},
      {"ENTRY e {\n  a = f32[2] parameter(0)\n  ROOT b = f32[2] cholesky(a), lower=maybe\n}",
       errors::ProgramInvalid, "3:8", "`true` or `false`"},
      {"ENTRY e {\n  a = f32[2] parameter(0)\n  ROOT b = f32[2] fusion(a), kind=kLoop\n}",
       errors::ProgramInvalid, "3:8", "`calls` of `fusion` is missing"},
      {"ENTRY e {\n  a = f32[4,9]{1,0:T(8,128)} parameter(0)\n  ROOT b = f32[36]{0:T(128)} "
       "bitcast(a)\n}",
       errors::UnsupportedOperation, "3:8", "to different sizes"},
      {"ENTRY e {\n  a = f32[4,8]{1,0:T(4,8)(3,1)} parameter(0)\n  ROOT b = f32[32] bitcast(a)\n}",
       errors::UnsupportedOperation, "3:8", "don't divide"},
      {"ENTRY e {\n  a = f32[4] parameter(0)\n  ROOT b = f16[4] bitcast(a)\n}",
       errors::UnsupportedOperation, "3:8", "changes the number of elements"},
      {"HloModule m\nf {\n  x = f32[3] parameter(0)\n  ROOT y = f32[3] negate(x)\n}\nENTRY e {\n  "
       "a = f32[2] "
       "parameter(0)\n  c = pred[] constant(true)\n  ROOT b = f32[3] conditional(c, a, a), "
       "true_computation=f, false_computation=f\n}",
       errors::ProgramInvalid, "4:8", "don't have its parameters' shapes"},
      {"HloModule m, input_output_alias={ {3}: (0, {}, may-alias) }\nENTRY e {\n  ROOT a = f32[2] "
       "parameter(0)\n}",
       errors::ProgramInvalid, "3:8", "`input_output_alias`"},
      {"HloModule m, buffer_donor={ (1, {}) }\nENTRY e {\n  ROOT a = f32[2] parameter(0)\n}",
       errors::ProgramInvalid, "3:8", "element of parameter 1"},
      {"HloModule m, entry_computation_layout={(f32[2])->(f32[2], f32[2])}\nENTRY e {\n  ROOT a = "
       "f32[2] parameter(0)\n}",
       errors::ProgramInvalid, "3:8", "`entry_computation_layout`"},
      {"HloModule m\nENTRY e {\n", errors::SyntaxInvalid, "2:9", "not closed"},
  };
}

TEST_F(HloImportTest, FaultsAreLocated) {
  for (const Fault &fault : faults()) {
    SCOPED_TRACE(fault.text);
    Result<OwningOpRef<ModuleOp>> module = import(fault.text);
    ASSERT_FALSE(module);
    const drumlin::Diagnostic &error = module.error();
    EXPECT_EQ(info(error.code).name, info(fault.code).name) << error.str();
    std::string place = "uses.hlo";
    if (*fault.place != 0) {
      place += std::string(":") + fault.place;
    }
    EXPECT_EQ(error.location, place) << error.str();
    EXPECT_NE(error.message.find(fault.words), std::string::npos) << error.str();
  }
}

// Steps are limited, since each step of an asynchronous operation traverses the previous ones.
TEST_F(HloImportTest, StepsAreBounded) {
  std::string text = "HloModule m\nf {\n  x = f32[] parameter(0)\n  ROOT y = f32[] negate(x)\n}\n"
                     "ENTRY e {\n  a = f32[] parameter(0)\n  "
                     "s0 = ((f32[]), f32[]) async-start(a), calls=f\n";
  for (int i = 1; i < 2000; ++i) {
    text += "  s" + std::to_string(i) + " = ((f32[]), f32[]) async-update(s" +
            std::to_string(i - 1) + ")\n";
  }
  Result<OwningOpRef<ModuleOp>> module = import(text + "  ROOT r = f32[] async-done(s1999)\n}\n");
  ASSERT_FALSE(module);
  EXPECT_EQ(info(module.error().code).name, info(errors::InputTooLarge).name)
      << module.error().str();
}

// Channel 0 is a valid channel. Without a channel, only replicas would participate.
TEST_F(HloImportTest, ChannelsAreCountedFromZero) {
  auto module = import(moduleOf({"f32[4]{0}"}, "f32[8]{0} all-gather(p0), channel_id=0, "
                                               "dimensions={0}, use_global_device_ids=true, "
                                               "replica_groups={{0,1}}"));
  ASSERT_TRUE(module) << module.error().str();
  Operation *gather = only(**module, "stablehlo.all_gather");
  ASSERT_TRUE(gather);
  std::string channel;
  llvm::raw_string_ostream(channel) << gather->getAttr("channel_handle");
  EXPECT_NE(channel.find("handle = 1"), std::string::npos) << channel;
}

// Tests a typed call whose attributes are inside the configuration of XLA's GPU backend.
TEST_F(HloImportTest, AttributesOfTypedCalls) {
  auto module = import(R"(
ENTRY e {
  a = f32[2] parameter(0)
  ROOT r = f32[2] custom-call(a), custom_call_target="scale", api_version=API_VERSION_TYPED_FFI, backend_config={"operation_queue_id":"0","custom_call_backend_config":{"attributes":"{by = 3.0 : f32}"}}
})");
  ASSERT_TRUE(module) << module.error().str();
  Operation *call = only(**module, "stablehlo.custom_call");
  ASSERT_TRUE(call);
  auto config = call->getAttrOfType<DictionaryAttr>("backend_config");
  ASSERT_TRUE(config && config.getAs<FloatAttr>("by"));
  EXPECT_EQ(config.getAs<FloatAttr>("by").getValueAsDouble(), 3.0);
}

// Copies are limited, since each of the nested computations uses the next one twice.
TEST_F(HloImportTest, CopiesAreBounded) {
  std::string text = "HloModule m\nc0 {\n  x = f32[] parameter(0)\n  ROOT y = f32[] negate(x)\n}\n";
  for (int i = 1; i < 60; ++i) {
    std::string inner = "c" + std::to_string(i - 1);
    text += "c" + std::to_string(i) +
            " {\n  x = f32[] parameter(0)\n  y = f32[] call(x), to_apply=" + inner +
            "\n  ROOT z = f32[] call(y), to_apply=" + inner + "\n}\n";
  }
  text += "last {\n  x = f32[] parameter(0)\n  y = f32[] parameter(1)\n  z = f32[] call(y), "
          "to_apply=c59\n  ROOT s = f32[] add(x, z)\n}\nENTRY e {\n  a = f32[4] parameter(0)\n  "
          "z = f32[] constant(0)\n  ROOT r = f32[] reduce(a, z), dimensions={0}, "
          "to_apply=last\n}\n";
  Result<OwningOpRef<ModuleOp>> module = import(text);
  ASSERT_FALSE(module);
  EXPECT_EQ(info(module.error().code).name, info(errors::InputTooLarge).name)
      << module.error().str();
}
