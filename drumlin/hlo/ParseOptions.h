// How HLO text is read.
#pragma once

namespace drumlin::hlo {

struct ParseOptions {
  // Brackets in one another, of attributes and shapes. Programs have less than 20; readers and
  // destructors of the tree are recursive.
  unsigned maxNesting = 200;
  // Whether the module prints comments and spaces as the text has them. Who doesn't print it saves
  // the time of comparing.
  bool keepSpelling = true;
};

} // namespace drumlin::hlo
