//===- Redirect.cpp - Redirection of a link's outputs ---------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "headstart/Bench/Bench.h"
#include "headstart/Link/ProfileStore.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"

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
  SmallString<256> Place = Directory;
  sys::path::append(Place, Unique);
  return std::string(Place);
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
      "lto-emit-llvm"};
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

/// Returns an option of the prefetcher in \p Command that the comparison sets
/// itself (for the statistics, the trace or the profile); else empty.
static std::string ownReport(const LinkCommand &Command) {
  for (const PrefetchOption &Option : Command.PrefetchOptions)
    if (Option.Name == "prefetch-stats" || Option.Name == "prefetch-trace" ||
        Option.Name == "prefetch-profile")
      return Option.Spelling;
  return "";
}

RedirectedLink redirect(ArrayRef<std::string> Args, const ForeignCommand &Link,
                        std::optional<Flavour> Forced, StringRef Directory) {
  RedirectedLink Result;
  const auto Fail = [&](const Twine &Why) {
    Result.Problem = Why.str();
    return std::move(Result);
  };
  if (!Link.Command || !Link.Command->Links || Link.Command->Outputs.empty())
    return Fail("'" + Args.front() + "': this command line names no inputs");
  if (Link.AlsoCompiles)
    return Fail("'" + Args.front() +
                "' also compiles with these arguments: compile first, then "
                "measure the link of the objects");
  if (std::string Option = sideEffect(Link); !Option.empty())
    return Fail("'" + Option +
                "' writes files that headstart bench cannot redirect");
  if (std::string Option = ownReport(*Link.Command); !Option.empty())
    return Fail("remove '" + Option +
                "': headstart bench sets it for each variant");
  std::vector<std::string> More = redirectingArgs(Link, Directory);
  if (Link.Driver)
    More = throughDriver(*Link.Driver, Link.Style, std::move(More),
                         llvm::any_of(Args, [](StringRef W) {
                           return W.equals_insensitive("/link") || W == "-link";
                         }));
  Result.Args.assign(Args.begin(), Args.end());
  llvm::append_range(Result.Args, std::move(More));

  ForeignCommand Again =
      readForeignCommand(Result.Args, Forced, /*Cancelled=*/nullptr);
  if (!Again.Command || !Again.Command->Links)
    return Fail(Again.Problem.empty() ? "with its outputs redirected, the "
                                        "command line no longer links"
                                      : Again.Problem);
  // The comparison runs links without LLD_REPRODUCE.
  const std::string Reproducer =
      sys::Process::GetEnv("LLD_REPRODUCE").value_or("");
  for (const LinkOutput &Output : Again.Command->Outputs)
    if (!isBelow(absolutePath(Output.Path), absolutePath(Directory)) &&
        Output.Path != Reproducer)
      return Fail("the link writes to '" + Output.Path +
                  "', and no known option redirects this output");
  Result.Command = std::move(*Again.Command);
  return Result;
}

} // namespace headstart
