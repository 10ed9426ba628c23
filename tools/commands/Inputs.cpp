// Makes a program's arguments from specifications and files.
#include "commands/Commands.h"

#include "drumlin/support/ArrayFiles.h"
#include "drumlin/support/FloatFormats.h"
#include "drumlin/support/diagnostics/FileErrors.h"
#include "drumlin/support/diagnostics/LimitErrors.h"
#include "drumlin/support/diagnostics/OptionErrors.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>

namespace drumlin::cli {

static void put(Tensor &tensor, int64_t index, double value) {
  encodeRun(tensor.type(), &value, tensor.data() + index * storageBytes(tensor.type()), 1);
}

// Allocates an argument. This may fail, since the program determines the size, which may be huge.
static Result<Tensor> allocated(const ValueDescription &value) {
  std::optional<Tensor> tensor = Tensor::allocate(value.type, value.shape);
  if (!tensor) {
    return diagnose(errors::OutOfMemory, "no memory for the argument `" + value.name + "`, a `" +
                                             value.typeText() + "`");
  }
  return std::move(*tensor);
}

// Fills a tensor with random elements: normally distributed numbers for floating-point types, and
// uniform random bits for other types. The generator gives the same numbers on every machine.
static void fillRandomly(Tensor &tensor, uint64_t seed) {
  std::mt19937_64 generator(seed);
  auto uniform = [&] { return (static_cast<double>(generator() >> 11) + 0.5) * 0x1p-53; };
  for (int64_t i = 0; i < tensor.elements(); ++i) {
    if (isFloat(tensor.type())) {
      // Box-Muller method: makes a standard normal number from two uniform numbers.
      double radius = std::sqrt(-2 * std::log(uniform()));
      put(tensor, i, radius * std::cos(2 * M_PI * uniform()));
    } else {
      uint64_t bits = generator();
      unsigned size = storageBytes(tensor.type());
      std::memcpy(tensor.data() + i * size, &bits, size);
      if (info(tensor.type()).bits < 8) {
        put(tensor, i, static_cast<double>(bits & ((1u << info(tensor.type()).bits) - 1)));
      }
    }
  }
}

static void fillLinearly(Tensor &tensor, double first, double last) {
  int64_t count = tensor.elements();
  for (int64_t i = 0; i < count; ++i) {
    double at = count > 1 ? static_cast<double>(i) / static_cast<double>(count - 1) : 0;
    put(tensor, i, first + (last - first) * at);
  }
}

static bool isOpen(int64_t size) { return size < 0; }

// Returns whether the shape of a file's array fits an argument. Sizes of the argument that are
// known only at run time fit any size.
static bool fits(const Shape &shape, const ValueDescription &value) {
  if (shape.size() != value.shape.size()) {
    return false;
  }
  for (size_t d = 0; d < shape.size(); ++d) {
    bool isAny = isOpen(value.shape[d]) || (!value.sizes.empty() && !value.sizes[d].constant());
    if (!isAny && shape[d] != value.shape[d]) {
      return false;
    }
  }
  return true;
}

static Result<bool> checkHeader(const ArrayHeader &header, const ValueDescription &value,
                                const std::string &location) {
  if (Status typed = checkReinterpret(header.type, value.type); !typed) {
    return diagnose(typed.error().code, typed.error().message, location, typed.error().remedy);
  }
  if (!fits(header.shape, value)) {
    return diagnose(errors::ArrayTypeMismatch,
                    "the array's shape differs from the argument's, which is `" + value.typeText() +
                        "`",
                    location);
  }
  return true;
}

static Result<Tensor> checked(Tensor tensor, const ValueDescription &value,
                              const std::string &location) {
  Result<bool> fitting = checkHeader({{}, tensor.type(), tensor.shape()}, value, location);
  if (!fitting) {
    return fitting.error();
  }
  return reinterpret(std::move(tensor), value.type);
}

static bool endsWith(const std::string &text, std::string_view ending) {
  return text.size() >= ending.size() &&
         text.compare(text.size() - ending.size(), ending.size(), ending) == 0;
}

static Result<Tensor> makeInput(const std::string &specification, const ValueDescription &value,
                                const std::string &location) {
  auto usage = [&](const std::string &message) {
    return diagnose(errors::InputSpecification, message, location);
  };
  bool isFile = endsWith(specification, ".npy");
  if (!isFile && std::any_of(value.shape.begin(), value.shape.end(), isOpen)) {
    return usage("`" + specification + "` gives no sizes for an argument with dynamic sizes");
  }
  if (specification == "zeros") {
    return allocated(value);
  }
  if (specification.rfind("random:", 0) == 0) {
    char *end = nullptr;
    uint64_t seed = std::strtoull(specification.c_str() + 7, &end, 10);
    if (*end != 0 || end == specification.c_str() + 7) {
      return usage("`" + specification +
                   "` has no seed, expected `random:SEED` with a whole number");
    }
    Result<Tensor> tensor = allocated(value);
    if (tensor) {
      fillRandomly(*tensor, seed);
    }
    return tensor;
  }
  if (specification.rfind("linspace:", 0) == 0) {
    char *middle = nullptr;
    double first = std::strtod(specification.c_str() + 9, &middle);
    char *end = nullptr;
    double last = *middle == ',' ? std::strtod(middle + 1, &end) : 0;
    if (!end || *end != 0) {
      return usage("`" + specification + "` lacks two end points, expected `linspace:FIRST,LAST`");
    }
    Result<Tensor> tensor = allocated(value);
    if (tensor) {
      fillLinearly(*tensor, first, last);
    }
    return tensor;
  }
  if (isFile) {
    Result<Tensor> read = readNpy(specification, [&](const ArrayHeader &header) {
      return checkHeader(header, value, specification);
    });
    if (!read) {
      return read.error();
    }
    return checked(std::move(*read), value, specification);
  }
  return usage("`" + specification + "` isn't a kind of input");
}

static bool isOneFile(const std::vector<std::string> &specifications) {
  return specifications.size() == 1 &&
         (endsWith(specifications[0], ".npz") || endsWith(specifications[0], ".safetensors"));
}

Result<std::vector<Tensor>> makeInputs(const std::vector<std::string> &specifications,
                                       const std::vector<ValueDescription> &arguments) {
  std::vector<Tensor> inputs;
  if (isOneFile(specifications)) {
    const std::string &path = specifications[0];
    // Arrays that no argument uses aren't read.
    Result<std::vector<NamedTensor>> arrays =
        readArrays(path, [&](const ArrayHeader &header) -> Result<bool> {
          for (size_t i = 0; i < arguments.size(); ++i) {
            if (header.name == "in" + std::to_string(i)) {
              return checkHeader(header, arguments[i], path + ":" + header.name);
            }
          }
          return false;
        });
    if (!arrays) {
      return arrays.error();
    }
    for (size_t i = 0; i < arguments.size(); ++i) {
      std::string name = "in" + std::to_string(i);
      auto found = std::find_if(arrays->begin(), arrays->end(),
                                [&](const NamedTensor &array) { return array.name == name; });
      if (found == arrays->end()) {
        return diagnose(errors::ArrayTypeMismatch,
                        "has no array `" + name + "`, and the program takes " +
                            std::to_string(arguments.size()) + " arguments",
                        path);
      }
      Result<Tensor> tensor = checked(found->tensor, arguments[i], path + ":" + name);
      if (!tensor) {
        return tensor.error();
      }
      inputs.push_back(std::move(*tensor));
    }
    return inputs;
  }
  if (specifications.size() != arguments.size() && specifications.size() != 1) {
    return diagnose(errors::InputSpecification,
                    "the program takes " + std::to_string(arguments.size()) + " arguments, but " +
                        std::to_string(specifications.size()) + " are given",
                    "--input");
  }
  for (size_t i = 0; i < arguments.size(); ++i) {
    const std::string &specification = specifications[specifications.size() == 1 ? 0 : i];
    Result<Tensor> tensor = makeInput(specification, arguments[i], "--input " + std::to_string(i));
    if (!tensor) {
      return tensor.error();
    }
    inputs.push_back(std::move(*tensor));
  }
  return inputs;
}

// The input of arguments without a specification.
static constexpr const char *otherInput = "random:1";

Result<std::vector<Tensor>> makeInputs(const std::vector<std::string> &specifications,
                                       const std::vector<ValueDescription> &arguments,
                                       const std::vector<std::optional<unsigned>> &numbers) {
  std::vector<NamedTensor> arrays;
  if (isOneFile(specifications)) {
    Result<std::vector<NamedTensor>> read = readArrays(specifications[0]);
    if (!read) {
      return read.error();
    }
    arrays = std::move(*read);
  }
  auto makeOne = [&](const std::optional<unsigned> &number,
                     const ValueDescription &argument) -> Result<Tensor> {
    if (isOneFile(specifications)) {
      std::string name = number ? "in" + std::to_string(*number) : "";
      auto found = std::find_if(arrays.begin(), arrays.end(),
                                [&](const NamedTensor &each) { return each.name == name; });
      return found == arrays.end() ? makeInput(otherInput, argument, "--input")
                                   : checked(found->tensor, argument, name);
    }
    size_t place = specifications.size() == 1 ? 0 : number.value_or(specifications.size());
    return makeInput(place < specifications.size() ? specifications[place] : otherInput, argument,
                     "--input");
  };
  std::vector<Tensor> inputs;
  for (size_t i = 0; i < arguments.size(); ++i) {
    Result<Tensor> tensor = makeOne(i < numbers.size() ? numbers[i] : std::nullopt, arguments[i]);
    if (!tensor && tensor.error().code == errors::ArrayTypeMismatch) {
      tensor = makeInput(otherInput, arguments[i], "--input");
    }
    if (!tensor) {
      return tensor.error();
    }
    inputs.push_back(std::move(*tensor));
  }
  return inputs;
}

} // namespace drumlin::cli
