// Generates random programs of reshapes, transposes and dots.
#pragma once

#include "drumlin/driver/test/ProgramText.h"
#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <numeric>
#include <random>
#include <string>
#include <vector>

namespace drumlin {

// A random program of reshapes, transposes and dots on tensors of rank up to 6.
class ReshapeTraversal {
public:
  explicit ReshapeTraversal(uint64_t seed) : random(seed) {}

  std::string program(int steps) {
    values.push_back(argument(randomShape(64 + below(400))));
    values.push_back(argument(randomShape(64 + below(400))));
    for (int step = 0; step < steps; ++step) {
      Value from = values[below(static_cast<int64_t>(values.size()))];
      switch (below(5)) {
      case 0:
      case 1:
        reshape(from);
        break;
      case 2:
      case 3:
        transpose(from);
        break;
      default:
        dot(from);
        break;
      }
    }
    // The last value and an intermediate one are results.
    return mainFunction(arguments, body,
                        std::vector<Value>{values.back(), values[values.size() / 2]});
  }

private:
  using Shape = std::vector<int64_t>;
  struct Value {
    std::string name;
    Shape shape;
    std::string type() const {
      std::string text = "tensor<";
      for (int64_t size : shape) {
        text += std::to_string(size) + "x";
      }
      return text + "f32>";
    }
    int64_t elements() const {
      return std::accumulate(shape.begin(), shape.end(), int64_t(1), std::multiplies<>());
    }
  };
  static constexpr size_t highestRank = 6;
  static constexpr int64_t maxElements = 4096;

  int64_t below(int64_t bound) {
    return static_cast<int64_t>(random() % static_cast<uint64_t>(bound));
  }

  // Returns a random shape with this number of elements or slightly fewer.
  Shape randomShape(int64_t elements) {
    Shape shape;
    size_t rank = 1 + static_cast<size_t>(below(4));
    for (size_t d = 0; d < rank; ++d) {
      int64_t size = std::min<int64_t>(1 + below(8), std::max<int64_t>(elements, 1));
      shape.push_back(size);
      elements /= size;
    }
    return shape;
  }

  Value argument(Shape shape) {
    Value value{"%arg" + std::to_string(argumentCount++), std::move(shape)};
    arguments += (arguments.empty() ? "" : ", ") + value.name + ": " + value.type();
    return value;
  }

  void line(const std::string &text, Shape shape) {
    Value value{"%v" + std::to_string(values.size()), std::move(shape)};
    body += "  " + value.name + " = " + text + " -> " + value.type() + "\n";
    values.push_back(std::move(value));
  }

  // Adds a reshape to random dimensions; most of these don't result from splitting or merging the
  // old dimensions.
  void reshape(const Value &from) {
    Shape primes;
    for (int64_t size : from.shape) {
      for (int64_t p = 2; p <= size; ++p) {
        for (; size % p == 0; size /= p) {
          primes.push_back(p);
        }
      }
    }
    std::shuffle(primes.begin(), primes.end(), random);
    Shape shape(1 + static_cast<size_t>(below(highestRank)), 1);
    for (int64_t prime : primes) {
      shape[static_cast<size_t>(below(static_cast<int64_t>(shape.size())))] *= prime;
    }
    line("stablehlo.reshape " + from.name + " : (" + from.type() + ")", shape);
  }

  static std::string list(const Shape &numbers) {
    std::string text;
    for (int64_t number : numbers) {
      text += (text.empty() ? "" : ", ") + std::to_string(number);
    }
    return "[" + text + "]";
  }

  void transpose(const Value &from) {
    Shape order(from.shape.size());
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), random);
    Shape shape;
    for (int64_t dimension : order) {
      shape.push_back(from.shape[static_cast<size_t>(dimension)]);
    }
    line("stablehlo.transpose " + from.name + ", dims = " + list(order) + " : (" + from.type() +
             ")",
         shape);
  }

  // Adds a dot. Each dimension of the left operand becomes a batch, contracting or free dimension.
  // The right operand is a new argument with matching dimensions, in any order.
  void dot(const Value &lhs) {
    enum Role { Batch, Contracted, Free };
    Shape lhsBatch, lhsContracted, result, free;
    std::vector<std::pair<int64_t, Role>> right; // sizes
    for (size_t d = 0; d < lhs.shape.size(); ++d) {
      auto role = static_cast<Role>(below(3));
      if (role == Batch) {
        lhsBatch.push_back(static_cast<int64_t>(d));
        result.push_back(lhs.shape[d]);
      } else if (role == Contracted) {
        lhsContracted.push_back(static_cast<int64_t>(d));
      } else {
        free.push_back(lhs.shape[d]);
      }
      if (role != Free) {
        right.emplace_back(static_cast<int64_t>(d), role);
      }
    }
    result.insert(result.end(), free.begin(), free.end());
    int64_t added = result.size() < highestRank && right.size() < highestRank ? 2 + below(5) : 0;
    if (added) {
      right.emplace_back(-1, Free);
      result.push_back(added);
    }
    int64_t elements =
        std::accumulate(result.begin(), result.end(), int64_t(1), std::multiplies<>());
    if (right.empty() || elements > maxElements) {
      return;
    }
    std::shuffle(right.begin(), right.end(), random);
    Shape shape, rhsBatch(lhsBatch.size()), rhsContracted(lhsContracted.size());
    for (auto [i, entry] : llvm::enumerate(right)) {
      auto [dimension, role] = entry;
      shape.push_back(dimension < 0 ? added : lhs.shape[static_cast<size_t>(dimension)]);
      auto place = [&](const Shape &of, Shape &in) {
        auto at = std::find(of.begin(), of.end(), dimension) - of.begin();
        in[static_cast<size_t>(at)] = static_cast<int64_t>(i);
      };
      if (role == Batch) {
        place(lhsBatch, rhsBatch);
      } else if (role == Contracted) {
        place(lhsContracted, rhsContracted);
      }
    }
    Value rhs = argument(shape);
    line("stablehlo.dot_general " + lhs.name + ", " + rhs.name +
             ", batching_dims = " + list(lhsBatch) + " x " + list(rhsBatch) +
             ", contracting_dims = " + list(lhsContracted) + " x " + list(rhsContracted) + " : (" +
             lhs.type() + ", " + rhs.type() + ")",
         result);
  }

  std::mt19937_64 random;
  std::vector<Value> values;
  std::string arguments, body;
  int argumentCount = 0;
};

} // namespace drumlin
