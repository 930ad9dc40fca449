//===- COFFScanSupport.h - COFF files made up for tests ---------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_UNITTESTS_INPUTS_COFFSCANSUPPORT_H
#define HEADSTART_UNITTESTS_INPUTS_COFFSCANSUPPORT_H

#include "Formats/ArchiveTestSupport.h"
#include "Formats/BitcodeTestSupport.h"
#include "Formats/COFFTestSupport.h"
#include "TestSupport.h"
#include "headstart/Formats/FileInspector.h"
#include "headstart/Inputs/LinkCommand.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Endian.h"

namespace headstart::test {

/// Returns the \p Bytes low bytes of \p Value, the lowest first.
inline std::string little(uint64_t Value, unsigned Bytes) {
  std::string Result;
  for (unsigned I = 0; I != Bytes; ++I)
    Result += static_cast<char>(Value >> (8 * I));
  return Result;
}

struct MadeSection {
  std::string Name; ///< at most eight characters
  std::string Contents;
  uint32_t Characteristics = 0x00100A00; ///< those of .drectve
};

struct MadeObject {
  std::vector<MadeSection> Sections;
  bool Big = false;

  std::string bytes() const {
    std::vector<COFFSection> Headers;
    size_t At = (Big ? 56 : 20) + 40 * Sections.size();
    std::string Contents;
    for (const MadeSection &S : Sections) {
      Headers.push_back(
          {S.Name.c_str(), static_cast<uint32_t>(S.Contents.empty() ? 0 : At),
           static_cast<uint32_t>(S.Contents.size()), 0, 0, S.Characteristics});
      At += S.Contents.size();
      Contents += S.Contents;
    }
    return (Big ? bigHead(Headers, 0, 0) : plainHead(Headers, 0, 0)) + Contents;
  }
};

/// Returns an object with these directives.
inline std::string objectWith(std::string Directives, bool Big = false) {
  return MadeObject{{{".text$mn", "code"}, {".drectve", std::move(Directives)}},
                    Big}
      .bytes();
}

/// Returns a .debug$T whose first record refers to the PDB \p Path.
inline MadeSection typeServer(const std::string &Path) {
  std::string Record = little(0x1515, 2) + std::string(20, 'G') + Path + '\0';
  return {".debug$T", little(4, 4) + little(Record.size(), 2) + Record,
          0x42100040};
}

/// The bitcode blocks that linkers read.
struct MadeBitcode {
  std::string Directives;
  uint32_t Version = 3;
  uint32_t Offset = 5; ///< of the directives among the strings
  bool HasSymbols = true;

  std::string bytes() const {
    BitcodeWriter Writer;
    Writer.endModule();
    std::string Symbols = little(Version, 4) + std::string(56, '\0') +
                          little(Offset, 4) + little(Directives.size(), 4) +
                          std::string(8, '\0');
    if (HasSymbols)
      Writer.blob(bitc::SYMTAB_BLOCK_ID, Symbols);
    Writer.blob(bitc::STRTAB_BLOCK_ID, "12345" + Directives);
    return Writer.bytes();
  }
};

/// Returns the inputs that a scan of \p Named finds, each as "name", "name
/// (type server)" or "name (member)".
inline Strings scan(const LinkCommand &Command, const NamedInput &Named) {
  InputResolver Resolver(Command);
  ResolvedInput Resolved = Resolver.resolve(Named);
  os::OpenFile File;
  EXPECT_FALSE(os::OpenFile::open(Resolved.Path, File)) << Resolved.Path;
  FileInspector Inspector(File);
  Strings Result;
  for (const FoundInput &F : Resolver.scan(Named, Resolved.Path, Inspector)) {
    EXPECT_EQ(F.Input.From, Resolved.Path);
    EXPECT_EQ(F.Next, F.Input.Reason == InputReason::ArchiveMember);
    bool IsLibrary = F.Input.Reason == InputReason::EmbeddedDefaultLibrary;
    EXPECT_EQ(F.Input.Search,
              IsLibrary ? SearchRule::Library : SearchRule::Verbatim);
    std::string Text = F.Input.Name;
    if (F.Input.Reason == InputReason::TypeServer)
      Text += " (type server)";
    else if (F.Input.Reason == InputReason::ArchiveMember)
      Text += " (member)";
    Result.push_back(std::move(Text));
  }
  return Result;
}

/// Returns the same for the first input of a command line.
inline Strings scan(const Strings &Args) {
  LinkCommand Command = parse(Args);
  if (Command.Inputs.empty())
    return {"no input"};
  return scan(Command, Command.Inputs.front());
}

} // namespace headstart::test

#endif // HEADSTART_UNITTESTS_INPUTS_COFFSCANSUPPORT_H
