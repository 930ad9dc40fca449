//===- IgnoreRules.cpp - .gitignore and its kin ---------------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The order of the files follows git 2.39 for its own files and ripgrep 15 for
// `.ignore`; patterns within a file follow git (see IgnorePattern.h). A
// directory has two lists, of `.ignore` files and of git's. Lists share their
// tails, so that a scope costs a few machine words at any depth.
//
//===----------------------------------------------------------------------===//

#include "headstart/FileTree/IgnoreRules.h"
#include "IgnorePattern.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include <array>
#include <cassert>

namespace headstart {

using namespace detail;

namespace {
/// The limit for git's own small files, which contain paths.
constexpr size_t MaxPathFileBytes = size_t(64) << 10;
constexpr size_t MaxConfigBytes = size_t(1) << 20;

using FileText = llvm::SmallString<4096>;
using FilePath = llvm::SmallString<128>;
using PatternListPtr = std::shared_ptr<const PatternList>;
} // namespace

/// Reads a whole file of at most \p Limit bytes.
static std::error_code readWhole(const os::DirectoryHandle &Directory,
                                 const char *Name, size_t Limit,
                                 FileText &Text) {
  os::OpenFile File;
  if (std::error_code Error = Directory.openFile(Name, File))
    return Error;
  if (File.size() > Limit)
    return std::make_error_code(std::errc::file_too_large);
  // Some file systems report a size of 0 for files that they generate.
  Text.resize_for_overwrite(
      std::max(static_cast<size_t>(File.size()), Text.capacity()));
  std::error_code Error;
  Text.truncate(File.readAt(0, Text, Error));
  return Error;
}

/// Reads the file \p Name in \p Directory. Returns null if it has no patterns,
/// does not exist, or cannot be read (a link cannot with `LinkRule::Refuse`).
/// In the last case it is reported as \p Shown. Blocks.
static PatternListPtr readIgnoreFile(const os::DirectoryHandle &Directory,
                                     const char *Name, os::LinkRule Links,
                                     llvm::StringRef Shown,
                                     IgnoreProblem Report) {
  const auto Fail = [&](llvm::StringRef What) {
    if (Report)
      Report(Shown, What);
  };
  if (Links == os::LinkRule::Refuse) {
    os::DirectoryEntry Entry;
    Entry.Name = Name;
    if (!Directory.addStatus(Entry) && Entry.Type == os::EntryType::Link) {
      Fail("this is a symbolic link, which git does not follow");
      return nullptr;
    }
  }
  FileText Text;
  std::error_code Error =
      readWhole(Directory, Name, PatternList::MaxFileBytes, Text);
  if (Error) {
    // Only a regular file has patterns. Like git, do not report other types.
    if (!os::isMissing(Error) && Error != std::errc::operation_not_supported)
      Fail(Error.message());
    return nullptr;
  }
  std::string Problem;
  PatternListPtr List = PatternList::parse(Text, Problem);
  if (!Problem.empty())
    Fail(Problem);
  return List;
}

/// Opens the directory that \p Text names, the contents of one of git's files;
/// a relative path begins at \p From. Replaces \p From by its path.
static std::error_code openNamed(llvm::StringRef Text, FilePath &From,
                                 os::DirectoryHandle &Result) {
  Text = Text.rtrim("\r\n");
  if (llvm::sys::path::is_absolute(Text))
    From = Text;
  else
    llvm::sys::path::append(From, Text);
  return os::DirectoryHandle::open(std::string(From), Result);
}

/// Opens as \p Git the directory above a repository's info/exclude, given the
/// \p Directory of `.git` and its \p Path. If `.git` names none, \p Git stays
/// closed.
static std::error_code openRepository(const os::DirectoryHandle &Directory,
                                      FilePath Path, os::DirectoryHandle &Git) {
  FileText Text;
  bool MayBeMount = false;
  std::error_code Error =
      Directory.openChild(".git", os::LinkRule::Follow, Git, MayBeMount);
  if (Error == std::errc::not_a_directory) {
    Error = readWhole(Directory, ".git", MaxPathFileBytes, Text);
    llvm::StringRef Named = Text;
    if (Error || !Named.consume_front("gitdir: "))
      return Error;
    Error = openNamed(Named, Path, Git);
  } else {
    llvm::sys::path::append(Path, ".git");
  }
  if (Error)
    return Error;
  Error = readWhole(Git, "commondir", MaxPathFileBytes, Text);
  if (os::isMissing(Error))
    return {};
  os::DirectoryHandle Common;
  if (!Error)
    Error = openNamed(Text, Path, Common);
  Git = std::move(Common);
  return Error;
}

/// Like readIgnoreFile, for info/exclude of the repository whose `.git` is in
/// \p Directory, of the absolute path \p Path. `.git` is a directory, or a file
/// that names one (work trees, submodules); a file `commondir` in it may name
/// another directory.
static PatternListPtr
readRepositoryExcludes(const os::DirectoryHandle &Directory,
                       llvm::StringRef Path, llvm::StringRef Shown,
                       IgnoreProblem Report) {
  os::DirectoryHandle Git;
  os::DirectoryHandle Info;
  bool MayBeMount = false;
  std::error_code Error = openRepository(Directory, FilePath(Path), Git);
  if (!Error && Git.isOpen())
    Error = Git.openChild("info", os::LinkRule::Follow, Info, MayBeMount);
  Git.close();
  if (Error && !os::isMissing(Error) && Report)
    Report(Shown, Error.message());
  if (Error || !Info.isOpen())
    return nullptr;
  return readIgnoreFile(Info, "exclude", os::LinkRule::Follow, Shown, Report);
}

// The format is that of git-config(1): sections with lines `key = value`, in
// which quotes, escapes and a backslash at the end of a line have a meaning.
// git rejects a file with a malformed line; this reader skips the line.

static void skipLine(llvm::StringRef &Text) { Text = Text.split('\n').second; }

/// Removes the rest of a line from \p Text, and the lines that continue it.
/// Returns its value: the text after a '='.
static std::string takeValue(llvm::StringRef &Text) {
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
      if (Quoted || Length != 0 || !llvm::isSpace(C))
        Value.push_back(C);
      if (!Quoted && llvm::isSpace(C))
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

std::optional<std::string> detail::configuredExcludes(llvm::StringRef Text) {
  std::optional<std::string> Found;
  bool InCore = false;
  Text.consume_front("\xef\xbb\xbf");
  while (!(Text = Text.ltrim()).empty()) {
    if (Text.consume_front("[")) {
      // The name of a section with a subsection is another one: core "x".
      llvm::StringRef Section =
          Text.take_until([](char C) { return C == ']' || C == '\n'; });
      InCore = Section.equals_insensitive("core");
      Text = Text.drop_front(Section.size());
      Text.consume_front("]");
      continue;
    }
    llvm::StringRef Key =
        Text.take_while([](char C) { return llvm::isAlnum(C) || C == '-'; });
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

/// Opens the parent directory of \p Path and returns its last part in \p Name.
static std::error_code openParent(llvm::StringRef Path,
                                  os::DirectoryHandle &Directory,
                                  std::string &Name) {
  Name = llvm::sys::path::filename(Path).str();
  return os::DirectoryHandle::open(llvm::sys::path::parent_path(Path).str(),
                                   Directory);
}

static std::string below(llvm::StringRef Directory, const llvm::Twine &Name,
                         const llvm::Twine &Inner = "") {
  llvm::SmallString<128> Path(Directory);
  llvm::sys::path::append(Path, Name, Inner);
  return std::string(Path);
}

/// Like readIgnoreFile, for the user's excludes: the file that
/// core.excludesFile names in the user's git configuration, or git's default.
static PatternListPtr readUserExcludes(IgnoreProblem Report) {
  using llvm::sys::Process;
  std::string Home = Process::GetEnv("HOME").value_or("");
  if (llvm::SmallString<128> Found;
      Home.empty() && llvm::sys::path::home_directory(Found))
    Home = std::string(Found);
  std::string Config = Process::GetEnv("XDG_CONFIG_HOME").value_or("");
  if (Config.empty() && !Home.empty())
    Config = below(Home, ".config");
  std::string Excludes;
  // The second file takes precedence.
  llvm::SmallVector<std::string, 2> Configs;
  if (!Config.empty()) {
    Excludes = below(Config, "git", "ignore");
    Configs.push_back(below(Config, "git", "config"));
  }
  if (!Home.empty())
    Configs.push_back(below(Home, ".gitconfig"));
  for (llvm::StringRef Path : Configs) {
    os::DirectoryHandle Directory;
    std::string Name;
    FileText Text;
    if (openParent(Path, Directory, Name) ||
        readWhole(Directory, Name.c_str(), MaxConfigBytes, Text))
      continue;
    if (std::optional<std::string> Value = configuredExcludes(Text))
      Excludes = std::move(*Value);
  }
  if (llvm::StringRef(Excludes).starts_with("~/") && !Home.empty())
    Excludes = below(Home, Excludes.substr(2));
  // A relative path would name a different file in each repository.
  os::DirectoryHandle Directory;
  std::string Name;
  if (!llvm::sys::path::is_absolute(Excludes) ||
      openParent(Excludes, Directory, Name))
    return nullptr;
  return readIgnoreFile(Directory, Name.c_str(), os::LinkRule::Follow, Excludes,
                        Report);
}

namespace {
/// An ignore file in a list.
struct IgnoreLayer {
  PatternListPtr Patterns;
  /// The offset in an entry's absolute path after the file's directory and '/'.
  size_t Offset = 0;
  const IgnoreLayer *Next = nullptr;
};
} // namespace

class IgnoreScope {
public:
  /// A scope without rules in the tree whose root is \p Above.
  explicit IgnoreScope(std::shared_ptr<const std::string> Above)
      : Above(std::move(Above)) {}
  /// A scope that begins with the rules of \p Parent.
  explicit IgnoreScope(const IgnoreScopePtr &Parent)
      : Parent(Parent), Above(Parent->Above), Dot(Parent->Dot),
        Git(Parent->Git), InRepository(Parent->InRepository) {}
  IgnoreScope(const IgnoreScope &) = delete;
  IgnoreScope &operator=(const IgnoreScope &) = delete;

  // The chain of scopes is as long as a path is deep, so the destructor must
  // not recurse. If another thread drops a scope at the same time, the thread
  // that drops it last destroys it, also by this destructor.
  ~IgnoreScope() {
    IgnoreScopePtr Last = std::move(Parent);
    while (Last && Last.use_count() == 1)
      Last = IgnoreScopePtr(Last->Parent);
  }

  /// Prepends \p Patterns, those of a file, to \p List if they are not null.
  void push(const IgnoreLayer *&List, PatternListPtr Patterns, size_t Offset) {
    if (!Patterns)
      return;
    assert(Used != Own.size());
    Own[Used] = {std::move(Patterns), Offset, List};
    List = &Own[Used++];
  }

  bool isIgnored(IgnoreQuery &Query) const {
    for (const IgnoreLayer *First : {Dot, Git})
      for (const IgnoreLayer *L = First; L; L = L->Next)
        if (const IgnoreVerdict Found = L->Patterns->match(Query, L->Offset);
            Found != IgnoreVerdict::None)
          return Found == IgnoreVerdict::Ignore;
    return false;
  }

  IgnoreScopePtr Parent;
  /// The absolute path of the walk's root, without '/' at its end.
  std::shared_ptr<const std::string> Above;
  const IgnoreLayer *Dot = nullptr; ///< the list of `.ignore` files
  const IgnoreLayer *Git = nullptr; ///< the list of git's files
  bool InRepository = false;

private:
  /// Room for .gitignore, info/exclude, the user's excludes and .ignore.
  std::array<IgnoreLayer, 4> Own;
  size_t Used = 0;
};

IgnoreRules::IgnoreRules(IgnoreProblem Report)
    : User(readUserExcludes(Report)) {}

IgnoreRules::~IgnoreRules() = default;

static std::string joined(llvm::StringRef Directory, llvm::StringRef Name) {
  if (Directory.empty())
    return Name.str();
  return (Directory + (Directory.ends_with("/") ? "" : "/") + Name).str();
}

/// Returns the scope of \p Path, a child directory of that of \p Parent. Its
/// names begin at \p Offset. \p Shown is its path for messages.
static IgnoreScopePtr
enterDirectory(const PatternListPtr &User, const IgnoreScopePtr &Parent,
               size_t Offset, const std::string &Path, llvm::StringRef Shown,
               const os::DirectoryHandle &Directory, IgnorePresence Present,
               IgnoreProblem Report) {
  using os::LinkRule;
  PatternListPtr Excludes;
  PatternListPtr GitIgnore;
  PatternListPtr DotIgnore;
  if (Present.Git)
    Excludes = readRepositoryExcludes(
        Directory, Path, joined(Shown, ".git/info/exclude"), Report);
  if (Present.GitIgnore && (Present.Git || Parent->InRepository))
    GitIgnore = readIgnoreFile(Directory, ".gitignore", LinkRule::Refuse,
                               joined(Shown, ".gitignore"), Report);
  if (Present.DotIgnore)
    DotIgnore = readIgnoreFile(Directory, ".ignore", LinkRule::Follow,
                               joined(Shown, ".ignore"), Report);
  if (!GitIgnore && !DotIgnore && !Present.Git)
    return Parent;

  auto Scope = std::make_shared<IgnoreScope>(Parent);
  if (Present.Git) {
    Scope->InRepository = true;
    Scope->Git = nullptr;
    Scope->push(Scope->Git, User, Offset);
    Scope->push(Scope->Git, std::move(Excludes), Offset);
  }
  Scope->push(Scope->Git, std::move(GitIgnore), Offset);
  Scope->push(Scope->Dot, std::move(DotIgnore), Offset);
  return Scope;
}

IgnoreScopePtr IgnoreRules::above(llvm::StringRef Root,
                                  IgnoreProblem Report) const {
  llvm::SmallString<256> Real;
  if (llvm::sys::fs::real_path(Root.empty() ? "." : Root, Real))
    Real.clear();
  const std::string Path =
      llvm::StringRef(llvm::sys::path::convert_to_slash(Real)).rtrim('/').str();
  auto Above = std::make_shared<const std::string>(Path);
  IgnoreScopePtr Scope = std::make_shared<IgnoreScope>(Above);
  bool RootIsIgnored = false;
  // A root of Windows has a name: `C:` alone would be that drive's current
  // directory.
  const llvm::StringRef Top = llvm::sys::path::root_path(Path);
  for (size_t End = llvm::sys::path::root_name(Path).size();
       End < Path.size();) {
    llvm::StringRef Base = llvm::StringRef(Path).take_front(End);
    size_t Next = std::min(Path.find('/', End + 1), Path.size());
    llvm::StringRef Child = llvm::StringRef(Path).slice(End + 1, Next);
    os::DirectoryHandle Directory;
    const llvm::StringRef Place = Base.size() < Top.size() ? Top : Base;
    if (!os::DirectoryHandle::open(Place.str(), Directory)) {
      IgnorePresence Present = IgnorePresence::in(Directory);
      // The rules that hide a directory do not apply in a repository inside it.
      if (Present.Git)
        RootIsIgnored = false;
      if (Present.any() && !RootIsIgnored)
        Scope = enterDirectory(User, Scope, End + 1, Place.str(), Place,
                               Directory, Present, Report);
    }
    IgnoreQuery Query(Base, "", Child, /*IsDirectory=*/true);
    if (Scope->isIgnored(Query)) {
      RootIsIgnored = true;
      auto Fresh = std::make_shared<IgnoreScope>(Above);
      Fresh->InRepository = Scope->InRepository;
      Scope = std::move(Fresh);
    }
    End = Next;
  }
  return Scope;
}

IgnoreScopePtr IgnoreRules::enter(const IgnoreScopePtr &Parent,
                                  llvm::StringRef DirectoryPath,
                                  const os::DirectoryHandle &Directory,
                                  IgnorePresence Present,
                                  IgnoreProblem Report) const {
  if (!Present.any())
    return Parent;
  size_t Offset = Parent->Above->size() + 1 +
                  (DirectoryPath.empty() ? 0 : DirectoryPath.size() + 1);
  return enterDirectory(User, Parent, Offset,
                        (*Parent->Above + "/" + DirectoryPath).str(),
                        DirectoryPath, Directory, Present, Report);
}

bool IgnoreRules::isIgnored(const IgnoreScope &Scope,
                            llvm::StringRef DirectoryPath, llvm::StringRef Name,
                            bool IsDirectory) const {
  if ((!Scope.Dot && !Scope.Git) || Name.empty())
    return false;
  IgnoreQuery Query(*Scope.Above, DirectoryPath, Name, IsDirectory);
  return Scope.isIgnored(Query);
}

} // namespace headstart
