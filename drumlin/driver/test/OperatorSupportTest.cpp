// Compiles and runs a program for every entry of `drumlin list-operators`: native entries run,
// other entries are refused with the stated reason, and uses that are listed as restrictions are
// refused.
#include "CompileAndRun.h"

#include "drumlin/driver/OperatorSupport.h"
#include "drumlin/import/Import.h"
#include "drumlin/runtime/executable/TensorCall.h"
#include "drumlin/support/diagnostics/HostCallErrors.h"
#include "drumlin/target/TargetNames.h"
#include "llvm/ADT/StringSet.h"

#include <algorithm>

namespace drumlin {

// Compiles the program for this machine and calls it with zeros.
static Status compileAndCall(const std::string &text, mlir::MLIRContext &context) {
  Result<mlir::OwningOpRef<mlir::ModuleOp>> module = importText(text, "entry", context);
  if (!module) {
    return module.error();
  }
  std::vector<Tensor> arguments;
  for (mlir::Type type : entryFunction(**module).getArgumentTypes()) {
    auto tensor = mlir::dyn_cast<mlir::RankedTensorType>(type);
    if (!tensor) {
      continue; // a token
    }
    Shape shape(tensor.getShape());
    std::ranges::replace_if(shape, mlir::ShapedType::isDynamic, 0);
    arguments.emplace_back(*tryStoredTypeOf(tensor), shape);
  }
  CompileOptions options;
  options.useCache = false;
  options.level = 1; // the level doesn't affect whether a program compiles
  Result<Compilation> compilation = compile(**module, "entry", options);
  if (!compilation) {
    return compilation.error();
  }
  LoadOptions load;
  load.threads = 1;
  auto executable = compilation->load("entry", load);
  // A program may call host code, which must be registered. This test registers none, so errors
  // about missing host code are accepted.
  auto ofCode = [](const auto &result) {
    bool isMissing = !result && result.error().code == errors::HostCodeMissing;
    return result || isMissing ? Status(Done()) : Status(result.error());
  };
  if (!executable) {
    return ofCode(executable);
  }
  return ofCode(call(**executable, arguments));
}

// Returns whether the text is a valid program, even if its types aren't supported.
static bool isValid(const std::string &text, mlir::MLIRContext &context) {
  ImportLimits limits;
  limits.nativeTypesOnly = false;
  return static_cast<bool>(importText(text, "entry", context, limits));
}

static bool isRefusal(const Status &status) {
  return !status && info(status.error().code).status == ExitStatus::Unsupported;
}

static void checkUses(const OperatorSupport &entry, mlir::MLIRContext &context) {
  for (std::string_view operation : {std::string_view(), std::string_view(entry.operation)}) {
    for (std::string_view use : operatorUses(operation)) {
      std::optional<std::string> text = operatorUseSample(operation, use, entry.type);
      if (!text) {
        continue;
      }
      bool isRestricted = llvm::is_contained(entry.restrictions, use);
      if (!isValid(*text, context)) {
        EXPECT_FALSE(isRestricted) << *text;
        continue;
      }
      Status status = compileAndCall(*text, context);
      // Dynamic sizes are 0 in this call, so the program may fail when it runs. Only a refusal by
      // the compiler counts.
      EXPECT_EQ(isRefusal(status), isRestricted) << *text << (status ? "" : status.error().str());
    }
  }
}

// Group i tests every eighth operation, starting at operation i.
constexpr size_t Groups = 8;
class OperatorEntries : public testing::TestWithParam<size_t> {};

TEST_P(OperatorEntries, AreWhatTheCompilerDoes) {
  llvm::StringSet<> restricted;
  size_t native = 0;
  bool checksUsesOfAll = true;
  std::vector<std::string> operations = allOperators();
  for (size_t i = GetParam(); i < operations.size(); i += Groups) {
    const std::string &operation = operations[i];
    mlir::MLIRContext context(programDialects(), mlir::MLIRContext::Threading::DISABLED);
    for (const OperatorSupport &entry :
         operatorSupport({operation}, llvm::cast<CpuTarget>(*nativeTarget()))) {
      std::string text = *operatorSample(operation, entry.type);
      Status status = compileAndCall(text, context);
      EXPECT_EQ(static_cast<bool>(status), entry.native)
          << text << (status ? "" : status.error().str());
      EXPECT_EQ(entry.refusal.empty(), entry.native && entry.interpreted) << text;
      native += entry.native;
      if (!entry.native) {
        EXPECT_TRUE(entry.verified ? isRefusal(status) : !status) << text;
        EXPECT_TRUE(entry.restrictions.empty()) << text;
        continue;
      }
      for (std::string_view use : entry.restrictions) {
        restricted.insert(operation + " " + std::string(use));
      }
      if (!operatorUses(operation).empty() || checksUsesOfAll) {
        checkUses(entry, context);
      }
    }
    checksUsesOfAll = native == 0;
  }
  EXPECT_GT(native, 2000 / Groups);
  // Some of these uses are restrictions and others aren't, so that both cases are tested.
  auto isOfThisGroup = [&](std::string_view operation) {
    return (std::ranges::find(operations, operation) - operations.begin()) % Groups == GetParam();
  };
  EXPECT_EQ(restricted.contains("stablehlo.dynamic_pad sizes known only at run time"),
            isOfThisGroup("stablehlo.dynamic_pad"));
  EXPECT_FALSE(restricted.contains("stablehlo.reduce several operands"));
  EXPECT_FALSE(restricted.contains("stablehlo.add interior padding known only at run time"));
}
INSTANTIATE_TEST_SUITE_P(Slow, OperatorEntries, testing::Range<size_t>(0, Groups));

// Every use verifies for f32. Uses that don't verify are ignored, so they would test nothing.
TEST(OperatorSupport, EachUseIsAskedAbout) {
  std::vector<std::string> operations = allOperators();
  operations.insert(operations.begin(), "");
  size_t uses = 0;
  mlir::MLIRContext context(programDialects(), mlir::MLIRContext::Threading::DISABLED);
  for (const std::string &operation : operations) {
    for (std::string_view use : operatorUses(operation)) {
      ++uses;
      std::optional<std::string> text = operatorUseSample(operation, use, ElementType::F32);
      EXPECT_TRUE(text && isValid(*text, context)) << operation << " " << use;
    }
  }
  EXPECT_GT(uses, 20u);
}

} // namespace drumlin
