//===- ProfileCommand.cpp - headstart profile -----------------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Command.h"
#include "TreeOptions.h"
#include "headstart/FileTree/Record.h"
#include "headstart/Inputs/InputResolver.h"
#include "headstart/Link/ProfileStore.h"
#include "headstart/OS/MappedFile.h"
#include "headstart/Report/LinkStats.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Chrono.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include <ctime>
#include <tuple>
#include <utility>

using namespace llvm;

namespace headstart {

static std::string dateOf(const LinkProfile &Profile) {
  // A profile may contain any number; LLVM counts nanoseconds in 64 bits.
  constexpr int64_t LastSecond = INT64_C(9'000'000'000); // in 2255
  if (Profile.Recorded < 0 || Profile.Recorded > LastSecond)
    return "at an unknown time";
  return formatv("{0:%Y-%m-%d %H:%M}",
                 sys::TimePoint<>(sys::toTimePoint(
                     static_cast<std::time_t>(Profile.Recorded))));
}

static std::string summaryOf(const LinkProfile &Profile) {
  // The profile of another linker's link has only these facts (headstart run).
  if (Profile.Files.empty() && Profile.PeakBytes != 0)
    return formatv("{0}: {1}, {2} of memory, {3}", Profile.Output, Profile.Tool,
                   formatBytes(Profile.PeakBytes), dateOf(Profile));
  return formatv("{0}: {1}, {2}, {3} touched, {4}", Profile.Output,
                 Profile.Tool, counted(Profile.Files.size(), "file"),
                 formatBytes(Profile.touchedBytes()), dateOf(Profile));
}

// The state of a file compared with its recorded version.
static constexpr StringRef Same = "same", Changed = "changed",
                           Missing = "missing", Unknown = "unknown";

/// The state of \p File of a link in \p Directory. If that is not known, a file
/// at a relative path may be another one.
static StringRef changeOf(const RecordedFile &File,
                          const std::optional<std::string> &Directory) {
  const bool IsRelative = sys::path::is_relative(File.Path);
  if (IsRelative && !Directory)
    return Unknown;
  std::error_code Error;
  const os::FileStatus Now = os::statFile(
      IsRelative ? joined(*Directory, File.Path) : File.Path, Error);
  if (Error)
    return Unknown;
  if (Now.Kind == os::FileKind::Missing)
    return Missing;
  return Now.Identity.version() == File.Version ? Same : Changed;
}

static std::vector<StringRef> changesSince(const LinkProfile &Profile) {
  const std::optional<std::string> Directory = directoryOf(Profile);
  std::vector<StringRef> Changes(Profile.Files.size(), Unknown);
  forEachFile(Changes.size(), [&](size_t I) {
    Changes[I] = changeOf(Profile.Files[I], Directory);
  });
  return Changes;
}

/// Writes \p Profile; with \p Changes, one for each file, also lists the files.
static void writeJSON(const LinkProfile &Profile, StringRef Path,
                      std::optional<ArrayRef<StringRef>> Changes,
                      json::OStream &J) {
  J.object([&] {
    writePath(Path, J, "profile");
    J.attribute("tool", json::fixUTF8(Profile.Tool));
    writePath(Profile.Output, J, "output");
    J.attribute("recorded", Profile.Recorded);
    J.attribute("touched_bytes", Profile.touchedBytes());
    if (!Changes) {
      J.attribute("files", Profile.Files.size());
      return;
    }
    J.attributeObject("now", [&] {
      for (StringRef Change : {Same, Changed, Missing, Unknown})
        J.attribute(Change, count(*Changes, Change));
    });
    J.attributeArray("files", [&] {
      for (const auto &[F, Change] : zip_equal(Profile.Files, *Changes))
        J.object([&] {
          writePath(F.Path, J);
          J.attribute("size", F.Version.Size);
          J.attribute("touched_bytes", F.touchedBytes());
          J.attribute("now", Change);
        });
    });
  });
}

/// Calls \p Write; with \p AsJSON, inside the array "profiles" of an object.
static Exit writeProfiles(bool AsJSON,
                          function_ref<Exit(json::OStream *)> Write) {
  if (!AsJSON)
    return Write(nullptr);
  Exit Status = Exit::Done;
  printJSON([&](json::OStream &J) {
    J.attributeArray("profiles", [&] { Status = Write(&J); });
  });
  return Status;
}

using StoredProfile =
    std::pair<std::string, std::shared_ptr<const LinkProfile>>;

/// The stored profiles with their paths, the newest first.
static std::vector<StoredProfile> newestProfiles() {
  std::vector<StoredProfile> All;
  for (const std::string &Path : storedProfiles(profileDirectory())) {
    Expected<std::shared_ptr<const LinkProfile>> Profile = loadProfile(Path);
    // An older version or an interrupted link may have stored this file;
    // `prune` removes it.
    if (!Profile)
      note(toString(Profile.takeError()));
    else if (*Profile)
      All.emplace_back(Path, std::move(*Profile));
  }
  llvm::sort(All, [](const StoredProfile &A, const StoredProfile &B) {
    return std::tie(B.second->Recorded, A.first) <
           std::tie(A.second->Recorded, B.first);
  });
  return All;
}

/// Returns the paths of the stored profiles of the link that wrote \p Named; if
/// there are none, \p Named itself if it is the path of a profile.
static std::vector<std::string> profilesNamed(const std::string &Named) {
  std::vector<std::string> Paths = profilesOf(Named);
  // The link may have reached the output by another path.
  if (Paths.empty())
    for (const auto &[Path, Profile] : newestProfiles())
      if (sys::fs::equivalent(Profile->Output, Named))
        Paths.push_back(Path);
  if (Paths.empty() && startsLikeRecord(Named, ProfileStart))
    Paths.push_back(Named);
  return Paths;
}

/// Prints the profiles of \p Named; as JSON if \p J is not null.
static Exit show(ArrayRef<std::string> Named, json::OStream *J) {
  Exit Status = Exit::Done;
  std::vector<std::string> Paths;
  for (const std::string &Name : Named) {
    const size_t Before = Paths.size();
    append_range(Paths, profilesNamed(Name));
    if (Paths.size() != Before)
      continue;
    Expected<std::shared_ptr<const LinkProfile>> File = loadProfile(Name);
    Status =
        fail("no profile is stored for '" + Name + "', and " +
             (File ? "there is no such file" : toString(File.takeError())) +
             "; 'headstart profile list' prints the outputs");
  }
  for (const std::string &Path : Paths) {
    Expected<std::shared_ptr<const LinkProfile>> Profile = loadProfile(Path);
    if (!Profile) {
      Status = fail(Profile.takeError());
      continue;
    }
    if (!*Profile)
      continue; // another process has just removed it
    std::vector<StringRef> Changes = changesSince(**Profile);
    if (J) {
      writeJSON(**Profile, Path, ArrayRef(Changes), *J);
      continue;
    }
    outs() << summaryOf(**Profile) << "\n";
    if (Changes.empty())
      continue; // the profile has only the linker's memory
    outs() << "files now: ";
    ListSeparator Comma;
    for (StringRef Change : {Same, Changed, Missing, Unknown})
      if (size_t Number = count(Changes, Change); Number || Change == Same)
        outs() << Comma << Number << ' ' << Change;
    outs() << "\n";
    for (const auto &[F, Change] : zip_equal((*Profile)->Files, Changes)) {
      outs() << formatv("{0,8} of {1,8}  {2}", formatBytes(F.touchedBytes()),
                        formatBytes(F.Version.Size), F.Path);
      if (Change != Same)
        outs() << " (" << Change << ')';
      outs() << "\n";
    }
  }
  return Status;
}

/// Lists the stored profiles; as JSON if \p J is not null.
static Exit list(json::OStream *J) {
  const std::vector<StoredProfile> All = newestProfiles();
  if (All.empty() && !J)
    note(profileDirectory().empty()
             ? "there is no directory for profiles; export "
               "XDG_CACHE_HOME=DIRECTORY, or set HOME"
             : "no profiles in '" + profileDirectory() + "'");
  for (const auto &[Path, Profile] : All)
    if (J)
      writeJSON(*Profile, Path, /*Changes=*/std::nullopt, *J);
    else
      outs() << summaryOf(*Profile) << "\n    " << Path << "\n";
  return Exit::Done;
}

Exit runProfile(const CommandArguments &Arguments) {
  ArrayRef<std::string> Operands = Arguments.Operands;
  std::string Verb = Operands.empty() ? "" : Operands.front();
  if (Verb == "show" && Operands.size() == 1)
    return fail("'show' requires the path of an output or of a profile; "
                "'headstart profile list' prints them",
                Exit::WrongUsage);
  if (Verb == "show")
    return writeProfiles(Arguments.JSON, [&](json::OStream *J) {
      return show(Operands.drop_front(), J);
    });
  if (Verb == "list" || Verb == "prune") {
    if (Operands.size() > 1)
      return fail("'" + Verb + "' takes no path, but got '" + Operands[1] + "'",
                  Exit::WrongUsage);
    const std::string Directory = profileDirectory();
    std::error_code Error;
    const sys::fs::directory_iterator First(Directory, Error);
    if (Error && Error != std::errc::no_such_file_or_directory)
      return fail("cannot read '" + Directory + "': " + Error.message());
    if (Verb == "list")
      return writeProfiles(Arguments.JSON, list);
    pruneProfiles(Directory);
    size_t Left = storedProfiles(Directory).size();
    outs() << counted(Left, "profile")
           << (Left == 1 ? " remains\n" : " remain\n");
    return Exit::Done;
  }
  return fail("expected 'show OUTPUT|FILE...', 'list' or 'prune'" +
                  (Verb.empty() ? "" : ", but got '" + Verb + "'") +
                  "; see headstart profile --help",
              Exit::WrongUsage);
}

} // namespace headstart
