// Runs programs whose operands and results are at the ends of accessible memory.
#pragma once

#include "drumlin/codegen/cpu/test/KernelCheck.h"

#include <deque>
#include <sys/mman.h>
#include <unistd.h>

namespace drumlin {

// Memory between two inaccessible pages.
class GuardedMemory {
public:
  explicit GuardedMemory(size_t bytes) : page(static_cast<size_t>(sysconf(_SC_PAGESIZE))) {
    inside = (bytes + page - 1) / page * page;
    void *made = mmap(nullptr, inside + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    base = made == MAP_FAILED ? nullptr : static_cast<std::byte *>(made);
    if (base && mprotect(base + page, inside, PROT_READ | PROT_WRITE) != 0) {
      munmap(base, inside + 2 * page);
      base = nullptr;
    }
  }
  ~GuardedMemory() {
    if (base) {
      munmap(base, inside + 2 * page);
    }
  }
  GuardedMemory(const GuardedMemory &) = delete;
  GuardedMemory &operator=(const GuardedMemory &) = delete;

  std::byte *begin() const { return base ? base + page : nullptr; }
  std::byte *end() const { return begin() + inside; }

private:
  size_t page, inside = 0;
  std::byte *base = nullptr;
};

// Checks the results of a program, first with every operand and result at the beginning of
// accessible memory, then with each at the end.
inline void expectNothingTouchedOutside(const std::string &text, const std::string &target) {
  SCOPED_TRACE(target + "\n" + text);
  mlir::MLIRContext context(programDialects(), mlir::MLIRContext::Threading::DISABLED);
  auto module = importText(text, "test.mlir", context);
  ASSERT_TRUE(module) << module.error().str();
  std::deque<Tensor> arguments;
  std::deque<GuardedMemory> memory;
  auto executable = compileAndLoad(**module, target);
  ASSERT_TRUE(executable) << executable.error().str();
  for (const ValueDescription &in : (*executable)->arguments()) {
    arguments.push_back(drawTensor(in.type, in.shape, Values::Few, arguments.size()));
    auto bytes = static_cast<size_t>(arguments.back().bytes());
    ASSERT_EQ(bytes % 64, 0U) << "memory that isn't aligned is copied before the call";
    ASSERT_NE(memory.emplace_back(bytes).begin(), nullptr);
  }
  auto again = importText(text, "test.mlir", context);
  auto expected = interpret(**again, std::vector<Tensor>(arguments.begin(), arguments.end()));
  ASSERT_TRUE(expected) << expected.error().str();
  for (bool atEnd : {false, true}) {
    std::vector<const void *> places;
    for (auto [argument, pages] : llvm::zip(arguments, memory)) {
      auto bytes = static_cast<size_t>(argument.bytes());
      std::byte *place = atEnd ? pages.end() - bytes : pages.begin();
      std::memcpy(place, argument.data(), bytes);
      places.push_back(place);
    }
    std::deque<GuardedMemory> results;
    std::vector<void *> made;
    for (const Tensor &result : *expected) {
      // The result is as close to the end of the accessible memory as its alignment allows.
      auto bytes = static_cast<size_t>(llvm::alignTo(result.bytes(), 64));
      ASSERT_NE(results.emplace_back(bytes).begin(), nullptr);
      made.push_back(atEnd ? results.back().end() - bytes : results.back().begin());
    }
    auto status = (*executable)->run({.args = places, .results = made});
    ASSERT_TRUE(status) << status.error().str();
    for (auto [got, wanted] : llvm::zip(made, *expected)) {
      EXPECT_EQ(std::memcmp(got, wanted.data(), static_cast<size_t>(wanted.bytes())), 0);
    }
  }
}

} // namespace drumlin
