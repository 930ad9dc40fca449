//===- LinkWatch.cpp - The inputs of a link, and its samples --------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LinkWatch.h"
#include "headstart/Inputs/InputList.h"
#include "headstart/OS/MappedFile.h"
#include "headstart/Plan/FetchPlan.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"
#include <algorithm>
#include <set>
#include <utility>

using namespace llvm;

namespace headstart {

InputFiles::InputFiles(const LinkCommand &Command) {
  for (const ListedInput &Input : listInputs(Command)) {
    if (Input.Found.Status.Kind != os::FileKind::Regular)
      continue;
    const std::string &Path = Input.Found.Path;
    SmallString<256> Real;
    // Two paths of one file count as one input.
    const bool HasReal = !sys::fs::real_path(Path, Real);
    if (HasReal && !ByPath.try_emplace(Real, Files.size()).second)
      continue;
    ByPath.try_emplace(Path, Files.size());
    Files.push_back({Path, Input.Found.Status.Identity.Size,
                     reasonName(Input.Named.Reason).str()});
  }
}

std::optional<size_t> InputFiles::indexOf(StringRef Path) const {
  const auto Found = ByPath.find(Path);
  if (Found == ByPath.end())
    return std::nullopt;
  return Found->second;
}

/// Whether \p Path is a library that programs load: "libc.so.6", "x.dylib".
static bool isSharedLibrary(StringRef Path) {
  StringRef Name = sys::path::filename(Path);
  return Name.contains(".so.") || Name.ends_with(".so") ||
         Name.ends_with(".dylib") || Name.ends_with_insensitive(".dll");
}

ResidentPart InputFiles::residency(bool WithLibraries) const {
  ResidentPart Part;
  for (const BenchInput &Input : Files) {
    os::OpenFile File;
    std::optional<os::Residency> Now;
    if (!os::OpenFile::open(Input.Path, File))
      Now = Cache.residency(File, {0, File.size()});
    const uint64_t Size = File.isOpen() ? File.size() : Input.Bytes;
    const uint64_t Resident =
        Now ? std::min(Now->ResidentPages * Cache.pageSize(), Size) : 0;
    Part.OfEach.push_back(Resident);
    if (!WithLibraries && Resident != 0 && isSharedLibrary(Input.Path)) {
      Part.InUse += Size;
      continue;
    }
    Part.Resident += Resident;
    if (!Now && Part.Unknown == 0)
      Part.FirstUnknown = Part.OfEach.size() - 1;
    (Now ? Part.Known : Part.Unknown) += Size;
  }
  return Part;
}

std::string InputFiles::whyUnknown(const ResidentPart &Part) const {
  if (!Cache.capabilities().Cachestat && !Cache.capabilities().Mincore)
    return "this system does not report what is cached";
  const std::string &Path = Files[Part.FirstUnknown].Path;
  os::OpenFile File;
  if (const std::error_code Error = os::OpenFile::open(Path, File))
    return "'" + Path + "': " + Error.message();
  return "'" + Path +
         "' belongs to another user, so the system does not report whether it "
         "is cached: only the inputs' owner and root can measure this link";
}

/// Returns the reason why the file \p Path stays cached.
static const char *keeperOf(const std::string &Path) {
  os::OpenFile File;
  if (!os::OpenFile::open(Path, File) &&
      os::backingOf(File) == os::FileBacking::Memory)
    return "is on a memory file system (tmpfs)";
  return "is in use, probably because a process has mapped it";
}

std::string InputFiles::whyNotCold(const ResidentPart &Part) const {
  if (Part.Known == 0 && Part.InUse != 0)
    return "all inputs are shared libraries that other programs use";
  if (Part.Known == 0)
    return whyUnknown(Part);
  std::optional<size_t> Most;
  for (size_t I = 0; I != Files.size(); ++I)
    if (!isSharedLibrary(Files[I].Path) &&
        (!Most || Part.OfEach[I] > Part.OfEach[*Most]))
      Most = I;
  const std::string &Path = Files[Most.value_or(0)].Path;
  return formatv("{0:F0}% of the inputs stayed cached: '{1}' {2}",
                 100 * Part.share(), Path, keeperOf(Path));
}

void InputFiles::evict(function_ref<bool()> Stopped) const {
  for (const BenchInput &Input : Files) {
    if (Stopped())
      return;
    os::OpenFile File;
    if (!os::OpenFile::open(Input.Path, File))
      (void)Cache.evict(File); // the caller queries the effect
  }
}

void InputFiles::fetch(function_ref<bool()> Stopped) const {
  constexpr uint64_t Step = 8 << 20;
  for (const BenchInput &Input : Files) {
    os::OpenFile File;
    if (os::OpenFile::open(Input.Path, File))
      continue;
    for (uint64_t At = 0; At < File.size(); At += Step) {
      if (Stopped())
        return;
      (void)Cache.fetch(File, ByteRange{At, Step}.clippedTo(File.size()));
    }
  }
}

using Clock = std::chrono::steady_clock;
using Milliseconds = std::chrono::duration<double, std::milli>;

uint64_t LinkWatch::sampleMappings(int Id) {
  std::vector<uint64_t> Now(Inputs.files().size());
  for (const os::MappedPart &Part : os::mappedFilesOf(Id)) {
    std::optional<size_t> Index = Inputs.indexOf(Part.Path);
    if (!Index)
      continue;
    SawMappings = true;
    // The pages of a file that is mapped twice count twice.
    Now[*Index] =
        std::min(Now[*Index] + Part.Bytes, Inputs.files()[*Index].Bytes);
  }
  MaxMapped.resize(Now.size());
  uint64_t Sum = 0;
  for (size_t I = 0; I != Now.size(); ++I) {
    MaxMapped[I] = std::max(MaxMapped[I], Now[I]);
    Sum += Now[I];
  }
  return Sum;
}

static uint64_t lastOf(const ByteCounts &Counts) {
  return Counts ? Counts->back() : 0;
}

static void add(ByteCounts &Counts, uint64_t Value) {
  if (!Counts)
    Counts.emplace();
  Counts->push_back(Value);
}

/// Adds a figure that only grows. The system reports less about a process that
/// is ending.
static void addGrowing(ByteCounts &Counts, std::optional<uint64_t> Value) {
  add(Counts, std::max(Value.value_or(0), lastOf(Counts)));
}

void LinkWatch::sample(int Id, Clock::time_point Begin) {
  const std::optional<os::ProgramSample> Sample = os::sampleProgram(Id);
  if (!Sample)
    return;
  uint64_t Touched = lastOf(Link.TouchedBytes);
  const Clock::time_point Start = Clock::now();
  if (Start >= NextMappings) {
    Touched = sampleMappings(Id);
    // Reading the mappings may take at most a tenth of the time.
    constexpr int Share = 10;
    const Clock::time_point End = Clock::now();
    NextMappings =
        End + std::max<Clock::duration>(Share * (End - Start),
                                        std::chrono::milliseconds(20));
  }
  Link.Ms.push_back(Milliseconds(Start - Begin).count());
  add(Link.TouchedBytes, Touched);
  addGrowing(Link.MajorFaults, Sample->MajorFaults);
  addGrowing(Link.ReadBytes, Sample->ReadBytes);
  add(Link.MemoryBytes,
      Sample->AnonymousBytes.value_or(lastOf(Link.MemoryBytes)));
}

/// Returns the lane of an event in a trace: its process and its thread.
static std::pair<int64_t, int64_t> laneOf(const json::Object &Event) {
  return {Event.getInteger("pid").value_or(0),
          Event.getInteger("tid").value_or(0)};
}

void LinkWatch::addTrace(StringRef Text) {
  Expected<json::Value> Trace = json::parse(Text);
  if (!Trace) {
    consumeError(Trace.takeError());
    return;
  }
  const json::Object *Object = Trace->getAsObject();
  const json::Array *Events =
      Object ? Object->getArray("traceEvents") : nullptr;
  if (!Events)
    return;
  Link.Fetched.emplace(Inputs.files().size());
  if (!TouchedRanges.empty())
    Link.Wasted.emplace(Inputs.files().size());
  std::vector<uint64_t> SoFar;
  uint64_t Sum = 0;
  std::set<std::pair<int64_t, int64_t>> LinkerLanes; // which have the stages
  constexpr double PerMs = 1000; // the format's unit is a microsecond
  const json::Object None;
  for (const json::Value &Value : *Events) {
    const json::Object *Event = Value.getAsObject();
    if (!Event)
      continue;
    const double Begin = Event->getNumber("ts").value_or(0) / PerMs;
    const StringRef Kind = Event->getString("ph").value_or("");
    const StringRef Name = Event->getString("name").value_or("");
    const json::Object *Given = Event->getObject("args");
    const json::Object &Arguments = Given ? *Given : None;
    const auto Number = [&](StringRef Key) {
      return static_cast<uint64_t>(Arguments.getInteger(Key).value_or(0));
    };
    // A lane has its name before its events, and a counter is in order.
    if (Kind == "M" && Name == "thread_name" &&
        Arguments.getString("name") == "linker")
      LinkerLanes.insert(laneOf(*Event));
    if (Kind == "C" && Name == "fetched") {
      while (SoFar.size() != Link.Ms.size() && Link.Ms[SoFar.size()] < Begin)
        SoFar.push_back(Sum);
      Sum = Number("bytes");
    }
    if (Kind == "X" && LinkerLanes.contains(laneOf(*Event))) {
      if (!Link.Phases)
        Link.Phases.emplace();
      const double Length = Event->getNumber("dur").value_or(0) / PerMs;
      Link.Phases->push_back({Name.str(), Begin, Begin + Length});
    } else if (Kind == "X" && Name == "fetch") {
      if (const auto Input =
              Inputs.indexOf(Arguments.getString("path").value_or("")))
        addFetch(*Input, {Number("offset"), Number("bytes")});
    }
  }
  SoFar.resize(Link.Ms.size(), Sum);
  Link.FetchedBytes = std::move(SoFar);
}

void LinkWatch::addFetch(size_t Input, ByteRange Range) {
  // Ranges are rounded to pages, so they may exceed the file.
  const ByteRange Inside = Range.clippedTo(Inputs.files()[Input].Bytes);
  (*Link.Fetched)[Input] += Inside.Length;
  if (Link.Wasted)
    (*Link.Wasted)[Input] += bytesOf(without(Inside, TouchedRanges[Input]));
}

void LinkWatch::addProfile(const LinkProfile &Profile) {
  const std::vector<BenchInput> &Files = Inputs.files();
  TouchedRanges.resize(Files.size());
  for (const RecordedFile &File : Profile.Files)
    if (std::optional<size_t> Index = Inputs.indexOf(File.Path))
      TouchedRanges[*Index] = File.Touched;
  Link.Touched.emplace(Files.size());
  uint64_t Sum = 0;
  for (size_t I = 0; I != Files.size(); ++I)
    for (const ByteRange &Range : TouchedRanges[I]) {
      const uint64_t Bytes = Range.clippedTo(Files[I].Bytes).Length;
      (*Link.Touched)[I] += Bytes;
      Sum += Bytes;
    }
  // Unlike the last sample, the profile includes the end of the link.
  if (Link.TouchedBytes)
    Link.TouchedBytes->back() = Sum;
}

WatchedLink LinkWatch::finish(const os::ProgramUsage &Usage,
                              const ResidentPart &Before, StringRef Trace,
                              const LinkProfile *Profile) {
  Link.Seconds = Usage.Seconds;
  Link.ResidentBefore = Before.OfEach;
  if (!Link.Ms.empty()) {
    // Add the totals at the end of the process. The last sample may have been
    // a moment later.
    Link.Ms.push_back(std::max(Usage.Seconds * 1000, Link.Ms.back()));
    addGrowing(Link.MajorFaults, Usage.MajorFaults);
    addGrowing(Link.ReadBytes, Usage.ReadBytes);
    add(Link.MemoryBytes, lastOf(Link.MemoryBytes));
    add(Link.TouchedBytes, lastOf(Link.TouchedBytes));
  }
  // Else all samples are 0.
  if (!Usage.MajorFaults)
    Link.MajorFaults.reset();
  if (!Usage.ReadBytes)
    Link.ReadBytes.reset();
  if (SawMappings)
    Link.Touched = MaxMapped;
  else
    Link.TouchedBytes.reset();
  if (Profile)
    addProfile(*Profile);
  addTrace(Trace);
  return std::move(Link);
}

} // namespace headstart
