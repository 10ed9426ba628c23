// Tests that each HLO opcode is converted to the expected operation.
#include "drumlin/hlo/OperandRules.h"
#include "drumlin/import/hlo/ImportOpcodes.h"
#include "drumlin/import/hlo/test/HloImportTest.h"

#include <set>

using namespace drumlin;
using namespace mlir;

namespace {
// A use of an opcode, with parameters %0, %1, … of these shapes.
struct Use {
  const char *opcode;
  std::vector<const char *> parameters;
  std::string root;      // the text after `ROOT r = `
  const char *operation; // if null, the elementwise operation with the opcode's name
};
} // namespace

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
  uses.push_back({"stochastic-convert",
                  {"f32[4]{0}", "u32[4]{0}"},
                  "s8[4]{0} stochastic-convert(p0, p1)",
                  "stablehlo.floor"});
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
      {"ragged-all-to-all",
       {"f32[4,3]{1,0}", "f32[6,3]{1,0}", "s32[4]{0}", "s32[4]{0}", "s32[4]{0}", "s32[4]{0}"},
       "f32[6,3]{1,0} ragged-all-to-all(p0, p1, p2, p3, p4, p5), replica_groups={{0,1}}",
       "stablehlo.gather"},
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
// A pair of opcodes that must be used together. The first one precedes the root.
struct PairOfUses {
  const char *first;
  Use second;
  std::string line; // the first instruction
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
  // Each imported opcode can also be inserted into a module.
  for (const std::string &opcode : seen) {
    EXPECT_TRUE(hlo::checkOpcode(opcode, "")) << opcode;
  }
}
