//===- LinkWatch.cpp - The inputs of a link, and its samples --------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LinkWatch.h"
#include "headstart/Inputs/InputList.h"
#include "headstart/OS/EvictionBlockers.h"
#include "headstart/Plan/FetchPlan.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"
#include <algorithm>
#include <numeric>
#include <set>

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
  const os::FileUse Use = os::findUses(ArrayRef(Path)).front();
  return Use.IsLocked   ? "is locked in memory by a process"
         : Use.IsMapped ? "is mapped by a process"
                        : "stays for a reason that the system does not report";
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

void LinkWatch::sample(int Id, Clock::time_point Begin) {
  const std::optional<os::ProgramSample> Sample = os::sampleProgram(Id);
  if (!Sample)
    return;
  const Clock::time_point Start = Clock::now();
  if (Start >= NextMappings) {
    LastTouched = sampleMappings(Id);
    // Reading the mappings may take at most a tenth of the time.
    constexpr int Share = 10;
    const Clock::time_point End = Clock::now();
    NextMappings =
        End + std::max<Clock::duration>(Share * (End - Start),
                                        std::chrono::milliseconds(20));
  }
  auto Last = [](const std::vector<uint64_t> &Values) {
    return Values.empty() ? 0 : Values.back();
  };
  Link.Ms.push_back(Milliseconds(Start - Begin).count());
  TouchedNow.push_back(LastTouched);
  // The system reports less about a process that is ending.
  Faults.push_back(std::max(Sample->MajorFaults.value_or(0), Last(Faults)));
  Read.push_back(std::max(Sample->ReadBytes.value_or(0), Last(Read)));
  Memory.push_back(Sample->AnonymousBytes.value_or(Last(Memory)));
}

namespace {

/// A lane in a trace: its process and its thread.
using Lane = std::pair<int64_t, int64_t>;

} // namespace

static Lane laneOf(const json::Object &Event) {
  return {Event.getInteger("pid").value_or(0),
          Event.getInteger("tid").value_or(0)};
}

/// Returns the lanes named "linker", which have the stages.
static std::set<Lane> linkerLanes(const json::Array &Events) {
  std::set<Lane> Lanes;
  for (const json::Value &Value : Events) {
    const json::Object *Event = Value.getAsObject();
    if (!Event || Event->getString("ph") != "M" ||
        Event->getString("name") != "thread_name")
      continue;
    const json::Object *Arguments = Event->getObject("args");
    if (Arguments && Arguments->getString("name") == "linker")
      Lanes.insert(laneOf(*Event));
  }
  return Lanes;
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
  HasTrace = true;
  const std::set<Lane> LinkerLanes = linkerLanes(*Events);
  constexpr double PerMs = 1000; // the format's unit is a microsecond
  for (const json::Value &Value : *Events) {
    const json::Object *Event = Value.getAsObject();
    if (!Event)
      continue;
    const double Begin = Event->getNumber("ts").value_or(0) / PerMs;
    if (Event->getString("ph") == "C" && Event->getString("name") == "fetched")
      if (const json::Object *Counts = Event->getObject("args"))
        FetchedSoFar.emplace_back(
            Begin,
            static_cast<uint64_t>(Counts->getInteger("bytes").value_or(0)));
    if (Event->getString("ph") != "X")
      continue;
    const double End = Begin + Event->getNumber("dur").value_or(0) / PerMs;
    const StringRef Name = Event->getString("name").value_or("");
    if (LinkerLanes.contains(laneOf(*Event))) {
      if (!Link.Phases)
        Link.Phases.emplace();
      Link.Phases->push_back({Name.str(), Begin, End});
      continue;
    }
    const json::Object *Arguments = Event->getObject("args");
    if (Name != "fetch" || !Arguments)
      continue;
    const auto Number = [&](StringRef Key) {
      return static_cast<uint64_t>(Arguments->getInteger(Key).value_or(0));
    };
    if (const auto Input =
            Inputs.indexOf(Arguments->getString("path").value_or("")))
      Fetches.push_back({*Input, {Number("offset"), Number("bytes")}});
  }
  llvm::sort(FetchedSoFar);
}

void LinkWatch::addProfile(const LinkProfile &Profile) {
  HasProfile = true;
  TouchedRanges.resize(Inputs.files().size());
  for (const RecordedFile &File : Profile.Files)
    if (std::optional<size_t> Index = Inputs.indexOf(File.Path))
      TouchedRanges[*Index] = File.Touched;
}

WatchedLink LinkWatch::finish(const os::ProgramUsage &Usage,
                              const ResidentPart &Before) {
  Link.Seconds = Usage.Seconds;
  const size_t Count = Inputs.files().size();
  Link.ResidentBefore = Before.OfEach;
  if (!Link.Ms.empty()) {
    // Add the totals at the end of the process. The last sample may have been
    // a moment later.
    Link.Ms.push_back(std::max(Usage.Seconds * 1000, Link.Ms.back()));
    Faults.push_back(std::max(Usage.MajorFaults.value_or(0), Faults.back()));
    Read.push_back(std::max(Usage.ReadBytes.value_or(0), Read.back()));
    Memory.push_back(Memory.back());
    TouchedNow.push_back(TouchedNow.back());
    Link.MajorFaults = Faults;
    Link.ReadBytes = Read;
    Link.MemoryBytes = Memory;
    if (SawMappings)
      Link.TouchedBytes = TouchedNow;
  }
  if (HasTrace) {
    std::vector<uint64_t> SoFar;
    uint64_t Bytes = 0;
    auto Next = FetchedSoFar.begin();
    for (const double Ms : Link.Ms) {
      for (; Next != FetchedSoFar.end() && Next->first <= Ms; ++Next)
        Bytes = std::max(Bytes, Next->second);
      SoFar.push_back(Bytes);
    }
    Link.FetchedBytes = std::move(SoFar);
    Link.Fetched.emplace(Count);
    if (HasProfile)
      Link.Wasted.emplace(Count);
    for (const auto &[Input, Range] : Fetches) {
      // Ranges are rounded to pages, so they may exceed the file.
      const ByteRange Inside = Range.clippedTo(Inputs.files()[Input].Bytes);
      (*Link.Fetched)[Input] += Inside.Length;
      if (HasProfile)
        (*Link.Wasted)[Input] += bytesOf(without(Inside, TouchedRanges[Input]));
    }
  }
  if (HasProfile) {
    Link.Touched.emplace(Count);
    for (size_t I = 0; I != Count; ++I)
      for (const ByteRange &Range : TouchedRanges[I])
        (*Link.Touched)[I] += Range.clippedTo(Inputs.files()[I].Bytes).Length;
    // Unlike the last sample, the profile includes the end of the link.
    if (Link.TouchedBytes)
      Link.TouchedBytes->back() = std::accumulate(
          Link.Touched->begin(), Link.Touched->end(), static_cast<uint64_t>(0));
  } else if (SawMappings) {
    Link.Touched = MaxMapped;
  }
  return std::move(Link);
}

} // namespace headstart
