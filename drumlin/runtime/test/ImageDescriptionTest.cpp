#include "drumlin/runtime/executable/ImageDescription.h"
#include "drumlin/runtime/test/TestImage.h"
#include "drumlin/support/diagnostics/ImageErrors.h"

#include <gtest/gtest.h>
#include <limits>

using namespace drumlin;

static Result<ImageDescription> reparse(const ImageDescription &description) {
  std::vector<uint8_t> bytes = serialize(description);
  return parse(std::as_bytes(std::span(bytes)), "x.so");
}

static void expectCorrupt(const ImageDescription &description, const std::string &part) {
  Result<ImageDescription> result = reparse(description);
  ASSERT_FALSE(result) << part;
  EXPECT_EQ(result.error().code, errors::ImageMetadataCorrupt);
  EXPECT_NE(result.error().message.find(part), std::string::npos) << result.error().message;
  EXPECT_EQ(result.error().location, "x.so");
}

TEST(ImageDescription, RoundTrip) {
  for (const char *kind : {"plain", "sidefile", "feature"}) {
    ImageDescription from = testImageDescription(kind);
    Result<ImageDescription> result = reparse(from);
    ASSERT_TRUE(result) << result.error().str();
    EXPECT_EQ(result->program, "main");
    EXPECT_EQ(result->cpuFeatures, from.cpuFeatures);
    ASSERT_EQ(result->arguments.size(), from.arguments.size());
    EXPECT_EQ(result->arguments[0].typeText(), "tensor<10x100xf32>");
    EXPECT_EQ(result->arguments[2].donatedTo, 2);
    EXPECT_EQ(result->results[1].name, "sum");
    EXPECT_EQ(result->arenaBytes, from.arenaBytes);
    EXPECT_EQ(result->scratchBytes, from.scratchBytes);
    ASSERT_EQ(result->weights.size(), 1u);
    EXPECT_EQ(result->weights[0].embedded, from.weights[0].embedded);
    EXPECT_EQ(result->weights[0].offset, from.weights[0].offset);
    EXPECT_EQ(result->weightsFileBytes, from.weightsFileBytes);
    EXPECT_EQ(result->kernels[0].bytesRead, 8000u);
    EXPECT_EQ(result->cost, from.cost);
    EXPECT_TRUE(result->isTimed);
    EXPECT_EQ(result->plan, from.plan);
    EXPECT_EQ(result->ledger, from.ledger);
    EXPECT_EQ(serialize(*result), serialize(from));
  }
}

TEST(ImageDescription, TextsMayStayPacked) {
  ImageDescription from = testImageDescription("plain");
  from.plan.assign(100000, 'p');
  std::vector<uint8_t> bytes = serialize(from);
  EXPECT_LT(bytes.size(), 10000u);
  Result<ImageDescription> result =
      parse(std::as_bytes(std::span(bytes)), "x.so", ImageTexts::Skip);
  ASSERT_TRUE(result);
  EXPECT_TRUE(result->plan.empty());
}

TEST(ImageDescription, OtherInterfacesAreNamed) {
  Result<ImageDescription> result = reparse(testImageDescription("oldmeta"));
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, errors::ImageAbiMismatch);
}

TEST(ImageDescription, NumbersAreChecked) {
  ImageDescription description = testImageDescription("plain");
  description.arguments[0].shape = {-1, 5};
  expectCorrupt(description, "impossible shape");
  description = testImageDescription("plain");
  description.results[0].shape = {int64_t(1) << 40, int64_t(1) << 40};
  expectCorrupt(description, "impossible shape");
  description = testImageDescription("plain");
  description.results[0].shape = Shape(2000, 1);
  expectCorrupt(description, "dimensions");
  description = testImageDescription("plain");
  description.arguments[0].shape = {6, 8};
  description.arguments[0].blocks = {1, 4};
  description.arguments[0].layout = {1, 0, 2};
  expectCorrupt(description, "callers pass");
  description.arguments[0].isStatic = true;
  EXPECT_TRUE(reparse(description));
  description.arguments[0].blocks = {1, 0};
  expectCorrupt(description, "impossible layout");
  description.arguments[0].blocks = {4};
  expectCorrupt(description, "impossible layout");
  description.arguments[0].shape = {INT64_MAX, 0};
  description.arguments[0].blocks = {4, 4};
  expectCorrupt(description, "impossible layout");
  description = testImageDescription("plain");
  description.arenaBytes = UINT64_MAX;
  expectCorrupt(description, "memory");
  description = testImageDescription("plain");
  description.kernels[0].tiles = -1;
  expectCorrupt(description, "tiles");
  for (int64_t together : {INT64_MIN, int64_t(0), INT64_MAX}) {
    description = testImageDescription("plain");
    description.kernels[0].tilesTogether = together;
    expectCorrupt(description, "tiles together");
  }
  for (double seconds : {-1e-9, 1e300, std::numeric_limits<double>::infinity(),
                         std::numeric_limits<double>::quiet_NaN()}) {
    description = testImageDescription("plain");
    description.kernels[0].secondsOfTile = seconds;
    expectCorrupt(description, "predicted time");
  }
  description = testImageDescription("plain");
  description.weights[0].embedded.pop_back();
  expectCorrupt(description, "is incomplete");
  for (uint64_t offset : {uint64_t(1), uint64_t(128), UINT64_MAX / 64 * 64}) {
    description = testImageDescription("sidefile");
    description.weights[0].offset = offset;
    expectCorrupt(description, "outside");
  }
}

// In the caller's file, a weight follows the header, row-major, aligned to its element size.
TEST(ImageDescription, WeightsInPlaceAreChecked) {
  auto inPlace = [](uint64_t offset) {
    ImageDescription description = testImageDescription("sidefile");
    description.weightsFileBytes = 1000;
    description.weightsHeaderBytes = 100;
    description.weightsHeaderHash = contentHash("header");
    description.weights[0].offset = offset;
    description.weights[0].sampleHash = contentHash("samples");
    return description;
  };
  for (uint64_t offset : {uint64_t(100), uint64_t(984)}) {
    Result<ImageDescription> read = reparse(inPlace(offset));
    ASSERT_TRUE(read) << read.error().str();
    EXPECT_TRUE(read->hasWeightsInPlace() && !read->hasSideFile());
    EXPECT_EQ(read->weightsHeaderBytes, 100u);
    EXPECT_EQ(read->weightsHeaderHash, contentHash("header"));
    EXPECT_EQ(read->weights[0].sampleHash, contentHash("samples"));
    EXPECT_EQ(read->weights[0].offset, offset);
  }
  for (uint64_t offset : {uint64_t(96), uint64_t(102), uint64_t(988), UINT64_MAX - 3}) {
    expectCorrupt(inPlace(offset), "outside");
  }
  ImageDescription description = inPlace(100);
  description.weights[0].value.blocks = {4};
  description.weights[0].value.layout = {0, 1};
  expectCorrupt(description, "outside");
  description = inPlace(100);
  description.weightsHeaderBytes = 1001;
  expectCorrupt(description, "longer than the file");
}

// Dynamic sizes are read back as written, and invalid ones are refused.
TEST(ImageDescription, SizesAreChecked) {
  ImageDescription description = testImageDescription("plain");
  description.symbols = {{"b", 1, 64}};
  description.arguments[0].sizes = *SizeExpression::parseList("b, 100");
  description.constraints = {{*SizeExpression::parse("20 - b"), false},
                             {*SizeExpression::parse("mod(b, 2)"), true}};
  description.slotBytes = *SizeExpression::parse("64 * b");
  description.scratchSizes = *SizeExpression::parseList("8 * b, b + 1");
  Result<ImageDescription> result = reparse(description);
  ASSERT_TRUE(result) << result.error().str();
  EXPECT_EQ(result->arguments[0].typeText(), "tensor<(b)x(100)xf32>");
  EXPECT_EQ(result->arguments[0].sizesText, "b, 100");
  EXPECT_EQ(result->symbols[0].maximum, 64);
  EXPECT_EQ(result->constraints[1].size, description.constraints[1].size);
  EXPECT_TRUE(result->constraints[1].isZero);
  EXPECT_EQ(result->scratchSizes, description.scratchSizes);
  EXPECT_EQ(serialize(*result), serialize(description));

  ImageDescription broken = description;
  broken.scratchSizes = *SizeExpression::parseList("4 * s");
  expectCorrupt(broken, "no argument determines");
  broken = description;
  broken.results[0].sizes = *SizeExpression::parseList("s, 100");
  expectCorrupt(broken, "impossible sizes");
  broken = description;
  broken.symbols[0].name = "b c";
  expectCorrupt(broken, "no name");
  broken = description;
  broken.arguments[0].layout = {1, 0};
  expectCorrupt(broken, "impossible sizes");
}

// The counts of a result's elements must be in another result, a single i32.
TEST(ImageDescription, CountsAreChecked) {
  ImageDescription description = testImageDescription("plain");
  auto count = static_cast<int64_t>(description.results.size());
  description.results.push_back({"n", ElementType::SI32, {}});
  description.results[0].countedBy.assign(description.results[0].shape.size(), count);
  Result<ImageDescription> result = reparse(description);
  ASSERT_TRUE(result) << result.error().str();
  EXPECT_EQ(result->results[0].countedBy, description.results[0].countedBy);
  EXPECT_EQ(serialize(*result), serialize(description));

  for (int64_t by : {count + 1, int64_t(-2), int64_t(1)}) {
    ImageDescription broken = description;
    broken.results[0].countedBy[0] = by;
    expectCorrupt(broken, "impossible numbers");
  }
  ImageDescription broken = description;
  broken.results[0].countedBy.push_back(-1);
  expectCorrupt(broken, "impossible numbers");
  broken = description;
  broken.results.back().type = ElementType::F32;
  expectCorrupt(broken, "impossible numbers");
  broken = description;
  broken.arguments[0].countedBy.assign(broken.arguments[0].shape.size(), count);
  expectCorrupt(broken, "impossible numbers");
}

TEST(ImageDescription, GridsAreChecked) {
  ImageDescription description = testImageDescription("plain");
  description.grid = {3, 2};
  Result<ImageDescription> result = reparse(description);
  ASSERT_TRUE(result) << result.error().str();
  EXPECT_EQ(result->grid.replicas, 3);
  EXPECT_EQ(result->grid.partitions, 2);
  for (GridShape grid :
       {GridShape{0, 1}, GridShape{-1, -1}, GridShape{32, 16}, GridShape{INT64_MAX, INT64_MAX}}) {
    description.grid = grid;
    expectCorrupt(description, "impossible number of processes");
  }
}

TEST(ImageDescription, DonationsAreChecked) {
  for (int64_t result : {int64_t(3), int64_t(-2), int64_t(0)}) {
    ImageDescription description = testImageDescription("plain");
    description.arguments[2].donatedTo = result;
    expectCorrupt(description, "donated");
  }
  ImageDescription description = testImageDescription("plain");
  description.arguments[0].donatedTo = description.arguments[1].donatedTo = 0;
  expectCorrupt(description, "donated");
}

// Any truncation and any damaged byte gives a description or a diagnostic.
TEST(ImageDescription, DamageNeverCrashes) {
  std::vector<uint8_t> whole = serialize(testImageDescription("sidefile"));
  for (size_t i = 0; i < whole.size(); ++i) {
    (void)parse(std::as_bytes(std::span(whole.data(), i)), "x.so");
    for (uint8_t flip : {1, 0x80, 0xff}) {
      std::vector<uint8_t> damaged = whole;
      damaged[i] ^= flip;
      (void)parse(std::as_bytes(std::span(damaged)), "x.so");
    }
  }
  // Unaligned bytes can be read as well.
  std::vector<uint8_t> shifted(whole.size() + 1);
  std::copy(whole.begin(), whole.end(), shifted.begin() + 1);
  EXPECT_TRUE(parse(std::as_bytes(std::span(shifted).subspan(1)), "x.so"));
}
