//===- GitConfig.cpp - One value of git's configuration -------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The format is that of git-config(1): sections with lines `key = value`, in
// which quotes, escapes and a backslash at the end of a line have a meaning.
// git rejects a file with a malformed line; this reader skips the line.
//
//===----------------------------------------------------------------------===//

#include "IgnoreFile.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace headstart::detail {

static void skipLine(StringRef &Text) { Text = Text.split('\n').second; }

/// Removes the rest of a line from \p Text, and the lines that continue it.
/// Returns its value: the text after a '='.
static std::string takeValue(StringRef &Text) {
  std::string Value;
  size_t Length = 0; // without the spaces at the end
  bool Quoted = false;
  while (!Text.empty()) {
    char C = Text.front();
    Text = Text.drop_front();
    if (C == '\n')
      break;
    if (!Quoted && (C == '#' || C == ';')) {
      skipLine(Text);
      break;
    }
    if (C == '"') {
      Quoted = !Quoted;
    } else if (C != '\\') {
      if (Quoted || Length != 0 || !isSpace(C))
        Value.push_back(C);
      if (!Quoted && isSpace(C))
        continue;
    } else if (!Text.consume_front("\n") && !Text.consume_front("\r\n") &&
               !Text.empty()) {
      C = Text.front();
      Text = Text.drop_front();
      Value.push_back(C == 't' ? '\t' : C == 'n' ? '\n' : C == 'b' ? '\b' : C);
    }
    Length = Value.size();
  }
  Value.resize(Length);
  return Value;
}

std::optional<std::string> configuredExcludes(StringRef Text) {
  std::optional<std::string> Found;
  bool InCore = false;
  Text.consume_front("\xef\xbb\xbf");
  while (!(Text = Text.ltrim()).empty()) {
    if (Text.consume_front("[")) {
      // The name of a section with a subsection is another one: core "x".
      StringRef Section =
          Text.take_until([](char C) { return C == ']' || C == '\n'; });
      InCore = Section.equals_insensitive("core");
      Text = Text.drop_front(Section.size());
      Text.consume_front("]");
      continue;
    }
    StringRef Key =
        Text.take_while([](char C) { return isAlnum(C) || C == '-'; });
    Text = Text.drop_front(Key.size()).ltrim(" \t");
    if (!Text.consume_front("=")) {
      skipLine(Text); // a comment, a key without a value, or malformed
      continue;
    }
    std::string Value = takeValue(Text);
    if (InCore && Key.equals_insensitive("excludesfile"))
      Found = std::move(Value);
  }
  return Found;
}

} // namespace headstart::detail
