//===- IgnoreRules.cpp - .gitignore and its kin ---------------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which file has a say, and in which order, is what git 2.39 does for its own
// files and ripgrep 15 for `.ignore`; inside of a file git decides (see
// IgnorePattern.h). The files in force in a directory are two lists, each
// ordered from the one that is asked first: `.ignore` of the directory and of
// all above; then `.gitignore` of the directory and of those above it up to the
// repository's root, the repository's info/exclude, and the user's own
// excludes. The first that has a matching pattern decides. Lists share their
// tails, so that a scope costs a few words however deep it is.
//
//===----------------------------------------------------------------------===//

#include "headstart/FileTree/IgnoreRules.h"
#include "IgnoreFile.h"
#include "PatternList.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <array>
#include <cassert>

namespace headstart {

using namespace detail;

namespace {
/// A file in force: its patterns, where its directory ends, who is asked next.
struct IgnoreLayer {
  PatternListPtr Patterns;
  /// Into the absolute path of entries, behind the '/' of the file's directory.
  size_t Offset = 0;
  const IgnoreLayer *Next = nullptr;
};
} // namespace

class IgnoreScope {
public:
  /// A scope without rules in the tree whose root is \p Above.
  explicit IgnoreScope(std::shared_ptr<const std::string> Above)
      : Above(std::move(Above)) {}
  /// A scope that has the rules of \p Parent, so far.
  explicit IgnoreScope(const IgnoreScopePtr &Parent)
      : Parent(Parent), Above(Parent->Above), Dot(Parent->Dot),
        Git(Parent->Git), InRepository(Parent->InRepository) {}
  IgnoreScope(const IgnoreScope &) = delete;
  IgnoreScope &operator=(const IgnoreScope &) = delete;

  // A chain of scopes may be as long as paths are deep: no recursion. A scope
  // that someone else drops at the same time is left to whoever is last, who
  // comes through here as well.
  ~IgnoreScope() {
    IgnoreScopePtr Last = std::move(Parent);
    while (Last && Last.use_count() == 1)
      Last = IgnoreScopePtr(Last->Parent);
  }

  /// Puts the patterns of a file in front of \p List, unless there are none.
  void push(const IgnoreLayer *&List, PatternListPtr Patterns, size_t Offset) {
    if (!Patterns)
      return;
    assert(Used != Own.size());
    Own[Used] = {std::move(Patterns), Offset, List};
    List = &Own[Used++];
  }

  bool isIgnored(IgnoreQuery &Query) const {
    for (const IgnoreLayer *First : {Dot, Git})
      for (const IgnoreLayer *L = First; L; L = L->Next) {
        // The user's own, anchored at the root of a walk, while the directories
        // above it are looked at.
        if (L->Offset > Query.nameOffset())
          continue;
        switch (L->Patterns->match(Query, L->Offset)) {
        case IgnoreVerdict::None:
          continue;
        case IgnoreVerdict::Ignore:
          return true;
        case IgnoreVerdict::Include:
          return false;
        }
      }
    return false;
  }

  IgnoreScopePtr Parent;
  /// The absolute path of the walk's root, without '/' at its end.
  std::shared_ptr<const std::string> Above;
  const IgnoreLayer *Dot = nullptr; ///< first of the `.ignore`
  const IgnoreLayer *Git = nullptr; ///< first of git's
  bool InRepository = false;

private:
  /// .gitignore, info/exclude, the user's, .ignore
  std::array<IgnoreLayer, 4> Own;
  size_t Used = 0;
};

IgnoreRules::IgnoreRules(const IgnoreSettings &Settings,
                         std::vector<std::string> *Problems)
    : Settings(Settings) {
  std::vector<std::string> Unwanted;
  if (Settings.GitGlobal)
    User = readUserExcludes(Problems ? *Problems : Unwanted);
}

IgnoreRules::~IgnoreRules() = default;

static std::string joined(llvm::StringRef Directory, llvm::StringRef Name) {
  if (Directory.empty())
    return Name.str();
  return (Directory + (Directory.ends_with("/") ? "" : "/") + Name).str();
}

/// The scope of a directory below that of \p Parent, whose entries' names begin
/// at \p Offset. \p Shown is the directory's path in messages.
static IgnoreScopePtr
enterDirectory(const IgnoreSettings &Settings, const PatternListPtr &User,
               const IgnoreScopePtr &Parent, size_t Offset,
               llvm::StringRef Shown, const os::DirectoryHandle &Directory,
               IgnorePresence Present, std::vector<std::string> &Problems) {
  using os::LinkRule;
  bool InRepository = Parent->InRepository || Present.Git;
  PatternListPtr Excludes;
  PatternListPtr GitIgnore;
  PatternListPtr DotIgnore;
  if (Present.Git && Settings.GitExclude)
    Excludes = readRepositoryExcludes(
        Directory, joined(Shown, ".git/info/exclude"), Problems);
  if (Present.GitIgnore && Settings.GitIgnore &&
      (InRepository || !Settings.NeedsRepository))
    GitIgnore = readIgnoreFile(Directory, ".gitignore", LinkRule::Refuse,
                               joined(Shown, ".gitignore"), Problems);
  if (Present.DotIgnore && Settings.DotIgnore)
    DotIgnore = readIgnoreFile(Directory, ".ignore", LinkRule::Follow,
                               joined(Shown, ".ignore"), Problems);
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

/// What is in \p Directory of the files that matter. Asks for each.
static IgnorePresence probe(const os::DirectoryHandle &Directory,
                            const IgnoreSettings &Settings) {
  IgnorePresence Present;
  auto Probe = [&](const char *Name) {
    os::DirectoryEntry Entry;
    Entry.Name = Name;
    if (!Directory.addStatus(Entry))
      Present.note(Name);
  };
  Probe(".git");
  if (Settings.GitIgnore)
    Probe(".gitignore");
  if (Settings.DotIgnore)
    Probe(".ignore");
  return Present;
}

IgnorePresence
IgnoreRules::presenceIn(const os::DirectoryHandle &Directory) const {
  return probe(Directory, Settings);
}

IgnoreScopePtr IgnoreRules::above(llvm::StringRef Root,
                                  std::vector<std::string> *Problems) const {
  std::vector<std::string> Unwanted;
  std::vector<std::string> &Messages = Problems ? *Problems : Unwanted;
  llvm::SmallString<256> Real;
  if (llvm::sys::fs::real_path(Root.empty() ? "." : Root, Real))
    Real.clear();
  const std::string Path =
      llvm::StringRef(llvm::sys::path::convert_to_slash(Real)).rtrim('/').str();
  auto Above = std::make_shared<const std::string>(Path);
  IgnoreScopePtr Scope = std::make_shared<IgnoreScope>(Above);
  if (!Settings.NeedsRepository) {
    auto WithUser = std::make_shared<IgnoreScope>(Above);
    WithUser->push(WithUser->Git, User, Path.size() + 1);
    Scope = std::move(WithUser);
  }

  // Whether the root lies in a repository matters also when no file above it
  // counts.
  IgnoreSettings Wanted = Settings;
  if (!Settings.Parents)
    Wanted.GitIgnore = Wanted.DotIgnore = Wanted.GitExclude = false;

  bool RootIsIgnored = false;
  for (size_t End = 0; End < Path.size();) {
    llvm::StringRef Base = llvm::StringRef(Path).take_front(End);
    size_t Next = std::min(Path.find('/', End + 1), Path.size());
    llvm::StringRef Child = llvm::StringRef(Path).slice(End + 1, Next);
    os::DirectoryHandle Directory;
    if (!os::DirectoryHandle::open(Base.empty() ? "/" : Base.str(),
                                   Directory)) {
      IgnorePresence Present = probe(Directory, Wanted);
      // A repository in an ignored directory is on its own.
      if (Present.Git)
        RootIsIgnored = false;
      if (Present.any() && !RootIsIgnored)
        Scope = enterDirectory(Wanted, User, Scope, End + 1,
                               Base.empty() ? "/" : Base, Directory, Present,
                               Messages);
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
                                  std::vector<std::string> &Problems) const {
  if (!Present.any())
    return Parent;
  size_t Offset = Parent->Above->size() + 1 +
                  (DirectoryPath.empty() ? 0 : DirectoryPath.size() + 1);
  return enterDirectory(Settings, User, Parent, Offset, DirectoryPath,
                        Directory, Present, Problems);
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
