// Writes JSON for the compiler: names in programs may be any bytes, but JSON is UTF-8.
#pragma once

#include "llvm/Support/JSON.h"

#include <string>
#include <type_traits>
#include <utility>

namespace drumlin {

// Returns the text, with U+FFFD in place of invalid UTF-8.
inline std::string validText(llvm::StringRef text) {
  return llvm::json::isUTF8(text) ? text.str() : llvm::json::fixUTF8(text);
}

// A writer that accepts any text; LLVM's writer treats invalid UTF-8 as its caller's error. Callers
// that pass a finished llvm::json::Value must make it valid themselves.
class JsonStream : public llvm::json::OStream {
public:
  using OStream::OStream;

  template <typename T> void value(T &&contents) {
    OStream::value(valid(std::forward<T>(contents)));
  }
  template <typename T> void attribute(llvm::StringRef key, T &&contents) {
    OStream::attribute(validText(key), valid(std::forward<T>(contents)));
  }
  template <typename Block> void attributeArray(llvm::StringRef key, Block contents) {
    OStream::attributeArray(validText(key), std::move(contents));
  }
  template <typename Block> void attributeObject(llvm::StringRef key, Block contents) {
    OStream::attributeObject(validText(key), std::move(contents));
  }
  void attributeBegin(llvm::StringRef key) { OStream::attributeBegin(validText(key)); }

private:
  template <typename T> static auto valid(T &&contents) {
    if constexpr (std::is_convertible_v<T, llvm::StringRef>) {
      return llvm::json::Value(validText(contents));
    } else {
      return llvm::json::Value(std::forward<T>(contents));
    }
  }
};

} // namespace drumlin
