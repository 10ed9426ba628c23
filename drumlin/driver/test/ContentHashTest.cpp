// Kernels' keys are computed with LLVM's BLAKE3. The runtime, which doesn't link LLVM, has its own
// implementation; both must give the same hashes.
#include "drumlin/support/Blake3.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/BLAKE3.h"

#include <cstring>
#include <gtest/gtest.h>
#include <vector>

namespace drumlin {

TEST(ContentHash, IsThatOfLlvm) {
  std::vector<uint8_t> bytes((3 << 20) + 12345);
  uint64_t state = 1;
  for (uint8_t &byte : bytes) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    byte = static_cast<uint8_t>(state >> 56);
  }
  for (size_t size = 0; size <= bytes.size(); size = size * 5 / 4 + 1) {
    llvm::ArrayRef<uint8_t> part(bytes.data() + bytes.size() - size, size);
    llvm::BLAKE3 theirs;
    theirs.update(part);
    auto expected = theirs.final<32>();
    Blake3 ours;
    ours.add({reinterpret_cast<const std::byte *>(part.data()), part.size()});
    Blake3::Digest digest = ours.digest();
    EXPECT_EQ(std::memcmp(digest.data(), expected.data(), digest.size()), 0) << size;
  }
}

} // namespace drumlin
