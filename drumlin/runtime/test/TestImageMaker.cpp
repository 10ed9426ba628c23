// Creates the tests' images during the build: `meta KIND FILE` writes a description, `seal KIND
// OBJECT IMAGE` seals a shared object (and writes its side file).
#include "drumlin/runtime/executable/AppendedConstants.h"
#include "drumlin/runtime/executable/ImageFile.h"
#include "drumlin/runtime/test/TestImage.h"
#include "drumlin/support/AtomicFile.h"
#include "drumlin/support/MappedFile.h"

#include <algorithm>
#include <cstdio>
#include <span>

using namespace drumlin;

static int report(const Status &status) {
  if (!status) {
    std::fputs(status.error().str().c_str(), stderr);
  }
  return status ? 0 : 1;
}

static int writeMetadata(std::string_view kind, const std::string &path) {
  if (kind == "badmeta") {
    return report(writeFile(path, "this is not a description, but long enough to be one"));
  }
  std::vector<uint8_t> bytes = serialize(testImageDescription(kind));
  return report(writeFile(path, std::as_bytes(std::span(bytes))));
}

static int seal(std::string_view kind, const std::string &objectPath,
                const std::string &imagePath) {
  Result<std::shared_ptr<MappedFile>> object = MappedFile::open(objectPath);
  if (!object) {
    return report(object.error());
  }
  std::span<const std::byte> bytes = (*object)->bytes();
  std::string image(reinterpret_cast<const char *>(bytes.data()), bytes.size());
  auto contents = [&](size_t) {
    std::vector<std::byte> weight = testWeight(kind);
    Tensor tensor(ElementType::UI8, {static_cast<int64_t>(weight.size())});
    std::ranges::copy(weight, tensor.data());
    return tensor;
  };
  ImageDescription description = testImageDescription(kind);
  Result<AtomicFile> sealed = AtomicFile::create(imagePath);
  Status written = sealed ? writeImage(*sealed, image + imageSeal(bytes), description, contents)
                          : Status(sealed.error());
  if (report(written ? sealed->commit() : written)) {
    return 1;
  }
  if (description.weightsFileBytes == 0) {
    return 0;
  }
  Result<AtomicFile> file = prepareWeightsFile(imagePath + ".weights", description, contents);
  return file ? report(file->commit()) : report(file.error());
}

int main(int count, char **arguments) {
  std::span<char *> words(arguments, static_cast<size_t>(count));
  if (count == 4 && std::string_view(words[1]) == "meta") {
    return writeMetadata(words[2], words[3]);
  }
  if (count == 5 && std::string_view(words[1]) == "seal") {
    return seal(words[2], words[3], words[4]);
  }
  return 2;
}
