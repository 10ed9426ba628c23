// What an image says about itself, as a struct and as bytes.
//
// An image is a shared object for x86-64 or aarch64 Linux with a seal after its end. Whoever links
// one provides:
//   - a section `.drumlin_meta`, allocated and read-only, aligned to 64 bytes, with exactly the
//   bytes of serialize();
//   - the exported symbol `drumlin_image`, a DrumlinImageV1 (drumlin/runtime/Abi.h) in relocated
//   read-only data, whose
//     `metadata` is that section's start, `metadataSize` the number of its bytes and `entry` the
//     compiled program;
//   - no other exported symbol, no dependency on other libraries (memcpy and memset come from the
//   host process), no
//     constructors;
//   - behind the linked file, large constants (drumlin/runtime/executable/AppendedConstants.h), and
//   at the end the bytes of imageSeal() over the linked file
//   (drumlin/runtime/executable/ImageFile.h).
//   - for weights that aren't embedded, the side file `<image>.weights`
//   (drumlin/runtime/executable/WeightsFile.h).
//
// A donated argument (donatedTo >= 0) and its result are one memory: the entry always gets the same
// pointer for both.
#pragma once

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
  // Arguments only: the result that takes over this argument's memory, which has as many bytes; -1:
  // none.
  int64_t donatedTo = -1;
  // The order in which the program takes or gives it, slowest dimension first; empty: row-major.
  DimensionOrder layout = {};
  // Static arguments and weights only: BlockedLayout::blocks, and `layout` is of what they leave.
  std::vector<int64_t> blocks = {};
  // Arguments only: the same at every call. Callers pass it row-major, and the runtime lays it out
  // when it first sees it.
  bool isStatic = false;
  // Where they are known when the program runs: one for each dimension, and `shape` is nominal.
  std::vector<SizeExpression> sizes = {};
  std::string sizesText = {}; // as a read image has them
  CountedBy countedBy = {};   // results only: the numbers of i32 results

  // byteCount() of type and shape; 0 where there is none.
  size_t bytes() const;
  BlockedLayout memoryLayout() const { return {shape, blocks, layout}; }
  // As the program's code takes it: more than bytes() where blocks are filled up.
  size_t storedBytes() const;
  // `tensor<2x3xf32>`
  std::string typeText() const;
};

struct WeightDescription {
  ValueDescription value;
  // contentHash() of the elements as they are stored; empty where the image knows the caller's file
  // by samples alone.
  std::string contentHash;
  // From the side file's start, or that of the appended constants, a multiple of 64; or in the
  // caller's file, a multiple of alignmentInPlace(); 0 for an embedded weight, and for the first
  // that is appended.
  uint64_t offset = 0;
  bool isAppended = false; // to the image
  std::vector<uint8_t> embedded;
  std::string sampleHash; // sampleHash() of the elements, where they lie in the caller's file

  bool isEmbedded() const { return offset == 0 && !isAppended; } // in the description
  bool isInFile() const { return !isEmbedded() && !isAppended; }
};

struct KernelDescription {
  std::string name;
  std::string key;
  int64_t tiles = 0;
  uint64_t modelFlops = 0;
  uint64_t bytesRead = 0;
  uint64_t bytesWritten = 0;
};

// A size that is known when the program runs.
struct SizeSymbolDescription {
  std::string name;
  int64_t minimum = 0, maximum = 0; // inclusive
};

// What holds of such sizes: zero, or zero at least.
struct SizeConstraintDescription {
  SizeExpression size;
  bool isZero = false;
};

struct ImageDescription {
  uint32_t abi = 0; // DRUMLIN_IMAGE_ABI
  std::string compilerVersion;
  std::string program;
  std::string targetCpu;
  std::vector<std::string> cpuFeatures; // `avx512f` …: those that the code uses, without a sign
  std::vector<ValueDescription> arguments;
  std::vector<ValueDescription> results;
  uint64_t arenaBytes = 0;
  uint64_t scratchBytes = 0; // of each thread
  std::vector<WeightDescription> weights;
  uint64_t weightsFileBytes = 0; // 0: no file
  // Of the caller's file, where the weights are used where they lie in it: the bytes before the
  // elements, and their hash. 0: they lie in the image's side file.
  uint64_t weightsHeaderBytes = 0;
  std::string weightsHeaderHash;
  uint64_t appendedBytes = 0; // of the constants behind the shared object; 0: there are none
  std::vector<KernelDescription> kernels;
  std::vector<HostCall> hostCalls; // by the numbers that the entry calls them by
  Cost cost;                       // of one run
  bool isTimed = false;            // whether launches go through the runtime's timers
  std::string plan;
  std::string ledger; // JSON
  std::string lock;   // the plan's lock; empty in images of versions that wrote none
  // Of sizes that are known when the program runs.
  std::vector<SizeSymbolDescription> symbols;
  std::vector<SizeConstraintDescription> constraints;
  SizeExpression slotBytes; // of the arena behind `arenaBytes`
  std::vector<SizeExpression>
      scratchSizes; // of each thread, of kernels beside those of `scratchBytes`
  GridShape grid;   // the processes that it runs as
  // Where the first constant stands whose values the program's text left out; empty: it has all.
  std::string elided;

  bool hasWeightsInPlace() const { return weightsHeaderBytes != 0; }
  bool hasSideFile() const { return weightsFileBytes != 0 && !hasWeightsInPlace(); }
};

// What the place of an array in the caller's file is a multiple of where code reads it there.
uint64_t alignmentInPlace(ElementType type);

// A constant of more bytes isn't in the description but behind the shared object, where nothing but
// its own bytes is copied and hashed.
inline constexpr int64_t maxEmbeddedConstant = 64 * 1024;
// The most bytes of constants that a description can hold: places in it have 31 bits, and what else
// it says takes some.
inline constexpr int64_t maxEmbeddedBytes = (int64_t(1) << 31) - (int64_t(1) << 26);

// What makes an image one that parse() refuses because no machine has the memory for it: a
// sentence, or nothing.
std::string findTooLarge(const ImageDescription &description);

// Returns what is wrong with an image's symbols, if anything: each is given by a dimension of an
// argument, and no size has another one.
std::string findSizeFault(const ImageDescription &image);

// Deterministic: equal descriptions give equal bytes.
std::vector<uint8_t> serialize(const ImageDescription &description);

enum class ImageTexts { Skip, Read };

// Trusts nothing: the FlatBuffers verifier runs first, then every number is checked (sizes don't
// overflow, shapes aren't negative, offsets lie in the side file, donations are unique and fit).
// Fails with ImageMetadataCorrupt, or with ImageAbiMismatch where another version of Drumlin made
// the image. `texts`: whether the plan and the ledger are unpacked too. `location` names the image
// in diagnostics.
Result<ImageDescription> parse(std::span<const std::byte> metadata, const std::string &location,
                               ImageTexts texts = ImageTexts::Read);

} // namespace drumlin
