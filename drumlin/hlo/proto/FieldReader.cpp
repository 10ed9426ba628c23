#include "drumlin/hlo/proto/FieldReader.h"

#include "drumlin/hlo/proto/Places.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>

namespace drumlin::hlo {

std::vector<int64_t> numbersIn(std::string_view text) {
  std::vector<int64_t> numbers;
  for (size_t at = 0; at < text.size();) {
    int64_t number = 0;
    auto [end, error] = std::from_chars(text.data() + at, text.data() + text.size(), number);
    if (error == std::errc()) {
      numbers.push_back(number);
      at = static_cast<size_t>(end - text.data());
    } else {
      ++at;
    }
  }
  return numbers;
}

std::vector<int64_t> numbersIn(const Value &value) {
  std::optional<std::vector<int64_t>> numbers = value.integers();
  return numbers ? std::move(*numbers) : numbersIn(value.str());
}

std::string_view unescaped(const Value &string, std::string &result) {
  std::string_view text = string.text;
  if (text.find('\\') == text.npos) {
    return text;
  }
  result.clear();
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\' || i + 1 == text.size()) {
      result += text[i];
      continue;
    }
    char c = text[++i];
    if (c >= '0' && c <= '7' && i + 2 < text.size()) {
      result += static_cast<char>((c - '0') * 64 + (text[i + 1] - '0') * 8 + (text[i + 2] - '0'));
      i += 2;
    } else {
      result += c == 'n' ? '\n' : c == 't' ? '\t' : c == 'r' ? '\r' : c;
    }
  }
  return result;
}

static std::string upper(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](char c) { return c >= 'a' && c <= 'z' ? char(c - 'a' + 'A') : c; });
  return text;
}

namespace {
using Message = proto::builder::HloInstructionProto;

// An attribute and the message that it is stored in.
struct In {
  const Instruction &instruction;
  const Value &value;
  Message &message;

  std::string text() const { return value.str(); }
  bool isTrue() const { return value.isWord("true"); }
  int64_t number() const { return value.integer().value_or(0); }
  std::vector<int64_t> numbers() const { return numbersIn(value); }
  // Returns the contents of a string, or the text of any other value. The result is valid until the
  // next call.
  std::string_view contents() const {
    scratch = value.kind == Value::Kind::String ? std::string() : text();
    return value.kind == Value::Kind::String ? unescaped(value, scratch)
                                             : std::string_view(scratch);
  }

  mutable std::string scratch = std::string();
};
} // namespace

// Splits a text at each separator.
static std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> pieces;
  while (true) {
    size_t end = text.find(separator);
    pieces.push_back(text.substr(0, end));
    if (end == text.npos) {
      return pieces;
    }
    text.remove_prefix(end + 1);
  }
}

//===-- values --------------------------------------------------------------------------------===//

static bool setWindow(In in) {
  std::string text = in.text();
  proto::builder::Window &window = *in.message.mutable_window();
  for (std::string_view field : split(std::string_view(text).substr(1, text.size() - 2), ' ')) {
    size_t equals = field.find('=');
    if (equals == field.npos) {
      continue;
    }
    std::string_view name = field.substr(0, equals);
    std::vector<std::string_view> sizes = split(field.substr(equals + 1), 'x');
    for (size_t i = 0; i < sizes.size(); ++i) {
      if (window.dimensions_size() <= i) {
        proto::builder::WindowDimension &added = *window.add_dimensions();
        added.set_size(1);
        added.set_stride(1);
        added.set_base_dilation(1);
        added.set_window_dilation(1);
      }
      proto::builder::WindowDimension &to = *window.mutable_dimensions(i);
      std::vector<int64_t> numbers = numbersIn(sizes[i]);
      numbers.resize(2);
      if (name == "size") {
        to.set_size(numbers[0]);
      } else if (name == "stride") {
        to.set_stride(numbers[0]);
      } else if (name == "pad") {
        to.set_padding_low(numbers[0]);
        to.set_padding_high(numbers[1]);
      } else if (name == "lhs_dilate") {
        to.set_base_dilation(numbers[0]);
      } else if (name == "rhs_dilate") {
        to.set_window_dilation(numbers[0]);
      } else if (name == "rhs_reversal") {
        to.set_window_reversal(numbers[0] != 0);
      } else {
        return false;
      }
    }
  }
  return true;
}

namespace {
// Positions in a text of dimension labels such as `b01f`: the positions of the two letters, and
// those of the digits, which denote the spatial dimensions.
struct Labels {
  int64_t first = 0, second = 0;
  std::vector<int64_t> spatial;
};
} // namespace

static Labels readLabels(std::string_view text, char first, char second) {
  Labels labels;
  labels.spatial.resize(text.size() - 2);
  for (size_t i = 0; i < text.size(); ++i) {
    auto place = static_cast<int64_t>(i);
    if (text[i] == first) {
      labels.first = place;
    } else if (text[i] == second) {
      labels.second = place;
    } else if (text[i] >= '0' && static_cast<size_t>(text[i] - '0') < labels.spatial.size()) {
      labels.spatial[static_cast<size_t>(text[i] - '0')] = place;
    }
  }
  return labels;
}

static bool setConvolutionLabels(In in) {
  std::string text = in.text();
  size_t bar = text.find('_'), arrow = text.find("->");
  if (bar == text.npos || arrow == text.npos || bar < 2 || arrow < bar + 3 ||
      arrow + 4 > text.size()) {
    return false;
  }
  proto::builder::ConvolutionDimensionNumbers &to =
      *in.message.mutable_convolution_dimension_numbers();
  std::string_view view = text;
  Labels input = readLabels(view.substr(0, bar), 'b', 'f');
  to.set_input_batch_dimension(input.first);
  to.set_input_feature_dimension(input.second);
  to.add_all_input_spatial_dimensions(input.spatial);
  Labels kernel = readLabels(view.substr(bar + 1, arrow - bar - 1), 'i', 'o');
  to.set_kernel_input_feature_dimension(kernel.first);
  to.set_kernel_output_feature_dimension(kernel.second);
  to.add_all_kernel_spatial_dimensions(kernel.spatial);
  Labels output = readLabels(view.substr(arrow + 2), 'b', 'f');
  to.set_output_batch_dimension(output.first);
  to.set_output_feature_dimension(output.second);
  to.add_all_output_spatial_dimensions(output.spatial);
  return true;
}

static void setReplicaGroups(In in) {
  std::string text = in.text();
  if (text.starts_with("[")) {
    size_t arrow = text.find("<="), permuted = text.find('T');
    proto::builder::IotaReplicaGroupListProto &iota =
        *in.message.mutable_iota_collective_device_list();
    std::vector<int64_t> sizes = numbersIn(std::string_view(text).substr(0, arrow));
    sizes.resize(2);
    iota.set_num_replica_groups(sizes[0]);
    iota.set_num_devices_per_group(sizes[1]);
    arrow = std::min(arrow, text.size());
    std::string_view rest(text);
    for (int64_t size :
         numbersIn(rest.substr(arrow, permuted == rest.npos ? rest.npos : permuted - arrow))) {
      iota.add_iota_reshape_dims(size);
    }
    std::vector<int64_t> order =
        permuted == text.npos ? std::vector<int64_t>() : numbersIn(rest.substr(permuted));
    for (size_t i = 0; i < iota.iota_reshape_dims_size(); ++i) {
      iota.add_iota_transpose_perm(
          static_cast<int32_t>(order.empty() ? static_cast<int64_t>(i) : order[i % order.size()]));
    }
    return;
  }
  proto::builder::CollectiveDeviceListProto &list = *in.message.mutable_collective_device_list();
  for (const Value &group : in.value.items) {
    proto::builder::ReplicaGroup &to = *list.add_replica_groups();
    proto::builder::ReplicaGroup &old = *in.message.add_replica_groups();
    for (int64_t id : numbersIn(group)) {
      to.add_replica_ids(id);
      old.add_replica_ids(id);
    }
  }
}

static bool setPrecision(In in) {
  for (const Value &item : in.value.items) {
    proto::PrecisionConfig::Precision precision = proto::PrecisionConfig::DEFAULT;
    if (!proto::PrecisionConfig::Precision_Parse(upper(item.text.str()), &precision)) {
      return false;
    }
    in.message.mutable_precision_config()->add_operand_precision(precision);
  }
  return true;
}

static void setAliasing(In in) {
  for (const Value &item : in.value.items) {
    if (item.kind != Value::Kind::Entry || item.items[1].items.size() < 2) {
      continue;
    }
    proto::builder::OutputOperandAliasing &to = *in.message.add_output_operand_aliasing();
    for (int64_t index : numbersIn(item.items[0])) {
      to.add_output_shape_index(index);
    }
    to.set_operand_index(item.items[1].items[0].integer().value_or(0));
    for (int64_t index : numbersIn(item.items[1].items[1])) {
      to.add_operand_shape_index(index);
    }
  }
}

static void setAccuracy(In in) {
  proto::builder::ResultAccuracy &to = *in.message.mutable_result_accuracy();
  if (const Value *tolerance = in.value.find("tolerance")) {
    auto part = [&](std::string_view name) {
      const Value *value = tolerance->find(name);
      return value ? std::strtod(value->text.str().c_str(), nullptr) : 0;
    };
    to.mutable_tolerance()->set_atol(part("atol"));
    to.mutable_tolerance()->set_rtol(part("rtol"));
    to.mutable_tolerance()->set_ulps(static_cast<int64_t>(part("ulps")));
  } else if (const Value *mode = in.value.find("mode"); mode && mode->isWord("highest")) {
    to.set_mode(proto::ResultAccuracy::HIGHEST);
  }
}

namespace {
struct MetadataRow {
  std::string_view name;
  void (*set)(const Value &, proto::builder::OpMetadata &);
};
} // namespace

static int64_t integerOf(const Value &value) { return value.integer().value_or(0); }

#define TEXT(name)                                                                                 \
  {#name, [](const Value &value, proto::builder::OpMetadata &to) {                                 \
     std::string scratch;                                                                          \
     to.set_##name(unescaped(value, scratch));                                                     \
   }}
#define NUMBER(name, type)                                                                         \
  {#name, [](const Value &value, proto::builder::OpMetadata &to) {                                 \
     to.set_##name(static_cast<type>(integerOf(value)));                                           \
   }}
static constexpr MetadataRow metadataRows[] = {TEXT(op_type),
                                               TEXT(op_name),
                                               TEXT(source_file),
                                               NUMBER(source_line, int32_t),
                                               NUMBER(source_end_line, int32_t),
                                               NUMBER(source_column, int32_t),
                                               NUMBER(source_end_column, int32_t),
                                               NUMBER(size_of_generated_code_in_bytes, int64_t),
                                               NUMBER(size_of_memory_working_set_in_bytes, int64_t),
                                               TEXT(deduplicated_name),
                                               TEXT(scheduling_name),
                                               NUMBER(stack_frame_id, int32_t)};
#undef TEXT
#undef NUMBER

static void setMetadata(const Value &value, proto::builder::OpMetadata &to) {
  static const WordTable<MetadataRow> table(metadataRows, &MetadataRow::name);
  for (const Value &item : value.items) {
    const MetadataRow *row =
        item.kind == Value::Kind::Entry ? table.find(item.items[0].text) : nullptr;
    if (row) {
      row->set(item.items[1], to);
    }
  }
}

void setFrontendAttributes(const Value &value, proto::builder::FrontendAttributes &attributes) {
  for (const Value &item : value.items) {
    if (item.kind == Value::Kind::Entry) {
      proto::builder::FrontendAttributes::MapEntry &entry = *attributes.add_map();
      entry.set_key(item.items[0].str());
      bool isString = item.items[1].kind == Value::Kind::String;
      entry.set_value(isString ? item.items[1].text : item.items[1].str());
    }
  }
}

//===-- shardings -----------------------------------------------------------------------------===//

static std::optional<proto::OpSharding::Type> shardingType(std::string_view word) {
  static constexpr std::pair<std::string_view, proto::OpSharding::Type> words[] = {
      {"replicated", proto::OpSharding::REPLICATED},
      {"maximal", proto::OpSharding::MAXIMAL},
      {"manual", proto::OpSharding::MANUAL},
      {"unknown", proto::OpSharding::UNKNOWN},
      {"unreduced", proto::OpSharding::UNREDUCED}};
  for (const auto &[name, type] : words) {
    if (name == word) {
      return type;
    }
  }
  return std::nullopt;
}

static void setTiles(std::string_view text, proto::builder::OpSharding &to) {
  size_t close = text.find(']');
  for (int64_t size : numbersIn(text.substr(0, close))) {
    to.add_tile_assignment_dimensions(size);
  }
  std::string_view rest = text.substr(std::min(close, text.size()));
  if (!rest.starts_with("]<=")) {
    for (int64_t device : numbersIn(rest)) {
      to.add_tile_assignment_devices(device);
    }
    return;
  }
  size_t permuted = rest.find('T');
  for (int64_t size : numbersIn(rest.substr(0, permuted))) {
    to.add_iota_reshape_dims(size);
  }
  if (permuted != rest.npos) {
    for (int64_t dimension : numbersIn(rest.substr(permuted))) {
      to.add_iota_transpose_perm(static_cast<int32_t>(dimension));
    }
  } else {
    for (size_t i = 0; i < to.iota_reshape_dims_size(); ++i) {
      to.add_iota_transpose_perm(static_cast<int32_t>(i));
    }
  }
}

static bool setSharding(const Value &value, proto::builder::OpSharding &to) {
  bool isTuple = std::all_of(value.items.begin(), value.items.end(), [](const Value &item) {
    return item.kind == Value::Kind::List && item.bracket == '{';
  });
  if (value.kind != Value::Kind::List) {
    return false;
  }
  if (isTuple) {
    to.set_type(proto::OpSharding::TUPLE);
    return std::all_of(value.items.begin(), value.items.end(), [&](const Value &item) {
      return setSharding(item, *to.add_tuple_shardings());
    });
  }
  std::string text = value.str();
  size_t space = text.find(" metadata=");
  for (std::string_view word :
       split(std::string_view(text).substr(1, std::min(space, text.size() - 1) - 1), ' ')) {
    size_t equals = std::min(word.find('='), word.size());
    std::string_view name = word.substr(0, equals);
    if (std::optional<proto::OpSharding::Type> type = shardingType(name)) {
      to.set_type(*type);
    } else if (name == "devices") {
      to.set_type(proto::OpSharding::OTHER);
      setTiles(word.substr(equals), to);
    } else if (name == "device") {
      to.add_tile_assignment_dimensions(1);
      for (int64_t device : numbersIn(word)) {
        to.add_tile_assignment_devices(device);
      }
    } else if (name == "last_tile_dim_replicate") {
      to.set_replicate_on_last_tile_dim(true);
    } else if (name == "last_tile_dims") {
      const Value *types = value.find("last_tile_dims");
      for (const Value &item : types ? types->items : List<Value>()) {
        to.add_last_tile_dims(shardingType(item.text).value_or(proto::OpSharding::UNKNOWN));
      }
      break;
    } else if (name == "shard_as" || name == "shard_like") {
      to.set_is_shard_group(true);
      to.set_shard_group_type(name == "shard_as" ? proto::OpSharding::AS : proto::OpSharding::LIKE);
    } else if (to.is_shard_group() && !numbersIn(word).empty()) {
      to.set_shard_group_id(numbersIn(word)[0]);
    } else {
      return false;
    }
  }
  if (const Value *metadata = value.find("metadata")) {
    setMetadata(*metadata, *to.add_metadata());
  }
  return true;
}

//===-- the table -----------------------------------------------------------------------------===//

template <typename Enum, typename Parse, typename Set>
static bool setEnum(std::string_view prefix, const In &in, Parse parse, Set set) {
  Enum parsed{};
  if (!parse(std::string(prefix) + upper(in.text()), &parsed)) {
    return false;
  }
  set(parsed);
  return true;
}

static bool setPadding(In in) {
  for (std::string text = in.text(); std::string_view piece : split(text, 'x')) {
    std::vector<int64_t> numbers;
    for (std::string_view number : split(piece, '_')) {
      std::vector<int64_t> parsed = numbersIn(number);
      numbers.push_back(parsed.empty() ? 0 : parsed[0]);
    }
    numbers.resize(3);
    auto &to = *in.message.mutable_padding_config()->add_dimensions();
    to.set_edge_padding_low(numbers[0]);
    to.set_edge_padding_high(numbers[1]);
    to.set_interior_padding(numbers[2]);
  }
  return true;
}

static bool setSlice(In in) {
  for (const Value &item : in.value.items) {
    std::vector<int64_t> numbers = numbersIn(item);
    if (numbers.size() < 2) {
      return false;
    }
    Message::SliceDimensions &to = *in.message.add_slice_dimensions();
    to.set_start(numbers[0]);
    to.set_limit(numbers[1]);
    to.set_stride(numbers.size() > 2 ? numbers[2] : 1);
  }
  return true;
}

static proto::builder::DotDimensionNumbers &dotNumbers(Message &message) {
  return message.opcode() == "ragged-dot"
             ? *message.mutable_ragged_dot_dimension_numbers()->mutable_dot_dimension_numbers()
             : *message.mutable_dot_dimension_numbers();
}

namespace {
struct Row {
  std::string_view name;
  bool (*set)(In);
};
} // namespace

// A row of the table for an attribute; `statement` sets the field and always succeeds.
#define ROW(name, statement)                                                                       \
  {name, [](In in) {                                                                               \
     statement;                                                                                    \
     return true;                                                                                  \
   }}

static constexpr Row rows[] = {
    ROW("dimensions", in.message.add_all_dimensions(in.numbers())),
    ROW("iota_dimension", in.message.add_dimensions(in.number())),
    ROW("index", in.message.set_tuple_index(in.number())),
    ROW("channel_id", in.message.set_channel_id(in.number())),
    ROW("replica_groups", setReplicaGroups(in)),
    ROW("constrain_layout", in.message.set_constrain_layout(in.isTrue())),
    ROW("use_global_device_ids", in.message.set_use_global_device_ids(in.isTrue())),
    ROW("is_host_transfer", in.message.set_is_host_transfer(in.isTrue())),
    ROW("slice_sizes", in.message.opcode() == "gather"
                           ? in.message.add_all_gather_slice_sizes(in.numbers())
                           : in.message.add_all_dynamic_slice_sizes(in.numbers())),
    ROW("dynamic_slice_sizes", in.message.add_all_dynamic_slice_sizes(in.numbers())),
    ROW("lhs_batch_dims", dotNumbers(in.message).add_all_lhs_batch_dimensions(in.numbers())),
    ROW("rhs_batch_dims", dotNumbers(in.message).add_all_rhs_batch_dimensions(in.numbers())),
    ROW("lhs_contracting_dims",
        dotNumbers(in.message).add_all_lhs_contracting_dimensions(in.numbers())),
    ROW("rhs_contracting_dims",
        dotNumbers(in.message).add_all_rhs_contracting_dimensions(in.numbers())),
    ROW("lhs_ragged_dims",
        
            in.message.mutable_ragged_dot_dimension_numbers()->add_all_lhs_ragged_dimensions(in.numbers())),
    ROW("rhs_group_dims",
        
            in.message.mutable_ragged_dot_dimension_numbers()->add_all_rhs_group_dimensions(in.numbers())),
    ROW("offset_dims",
        in.message.mutable_gather_dimension_numbers()->add_all_offset_dims(in.numbers())),
    ROW("collapsed_slice_dims",
        
            in.message.mutable_gather_dimension_numbers()->add_all_collapsed_slice_dims(in.numbers())),
    ROW("start_index_map",
        in.message.mutable_gather_dimension_numbers()->add_all_start_index_map(in.numbers())),
    ROW("operand_batching_dims",
        
            in.message.mutable_gather_dimension_numbers()->add_all_operand_batching_dims(in.numbers())),
    ROW("start_indices_batching_dims",
        
            in.message.mutable_gather_dimension_numbers()->add_all_start_indices_batching_dims(in.numbers())),
    ROW("update_window_dims",
        
            in.message.mutable_scatter_dimension_numbers()->add_all_update_window_dims(in.numbers())),
    ROW("inserted_window_dims",
        
            in.message.mutable_scatter_dimension_numbers()->add_all_inserted_window_dims(in.numbers())),
    ROW("scatter_dims_to_operand_dims",
        in.message.mutable_scatter_dimension_numbers()
                         ->add_all_scatter_dims_to_operand_dims(in.numbers())),
    ROW("input_batching_dims",
        
            in.message.mutable_scatter_dimension_numbers()->add_all_input_batching_dims(in.numbers())),
    ROW("scatter_indices_batching_dims",
        in.message.mutable_scatter_dimension_numbers()
                         ->add_all_scatter_indices_batching_dims(in.numbers())),
    ROW("index_vector_dim",
        in.message.opcode() == "gather"
            ? in.message.mutable_gather_dimension_numbers()->set_index_vector_dim(in.number())
            : in.message.mutable_scatter_dimension_numbers()->set_index_vector_dim(in.number())),
    ROW("indices_are_sorted", in.message.set_indices_are_sorted(in.isTrue())),
    ROW("unique_indices", in.message.set_unique_indices(in.isTrue())),
    ROW("feature_group_count", in.message.set_feature_group_count(in.number())),
    ROW("batch_group_count", in.message.set_batch_group_count(in.number())),
    ROW("custom_call_target", in.message.set_custom_call_target(in.contents())),
    ROW("custom_call_has_side_effect", in.message.set_custom_call_has_side_effect(in.isTrue())),
    ROW("output_to_operand_aliasing", setAliasing(in)),
    ROW("result_accuracy", setAccuracy(in)),
    ROW("direction", in.message.set_comparison_direction(in.text())),
    ROW("type", in.message.set_comparison_type(in.text())),
    ROW("is_stable", in.message.set_is_stable(in.isTrue())),
    ROW("kind", in.message.set_fusion_kind(in.text())),
    ROW("fft_length", in.message.add_all_fft_length(in.numbers())),
    ROW("left_side", in.message.mutable_triangular_solve_options()->set_left_side(in.isTrue())),
    ROW("unit_diagonal",
        in.message.mutable_triangular_solve_options()->set_unit_diagonal(in.isTrue())),
    ROW("lower", in.message.opcode() == "cholesky"
                     ? in.message.mutable_cholesky_options()->set_lower(in.isTrue())
                     : in.message.mutable_triangular_solve_options()->set_lower(in.isTrue())),
    ROW("delta", in.message.set_delta(in.number())),
    ROW("exponent_bits", in.message.set_exponent_bits(static_cast<int32_t>(in.number()))),
    ROW("mantissa_bits", in.message.set_mantissa_bits(static_cast<int32_t>(in.number()))),
    ROW("infeed_config", in.message.set_infeed_config(in.contents())),
    ROW("outfeed_config", in.message.set_outfeed_config(in.contents())),
    ROW("epsilon", in.message.set_epsilon(std::strtof(in.text().c_str(), nullptr))),
    ROW("feature_index", in.message.set_feature_index(in.number())),
    ROW("k", in.message.set_k(in.number())),
    ROW("largest", in.message.set_largest(in.isTrue())),
    ROW("is_composite", in.message.set_is_composite(in.isTrue())),
    ROW("is_reverse", in.message.set_is_reverse(in.isTrue())),
    ROW("num_carries", in.message.set_num_carries(in.number())),
    ROW("is_associative",
        in.message.set_is_associative(in.isTrue() ? proto::TRI_STATE_TRUE : proto::TRI_STATE_FALSE)),
    ROW("async_execution_thread", in.message.set_async_execution_thread(in.contents())),
    ROW("backend_config", in.message.set_backend_config(in.contents())),
    ROW("metadata", setMetadata(in.value, *in.message.mutable_metadata())),
    {"frontend_attributes",
     [](In in) {
       setFrontendAttributes(in.value, *in.message.mutable_frontend_attributes());
       // Free text in braces is parsed as a word instead of a list, and can't be converted.
       return in.value.kind == Value::Kind::List &&
              std::all_of(in.value.items.begin(), in.value.items.end(), [](const Value &item) {
                return item.kind == Value::Kind::Entry &&
                       item.items[0].kind == Value::Kind::Word &&
                       (item.items[1].kind == Value::Kind::String ||
                        item.items[1].kind == Value::Kind::List);
              });
     }},
    ROW("cross_program_prefetch_index", in.message.set_is_cross_program_prefetch(true);
        in.message.set_cross_program_prefetch_index(static_cast<int32_t>(in.number()))),
    ROW("parameter_replication", for (const Value &item : in.value.items) {
      in.message.mutable_parameter_replication()->add_replicated_at_leaf_buffers(
          item.isWord("true"));
    }),
    ROW("source_target_pairs", for (const Value &item : in.value.items) {
      std::vector<int64_t> pair = numbersIn(item);
      pair.resize(2);
      proto::builder::SourceTarget &to = *in.message.add_source_target_pairs();
      to.set_source(pair[0]);
      to.set_target(pair[1]);
    }),
    // `origin` isn't written: it is for tools that compare programs, and XLA recreates it.
    ROW("origin", (void)in),
    {"sharding", [](In in) { return setSharding(in.value, *in.message.mutable_sharding()); }},
    {"window", setWindow},
    {"dim_labels", setConvolutionLabels},
    {"operand_precision", setPrecision},
    {"padding", setPadding},
    {"slice", setSlice},
    {"outfeed_shape",
     [](In in) {
       std::optional<Shape> shape = shapeOf(in.value);
       if (shape) {
         writeShape(*shape, *in.message.mutable_outfeed_shape());
       }
       return shape.has_value();
     }},
    {"operand_layout_constraints",
     [](In in) {
       in.message.set_constrain_layout(true);
       return std::all_of(in.value.items.begin(), in.value.items.end(), [&](const Value &item) {
         std::optional<Shape> shape = shapeOf(item);
         if (shape) {
           writeShape(*shape, *in.message.add_operand_shapes_with_layout());
         }
         return shape.has_value();
       });
     }},
    {"algorithm",
     [](In in) {
       if (in.message.opcode() == "rng-bit-generator") {
         return setEnum<proto::RandomAlgorithm>("", in, proto::RandomAlgorithm_Parse,
                                                [&](auto v) { in.message.set_rng_algorithm(v); });
       }
       return setEnum<proto::PrecisionConfig::Algorithm>(
           "ALG_", in, proto::PrecisionConfig::Algorithm_Parse,
           [&](auto v) { in.message.mutable_precision_config()->set_algorithm(v); });
     }},
    {"distribution",
     [](In in) {
       return setEnum<proto::RandomDistribution>("", in, proto::RandomDistribution_Parse,
                                                 [&](auto v) { in.message.set_distribution(v); });
     }},
    {"fft_type",
     [](In in) {
       return setEnum<proto::FftType>("", in, proto::FftType_Parse,
                                      [&](auto v) { in.message.set_fft_type(v); });
     }},
    {"transpose_a",
     [](In in) {
       return setEnum<proto::TriangularSolveOptions::Transpose>(
           "", in, proto::TriangularSolveOptions::Transpose_Parse,
           [&](auto v) { in.message.mutable_triangular_solve_options()->set_transpose_a(v); });
     }},
    {"convolution_kind",
     [](In in) {
       return setEnum<proto::ConvolutionKind>("CONVOLUTION_KIND_", in,
                                              proto::ConvolutionKind_Parse,
                                              [&](auto v) { in.message.set_conv_kind(v); });
     }},
    {"padding_type",
     [](In in) {
       return setEnum<proto::PaddingType>("", in, proto::PaddingType_Parse,
                                          [&](auto v) { in.message.set_padding_type(v); });
     }},
    {"schedule",
     [](In in) {
       return setEnum<proto::CustomCallSchedule>(
           "", in, proto::CustomCallSchedule_Parse,
           [&](auto v) { in.message.set_custom_call_schedule(v); });
     }},
    {"api_version",
     [](In in) {
       return setEnum<proto::CustomCallApiVersion>(
           "", in, proto::CustomCallApiVersion_Parse,
           [&](auto v) { in.message.set_custom_call_api_version(v); });
     }},
};
#undef ROW

bool setField(const Instruction &instruction, const Attribute &attribute, Message &message) {
  static const WordTable<Row> table(rows, &Row::name);
  const Row *row = table.find(attribute.name);
  return row && row->set({instruction, attribute.value, message});
}

} // namespace drumlin::hlo
