// Plans every spelling (equivalent form) of a scaled matrix product for every GPU. The plan has a
// call that the tables accept, or a reason against it. If the reason can be predicted from the
// spelling, the plan must state this reason.
#include "../TestProgram.h"
#include "../scaled_dot/Spelling.h"
#include "CallEmulator.h"

#include "drumlin/target/LibraryCheck.h"
#include "drumlin/target/TargetNames.h"
#include "drumlin/transforms/libraries/LibraryPlan.h"

#include <gtest/gtest.h>
#include <map>

namespace drumlin {

static constexpr std::array<ElementType, 10> operandTypes = {
    ElementType::F8E4M3FN,      ElementType::F8E5M2,   ElementType::F8E4M3FNUZ,
    ElementType::F8E5M2FNUZ,    ElementType::F8E4M3,   ElementType::F8E3M4,
    ElementType::F8E4M3B11FNUZ, ElementType::F4E2M1FN, ElementType::F6E2M3FN,
    ElementType::F6E3M2FN};
static constexpr std::array<ElementType, 3> wideTypes = {ElementType::BF16, ElementType::F16,
                                                         ElementType::F32};

static std::unique_ptr<TestProgram> plannedFor(const Spelling &spelling, const GpuTarget &target) {
  auto program = std::make_unique<TestProgram>(programOf(spelling));
  CompileOptions options;
  options.stopAfter = "select";
  options.disabledPasses = {"split-product"};
  options.target = *targetFromName(target.name);
  Status status = program->run(options);
  EXPECT_TRUE(status) << status.error().str();
  return program;
}

static LibraryKernel planned(TestProgram &program, const GpuTarget &target) {
  std::vector<LibraryKernel> kernels = libraryKernels(*program.module, target);
  EXPECT_EQ(kernels.size(), 1u);
  return kernels.front();
}

// Returns the tolerance for a spelling's roundings. The coarsest ones are to bf16, with 8 bits of
// precision.
static double toleranceOf(const Spelling &spelling) {
  bool isRoundedOnTheWay = spelling.level(Factor::Wide) != 2;
  return isRoundedOnTheWay ? 2e-2 : spelling.level(Factor::Output) != 4 ? 1e-2 : 1e-4;
}

// Returns whether the spelling alone rules out a call.
static bool mustBeOwn(const Spelling &spelling, const GpuTarget &target) {
  bool isCublas = target.library == GpuLibrary::CublasLt;
  ElementType lhs = operandTypes[spelling.level(Factor::LhsType)];
  ElementType rhs = operandTypes[spelling.level(Factor::RhsType)];
  static constexpr ElementType nobodys[] = {ElementType::F8E4M3, ElementType::F8E3M4,
                                            ElementType::F8E4M3B11FNUZ};
  bool isUnknown = llvm::is_contained(nobodys, lhs) || llvm::is_contained(nobodys, rhs);
  bool areE5M2 = lhs == ElementType::F8E5M2 && rhs == ElementType::F8E5M2;
  bool isColumn = spelling.as<ScaleKind>(Factor::LhsScale) == ScaleKind::Column ||
                  spelling.as<ScaleKind>(Factor::RhsScale) == ScaleKind::Column;
  auto activation = spelling.as<Activation>(Factor::Activation);
  bool isForeign = activation == Activation::GeluErf || activation == Activation::ReluGrad ||
                   activation == Activation::SiluGrad || activation == Activation::GeluGrad ||
                   (isCublas && activation == Activation::Silu);
  bool isNarrow = spelling.level(Factor::Output) < 2;
  bool overflows = isNarrow && spelling.as<Clamp>(Factor::Clamp) == Clamp::None;
  auto largest = spelling.as<Largest>(Factor::Largest);
  bool isOtherLargest =
      largest == Largest::OfOutputWithoutAbs || (largest != Largest::None && !isNarrow);
  return isUnknown || (isCublas && areE5M2) || isColumn || isForeign || overflows ||
         isOtherLargest || spelling.as<Extra>(Factor::Extra) == Extra::Sums;
}

TEST(SlowLibrarySpellingsTest, EverySpellingOnEveryTarget) {
  std::map<std::string, int> reasons;
  std::map<std::string_view, int> calls;
  for (const Spelling &spelling : coveringSpellings(400, 1)) {
    SCOPED_TRACE(spelling.name());
    for (const GpuTarget &target : gpuTargets()) {
      SCOPED_TRACE(target.name);
      std::unique_ptr<TestProgram> program = plannedFor(spelling, target);
      LibraryKernel kernel = planned(*program, target);
      if (kernel.call) {
        ++calls[target.name];
        std::optional<LibraryViolation> violation = violationOf(*kernel.call, target);
        EXPECT_FALSE(violation) << info(violation->limit).name << ": " << violation->detail;
        EXPECT_FALSE(mustBeOwn(spelling, target)) << programOf(spelling);
        EXPECT_FALSE(kernel.call->computeType.empty());
      } else {
        ++reasons[std::string(info(kernel.own.limit).name)];
      }
    }
  }
  for (const auto &[name, count] : calls) {
    RecordProperty("calls_" + std::string(name), count);
  }
  for (const auto &[name, count] : reasons) {
    RecordProperty("reason_" + name, count);
  }
  EXPECT_GE(reasons.size(), 8u) << "the space provokes few reasons";
}

// Returns the nearest spelling in which libraries support the level of each factor.
static Spelling libraryLike(Spelling spelling, const GpuTarget &target) {
  auto set = [&](Factor factor, auto value) {
    spelling.levels[static_cast<size_t>(factor)] = static_cast<uint8_t>(value);
  };
  auto level = [&](Factor factor) { return spelling.level(factor); };
  int e4m3 = target.name == "gfx942" ? 2 : 0;
  set(Factor::LhsType, e4m3 + level(Factor::LhsType) % 2);
  set(Factor::RhsType, e4m3 + (level(Factor::LhsType) % 2 ? 0 : level(Factor::RhsType) % 2));
  for (Factor scale : {Factor::LhsScale, Factor::RhsScale}) {
    ScaleKind kind = spelling.as<ScaleKind>(scale);
    if (kind == ScaleKind::Column || kind == ScaleKind::Nvfp4) {
      set(scale, ScaleKind::Tensor);
    }
  }
  // No call supports padded operands. With block scales, a call supports no operations between the
  // operands and the dot, and no batch.
  bool areTensors = llvm::all_of(std::array{Factor::LhsScale, Factor::RhsScale}, [&](Factor scale) {
    return spelling.as<ScaleKind>(scale) <= ScaleKind::Tensor;
  });
  Between between = spelling.as<Between>(Factor::Between);
  if (between == Between::Pad || !areTensors) {
    set(Factor::Between, Between::Nothing);
  }
  set(Factor::Batch, areTensors ? std::min<int>(level(Factor::Batch), 1) : 0);
  // Makes k contiguous in the memory of both operands, for any operations between them and the dot.
  set(Factor::LhsOrder, 0);
  set(Factor::RhsOrder, 1);
  set(Factor::ResultMove, ResultMove::None);
  set(Factor::Activation, level(Factor::Activation) % 3);
  set(Factor::Residual, 0);
  set(Factor::Output, 2 + level(Factor::Wide)); // the type of the sums, and so of the bias
  set(Factor::SumType, 0);
  set(Factor::OutputScale, OutputScale::None);
  set(Factor::Clamp, Clamp::None);
  set(Factor::Largest, Largest::None);
  set(Factor::Extra, Extra::None);
  return settled(spelling);
}

TEST(SlowLibrarySpellingsTest, WhatIsLeftOfThemIsMostlyCalls) {
  std::map<std::string_view, std::map<std::string, int>> decisions;
  int computed = 0;
  for (const Spelling &spelling : coveringSpellings(400, 1)) {
    for (const GpuTarget &target : gpuTargets()) {
      Spelling like = libraryLike(spelling, target);
      SCOPED_TRACE(like.name());
      SCOPED_TRACE(target.name);
      std::unique_ptr<TestProgram> program = plannedFor(like, target);
      LibraryKernel kernel = planned(*program, target);
      ++decisions[target.name][kernel.call ? "call" : std::string(info(kernel.own.limit).name)];
      if (kernel.call) {
        std::optional<LibraryViolation> violation = violationOf(*kernel.call, target);
        EXPECT_FALSE(violation) << info(violation->limit).name << ": " << violation->detail;
        bool isComputed = holdsToTheProgram(*program, target, programOf(like), {toleranceOf(like)});
        computed += isComputed;
        EXPECT_TRUE(isComputed);
      }
    }
  }
  EXPECT_GT(computed, 300);
  for (const GpuTarget &target : gpuTargets()) {
    for (const auto &[reason, count] : decisions[target.name]) {
      RecordProperty(std::string(target.name) + "_" + reason, count);
    }
    EXPECT_GE(decisions[target.name]["call"], 90) << target.name;
  }
}

// Spellings for which this test can predict whether they become a call: plain dots of two narrow
// operands with contiguous k, with whole-tensor or row scales, a bias and an activation.
struct Plain {
  uint8_t lhs, rhs, wide, scale, bias, activation, output;
};

static Spelling spellingOf(const Plain &plain) {
  Spelling spelling;
  auto set = [&](Factor factor, uint8_t level) {
    spelling.levels[static_cast<size_t>(factor)] = level;
  };
  set(Factor::LhsType, plain.lhs);
  set(Factor::RhsType, plain.rhs);
  set(Factor::Wide, plain.wide);
  set(Factor::LhsScale, plain.scale);
  set(Factor::RhsScale, plain.scale);
  set(Factor::RhsOrder, 1);
  set(Factor::Bias, plain.bias);
  set(Factor::Activation, plain.activation);
  set(Factor::Output, plain.output);
  return settled(spelling);
}

static bool predicted(const Plain &plain, const GpuTarget &target) {
  ElementType lhs = operandTypes[plain.lhs], rhs = operandTypes[plain.rhs];
  ElementType wide = wideTypes[plain.wide], output = wideTypes[plain.output - 2];
  bool isCublas = target.library == GpuLibrary::CublasLt;
  auto isOcp = [](ElementType type) {
    return type == ElementType::F8E4M3FN || type == ElementType::F8E5M2;
  };
  auto isFnuz = [](ElementType type) {
    return type == ElementType::F8E4M3FNUZ || type == ElementType::F8E5M2FNUZ;
  };
  bool types = target.name == "gfx942" ? isFnuz(lhs) && isFnuz(rhs) : isOcp(lhs) && isOcp(rhs);
  types &= !(isCublas && lhs == ElementType::F8E5M2 && rhs == ElementType::F8E5M2);
  bool isRow = static_cast<ScaleKind>(plain.scale) == ScaleKind::Row;
  bool scales = !isRow || !isCublas || target.name == "sm_90";
  // The bias has the type of the sums, `wide`. The types that libraries accept for a bias depend on
  // D.
  bool bias = plain.bias == 0;
  if (isCublas) {
    bias |= wide == (output == ElementType::F32 ? ElementType::BF16 : output);
  } else {
    bias |= wide == ElementType::F32 ||
            wide == (output == ElementType::F32 ? ElementType::BF16 : output);
  }
  return types && scales && bias;
}

TEST(SlowLibrarySpellingsTest, PlainProductsArePredicted) {
  int calls = 0, own = 0, computed = 0;
  for (uint8_t lhs = 0; lhs < 5; ++lhs) {
    for (uint8_t rhs = 0; rhs < 4; ++rhs) {
      for (uint8_t rest = 0; rest < 24; ++rest) {
        static constexpr ScaleKind scaleKinds[] = {ScaleKind::None, ScaleKind::Tensor,
                                                   ScaleKind::Row};
        static constexpr Activation activations[] = {Activation::None, Activation::Relu,
                                                     Activation::GeluTanh};
        // Tests only some combinations of the factors' levels: each factor cycles through its
        // levels with a different period.
        Plain plain{lhs,
                    rhs,
                    static_cast<uint8_t>(rest % 3),
                    static_cast<uint8_t>(scaleKinds[(rest / 3 + lhs) % 3]),
                    static_cast<uint8_t>(rest % 2),
                    static_cast<uint8_t>(activations[(rest / 2 + rhs) % 3]),
                    static_cast<uint8_t>(2 + (rest / 4 + rest) % 3)};
        Spelling spelling = spellingOf(plain);
        SCOPED_TRACE(spelling.name());
        for (const GpuTarget &target : gpuTargets()) {
          SCOPED_TRACE(target.name);
          std::unique_ptr<TestProgram> program = plannedFor(spelling, target);
          LibraryKernel kernel = planned(*program, target);
          EXPECT_EQ(bool(kernel.call), predicted(plain, target))
              << (kernel.call ? "is a call" : std::string(info(kernel.own.limit).name)) << ": "
              << kernel.own.detail << "\n"
              << programOf(spelling);
          ++(kernel.call ? calls : own);
          // Calls are emulated for one target of each library, since the library's other targets
          // get the same arguments.
          if (kernel.call && (target.name == "sm_90" || target.name == "gfx942")) {
            computed +=
                holdsToTheProgram(*program, target, programOf(spelling), {toleranceOf(spelling)});
          }
        }
      }
    }
  }
  EXPECT_GT(calls, 200);
  EXPECT_GT(own, 200);
  EXPECT_GT(computed, 100);
}

} // namespace drumlin
