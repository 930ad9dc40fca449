//===- BenchOutputs.cpp - The outputs of links: moved, and compared -------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BenchRun.h"
#include "headstart/FileTree/Record.h"
#include "headstart/Link/ProfileStore.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/xxhash.h"
#include <set>

using namespace llvm;

namespace headstart {

/// Returns a path in \p Directory with the file name of \p Path, but no name in
/// \p Taken, to which it adds the name.
static std::string placeFor(StringRef Path, StringRef Directory,
                            StringSet<> &Taken) {
  // link.exe takes paths with slashes and backslashes.
  StringRef Name = Path.substr(Path.find_last_of("/\\") + 1);
  std::string Unique = Name.empty() ? "output" : Name.str();
  while (!Taken.insert(Unique).second)
    Unique.insert(0, "other-");
  return joined(Directory, Unique);
}

/// Returns an option without its dashes (or slash); "" if \p Arg is none.
static StringRef optionIn(StringRef Arg, Flavour Style) {
  if (Arg.consume_front("--") || Arg.consume_front("-") ||
      (Style == Flavour::COFF && Arg.consume_front("/")))
    return Arg;
  return "";
}

/// Whether \p Link has the option \p Option, with a value or without.
static bool has(const ForeignCommand &Link, StringRef Option) {
  return llvm::any_of(Link.Args, [&](const CommandLineArg &Arg) {
    StringRef Name = optionIn(Arg.Text, Link.Style);
    return Name.take_until([](char C) { return C == ':' || C == '='; })
        .equals_insensitive(Option);
  });
}

/// Returns the arguments that, after \p Link's own, redirect its outputs to
/// \p Directory, in the linker's syntax. In every known linker a later option
/// overrides an earlier one. A link for Windows also gets an option that omits
/// the time, without which no two outputs would be identical.
static std::vector<std::string> redirectingArgs(const ForeignCommand &Link,
                                                StringRef Directory) {
  std::vector<std::string> Result;
  StringSet<> Taken;
  for (const LinkOutput &Output : Link.Command->Outputs) {
    StringRef Option = Output.Option;
    if (Option.empty())
      continue; // its path is derived from another
    Result.push_back(Output.Option);
    std::string Place = placeFor(Output.Path, Directory, Taken);
    if (Option.ends_with(":") || Option.ends_with("="))
      Result.back() += Place;
    else
      Result.push_back(std::move(Place));
  }
  if (Link.Style == Flavour::COFF && !has(Link, "Brepro") &&
      !has(Link, "timestamp"))
    Result.emplace_back("/Brepro");
  // This is a link for Windows with GNU's arguments.
  if (Link.Style == Flavour::ELF && Link.Command->Kind == Flavour::COFF)
    Result.emplace_back("--no-insert-timestamp");
  return Result;
}

/// Returns \p Args in the syntax in which a compiler driver passes them on.
static std::vector<std::string> throughDriver(DriverKind Driver, Flavour Style,
                                              std::vector<std::string> Args,
                                              bool HasLinkOption) {
  std::vector<std::string> Result;
  if (Driver == DriverKind::ClangCL) {
    // All arguments after /link are the linker's.
    if (!HasLinkOption)
      Result.emplace_back("/link");
    llvm::append_range(Result, std::move(Args));
    return Result;
  }
  for (size_t I = 0; I != Args.size(); ++I) {
    StringRef Arg = Args[I];
    // The driver has its own option for the image.
    if (Arg == "-o" && I + 1 != Args.size()) {
      Result.push_back(std::move(Args[I]));
      Result.push_back(std::move(Args[++I]));
    } else if (Style == Flavour::COFF && Arg.consume_front("/out:")) {
      Result.emplace_back("-o");
      Result.push_back(Arg.str());
    } else {
      Result.emplace_back("-Xlinker");
      Result.push_back(std::move(Args[I]));
    }
  }
  return Result;
}

/// Returns an option with which the linker writes files that no option can
/// redirect: next to its inputs, or in directories that it chooses. Else empty.
static std::string sideEffect(const ForeignCommand &Link) {
  static constexpr StringRef Options[] = {
      "save-temps",
      "lldsavetemps",
      "thinlto-index-only",
      "thinlto-emit-index-files",
      "thinlto-emit-imports-files",
      "plugin-opt=thinlto-index-only",
      "plugin-opt=thinlto-emit-imports-files",
      "plugin-opt=save-temps",
      "plugin-opt=dwo_dir",
      "plugin-opt=emit-asm",
      "plugin-opt=emit-llvm",
      "lto-emit-asm",
      "lto-emit-llvm",
      "linkrepro"};
  for (const CommandLineArg &Arg : Link.Args) {
    StringRef Text = optionIn(Arg.Text, Link.Style);
    for (StringRef Option : Options) {
      StringRef Rest = Text;
      if (Link.Style == Flavour::COFF ? !Rest.consume_front_insensitive(Option)
                                      : !Rest.consume_front(Option))
        continue;
      if (Rest.empty() || Rest.starts_with("=") || Rest.starts_with(":"))
        return Arg.Text;
    }
  }
  return "";
}

Expected<RedirectedLink> redirect(ArrayRef<std::string> Args,
                                  const ForeignCommand &Link,
                                  std::optional<Flavour> Forced,
                                  StringRef Directory) {
  if (Link.AlsoCompiles)
    return createStringError(
        "'" + Args.front() +
        "' also compiles with these arguments: compile first, then "
        "measure the link of the objects");
  if (std::string Option = sideEffect(Link); !Option.empty())
    return createStringError(
        "'" + Option + "' writes files that headstart bench cannot redirect");
  for (const PrefetchOption &Option : Link.Command->PrefetchOptions)
    if (setsReport(Option.Name))
      return createStringError("remove '" + Option.Spelling +
                               "': headstart bench sets it for each variant");
  std::vector<std::string> More = redirectingArgs(Link, Directory);
  if (Link.Driver)
    More = throughDriver(*Link.Driver, Link.Style, std::move(More),
                         llvm::any_of(Args, [](StringRef W) {
                           return W.equals_insensitive("/link") || W == "-link";
                         }));
  RedirectedLink Result;
  Result.Args.assign(Args.begin(), Args.end());
  llvm::append_range(Result.Args, std::move(More));

  ForeignCommand Again =
      readForeignCommand(Result.Args, Forced, /*Cancelled=*/nullptr);
  if (!Again.Command || !Again.Command->Links)
    return createStringError(Again.Problem.empty()
                                 ? "with its outputs redirected, the "
                                   "command line no longer links"
                                 : Again.Problem);
  // The comparison runs links without LLD_REPRODUCE.
  const std::string Reproducer =
      sys::Process::GetEnv("LLD_REPRODUCE").value_or("");
  for (const LinkOutput &Output : Again.Command->Outputs)
    if (!isBelow(absolutePath(Output.Path), absolutePath(Directory)) &&
        Output.Path != Reproducer)
      return createStringError("the link writes to '" + Output.Path +
                               "', and no known option redirects this output");
  Result.Command = std::move(*Again.Command);
  return Result;
}

Scratch::~Scratch() {
  if (!Directory.empty())
    (void)sys::fs::remove_directories(Directory);
}

static Error cannot(const Twine &What, std::error_code Error) {
  return createStringError(Error, "cannot " + What + ": " + Error.message());
}

/// Follows all links; the real path has no `..`.
static void resolve(SmallString<256> &Path) {
  SmallString<256> Real;
  if (!sys::fs::real_path(Path, Real))
    Path = Real;
}

/// Makes a directory in \p Parent whose name begins with \p Name, and sets \p
/// Path to it.
static std::error_code makeIn(StringRef Parent, StringRef Name,
                              SmallString<256> &Path) {
  Path = Parent;
  sys::path::append(Path, withUniqueEnd(Name + "-"));
  return sys::fs::create_directory(Path, /*IgnoreExisting=*/false);
}

/// Whether a directory may be made next to \p Output. This excludes devices,
/// and paths with '%', which lld takes for a pattern.
static bool canBeNextToOutput(StringRef Output, StringRef Directory) {
  sys::fs::file_status Status;
  return !Directory.contains('%') &&
         (sys::fs::status(Output, Status) || sys::fs::is_regular_file(Status));
}

Error Scratch::make(StringRef Output) {
  SmallString<256> Parent = Output;
  (void)sys::fs::make_absolute(Parent);
  sys::path::remove_filename(Parent);
  if (!sys::fs::is_directory(Parent))
    return createStringError("the output's directory '" + Parent +
                             "' does not exist");
  resolve(Parent);
  SmallString<256> Path;
  IsNextToOutput = canBeNextToOutput(Output, Parent) &&
                   !makeIn(Parent, ".headstart-bench", Path);
  if (!IsNextToOutput) {
    sys::path::system_temp_directory(/*ErasedOnReboot=*/true, Parent);
    resolve(Parent);
    if (makeIn(Parent, "headstart-bench", Path))
      return createStringError("cannot create a directory for outputs, neither "
                               "beside '" +
                               Output + "' nor in '" + Parent + "'");
  }
  Directory = std::string(Path);
  return clearOutputs();
}

Error Scratch::clearOutputs() const {
  (void)sys::fs::remove_directories(outputs()); // it may not exist
  if (std::error_code Error = sys::fs::create_directory(outputs()))
    return cannot("create the directory '" + outputs() + "'", Error);
  return Error::success();
}

Expected<OutputFiles> Scratch::readOutputs() const {
  OutputFiles Files;
  std::error_code Error;
  const std::string Base = outputs();
  for (sys::fs::recursive_directory_iterator I(Base, Error), End;
       !Error && I != End; I.increment(Error)) {
    if (!sys::fs::is_regular_file(I->path()))
      continue;
    auto Buffer = MemoryBuffer::getFile(I->path(), /*IsText=*/false,
                                        /*RequiresNullTerminator=*/false);
    if (!Buffer)
      return cannot("read '" + I->path() + "'", Buffer.getError());
    StringRef Bytes = (*Buffer)->getBuffer();
    // The output of --time-trace contains times.
    if (Bytes.starts_with("{\"traceEvents\""))
      continue;
    const XXH128_hash_t Hash =
        xxh3_128bits(ArrayRef(Bytes.bytes_begin(), Bytes.bytes_end()));
    Files[StringRef(I->path()).drop_front(Base.size() + 1).str()] = {
        Bytes.size(), Hash.low64, Hash.high64};
  }
  if (Error)
    return cannot("read the directory '" + Base + "'", Error);
  return Files;
}

Error Bench::keepOutputs(size_t Variant) {
  Expected<OutputFiles> Files = Place.readOutputs();
  if (!Files)
    return Files.takeError();
  if (!llvm::is_contained(Written[Variant], *Files))
    Written[Variant].push_back(std::move(*Files));
  return Error::success();
}

Error Bench::linkForOutputs(size_t Variant) {
  if (Error E =
          link(unwatched(Variants[Variant]), /*Watch=*/nullptr).takeError())
    return E;
  return keepOutputs(Variant);
}

/// Returns the names of the files that differ between \p A and \p B: "a, b".
static std::string differences(const OutputFiles &A, const OutputFiles &B) {
  std::set<std::string> Names;
  for (const auto *Files : {&A, &B})
    for (const auto &[Name, File] : *Files) {
      const auto InA = A.find(Name);
      const auto InB = B.find(Name);
      if (InA == A.end() || InB == B.end() || !(InA->second == InB->second))
        Names.insert(Name);
    }
  return join(Names, ", ");
}

/// Compares the outputs of the variants \p Group up to the first difference.
Error Bench::compareOutputs(ArrayRef<size_t> Group) {
  const size_t First = Group.front();
  std::optional<size_t> Other;
  for (const size_t Variant : Group)
    for (const OutputFiles &Files : Written[Variant])
      if (!Other && Files != Written[First].front())
        Other = Variant;
  // Check that the first variant writes the same bytes twice, before reporting
  // a difference between variants.
  if (Other && Written[First].size() == 1)
    if (Error E = linkForOutputs(First))
      return E;
  if (Written[First].size() > 1) {
    Report.SameOutputs.reset();
    Report.OutputNote = "The outputs cannot be compared: two links of '" +
                        Variants[First].Name + "' wrote different bytes to " +
                        differences(Written[First][0], Written[First][1]) + ".";
    return Error::success();
  }
  Report.SameOutputs = !Other;
  if (!Other)
    return Error::success();
  for (const OutputFiles &Files : Written[*Other])
    if (Files != Written[First].front())
      Report.OutputNote = "'" + Variants[*Other].Name + "' and '" +
                          Variants[First].Name + "' differ in " +
                          differences(Written[First].front(), Files) + ".";
  return Error::success();
}

Error Bench::compareOutputs() {
  // A PDB contains the command line, and the image the PDB's checksum.
  const bool HasArguments =
      llvm::any_of(Command->Outputs, [](const LinkOutput &Output) {
        const StringRef Option = Output.Option;
        return Option.contains_insensitive("pdb") ||
               Option.contains_insensitive("reproduce") ||
               StringRef(Output.Path).ends_with_insensitive(".pdb");
      });
  std::vector<size_t> Same;
  std::vector<size_t> Own;
  for (size_t I = 0; I != Variants.size(); ++I)
    if (!Written[I].empty())
      (HasArguments && Variants[I].WritesOwnOutput ? Own : Same).push_back(I);
  if (Same.empty() && Own.empty()) {
    Report.OutputNote = "There are no outputs to compare.";
    return Error::success();
  }
  if (!Same.empty())
    if (Error E = compareOutputs(Same))
      return E;
  if (Own.empty() || (!Same.empty() && !Report.SameOutputs.value_or(false)))
    return Error::success();
  if (Error E = compareOutputs(Own))
    return E;
  if (Report.SameOutputs.value_or(false))
    Report.OutputNote = "('" + Variants[Own.front()].Name +
                        "' is compared with itself: a PDB and the file of "
                        "/reproduce contain the command line.)";
  return Error::success();
}

} // namespace headstart
