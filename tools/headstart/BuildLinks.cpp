//===- BuildLinks.cpp - The links of a build to come ----------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Build.h"
#include "headstart/Link/ForeignCommand.h"
#include "headstart/Link/ProfileStore.h"
#include "headstart/OS/Program.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Program.h"
#include <tuple>

using namespace llvm;

namespace headstart {

/// Returns the value of the option \p Name: the next argument, the text after
/// `=`, or, for a short option, the rest of the argument.
static std::optional<std::string> valueOf(ArrayRef<std::string> Args,
                                          StringRef Name) {
  for (size_t I = 1; I < Args.size(); ++I) {
    StringRef Arg = Args[I];
    if (Arg == "--")
      break;
    if (!Arg.consume_front(Name))
      continue;
    if (Arg.empty() && I + 1 != Args.size())
      return Args[I + 1];
    if (Arg.consume_front("=") || (!Arg.empty() && Name.size() == 2))
      return Arg.str();
  }
  return std::nullopt;
}

/// The build directory of cargo in \p Current: by default, it is next to the
/// workspace's Cargo.lock.
static std::string directoryOfCargo(ArrayRef<std::string> Args,
                                    StringRef Current) {
  const auto Absolute = [&](StringRef Path) {
    SmallString<256> Result(Path);
    sys::path::make_absolute(Current, Result);
    return absolutePath(Result);
  };
  if (auto Given = valueOf(Args, "--target-dir"))
    return Absolute(*Given);
  if (auto Given = sys::Process::GetEnv("CARGO_TARGET_DIR"))
    return Absolute(*Given);
  std::string Start = Absolute(
      sys::path::parent_path(valueOf(Args, "--manifest-path").value_or("")));
  for (StringRef Parent = Start; !Parent.empty();
       Parent = sys::path::parent_path(Parent))
    if (sys::fs::exists(Parent + "/Cargo.lock"))
      return (Parent + "/target").str();
  return Start;
}

/// Whether cargo links with \p Args; it has aliases, so other commands may.
static bool cargoLinks(ArrayRef<std::string> Args) {
  const auto *Command = find_if(Args.drop_front(), [](StringRef Arg) {
    return !Arg.starts_with("-") && !Arg.starts_with("+");
  });
  return Command == Args.end() ||
         !is_contained({"check", "c", "clippy", "clean", "doc", "d", "fix",
                        "fmt", "metadata", "tree"},
                       StringRef(*Command));
}

std::string buildDirectoryOf(const os::Ancestor &Tool) {
  return sys::path::filename(Tool.Args.front()) == "cargo"
             ? directoryOfCargo(Tool.Args, Tool.Directory)
             : Tool.Directory; // whatever their -C says
}

/// The targets in the arguments of `cmake --build`.
static std::vector<std::string> targetsOfCMake(ArrayRef<std::string> Args) {
  std::vector<std::string> Targets;
  bool AreTargets = false;
  for (StringRef Arg : Args) {
    if (Arg == "--")
      break;
    if (Arg.starts_with("-"))
      AreTargets = Arg == "--target" || Arg == "-t";
    else if (AreTargets)
      Targets.push_back(Arg.str());
  }
  return Targets;
}

/// Whether \p Arg is short options of which one is in \p Flags. The rest of
/// \p Arg after an option in \p Valued is its value.
static bool hasFlag(StringRef Arg, StringRef Flags, StringRef Valued) {
  if (!Arg.consume_front("-") || Arg.starts_with("-"))
    return false;
  const size_t First = Arg.find_first_of(Flags);
  return First != StringRef::npos && First < Arg.find_first_of(Valued);
}

/// Whether make runs no recipe with \p Args.
static bool isDryRun(ArrayRef<std::string> Args) {
  return any_of(Args, [](StringRef Arg) {
    return hasFlag(Arg, "nqthv", "CfIjloOWE") ||
           is_contained({"--dry-run", "--just-print", "--recon", "--question",
                         "--touch", "--help", "--version"},
                        Arg);
  });
}

static void readNinjaArgs(ArrayRef<std::string> Args, NinjaBuild &Ninja,
                          BuildCommandLine &Build) {
  Ninja.Ninja = {Args.front()};
  for (size_t I = 1; I < Args.size(); ++I) {
    const StringRef Arg = Args[I];
    if (!Arg.starts_with("-")) {
      Ninja.Targets.push_back(Arg.str());
      continue;
    }
    Build.Builds &= !hasFlag(Arg, "tnh", "Cfjkldw") && Arg != "--version" &&
                    Arg != "--help";
    I += Arg.size() == 2 && StringRef("Cfjkldwt").contains(Arg[1]);
  }
  if (auto Manifest = valueOf(Args, "-f"))
    Ninja.Ninja.insert(Ninja.Ninja.end(), {"-f", *Manifest});
}

BuildCommandLine readBuildCommandLine(ArrayRef<std::string> Args,
                                      const std::optional<std::string> &Given) {
  BuildCommandLine Build;
  const std::string Name =
      sys::path::stem(sys::path::filename(Args.front())).lower();
  std::optional<NinjaBuild> Ninja;
  std::string Found = valueOf(Args, "-C").value_or("");
  if (Name == "ninja" || Name == "ninja-build" || Name == "samu") {
    readNinjaArgs(Args, Ninja.emplace(), Build);
  } else if (Name == "cmake") {
    Found = valueOf(Args, "--build").value_or("");
    Build.Builds = !Found.empty();
    if (StringRef(Found).starts_with("-")) { // --build --preset NAME
      if (!Given)
        return Build;
      Found.clear();
    }
    Ninja.emplace().Ninja = {"ninja"};
    Ninja->Targets = targetsOfCMake(Args);
  } else if (Name == "meson") {
    Ninja.emplace().Ninja = {"ninja"};
  } else if (Name == "cargo") {
    Found = directoryOfCargo(Args, os::currentDirectory());
    Build.Builds = cargoLinks(Args);
  } else if (Name == "make" || Name == "gmake") {
    Found = valueOf(Args, "--directory").value_or(Found);
    Build.Builds = !isDryRun(Args.drop_front());
  } else {
    Found.clear();
  }
  Build.Directory = absolutePath(Given.value_or(Found));
  const bool HasManifest = sys::fs::exists(Build.Directory + "/build.ninja") ||
                           (Ninja && Ninja->Ninja.size() > 1); // -f
  if (!Ninja || !HasManifest)
    return Build;
  // The search starts here, because the current directory will change.
  if (auto Program = sys::findProgramByName(Ninja->Ninja.front())) {
    Ninja->Ninja.front() = absolutePath(*Program);
    Build.Ninja = std::move(Ninja);
  }
  return Build;
}

/// The profile of the link that writes one of \p Outputs.
static std::shared_ptr<const LinkProfile>
profileOf(ArrayRef<std::string> Outputs) {
  for (const std::string &Output : Outputs)
    for (const std::string &Path : profilesOf(Output))
      if (auto Profile = loadValidProfile(Path))
        return Profile;
  return nullptr;
}

/// The link among the commands in \p Shell, if there is one.
static std::vector<std::string> linkIn(StringRef Shell) {
  for (std::vector<std::string> &Args : commandsInShell(Shell)) {
    std::optional<KnownProgram> Program = recognizeProgram(Args);
    if (Program && !(Program->Driver && onlyCompiles(*Program->Driver, Args)))
      return std::move(Args);
  }
  return {};
}

static std::vector<UpcomingLink>
linksOfNinja(const NinjaBuild &Build, std::vector<NinjaStep> Steps,
             StringSet<> &Written, const std::atomic<bool> &Cancelled) {
  std::vector<UpcomingLink> Links;
  StringSet<> Rules;
  for (NinjaStep &Step : Steps) {
    for (const std::string &Output : Step.Outputs)
      Written.insert(absolutePath(Output));
    UpcomingLink Link;
    Link.Profile = profileOf(Step.Outputs);
    if (!Link.Profile && !Step.TakesOutputs)
      continue;
    Rules.insert(Step.Rule);
    Link.Output = std::move(Step.Outputs.front());
    Links.push_back(std::move(Link));
  }
  if (Links.empty())
    return Links;
  const std::vector<std::string> Names(Rules.keys().begin(),
                                       Rules.keys().end());
  StringMap<std::string> Commands = commandsOf(Build, Names, Cancelled);
  for (UpcomingLink &Link : Links)
    Link.Command = linkIn(Commands.lookup(Link.Output));
  llvm::erase_if(Links, [](const UpcomingLink &Link) {
    return !Link.Profile && Link.Command.empty();
  });
  return Links;
}

/// Returns the links that have a profile and an output in \p Directory, in the
/// order of their last runs; links whose output is missing come last.
static std::vector<UpcomingLink> recordedLinks(const std::string &Directory) {
  std::vector<UpcomingLink> Links;
  const std::string Real = os::currentDirectory();
  for (const std::string &Path : storedProfiles(profileDirectory())) {
    auto Profile = loadValidProfile(Path);
    // "ld.lld itself" is the tool of no link; see ProgramPages.
    if (Profile &&
        (isBelow(Profile->Output, Directory) ||
         isBelow(Profile->Output, Real)) &&
        !StringRef(Profile->Tool).ends_with(" itself"))
      Links.push_back({Profile->Output, Profile, {}});
  }
  llvm::sort(Links, [](const UpcomingLink &A, const UpcomingLink &B) {
    return std::tie(A.Profile->Recorded, A.Output) <
           std::tie(B.Profile->Recorded, B.Output);
  });
  std::vector<UpcomingLink> Sorted;
  for (const bool Exists : {true, false})
    for (const UpcomingLink &Link : Links)
      if (sys::fs::exists(Link.Output) == Exists)
        Sorted.push_back(Link);
  return Sorted;
}

std::vector<UpcomingLink> upcomingLinks(const BuildCommandLine &Build,
                                        StringSet<> &Written,
                                        const std::atomic<bool> &Cancelled) {
  if (Build.Ninja)
    if (auto Steps = queryNinja(*Build.Ninja, Cancelled))
      return linksOfNinja(*Build.Ninja, std::move(*Steps), Written, Cancelled);
  return recordedLinks(Build.Directory);
}

/// Whether the file that was planned is still there.
static bool isSame(const FileRanges &File) {
  std::error_code Error;
  const os::FileStatus Now = os::statFile(File.Path, Error);
  return Now.Kind == os::FileKind::Regular && File.areOf(Now.Identity);
}

/// The touched ranges of the files in \p Profile, and of its linker.
static std::vector<FileRanges> filesOfProfile(const LinkProfile &Profile) {
  std::vector<FileRanges> Files;
  // Headstart's linkers are this program; see ProgramPages.
  const auto Linker = loadValidProfile(
      profilePath("auto", Profile.Tool + " itself", os::codePath()));
  for (const LinkProfile *Each : {Linker.get(), &Profile}) {
    if (!Each)
      continue;
    const std::string Directory =
        directoryOf(*Each).value_or(os::currentDirectory());
    for (const RecordedFile &File : Each->Files)
      if (!File.Touched.empty())
        Files.push_back({sys::path::is_relative(File.Path)
                             ? Directory + "/" + File.Path
                             : File.Path,
                         File.Touched, File.Version});
  }
  return Files;
}

/// Returns what the link \p Args reads of files for which \p IsSkipped is
/// false.
static std::vector<FileRanges>
planLink(std::vector<std::string> Args, bool HasProfile,
         function_ref<bool(const std::string &)> IsSkipped,
         const std::atomic<bool> &Cancelled) {
  std::vector<FileRanges> Files;
  ForeignCommand Link =
      readForeignCommand(std::move(Args), std::nullopt, &Cancelled);
  if (!Link.Command || !Link.Command->Links)
    return Files;
  // Planning reads the inputs. The profile has most libraries, whose paths are
  // not known yet.
  llvm::erase_if(Link.Command->Inputs, [&](const NamedInput &Input) {
    return (HasProfile && isSearched(Input)) || IsSkipped(Input.Name);
  });
  std::vector<ListedInput> Inputs;
  for (PlannedFile &File : planInputs(*Link.Command, Inputs))
    if (!IsSkipped(File.Path))
      Files.push_back({absolutePath(File.Path), rangesOf(File.Ranges), {}});
  return Files;
}

std::vector<FileRanges> filesOf(const UpcomingLink &Link,
                                const StringSet<> &Written,
                                const std::atomic<bool> &Cancelled) {
  std::vector<FileRanges> Files;
  if (Link.Profile)
    Files = filesOfProfile(*Link.Profile);
  // The profile lacks files that were compiled since, and some of those that
  // were cached in every link.
  StringSet<> Known;
  llvm::erase_if(Files, [&](const FileRanges &File) {
    const std::string Absolute = absolutePath(File.Path);
    const bool IsWritten = Written.contains(Absolute);
    if (!IsWritten && isSame(File))
      Known.insert(Absolute);
    return IsWritten;
  });
  const auto IsSkipped = [&](const std::string &Path) {
    const std::string Absolute = absolutePath(Path);
    return Written.contains(Absolute) || Known.contains(Absolute);
  };
  const auto MayBeNew = [&](const std::string &Arg) {
    return !StringRef(Arg).starts_with("-") && !IsSkipped(Arg);
  };
  if (Link.Command.empty() || none_of(drop_begin(Link.Command), MayBeNew))
    return Files;
  std::vector<FileRanges> Planned =
      planLink(Link.Command, Link.Profile != nullptr, IsSkipped, Cancelled);
  StringSet<> New;
  for (const FileRanges &File : Planned)
    New.insert(File.Path);
  llvm::erase_if(Files, [&](const FileRanges &File) {
    return New.contains(absolutePath(File.Path));
  });
  llvm::append_range(Files, Planned);
  return Files;
}

} // namespace headstart
