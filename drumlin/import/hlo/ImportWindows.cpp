#include "drumlin/import/hlo/ImportWindows.h"

#include "llvm/ADT/StringExtras.h"

#include <algorithm>
#include <numeric>

using namespace mlir;

namespace drumlin::hlo {

DenseIntElementsAttr Window::padding(OpBuilder &builder) const {
  SmallVector<int64_t> rows;
  for (size_t i = 0; i < low.size(); ++i) {
    rows.append({low[i], high[i]});
  }
  auto type = RankedTensorType::get({static_cast<int64_t>(low.size()), 2}, builder.getI64Type());
  return DenseIntElementsAttr::get(type, rows);
}

// Reads one item of a window, such as `pad`: `width` numbers for each dimension.
static std::vector<std::vector<int64_t>> readPart(Emitter &emitter, const Value &window,
                                                  llvm::StringRef part, size_t rank, size_t width,
                                                  int64_t otherwise) {
  std::vector<std::vector<int64_t>> defaults(rank, std::vector<int64_t>(width, otherwise));
  const Value *value = window.find(part.str());
  if (!value) {
    return defaults;
  }
  auto list = parseCrossList(value->text.view());
  if (!list || list->size() != rank ||
      llvm::any_of(*list, [&](const auto &numbers) { return numbers.size() != width; })) {
    emitter.failAttribute("window", "`" + part.str() + "` with " + std::to_string(width) +
                                        " numbers for each of " + std::to_string(rank) +
                                        " dimensions");
    return defaults;
  }
  return *list;
}

Window readWindow(Emitter &emitter, size_t rank) {
  static const Value none = Value::list('{', {});
  const Value *value = emitter.attribute("window");
  const Value &text = value ? *value : none;
  for (const Value &item : text.items) {
    bool isKnown =
        item.kind == Value::Kind::Entry &&
        llvm::is_contained({"size", "stride", "pad", "lhs_dilate", "rhs_dilate", "rhs_reversal"},
                           item.items[0].text);
    if (!isKnown) {
      emitter.failAttribute("window", "sizes, strides, padding, dilations and reversal");
    }
  }
  auto part = [&](llvm::StringRef name, int64_t otherwise) {
    SmallVector<int64_t> numbers;
    for (const auto &row : readPart(emitter, text, name, rank, 1, otherwise)) {
      numbers.push_back(row[0]);
    }
    return numbers;
  };
  Window window;
  window.sizes = part("size", 1);
  window.strides = part("stride", 1);
  window.baseDilations = part("lhs_dilate", 1);
  window.windowDilations = part("rhs_dilate", 1);
  for (int64_t reversed : part("rhs_reversal", 0)) {
    window.reversal.push_back(reversed != 0);
  }
  for (const auto &row : readPart(emitter, text, "pad", rank, 2, 0)) {
    window.low.push_back(row[0]);
    window.high.push_back(row[1]);
  }
  return window;
}

//===-- groups of processes -------------------------------------------------------------------===//

// Maximum number of processes, more than any real system has.
static constexpr int64_t maxProcesses = int64_t(1) << 24;

// Reads groups such as `[2,2]<=[4]T(1,0)`: the numbers from 0 on, reshaped to the shape after the
// arrow, transposed, and reshaped to the shape before the arrow.
static std::optional<std::vector<std::vector<int64_t>>> readIota(const Value &value) {
  if (value.kind != Value::Kind::Sequence || value.items.size() < 3 ||
      value.items[1].text != "<=") {
    return std::nullopt;
  }
  auto rows = value.items[0].integers(), shape = value.items[2].integers();
  if (!rows || rows->size() != 2 || !shape) {
    return std::nullopt;
  }
  std::vector<int64_t> order(shape->size());
  std::iota(order.begin(), order.end(), 0);
  if (value.items.size() == 5 && value.items[3].isWord("T")) {
    auto given = value.items[4].integers();
    if (!given || !std::is_permutation(order.begin(), order.end(), given->begin(), given->end())) {
      return std::nullopt;
    }
    order = *given;
  } else if (value.items.size() != 3) {
    return std::nullopt;
  }
  int64_t count = 1;
  for (int64_t size : *shape) {
    if (size < 1 || size > maxProcesses || (count *= size) > maxProcesses) {
      return std::nullopt;
    }
  }
  if ((*rows)[0] < 1 || (*rows)[1] < 1 || (*rows)[0] > count || (*rows)[1] > count ||
      (*rows)[0] * (*rows)[1] != count) {
    return std::nullopt;
  }
  std::vector<int64_t> strides(shape->size(), 1);
  for (size_t i = shape->size(); i-- > 1;) {
    strides[i - 1] = strides[i] * (*shape)[i];
  }
  std::vector<std::vector<int64_t>> groups((*rows)[0]);
  for (int64_t place = 0; place < count; ++place) {
    int64_t rest = place, number = 0;
    for (size_t i = order.size(); i-- > 0;) {
      auto dimension = static_cast<size_t>(order[i]);
      number += rest % (*shape)[dimension] * strides[dimension];
      rest /= (*shape)[dimension];
    }
    groups[static_cast<size_t>(place / (*rows)[1])].push_back(number);
  }
  return groups;
}

namespace {
// A part of a mesh's axis: `size` positions whose process numbers differ by `stride`. `before`: the
// product of the sizes of the axis's preceding parts.
struct AxisPart {
  size_t axis = 0;
  int64_t before = 1, size = 1, stride = 1;
};
} // namespace

// Reads an axis or a part of an axis. `'a'` is the entire axis `a`. `'a':(1)2` is the part of `a`
// that has size 2 and whose preceding parts have sizes with the product 1.
static std::optional<AxisPart> readAxisPart(const Value &value, const List<Value> &axes,
                                            llvm::ArrayRef<int64_t> strides) {
  bool isPart = value.kind == Value::Kind::Entry && value.items.size() == 2;
  std::string_view name = isPart ? value.items[0].text : value.text;
  for (size_t axis = 0; axis < axes.size(); ++axis) {
    if (std::string_view(axes[axis].items[0].text) != name) {
      continue;
    }
    int64_t whole = *axes[axis].items[1].integer();
    AxisPart part = {axis, 1, whole, strides[axis]};
    if (isPart) {
      const List<Value> &items = value.items[1].items;
      auto before = items.size() == 2 ? items[0].integers() : std::nullopt;
      auto size = items.size() == 2 ? items[1].integer() : std::nullopt;
      if (!before || before->size() != 1 || !size || before->front() < 1 || *size < 1 ||
          whole % before->front() != 0 || whole / before->front() % *size != 0) {
        return std::nullopt;
      }
      part.before = before->front();
      part.size = *size;
      part.stride *= whole / part.before / part.size;
    }
    return part;
  }
  return std::nullopt;
}

// Reads groups such as `mesh['a'=2,'b'=4] {'b','a':(1)2}`. Processes are numbered by their
// positions along the mesh's axes, the last axis fastest. The processes of a group differ only in
// their positions along the axes in braces, the last axis fastest.
static std::optional<std::vector<std::vector<int64_t>>> readMesh(const Value &value) {
  if (value.kind != Value::Kind::Sequence || value.items.size() != 3 ||
      !value.items[0].isWord("mesh") || value.items[1].kind != Value::Kind::List ||
      value.items[2].kind != Value::Kind::List) {
    return std::nullopt;
  }
  const List<Value> &axes = value.items[1].items;
  int64_t count = 1;
  for (const Value &axis : axes) {
    auto size = axis.kind == Value::Kind::Entry ? axis.items[1].integer() : std::nullopt;
    if (!size || *size < 1 || *size > maxProcesses || (count *= *size) > maxProcesses) {
      return std::nullopt;
    }
  }
  SmallVector<int64_t> strides(axes.size());
  for (int64_t axis = static_cast<int64_t>(axes.size()) - 1, stride = 1; axis >= 0; --axis) {
    strides[static_cast<size_t>(axis)] = stride;
    stride *= *axes[static_cast<size_t>(axis)].items[1].integer();
  }
  SmallVector<AxisPart> chosen, parts;
  for (const Value &each : value.items[2].items) {
    std::optional<AxisPart> part = readAxisPart(each, axes, strides);
    if (!part) {
      return std::nullopt;
    }
    chosen.push_back(*part);
  }
  // Finds the remaining parts of each axis. All processes of a group have the same position along
  // these parts.
  for (size_t axis = 0; axis < axes.size(); ++axis) {
    SmallVector<AxisPart> ofAxis;
    llvm::copy_if(chosen, std::back_inserter(ofAxis),
                  [&](const AxisPart &part) { return part.axis == axis; });
    llvm::sort(ofAxis, [](const AxisPart &a, const AxisPart &b) { return a.before < b.before; });
    int64_t whole = *axes[axis].items[1].integer(), done = 1;
    ofAxis.push_back({axis, whole, 1, 1});
    for (const AxisPart &part : ofAxis) {
      if (part.before % done != 0) {
        return std::nullopt; // parts that overlap
      }
      parts.push_back({axis, done, part.before / done, strides[axis] * (whole / part.before)});
      done = part.before * part.size;
    }
  }
  size_t apart = parts.size();
  llvm::append_range(parts, chosen);
  int64_t perGroup = 1;
  for (const AxisPart &part : llvm::ArrayRef(parts).drop_front(apart)) {
    perGroup *= part.size;
  }
  std::vector<std::vector<int64_t>> groups(static_cast<size_t>(count / perGroup));
  for (int64_t place = 0; place < count; ++place) {
    int64_t rest = place, number = 0;
    for (const AxisPart &part : llvm::reverse(parts)) {
      number += rest % part.size * part.stride;
      rest /= part.size;
    }
    groups[static_cast<size_t>(place / perGroup)].push_back(number);
  }
  return groups;
}

using Rows = std::vector<std::vector<int64_t>>;

// Reads a list of lists of numbers; empty if the attribute is missing. Reports any other value.
static Rows readRows(Emitter &emitter, llvm::StringRef attribute) {
  Rows rows;
  const Value *value = emitter.attribute(attribute);
  bool isList = value && value->kind == Value::Kind::List;
  for (const Value &item : isList ? value->items : List<Value>()) {
    if (auto row = item.integers()) {
      rows.push_back(*row);
    } else {
      emitter.failAttribute(attribute, "lists of process numbers");
    }
  }
  if (value && !isList) {
    if (auto iota = readIota(*value)) {
      return *iota;
    }
    if (auto mesh = readMesh(*value)) {
      return *mesh;
    }
    emitter.failAttribute(attribute, "groups of processes");
  }
  return rows;
}

static DenseIntElementsAttr rowsAttribute(Emitter &emitter, Rows rows, size_t width) {
  SmallVector<int64_t> elements;
  for (auto &row : rows) {
    row.resize(width, -1);
    llvm::append_range(elements, row);
  }
  auto type = RankedTensorType::get(
      {static_cast<int64_t>(rows.size()), static_cast<int64_t>(width)}, emitter.ops().getI64Type());
  return DenseIntElementsAttr::get(type, elements);
}

DenseIntElementsAttr readGroups(Emitter &emitter, OfAll ofAll) {
  Rows groups = readRows(emitter, "replica_groups");
  bool isCounted = emitter.hasHeader("replica_count") || emitter.hasHeader("num_partitions");
  if (groups.empty() && ofAll == OfAll::Empty && !isCounted) {
    return rowsAttribute(emitter, {}, 0);
  }
  if (groups.empty()) {
    bool isGlobal = emitter.boolean("use_global_device_ids");
    int64_t replicas = std::clamp<int64_t>(emitter.headerInteger("replica_count", 1), 1, 4096);
    int64_t partitions = std::clamp<int64_t>(emitter.headerInteger("num_partitions", 1), 1, 4096);
    groups.emplace_back(static_cast<size_t>(isGlobal ? replicas * partitions : replicas));
    std::iota(groups.front().begin(), groups.front().end(), 0);
  }
  size_t width = 0;
  for (const auto &group : groups) {
    width = std::max(width, group.size());
  }
  return rowsAttribute(emitter, std::move(groups), width);
}

DenseIntElementsAttr readPairs(Emitter &emitter) {
  Rows pairs = readRows(emitter, "source_target_pairs");
  if (llvm::any_of(pairs, [](const auto &pair) { return pair.size() != 2; })) {
    emitter.failAttribute("source_target_pairs", "pairs of a source and a target");
  }
  return rowsAttribute(emitter, std::move(pairs), 2);
}

} // namespace drumlin::hlo
