//===- CommandLine.cpp - Arguments and who wrote them ---------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Expansion with provenance. llvm::cl::ExpandResponseFiles gives the same
// arguments, but does not report where they were written, also reads FIFOs, and
// prints errors. Headstart therefore has its own recursion, with LLVM's
// tokenizers.
//
//===----------------------------------------------------------------------===//

#include "headstart/Inputs/CommandLine.h"
#include "headstart/Inputs/LinkerModel.h"
#include "headstart/OS/MappedFile.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Allocator.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/ConvertUTF.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/StringSaver.h"

using namespace llvm;

namespace headstart {

CommandLineContext CommandLineContext::fromProcess() {
  CommandLineContext Context;
  Context.GetEnv = [](StringRef Name) { return sys::Process::GetEnv(Name); };
  return Context;
}

namespace {
/// The limit for all response files together: far more than any build has, and
/// cheap enough to read twice.
constexpr uint64_t MaxResponseBytes = uint64_t(256) << 20;
constexpr size_t MaxNesting = 64;
/// Files that include each other twice would double the work at every level.
constexpr size_t MaxResponseFiles = 10000;

class Expander {
public:
  Expander(cl::TokenizerCallback Tokenizer, ExpandedCommandLine &Result)
      : Tokenizer(Tokenizer), Result(Result) {}

  void add(StringRef Text, StringRef ResponseFile, StringRef Variable) {
    if (Text.size() > 1 && Text[0] == '@' && expand(Text.substr(1), Variable))
      return;
    Result.Args.push_back({Text.str(), ResponseFile.str(), Variable.str()});
  }

  /// Adds the arguments that \p Split finds in \p Text.
  void addAll(StringRef Text, cl::TokenizerCallback Split,
              StringRef ResponseFile, StringRef Variable) {
    BumpPtrAllocator Allocator;
    StringSaver Saver(Allocator);
    SmallVector<const char *, 0> Tokens;
    Split(Text, Saver, Tokens, /*MarkEOLs=*/false);
    for (const char *Token : Tokens)
      add(Token, ResponseFile, Variable);
  }

private:
  /// Adds the arguments in the response file \p Name; false if it fails.
  bool expand(StringRef Name, StringRef Variable);
  /// Returns the contents of \p File as UTF-8, or why they are not available.
  Expected<std::string> read(const os::OpenFile &File) const;

  cl::TokenizerCallback Tokenizer;
  ExpandedCommandLine &Result;
  SmallVector<os::FileIdentity, 8> Including; ///< outermost first
  size_t FilesRead = 0;
  uint64_t BytesLeft = MaxResponseBytes;
};
} // namespace

static Error refuse(const Twine &Why) { return createStringError(Why); }

Expected<std::string> Expander::read(const os::OpenFile &File) const {
  const os::FileIdentity &Own = File.identity();
  if (llvm::any_of(Including, [&](const os::FileIdentity &Outer) {
        return Own.isSameFile(Outer);
      }))
    return refuse("it includes itself");
  if (Including.size() >= MaxNesting)
    return refuse("more than " + Twine(MaxNesting) +
                  " response files include each other");
  if (FilesRead >= MaxResponseFiles)
    return refuse("there are more than " + Twine(MaxResponseFiles) +
                  " response files");
  if (File.size() > BytesLeft)
    return refuse("the response files together exceed 256 MiB");

  std::string Bytes(File.size(), '\0');
  std::error_code EC;
  Bytes.resize(File.readAt(0, Bytes, EC));
  if (EC)
    return refuse(EC.message());
  // Byte-order marks, as in LLVM 22 Support/CommandLine.cpp.
  ArrayRef<char> Encoded(Bytes.data(), Bytes.size());
  if (hasUTF16ByteOrderMark(Encoded)) {
    std::string Converted;
    if (!convertUTF16ToUTF8String(Encoded, Converted))
      return refuse("it is not valid UTF-16");
    return Converted;
  }
  if (StringRef(Bytes).starts_with("\xef\xbb\xbf"))
    Bytes.erase(0, 3);
  return Bytes;
}

bool Expander::expand(StringRef Name, StringRef Variable) {
  os::OpenFile File;
  // A relative name is relative to the current directory, also inside another
  // response file, because lld does not set RelativeNames.
  std::error_code EC = os::OpenFile::open(Name.str(), File);
  Expected<std::string> Bytes =
      !EC ? read(File)
      : EC == std::errc::operation_not_supported
          ? refuse("it is not a regular file, so only the linker may read it")
          : refuse(EC.message());
  if (!Bytes) {
    Result.Notes.push_back(
        ("the response file '" + Name +
         "' was not expanded: " + toString(Bytes.takeError()))
            .str());
    return false;
  }
  ++FilesRead;
  BytesLeft -= File.size();
  os::FileIdentity Identity = File.identity();
  File.close();

  Including.push_back(Identity);
  addAll(*Bytes, Tokenizer, Name, Variable);
  Including.pop_back();
  return true;
}

ExpandedCommandLine expandCommandLine(Flavour F, ArrayRef<std::string> Args,
                                      const CommandLineContext &Context) {
  ExpandedCommandLine Result;
  Result.Args.reserve(Args.size());
  LinkerModel::Expansion How = LinkerModel::of(F).expansionOf(Args);
  Expander E(How.Tokenizer, Result);
  for (StringRef Variable : How.Variables)
    if (std::optional<std::string> Value = Context.env(Variable))
      E.addAll(*Value, cl::TokenizeWindowsCommandLine, StringRef(), Variable);
  for (StringRef Arg : Args)
    E.add(Arg, StringRef(), StringRef());
  return Result;
}

} // namespace headstart
