#include "drumlin/hlo/proto/ProtoShapes.h"

#include "drumlin/hlo/ValueParser.h"
#include "drumlin/hlo/proto/Places.h"

#include <algorithm>
#include <limits>

namespace drumlin::hlo {

// An exclusive upper bound of the numbers of element types.
static constexpr int maxTypes = 64;

std::string_view elementName(int type) {
  // The list is indexed by the types' numbers.
  static const std::vector<std::string> names = [] {
    std::vector<std::string> names;
    for (int number = 0; number < maxTypes; ++number) {
      std::string name(proto::PrimitiveType_Name(number));
      std::transform(name.begin(), name.end(), name.begin(),
                     [](char c) { return c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c; });
      names.push_back(number == proto::OPAQUE_TYPE ? "opaque" : name);
    }
    return names;
  }();
  return type >= 0 && type < static_cast<int>(names.size()) ? std::string_view(names[type])
                                                            : std::string_view();
}

// The tile size with which XLA states that a tile combines the dimension with the next.
static constexpr int64_t joinedDimension = std::numeric_limits<int64_t>::min();

static Value tileList(const proto::TileProto &tile) {
  List<Value> items;
  for (int64_t size : tile.dimensions()) {
    items.push_back(size == joinedDimension ? Value::word("*") : Value::number(size));
  }
  return Value::list('(', std::move(items));
}

static Value splitList(const proto::SplitConfigProto &split) {
  // `(0:1,2)`: the first item is a range.
  Value range;
  range.kind = Value::Kind::Range;
  range.items.push_back(Value::number(split.dimension()));
  List<Value> items;
  for (int64_t index : split.split_indices()) {
    if (range.items.size() == 1) {
      range.items.push_back(Value::number(index));
    } else {
      items.push_back(Value::number(index));
    }
  }
  items.insert(items.begin(), std::move(range));
  return Value::list('(', std::move(items));
}

// Takes the next item of a list. Returns `otherwise` at the end, since the list may have fewer
// items than the shape has dimensions.
static bool takeBool(proto::Numbers<bool>::Iterator &at, const proto::Numbers<bool>::Iterator &end,
                     bool otherwise) {
  if (at == end) {
    return otherwise;
  }
  bool value = *at;
  ++at;
  return value;
}

static Value levelList(const proto::LayoutProto &layout) {
  static constexpr std::string_view letters[] = {"D", "C", "S", "H"};
  auto isUnique = layout.dim_unique(), isOrdered = layout.dim_ordered();
  auto unique = isUnique.begin(), ordered = isOrdered.begin();
  List<Value> items;
  for (int number : layout.dim_level_types()) {
    size_t level = static_cast<size_t>(number);
    std::string word(level < std::size(letters) ? letters[level] : "?");
    word += takeBool(unique, isUnique.end(), true) ? "" : "+";
    word += takeBool(ordered, isOrdered.end(), true) ? "" : "~";
    items.push_back(Value::word(word));
  }
  return Value::list('(', std::move(items));
}

static Value one(Value value) {
  List<Value> items;
  items.push_back(std::move(value));
  return Value::list('(', std::move(items));
}

static List<LayoutSuffix> readSuffixes(const proto::LayoutProto &layout) {
  List<LayoutSuffix> suffixes;
  auto add = [&](std::string_view name, Value argument) {
    LayoutSuffix &suffix = suffixes.emplace_back();
    suffix.name = name;
    suffix.arguments.push_back(std::move(argument));
  };
  auto levels = layout.dim_level_types();
  bool isSparse = std::any_of(levels.begin(), levels.end(),
                              [](int level) { return level != proto::DIM_DENSE; });
  if (isSparse) {
    add("D", levelList(layout));
  }
  if (layout.tiles_size() != 0) {
    LayoutSuffix &tiles = suffixes.emplace_back();
    tiles.name = "T";
    for (proto::TileProto tile : layout.tiles()) {
      tiles.arguments.push_back(tileList(tile));
    }
  }
  if (layout.tail_padding_alignment_in_elements() > 1) {
    add("L", one(Value::number(layout.tail_padding_alignment_in_elements())));
  }
  if (layout.index_primitive_type() != proto::PRIMITIVE_TYPE_INVALID) {
    add("#", one(Value::word(elementName(layout.index_primitive_type()))));
  }
  if (layout.pointer_primitive_type() != proto::PRIMITIVE_TYPE_INVALID) {
    add("*", one(Value::word(elementName(layout.pointer_primitive_type()))));
  }
  if (layout.element_size_in_bits() != 0) {
    add("E", one(Value::number(layout.element_size_in_bits())));
  }
  if (layout.memory_space() != 0) {
    add("S", one(Value::number(layout.memory_space())));
  }
  if (layout.split_configs_size() != 0) {
    LayoutSuffix &splits = suffixes.emplace_back();
    splits.name = "SC";
    for (proto::SplitConfigProto split : layout.split_configs()) {
      splits.arguments.push_back(splitList(split));
    }
  }
  if (layout.has_physical_shape()) {
    add("P", one(Value::shapeOf(readShape(layout.physical_shape()))));
  }
  if (layout.dynamic_shape_metadata_prefix_bytes() != 0) {
    add("M", one(Value::number(layout.dynamic_shape_metadata_prefix_bytes())));
  }
  return suffixes;
}

// Converts a field's numbers with `make`, and appends the results to a list.
template <typename T, typename Make>
static void append(const proto::WireField &field, Arena *arena, List<T> &to, Make make) {
  if (to.empty() && arena) {
    // Counts the varints: only the last byte of each has a high bit of 0.
    to.reserve(static_cast<size_t>(std::count_if(field.data, field.data + field.size,
                                                 [](char byte) { return byte >= 0; })),
               *arena);
  }
  eachNumber<int64_t>(field, [&](int64_t number) { to.emplace_back(make(number)); });
}

static void readLayout(const proto::LayoutProto &message, Arena *arena, Layout &layout) {
  using Message = proto::LayoutProto;
  bool isPlain = true; // the layout is only a dimension order, the usual case
  proto::WireField field{};
  for (proto::Cursor fields = message.cursor(); fields.take(field);) {
    if (field.tag == Message::minor_to_major_tag ||
        field.tag == Message::minor_to_major_single_tag) {
      append(field, arena, layout.minorToMajor, [](int64_t dimension) { return dimension; });
    } else {
      isPlain &= field.tag == Message::tail_padding_alignment_in_elements_tag && *field.data == 1;
    }
  }
  if (!isPlain) {
    layout.suffixes = readSuffixes(message);
  }
}

static void readElements(const proto::ShapeProto &message, Arena *arena, Shape &shape) {
  if (arena) {
    shape.elements.reserve(message.tuple_shapes_size(), *arena);
  }
  for (proto::ShapeProto element : message.tuple_shapes()) {
    readShape(element, arena, shape.elements.emplace_back());
  }
  shape.indexComments = shape.elements.size() > 5;
}

Shape readShape(const proto::ShapeProto &message, Arena *arena) {
  Shape shape;
  readShape(message, arena, shape);
  return shape;
}

void readShape(const proto::ShapeProto &message, Arena *arena, Shape &shape) {
  using Message = proto::ShapeProto;
  int type = 0;
  std::optional<proto::LayoutProto> layout;
  bool isDynamic = false;
  proto::WireField field{};
  for (proto::Cursor fields = message.cursor(); fields.take(field);) {
    switch (field.tag) {
    case Message::element_type_tag:
      type = proto::takeNumber<int>(field.data);
      break;
    case Message::dimensions_tag:
    case Message::dimensions_single_tag:
      append(field, arena, shape.dimensions,
             [](int64_t size) { return Dimension{std::max<int64_t>(size, -1), false}; });
      break;
    case Message::layout_tag:
      layout = proto::LayoutProto(field.bytes());
      break;
    case Message::is_dynamic_dimension_tag:
    case Message::is_dynamic_dimension_single_tag:
      eachNumber<bool>(field, [&](bool is) { isDynamic |= is; });
      break;
    default:
      break;
    }
  }
  if (type == proto::TUPLE || type == proto::BUFFER) {
    shape.kind = type == proto::TUPLE ? Shape::Kind::Tuple : Shape::Kind::Buffer;
    shape.dimensions.clear();
    readElements(message, arena, shape);
    return;
  }
  shape.element = elementName(type);
  if (isDynamic) {
    auto dimension = shape.dimensions.begin();
    for (bool is : message.is_dynamic_dimension()) {
      if (dimension != shape.dimensions.end()) {
        (dimension++)->dynamic = is;
      }
    }
  }
  if (layout) {
    readLayout(*layout, arena, shape.layout.emplace());
    // XLA prints scalars without `{}`.
    if (shape.dimensions.empty() && shape.layout->suffixes.empty()) {
      shape.layout.reset();
    }
  }
}

namespace {
struct TypeRow {
  std::string_view name;
  proto::PrimitiveType type;
};
} // namespace

static proto::PrimitiveType primitiveType(std::string_view name) {
  static const std::vector<TypeRow> rows = [] {
    std::vector<TypeRow> rows;
    for (int type = 0; type < maxTypes; ++type) {
      if (!elementName(type).empty()) {
        rows.push_back({elementName(type), static_cast<proto::PrimitiveType>(type)});
      }
    }
    return rows;
  }();
  static const WordTable<TypeRow> table(rows, &TypeRow::name);
  const TypeRow *row = table.find(name);
  return row ? row->type : proto::PRIMITIVE_TYPE_INVALID;
}

static void writeSuffix(const LayoutSuffix &suffix, proto::builder::LayoutProto &layout) {
  int64_t first = 0;
  if (suffix.arguments.size() == 1 && suffix.arguments[0].items.size() == 1) {
    first = suffix.arguments[0].items[0].integer().value_or(0);
  }
  if (suffix.name == "T") {
    for (const Value &argument : suffix.arguments) {
      proto::builder::TileProto &tile = *layout.add_tiles();
      for (const Value &size : argument.items) {
        tile.add_dimensions(size.integer().value_or(joinedDimension));
      }
    }
  } else if (suffix.name == "E") {
    layout.set_element_size_in_bits(first);
  } else if (suffix.name == "S") {
    layout.set_memory_space(first);
  } else if (suffix.name == "L") {
    layout.set_tail_padding_alignment_in_elements(first);
  } else if (suffix.name == "M") {
    layout.set_dynamic_shape_metadata_prefix_bytes(first);
  } else if (suffix.name == "#" || suffix.name == "*") {
    proto::PrimitiveType type = primitiveType(suffix.arguments[0].items[0].text);
    suffix.name == "#" ? layout.set_index_primitive_type(type)
                       : layout.set_pointer_primitive_type(type);
  } else if (suffix.name == "SC") {
    for (const Value &argument : suffix.arguments) {
      proto::builder::SplitConfigProto &split = *layout.add_split_configs();
      for (const Value &item : argument.items) {
        for (size_t i = 0; i < std::max<size_t>(item.items.size(), 1); ++i) {
          const Value &number = item.items.empty() ? item : item.items[i];
          bool isDimension = &item == &argument.items[0] && i == 0;
          isDimension ? split.set_dimension(number.integer().value_or(0))
                      : split.add_split_indices(number.integer().value_or(0));
        }
      }
    }
  } else if (suffix.name == "P" && suffix.arguments[0].items.size() == 1) {
    if (std::optional<Shape> shape = shapeOf(suffix.arguments[0].items[0])) {
      writeShape(*shape, *layout.mutable_physical_shape());
    }
  }
}

void writeShape(const Shape &shape, proto::builder::ShapeProto &message) {
  if (shape.kind == Shape::Kind::Tuple || shape.kind == Shape::Kind::Buffer) {
    message.set_element_type(shape.kind == Shape::Kind::Tuple ? proto::TUPLE : proto::BUFFER);
    for (const Shape &element : shape.elements) {
      writeShape(element, *message.add_tuple_shapes());
    }
    return;
  }
  message.set_element_type(primitiveType(shape.element));
  for (const Dimension &dimension : shape.dimensions) {
    message.add_dimensions(dimension.size < 0 ? std::numeric_limits<int64_t>::min()
                                              : dimension.size);
    message.add_is_dynamic_dimension(dimension.dynamic);
  }
  if (message.element_type() == proto::TOKEN || message.element_type() == proto::OPAQUE_TYPE) {
    return;
  }
  proto::builder::LayoutProto &layout = *message.mutable_layout();
  layout.set_tail_padding_alignment_in_elements(1);
  if (shape.layout) {
    for (int64_t dimension : shape.layout->minorToMajor) {
      layout.add_minor_to_major(dimension);
    }
    for (const LayoutSuffix &suffix : shape.layout->suffixes) {
      writeSuffix(suffix, layout);
    }
  } else {
    for (size_t i = shape.dimensions.size(); i > 0; --i) {
      layout.add_minor_to_major(static_cast<int64_t>(i) - 1);
    }
  }
}

std::optional<Shape> shapeOf(const Value &value) {
  if (value.shape()) {
    return *value.shape();
  }
  std::string text = value.str();
  Lexer lexer(text, {});
  NameResolver names(lexer);
  ValueParser parser(lexer, names, 200, [] { return nullptr; });
  Shape shape;
  return parser.parseShape(shape) && lexer.atEnd() ? std::optional(std::move(shape)) : std::nullopt;
}

} // namespace drumlin::hlo
