// Programs for the tests of tuned kernels, and a fixture with a folder for a record and a kernel
// cache.
#pragma once

#include "drumlin/driver/tuner/KernelTuning.h"
#include "drumlin/ir/plan/KernelOp.h"

#include "drumlin/driver/Compiler.h"
#include "drumlin/driver/test/TestProgram.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <unistd.h>

namespace drumlin {

using Tuning = CompileOptions::Tuning;

inline std::string tensorOf(std::initializer_list<int64_t> shape, const std::string &type) {
  std::string text = "tensor<";
  for (int64_t size : shape) {
    text += std::to_string(size) + "x";
  }
  return text + type + ">";
}

inline std::string mainOf(const std::string &arguments, const std::string &results,
                          const std::string &body) {
  return "module @g {\n  func.func public @main(" + arguments + ") -> (" + results + ") {\n" +
         body + "  }\n}\n";
}

inline std::string dot(int64_t m, int64_t k, int64_t n, const std::string &type, bool checkpoint,
                       const std::string &sumType) {
  std::string lhs = tensorOf({m, k}, type);
  std::string rhs = checkpoint ? tensorOf({n, k}, type) : tensorOf({k, n}, type);
  std::string result = tensorOf({m, n}, sumType);
  return mainOf("%a: " + lhs + ", %b: " + rhs, result,
                "    %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [" +
                    std::string(checkpoint ? "1" : "0") + "] : (" + lhs + ", " + rhs + ") -> " +
                    result + "\n    return %0 : " + result + "\n");
}

class KernelTuningTest : public testing::Test {
protected:
  void SetUp() override {
    folder = std::filesystem::temp_directory_path() /
             ("drumlin-tuning-" + std::to_string(getpid()) + "-" +
              testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::create_directories(folder);
    options.cacheDirectory = folder / "cache";
    options.threads = 1;
    options.tuningRecord = folder / "record.txt";
    options.tuningSeconds = 0.2;
  }
  void TearDown() override { std::filesystem::remove_all(folder); }

  Result<Compilation> compiled(const std::string &text, Tuning tuning) {
    TestProgram program(text);
    EXPECT_TRUE(program.module) << text;
    CompileOptions with = options;
    with.tuning = tuning;
    if (tuning == Tuning::Off) {
      with.tuningRecord.clear();
    }
    return compile(*program.module, "test", with);
  }

  // Returns a record, without samples, of all kernels of a program that have several schedules;
  // `pick` selects each winner.
  std::string recordWith(const std::string &text,
                         const std::function<std::string(const std::vector<std::string> &)> &pick) {
    TestProgram program(text);
    EXPECT_TRUE(program.run(options));
    const auto *target = llvm::cast<CpuTarget>(options.target.get());
    TuningRecord record;
    for (auto kernel : program.module->getOps<plan::KernelOp>()) {
      Result<std::vector<NamedSchedule>> schedules = schedulesOf(kernel, *target, options.numerics);
      EXPECT_TRUE(schedules);
      if (schedules->size() < 2) {
        continue;
      }
      RecordedKernel recorded;
      recorded.key = tuningKey(kernel, operandsOf(kernel, *program.module, *target));
      recorded.subject = subjectOf(kernel);
      recorded.target = target->name;
      recorded.version = tuningVersion();
      std::vector<std::string> names;
      for (const NamedSchedule &schedule : *schedules) {
        names.push_back(schedule.name);
        recorded.candidates.push_back({schedule.name, 0, {}, {}});
      }
      recorded.winner = pick(names);
      recorded.rule = "hand";
      record.put(recorded);
    }
    return record.str();
  }

  void write(const std::string &text) {
    std::ofstream(options.tuningRecord, std::ios::binary | std::ios::trunc) << text;
  }
  std::string read() const {
    std::ifstream file(options.tuningRecord, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  }

  std::filesystem::path folder;
  CompileOptions options;
};

} // namespace drumlin
