// Drops and merges the program's results and arguments.
#include "drumlin/driver/reduce/Edits.h"
#include "drumlin/driver/reduce/ProgramReductions.h"
#include "drumlin/ir/plan/Entry.h"
#include "llvm/ADT/BitVector.h"

using namespace mlir;

namespace drumlin::reduce {

// Changes `return a, b, c` to `return b`.
void dropResults(Search &search) {
  forEachChunk(
      search, [&]() -> size_t { return search.entry().getNumResults(); },
      [&](size_t begin, size_t end) {
        if (end - begin == search.entry().getNumResults()) {
          return;
        }
        search.attempt("dropping results", [&](ModuleOp module) {
          eraseResults(entryFunction(module), begin, end);
          return true;
        });
      });
}

// Changes `return f(a, b)` to `return a`.
void retractResults(Search &search) {
  for (unsigned i = search.entry().getNumResults(); i-- > 0;) {
    unsigned count = 1;
    for (unsigned k = 0; k < count && !search.isOver(); ++k) {
      search.attempt("returning operands", [&](ModuleOp module) {
        func::FuncOp entry = entryFunction(module);
        Operation *terminator = entry.getBody().front().getTerminator();
        Operation *op = terminator->getOperand(i).getDefiningOp();
        count = op ? op->getNumOperands() : 0;
        if (k >= count) {
          return false;
        }
        terminator->setOperand(i, op->getOperand(k));
        updateType(entry);
        return true;
      });
    }
  }
}

// Drops unused arguments; tries all of them at once first.
static void dropUnused(Search &search) {
  auto dropUnusedOf = [&](size_t begin, size_t end) {
    return search.attempt("dropping arguments", [&](ModuleOp module) {
      func::FuncOp entry = entryFunction(module);
      llvm::BitVector unused(entry.getNumArguments());
      for (BlockArgument argument : entry.getArguments()) {
        if (argument.use_empty() && argument.getArgNumber() >= begin &&
            argument.getArgNumber() < end) {
          unused.set(argument.getArgNumber());
        }
      }
      return unused.any() && succeeded(entry.eraseArguments(unused));
    });
  };
  auto count = [&]() -> size_t { return search.entry().getNumArguments(); };
  if (!dropUnusedOf(0, count())) {
    forEachChunk(search, count, dropUnusedOf);
  }
}

// Changes f(a, b) to f(a, a), for arguments a and b of one type.
static void mergeArguments(Search &search) {
  for (unsigned i = search.entry().getNumArguments(); i-- > 1;) {
    for (unsigned into = 0; into < i && !search.isOver(); ++into) {
      bool isMerged = search.attempt("merging arguments", [&](ModuleOp module) {
        func::FuncOp entry = entryFunction(module);
        BlockArgument argument = entry.getArgument(i), other = entry.getArgument(into);
        if (argument.getType() != other.getType()) {
          return false;
        }
        argument.replaceAllUsesWith(other);
        return succeeded(entry.eraseArgument(i));
      });
      if (isMerged) {
        break;
      }
    }
  }
}

void dropArguments(Search &search) {
  dropUnused(search);
  mergeArguments(search);
}

} // namespace drumlin::reduce
