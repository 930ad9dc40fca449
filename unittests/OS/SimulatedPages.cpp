//===- SimulatedPages.cpp - Larger pages, for LD_PRELOAD ------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Answers the calls that deal in pages as a kernel with pages of
// $HEADSTART_TEST_PAGES bytes does: an address or an offset that is not aligned
// is EINVAL; a page is cached or present if any of the kernel's own pages in it
// is; the last page of a mapping is complete, with zeros after the file's end.

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

namespace {

constexpr uint64_t PresentBit = uint64_t(1) << 63;
constexpr uint64_t PageFlags = PresentBit | uint64_t(1) << 62;
constexpr long CachestatNumber = 451;

struct FileRange {
  uint64_t Offset;
  uint64_t Length;
};
using CachestatCounts = std::array<uint64_t, 5>;

struct ScanRegion {
  uint64_t Start;
  uint64_t End;
  uint64_t Categories;
};
struct ScanArguments {
  uint64_t Size, Flags, Start, End, WalkEnd;
  ScanRegion *Regions;
  uint64_t RegionCount, MaxPages, Inverted, Mask, AnyOfMask, ReturnMask;
};

template <typename Function> Function *real(const char *Name) {
  return reinterpret_cast<Function *>(::dlsym(RTLD_NEXT, Name));
}

uint64_t ownPage() {
  static const auto Bytes =
      static_cast<uint64_t>(real<long(int)>("sysconf")(_SC_PAGESIZE));
  return Bytes;
}

uint64_t page() {
  static const char *const Text = ::getenv("HEADSTART_TEST_PAGES");
  static const uint64_t Bytes =
      Text ? std::max<uint64_t>(std::strtoull(Text, nullptr, 10), ownPage())
           : ownPage();
  return Bytes;
}

uint64_t down(uint64_t Value) { return Value / page() * page(); }
uint64_t up(uint64_t Value) { return down(Value + page() - 1); }
uint64_t numberOf(const void *Address) {
  return reinterpret_cast<uintptr_t>(Address);
}
char *at(void *Address, uint64_t Offset) {
  return static_cast<char *>(Address) + Offset;
}

int refuse() {
  errno = EINVAL;
  return -1;
}

bool isPagemap(int Descriptor) {
  char Link[64];
  char Target[64];
  std::snprintf(Link, sizeof(Link), "/proc/self/fd/%d", Descriptor);
  const ssize_t Length = ::readlink(Link, Target, sizeof(Target));
  constexpr char Name[] = "/pagemap";
  constexpr ssize_t NameLength = sizeof(Name) - 1;
  return Length > NameLength &&
         std::memcmp(Target + Length - NameLength, Name, NameLength) == 0;
}

/// Returns the end of the part of a mapping of \p Length bytes at \p Offset
/// that the kernel's own pages of the file fill.
uint64_t ownEnd(int Descriptor, uint64_t Offset, uint64_t Length) {
  struct stat Status;
  if (Descriptor < 0 || ::fstat(Descriptor, &Status) != 0 ||
      !S_ISREG(Status.st_mode))
    return up(Length);
  const auto Size = static_cast<uint64_t>(Status.st_size);
  const uint64_t Left = Size > Offset ? Size - Offset : 0;
  return (Left + ownPage() - 1) / ownPage() * ownPage();
}

/// Maps whole pages at \p Address. An access past the file's last page raises
/// SIGBUS, as on any system; the rest of that page is zeros.
void *mapAt(void *Address, uint64_t Length, int Protection, int Flags,
            int Descriptor, off64_t Offset) {
  const auto Map =
      real<void *(void *, size_t, int, int, int, off64_t)>("mmap64");
  void *const Result = Map(Address, up(Length), Protection, Flags | MAP_FIXED,
                           Descriptor, Offset);
  if (Result == MAP_FAILED || (Flags & MAP_ANONYMOUS))
    return Result;
  const uint64_t Begin =
      ownEnd(Descriptor, static_cast<uint64_t>(Offset), Length);
  const uint64_t End = std::min(up(Begin), up(Length));
  if (Begin < End)
    Map(at(Address, Begin), End - Begin, Protection,
        MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
  return Result;
}

/// Counts the pages in \p Range with one call for each.
int countPages(long Descriptor, FileRange Range, CachestatCounts &Counts) {
  const auto Call = real<long(long, ...)>("syscall");
  if (Range.Length == 0) {
    struct stat Status;
    if (::fstat(static_cast<int>(Descriptor), &Status) != 0)
      return -1;
    const auto Size = static_cast<uint64_t>(Status.st_size);
    Range.Length = Size > Range.Offset ? Size - Range.Offset : 0;
  }
  const uint64_t End = Range.Offset + Range.Length;
  Counts = {};
  for (uint64_t At = down(Range.Offset); At < End; At += page()) {
    FileRange Page = {At, page()};
    CachestatCounts Own;
    if (Call(CachestatNumber, Descriptor, &Page, &Own, 0U) != 0)
      return -1;
    for (size_t I = 0; I != Own.size(); ++I)
      Counts[I] += Own[I] != 0;
  }
  return 0;
}

/// Rounds the regions of a scan to pages, and merges adjacent ones.
int roundRegions(ScanArguments &Arguments, int Count) {
  // The page in which a full list ended is scanned again.
  if (Arguments.WalkEnd != Arguments.End)
    Arguments.WalkEnd = down(Arguments.WalkEnd);
  int Kept = 0;
  for (int I = 0; I != Count; ++I) {
    ScanRegion Region = Arguments.Regions[I];
    Region.Start = down(Region.Start);
    Region.End = std::min(up(Region.End), Arguments.WalkEnd);
    if (Region.Start >= Region.End)
      continue;
    if (Kept != 0 && Arguments.Regions[Kept - 1].End >= Region.Start)
      Arguments.Regions[Kept - 1].End = Region.End;
    else
      Arguments.Regions[Kept++] = Region;
  }
  return Kept;
}

} // namespace

extern "C" {

long sysconf(int Name) noexcept {
  const long Own = real<long(int)>("sysconf")(Name);
  const auto Ratio = static_cast<long>(page() / ownPage());
  switch (Name) {
  case _SC_PAGESIZE:
    return static_cast<long>(page());
  case _SC_PHYS_PAGES:
  case _SC_AVPHYS_PAGES:
    return Own / Ratio;
  default:
    return Own;
  }
}

int getpagesize() noexcept { return static_cast<int>(page()); }

void *mmap64(void *Address, size_t Length, int Protection, int Flags,
             int Descriptor, off64_t Offset) noexcept {
  const auto Map =
      real<void *(void *, size_t, int, int, int, off64_t)>("mmap64");
  const bool IsFixed = (Flags & MAP_FIXED) != 0;
  if (Length == 0 || static_cast<uint64_t>(Offset) % page() != 0 ||
      (IsFixed && numberOf(Address) % page() != 0)) {
    refuse();
    return MAP_FAILED;
  }
  if (IsFixed)
    return mapAt(Address, Length, Protection, Flags, Descriptor, Offset);
  // Reserves room for an aligned mapping, then unmaps the excess around it.
  const uint64_t Room = up(Length) + page();
  void *const Found =
      Room > Length ? Map(nullptr, Room, PROT_NONE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
                    : MAP_FAILED;
  if (Found == MAP_FAILED) {
    errno = ENOMEM;
    return MAP_FAILED;
  }
  const auto Unmap = real<int(void *, size_t)>("munmap");
  const uint64_t Lead = up(numberOf(Found)) - numberOf(Found);
  char *const Begin = at(Found, Lead);
  if (Lead != 0)
    Unmap(Found, Lead);
  if (Lead != page())
    Unmap(Begin + up(Length), page() - Lead);
  void *const Result =
      mapAt(Begin, Length, Protection, Flags, Descriptor, Offset);
  if (Result == MAP_FAILED) {
    const int Error = errno;
    Unmap(Begin, up(Length));
    errno = Error;
  }
  return Result;
}

void *mmap(void *Address, size_t Length, int Protection, int Flags,
           int Descriptor, off_t Offset) noexcept {
  return mmap64(Address, Length, Protection, Flags, Descriptor, Offset);
}

int munmap(void *Address, size_t Length) noexcept {
  if (numberOf(Address) % page() != 0)
    return refuse();
  return real<int(void *, size_t)>("munmap")(Address, up(Length));
}

int madvise(void *Address, size_t Length, int Advice) noexcept {
  if (numberOf(Address) % page() != 0)
    return refuse();
  return real<int(void *, size_t, int)>("madvise")(Address, up(Length), Advice);
}

int mincore(void *Address, size_t Length, unsigned char *Pages) noexcept {
  const auto Call = real<int(void *, size_t, unsigned char *)>("mincore");
  if (numberOf(Address) % page() != 0)
    return refuse();
  std::array<unsigned char, 256> Own;
  for (uint64_t At = 0; At < Length; At += page()) {
    if (Call(at(Address, At), page(), Own.data()) != 0)
      return -1;
    const auto Count = static_cast<ptrdiff_t>(page() / ownPage());
    *Pages++ = std::any_of(Own.begin(), Own.begin() + Count,
                           [](unsigned char P) { return (P & 1) != 0; });
  }
  return 0;
}

ssize_t pread64(int Descriptor, void *Into, size_t Length, off64_t Offset) {
  const auto Call = real<ssize_t(int, void *, size_t, off64_t)>("pread64");
  const uint64_t Ratio = page() / ownPage();
  if (Ratio == 1 || !isPagemap(Descriptor))
    return Call(Descriptor, Into, Length, Offset);
  auto *const Words = static_cast<uint64_t *>(Into);
  size_t Done = 0;
  for (; Done != Length / sizeof(uint64_t); ++Done) {
    std::array<uint64_t, 256> Own = {};
    const uint64_t First = (static_cast<uint64_t>(Offset) / 8 + Done) * Ratio;
    const ssize_t Got = Call(Descriptor, Own.data(), Ratio * sizeof(uint64_t),
                             static_cast<off64_t>(First * sizeof(uint64_t)));
    if (Got < static_cast<ssize_t>(sizeof(uint64_t)))
      return Done == 0 ? Got : static_cast<ssize_t>(Done * sizeof(uint64_t));
    Words[Done] = 0;
    for (uint64_t Word : Own)
      Words[Done] |= Word & PageFlags;
  }
  return static_cast<ssize_t>(Done * sizeof(uint64_t));
}

ssize_t pread(int Descriptor, void *Into, size_t Length, off_t Offset) {
  return pread64(Descriptor, Into, Length, Offset);
}

int ioctl(int Descriptor, unsigned long Request, ...) noexcept {
  va_list Rest;
  va_start(Rest, Request);
  void *const Argument = va_arg(Rest, void *);
  va_end(Rest);
  const auto Call = real<int(int, unsigned long, ...)>("ioctl");
  if (Request != _IOWR('f', 16, ScanArguments))
    return Call(Descriptor, Request, Argument);
  auto &Arguments = *static_cast<ScanArguments *>(Argument);
  if (Arguments.Start % page() != 0)
    return refuse();
  Arguments.End = up(Arguments.End);
  const int Count = Call(Descriptor, Request, Argument);
  return Count < 0 ? Count : roundRegions(Arguments, Count);
}

long syscall(long Number, ...) noexcept {
  va_list Rest;
  va_start(Rest, Number);
  std::array<long, 6> A;
  for (long &Each : A)
    Each = va_arg(Rest, long);
  va_end(Rest);
  const long Result = real<long(long, ...)>("syscall")(Number, A[0], A[1], A[2],
                                                       A[3], A[4], A[5]);
  if (Number != CachestatNumber || Result != 0)
    return Result;
  // NOLINTBEGIN(performance-no-int-to-ptr)
  return countPages(A[0], *reinterpret_cast<FileRange *>(A[1]),
                    *reinterpret_cast<CachestatCounts *>(A[2]));
  // NOLINTEND(performance-no-int-to-ptr)
}

} // extern "C"
