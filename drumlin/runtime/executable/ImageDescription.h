// The description of an image, as a struct and as bytes.
//
// An image is a shared object for x86-64 or aarch64 Linux, followed by a seal. The code that links
// an image must provide:
//   - a section `.drumlin_meta`, allocated and read-only, aligned to 64 bytes, with exactly the
//     bytes of serialize();
//   - the exported symbol `drumlin_image`, a DrumlinImageV1 (drumlin/runtime/Abi.h) in relocated
//     read-only data, whose `metadata` is the start of that section, `metadataSize` its number of
//     bytes and `entry` the compiled program;
//   - no other exported symbol, no dependency on other libraries (memcpy and memset come from the
//     host process), no constructors;
//   - after the linked file, large constants (drumlin/runtime/executable/AppendedConstants.h), and
//     at the end the bytes of imageSeal() over the linked file
//     (drumlin/runtime/executable/ImageFile.h);
//   - for weights that aren't embedded, the side file `<image>.weights`
//     (drumlin/runtime/executable/WeightsFile.h).
//
// A donated argument (donatedTo >= 0) and its result share one memory: the entry always gets the
// same pointer for both.
#pragma once

#include "drumlin/runtime/cpu/WorkSplit.h"
#include "drumlin/support/Cost.h"
#include "drumlin/support/CountedResults.h"
#include "drumlin/support/Diagnostics.h"
#include "drumlin/support/ElementType.h"
#include "drumlin/support/HostCall.h"
#include "drumlin/support/Layout.h"
#include "drumlin/support/ProcessGroups.h"
#include "drumlin/support/SizeExpression.h"
#include "drumlin/support/Tensor.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace drumlin {

struct ValueDescription {
  std::string name;
  ElementType type = ElementType::F32;
  Shape shape;
  // Arguments only: the result that takes over this argument's memory, with the same number of
  // bytes; -1: none.
  int64_t donatedTo = -1;
  // The dimension order in which the program reads or writes the value, slowest first; empty:
  // row-major.
  DimensionOrder layout = {};
  // Static arguments and weights only: the block sizes (BlockedLayout::blocks). `layout` then
  // orders the dimensions after splitting.
  std::vector<int64_t> blocks = {};
  // Arguments only: whether the value is the same at every call. Callers pass it row-major; when
  // the runtime first sees a pointer, it converts the value to `layout`.
  bool isStatic = false;
  // Sizes that are known only when the program runs, one for each dimension; `shape` is then
  // nominal. Empty: all sizes are fixed.
  std::vector<SizeExpression> sizes = {};
  std::string sizesText = {}; // the unparsed `sizes` of a parsed image
  CountedBy countedBy = {};   // results only: the indices of the i32 results that count elements

  // Returns byteCount() of the type and shape; 0 if that number can't be represented.
  size_t bytes() const;
  BlockedLayout memoryLayout() const { return {shape, blocks, layout}; }
  // Returns the bytes in the layout of the program's code: more than bytes() if blocks are padded.
  size_t storedBytes() const;
  // Returns the type's text, such as `tensor<2x3xf32>`.
  std::string typeText() const;
};

struct WeightDescription {
  ValueDescription value;
  // The contentHash() of the stored elements; empty if the image has only samples of a caller's
  // file.
  std::string contentHash;
  // The offset in bytes: in the side file or the appended constants, a multiple of 64; in the
  // caller's file, a multiple of alignmentInPlace(). 0 for an embedded weight and for the first
  // appended weight.
  uint64_t offset = 0;
  bool isAppended = false; // whether the elements are appended to the image
  std::vector<uint8_t> embedded;
  std::string sampleHash; // only of weights in the caller's file; else empty

  bool isEmbedded() const { return offset == 0 && !isAppended; } // in the description itself
  bool isInFile() const { return !isEmbedded() && !isAppended; }
};

struct KernelDescription {
  std::string name;
  std::string key;
  int64_t tiles = 0;
  uint64_t modelFlops = 0;
  uint64_t bytesRead = 0;
  uint64_t bytesWritten = 0;
  int64_t tilesTogether = 1; // as LaunchWork::together
  double secondsOfTile = 0;  // as LaunchWork::secondsOfTile

  LaunchWork work(int64_t launched) const { return {launched, tilesTogether, secondsOfTile}; }
};

// A size symbol: a size that is known only when the program runs.
struct SizeSymbolDescription {
  std::string name;
  int64_t minimum = 0, maximum = 0; // inclusive
};

// A condition on size symbols: `size` must be zero if `isZero`, else zero or more.
struct SizeConstraintDescription {
  SizeExpression size;
  bool isZero = false;
};

struct ImageDescription {
  uint32_t abi = 0; // DRUMLIN_IMAGE_ABI
  std::string compilerVersion;
  std::string program;
  std::string targetCpu;
  std::vector<std::string> cpuFeatures; // features that the code uses, as `avx512f`, without `+`
  std::vector<ValueDescription> arguments;
  std::vector<ValueDescription> results;
  uint64_t arenaBytes = 0;
  uint64_t scratchBytes = 0; // per thread
  std::vector<WeightDescription> weights;
  uint64_t weightsFileBytes = 0; // 0: no weight is in a file
  // For weights used in place in the caller's file: the number of bytes before the elements in that
  // file, and the hash of these bytes. A number of 0: the weights are in the image's side file.
  uint64_t weightsHeaderBytes = 0;
  std::string weightsHeaderHash;
  uint64_t appendedBytes = 0; // of the constants after the shared object; 0: there are none
  std::vector<KernelDescription> kernels;
  std::vector<HostCall> hostCalls; // in the order of the numbers by which the entry calls them
  Cost cost;                       // the cost of one run
  bool isTimed = false;            // whether launches go through the runtime's timers
  std::string plan;
  std::string ledger; // JSON
  std::string lock;   // the plan's lock; empty if an older version made the image
  // The program's size symbols.
  std::vector<SizeSymbolDescription> symbols;
  std::vector<SizeConstraintDescription> constraints;
  SizeExpression slotBytes;                 // bytes of the arena after the first `arenaBytes`
  std::vector<SizeExpression> scratchSizes; // per thread, of kernels that `scratchBytes` excludes
  GridShape grid;                           // the grid of processes that the program runs as
  // The location of the first constant whose values the program's text elides; empty: none.
  std::string elided;

  bool hasWeightsInPlace() const { return weightsHeaderBytes != 0; }
  bool hasSideFile() const { return weightsFileBytes != 0 && !hasWeightsInPlace(); }
};

// Returns the alignment in bytes that code requires of an array that it reads in place from the
// caller's file.
uint64_t alignmentInPlace(ElementType type);

// The largest constant in bytes that is stored in the description. Larger constants follow the
// shared object, so that their bytes are copied and hashed only once (AppendedConstants.h).
inline constexpr int64_t maxEmbeddedConstant = 64 * 1024;
// The limit in bytes on the constants that a description holds: its offsets have 31 bits, and 64
// MiB of the range are reserved for the other fields.
inline constexpr int64_t maxEmbeddedBytes = (int64_t(1) << 31) - (int64_t(1) << 26);

// If the image needs more memory than any machine has, returns a sentence that says so, and parse()
// refuses the image; else returns an empty string.
std::string findTooLarge(const ImageDescription &description);

// Returns what is wrong with an image's size symbols, or an empty string: each symbol must be given
// by a dimension of an argument, and sizes must use no other symbols.
std::string findSizeFault(const ImageDescription &image);

// Serializes a description. Deterministic: equal descriptions give equal bytes.
std::vector<uint8_t> serialize(const ImageDescription &description);

enum class ImageTexts { Skip, Read };

// Parses untrusted metadata: the FlatBuffers verifier runs first, then every number is checked
// (sizes don't overflow, shapes aren't negative, offsets are in the side file, donations are unique
// and fit). Fails with ImageMetadataCorrupt, or with ImageAbiMismatch if another version of Drumlin
// made the image. `texts`: whether the plan and the ledger are decompressed too. `location` names
// the image in diagnostics.
Result<ImageDescription> parse(std::span<const std::byte> metadata, const std::string &location,
                               ImageTexts texts = ImageTexts::Read);

} // namespace drumlin
