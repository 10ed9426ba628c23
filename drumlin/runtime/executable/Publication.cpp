#include "drumlin/runtime/executable/Publication.h"

#include "drumlin/runtime/executable/AppendedConstants.h"
#include "drumlin/support/AtomicFile.h"
#include "drumlin/support/Hash.h"

#include <algorithm>
#include <dirent.h>
#include <fcntl.h>
#include <optional>
#include <sys/file.h>
#include <unistd.h>
#include <vector>

namespace drumlin {

static std::string folderOf(const std::string &path) {
  size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, slash + 1);
}

namespace {
// Keeps other processes from publishing in a folder. Has no effect if the file system has no locks.
class FolderLock {
public:
  explicit FolderLock(const std::string &folder)
      : file(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
    if (file >= 0) {
      flock(file, LOCK_EX);
    }
  }
  ~FolderLock() {
    if (file >= 0) {
      ::close(file);
    }
  }
  FolderLock(const FolderLock &) = delete;
  FolderLock &operator=(const FolderLock &) = delete;

private:
  int file;
};
} // namespace

static bool isIdentity(std::string_view text) {
  return text.size() == contentHashDigits && std::ranges::all_of(text, [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
         });
}

// Removes side files left by publications that ended before their last step.
static void removeStale(const std::string &weightsPath) {
  std::string folder = folderOf(weightsPath);
  std::string prefix = weightsPath.substr(weightsPath.rfind('/') + 1) + ".";
  std::vector<std::string> stale;
  DIR *listing = opendir(folder.c_str());
  while (dirent *entry = listing ? readdir(listing) : nullptr) {
    std::string_view name = entry->d_name;
    if (name.starts_with(prefix) && isIdentity(name.substr(prefix.size()))) {
      stale.push_back(weightsPath + "." + std::string(name.substr(prefix.size())));
    }
  }
  if (listing) {
    closedir(listing);
  }
  for (const std::string &path : stale) {
    if (isWeightsFile(path)) {
      unlink(path.c_str());
    }
  }
}

Status publishImage(const std::string &path, std::string_view image,
                    const ImageDescription &description, const WeightContents &contents) {
  Result<AtomicFile> file = AtomicFile::create(path);
  if (!file) {
    return file.error();
  }
  if (Status status = writeImage(*file, image, description, contents); !status) {
    return status;
  }
  std::string weightsPath = path + ".weights";
  std::string ownPath = weightsPath + "." + weightsIdentity(description);
  bool hasWeights = description.hasSideFile();
  std::optional<AtomicFile> weights;
  if (hasWeights) {
    Result<AtomicFile> prepared = prepareWeightsFile(ownPath, description, contents);
    if (!prepared) {
      return prepared.error();
    }
    weights.emplace(std::move(*prepared));
  }
  FolderLock lock(folderOf(path));
  if (weights) {
    if (Status status = weights->commit(); !status) {
      return status;
    }
  }
  if (Status status = file->commit(); !status) {
    return status;
  }
  if (hasWeights) {
    if (Status status = renameFile(ownPath, weightsPath); !status) {
      return status;
    }
  } else if (isWeightsFile(weightsPath)) {
    unlink(weightsPath.c_str());
  }
  removeStale(weightsPath);
  removeLeftTemporaries(folderOf(path)); // removes the files of killed compilations
  return Done();
}

} // namespace drumlin
