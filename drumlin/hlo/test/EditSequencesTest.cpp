// Applies sequences of random edits to this repository's models as compiled by XLA. After each
// edit, the printed text parses to the same module, and all pointers refer to objects in the
// module.
#include "drumlin/hlo/Editor.h"
#include "drumlin/hlo/Parser.h"
#include "drumlin/hlo/Printer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <random>
#include <sstream>
#include <unordered_set>

namespace drumlin::hlo {

namespace {
class Session {
public:
  Session(std::string_view text, unsigned seed) : random(seed) {
    Result<Module> parsed = parse(text, "m.hlo");
    EXPECT_TRUE(parsed);
    module = std::move(*parsed);
  }

  // Makes a random edit and returns its name.
  std::string step() {
    static const std::vector<std::pair<std::string, void (Session::*)()>> changes = {
        {"insert", &Session::insert},
        {"insert", &Session::insert},
        {"insert a parameter", &Session::insertParameter},
        {"remove", &Session::remove},
        {"remove", &Session::remove},
        {"set operands", &Session::setOperands},
        {"replace uses", &Session::replaceUses},
        {"set the root", &Session::setRoot},
        {"set a shape", &Session::setShape},
        {"set an attribute", &Session::setAttribute},
        {"remove an attribute", &Session::removeAttribute},
        {"rename", &Session::rename},
        {"add a computation", &Session::addComputation},
        {"call", &Session::call},
        {"remove a computation", &Session::removeComputation},
    };
    computation = pick(module.computations).get();
    instruction = pick(computation->instructions).get();
    const auto &[name, change] = changes[random() % changes.size()];
    (this->*change)();
    return name;
  }

  void expectWhole(const std::string &after) const {
    std::string text = print(module);
    Result<Module> again = parse(text, "again.hlo");
    ASSERT_TRUE(again) << after << "\n" << again.error().str() << text;
    ASSERT_EQ(print(*again), text) << after;
    ASSERT_EQ(again->computations.size(), module.computations.size()) << after;
    std::unordered_set<const Computation *> computations;
    for (const auto &each : module.computations) {
      computations.insert(each.get());
    }
    for (const auto &each : module.computations) {
      std::unordered_set<const Instruction *> seen;
      const auto same = std::find_if(again->computations.begin(), again->computations.end(),
                                     [&](const auto &other) { return other->name == each->name; });
      if (!each->isInline) { // inline computations have no names
        ASSERT_EQ((*same)->instructions.size(), each->instructions.size()) << after;
        ASSERT_EQ((*same)->root()->name, each->root()->name) << after;
      }
      for (const auto &instruction : each->instructions) {
        for (const Operand &operand : instruction->operands) {
          ASSERT_TRUE(seen.contains(operand.instruction))
              << after << ": " << instruction->name << " precedes its operand";
        }
        for (const Computation *called : instruction->calledComputations()) {
          ASSERT_TRUE(computations.contains(called)) << after << ": " << instruction->name;
        }
        seen.insert(instruction.get());
      }
    }
  }

  size_t made = 0, refused = 0;

private:
  template <typename Items> typename Items::value_type &pick(Items &from) {
    return from[random() % from.size()];
  }
  Instruction &other() { return *pick(computation->instructions); }
  std::string fresh(const std::string &base) { return base + "." + std::to_string(++number); }

  template <typename T> void count(const Result<T> &result) {
    (result ? made : refused) += 1;
    if (!result) {
      EXPECT_FALSE(result.error().message.empty() || result.error().location.empty());
    }
  }

  void insert() {
    std::string text = random() % 8 == 0 ? "ROOT " : "";
    text += "%" + fresh("new") + " = " + other().shape.str() + " custom-call(%" + other().name +
            ", %" + other().name + "), custom_call_target=\"t\"";
    count(editor.insert(*computation, text, random() % 2 ? instruction : nullptr));
  }
  void insertParameter() {
    size_t next = 0;
    for (const auto &each : computation->instructions) {
      next += each->opcode == "parameter";
    }
    count(editor.insert(*computation, "%" + fresh("p") + " = f32[2,3]{1,0} parameter(" +
                                          std::to_string(next + random() % 8 / 7) + ")"));
  }
  void remove() { count(editor.remove(*computation, *instruction)); }
  void setOperands() {
    count(editor.setOperands(*computation, *instruction, {&other(), &other(), &other()}));
  }
  void replaceUses() { count(editor.replaceUses(*computation, *instruction, other())); }
  void setRoot() { count(editor.setRoot(*computation, *instruction)); }
  void setShape() {
    Shape shape = other().shape;
    if (shape.layout && shape.layout->minorToMajor.size() > 1) {
      std::swap(shape.layout->minorToMajor[0], shape.layout->minorToMajor[1]);
      shape.layout->setMemorySpace(static_cast<int64_t>(random() % 3));
    }
    count(editor.setShape(*computation, *instruction, shape));
  }
  void setAttribute() {
    switch (random() % 3) {
    case 0:
      count(editor.setAttribute(*computation, *instruction, "control-predecessors",
                                "{%" + other().name + "}"));
      break;
    case 1:
      count(editor.setAttribute(*computation, *instruction, "metadata",
                                "{op_name=\"" + fresh("o") + "\"}"));
      break;
    default:
      count(editor.setAttribute(*computation, *instruction, "to_apply",
                                "{\n      %y = f32[] parameter(0)\n    }"));
    }
  }
  void removeAttribute() {
    if (!instruction->attributes.empty()) {
      made += editor.removeAttribute(*instruction, pick(instruction->attributes).name);
    }
  }
  void rename() { count(editor.rename(*computation, *instruction, fresh("renamed"))); }
  void addComputation() {
    count(editor.add("%" + fresh("f") +
                         " (a: f32[2]) -> f32[2] {\n  %a = f32[2]{0} parameter(0)\n"
                         "  ROOT %r = f32[2]{0} add(%a, %a)\n}",
                     random() % 2 ? computation : nullptr));
  }
  void call() {
    Computation &callee = *pick(module.computations);
    if (!callee.isInline) {
      count(editor.insert(*computation, "%" + fresh("call") + " = f32[2]{0} call(%" + other().name +
                                            "), to_apply=%" + callee.name));
    }
  }
  void removeComputation() { count(editor.remove(*computation)); }

  std::mt19937 random;
  Module module;
  Removed removed;
  Editor editor{module, removed};
  Computation *computation = nullptr;
  Instruction *instruction = nullptr;
  size_t number = 0;
};
} // namespace

TEST(HloEditSequences, Models) {
  constexpr size_t steps = 60;
  size_t models = 0, made = 0, refused = 0;
  for (const auto &folder : std::filesystem::directory_iterator(
           std::filesystem::path(DRUMLIN_SOURCE_DIR) / "test" / "models")) {
    std::ifstream file(folder.path() / "optimized.hlo", std::ios::binary);
    if (!file) {
      continue;
    }
    ++models;
    std::stringstream text;
    text << file.rdbuf();
    std::string name = folder.path().filename().string();
    Session session(text.str(), std::accumulate(name.begin(), name.end(), 0U));
    std::string last = name;
    for (size_t i = 0; i < steps && !testing::Test::HasFatalFailure(); ++i) {
      last = name + ", step " + std::to_string(i) + ": " + session.step();
      session.expectWhole(last);
    }
    made += session.made;
    refused += session.refused;
  }
  EXPECT_GE(models, 20U);
  EXPECT_GT(made, models * steps / 2);
  EXPECT_GT(refused, models * steps / 8);
}

} // namespace drumlin::hlo
