#include "commands/PublishedOperators.h"

#include "drumlin/export/hlo/HloExport.h"
#include "drumlin/ir/plan/Origin.h"
#include "drumlin/ir/stablehlo/StablehloTypes.h"
#include "drumlin/support/json/JsonStream.h"
#include "drumlin/target/EngineOperators.h"
#include "llvm/Support/raw_ostream.h"

#include <map>

namespace drumlin::cli {

static llvm::ArrayRef<ElementType> elementTypes() {
  static const ElementType all[] = {
#define DRUMLIN_ELEMENT_TYPE(Name, ...) ElementType::Name,
#include "drumlin/support/ElementType.def"
  };
  return all;
}

static constexpr const char *withoutInstruction =
    "it has no HLO instruction, and the documents are about HLO instructions";

namespace {
// The element types that have the same published answer for the same reason.
struct TypesOfAnswer {
  PublishedTypeAnswer answer;
  std::string types;
};
} // namespace

static bool isSame(const PublishedTypeAnswer &a, const PublishedTypeAnswer &b) {
  return a.answer == b.answer && a.note.text == b.note.text && a.note.page == b.note.page &&
         a.isOwn == b.isOwn;
}

static std::vector<TypesOfAnswer> typesOf(const TensorEngine &engine, llvm::StringRef instruction) {
  std::vector<TypesOfAnswer> groups;
  for (PublishedType kind : {PublishedType::Taken, PublishedType::Converted, PublishedType::Refused,
                             PublishedType::Unnamed}) {
    for (ElementType type : elementTypes()) {
      PublishedTypeAnswer answer = publishedType(engine, instruction, type);
      if (answer.answer != kind) {
        continue;
      }
      auto found = llvm::find_if(
          groups, [&](const TypesOfAnswer &each) { return isSame(each.answer, answer); });
      if (found == groups.end()) {
        groups.push_back({answer, std::string(name(type))});
      } else {
        found->types += " " + std::string(name(type));
      }
    }
  }
  return groups;
}

// Returns e.g. `i32 ui32 converted: to f32`.
static std::string textOf(const TypesOfAnswer &group) {
  std::string text = group.types + " " + std::string(typeAnswerName(group.answer.answer));
  return text + (group.answer.note.text.empty() ? "" : ": " + std::string(group.answer.note.text));
}

static std::string citationOf(const PublishedNote &note) {
  return note.page ? " (" + std::string(note.page->title) + ")" : "";
}

namespace {
class PublishedPrinter {
public:
  PublishedPrinter(const TensorEngine &engine, ListForm form)
      : engine(engine), form(form), stream(text) {}

  std::string print(llvm::ArrayRef<ListedOperation> operations) {
    if (form == ListForm::Json) {
      printJson(operations);
      return text + "\n";
    }
    stream << llvm::StringRef(engine.name) << ": "
           << llvm::StringRef(generationName(engine.generation))
           << ", as its vendor's documents say; no code is made for it\n";
    stream << "  " << llvm::StringRef(publishedShapes().text) << "\n";
    for (const TypesOfAnswer &group : typesOf(engine, "")) {
      stream << "  " << textOf(group) << "\n";
    }
    if (form == ListForm::Short) {
      printRows(operations);
    } else {
      for (const ListedOperation &each : operations) {
        printLong(each);
      }
    }
    stream << "pages of the AWS Neuron documentation:\n";
    for (const EnginePage &page : enginePages()) {
      stream << "  " << llvm::StringRef(page.title) << ", " << llvm::StringRef(page.edition)
             << "\n";
    }
    return text;
  }

private:
  // Returns all published statements about an operation, each with its page. Excludes whether the
  // operation is supported, which the list shows separately.
  std::vector<std::pair<std::string, std::string>> notesOf(const ListedOperation &each) const {
    if (!each.opcode) {
      return {{withoutInstruction, ""}};
    }
    PublishedOperator published = publishedOperator(engine, *each.opcode);
    std::vector<std::pair<std::string, std::string>> notes;
    auto add = [&](const PublishedNote &note, const std::string &words) {
      if (!words.empty()) {
        notes.emplace_back(words, citationOf(note));
      }
    };
    add(published.basis, std::string(published.basis.text));
    for (const PublishedNote &note : published.restrictions) {
      add(note, std::string(note.text));
    }
    if (published.isTaken()) {
      for (const TypesOfAnswer &group : typesOf(engine, *each.opcode)) {
        if (group.answer.isOwn) {
          add(group.answer.note, textOf(group));
        }
      }
    }
    return notes;
  }

  std::string stateOf(const ListedOperation &each) const {
    return each.opcode ? std::string(stateName(publishedOperator(engine, *each.opcode).state))
                       : "not in HLO";
  }

  void printRows(llvm::ArrayRef<ListedOperation> operations) {
    const std::string header = "operation";
    size_t nameWidth = header.size(), stateWidth = std::string("not listed").size();
    for (const ListedOperation &each : operations) {
      nameWidth = std::max(nameWidth, each.shown.size());
    }
    auto line = [&](const std::string &first, const std::string &second, const std::string &third) {
      std::string row = first + std::string(nameWidth - first.size() + 2, ' ') + second;
      if (!third.empty()) {
        row += std::string(stateWidth - second.size() + 2, ' ') + third;
      }
      stream << row << "\n";
    };
    line(header, "published", "restrictions");
    for (const ListedOperation &each : operations) {
      std::string notes;
      if (each.opcode) {
        for (const auto &[words, page] : notesOf(each)) {
          notes += (notes.empty() ? "" : "; ") + words;
        }
      }
      line(each.shown, stateOf(each), notes);
    }
  }

  void printLong(const ListedOperation &each) {
    stream << each.shown << "\n  published: " << stateOf(each);
    if (each.opcode) {
      PublishedOperator published = publishedOperator(engine, *each.opcode);
      stream << (published.listedAs.empty() ? "" : " as ") << llvm::StringRef(published.listedAs);
    }
    stream << "\n";
    for (const auto &[words, page] : notesOf(each)) {
      stream << "    " << words << page << "\n";
    }
    if (each.opcode && publishedOperator(engine, *each.opcode).isTaken()) {
      std::map<PublishedType, std::string> types;
      for (ElementType type : elementTypes()) {
        types[publishedType(engine, *each.opcode, type).answer] += " " + std::string(name(type));
      }
      for (const auto &[answer, names] : types) {
        stream << "  " << llvm::StringRef(typeAnswerName(answer)) << ":" << names << "\n";
      }
    }
    std::string native;
    for (const OperatorSupport &support : each.here) {
      native += support.native ? " " + std::string(name(support.type)) : "";
    }
    stream << "  here, for CPUs:" << (native.empty() ? " none" : native) << "\n";
  }

  void printJson(llvm::ArrayRef<ListedOperation> operations) {
    JsonStream json(stream, 1);
    auto citation = [&](const PublishedNote &note) {
      if (note.page) {
        json.attribute("page", llvm::StringRef(note.page->title));
      }
    };
    auto about = [&](const PublishedNote &note) {
      json.object([&] {
        json.attribute("text", llvm::StringRef(note.text));
        citation(note);
      });
    };
    json.object([&] {
      json.attribute("target", engine.name);
      json.attribute("generation", llvm::StringRef(generationName(engine.generation)));
      json.attribute("for", llvm::StringRef(engine.use()));
      json.attributeArray("pages", [&] {
        for (const EnginePage &page : enginePages()) {
          json.object([&] {
            json.attribute("title", llvm::StringRef(page.title));
            json.attribute("edition", llvm::StringRef(page.edition));
          });
        }
      });
      json.attributeArray("restrictions", [&] { about(publishedShapes()); });
      json.attributeArray("operations", [&] {
        for (const ListedOperation &each : operations) {
          json.object([&] {
            json.attribute("operation", each.operation);
            json.attribute("published", stateOf(each));
            if (!each.opcode) {
              return;
            }
            json.attribute("hlo", *each.opcode);
            PublishedOperator published = publishedOperator(engine, *each.opcode);
            json.attribute("listed_as", llvm::StringRef(published.listedAs));
            if (published.basis.page) {
              json.attributeBegin("basis");
              about(published.basis);
              json.attributeEnd();
            }
            json.attributeArray("restrictions", [&] {
              for (const PublishedNote &note : published.restrictions) {
                about(note);
              }
            });
            json.attributeArray("types", [&] {
              for (const OperatorSupport &support : each.here) {
                printJsonType(json, published, *each.opcode, support);
              }
            });
          });
        }
      });
    });
  }

  void printJsonType(JsonStream &json, const PublishedOperator &published,
                     const std::string &opcode, const OperatorSupport &support) {
    json.object([&] {
      json.attribute("type", llvm::StringRef(name(support.type)));
      if (published.isTaken()) {
        PublishedTypeAnswer answer = publishedType(engine, opcode, support.type);
        json.attribute("answer", llvm::StringRef(typeAnswerName(answer.answer)));
        if (answer.note.page) {
          json.attribute("text", llvm::StringRef(answer.note.text));
          json.attribute("page", llvm::StringRef(answer.note.page->title));
        }
      } else {
        json.attribute("answer", llvm::StringRef(stateName(published.state)));
      }
      json.attribute("native", support.native);
    });
  }

  const TensorEngine &engine;
  ListForm form;
  std::string text;
  llvm::raw_string_ostream stream;
};
} // namespace

std::string publishedList(std::span<const ListedOperation> operations, const TensorEngine &engine,
                          ListForm form) {
  return PublishedPrinter(engine, form).print({operations.data(), operations.size()});
}

EngineNotes publishedNotes(mlir::ModuleOp module, const TensorEngine &engine) {
  return engineNotes(module, engine, [&](mlir::Operation *op) {
    return hloOpcodeOf(op->getName().getStringRef(), *module.getContext());
  });
}

} // namespace drumlin::cli
