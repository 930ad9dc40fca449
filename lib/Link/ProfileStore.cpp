//===- ProfileStore.cpp - The files of profiles ---------------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "headstart/Link/ProfileStore.h"
#include "headstart/FileTree/Record.h"
#include "headstart/Inputs/LinkerModel.h"
#include "headstart/LLVM.h"
#include "headstart/OS/MappedFile.h"
#include "headstart/OS/PageCache.h"
#include "headstart/OS/PageTables.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/xxhash.h"
#include <algorithm>

using namespace llvm;

namespace headstart {

/// The prefix of the files that pruning may remove.
static constexpr StringLiteral Prefix = "llvmcache-";

std::string profileDirectory() {
  SmallString<256> Directory;
  // "All paths set in these environment variables must be absolute. If an
  // implementation encounters a relative path in any of these variables it
  // should consider the path invalid and ignore it." (XDG Base Directory 0.8)
  bool HasDirectory = sys::path::cache_directory(Directory);
  if (HasDirectory && !sys::path::is_absolute(Directory)) {
    HasDirectory = sys::path::home_directory(Directory);
    sys::path::append(Directory, ".cache");
  }
  if (!HasDirectory || !sys::path::is_absolute(Directory))
    return "";
  sys::path::append(Directory, "headstart");
  return std::string(Directory);
}

bool isProfileDirectory(StringRef Setting) {
  return Setting == "auto" ||
         (!Setting.empty() && sys::path::is_separator(Setting.back()));
}

std::string absolutePath(StringRef Path) {
  SmallString<256> Absolute(Path);
  // sys::fs::make_absolute would retry with ever more memory if the system
  // reports that it has none.
  if (sys::path::is_relative(Absolute))
    sys::path::make_absolute(os::currentDirectory(), Absolute);
  sys::path::remove_dots(Absolute, /*remove_dot_dot=*/true);
  return std::string(Absolute);
}

bool isBelow(StringRef Path, StringRef Directory) {
  return Path.consume_front(Directory) && !Path.empty() &&
         sys::path::is_separator(Path.front());
}

std::string hashedPath(StringRef Directory, StringRef Prefix, StringRef Key) {
  return joined(Directory,
                Prefix + utohexstr(xxh3_64bits(Key), /*LowerCase=*/true, 16));
}

bool mayHaveProfile(const std::string &Output) {
  std::error_code Ignored;
  const os::FileKind Kind = os::statFile(Output, Ignored).Kind;
  return Kind == os::FileKind::Regular || Kind == os::FileKind::Missing;
}

std::string recordedOutput(StringRef Setting, StringRef Output) {
  return Setting == "auto" ? absolutePath(Output) : Output.str();
}

std::string profilePath(StringRef Setting, StringRef Tool, StringRef Output) {
  if (Setting == "none" || Output.empty())
    return "";
  if (!isProfileDirectory(Setting))
    return Setting.str();
  std::string Directory =
      Setting == "auto" ? profileDirectory() : Setting.str();
  const std::string Absolute = absolutePath(Output);
  if (Directory.empty() || sys::path::is_relative(Absolute))
    return "";
  return hashedPath(Directory, Prefix, (Tool + Twine('\0') + Absolute).str());
}

std::vector<std::string> profilesOf(StringRef Output) {
  std::vector<std::string> Paths;
  for (const Flavour F : {Flavour::COFF, Flavour::ELF, Flavour::MachO}) {
    std::string Path = profilePath("auto", LinkerModel::of(F).Program, Output);
    if (!Path.empty() && sys::fs::exists(Path))
      Paths.push_back(std::move(Path));
  }
  return Paths;
}

Expected<std::shared_ptr<const LinkProfile>>
loadProfile(const std::string &Path) {
  auto Bad = [&](const Twine &What) {
    return createStringError("could not read the profile '" + Path +
                             "': " + What);
  };
  std::error_code Error;
  if (os::statFile(Path, Error).Kind == os::FileKind::Missing && !Error)
    return nullptr;
  Expected<std::unique_ptr<MemoryBuffer>> Bytes =
      readRecordFile(Path, MaxProfileBytes, "profile");
  if (!Bytes)
    return Bad(toString(Bytes.takeError()));
  if (!(*Bytes)->getBuffer().starts_with(ProfileStart))
    return createStringError("'" + Path + "' is not a profile");
  Expected<LinkProfile> Profile = parseProfile((*Bytes)->getBuffer());
  if (!Profile)
    return Bad(toString(Profile.takeError()));
  return std::make_shared<const LinkProfile>(std::move(*Profile));
}

std::shared_ptr<const LinkProfile> loadValidProfile(const std::string &Path) {
  Expected<std::shared_ptr<const LinkProfile>> Profile = loadProfile(Path);
  if (Profile)
    return std::move(*Profile);
  consumeError(Profile.takeError()); // `headstart profile list` reports it
  return nullptr;
}

bool mayReplaceProfile(const std::string &Path) {
  // A power failure may have filled Headstart's own file with zeros.
  const std::string Own = profileDirectory();
  return (!Own.empty() && sys::path::parent_path(Path) == Own &&
          sys::path::filename(Path).starts_with(Prefix)) ||
         mayReplaceRecord(Path, ProfileStart);
}

std::optional<std::string> directoryOf(const LinkProfile &Profile) {
  std::vector<const RecordedFile *> Relative, Sample;
  for (const RecordedFile &File : Profile.Files)
    if (sys::path::is_relative(File.Path))
      Relative.push_back(&File);
  constexpr size_t MaxSample = 16; // each may cost a round trip
  for (size_t I = 0; I < Relative.size(); I += Relative.size() / MaxSample + 1)
    Sample.push_back(Relative[I]);
  const std::string Here = os::currentDirectory();
  std::vector<StringRef> Directories = {Here};
  for (StringRef Parent = sys::path::parent_path(Profile.Output);
       !Parent.empty(); Parent = sys::path::parent_path(Parent))
    Directories.push_back(Parent);
  std::error_code Ignored;
  for (StringRef Directory : Directories)
    for (const RecordedFile *File : Sample)
      if (os::statFile(joined(Directory, File->Path), Ignored)
              .Identity.version() == File->Version)
        return Directory.str();
  return std::nullopt;
}

LinkProfile newProfile(StringRef Tool, StringRef Output, StringRef Settings) {
  LinkProfile New;
  New.Tool = Tool.str();
  New.Output = Output.str();
  New.Settings = Settings.str();
  New.Recorded = std::chrono::duration_cast<std::chrono::seconds>(
                     std::chrono::system_clock::now().time_since_epoch())
                     .count();
  return New;
}

Error saveProfile(const std::string &Path, const LinkProfile &Profile,
                  bool Prune) {
  const auto Bad = [&](const Twine &Why) {
    return createStringError("could not store the profile '" + Path +
                             "': " + Why);
  };
  // The link itself may have created a file of that name.
  if (!mayReplaceProfile(Path))
    return createStringError(
        "'" + Path + "' is not a profile, so Headstart does not replace it");
  const bool IsOneMore = !sys::fs::exists(Path);
  std::string Bytes = serializeProfile(Profile);
  if (Bytes.size() > MaxProfileBytes)
    return Bad("it would be too large");
  // This creates at most the cache directory and Headstart's in it, but no
  // missing home directory.
  StringRef Directory = sys::path::parent_path(Path);
  if (!Directory.empty() && !sys::fs::is_directory(Directory)) {
    (void)sys::fs::create_directory(sys::path::parent_path(Directory));
    if (std::error_code E = sys::fs::create_directory(Directory))
      return Bad(E.message());
  }
  if (Error E = replaceFile(Path, Bytes))
    return Bad(toString(std::move(E)));
  if (Prune && IsOneMore)
    pruneProfiles(Directory.str());
  return Error::success();
}

/// Whether \p Path is a file that a link was writing when it was interrupted,
/// and that LLVM could not remove (replaceFile).
static bool isTemporary(StringRef Path) {
  return sys::path::filename(Path).contains(".tmp");
}

std::vector<std::string> pathsIn(const std::string &Directory,
                                 StringRef Start) {
  std::vector<std::string> Paths;
  std::error_code Error;
  for (sys::fs::directory_iterator File(Directory, Error), End;
       !Error && File != End; File.increment(Error))
    if (sys::path::filename(File->path()).starts_with(Start))
      Paths.push_back(File->path());
  llvm::sort(Paths);
  return Paths;
}

std::vector<std::string> storedProfiles(const std::string &Directory) {
  std::vector<std::string> Paths = pathsIn(Directory, Prefix);
  llvm::erase_if(Paths, isTemporary);
  return Paths;
}

bool canKeepProfiles(const std::string &Directory) {
  StringRef Place = Directory;
  constexpr unsigned MayBeMissing = 2; // see saveProfile
  for (unsigned I = 0; I != MayBeMissing && !sys::fs::exists(Place); ++I)
    Place = sys::path::parent_path(Place);
  if (!sys::fs::is_directory(Place) ||
      sys::fs::access(Place, sys::fs::AccessMode::Write))
    return false;
  // access() also allows root to write to /proc, which can hold no new file.
  const std::string Probe = withUniqueEnd(Place + "/.headstart-");
  return !sys::fs::create_directory(Probe, /*IgnoreExisting=*/false) &&
         !sys::fs::remove(Probe);
}

void renewProfile(const std::string &Path) {
  constexpr std::chrono::hours Often(24);
  const sys::TimePoint<> Now = std::chrono::system_clock::now();
  sys::fs::file_status Status;
  // The time of access does not count: mounts with noatime do not update it.
  if (sys::fs::status(Path, Status) ||
      Now - Status.getLastModificationTime() < Often)
    return;
  int File = -1;
  if (sys::fs::openFileForWrite(Path, File, sys::fs::CD_OpenExisting,
                                sys::fs::OF_None))
    return;
  (void)sys::fs::setLastAccessAndModificationTime(File, Now);
  (void)sys::Process::SafelyCloseFileDescriptor(File);
}

void pruneProfiles(const std::string &Directory) {
  // LLVM's CachePruning ends the program if it cannot close its time stamp, or
  // if the system does not report the size of the disk.
  // More than the links of a large build: of fewer, each would be gone when its
  // turn comes again.
  constexpr size_t MaxProfiles = 10000;
  const auto Now = std::chrono::system_clock::now();
  const auto Oldest = Now - std::chrono::hours(30 * 24);
  const auto Yesterday = Now - std::chrono::hours(24);
  std::vector<std::pair<sys::TimePoint<>, std::string>> Used;
  for (std::string &Path : pathsIn(Directory, Prefix)) {
    sys::fs::file_status Status;
    if (!sys::fs::status(Path, Status))
      Used.emplace_back(std::max(Status.getLastAccessedTime(),
                                 Status.getLastModificationTime()),
                        std::move(Path));
  }
  llvm::sort(Used, std::greater<>());
  for (size_t I = 0; I != Used.size(); ++I)
    if (I >= MaxProfiles || Used[I].first < Oldest ||
        (Used[I].first < Yesterday && isTemporary(Used[I].second)))
      (void)sys::fs::remove(Used[I].second);
}

std::shared_ptr<ProgramPages> ProgramPages::ofThisProcess(StringRef Linker) {
  std::string Program = os::codePath();
  std::string Tool = (Linker + " itself").str();
  std::string Record = profilePath("auto", Tool, Program);
  return std::make_shared<ProgramPages>(std::move(Tool), std::move(Program),
                                        std::move(Record));
}

/// Requests the recorded pages. Returns whether the list is valid.
static bool requestPages(const std::string &Program, const std::string &Record,
                         ArrayRef<os::ProgramPart> Parts) {
  const std::shared_ptr<const LinkProfile> Loaded = loadValidProfile(Record);
  os::OpenFile File;
  if (!Loaded || Loaded->Files.size() != 1 ||
      os::OpenFile::open(Program, File) ||
      Loaded->Files[0].Version != File.identity().version())
    return false;
  renewProfile(Record);
  const os::PageCache Cache;
  for (const os::ProgramPart &Part : Parts)
    for (const ByteRange &Range : Loaded->Files[0].Touched) {
      const uint64_t Begin = std::max(Range.Offset, Part.Offset);
      const uint64_t End =
          std::min(Range.end(), Part.Offset + Part.Memory.size());
      if (Begin < End)
        (void)Cache.willNeed(
            Part.Memory.subspan(Begin - Part.Offset, End - Begin));
    }
  return true;
}

void ProgramPages::request() {
  if (Record.empty() || Program.empty())
    return;
  // Without a thread, the kernel reads the program's pages on page faults.
  (void)Thread.start(
      [Program = Program, Record = Record, Parts = Parts, Result = HasList] {
        *Result = requestPages(Program, Record, Parts);
      });
}

Error ProgramPages::keep() {
  Thread.join();
  os::OpenFile File;
  if (*HasList || Record.empty() || os::OpenFile::open(Program, File))
    return Error::success();
  LinkProfile New = newProfile(Tool, Program, "program");
  RecordedFile Pages{Program, File.identity().version(), {}, {}};
  os::PageTables Tables;
  for (const os::ProgramPart &Part : Parts) {
    std::optional<std::vector<ByteRange>> Present = Tables.present(Part.Memory);
    if (!Present || Part.Offset + Part.Memory.size() > File.size())
      return Error::success();
    for (ByteRange Range : *Present) {
      Range.Offset += Part.Offset;
      // Two parts may share the page between them.
      addJoined(Pages.Touched, Range);
    }
  }
  if (Pages.Touched.empty())
    return Error::success();
  New.Files.push_back(std::move(Pages));
  return saveProfile(Record, New);
}

} // namespace headstart
