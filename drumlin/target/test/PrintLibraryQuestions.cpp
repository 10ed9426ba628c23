// usage: PrintLibraryQuestions TARGET: prints the questions of LibraryQuestions.h, one JSON object
// per line. Each object has the call, in the form that plans have, and whether the tables accept
// it.
#include "LibraryQuestions.h"

#include "drumlin/target/LibraryCallText.h"
#include "drumlin/target/LibraryCheck.h"

#include "llvm/Support/raw_ostream.h"

using namespace drumlin;

int main(int argc, char **argv) {
  const GpuTarget *target = argc == 2 ? findGpuTarget(argv[1]) : nullptr;
  if (!target) {
    llvm::errs() << "usage: PrintLibraryQuestions TARGET\n";
    return 2;
  }
  for (const LibraryQuestion &question : libraryQuestions(*target)) {
    std::optional<LibraryViolation> violation = violationOf(question.call, *target);
    JsonStream json(llvm::outs());
    json.object([&] {
      json.attribute("group", question.group);
      json.attribute("subject", question.subject);
      json.attribute("variation", question.variation);
      json.attribute("limit", violation ? info(violation->limit).name : "");
      json.attributeObject("call", [&] { writeLibraryCall(json, question.call, *target); });
    });
    llvm::outs() << '\n';
  }
  return 0;
}
