// Tests the check of library calls: calls from the manuals pass, and each change that a manual
// forbids is reported with its limit.
#include "drumlin/target/LibraryCall.h"
#include "drumlin/target/LibraryCheck.h"
#include "drumlin/target/LibraryTable.h"

#include <functional>
#include <gtest/gtest.h>
#include <set>

namespace drumlin {

static const GpuTarget &targetOf(std::string_view name) { return *findGpuTarget(name); }

// Returns the call D [128, 64] = A^T [256, 128] · B [256, 64]. In row-major terms, this is a layer:
// the product of [64, 256] and the transpose of [128, 256].
static LibraryCall plainCall(std::string_view target, ElementType operand, ElementType result) {
  LibraryCall call;
  bool isCublas = targetOf(target).library == GpuLibrary::CublasLt;
  call.library = targetOf(target).library;
  call.computeType = isCublas ? "CUBLAS_COMPUTE_32F" : "HIPBLAS_COMPUTE_32F";
  call.scaleType = isCublas ? "CUDA_R_32F" : "HIP_R_32F";
  call.transposesA = true;
  call.a = {"input 1", 0, operand, 256, 128, 256, 1, 0};
  call.b = {"input 0", 0, operand, 256, 64, 256, 1, 0};
  call.c = call.d = {"output 0", 0, result, 128, 64, 128, 1, 0};
  if (isCublas && isNarrow(result)) {
    call.c.type = ElementType::BF16;
    call.c.pointer = "null";
  }
  return call;
}

static LibraryScale scaleOf(ScaleMode mode, ElementType type = ElementType::F32) {
  return {mode, "input 2", type};
}

TEST(LibraryCallTest, CallsOfTheManualsPass) {
  auto expectPasses = [](const LibraryCall &call, std::string_view target) {
    std::optional<LibraryViolation> found = violationOf(call, targetOf(target));
    EXPECT_FALSE(found) << target << " " << info(found->limit).name << ": " << found->detail;
  };
  for (const GpuTarget &target : gpuTargets()) {
    expectPasses(plainCall(target.name, ElementType::BF16, ElementType::BF16), target.name);
    ElementType fp8 = target.name == "gfx942" ? ElementType::F8E4M3FNUZ : ElementType::F8E4M3FN;
    for (ElementType result : {fp8, ElementType::BF16, ElementType::F16, ElementType::F32}) {
      LibraryCall call = plainCall(target.name, fp8, result);
      call.scaleA = call.scaleB = scaleOf(ScaleMode::Scalar);
      expectPasses(call, target.name);
    }
  }
  LibraryCall rows = plainCall("sm_90", ElementType::F8E4M3FN, ElementType::BF16);
  rows.scaleA = rows.scaleB = scaleOf(ScaleMode::OuterVector);
  expectPasses(rows, "sm_90");
  rows.scaleA = scaleOf(ScaleMode::Square128);
  rows.scaleB = scaleOf(ScaleMode::Row128);
  expectPasses(rows, "sm_90");
  for (std::string_view target : {"sm_100", "gfx950"}) {
    LibraryCall mx = plainCall(target, ElementType::F8E4M3FN, ElementType::BF16);
    mx.scaleA = mx.scaleB = scaleOf(ScaleMode::Mx, ElementType::F8E8M0FNU);
    expectPasses(mx, target);
  }
  LibraryCall fp4 = plainCall("sm_100", ElementType::F4E2M1FN, ElementType::BF16);
  fp4.scaleA = fp4.scaleB = scaleOf(ScaleMode::Nvfp4, ElementType::F8E4M3FN);
  expectPasses(fp4, "sm_100");
}

struct Change {
  LibraryLimit limit;
  const char *target;
  ElementType operand, result;
  std::function<void(LibraryCall &)> change;
};

static std::vector<Change> changes() {
  using enum ElementType;
  auto mx = [](LibraryCall &call) {
    call.scaleA = call.scaleB = scaleOf(ScaleMode::Mx, F8E8M0FNU);
  };
  auto block = [](LibraryCall &call) { call.scaleA = call.scaleB = scaleOf(ScaleMode::Row128); };
  return {
      {LibraryLimit::OperandType, "sm_90", F8E4M3FNUZ, BF16, [](LibraryCall &) {}},
      {LibraryLimit::OperandType, "gfx942", F8E4M3FN, BF16, [](LibraryCall &) {}},
      {LibraryLimit::OperandType, "sm_90", F4E2M1FN, BF16, [](LibraryCall &) {}},
      {LibraryLimit::TypeCombination, "sm_90", F8E5M2, BF16, [](LibraryCall &) {}},
      {LibraryLimit::TypeCombination, "sm_90", F8E4M3FN, BF16,
       [](LibraryCall &call) { call.b.type = BF16; }},
      {LibraryLimit::ResultType, "sm_90", F8E4M3FN, F8E5M2, [](LibraryCall &) {}},
      {LibraryLimit::ResultType, "sm_90", BF16, BF16,
       [](LibraryCall &call) { call.computeType = "CUBLAS_COMPUTE_16F"; }},
      {LibraryLimit::BiasType, "sm_90", F8E4M3FN, F32,
       [](LibraryCall &call) {
         call.epilogue = LibraryEpilogue::Bias;
         call.bias = LibraryVector{"input 2", F32, 0};
       }},
      {LibraryLimit::Shape, "sm_90", BF16, BF16, [](LibraryCall &call) { call.a.ld = 255; }},
      {LibraryLimit::Shape, "sm_90", BF16, BF16, [](LibraryCall &call) { call.b.rows = 255; }},
      {LibraryLimit::Shape, "sm_90", BF16, BF16, [](LibraryCall &call) { call.d.columns = 0; }},
      {LibraryLimit::Shape, "gfx950", BF16, BF16,
       [](LibraryCall &call) { call.d.batchCount = int64_t(1) << 31; }},
      {LibraryLimit::OperandOrder, "sm_89", F8E4M3FN, BF16,
       [](LibraryCall &call) {
         call.transposesA = false;
         std::swap(call.a.rows, call.a.columns);
       }},
      {LibraryLimit::OperandOrder, "sm_90", F8E4M3FN, BF16,
       [](LibraryCall &call) {
         call.transposesB = true;
         std::swap(call.b.rows, call.b.columns);
       }},
      {LibraryLimit::Alignment, "sm_90", F8E4M3FN, BF16,
       [](LibraryCall &call) { call.a.ld = call.b.ld = 264; }},
      {LibraryLimit::Alignment, "sm_90", F8E4M3FN, BF16,
       [](LibraryCall &call) { call.a.offsetBytes = 8; }},
      {LibraryLimit::Alignment, "sm_90", SI8, SI32,
       [](LibraryCall &call) {
         call.computeType = "CUBLAS_COMPUTE_32I";
         call.scaleType = "CUDA_R_32I";
         call.a.ld = 258;
       }},
      {LibraryLimit::ScaleMode, "sm_89", F8E4M3FN, BF16, block},
      {LibraryLimit::ScaleMode, "sm_90", F8E4M3FN, F8E4M3FN, block},
      {LibraryLimit::ScaleMode, "sm_90", BF16, BF16,
       [](LibraryCall &call) { call.scaleA = scaleOf(ScaleMode::Scalar); }},
      {LibraryLimit::ScaleMode, "gfx950", F6E2M3FN, BF16, [](LibraryCall &) {}},
      {LibraryLimit::ScalePair, "sm_90", F8E4M3FN, BF16,
       [](LibraryCall &call) { call.scaleA = scaleOf(ScaleMode::OuterVector); }},
      {LibraryLimit::ScalePair, "sm_90", F8E4M3FN, BF16,
       [](LibraryCall &call) { call.scaleA = call.scaleB = scaleOf(ScaleMode::Square128); }},
      {LibraryLimit::ScaleType, "sm_100", F8E4M3FN, BF16,
       [](LibraryCall &call) { call.scaleA = call.scaleB = scaleOf(ScaleMode::Mx); }},
      {LibraryLimit::BatchScale, "sm_100", F8E4M3FN, BF16,
       [mx](LibraryCall &call) {
         mx(call);
         for (LibraryMatrix *matrix : {&call.a, &call.b, &call.c, &call.d}) {
           matrix->batchCount = 2;
           matrix->batchStride = 1 << 16;
         }
       }},
      {LibraryLimit::BlockSize, "gfx950", F8E4M3FN, BF16,
       [mx](LibraryCall &call) {
         mx(call);
         call.d.columns = call.c.columns = call.b.columns = 60;
       }},
      {LibraryLimit::BlockSize, "gfx950", F8E4M3FN, BF16,
       [mx](LibraryCall &call) {
         mx(call);
         call.a.rows = call.b.rows = 192;
       }},
      {LibraryLimit::BlockSize, "sm_90", F8E4M3FN, BF16,
       [block](LibraryCall &call) {
         block(call);
         call.d.columns = call.c.columns = call.b.columns = 62;
       }},
      {LibraryLimit::Epilogue, "sm_90", BF16, BF16,
       [](LibraryCall &call) { call.epilogue = LibraryEpilogue::Silu; }},
      {LibraryLimit::Epilogue, "sm_90", BF16, BF16,
       [](LibraryCall &call) { call.epilogue = LibraryEpilogue::Bias; }},
      {LibraryLimit::Epilogue, "gfx950", F8E4M3FN, BF16,
       [mx](LibraryCall &call) {
         mx(call);
         call.epilogue = LibraryEpilogue::Relu;
       }},
      {LibraryLimit::ResultScale, "sm_90", F8E4M3FN, BF16,
       [](LibraryCall &call) { call.scaleD = scaleOf(ScaleMode::Scalar); }},
      {LibraryLimit::AmaxType, "gfx950", F8E4M3FN, BF16,
       [](LibraryCall &call) { call.amaxD = "output 1"; }},
      {LibraryLimit::AuxType, "sm_90", F8E4M3FN, F8E4M3FN,
       [](LibraryCall &call) {
         call.epilogue = LibraryEpilogue::GeluAux;
         call.aux = call.d;
         call.aux->type = F32;
       }},
  };
}

TEST(LibraryCallTest, EachChangeIsFoundAsWhatItIs) {
  std::set<LibraryLimit> seen;
  for (const Change &change : changes()) {
    SCOPED_TRACE(info(change.limit).name);
    LibraryCall call = plainCall(change.target, change.operand, change.result);
    change.change(call);
    std::optional<LibraryViolation> found = violationOf(call, targetOf(change.target));
    if (!found) {
      ADD_FAILURE() << "passes on " << change.target;
      continue;
    }
    EXPECT_EQ(info(found->limit).name, info(change.limit).name) << found->detail;
    seen.insert(change.limit);
  }
  // The limits before OperandType apply before a call is formed;
  // drumlin/driver/test/library/LibraryPlanTest.cpp tests them.
  for (const LibraryLimitInfo &limit : libraryLimits()) {
    if (limit.limit >= LibraryLimit::OperandType) {
      EXPECT_TRUE(seen.contains(limit.limit)) << limit.name << " is reported for no change";
    }
  }
}

// With an fp8 result, the activation's input may have a type different from D's only in the
// combination that the manual states.
TEST(LibraryCallTest, InputsOfGeluBesideNarrowResults) {
  for (const LibraryAux &row : libraryAuxTypes()) {
    LibraryCall call = plainCall("sm_90", row.ab, row.d);
    call.c.type = row.c;
    call.epilogue = row.epilogue;
    call.aux = call.d;
    call.aux->type = row.aux;
    EXPECT_FALSE(violationOf(call, targetOf("sm_90")));
    call.aux->ld = 132;
    EXPECT_EQ(violationOf(call, targetOf("sm_90"))->limit, LibraryLimit::Alignment);
  }
}

// An H200 accepts more types than the manual says: C's type, with and without a bias.
TEST(LibraryCallTest, InputsOfGeluInTheTypeOfC) {
  for (LibraryEpilogue epilogue : {LibraryEpilogue::GeluAux, LibraryEpilogue::GeluAuxBias}) {
    LibraryCall call = plainCall("sm_90", ElementType::F8E4M3FN, ElementType::F8E5M2);
    call.b.type = ElementType::F8E5M2;
    call.epilogue = epilogue;
    call.aux = call.d;
    call.aux->type = call.c.type;
    if (partsOf(epilogue).hasBias) {
      call.bias = LibraryVector{"input 2", call.c.type, 0};
    }
    EXPECT_FALSE(violationOf(call, targetOf("sm_90")));
    EXPECT_EQ(violationOf(call, targetOf("sm_100"))->limit, LibraryLimit::AuxType);
    call.aux->type = ElementType::F32;
    EXPECT_EQ(violationOf(call, targetOf("sm_90"))->limit, LibraryLimit::AuxType);
  }
}

// cuBLASLt's relu gradient passes the gradient at inputs of 0, where the program's gradient is 0.
// So plans don't use it.
TEST(LibraryCallTest, GradientsOfRelu) {
  for (const GpuTarget &target : gpuTargets()) {
    for (LibraryEpilogue epilogue : {LibraryEpilogue::ReluAux, LibraryEpilogue::ReluGrad}) {
      LibraryCall call = plainCall(target.name, ElementType::BF16, ElementType::BF16);
      call.epilogue = epilogue;
      call.aux = call.d;
      EXPECT_EQ(violationOf(call, target).has_value(), target.library == GpuLibrary::CublasLt);
    }
  }
}

// C may be in D's memory only if C has D's type and layout.
TEST(LibraryCallTest, CAtThePlaceOfD) {
  LibraryCall call = plainCall("sm_90", ElementType::F8E4M3FN, ElementType::F8E4M3FN);
  EXPECT_FALSE(violationOf(call, targetOf("sm_90")));
  call.c.pointer = call.d.pointer;
  EXPECT_EQ(violationOf(call, targetOf("sm_90"))->limit, LibraryLimit::Shape);
  call = plainCall("sm_90", ElementType::BF16, ElementType::BF16);
  EXPECT_FALSE(violationOf(call, targetOf("sm_90")));
  call.c.ld += 8;
  EXPECT_EQ(violationOf(call, targetOf("sm_90"))->limit, LibraryLimit::Shape);
}

// An epilogue with the gradient of a bias needs an output for the gradient. The gradient must have
// an element type that the bias could have.
TEST(LibraryCallTest, GradientsOfBiases) {
  for (LibraryEpilogue epilogue : {LibraryEpilogue::BiasGradA, LibraryEpilogue::BiasGradB}) {
    LibraryCall call = plainCall("sm_90", ElementType::BF16, ElementType::BF16);
    call.epilogue = epilogue;
    EXPECT_EQ(violationOf(call, targetOf("sm_90"))->limit, LibraryLimit::Epilogue);
    call.biasGradient = LibraryVector{"output 1", ElementType::BF16, 0};
    EXPECT_EQ(violationOf(call, targetOf("sm_90"))->limit, LibraryLimit::OperandOrder);
    bool isOfA = epilogue == LibraryEpilogue::BiasGradA;
    (isOfA ? call.transposesA : call.transposesB) = !isOfA;
    LibraryMatrix &summed = isOfA ? call.a : call.b;
    std::swap(summed.rows, summed.columns);
    summed.ld = summed.rows;
    EXPECT_FALSE(violationOf(call, targetOf("sm_90")));
    call.biasGradient->type = ElementType::F32;
    EXPECT_EQ(violationOf(call, targetOf("sm_90"))->limit, LibraryLimit::BiasType);
    call.biasGradient->type = ElementType::BF16;
    call.epilogue = LibraryEpilogue::Default;
    EXPECT_EQ(violationOf(call, targetOf("sm_90"))->limit, LibraryLimit::Epilogue);
  }
}

TEST(LibraryCallTest, TablesAreWhole) {
  for (const LibraryProduct &row : libraryProducts()) {
    EXPECT_NE(row.targets, 0u);
    EXPECT_FALSE(row.source.empty());
    for (const GpuTarget &target : gpuTargets()) {
      bool has = (row.targets & target.set) != 0;
      // Every target of the row supports the row's types.
      for (ElementType type : {row.a, row.b, row.c, row.d}) {
        EXPECT_TRUE(!has || libraryTypeName(target, type)) << target.name << " " << name(type);
      }
    }
  }
  for (size_t i = 0; i < libraryLimits().size(); ++i) {
    EXPECT_EQ(static_cast<size_t>(libraryLimits()[i].limit), i);
  }
  for (GpuLibrary library : {GpuLibrary::CublasLt, GpuLibrary::HipblasLt}) {
    for (ScaleMode mode : {ScaleMode::Scalar, ScaleMode::OuterVector, ScaleMode::Row128,
                           ScaleMode::Square128, ScaleMode::Mx, ScaleMode::Nvfp4}) {
      EXPECT_EQ(scaleRowOf(library, mode).mode, mode);
      EXPECT_EQ(scaleRowOf(library, mode).library, library);
    }
  }
}

} // namespace drumlin
