// Fuzzes files that accompany programs, one kind per target (`DRUMLIN_FUZZ_FILE`): images, locks,
// tuning records, and arrays. A file must be read, or refused with a reason. A lock that was read
// is written and read again, and must be the same as before. If a check fails, the process ends
// with a message.
#include "drumlin/driver/PlanLock.h"
#include "drumlin/driver/tuner/TuningRecord.h"
#include "drumlin/runtime/executable/ImageFile.h"
#include "drumlin/support/ArrayFiles.h"
#include "fuzz/Finding.h"

#include <algorithm>
#include <memory>

using namespace drumlin;
using fuzz::fail;

// A small archive may declare huge arrays.
static Result<bool> isSmall(const ArrayHeader &header) {
  constexpr int64_t mostBytes = int64_t(64) << 20;
  std::optional<int64_t> bytes = byteCount(header.type, header.shape);
  return bytes && *bytes <= mostBytes;
}

template <typename T> static const T *readOrRefused(const Result<T> &result) {
  if (result) {
    return &*result;
  }
  if (result.error().message.empty() || !result.error().location.starts_with("input")) {
    fail("refused without a reason or a location", result.error().str());
  }
  return nullptr;
}

static std::string_view textOf(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char *>(bytes.data()), bytes.size()};
}

// The seal check would reject every mutated image, so each image first gets a matching seal.
[[maybe_unused]] static void checkImage(std::span<const std::byte> bytes) {
  size_t sealBytes = imageSeal({}).size();
  std::span<const std::byte> object = bytes.first(bytes.size() - std::min(bytes.size(), sealBytes));
  std::string file = std::string(textOf(object)) + imageSeal(object);
  std::span<const std::byte> sealed(reinterpret_cast<const std::byte *>(file.data()), file.size());
  if (readOrRefused(inspectImage(sealed, "input"))) {
    readOrRefused(readImageDescription(sealed, "input"));
  }
}

[[maybe_unused]] static void checkLock(std::span<const std::byte> bytes) {
  Result<PlanLock> lock = parseLock(textOf(bytes), "input");
  if (!readOrRefused(lock)) {
    return;
  }
  std::string written = lockText(*lock);
  Result<PlanLock> again = parseLock(written, "input");
  if (!again || lockText(*again) != written) {
    fail("reading the written lock gives a different lock", written);
  }
}

[[maybe_unused]] static void checkRecord(std::span<const std::byte> bytes) {
  readOrRefused(parseTuningRecord(textOf(bytes), "input"));
}

[[maybe_unused]] static void checkNpy(std::span<const std::byte> bytes) {
  Result<ArrayHeader> header = parseNpyHeader(bytes, bytes.size(), "input");
  if (readOrRefused(header)) {
    readOrRefused(parseNpy(bytes, "input"));
  }
}

[[maybe_unused]] static void checkNpz(std::span<const std::byte> bytes) {
  readOrRefused(parseNpz(bytes, "input", isSmall));
}

[[maybe_unused]] static void checkSafetensors(std::span<const std::byte> bytes) {
  auto owner = std::make_shared<std::vector<std::byte>>(bytes.begin(), bytes.end());
  readOrRefused(parseSafetensors(*owner, owner, "input", isSmall));
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size) {
  DRUMLIN_FUZZ_FILE({reinterpret_cast<const std::byte *>(data), size});
  return 0;
}
