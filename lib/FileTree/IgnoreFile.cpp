//===- IgnoreFile.cpp - Find and read the files that ignore ---------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "IgnoreFile.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"

namespace headstart::detail {

namespace {
/// The limit for git's own small files, which contain paths.
constexpr size_t MaxPathFileBytes = size_t(64) << 10;
constexpr size_t MaxConfigBytes = size_t(1) << 20;

using FileText = llvm::SmallVector<char, 4096>;
} // namespace

/// Reads a whole file of at most \p Limit bytes.
static std::error_code readWhole(const os::DirectoryHandle &Directory,
                                 const char *Name, size_t Limit,
                                 FileText &Text) {
  Text.resize_for_overwrite(std::min(Text.capacity(), Limit));
  while (true) {
    size_t Filled = 0;
    uint64_t Size = 0;
    if (std::error_code Error = Directory.readFile(Name, Text, Filled, Size))
      return Error;
    if (Size > Limit)
      return std::make_error_code(std::errc::file_too_large);
    if (Filled < Text.size() || Size <= Filled) {
      Text.truncate(Filled);
      return {};
    }
    Text.resize_for_overwrite(static_cast<size_t>(Size));
  }
}

static llvm::StringRef textOf(const FileText &Text) {
  return {Text.data(), Text.size()};
}

static void addProblem(std::vector<std::string> &Problems,
                       llvm::StringRef Shown, llvm::StringRef What) {
  Problems.push_back((Shown + ": " + What).str());
}

PatternListPtr readIgnoreFile(const os::DirectoryHandle &Directory,
                              const char *Name, os::LinkRule Links,
                              llvm::StringRef Shown,
                              std::vector<std::string> &Problems) {
  if (Links == os::LinkRule::Refuse) {
    os::DirectoryEntry Entry;
    Entry.Name = Name;
    if (!Directory.addStatus(Entry) && Entry.Type == os::EntryType::Link) {
      addProblem(Problems, Shown,
                 "this is a symbolic link, which git does not follow");
      return nullptr;
    }
  }
  FileText Text;
  std::error_code Error =
      readWhole(Directory, Name, PatternList::MaxFileBytes, Text);
  if (Error) {
    // Only a regular file has patterns. Like git, do not report other types.
    if (!os::isMissing(Error) && Error != std::errc::operation_not_supported)
      addProblem(Problems, Shown, Error.message());
    return nullptr;
  }
  std::string Problem;
  PatternListPtr List = PatternList::parse(textOf(Text), Problem);
  if (!Problem.empty())
    addProblem(Problems, Shown, Problem);
  return List;
}

/// Opens the directory \p Path, which may be relative to \p From.
static std::error_code openFrom(const os::DirectoryHandle &From,
                                llvm::StringRef Path,
                                os::DirectoryHandle &Result) {
  return llvm::sys::path::is_absolute(Path)
             ? os::DirectoryHandle::open(Path.str(), Result)
             : From.openBelow(Path.str().c_str(), os::LinkRule::Follow, Result);
}

/// Opens as \p Git the directory above a repository's info/exclude, given the
/// \p Directory of `.git`. If `.git` names none, \p Git stays closed.
static std::error_code openRepository(const os::DirectoryHandle &Directory,
                                      os::DirectoryHandle &Git) {
  FileText Text;
  std::error_code Error =
      Directory.openBelow(".git", os::LinkRule::Follow, Git);
  if (Error == std::errc::not_a_directory) {
    Error = readWhole(Directory, ".git", MaxPathFileBytes, Text);
    llvm::StringRef Path = textOf(Text).rtrim("\r\n");
    if (Error || !Path.consume_front("gitdir: "))
      return Error;
    Error = openFrom(Directory, Path, Git);
  }
  if (Error)
    return Error;
  Error = readWhole(Git, "commondir", MaxPathFileBytes, Text);
  if (os::isMissing(Error))
    return {};
  os::DirectoryHandle Common;
  if (!Error)
    Error = openFrom(Git, textOf(Text).rtrim("\r\n"), Common);
  Git = std::move(Common);
  return Error;
}

PatternListPtr readRepositoryExcludes(const os::DirectoryHandle &Directory,
                                      llvm::StringRef Shown,
                                      std::vector<std::string> &Problems) {
  os::DirectoryHandle Git;
  os::DirectoryHandle Info;
  std::error_code Error = openRepository(Directory, Git);
  if (!Error && Git.isOpen())
    Error = Git.openBelow("info", os::LinkRule::Follow, Info);
  Git.close();
  if (Error && !os::isMissing(Error))
    addProblem(Problems, Shown, Error.message());
  if (Error || !Info.isOpen())
    return nullptr;
  return readIgnoreFile(Info, "exclude", os::LinkRule::Follow, Shown, Problems);
}

/// Opens the parent directory of \p Path and returns its last part in \p Name.
static std::error_code openParent(llvm::StringRef Path,
                                  os::DirectoryHandle &Directory,
                                  std::string &Name) {
  Name = llvm::sys::path::filename(Path).str();
  return os::DirectoryHandle::open(llvm::sys::path::parent_path(Path).str(),
                                   Directory);
}

PatternListPtr readUserExcludes(std::vector<std::string> &Problems) {
  using llvm::sys::Process;
  std::string Home = Process::GetEnv("HOME").value_or("");
  llvm::SmallString<128> HomeDirectory(Home);
  if (Home.empty() && !llvm::sys::path::home_directory(HomeDirectory))
    HomeDirectory.clear();

  llvm::SmallString<128> ConfigDirectory(
      Process::GetEnv("XDG_CONFIG_HOME").value_or(""));
  if (ConfigDirectory.empty() && !HomeDirectory.empty()) {
    ConfigDirectory = HomeDirectory;
    llvm::sys::path::append(ConfigDirectory, ".config");
  }

  // The second file takes precedence.
  llvm::SmallString<128> Excludes;
  llvm::SmallVector<llvm::SmallString<128>, 2> Configs;
  if (!ConfigDirectory.empty()) {
    llvm::sys::path::append(ConfigDirectory, "git");
    Excludes = ConfigDirectory;
    llvm::sys::path::append(Excludes, "ignore");
    llvm::sys::path::append(Configs.emplace_back(ConfigDirectory), "config");
  }
  if (!HomeDirectory.empty())
    llvm::sys::path::append(Configs.emplace_back(HomeDirectory), ".gitconfig");
  for (llvm::StringRef Config : Configs) {
    os::DirectoryHandle Directory;
    std::string Name;
    FileText Text;
    if (openParent(Config, Directory, Name) ||
        readWhole(Directory, Name.c_str(), MaxConfigBytes, Text))
      continue;
    if (std::optional<std::string> Value = configuredExcludes(textOf(Text)))
      Excludes = *Value;
  }

  llvm::StringRef Rest = Excludes;
  if (Rest.consume_front("~/")) {
    llvm::SmallString<128> Below(HomeDirectory);
    llvm::sys::path::append(Below, Rest);
    Excludes = Below;
  }
  // A relative path would name a different file in each repository.
  os::DirectoryHandle Directory;
  std::string Name;
  if (!llvm::sys::path::is_absolute(Excludes) ||
      openParent(Excludes, Directory, Name))
    return nullptr;
  return readIgnoreFile(Directory, Name.c_str(), os::LinkRule::Follow, Excludes,
                        Problems);
}

} // namespace headstart::detail
