// Each of HLO's opcodes, and what can be wrong with a module that is well-formed text.
#include "drumlin/import/hlo/HloImport.h"
#include "drumlin/hlo/OperandRules.h"
#include "drumlin/import/Import.h"
#include "drumlin/import/hlo/Opcodes.h"

#include "mlir/IR/BuiltinOps.h"

#include <gtest/gtest.h>

#include <set>

using namespace drumlin;
using namespace mlir;

namespace {
// One use of an opcode: parameters %0, %1, … of these shapes, and the root.
struct Use {
  const char *opcode;
  std::vector<const char *> parameters;
  std::string root;      // what follows `ROOT r = `
  const char *operation; // null: the elementwise one of the opcode's name
};
} // namespace

// What the uses' regions, loops and calls name.
static constexpr const char *computations = R"(
add {
  x = f32[] parameter(0)
  y = f32[] parameter(1)
  ROOT sum = f32[] add(x, y)
}
ge {
  x = f32[] parameter(0)
  y = f32[] parameter(1)
  ROOT chosen = pred[] compare(x, y), direction=GE
}
less {
  x = s32[] parameter(0)
  limit = s32[] constant(3)
  ROOT go = pred[] compare(x, limit), direction=LT
}
next {
  x = s32[] parameter(0)
  one = s32[] constant(1)
  ROOT sum = s32[] add(x, one)
}
negated {
  x = f32[4]{0} parameter(0)
  ROOT minus = f32[4]{0} negate(x)
}
row {
  x = f32[4]{0} parameter(0)
  carry = f32[4]{0} parameter(1)
  sum = f32[4]{0} add(x, carry)
  ROOT both = (f32[4]{0}, f32[4]{0}) tuple(sum, sum)
}
)";

static std::string moduleOf(const std::vector<const char *> &parameters, const std::string &root,
                            const std::string &before = {}) {
  std::string text = std::string("HloModule uses\n") + computations + "\nENTRY main {\n";
  for (size_t i = 0; i < parameters.size(); ++i) {
    std::string number = std::to_string(i);
    text += "  p" + number + " = " + parameters[i] + " parameter(" + number + ")\n";
  }
  return text + before + "  ROOT r = " + root + "\n}\n";
}

static void addElementwise(std::vector<Use> &uses, const std::vector<const char *> &opcodes,
                           const char *shape, unsigned operands, const char *result = nullptr) {
  for (const char *opcode : opcodes) {
    std::string list = "p0";
    for (unsigned i = 1; i < operands; ++i) {
      list += ", p" + std::to_string(i);
    }
    uses.push_back({opcode, std::vector<const char *>(operands, shape),
                    std::string(result ? result : shape) + " " + opcode + "(" + list + ")",
                    nullptr});
  }
}

static std::vector<Use> elementwiseUses() {
  std::vector<Use> uses;
  addElementwise(uses, {"abs",      "acos",
                        "acosh",    "asin",
                        "asinh",    "atanh",
                        "cbrt",     "ceil",
                        "cosh",     "cosine",
                        "erf",      "exponential",
                        "floor",    "exponential-minus-one",
                        "log",      "log-plus-one",
                        "logistic", "negate",
                        "rsqrt",    "round-nearest-afz",
                        "sign",     "round-nearest-even",
                        "sine",     "sinh",
                        "sqrt",     "tan",
                        "tanh"},
                 "f32[4]{0}", 1);
  addElementwise(uses, {"count-leading-zeros", "not", "popcnt"}, "s32[4]{0}", 1);
  addElementwise(uses,
                 {"add", "atan2", "divide", "maximum", "minimum", "multiply", "power", "remainder",
                  "subtract"},
                 "bf16[2,3]{1,0}", 2);
  addElementwise(
      uses,
      {"and", "mulhi", "or", "shift-left", "shift-right-arithmetic", "shift-right-logical", "xor"},
      "u8[]", 2);
  addElementwise(uses, {"clamp"}, "f16[4]{0}", 3);
  addElementwise(uses, {"convert"}, "f8e4m3fn[4]{0}", 1, "f32[4]{0}");
  addElementwise(uses, {"bitcast-convert"}, "f32[4]{0}", 1, "s32[4]{0}");
  addElementwise(uses, {"complex"}, "f32[4]{0}", 2, "c64[4]{0}");
  addElementwise(uses, {"imag", "real"}, "c64[4]{0}", 1, "f32[4]{0}");
  addElementwise(uses, {"is-finite"}, "f32[4]{0}", 1, "pred[4]{0}");
  uses.push_back({"select",
                  {"pred[4]{0}", "f32[4]{0}", "f32[4]{0}"},
                  "f32[4]{0} select(p0, p1, p2)",
                  "stablehlo.select"});
  uses.push_back({"compare",
                  {"f32[4]{0}", "f32[4]{0}"},
                  "pred[4]{0} compare(p0, p1), direction=LT, type=TOTALORDER",
                  "stablehlo.compare"});
  uses.push_back({"reduce-precision",
                  {"f32[4]{0}"},
                  "f32[4]{0} reduce-precision(p0), exponent_bits=5, mantissa_bits=10",
                  "stablehlo.reduce_precision"});
  return uses;
}

static std::vector<Use> dataMovementUses() {
  return {
      {"bitcast", {"f32[4,6]{0,1}"}, "f32[6,4]{1,0} bitcast(p0)", "stablehlo.transpose"},
      {"broadcast",
       {"f32[4]{0}"},
       "f32[2,4]{1,0} broadcast(p0), dimensions={1}",
       "stablehlo.broadcast_in_dim"},
      {"concatenate",
       {"f32[4]{0}", "f32[2]{0}"},
       "f32[6]{0} concatenate(p0, p1), dimensions={0}",
       "stablehlo.concatenate"},
      {"constant", {}, "s4[2,2]{1,0} constant({ { -8, 7 }, { 0, 1 } })", "stablehlo.constant"},
      {"dynamic-reshape",
       {"f32[4]{0}", "s32[]", "s32[]"},
       "f32[<=2,<=2]{1,0} dynamic-reshape(p0, p1, p2)",
       "stablehlo.dynamic_reshape"},
      {"dynamic-slice",
       {"f32[4,4]{1,0}", "s32[]", "s32[]"},
       "f32[2,1]{1,0} dynamic-slice(p0, p1, p2), dynamic_slice_sizes={2,1}",
       "stablehlo.dynamic_slice"},
      {"dynamic-update-slice",
       {"f32[4]{0}", "f32[2]{0}", "s32[]"},
       "f32[4]{0} dynamic-update-slice(p0, p1, p2)",
       "stablehlo.dynamic_update_slice"},
      {"get-dimension-size",
       {"f32[4,3]{1,0}"},
       "s32[] get-dimension-size(p0), dimensions={1}",
       "stablehlo.get_dimension_size"},
      {"iota", {}, "s32[4,3]{1,0} iota(), iota_dimension=1", "stablehlo.iota"},
      {"pad",
       {"f32[4,3]{1,0}", "f32[]"},
       "f32[9,2]{1,0} pad(p0, p1), padding=1_1_1x-1_0",
       "stablehlo.pad"},
      {"reshape", {"f32[4,3]{1,0}"}, "f32[2,6]{1,0} reshape(p0)", "stablehlo.reshape"},
      {"reverse",
       {"f32[4,3]{1,0}"},
       "f32[4,3]{1,0} reverse(p0), dimensions={0}",
       "stablehlo.reverse"},
      {"set-dimension-size",
       {"f32[4]{0}", "s32[]"},
       "f32[<=4]{0} set-dimension-size(p0, p1), dimensions={0}",
       "stablehlo.set_dimension_size"},
      {"slice",
       {"f32[9,3]{1,0}"},
       "f32[4,2]{1,0} slice(p0), slice={[1:8:2], [0:2]}",
       "stablehlo.slice"},
      {"transpose",
       {"f32[4,3]{1,0}"},
       "f32[3,4]{1,0} transpose(p0), dimensions={1,0}",
       "stablehlo.transpose"},
  };
}

static std::vector<Use> productUses() {
  return {
      {"convolution",
       {"f32[2,8,8,3]{3,2,1,0}", "f32[3,3,3,4]{3,2,1,0}"},
       "f32[2,4,4,4]{3,2,1,0} convolution(p0, p1), window={size=3x3 stride=2x2 pad=1_0x0_1}, "
       "dim_labels=b01f_01io->b01f, operand_precision={high,default}",
       "stablehlo.convolution"},
      {"dot",
       {"bf16[4,8]{1,0}", "bf16[8,2]{1,0}"},
       "f32[4,2]{1,0} dot(p0, p1), lhs_contracting_dims={1}, rhs_contracting_dims={0}, "
       "algorithm=dot_bf16_bf16_f32",
       "stablehlo.dot_general"},
      {"ragged-dot",
       {"f32[4,8]{1,0}", "f32[2,8,3]{2,1,0}", "s64[2]{0}"},
       "f32[4,3]{1,0} ragged-dot(p0, p1, p2), lhs_contracting_dims={1}, rhs_contracting_dims={1}, "
       "lhs_ragged_dims={0}, rhs_group_dims={0}",
       "chlo.ragged_dot"},
      {"scaled-dot",
       {"f8e4m3fn[4,8]{1,0}", "f8e4m3fn[8,2]{1,0}", "f8e8m0fnu[4,2]{1,0}", "f8e8m0fnu[]"},
       "f32[4,2]{1,0} scaled-dot(p0, p1, p2, p3), lhs_contracting_dims={1}, "
       "rhs_contracting_dims={0}",
       "stablehlo.multiply"},
      {"cholesky",
       {"f32[4,4]{1,0}"},
       "f32[4,4]{1,0} cholesky(p0), lower=true",
       "stablehlo.cholesky"},
      {"triangular-solve",
       {"f32[4,4]{1,0}", "f32[4,2]{1,0}"},
       "f32[4,2]{1,0} triangular-solve(p0, p1), left_side=true, lower=true, transpose_a=TRANSPOSE",
       "stablehlo.triangular_solve"},
      {"fft",
       {"c64[2,8]{1,0}"},
       "c64[2,8]{1,0} fft(p0), fft_type=IFFT, fft_length={8}",
       "stablehlo.fft"},
  };
}

static std::vector<Use> regionUses() {
  return {
      {"gather",
       {"f32[9,4]{1,0}", "s32[3,1]{1,0}"},
       "f32[3,4]{1,0} gather(p0, p1), offset_dims={1}, collapsed_slice_dims={0}, "
       "start_index_map={0}, index_vector_dim=1, slice_sizes={1,4}, indices_are_sorted=true",
       "stablehlo.gather"},
      {"map",
       {"f32[4]{0}", "f32[4]{0}"},
       "f32[4]{0} map(p0, p1), dimensions={0}, to_apply=add",
       "stablehlo.map"},
      {"reduce",
       {"f32[4,3]{1,0}", "f32[]"},
       "f32[3]{0} reduce(p0, p1), dimensions={0}, to_apply=add",
       "stablehlo.reduce"},
      {"reduce-window",
       {"f32[8,4]{1,0}", "f32[]"},
       "f32[4,4]{1,0} reduce-window(p0, p1), window={size=2x1 stride=2x1}, to_apply=add",
       "stablehlo.reduce_window"},
      {"scan",
       {"f32[5,4]{1,0}", "f32[4]{0}"},
       "(f32[5,4]{1,0}, f32[4]{0}) scan(p0, p1), dimensions={0}, num_carries=1, is_reverse=true, "
       "to_apply=row",
       "chlo.scan"},
      {"scatter",
       {"f32[9,4]{1,0}", "s32[3,1]{1,0}", "f32[3,4]{1,0}"},
       "f32[9,4]{1,0} scatter(p0, p1, p2), update_window_dims={1}, inserted_window_dims={0}, "
       "scatter_dims_to_operand_dims={0}, index_vector_dim=1, unique_indices=true, to_apply=add",
       "stablehlo.scatter"},
      {"select-and-scatter",
       {"f32[8]{0}", "f32[4]{0}", "f32[]"},
       "f32[8]{0} select-and-scatter(p0, p1, p2), window={size=2 stride=2}, select=ge, scatter=add",
       "stablehlo.select_and_scatter"},
      {"sort",
       {"f32[4]{0}"},
       "f32[4]{0} sort(p0), dimensions={0}, is_stable=true, to_apply=ge",
       "stablehlo.sort"},
      {"topk",
       {"f32[2,8]{1,0}"},
       "(f32[2,3]{1,0}, s32[2,3]{1,0}) topk(p0), k=3, largest=true",
       "chlo.top_k"},
  };
}

static std::vector<Use> controlUses() {
  return {
      {"add-dependency",
       {"f32[4]{0}", "token[]"},
       "f32[4]{0} add-dependency(p0, p1)",
       "func.return"},
      {"after-all", {"token[]", "token[]"}, "token[] after-all(p0, p1)", "stablehlo.after_all"},
      {"call", {"f32[4]{0}"}, "f32[4]{0} call(p0), to_apply=negated", "func.call"},
      {"conditional",
       {"pred[]", "f32[4]{0}", "f32[4]{0}"},
       "f32[4]{0} conditional(p0, p1, p2), true_computation=negated, false_computation=negated",
       "stablehlo.if"},
      {"copy", {"f32[4,3]{0,1}"}, "f32[4,3]{1,0} copy(p0)", "func.return"},
      {"custom-call",
       {"f32[4]{0}"},
       "f32[4]{0} custom-call(p0), custom_call_target=\"mine\", api_version=API_VERSION_TYPED_FFI, "
       "backend_config={n = 5 : i32}",
       "stablehlo.custom_call"},
      {"domain",
       {"f32[4]{0}"},
       "f32[4]{0} domain(p0), domain={kind=\"sharding\", entry={replicated}, exit={replicated}}",
       "func.return"},
      {"fusion", {"f32[4]{0}"}, "f32[4]{0} fusion(p0), kind=kLoop, calls=negated", "func.call"},
      {"opt-barrier", {"f32[4]{0}"}, "f32[4]{0} opt-barrier(p0)", "stablehlo.optimization_barrier"},
      {"tuple", {"f32[4]{0}", "token[]"}, "(f32[4]{0}, token[]) tuple(p0, p1)", "func.return"},
      {"while", {"s32[]"}, "s32[] while(p0), condition=less, body=next", "stablehlo.while"},
  };
}

static std::vector<Use> otherUses() {
  return {
      {"batch-norm-grad",
       {"f32[2,4]{1,0}", "f32[4]{0}", "f32[4]{0}", "f32[4]{0}", "f32[2,4]{1,0}"},
       "(f32[2,4]{1,0}, f32[4]{0}, f32[4]{0}) batch-norm-grad(p0, p1, p2, p3, p4), epsilon=0.001, "
       "feature_index=1",
       "stablehlo.batch_norm_grad"},
      {"batch-norm-inference",
       {"f32[2,4]{1,0}", "f32[4]{0}", "f32[4]{0}", "f32[4]{0}", "f32[4]{0}"},
       "f32[2,4]{1,0} batch-norm-inference(p0, p1, p2, p3, p4), epsilon=1e-05, feature_index=1",
       "stablehlo.batch_norm_inference"},
      {"batch-norm-training",
       {"f32[2,4]{1,0}", "f32[4]{0}", "f32[4]{0}"},
       "(f32[2,4]{1,0}, f32[4]{0}, f32[4]{0}) batch-norm-training(p0, p1, p2), epsilon=0, "
       "feature_index=1",
       "stablehlo.batch_norm_training"},
      {"rng",
       {"f32[]", "f32[]"},
       "f32[8]{0} rng(p0, p1), distribution=rng_uniform",
       "stablehlo.rng"},
      {"rng-bit-generator",
       {"u64[2]{0}"},
       "(u64[2]{0}, u32[8]{0}) rng-bit-generator(p0), algorithm=rng_three_fry",
       "stablehlo.rng_bit_generator"},
      {"all-gather",
       {"f32[4]{0}"},
       "f32[8]{0} all-gather(p0), channel_id=1, replica_groups={{0,1}}, dimensions={0}, "
       "use_global_device_ids=true",
       "stablehlo.all_gather"},
      {"all-reduce",
       {"f32[4]{0}", "f32[2]{0}"},
       "(f32[4]{0}, f32[2]{0}) all-reduce(p0, p1), replica_groups=[2,2]<=[4]T(0), to_apply=add",
       "stablehlo.all_reduce"},
      {"all-to-all",
       {"f32[4]{0}", "f32[4]{0}"},
       "(f32[4]{0}, f32[4]{0}) all-to-all(p0, p1), replica_groups={{0,1}}",
       "stablehlo.all_to_all"},
      {"collective-broadcast",
       {"f32[4]{0}"},
       "f32[4]{0} collective-broadcast(p0), replica_groups={{1,0}}",
       "stablehlo.collective_broadcast"},
      {"collective-permute",
       {"f32[4]{0}"},
       "f32[4]{0} collective-permute(p0), channel_id=3, source_target_pairs={{0,1},{1,0}}",
       "stablehlo.collective_permute"},
      {"infeed",
       {"token[]"},
       "((f32[4]{0}), token[]) infeed(p0), infeed_config=\"a\"",
       "stablehlo.infeed"},
      {"outfeed",
       {"f32[4]{0}", "token[]"},
       "token[] outfeed(p0, p1), outfeed_shape=f32[4]{0}",
       "stablehlo.outfeed"},
      {"partition-id", {}, "u32[] partition-id()", "stablehlo.partition_id"},
      {"reduce-scatter",
       {"f32[4]{0}"},
       "f32[2]{0} reduce-scatter(p0), replica_groups={{0,1}}, dimensions={0}, to_apply=add",
       "stablehlo.reduce_scatter"},
      {"replica-id", {}, "u32[] replica-id()", "stablehlo.replica_id"},
  };
}

namespace {
// Two opcodes that come together: the first one is written before the root.
struct PairOfUses {
  const char *first;
  Use second;
  std::string line; // of the first
};
} // namespace

static std::vector<PairOfUses> pairsOfUses() {
  std::string group = ", replica_groups={{0,1}}";
  return {
      {"all-gather-start",
       {"all-gather-done", {"f32[4]{0}"}, "f32[8]{0} all-gather-done(s)", "stablehlo.all_gather"},
       "(f32[4]{0}, f32[8]{0}) all-gather-start(p0), dimensions={0}" + group},
      {"all-reduce-start",
       {"all-reduce-done", {"f32[4]{0}"}, "f32[4]{0} all-reduce-done(s)", "stablehlo.all_reduce"},
       "f32[4]{0} all-reduce-start(p0), to_apply=add" + group},
      {"collective-permute-start",
       {"collective-permute-done",
        {"f32[4]{0}"},
        "f32[4]{0} collective-permute-done(s)",
        "stablehlo.collective_permute"},
       "(f32[4]{0}, f32[4]{0}, u32[], u32[]) collective-permute-start(p0), "
       "source_target_pairs={{0,1}}"},
      {"async-start",
       {"async-done", {"f32[4]{0}"}, "f32[4]{0} async-done(s), calls=negated", "func.call"},
       "((f32[4]{0}), f32[4]{0}, u32[]) async-start(p0), calls=negated"},
      {"async-start",
       {"async-update",
        {"f32[4]{0}"},
        "((f32[4]{0}), f32[4]{0}, u32[]) async-update(s), calls=negated",
        "func.call"},
       "((f32[4]{0}), f32[4]{0}, u32[]) async-start(p0), calls=negated"},
      {"call-start",
       {"call-done", {"f32[4]{0}"}, "f32[4]{0} call-done(s)", "func.call"},
       "((f32[4]{0}), f32[4]{0}, u32[]) call-start(p0), to_apply=negated"},
      {"slice-start",
       {"slice-update",
        {"f32[4]{0}"},
        "((f32[4]{0}), f32[2]{0}, u32[]) slice-update(s)",
        "stablehlo.slice"},
       "((f32[4]{0}), f32[2]{0}, u32[]) slice-start(p0), slice={[0:2]}"},
      {"copy-start",
       {"copy-done", {"f32[4]{0}"}, "f32[4]{0} copy-done(s)", "func.return"},
       "(f32[4]{0}, f32[4]{0}, u32[]) copy-start(p0)"},
      {"send",
       {"send-done",
        {"f32[4]{0}", "token[]"},
        "token[] send-done(s), channel_id=1",
        "stablehlo.send"},
       "(f32[4]{0}, u32[], token[]) send(p0, p1), channel_id=1"},
      {"recv",
       {"recv-done",
        {"token[]"},
        "(f32[4]{0}, token[]) recv-done(s), channel_id=2, "
        "is_host_transfer=true",
        "stablehlo.recv"},
       "(f32[4]{0}, u32[], token[]) recv(p0), channel_id=2, is_host_transfer=true"},
      {"tuple",
       {"get-tuple-element",
        {"f32[4]{0}", "f32[]"},
        "f32[] get-tuple-element(s), index=1",
        "func.return"},
       "((f32[4]{0}, f32[4]{0}), f32[]) tuple(t, p1)"},
  };
}

namespace {
struct HloImportTest : testing::Test {
  HloImportTest() {
    DialectRegistry registry;
    registerDialects(registry);
    context.appendDialectRegistry(registry);
  }

  Result<OwningOpRef<ModuleOp>> import(const std::string &text) {
    ImportLimits limits;
    limits.nativeTypesOnly = false; // what the interpreter takes
    return importText(text, "uses.hlo", context, limits);
  }

  // Whether `main` has an operation of this name; reports what doesn't become one.
  void expectOperation(const char *opcode, const std::string &text, StringRef operation) {
    SCOPED_TRACE(opcode);
    Result<OwningOpRef<ModuleOp>> module = import(text);
    ASSERT_TRUE(module) << module.error().str();
    bool found = false;
    (*module)->walk([&](Operation *op) { found |= op->getName().getStringRef() == operation; });
    EXPECT_TRUE(found) << opcode << " gives no " << operation.str();
  }

  MLIRContext context;
};
} // namespace

TEST_F(HloImportTest, EachOpcode) {
  std::set<std::string> seen = {"parameter"};
  for (const std::vector<Use> &uses : {elementwiseUses(), dataMovementUses(), productUses(),
                                       regionUses(), controlUses(), otherUses()}) {
    for (const Use &use : uses) {
      seen.insert(use.opcode);
      std::string operation = use.operation ? use.operation : "";
      if (!use.operation) {
        context.loadAllAvailableDialects();
        auto rule = hlo::findOpcode(use.opcode, &context);
        ASSERT_TRUE(rule) << use.opcode;
        operation = rule->operation.str();
      }
      expectOperation(use.opcode, moduleOf(use.parameters, use.root), operation);
    }
  }
  for (const PairOfUses &pair : pairsOfUses()) {
    seen.insert(pair.first);
    seen.insert(pair.second.opcode);
    std::string before = pair.line.find("tuple(t") == std::string::npos
                             ? std::string()
                             : "  t = (f32[4]{0}, f32[4]{0}) tuple(p0, p0)\n";
    expectOperation(
        pair.second.opcode,
        moduleOf(pair.second.parameters, pair.second.root, before + "  s = " + pair.line + "\n"),
        pair.second.operation);
  }
  for (const hlo::OpcodeRule &rule : hlo::allOpcodes()) {
    EXPECT_TRUE(seen.count(rule.opcode.str())) << rule.opcode.str() << " has no use here";
  }
  // What is imported can be added to a module.
  for (const std::string &opcode : seen) {
    EXPECT_TRUE(hlo::checkOpcode(opcode, "")) << opcode;
  }
}

//===-- what regions, calls and shapes become -------------------------------------------------===//

// The only operation of the name in the module; null where there is none, or several.
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

// XLA changes the operand of a sum across processes to a wider type, and not the computation.
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

// Groups along axes of a mesh, and along parts of axes.
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
  // A function needs a name, and gets another where it is taken.
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
  ROOT r = (f32[4], c64[2], pred[3], f16[], (s32[], (u64[1], f32[0,2]))) tuple(a, b, c, d, e)
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
        "dense<> : tensor<0x2xf32>"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part.str() << " is not in\n" << text;
  }
}

//===-- what is wrong -------------------------------------------------------------------------===//

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
       DiagnosticCode::UnsupportedOperation, "4:8", "`stochastic-convert` isn't supported"},
      {"ENTRY e {\n  a = f32[4,6] parameter(0)\n  s = f32[3,6] parameter(1)\n  ROOT b = f32[4,4] "
       "scaled-dot(a, a, s, s), lhs_contracting_dims={1}, rhs_contracting_dims={1}\n}",
       DiagnosticCode::ProgramInvalid, "4:8", "don't divide operand 0"},
      {"ENTRY e {\n  ROOT a = f32[2,2] constant({{1, 2}, {...}})\n}",
       DiagnosticCode::ConstantInvalid, "2:8", "a part that was left out"},
      {"ENTRY e {\n  a = f32[2] parameter(0)\n  ROOT s = f32[2] negate-start(a)\n}",
       DiagnosticCode::ProgramInvalid, "3:8", "no tuple of its operands"},
      {"ENTRY e {\n  ROOT a = f32[2] constant({1, 2, 3})\n}", DiagnosticCode::ConstantInvalid,
       "2:8", "a list of 3 items in dimension 0"},
      {"ENTRY e {\n  ROOT a = s8[2] constant({1, 200})\n}", DiagnosticCode::ConstantInvalid, "2:8",
       "the element `200`"},
      {"ENTRY e {\n  ROOT a = f32[2,2] constant({1, {2, 3}})\n}", DiagnosticCode::ConstantInvalid,
       "2:8", "`1` where a list is expected"},
      {"ENTRY e {\n  ROOT a = f32[<=2] constant({1, 2})\n}", DiagnosticCode::ConstantInvalid, "2:8",
       "a dynamic size"},
      {"ENTRY e {\n  ROOT a = f32[] constant()\n}", DiagnosticCode::ConstantInvalid, "2:8",
       "no literal"},
      {"ENTRY e {\n  ROOT a = (f32[], f32[]) constant((1))\n}", DiagnosticCode::ConstantInvalid,
       "2:8", "isn't a tuple of as many elements"},
      {"ENTRY e {\n  ROOT a = opaque[] parameter(0)\n}", DiagnosticCode::UnsupportedType, "2:8",
       "element type"},
      {"ENTRY e {\n  ROOT a = b(f32[4]) parameter(0)\n}", DiagnosticCode::UnsupportedType, "2:8",
       "buffers"},
      {"ENTRY e {\n  ROOT a = f32[9223372036854775807,2] parameter(0)\n}",
       DiagnosticCode::TensorTooLarge, "2:8", "2^63 bytes"},
      {"ENTRY e {\n  a = f32[2] parameter(0)\n  ROOT b = f32[2] parameter(2)\n}",
       DiagnosticCode::ProgramInvalid, "3:8", "isn't the next"},
      {"ENTRY e {\n  a = f32[2] parameter(0)\n  ROOT b = f32[2] add(a)\n}",
       DiagnosticCode::ProgramInvalid, "3:8", "`stablehlo.add`"},
      {"ENTRY e {\n  a = f32[2] parameter(0)\n  ROOT b = f32[3] add(a, a)\n}",
       DiagnosticCode::ProgramInvalid, "3:8", "`stablehlo.add`"},
      {"ENTRY e {\n  a = f32[2] parameter(0)\n  ROOT b = f32[3] copy(a)\n}",
       DiagnosticCode::ProgramInvalid, "3:8", "isn't that of what `copy` computes"},
      {"ENTRY e {\n  a = f32[2] parameter(0)\n  ROOT b = f32[2] negate(a), speed=5\n}",
       DiagnosticCode::UnsupportedAttribute, "3:8", "`speed` of `negate`"},
      {"ENTRY e {\n  a = f32[2] parameter(0)\n  ROOT b = f32[2] compare(a, a), direction=UP\n}",
       DiagnosticCode::ProgramInvalid, "3:8", "`direction` of `compare` is `UP`"},
      {"ENTRY e {\n  a = f32[2] parameter(0)\n  ROOT b = f32[2] transpose(a), dimensions={x}\n}",
       DiagnosticCode::ProgramInvalid, "3:8", "a list of integers"},
      {"ENTRY e {\n  ROOT b = f32[2] iota()\n}", DiagnosticCode::ProgramInvalid, "2:8",
       "`iota_dimension` of `iota` is missing"},
      {"ENTRY e {\n  a = f32[2] parameter(0)\n  ROOT b = f32[2] cholesky(a), lower=maybe\n}",
       DiagnosticCode::ProgramInvalid, "3:8", "`true` or `false`"},
      {"ENTRY e {\n  a = f32[2] parameter(0)\n  ROOT b = f32[2] fusion(a), kind=kLoop\n}",
       DiagnosticCode::ProgramInvalid, "3:8", "`calls` of `fusion` is missing"},
      {"ENTRY e {\n  a = f32[4,9]{1,0:T(8,128)} parameter(0)\n  ROOT b = f32[36]{0:T(128)} "
       "bitcast(a)\n}",
       DiagnosticCode::UnsupportedOperation, "3:8", "don't divide"},
      {"ENTRY e {\n  a = f32[4] parameter(0)\n  ROOT b = f16[8] bitcast(a)\n}",
       DiagnosticCode::UnsupportedOperation, "3:8", "changes the number of elements"},
      {"HloModule m\nf {\n  x = f32[3] parameter(0)\n  ROOT y = f32[3] negate(x)\n}\nENTRY e {\n  "
       "a = f32[2] "
       "parameter(0)\n  c = pred[] constant(true)\n  ROOT b = f32[3] conditional(c, a, a), "
       "true_computation=f, false_computation=f\n}",
       DiagnosticCode::ProgramInvalid, "4:8", "don't have its parameters' shapes"},
      {"HloModule m, input_output_alias={ {3}: (0, {}, may-alias) }\nENTRY e {\n  ROOT a = f32[2] "
       "parameter(0)\n}",
       DiagnosticCode::ProgramInvalid, "3:8", "`input_output_alias`"},
      {"HloModule m, buffer_donor={ (1, {}) }\nENTRY e {\n  ROOT a = f32[2] parameter(0)\n}",
       DiagnosticCode::ProgramInvalid, "3:8", "part of parameter 1"},
      {"HloModule m, entry_computation_layout={(f32[2])->(f32[2], f32[2])}\nENTRY e {\n  ROOT a = "
       "f32[2] parameter(0)\n}",
       DiagnosticCode::ProgramInvalid, "3:8", "`entry_computation_layout`"},
      {"HloModule m\nENTRY e {\n", DiagnosticCode::SyntaxInvalid, "2:9", "not closed"},
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

// Computations that use one another twice each would double the operations at each.
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
  EXPECT_EQ(info(module.error().code).name, info(DiagnosticCode::InputTooLarge).name)
      << module.error().str();
}
