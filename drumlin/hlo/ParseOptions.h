// Options of the HLO text parser.
#pragma once

namespace drumlin::hlo {

struct ParseOptions {
  // Maximum nesting of brackets in attributes and shapes. It is limited because the parser and the
  // destructors are recursive. Real programs nest fewer than 20 brackets.
  unsigned maxNesting = 200;
  // Whether the printed module keeps the text's comments and spaces. Turning this off saves time if
  // the module isn't printed.
  bool keepSpelling = true;
};

} // namespace drumlin::hlo
