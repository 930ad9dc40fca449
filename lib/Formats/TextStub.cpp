//===- TextStub.cpp - Re-exports of a text-based stub ---------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM's TextAPIReader creates an object for every symbol, which takes the
// link's time, and its YAML and JSON parsers recurse for every bracket: a
// megabyte of '[' ends the program. A stub lists its re-exports in a handful of
// lines, and this reader skips the rest. It knows the forms of YAML that tapi
// and LLVM write: documents, keys, lists in brackets or with dashes, quoted and
// plain scalars. It finds nothing in other forms, whose files are then not
// fetched ahead.
//
//===----------------------------------------------------------------------===//

#include "headstart/Formats/TextStub.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"
#include <algorithm>

using namespace llvm;

namespace headstart {

/// Returns the length of the quoted scalar with which \p Text begins, with its
/// quotes. Adds the text between them to \p Word, unless that is null.
static size_t readQuoted(StringRef Text, std::string *Word) {
  const char Quote = Text.front();
  for (size_t I = 1; I < Text.size(); ++I) {
    // A single quote is doubled inside single quotes.
    const bool IsEscape =
        Quote == '"' ? Text[I] == '\\' : Text.substr(I, 2) == "''";
    if (IsEscape)
      ++I;
    else if (Text[I] == Quote)
      return I + 1;
    if (Word && I != Text.size())
      *Word += Text[I];
  }
  return Text.size();
}

/// Returns the scalar with which \p Text begins, without its quotes.
static std::string scalarOf(StringRef Text) {
  Text = Text.trim();
  if (Text.empty() || (Text.front() != '\'' && Text.front() != '"'))
    return Text.take_front(Text.find(" #")).rtrim().str();
  std::string Word;
  readQuoted(Text, &Word);
  return Word;
}

namespace {
/// Reads the parts of a document that matter here.
class YAMLStub {
public:
  explicit YAMLStub(StringRef Text) : Rest(Text) {}

  std::vector<StubDocument> read() {
    while (!Rest.empty())
      readLine();
    endItem();
    return std::move(Documents);
  }

private:
  void readLine() {
    StringRef Line = nextLine();
    if (Line.starts_with("---")) {
      endItem();
      Documents.emplace_back();
      Section = Key = StringRef();
      return;
    }
    StringRef Entry = Line.ltrim(' ');
    if (Documents.empty() || Entry.empty() || Entry.front() == '#' ||
        Line.starts_with("..."))
      return;
    size_t Indent = Line.size() - Entry.size();
    if (Entry.consume_front("- ")) {
      // An item with keys ends the one before it; a plain scalar does not.
      // Version 3 may put the dashes of a section at the section's indentation.
      Entry = Entry.ltrim(' ');
      if (Entry.find(": ") != StringRef::npos || Entry.ends_with(":"))
        endItem();
      Indent = std::max<size_t>(Indent, 1);
    }
    readEntry(Entry, Indent);
  }

  void readEntry(StringRef Entry, size_t Indent) {
    bool IsQuoted = Entry.starts_with("'") || Entry.starts_with("\"");
    size_t Colon = IsQuoted ? StringRef::npos : Entry.find(':');
    if (Colon == StringRef::npos ||
        (Colon + 1 < Entry.size() && !isSpace(Entry[Colon + 1]))) {
      // A scalar of a list with dashes.
      if (std::vector<std::string> *Into = listFor(Key))
        if (!Entry.empty())
          Into->push_back(scalarOf(Entry));
      return;
    }
    Key = Entry.take_front(Colon).rtrim();
    StringRef Value = Entry.drop_front(Colon + 1).trim();
    if (Indent == 0) {
      endItem();
      Section = Key;
      if (Key == "install-name")
        Documents.back().InstallName = scalarOf(Value);
    }
    if (Value.consume_front("["))
      readList(Value, listFor(Key));
    else if (!Value.empty() && Value.front() != '#')
      if (std::vector<std::string> *Into = listFor(Key))
        Into->push_back(scalarOf(Value));
  }

  /// Adds the scalars of a list in brackets to \p Into, if it is not null.
  /// \p Line follows the bracket; the list may end on a later line.
  void readList(StringRef Line, std::vector<std::string> *Into) {
    for (;;) {
      Line = Line.ltrim(" \t,");
      if (Line.empty() || Line.front() == '#') {
        if (Rest.empty())
          return;
        Line = nextLine();
        // A list without an end ends with its document.
        if (Line.starts_with("---") || Line.starts_with("..."))
          return;
        continue;
      }
      if (Line.front() == ']')
        return;
      size_t End;
      if (Line.front() == '\'' || Line.front() == '"')
        End = readQuoted(Line, /*Word=*/nullptr);
      else
        End = std::min(Line.find_first_of(",]"), Line.size());
      if (Into)
        Into->push_back(scalarOf(Line.take_front(End)));
      Line = Line.drop_front(End);
    }
  }

  void endItem() {
    if (Documents.empty())
      return;
    if (!Item.Names.empty())
      Documents.back().ReExports.push_back(std::move(Item));
    Item = StubReExports();
    Documents.back().HasClients |= !Clients.empty();
    Clients.clear();
  }

  /// Returns the list for the scalars after \p Key; null if they do not matter.
  std::vector<std::string> *listFor(StringRef Key) {
    bool IsExports = Section == "exports"; // versions 1 to 3
    if (Key == "targets" || Key == "archs")
      return &Item.Targets;
    if (Section == "reexported-libraries" ? Key == "libraries"
                                          : IsExports && Key == "re-exports")
      return &Item.Names;
    if (Section == "allowable-clients"
            ? Key == "clients"
            : IsExports && Key == "allowable-clients")
      return &Clients;
    return nullptr;
  }

  /// Takes the next line of the text.
  StringRef nextLine() {
    auto [Line, Behind] = Rest.split('\n');
    Rest = Behind;
    return Line.rtrim('\r');
  }

  StringRef Rest;
  std::vector<StubDocument> Documents;
  StringRef Section; ///< the key without indentation
  StringRef Key;     ///< the innermost key
  StubReExports Item;
  std::vector<std::string> Clients;
};
} // namespace

/// Whether json::parse, which recurses for each level, may parse \p Text.
static bool isShallow(StringRef Text) {
  constexpr unsigned MaxDepth = 64;
  unsigned Depth = 0;
  for (size_t I = 0; I < Text.size(); ++I) {
    switch (Text[I]) {
    case '"':
      for (++I; I < Text.size() && Text[I] != '"'; ++I)
        if (Text[I] == '\\')
          ++I;
      break;
    case '[':
    case '{':
      if (++Depth > MaxDepth)
        return false;
      break;
    case ']':
    case '}':
      // The parser has stopped before this.
      if (Depth-- == 0)
        return true;
      break;
    default:
      break;
    }
  }
  return true;
}

static void addStrings(const json::Object &From, StringRef Key,
                       std::vector<std::string> &Into) {
  if (const json::Array *Words = From.getArray(Key))
    for (const json::Value &Word : *Words)
      if (auto Text = Word.getAsString())
        Into.push_back(Text->str());
}

static StubDocument readJSONLibrary(const json::Object &Library) {
  StubDocument Document;
  if (const json::Array *Names = Library.getArray("install_names"))
    if (!Names->empty())
      if (const json::Object *First = Names->front().getAsObject())
        Document.InstallName = First->getString("name").value_or("").str();
  if (const json::Array *Entries = Library.getArray("reexported_libraries"))
    for (const json::Value &Entry : *Entries)
      if (const json::Object *Fields = Entry.getAsObject()) {
        StubReExports &Item = Document.ReExports.emplace_back();
        addStrings(*Fields, "targets", Item.Targets);
        addStrings(*Fields, "names", Item.Names);
      }
  const json::Array *Clients = Library.getArray("allowable_clients");
  Document.HasClients = Clients && !Clients->empty();
  return Document;
}

static std::vector<StubDocument> readJSON(StringRef Text) {
  std::vector<StubDocument> Documents;
  if (!isShallow(Text))
    return Documents;
  Expected<json::Value> Parsed = json::parse(Text);
  if (!Parsed) {
    consumeError(Parsed.takeError());
    return Documents;
  }
  const json::Object *Top = Parsed->getAsObject();
  const json::Object *Main = Top ? Top->getObject("main_library") : nullptr;
  if (!Main)
    return Documents;
  Documents.push_back(readJSONLibrary(*Main));
  if (const json::Array *Others = Top->getArray("libraries"))
    for (const json::Value &Other : *Others)
      if (const json::Object *Library = Other.getAsObject())
        Documents.push_back(readJSONLibrary(*Library));
  return Documents;
}

std::vector<StubDocument> readTextStub(StringRef Text) {
  return Text.starts_with("{") ? readJSON(Text) : YAMLStub(Text).read();
}

} // namespace headstart
