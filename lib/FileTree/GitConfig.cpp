//===- GitConfig.cpp - One value of git's configuration -------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The format is that of git-config(1), as git 2.39 reads it: sections with
// lines `key = value`, in which quotes, escapes and a backslash at the end of a
// line have a meaning.
//
//===----------------------------------------------------------------------===//

#include "IgnoreFile.h"
#include "llvm/ADT/StringExtras.h"
#include <algorithm>
#include <string_view>

namespace headstart::detail {

/// Whether \p Text equals \p Word, which is in lower case, ignoring case.
static bool isWord(std::string_view Text, std::string_view Word) {
  return std::equal(Text.begin(), Text.end(), Word.begin(), Word.end(),
                    [](char A, char B) { return llvm::toLower(A) == B; });
}

namespace {
class ConfigReader {
public:
  explicit ConfigReader(llvm::StringRef Text) : Text(Text) {
    this->Text.consume_front("\xef\xbb\xbf");
  }

  std::optional<std::string> read() {
    std::optional<std::string> Found;
    while (char C = take()) {
      if (llvm::isSpace(C))
        continue;
      if (C == '#' || C == ';') {
        skipLine();
        continue;
      }
      if (C == '[') {
        if (!header())
          return Found;
        continue;
      }
      if (!llvm::isAlpha(C))
        return Found;
      std::string Key(1, C);
      while (llvm::isAlnum(peek()) || peek() == '-')
        Key.push_back(take());
      while (peek() == ' ' || peek() == '\t')
        take();
      if (peek() == 0 || peek() == '\n')
        continue; // A key without a value means "true".
      std::string Value;
      if (take() != '=' || !value(Value))
        return Found;
      if (InCore && isWord(Key, "excludesfile"))
        Found = std::move(Value);
    }
    return Found;
  }

private:
  /// The next byte, where "\r\n" counts as '\n'; 0 at the end, and for a NUL,
  /// which no configuration contains.
  char peek() const {
    if (Text.empty())
      return 0;
    return Text.starts_with("\r\n") ? '\n' : Text.front();
  }
  char take() {
    char C = peek();
    Text = Text.drop_front(Text.starts_with("\r\n") ? 2 : Text.empty() ? 0 : 1);
    return C;
  }
  void skipLine() {
    while (peek() && take() != '\n') {
    }
  }

  /// Reads a section's name after its '['. False if it is malformed. A section
  /// with a subsection has another name.
  bool header() {
    std::string Name;
    bool Quoted = false;
    while (char C = take()) {
      if (C == '\n')
        return false;
      if (C == '\\' && Quoted && !take())
        return false;
      if (C == '"')
        Quoted = !Quoted;
      if (C == ']' && !Quoted) {
        InCore = isWord(Name, "core");
        return true;
      }
      Name.push_back(C);
    }
    return false;
  }

  /// Reads a value from its '=' to the end of the line. False if it is
  /// malformed.
  bool value(std::string &Result) {
    bool Quoted = false;
    size_t Spaces = 0; // Those after Result. They count if more text follows.
    Result.clear();
    while (true) {
      char C = take();
      if (C == 0 || C == '\n')
        return !Quoted;
      if (!Quoted && (C == ' ' || C == '\t' || C == '\r')) {
        Spaces += !Result.empty();
        continue;
      }
      if (!Quoted && (C == '#' || C == ';')) {
        skipLine();
        return true;
      }
      Result.append(Spaces, ' ');
      Spaces = 0;
      if (C == '"') {
        Quoted = !Quoted;
        continue;
      }
      if (C == '\\') {
        C = take();
        if (C == '\n')
          continue;
        if (C == 't' || C == 'n' || C == 'b')
          C = C == 't' ? '\t' : C == 'n' ? '\n' : '\b';
        else if (C != '\\' && C != '"')
          return false;
      }
      Result.push_back(C);
    }
  }

  llvm::StringRef Text;
  bool InCore = false;
};
} // namespace

std::optional<std::string> configuredExcludes(llvm::StringRef Config) {
  return ConfigReader(Config).read();
}

} // namespace headstart::detail
