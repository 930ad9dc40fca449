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
#include "IgnoreFile.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <array>
#include <cassert>

namespace headstart {

using namespace detail;

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
        switch (L->Patterns->match(Query, L->Offset)) {
        case IgnoreVerdict::None:
          continue;
        case IgnoreVerdict::Ignore:
          return true;
        case IgnoreVerdict::Include:
          return false;
        }
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
