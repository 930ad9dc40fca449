//===- IgnorePattern.cpp - One pattern of an ignore file ------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "IgnorePattern.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <optional>

namespace headstart::detail {

/// Removes spaces (not tabs, which git keeps) at the end of \p Line, except one
/// after a backslash. Spaces before a lone backslash at the end are kept.
static llvm::StringRef trimSpaces(llvm::StringRef Line) {
  size_t Kept = 0;
  for (size_t I = 0; I < Line.size(); ++I) {
    if (Line[I] == '\\') {
      if (++I == Line.size())
        return Line;
      Kept = I + 1;
    } else if (Line[I] != ' ') {
      Kept = I + 1;
    }
  }
  return Line.take_front(Kept);
}

bool parseIgnoreLine(llvm::StringRef Line, IgnoreLine &Result) {
  if (Line.empty() || Line.front() == '#')
    return false;
  Line.consume_back("\r");
  // git stores lines as C strings, so a NUL ends a line.
  Line = trimSpaces(Line.take_until([](char C) { return C == '\0'; }));
  Result.Negated = Line.consume_front("!");
  Result.DirectoriesOnly = Line.consume_back("/");
  Result.IsPath = Line.consume_front("/") || Line.contains('/');
  Result.Body = Line;
  return !Line.empty();
}

/// The members of the class `[:Name:]`; nothing for an unknown name. As in git,
/// they are ASCII, and `space` lacks \v and \f.
static std::optional<ByteSet> namedClass(llvm::StringRef Name) {
  using Test = bool (*)(char);
  static constexpr std::pair<llvm::StringLiteral, Test> Classes[] = {
      {"alnum", llvm::isAlnum},
      {"alpha", llvm::isAlpha},
      {"blank", [](char C) { return C == ' ' || C == '\t'; }},
      {"cntrl", [](char C) { return C < ' ' || C == 0x7f; }},
      {"digit", llvm::isDigit},
      {"graph", [](char C) { return llvm::isPrint(C) && C != ' '; }},
      {"lower", llvm::isLower},
      {"print", llvm::isPrint},
      {"punct",
       [](char C) {
         return llvm::isPrint(C) && C != ' ' && !llvm::isAlnum(C);
       }},
      {"space",
       [](char C) { return C == ' ' || C == '\t' || C == '\n' || C == '\r'; }},
      {"upper", llvm::isUpper},
      {"xdigit", llvm::isHexDigit}};
  for (const auto &[Known, Has] : Classes) {
    if (Name != Known)
      continue;
    ByteSet Result;
    for (unsigned Byte = 1; Byte <= 0x7f; ++Byte)
      Result[Byte] = Has(static_cast<char>(Byte));
    return Result;
  }
  return std::nullopt;
}

namespace {
/// Reads one pattern from left to right.
class GlobCompiler {
public:
  GlobCompiler(llvm::StringRef Body, bool IsPath, GlobTables &Tables)
      : Body(Body), IsPath(IsPath), Tables(Tables),
        FirstStep(Tables.Steps.size()) {}

  bool compile() {
    GlobBegin = std::min(Body.find_first_of("*?[\\"), Body.size());
    while (At < Body.size()) {
      char C = Body[At];
      if (C == '*') {
        stars();
        continue;
      }
      ++At;
      if (C == '?') {
        add(GlobOp::NoSlash);
      } else if (C == '[') {
        ByteSet Members;
        if (!set(Members))
          return false;
        add(GlobOp::Class, static_cast<uint32_t>(Tables.Classes.size()));
        Tables.Classes.push_back(Members);
      } else {
        if (C == '\\') {
          if (At == Body.size())
            return false;
          C = Body[At++];
        }
        add(GlobOp::Byte, static_cast<unsigned char>(C));
      }
    }
    return true;
  }

private:
  void add(GlobOp Op, uint32_t Operand = 0) {
    // A repeated step matches nothing more, and would cost time.
    bool Repeats = Op == GlobOp::Star || Op == GlobOp::Directories;
    if (Repeats && Tables.Steps.size() > FirstStep &&
        Tables.Steps.back().Op == Op)
      return;
    Tables.Steps.push_back({Op, Operand});
  }

  /// Compiles a run of '*'. Two or more of them differ from one only in a path,
  /// between slashes or at an end. The place where git begins to match counts
  /// as the beginning: `a**/b` matches `a/x/b` and `ab`, contrary to
  /// gitignore(5).
  void stars() {
    size_t Begin = At;
    At = std::min(Body.find_first_not_of('*', At), Body.size());
    bool Opens = Begin == GlobBegin || Body[Begin - 1] == '/';
    if (!IsPath || At - Begin < 2 || !Opens)
      return add(GlobOp::Star);
    if (At == Body.size() || (peek() == '\\' && peek(1) == '/'))
      return add(GlobOp::Deep);
    if (peek() != '/')
      return add(GlobOp::Star);
    ++At;
    add(GlobOp::Directories);
  }

  /// Compiles a set, after its '['. A ']' at its front is a member.
  bool set(ByteSet &Result) {
    bool Negated = peek() == '!' || peek() == '^';
    if (Negated)
      ++At;
    // The byte with which a range may begin, or 0.
    unsigned char Before = 0;
    bool First = true;
    for (; First || peek() != ']'; First = false) {
      unsigned char C = peek();
      if (C == 0)
        return false;
      ++At;
      if (C == '-' && Before && peek() && peek() != ']') {
        unsigned char Last = peek();
        ++At;
        if (Last == '\\') {
          Last = peek();
          ++At;
          if (Last == 0)
            return false;
        }
        for (unsigned B = Before; B <= Last; ++B)
          Result.set(B);
        Before = 0;
        continue;
      }
      if (C == '[' && peek() == ':') {
        // If no ":]" comes before the next ']', '[' and ':' are two members.
        size_t Close = Body.find(']', At + 1);
        if (Close == llvm::StringRef::npos)
          return false;
        llvm::StringRef Name = Body.slice(At + 1, Close);
        if (Name.consume_back(":")) {
          std::optional<ByteSet> Members = namedClass(Name);
          if (!Members)
            return false;
          Result |= *Members;
          At = Close + 1;
          Before = 0;
          continue;
        }
      } else if (C == '\\') {
        C = peek();
        ++At;
        if (C == 0)
          return false;
      }
      Result.set(C);
      Before = C;
    }
    ++At;
    if (Negated)
      Result.flip();
    Result.reset('/');
    return true;
  }

  /// The byte at the front, or 0 at the end.
  unsigned char peek(size_t Ahead = 0) const {
    return At + Ahead < Body.size() ? Body[At + Ahead] : 0;
  }

  const llvm::StringRef Body;
  const bool IsPath;
  GlobTables &Tables;
  const size_t FirstStep;
  /// The first special byte. git compares the bytes before it literally, and
  /// begins to match the pattern here.
  size_t GlobBegin = 0;
  size_t At = 0;
};
} // namespace

bool compileGlob(llvm::StringRef Body, bool IsPath, GlobTables &Tables) {
  return GlobCompiler(Body, IsPath, Tables).compile();
}

// Only the last star needs to be retried. A `*` that reaches a place from some
// start also reaches it from every earlier start in the same directory, and the
// number of slashes between the last `**` and the `*` is fixed. A `**` that
// reaches a place from some start reaches it from every earlier start, because
// `Directories` always follows a slash or plain bytes. Therefore the first way
// to reach a star is the best one.
bool matchGlob(llvm::ArrayRef<GlobStep> Steps, llvm::ArrayRef<ByteSet> Classes,
               llvm::StringRef Text) {
  constexpr size_t None = SIZE_MAX;
  size_t Step = 0;
  size_t At = 0;
  size_t Star = None; // the step after the last `*`
  size_t StarAt = 0;
  size_t Deep = None; // the last `**`
  size_t DeepAt = 0;
  while (true) {
    if (Step == Steps.size()) {
      if (At == Text.size())
        return true;
    } else {
      const GlobStep &S = Steps[Step];
      bool Matches = false;
      switch (S.Op) {
      case GlobOp::Star:
        Star = ++Step;
        StarAt = At;
        continue;
      case GlobOp::Deep:
      case GlobOp::Directories:
        Deep = Step++;
        DeepAt = At;
        Star = None;
        continue;
      case GlobOp::Byte:
        Matches = At < Text.size() && S.isByte(Text[At]);
        break;
      case GlobOp::NoSlash:
        Matches = At < Text.size() && Text[At] != '/';
        break;
      case GlobOp::Class:
        Matches = At < Text.size() &&
                  Classes[S.Operand][static_cast<unsigned char>(Text[At])];
        break;
      }
      if (Matches) {
        ++Step;
        ++At;
        continue;
      }
    }
    if (Star != None && StarAt < Text.size() && Text[StarAt] != '/') {
      At = ++StarAt;
      Step = Star;
      continue;
    }
    if (Deep == None)
      return false;
    if (Steps[Deep].Op == GlobOp::Directories) {
      size_t Slash = Text.find('/', DeepAt);
      if (Slash == llvm::StringRef::npos)
        return false;
      DeepAt = Slash + 1;
    } else if (DeepAt++ == Text.size()) {
      return false;
    }
    At = DeepAt;
    Step = Deep + 1;
    Star = None;
  }
}

llvm::StringRef IgnoreQuery::pathFrom(size_t Offset) {
  if (Path.empty())
    Path.append({Above, "/", Directory, Directory.empty() ? "" : "/", Name});
  return Path.str().drop_front(Offset);
}

std::unique_ptr<const PatternList> PatternList::parse(llvm::StringRef Text,
                                                      std::string &Problem) {
  Text.consume_front("\xef\xbb\xbf");
  std::unique_ptr<PatternList> List(new PatternList);
  for (llvm::StringRef Line : llvm::split(Text, '\n')) {
    IgnoreLine Parsed;
    if (!parseIgnoreLine(Line, Parsed))
      continue;
    List->add(Parsed);
    if (List->Patterns.size() > MaxPatterns) {
      Problem =
          "the file has more than " + std::to_string(MaxPatterns) + " patterns";
      return nullptr;
    }
  }
  if (List->Patterns.empty())
    return nullptr;
  // A list lives while the walk is below its directory, so free unused memory.
  List->Patterns.shrink_to_fit();
  List->Globs.Steps.shrink_to_fit();
  List->Globs.Classes.shrink_to_fit();
  return List;
}

/// The byte that \p Step matches, or -1 for any.
static int16_t byteOf(const GlobStep &Step) {
  return Step.Op == GlobOp::Byte ? static_cast<int16_t>(Step.Operand) : -1;
}

/// Whether \p Byte of a pattern, which may be any, matches \p Of.
static bool mayBe(int16_t Byte, char Of) {
  return Byte < 0 || Byte == static_cast<unsigned char>(Of);
}

void PatternList::add(const IgnoreLine &Line) {
  const size_t OldSteps = Globs.Steps.size();
  const size_t OldClasses = Globs.Classes.size();
  const bool CanMatch = compileGlob(Line.Body, Line.IsPath, Globs);
  llvm::ArrayRef<GlobStep> Steps =
      llvm::ArrayRef(Globs.Steps).drop_front(OldSteps);
  // The matched paths do not begin with a slash.
  if (!CanMatch || Steps.empty() || Steps.front().isByte('/')) {
    Globs.Steps.resize(OldSteps);
    Globs.Classes.resize(OldClasses);
    return;
  }
  Pattern P;
  P.GlobBegin = static_cast<uint32_t>(OldSteps);
  P.GlobEnd = static_cast<uint32_t>(Globs.Steps.size());
  P.First = byteOf(Steps.front());
  P.Last = byteOf(Steps.back());
  P.IsPath = Line.IsPath;
  P.Negated = Line.Negated;
  P.DirectoriesOnly = Line.DirectoriesOnly;
  Patterns.push_back(P);
}

IgnoreVerdict PatternList::match(IgnoreQuery &Query, size_t Offset) const {
  const llvm::StringRef Name = Query.Name;
  for (const Pattern &P : llvm::reverse(Patterns)) {
    if (!mayBe(P.Last, Name.back()) ||
        (P.DirectoriesOnly && !Query.IsDirectory))
      continue;
    const llvm::StringRef Text = P.IsPath ? Query.pathFrom(Offset) : Name;
    if (mayBe(P.First, Text.front()) &&
        matchGlob(llvm::ArrayRef(Globs.Steps)
                      .slice(P.GlobBegin, P.GlobEnd - P.GlobBegin),
                  Globs.Classes, Text))
      return P.Negated ? IgnoreVerdict::Include : IgnoreVerdict::Ignore;
  }
  return IgnoreVerdict::None;
}

} // namespace headstart::detail
