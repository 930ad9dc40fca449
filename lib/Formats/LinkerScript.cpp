//===- LinkerScript.cpp - Dependencies of linker scripts ------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The tokens are those of lld 22 ELF/ScriptLexer.cpp outside of expressions,
// the commands those of ELF/ScriptParser.cpp. The reader skips everything else
// by its parentheses and braces. It does not recurse, so a script of braces
// alone does no harm.
//
//===----------------------------------------------------------------------===//

#include "headstart/Formats/LinkerScript.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace headstart {

/// No real script has as many names, each of which costs a search.
static constexpr size_t MaxNames = 65536;

namespace {
class Lexer {
public:
  explicit Lexer(StringRef Text) : Rest(Text) {}

  /// The next token; empty at the end.
  StringRef next() {
    skipSpace();
    if (Rest.empty())
      return {};
    if (Rest.front() == '"') {
      size_t End = Rest.find('"', 1);
      // lld reports an unclosed quote.
      return take(End == StringRef::npos ? Rest.size() : End + 1);
    }
    if (Rest.starts_with("<<=") || Rest.starts_with(">>="))
      return take(3);
    if (Rest.size() > 1 && Rest[1] == '=' &&
        StringRef("+-*/!&^|").contains(Rest[0]))
      return take(2);
    size_t End = Rest.find_first_not_of(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
        "_.$/\\~=+[]*?-!^:");
    return take(std::max<size_t>(std::min(End, Rest.size()), 1));
  }

private:
  void skipSpace() {
    for (;;) {
      Rest = Rest.ltrim();
      if (Rest.starts_with("/*")) {
        size_t End = Rest.find("*/", 2);
        Rest = End == StringRef::npos ? StringRef() : Rest.drop_front(End + 2);
      } else if (Rest.starts_with("#")) {
        Rest = Rest.drop_front(std::min(Rest.find('\n'), Rest.size()));
      } else {
        return;
      }
    }
  }

  StringRef take(size_t Length) {
    StringRef Token = Rest.take_front(Length);
    Rest = Rest.drop_front(Token.size());
    return Token;
  }

  StringRef Rest;
};

class Reader {
public:
  Reader(StringRef Text, bool IsPart) : Tokens(Text), IsPart(IsPart) {}

  std::vector<ScriptName> run() {
    for (;;) {
      StringRef Token = Tokens.next();
      if (Token.empty())
        return std::move(Names);
      if (readCommand(Token))
        continue;
      if (!IsPart)
        return std::move(Names);
      // The command that includes this text is unknown here.
      while (!(Token = Tokens.next()).empty())
        if (Token == "INCLUDE" &&
            !add(ScriptName::Kind::Include, Tokens.next()))
          return std::move(Names);
    }
  }

private:
  bool readCommand(StringRef Command) {
    if (Command == ";")
      return true;
    if (Command == "INPUT" || Command == "GROUP")
      return readInputs();
    if (Command == "INCLUDE")
      return add(ScriptName::Kind::Include, Tokens.next());
    if (Command == "SEARCH_DIR")
      return readDirectory();
    if (is_contained({"ENTRY", "EXTERN", "OUTPUT", "OUTPUT_ARCH",
                      "OUTPUT_FORMAT", "REGION_ALIAS", "TARGET", "NOCROSSREFS",
                      "NOCROSSREFS_TO", "ASSERT", "PROVIDE", "HIDDEN",
                      "PROVIDE_HIDDEN"},
                     Command))
      return Tokens.next() == "(" && skipPast("(", ")");
    if (is_contained(
            {"MEMORY", "OVERWRITE_SECTIONS", "PHDRS", "SECTIONS", "VERSION"},
            Command))
      return Tokens.next() == "{" && skipPast("{", "}");
    return skipAssignment();
  }

  /// Reads what follows INPUT or GROUP.
  bool readInputs() {
    if (Tokens.next() != "(")
      return false;
    for (unsigned Depth = 1; Depth != 0;) {
      StringRef Token = Tokens.next();
      if (Token == ")") {
        --Depth;
      } else if (Depth == 1 && Token == "AS_NEEDED") {
        if (Tokens.next() != "(")
          return false;
        ++Depth;
      } else if (!add(ScriptName::Kind::Input, Token)) {
        return false;
      }
    }
    return true;
  }

  bool readDirectory() {
    return Tokens.next() == "(" &&
           add(ScriptName::Kind::Directory, Tokens.next()) &&
           Tokens.next() == ")";
  }

  /// Skips to the end of what \p Opening, which was read already, encloses.
  bool skipPast(StringRef Opening, StringRef Closing) {
    for (size_t Depth = 1; Depth != 0;) {
      StringRef Token = Tokens.next();
      if (Token.empty())
        return false;
      if (Token == Opening)
        ++Depth;
      else if (Token == Closing)
        --Depth;
      else if (Token == "INCLUDE" && Opening == "{" &&
               !add(ScriptName::Kind::Include, Tokens.next()))
        return false;
    }
    return true;
  }

  /// Skips the rest of `symbol = expression;`, whose first token was read.
  bool skipAssignment() {
    StringRef Operator = Lexer(Tokens).next();
    bool IsAssignment = Operator.starts_with("=") ||
                        (Operator.size() == 2 && Operator[1] == '=' &&
                         StringRef("+-*/&^|").contains(Operator[0])) ||
                        Operator == "<<=" || Operator == ">>=";
    if (!IsAssignment)
      return false;
    StringRef Token;
    do
      Token = Tokens.next();
    while (!Token.empty() && Token != ";");
    return !Token.empty();
  }

  bool add(ScriptName::Kind What, StringRef Token) {
    if (Token.consume_front("\"") && !Token.consume_back("\""))
      return false;
    if (Token.empty() || Names.size() == MaxNames)
      return false;
    Names.push_back({What, Token});
    return true;
  }

  Lexer Tokens;
  bool IsPart;
  std::vector<ScriptName> Names;
};
} // namespace

std::vector<ScriptName> readLinkerScript(StringRef Text, bool IsPart) {
  return Reader(Text, IsPart).run();
}

} // namespace headstart
