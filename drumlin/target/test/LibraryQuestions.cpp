#include "LibraryQuestions.h"

#include "drumlin/target/LibraryTable.h"

#include <algorithm>
#include <array>

namespace drumlin {

static constexpr std::array modes = {ScaleMode::Scalar, ScaleMode::OuterVector,
                                     ScaleMode::Row128, ScaleMode::Square128,
                                     ScaleMode::Mx,     ScaleMode::Nvfp4};
static constexpr std::array<const char *, modes.size()> modeNames = {
    "scalar", "outer-vector", "row-128", "square-128", "mx", "nvfp4"};

static std::string text(ElementType type) { return std::string(name(type)); }

static std::vector<ElementType> typesOf(const GpuTarget &target) {
  std::vector<ElementType> types;
  for (size_t i = 0; i < elementTypeCount(); ++i) {
    auto type = static_cast<ElementType>(i);
    if (libraryTypeName(target, type)) {
      types.push_back(type);
    }
  }
  return types;
}

namespace {
class Questions {
public:
  explicit Questions(const GpuTarget &target) : target(target) {
    for (const LibraryProduct &row : libraryProducts()) {
      if (row.targets & target.set) {
        rows.push_back(&row);
      }
    }
  }

  std::vector<LibraryQuestion> all() {
    types();
    for (const LibraryProduct *row : rows) {
      subject = subjectOf(*row);
      biases(*row);
      scales(*row);
      epilogues(*row);
      orders(*row);
      sizes(*row);
      places(*row);
      batches(*row);
      results(*row);
    }
    return std::move(made);
  }

private:
  static std::string subjectOf(const LibraryProduct &row) {
    return text(row.a) + " " + text(row.b) + " " + text(row.c) + " " + text(row.d) + " " +
           std::string(row.compute) + " " + std::string(row.scale);
  }

  // Returns D [128, 64] = A^T [256, 128] · B [256, 64].
  LibraryCall plain(const LibraryProduct &row) const {
    LibraryCall call;
    call.library = target.library;
    call.computeType = row.compute;
    call.scaleType = row.scale;
    call.workspaceBytes = target.workspaceBytes;
    call.transposesA = true;
    call.a = {"input 0", 0, row.a, 256, 128, 256, 1, 0};
    call.b = {"input 1", 0, row.b, 256, 64, 256, 1, 0};
    call.c = {row.c == row.d ? "output 0" : "input 7", 0, row.c, 128, 64, 128, 1, 0};
    call.d = {"output 0", 0, row.d, 128, 64, 128, 1, 0};
    return call;
  }

  // Adds scales if the row's types require them.
  LibraryCall usual(const LibraryProduct &row) const {
    LibraryCall call = plain(row);
    if (row.scaleModes != 0 && !takes(row, ScaleMode::Scalar)) {
      for (ScaleMode mode : modes) {
        if (takes(row, mode)) {
          call.scaleA = call.scaleB = scaleOf(mode, "input 2");
        }
      }
    }
    return call;
  }

  static bool takes(const LibraryProduct &row, ScaleMode mode) {
    return (row.scaleModes >> static_cast<unsigned>(mode) & 1) != 0;
  }

  LibraryScale scaleOf(ScaleMode mode, const char *pointer) const {
    return {mode, pointer, scaleRowOf(target.library, mode).type};
  }

  void ask(const char *group, std::string variation, const LibraryCall &call) {
    made.push_back({group, subject, std::move(variation), call});
  }

  // Asks for each pair of operand types with each pair of types of C and D, and with all compute
  // types.
  void types() {
    std::vector<std::pair<std::string_view, std::string_view>> ways;
    for (const LibraryProduct *row : rows) {
      std::pair way(row->compute, row->scale);
      if (std::find(ways.begin(), ways.end(), way) == ways.end()) {
        ways.push_back(way);
      }
    }
    for (ElementType a : typesOf(target)) {
      for (ElementType b : typesOf(target)) {
        for (auto [compute, scale] : ways) {
          subject = text(a) + " " + text(b) + " " + std::string(compute) + " " + std::string(scale);
          for (ElementType c : typesOf(target)) {
            for (ElementType d : typesOf(target)) {
              LibraryProduct row = {target.set, compute, scale, a, b, c, d, std::nullopt, 0, ""};
              ask("types", text(c) + " to " + text(d), plain(row));
            }
          }
        }
      }
    }
  }

  void biases(const LibraryProduct &row) {
    for (ElementType type : typesOf(target)) {
      LibraryCall call = usual(row);
      call.epilogue = LibraryEpilogue::Bias;
      call.bias = LibraryVector{"input 4", type, 0};
      ask("biases", text(type), call);
    }
  }

  void scales(const LibraryProduct &row) {
    for (size_t a = 0; a <= modes.size(); ++a) {
      for (size_t b = 0; b <= modes.size(); ++b) {
        LibraryCall call = plain(row);
        if (a > 0) {
          call.scaleA = scaleOf(modes[a - 1], "input 2");
        }
        if (b > 0) {
          call.scaleB = scaleOf(modes[b - 1], "input 3");
        }
        ask("scales",
            std::string(a > 0 ? modeNames[a - 1] : "none") + " and " +
                (b > 0 ? modeNames[b - 1] : "none"),
            call);
      }
    }
  }

  // Asks about each of the library's epilogues. An epilogue with aux is asked about with each type
  // and several leading dimensions of aux, and a gradient that sums an operand with each order of A
  // and B.
  void epilogues(const LibraryProduct &row) {
#define LIBRARY_EPILOGUE_KIND(Name, activation, hasBias, hasAux, biasGradient)                     \
  epilogue(row, LibraryEpilogue::Name, #Name);
#include "drumlin/target/LibraryEpilogues.def"
  }

  void epilogue(const LibraryProduct &row, LibraryEpilogue epilogue, const std::string &name) {
    if (!epilogueName(target, epilogue)) {
      return;
    }
    EpilogueParts parts = partsOf(epilogue);
    LibraryCall call = usual(row);
    call.epilogue = epilogue;
    LibraryVector bias{"input 4", row.bias.value_or(row.d), 0};
    if (parts.hasBias) {
      call.bias = bias;
    }
    if (parts.biasGradient != BiasGradient::None) {
      bias.pointer = "output 1";
      call.biasGradient = bias;
    }
    if (parts.activation == EpilogueParts::Clamp) {
      call.bounds = {-1, 2};
    }
    bool ofOperand =
        parts.biasGradient == BiasGradient::OfA || parts.biasGradient == BiasGradient::OfB;
    if (ofOperand) {
      inEachOrder([&](const std::string &order, auto change) {
        LibraryCall changed = call;
        change(changed);
        ask("epilogues", name + " " + order, changed);
      });
      return;
    }
    if (!parts.hasAux) {
      ask("epilogues", name, call);
      return;
    }
    for (ElementType type : typesOf(target)) {
      auxOf(call, name, type, 128);
    }
    for (int64_t ld : {129, 130, 132, 136, 144, 160, 192, 256}) {
      auxOf(call, name, row.d, ld);
    }
  }

  void auxOf(LibraryCall call, const std::string &name, ElementType type, int64_t ld) {
    bool isGradient = partsOf(call.epilogue).activation == EpilogueParts::ReluGrad ||
                      partsOf(call.epilogue).activation == EpilogueParts::GeluGrad;
    call.aux = call.d;
    call.aux->pointer = isGradient ? "input 5" : "output 2";
    call.aux->type = type;
    call.aux->ld = ld;
    ask("epilogues", name + " " + text(type) + " ld " + std::to_string(ld), call);
  }

  static void transpose(bool &transposes, LibraryMatrix &matrix) {
    transposes = !transposes;
    std::swap(matrix.rows, matrix.columns);
    matrix.ld = matrix.rows;
  }

  // Calls `make` for each order of A and B, with the order's name and a function that changes a
  // call to this order.
  template <typename Make> static void inEachOrder(Make make) {
    for (bool a : {true, false}) {
      for (bool b : {false, true}) {
        make(std::string(a ? "T" : "N") + (b ? "T" : "N"), [a, b](LibraryCall &call) {
          if (!a) {
            transpose(call.transposesA, call.a);
          }
          if (b) {
            transpose(call.transposesB, call.b);
          }
        });
      }
    }
  }

  void orders(const LibraryProduct &row) {
    for (size_t mode = 0; mode <= modes.size(); ++mode) {
      inEachOrder([&](const std::string &order, auto change) {
        LibraryCall call = usual(row);
        if (mode > 0) {
          call.scaleA = scaleOf(modes[mode - 1], "input 2");
          call.scaleB = scaleOf(modes[mode - 1], "input 3");
        }
        change(call);
        ask("orders", order + " " + (mode > 0 ? modeNames[mode - 1] : "unscaled"), call);
      });
    }
  }

  void setSizes(LibraryCall &call, int64_t m, int64_t n, int64_t k) const {
    call.a.rows = call.a.ld = call.b.rows = call.b.ld = k;
    call.a.columns = call.c.rows = call.c.ld = call.d.rows = call.d.ld = m;
    call.b.columns = call.c.columns = call.d.columns = n;
  }

  void sizes(const LibraryProduct &row) {
    for (bool inBlocks : {false, true}) {
      for (int64_t less : {0, 1, 2, 4, 8, 16, 32, 48}) {
        for (int dimension = 0; dimension < 3; ++dimension) {
          LibraryCall call = usual(row);
          setSizes(call, 128 - (dimension == 0 ? less : 0), 64 - (dimension == 1 ? less : 0),
                   256 - (dimension == 2 ? less : 0));
          if (inBlocks) {
            call.scaleA = scaleOf(ScaleMode::Row128, "input 2");
            call.scaleB = scaleOf(ScaleMode::Row128, "input 3");
          }
          ask(inBlocks ? "sizes in blocks" : "sizes",
              std::string(1, "mnk"[dimension]) + " less " + std::to_string(less), call);
        }
      }
    }
  }

  void places(const LibraryProduct &row) {
    static constexpr std::array<LibraryMatrix LibraryCall::*, 4> matrices = {
        &LibraryCall::a, &LibraryCall::b, &LibraryCall::c, &LibraryCall::d};
    for (size_t i = 0; i < matrices.size(); ++i) {
      std::string name(1, "ABCD"[i]);
      for (int64_t more : {1, 2, 4, 8, 16}) {
        LibraryCall call = usual(row);
        (call.*matrices[i]).ld += more;
        ask("places", name + " ld more " + std::to_string(more), call);
      }
      for (int64_t bytes : {4, 8, 16}) {
        LibraryCall call = usual(row);
        if (bytes * 8 % drumlin::info((call.*matrices[i]).type).bits != 0) {
          continue;
        }
        (call.*matrices[i]).offsetBytes = bytes;
        (call.*matrices[i]).pointer += i == 2 ? " apart" : "";
        ask("places", name + " at byte " + std::to_string(bytes), call);
      }
    }
  }

  void batches(const LibraryProduct &row) {
    for (size_t mode = 0; mode <= modes.size(); ++mode) {
      for (int64_t more : {0, 1, 2, 4, 8, 16}) {
        LibraryCall call = usual(row);
        if (mode > 0) {
          call.scaleA = scaleOf(modes[mode - 1], "input 2");
          call.scaleB = scaleOf(modes[mode - 1], "input 3");
        }
        for (LibraryMatrix *matrix : {&call.a, &call.b, &call.c, &call.d}) {
          matrix->batchCount = 3;
          matrix->batchStride = matrix->ld * matrix->columns + more;
        }
        ask("batches",
            std::string(mode > 0 ? modeNames[mode - 1] : "unscaled") + " apart by " +
                std::to_string(more) + " more",
            call);
      }
    }
  }

  void results(const LibraryProduct &row) {
    for (size_t mode = 0; mode <= modes.size(); ++mode) {
      for (bool hasAmax : {false, true}) {
        LibraryCall call = usual(row);
        if (mode > 0) {
          call.scaleD = scaleOf(modes[mode - 1], "input 6");
        }
        call.amaxD = hasAmax ? "output 3" : "";
        ask("results",
            std::string(mode > 0 ? modeNames[mode - 1] : "unscaled") + (hasAmax ? ", amax" : ""),
            call);
      }
    }
    for (const char *pointer : {"output 0", "null"}) {
      LibraryCall call = usual(row);
      call.c.pointer = pointer;
      ask("results", "C is " + std::string(pointer), call);
    }
    for (const char *beta : {"0", "2", "0.5"}) {
      for (bool isFast : {false, true}) {
        bool isWhole = row.scale != "CUDA_R_32I" || std::string_view(beta) != "0.5";
        if (isWhole && (!isFast || isNarrow(row.a))) {
          LibraryCall call = usual(row);
          call.beta = beta;
          call.fastAccumulation = isFast;
          call.c.pointer = "input 7";
          ask("results", "beta " + std::string(beta) + (isFast ? ", fast" : ""), call);
        }
      }
    }
  }

  const GpuTarget &target;
  std::vector<const LibraryProduct *> rows;
  std::string subject;
  std::vector<LibraryQuestion> made;
};
} // namespace

std::vector<LibraryQuestion> libraryQuestions(const GpuTarget &target) {
  return Questions(target).all();
}

} // namespace drumlin
