// Checks that every library call planned for a matrix product of a random program computes the same
// results as the kernel that the call replaces. The call is emulated from the printed plan, on
// random inputs.
#include "drumlin/driver/LibraryReport.h"
#include "drumlin/driver/test/library/CallEmulator.h"
#include "drumlin/ir/plan/LibraryCallOp.h"
#include "fuzz/programs/Generator.h"
#include "fuzz/programs/Layers.h"

#include <gtest/gtest.h>
#include <map>

namespace drumlin {

// Returns the tolerance for the result's type, or a wider tolerance if the plan says that the
// library rounds differently from the program.
static double toleranceOf(const LibraryCall &call) {
  if (!call.roundings.empty()) {
    return 4e-2;
  }
  ElementType type = call.d.type;
  return type == ElementType::BF16 ? 1e-2 : type == ElementType::F16 ? 2e-3 : 1e-4;
}

namespace {
struct Calls {
  std::map<std::string_view, int> planned, emulated; // number of calls by target
  // Kernels without a call, by reason and target.
  std::map<std::pair<std::string_view, std::string_view>, int> reasons;

  void report() const {
    for (const auto &[name, count] : planned) {
      testing::Test::RecordProperty("calls_" + std::string(name), count);
      testing::Test::RecordProperty("emulated_" + std::string(name), emulated.at(name));
    }
    for (const auto &[name, count] : reasons) {
      testing::Test::RecordProperty(std::string(name.first) + "_" + std::string(name.second),
                                    count);
    }
  }
};
} // namespace

static void hold(const std::string &text, Calls &calls) {
  for (const GpuTarget &target : gpuTargets()) {
    SCOPED_TRACE(target.name);
    TestProgram program(text);
    ASSERT_TRUE(program.module) << text;
    Result<std::vector<LibraryKernel>> kernels = libraryPlan(*program.module, target, {});
    ASSERT_TRUE(kernels) << kernels.error().str() << text;
    std::vector<plan::LibraryCallOp> planned;
    program.module->walk([&](plan::LibraryCallOp call) { planned.push_back(call); });
    size_t next = 0;
    for (const LibraryKernel &kernel : *kernels) {
      if (!kernel.call) {
        continue;
      }
      ++calls.planned[target.name];
      ASSERT_LT(next, planned.size());
      calls.emulated[target.name] +=
          holdsToItsKernel(planned[next++], kernel, target, toleranceOf(*kernel.call));
    }
    ASSERT_EQ(next, planned.size());
    // Compiles the program once more without splitting products, which gives more reasons why a
    // kernel doesn't become a call.
    TestProgram whole(text);
    CompileOptions options;
    options.disabledPasses = {"split-product"};
    Result<std::vector<LibraryKernel>> own = libraryPlan(*whole.module, target, options);
    ASSERT_TRUE(own) << own.error().str() << text;
    for (const LibraryKernel &kernel : *own) {
      if (!kernel.call) {
        ++calls.reasons[{info(kernel.own.limit).name, target.name}];
      }
    }
    ASSERT_FALSE(testing::Test::HasFailure()) << libraryText(*kernels, target) << text;
  }
}

TEST(SlowRandomCalls, ComputeTheirKernels) {
  Calls calls;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(seed);
    ASSERT_NO_FATAL_FAILURE(hold(fuzz::generate(seed).text, calls));
  }
  calls.report();
  for (const auto &[name, count] : calls.planned) {
    EXPECT_GE(count, 5) << name;
    EXPECT_EQ(calls.emulated[name], count) << name;
  }
}

TEST(SlowRandomCalls, LayersComputeTheirKernels) {
  Calls calls;
  for (uint64_t seed = 0; seed < 350; ++seed) {
    SCOPED_TRACE(seed);
    ASSERT_NO_FATAL_FAILURE(hold(fuzz::layerText(seed), calls));
  }
  calls.report();
  for (const auto &[name, count] : calls.planned) {
    EXPECT_GE(count, 25) << name;
    EXPECT_EQ(calls.emulated[name], count) << name;
  }
  EXPECT_GE(calls.reasons.size(), 75u);
}

} // namespace drumlin
