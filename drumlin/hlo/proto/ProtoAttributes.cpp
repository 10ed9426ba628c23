#include "drumlin/hlo/proto/ProtoAttributes.h"

#include "drumlin/hlo/Parser.h"
#include "drumlin/hlo/ValueParser.h"
#include "drumlin/hlo/proto/Places.h"

#include <algorithm>
#include <charconv>

namespace drumlin::hlo {

static std::string lower(std::string_view upper) {
  std::string text(upper);
  std::transform(text.begin(), text.end(), text.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c; });
  return text;
}

static std::string shortest(double number) {
  char text[64];
  auto [end, error] =
      std::to_chars(text, text + sizeof(text), number, std::chars_format::general, 6);
  return std::string(text, end);
}

using Message = proto::HloInstructionProto;
using Out = AttributeList &;

//===-- values --------------------------------------------------------------------------------===//

// Prints `{size=3x3 stride=2x2 pad=1_1x1_1 …}`, without items that are the default in all
// dimensions.
static void printWindow(const proto::Window &window, std::string &out) {
  std::string text;
  auto add = [&](std::string_view name, auto isDefault, auto print) {
    if (std::all_of(window.dimensions().begin(), window.dimensions().end(), isDefault)) {
      return;
    }
    text.append(text.empty() ? "" : " ").append(name).append("=");
    bool isFirst = true;
    for (const proto::WindowDimension &dimension : window.dimensions()) {
      text.append(isFirst ? "" : "x").append(print(dimension));
      isFirst = false;
    }
  };
  using Dimension = proto::WindowDimension;
  auto number = [](int64_t value) { return std::to_string(value); };
  add(
      "size", [](const Dimension &) { return false; },
      [&](const Dimension &d) { return number(d.size()); });
  add(
      "stride", [](const Dimension &d) { return d.stride() == 1; },
      [&](const Dimension &d) { return number(d.stride()); });
  add(
      "pad", [](const Dimension &d) { return d.padding_low() == 0 && d.padding_high() == 0; },
      [&](const Dimension &d) { return number(d.padding_low()) + "_" + number(d.padding_high()); });
  add(
      "lhs_dilate", [](const Dimension &d) { return d.base_dilation() == 1; },
      [&](const Dimension &d) { return number(d.base_dilation()); });
  add(
      "rhs_dilate", [](const Dimension &d) { return d.window_dilation() == 1; },
      [&](const Dimension &d) { return number(d.window_dilation()); });
  add(
      "rhs_reversal", [](const Dimension &d) { return !d.window_reversal(); },
      [&](const Dimension &d) { return number(d.window_reversal()); });
  out.append("{").append(text).append("}");
}

template <typename Numbers>
static std::string dimensionLabels(int64_t first, char firstLabel, int64_t second, char secondLabel,
                                   const Numbers &spatial) {
  std::string labels(static_cast<size_t>(spatial.size()) + 2, '?');
  auto set = [&](int64_t dimension, char label) {
    if (dimension >= 0 && dimension < static_cast<int64_t>(labels.size())) {
      labels[static_cast<size_t>(dimension)] = label;
    }
  };
  set(first, firstLabel);
  set(second, secondLabel);
  size_t place = 0;
  for (int64_t dimension : spatial) {
    set(dimension, static_cast<char>('0' + place++ % 10));
  }
  return labels;
}

static std::string convolutionLabels(const proto::ConvolutionDimensionNumbers &numbers) {
  return dimensionLabels(numbers.input_batch_dimension(), 'b', numbers.input_feature_dimension(),
                         'f', numbers.input_spatial_dimensions()) +
         "_" +
         dimensionLabels(numbers.kernel_input_feature_dimension(), 'i',
                         numbers.kernel_output_feature_dimension(), 'o',
                         numbers.kernel_spatial_dimensions()) +
         "->" +
         dimensionLabels(numbers.output_batch_dimension(), 'b', numbers.output_feature_dimension(),
                         'f', numbers.output_spatial_dimensions());
}

// Prints an iota list such as `[2,4]<=[4,2]T(1,0)`, from the `<=` on.
template <typename Sizes, typename Permutation>
static void printIota(const Sizes &sizes, const Permutation &permutation, std::string &out) {
  auto list = [&](char open, const auto &numbers, char close) {
    out += open;
    bool isFirst = true;
    for (auto number : numbers) {
      out.append(isFirst ? "" : ",").append(std::to_string(number));
      isFirst = false;
    }
    out += close;
  };
  out += "<=";
  list('[', sizes, ']');
  if (sizes.size() > 1 && !std::is_sorted(permutation.begin(), permutation.end())) {
    out += 'T';
    list('(', permutation, ')');
  }
}

static Value replicaGroups(const proto::Items<proto::ReplicaGroup> &groups, Arena &arena) {
  List<Value> lists;
  for (proto::ReplicaGroup group : groups) {
    lists.push_back(numberList('{', group.replica_ids(), arena));
  }
  return Value::list('{', std::move(lists));
}

static void printCollective(const Message &message, Out out) {
  if (message.channel_id() > 0) {
    out.number("channel_id", message.channel_id());
  }
  if (message.has_iota_collective_device_list()) {
    proto::IotaReplicaGroupListProto iota = message.iota_collective_device_list();
    std::string text = "[" + std::to_string(iota.num_replica_groups()) + "," +
                       std::to_string(iota.num_devices_per_group()) + "]";
    printIota(iota.iota_reshape_dims(), iota.iota_transpose_perm(), text);
    out.text("replica_groups", text);
  } else if (message.has_collective_device_list()) {
    out.add("replica_groups") =
        replicaGroups(message.collective_device_list().replica_groups(), out.arena);
  } else {
    out.add("replica_groups") = replicaGroups(message.replica_groups(), out.arena);
  }
  out.flag("constrain_layout", message.constrain_layout());
}

static std::string shapeList(const proto::Items<proto::ShapeProto> &shapes) {
  std::string text;
  for (proto::ShapeProto shape : shapes) {
    text += text.empty() ? "{" : ", ";
    readShape(shape).print(text);
  }
  return text.empty() ? "{}" : text + "}";
}

static void printAliasing(const Message &message, Out out) {
  std::string text;
  for (proto::OutputOperandAliasing alias : message.output_operand_aliasing()) {
    text += text.empty() ? "{" : ", ";
    printNumbers(alias.output_shape_index(), text);
    text.append(": (").append(std::to_string(alias.operand_index())).append(", ");
    printNumbers(alias.operand_shape_index(), text);
    text += ')';
  }
  if (!text.empty()) {
    out.text("output_to_operand_aliasing", text + "}");
  }
}

static void printPrecision(const proto::PrecisionConfig &precision, Out out) {
  auto operands = precision.operand_precision();
  if (std::any_of(operands.begin(), operands.end(), [](int p) { return p != 0; })) {
    std::string text;
    for (int operand : operands) {
      text += text.empty() ? "{" : ",";
      text += lower(proto::PrecisionConfig::Precision_Name(operand)); // empty if unknown
    }
    out.text("operand_precision", text + "}");
  }
  if (precision.algorithm() != proto::PrecisionConfig::ALG_UNSET) {
    std::string name = lower(proto::PrecisionConfig::Algorithm_Name(precision.algorithm()));
    out.word("algorithm", std::string_view(name).substr(std::min<size_t>(name.size(), 4)));
  }
}

static void printWindowOf(const Message &message, Out out) {
  if (message.window().dimensions_size() != 0) {
    std::string text;
    printWindow(message.window(), text);
    out.text("window", text);
  }
}

//===-- fields of single opcodes --------------------------------------------------------------===//

static void printDot(const proto::DotDimensionNumbers &numbers, Out out) {
  out.someNumbers("lhs_batch_dims", numbers.lhs_batch_dimensions());
  out.numbers("lhs_contracting_dims", numbers.lhs_contracting_dimensions());
  out.someNumbers("rhs_batch_dims", numbers.rhs_batch_dimensions());
  out.numbers("rhs_contracting_dims", numbers.rhs_contracting_dimensions());
}

static void printConvolution(const Message &message, Out out) {
  printWindowOf(message, out);
  if (message.has_convolution_dimension_numbers()) {
    out.word("dim_labels", convolutionLabels(message.convolution_dimension_numbers()));
  }
  if (message.feature_group_count() > 1) {
    out.number("feature_group_count", message.feature_group_count());
  }
  if (message.batch_group_count() > 1) {
    out.number("batch_group_count", message.batch_group_count());
  }
  if (message.conv_kind() != proto::CONVOLUTION_KIND_UNSET) {
    std::string kind = lower(proto::ConvolutionKind_Name(message.conv_kind()));
    out.word("convolution_kind", std::string_view(kind).substr(kind.rfind('_') + 1));
  }
  printPrecision(message.precision_config(), out);
}

static void printCustomCall(const Message &message, Out out) {
  printConvolution(message, out);
  if (message.padding_type() != proto::PADDING_INVALID) {
    out.word("padding_type", proto::PaddingType_Name(message.padding_type()));
  }
  out.quoted("custom_call_target", message.custom_call_target());
  if (message.constrain_layout()) {
    out.text("operand_layout_constraints", shapeList(message.operand_shapes_with_layout()));
  }
  out.flag("custom_call_has_side_effect", message.custom_call_has_side_effect());
  printAliasing(message, out);
  if (message.custom_call_schedule() != proto::SCHEDULE_NONE) {
    out.word("schedule", proto::CustomCallSchedule_Name(message.custom_call_schedule()));
  }
  if (message.custom_call_api_version() > proto::API_VERSION_ORIGINAL) {
    out.word("api_version", proto::CustomCallApiVersion_Name(message.custom_call_api_version()));
  }
}

static void printGather(const Message &message, Out out) {
  const proto::GatherDimensionNumbers &numbers = message.gather_dimension_numbers();
  out.numbers("offset_dims", numbers.offset_dims());
  out.numbers("collapsed_slice_dims", numbers.collapsed_slice_dims());
  out.numbers("start_index_map", numbers.start_index_map());
  out.someNumbers("operand_batching_dims", numbers.operand_batching_dims());
  out.someNumbers("start_indices_batching_dims", numbers.start_indices_batching_dims());
  out.number("index_vector_dim", numbers.index_vector_dim());
  out.numbers("slice_sizes", message.gather_slice_sizes());
  out.flag("indices_are_sorted", message.indices_are_sorted());
}

static void printScatter(const Message &message, Out out) {
  const proto::ScatterDimensionNumbers &numbers = message.scatter_dimension_numbers();
  out.numbers("update_window_dims", numbers.update_window_dims());
  out.numbers("inserted_window_dims", numbers.inserted_window_dims());
  out.numbers("scatter_dims_to_operand_dims", numbers.scatter_dims_to_operand_dims());
  out.someNumbers("input_batching_dims", numbers.input_batching_dims());
  out.someNumbers("scatter_indices_batching_dims", numbers.scatter_indices_batching_dims());
  out.number("index_vector_dim", numbers.index_vector_dim());
  out.flag("indices_are_sorted", message.indices_are_sorted());
  out.flag("unique_indices", message.unique_indices());
}

static void printSlice(const Message &message, Out out) {
  std::string text = "{";
  bool isFirst = true;
  const auto &slices = message.slice_dimensions();
  bool hasStrides = std::any_of(slices.begin(), slices.end(),
                                [](const auto &slice) { return slice.stride() != 1; });
  for (const Message::SliceDimensions &slice : slices) {
    text.append(isFirst ? "[" : ", [").append(std::to_string(slice.start())).append(":");
    text += std::to_string(slice.limit());
    if (hasStrides) {
      text.append(":").append(std::to_string(slice.stride()));
    }
    text += ']';
    isFirst = false;
  }
  out.text("slice", text + "}");
}

static void printPadding(const proto::PaddingConfig &padding, Out out) {
  bool hasInterior = std::any_of(padding.dimensions().begin(), padding.dimensions().end(),
                                 [](const auto &d) { return d.interior_padding() != 0; });
  std::string text;
  bool isFirst = true;
  for (const auto &dimension : padding.dimensions()) {
    text += isFirst ? "" : "x";
    text += std::to_string(dimension.edge_padding_low()) + "_" +
            std::to_string(dimension.edge_padding_high());
    if (hasInterior) {
      text += "_" + std::to_string(dimension.interior_padding());
    }
    isFirst = false;
  }
  out.text("padding", text);
}

// Returns the default comparison type for an operand's element type.
static std::string_view defaultComparison(const Shape *operand) {
  if (!operand || operand->element.empty()) {
    return "FLOAT";
  }
  char first = operand->element[0];
  return first == 's' ? "SIGNED" : first == 'u' || first == 'p' ? "UNSIGNED" : "FLOAT";
}

static void printCompare(const Message &message, const AttributeContext &context, Out out) {
  out.word("direction", message.comparison_direction());
  if (!message.comparison_type().empty() &&
      message.comparison_type() != defaultComparison(context.firstOperand)) {
    out.word("type", message.comparison_type());
  }
}

static void printTriangularSolve(const proto::TriangularSolveOptions &options, Out out) {
  out.flag("left_side", options.left_side());
  out.flag("lower", options.lower());
  out.flag("unit_diagonal", options.unit_diagonal());
  if (options.transpose_a() != proto::TriangularSolveOptions::TRANSPOSE_INVALID) {
    out.word("transpose_a", proto::TriangularSolveOptions::Transpose_Name(options.transpose_a()));
  }
}

static void printAccuracy(const proto::ResultAccuracy &accuracy, Out out) {
  if (accuracy.has_tolerance()) {
    const proto::ResultAccuracy::Tolerance &tolerance = accuracy.tolerance();
    out.text("result_accuracy", "{tolerance={atol=" + shortest(tolerance.atol()) +
                                    ",rtol=" + shortest(tolerance.rtol()) +
                                    ",ulps=" + std::to_string(tolerance.ulps()) + "}}");
  } else if (accuracy.mode() != proto::ResultAccuracy::DEFAULT) {
    out.text("result_accuracy",
             "{mode=" + lower(proto::ResultAccuracy::Mode_Name(accuracy.mode())) + "}");
  }
}

static void printSendRecv(const Message &message, Out out) {
  if (message.channel_id() > 0) {
    out.number("channel_id", message.channel_id());
  }
  out.flag("is_host_transfer", message.is_host_transfer());
}

static void printPermute(const Message &message, Out out) {
  if (message.channel_id() > 0) {
    out.number("channel_id", message.channel_id());
  }
  List<Value> pairs;
  for (proto::SourceTarget pair : message.source_target_pairs()) {
    pairs.push_back(
        numberList('{', std::initializer_list<int64_t>{pair.source(), pair.target()}, out.arena));
  }
  out.add("source_target_pairs") = Value::list('{', std::move(pairs));
  out.someNumbers("slice_sizes", message.dynamic_slice_sizes());
}

static void printNorm(const Message &message, Out out) {
  out.word("epsilon", shortest(message.epsilon()));
  out.number("feature_index", message.feature_index());
}

static void printDomain(const Message &message, Out out) {
  std::string text = "{kind=\"sharding\", entry=";
  printSharding(message.domain_entry_sharding(), text);
  text += ", exit=";
  printSharding(message.domain_exit_sharding(), text);
  out.text("domain", text + "}");
}

// Prints `dimensions`, even if empty.
static void printDimensions(const Message &message, const AttributeContext &, Out out) {
  out.numbers("dimensions", message.dimensions());
}

namespace {
struct OpcodeRow {
  std::string_view opcode;
  void (*print)(const Message &, const AttributeContext &, Out);
};
} // namespace

// The functions that print opcode-specific fields. Opcodes without an entry have no such fields.
static constexpr OpcodeRow opcodeRows[] = {
    {"broadcast", printDimensions},
    {"concatenate", printDimensions},
    {"map", printDimensions},
    {"reduce", printDimensions},
    {"reverse", printDimensions},
    {"transpose", printDimensions},
    {"get-dimension-size", printDimensions},
    {"set-dimension-size", printDimensions},
    {"all-gather",
     [](const Message &m, const AttributeContext &, Out out) {
       printCollective(m, out);
       out.numbers("dimensions", m.dimensions());
       out.flag("use_global_device_ids", m.use_global_device_ids());
     }},
    {"all-reduce",
     [](const Message &m, const AttributeContext &, Out out) {
       printCollective(m, out);
       out.flag("use_global_device_ids", m.use_global_device_ids());
     }},
    {"reduce-scatter",
     [](const Message &m, const AttributeContext &, Out out) {
       printCollective(m, out);
       out.flag("use_global_device_ids", m.use_global_device_ids());
       out.numbers("dimensions", m.dimensions());
     }},
    {"all-to-all",
     [](const Message &m, const AttributeContext &, Out out) {
       printCollective(m, out);
       out.someNumbers("dimensions", m.dimensions());
     }},
    {"ragged-all-to-all",
     [](const Message &m, const AttributeContext &, Out out) { printCollective(m, out); }},
    {"collective-broadcast",
     [](const Message &m, const AttributeContext &, Out out) { printCollective(m, out); }},
    {"collective-permute",
     [](const Message &m, const AttributeContext &, Out out) { printPermute(m, out); }},
    {"send", [](const Message &m, const AttributeContext &, Out out) { printSendRecv(m, out); }},
    {"recv", [](const Message &m, const AttributeContext &, Out out) { printSendRecv(m, out); }},
    {"dot",
     [](const Message &m, const AttributeContext &, Out out) {
       printDot(m.dot_dimension_numbers(), out);
       printPrecision(m.precision_config(), out);
     }},
    {"scaled-dot",
     [](const Message &m, const AttributeContext &, Out out) {
       printDot(m.dot_dimension_numbers(), out);
       printPrecision(m.precision_config(), out);
     }},
    {"ragged-dot",
     [](const Message &m, const AttributeContext &, Out out) {
       const proto::RaggedDotDimensionNumbers &numbers = m.ragged_dot_dimension_numbers();
       printDot(numbers.dot_dimension_numbers(), out);
       out.numbers("lhs_ragged_dims", numbers.lhs_ragged_dimensions());
       out.someNumbers("rhs_group_dims", numbers.rhs_group_dimensions());
       printPrecision(m.precision_config(), out);
     }},
    {"convolution",
     [](const Message &m, const AttributeContext &, Out out) { printConvolution(m, out); }},
    {"custom-call",
     [](const Message &m, const AttributeContext &, Out out) { printCustomCall(m, out); }},
    {"reduce-window",
     [](const Message &m, const AttributeContext &, Out out) { printWindowOf(m, out); }},
    {"select-and-scatter",
     [](const Message &m, const AttributeContext &, Out out) { printWindowOf(m, out); }},
    {"gather", [](const Message &m, const AttributeContext &, Out out) { printGather(m, out); }},
    {"scatter", [](const Message &m, const AttributeContext &, Out out) { printScatter(m, out); }},
    {"slice", [](const Message &m, const AttributeContext &, Out out) { printSlice(m, out); }},
    {"dynamic-slice", [](const Message &m, const AttributeContext &,
                         Out out) { out.numbers("dynamic_slice_sizes", m.dynamic_slice_sizes()); }},
    {"pad", [](const Message &m, const AttributeContext &,
               Out out) { printPadding(m.padding_config(), out); }},
    {"compare", [](const Message &m, const AttributeContext &context,
                   Out out) { printCompare(m, context, out); }},
    {"sort",
     [](const Message &m, const AttributeContext &, Out out) {
       out.numbers("dimensions", m.dimensions());
       out.flag("is_stable", m.is_stable());
     }},
    {"iota", [](const Message &m, const AttributeContext &,
                Out out) { out.number("iota_dimension", m.dimensions().at(0)); }},
    {"get-tuple-element", [](const Message &m, const AttributeContext &,
                             Out out) { out.number("index", m.tuple_index()); }},
    {"fusion",
     [](const Message &m, const AttributeContext &, Out out) {
       out.word("kind", m.fusion_kind());
       printAliasing(m, out);
     }},
    {"parameter",
     [](const Message &m, const AttributeContext &, Out out) {
       if (m.parameter_replication().replicated_at_leaf_buffers_size() != 0) {
         List<Value> words;
         for (bool isReplicated : m.parameter_replication().replicated_at_leaf_buffers()) {
           words.push_back(Value::word(isReplicated ? "true" : "false"));
         }
         out.add("parameter_replication") = Value::list('{', std::move(words));
       }
     }},
    {"fft",
     [](const Message &m, const AttributeContext &, Out out) {
       out.word("fft_type", proto::FftType_Name(m.fft_type()));
       out.numbers("fft_length", m.fft_length());
     }},
    {"triangular-solve", [](const Message &m, const AttributeContext &,
                            Out out) { printTriangularSolve(m.triangular_solve_options(), out); }},
    {"cholesky", [](const Message &m, const AttributeContext &,
                    Out out) { out.flag("lower", m.cholesky_options().lower()); }},
    {"rng",
     [](const Message &m, const AttributeContext &, Out out) {
       out.word("distribution", lower(proto::RandomDistribution_Name(m.distribution())));
     }},
    {"rng-bit-generator",
     [](const Message &m, const AttributeContext &, Out out) {
       out.word("algorithm", lower(proto::RandomAlgorithm_Name(m.rng_algorithm())));
     }},
    {"rng-get-and-update-state",
     [](const Message &m, const AttributeContext &, Out out) { out.number("delta", m.delta()); }},
    {"reduce-precision",
     [](const Message &m, const AttributeContext &, Out out) {
       out.number("exponent_bits", m.exponent_bits());
       out.number("mantissa_bits", m.mantissa_bits());
     }},
    {"infeed",
     [](const Message &m, const AttributeContext &, Out out) {
       if (!m.infeed_config().empty()) {
         out.quoted("infeed_config", m.infeed_config());
       }
     }},
    {"outfeed",
     [](const Message &m, const AttributeContext &, Out out) {
       if (m.has_outfeed_shape()) {
         out.text("outfeed_shape", readShape(m.outfeed_shape()).str());
       }
       if (!m.outfeed_config().empty()) {
         out.quoted("outfeed_config", m.outfeed_config());
       }
     }},
    {"batch-norm-training",
     [](const Message &m, const AttributeContext &, Out out) { printNorm(m, out); }},
    {"batch-norm-inference",
     [](const Message &m, const AttributeContext &, Out out) { printNorm(m, out); }},
    {"batch-norm-grad",
     [](const Message &m, const AttributeContext &, Out out) { printNorm(m, out); }},
    {"domain", [](const Message &m, const AttributeContext &, Out out) { printDomain(m, out); }},
    {"topk",
     [](const Message &m, const AttributeContext &, Out out) {
       out.number("k", m.k());
       out.word("largest", m.largest() ? "true" : "false");
       out.flag("is_stable", m.is_stable()); // missing in older texts
     }},
    {"copy-start",
     [](const Message &m, const AttributeContext &, Out out) {
       if (m.is_cross_program_prefetch() || m.cross_program_prefetch_index() != 0) {
         out.number("cross_program_prefetch_index", m.cross_program_prefetch_index());
       }
     }},
    {"scan",
     [](const Message &m, const AttributeContext &, Out out) {
       out.numbers("dimensions", m.dimensions());
       out.flag("is_reverse", m.is_reverse());
       out.number("num_carries", m.num_carries());
       if (m.is_associative() != proto::TRI_STATE_UNSPECIFIED) {
         out.word("is_associative", m.is_associative() == proto::TRI_STATE_TRUE ? "true" : "false");
       }
     }},
};

void printFields(const Message &message, const AttributeContext &context, AttributeList &out) {
  static const WordTable<OpcodeRow> table(opcodeRows, &OpcodeRow::opcode);
  std::string_view opcode = message.opcode();
  const OpcodeRow *row = table.find(opcode);
  if (message.has_result_accuracy() && (!row || row->print != printDimensions)) {
    printAccuracy(message.result_accuracy(), out);
  }
  if (!row) {
    // Asynchronous collectives and transfers have the fields of the opcode without `-start` or
    // `-done`.
    for (std::string_view suffix : {"-start", "-done"}) {
      if (opcode.ends_with(suffix)) {
        opcode.remove_suffix(suffix.size());
      }
    }
    bool isDone = message.opcode().ends_with("-done");
    if (opcode.size() == message.opcode().size() ||
        (isDone && opcode != "send" && opcode != "recv")) {
      return;
    }
    row = table.find(opcode);
  }
  if (row) {
    row->print(message, context, out);
  }
}

void printFrontendAttributes(const proto::FrontendAttributes &attributes, std::string &out) {
  std::vector<std::pair<std::string_view, std::string_view>> entries;
  for (proto::FrontendAttributes::MapEntry entry : attributes.map()) {
    entries.emplace_back(entry.key(), entry.value());
  }
  std::sort(entries.begin(), entries.end());
  out += '{';
  for (size_t i = 0; i < entries.size(); ++i) {
    auto [key, value] = entries[i];
    out.append(i == 0 ? "" : ",").append(key).append("=");
    // A dictionary is printed without quotes.
    if (value.starts_with("{")) {
      out += value;
    } else {
      out.append("\"").append(value).append("\"");
    }
  }
  out += '}';
}

void printSharedFields(const Message &message, AttributeList &out) {
  std::string text;
  if (message.has_sharding()) {
    printSharding(message.sharding(), text);
    out.text("sharding", text);
  }
  if (message.frontend_attributes().map_size() != 0) {
    text.clear();
    printFrontendAttributes(message.frontend_attributes(), text);
    out.text("frontend_attributes", text);
  }
}

Value &addEntry(std::string_view name, List<Value> &items, Arena &arena) {
  Value &entry = items.emplace_back();
  entry.kind = Value::Kind::Entry;
  entry.bracket = '=';
  entry.before.spaces = items.size() == 1 ? 0 : 1;
  entry.items.reserve(2, arena);
  entry.items.emplace_back().text.assign(name, arena);
  return entry.items.emplace_back();
}

Value metadataValue(const proto::OpMetadata &message, Arena &arena) {
  proto::Found<proto::OpMetadata> metadata(message);
  Value value;
  value.kind = Value::Kind::List;
  value.bracket = '{';
  value.items.reserve(metadata.fieldCount(), arena);
  auto quoted = [&](std::string_view name, std::string_view contents) {
    if (!contents.empty()) {
      setQuoted(contents, addEntry(name, value.items, arena), arena);
    }
  };
  auto number = [&](std::string_view name, int64_t number) {
    if (number != 0) {
      addEntry(name, value.items, arena).setNumber(number, arena);
    }
  };
  quoted("op_type", metadata.op_type());
  quoted("op_name", metadata.op_name());
  quoted("source_file", metadata.source_file());
  number("source_line", metadata.source_line());
  number("source_end_line", metadata.source_end_line());
  number("source_column", metadata.source_column());
  number("source_end_column", metadata.source_end_column());
  number("size_of_generated_code_in_bytes", metadata.size_of_generated_code_in_bytes());
  number("size_of_memory_working_set_in_bytes", metadata.size_of_memory_working_set_in_bytes());
  quoted("deduplicated_name", metadata.deduplicated_name());
  quoted("scheduling_name", metadata.scheduling_name());
  number("stack_frame_id", metadata.stack_frame_id());
  return value;
}

void printMetadata(const proto::OpMetadata &metadata, std::string &out) {
  Arena arena;
  metadataValue(metadata, arena).print(out);
}

void printBackendConfig(std::string_view config, AttributeList &out) {
  if (config.starts_with("{")) {
    out.text("backend_config", config);
  } else {
    out.quoted("backend_config", config);
  }
}

} // namespace drumlin::hlo
