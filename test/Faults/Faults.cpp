//===- Faults.cpp - System calls that fail as a test says -----------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// utils/fault-archives.py renames the prefetcher's calls of the C library to
// these functions in the programs of bin-faults; lld's own calls are not
// renamed. HEADSTART_FAULT, a list with commas, selects their effects:
//
//   record=FILE      (first) counts in FILE how often each is called, and from
//                    where
//   CALL:N:ERRNO     the N-th call of this name fails; * selects all calls
//   CALL:N:short     it moves fewer bytes than requested, or reports nothing
//   CALL:N:end       it reports the end of the file or of the directory
//   CALL:N:late=MS   it is delayed
//   CALL:N:stuck     the N-th call outside of the main thread never returns
//   delay=SEED       some calls outside of the main thread wait for up to 3 ms
//
// A call that fails is not made, except close(), as on Linux.
//
//===----------------------------------------------------------------------===//

#include <atomic>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <dirent.h>
#include <fcntl.h>
#include <filesystem>
#include <memory>
#include <poll.h>
#include <pwd.h>
#include <string>
#include <string_view>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <system_error>
#include <thread>
#include <unistd.h>
#include <vector>

// The programs are for x86-64 and AArch64, where a function with "..." may
// ignore missing arguments, and off_t is off64_t.
static_assert(sizeof(long) == 8 && sizeof(off_t) == 8);

namespace {

/// The address of a call, and the number of its first call.
struct Site {
  std::atomic<uint64_t> Address;
  std::atomic<uint64_t> First;
};

/// One kind of call, in the format of the record, which fault-links.py reads.
struct Call {
  char Name[16];
  std::atomic<uint64_t> Count;
  std::atomic<uint64_t>
      OffMain; ///< calls by other threads than the main thread
  std::atomic<uint64_t> Faults;
  Site Sites[16];
};

enum class Effect { None, Error, Short, End, Late, Stuck };

struct Order {
  const Call *Of = nullptr;
  uint64_t Number = 0; ///< 0: all
  Effect How = Effect::None;
  int Value = 0; ///< an error, or milliseconds
};

class Faults {
public:
  Faults();
  Call &named(std::string_view Name);
  Order meet(Call &Here, const void *From);

private:
  void addOrder(std::string_view Text);
  void delay() const;

  static constexpr size_t MaxCalls = 64;
  Call *Calls = nullptr;
  std::vector<Order> Orders;
  uint64_t Seed = 0;
  bool Delays = false;
};

} // namespace

[[noreturn]] static void fail(std::string_view Why) {
  std::fprintf(stderr, "HEADSTART_FAULT: %.*s\n", static_cast<int>(Why.size()),
               Why.data());
  std::abort();
}

static bool isMainThread() { return ::gettid() == ::getpid(); }

static std::string_view takeUntil(std::string_view &Rest, char Separator) {
  const size_t At = Rest.find(Separator);
  const std::string_view Part = Rest.substr(0, At);
  Rest.remove_prefix(At == std::string_view::npos ? Rest.size() : At + 1);
  return Part;
}

static uint64_t numberIn(std::string_view Text) {
  uint64_t Number = 0;
  const auto [End, Error] =
      std::from_chars(Text.data(), Text.data() + Text.size(), Number);
  if (Error != std::errc() || End != Text.data() + Text.size())
    fail("invalid number");
  return Number;
}

static int errorNamed(std::string_view Name) {
  for (int Error = 1; Error != 134; ++Error)
    if (const char *Known = ::strerrorname_np(Error); Known && Name == Known)
      return Error;
  fail("unknown error name");
}

Faults::Faults() {
  const char *Variable = std::getenv("HEADSTART_FAULT");
  std::string_view Text = Variable ? Variable : "";
  constexpr std::string_view Record = "record=";
  int File = -1;
  if (Text.starts_with(Record)) {
    const std::string Path(takeUntil(Text, ',').substr(Record.size()));
    File = ::open(Path.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (File < 0 || ::ftruncate(File, MaxCalls * sizeof(Call)) != 0)
      fail("cannot write the record");
  }
  // The counts are in the mapped file, so they survive any end of the link.
  void *const Memory =
      ::mmap(nullptr, MaxCalls * sizeof(Call), PROT_READ | PROT_WRITE,
             File < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED, File, 0);
  if (Memory == MAP_FAILED)
    fail("out of memory");
  if (File >= 0)
    ::close(File);
  Calls = static_cast<Call *>(Memory);
  while (!Text.empty())
    addOrder(takeUntil(Text, ','));
}

void Faults::addOrder(std::string_view Text) {
  if (Text.starts_with("delay=")) {
    Delays = true;
    Seed = numberIn(Text.substr(6));
    return;
  }
  Order New;
  New.Of = &named(takeUntil(Text, ':'));
  const std::string_view Number = takeUntil(Text, ':');
  New.Number = Number == "*" ? 0 : numberIn(Number);
  New.How = Text == "short"   ? Effect::Short
            : Text == "end"   ? Effect::End
            : Text == "stuck" ? Effect::Stuck
                              : Effect::Error;
  if (Text.starts_with("late=")) {
    New.How = Effect::Late;
    New.Value = static_cast<int>(numberIn(Text.substr(5)));
  } else if (New.How == Effect::Error) {
    New.Value = errorNamed(Text);
  }
  Orders.push_back(New);
}

/// Called once for each name, by one thread at a time.
Call &Faults::named(std::string_view Name) {
  static std::atomic_flag Busy;
  while (Busy.test_and_set())
    ;
  Call *Found = Calls;
  while (Found != Calls + MaxCalls && Found->Name[0] != 0 &&
         Name != Found->Name)
    ++Found;
  if (Found == Calls + MaxCalls || Name.size() >= sizeof(Found->Name))
    fail("too many calls, or too long a name");
  std::memcpy(Found->Name, Name.data(), Name.size());
  Busy.clear();
  return *Found;
}

static void waitFor(long Microseconds) {
  const timespec Time = {Microseconds / 1000000, Microseconds % 1000000 * 1000};
  ::nanosleep(&Time, nullptr);
}

/// One call in four waits.
void Faults::delay() const {
  static std::atomic<uint64_t> Met{0};
  uint64_t Random = Seed + Met.fetch_add(1) * 0x9E3779B97F4A7C15;
  Random = (Random ^ Random >> 30) * 0xBF58476D1CE4E5B9; // splitmix64
  Random = (Random ^ Random >> 27) * 0x94D049BB133111EB;
  Random ^= Random >> 31;
  if (Random % 4 == 0)
    waitFor(static_cast<long>(Random / 4 % 3000));
}

static void noteSite(Call &Here, const void *From, uint64_t Number) {
  const auto Address = reinterpret_cast<uintptr_t>(From);
  for (Site &S : Here.Sites) {
    uint64_t Known = 0;
    if (S.Address.compare_exchange_strong(Known, Address)) {
      S.First = Number;
      return;
    }
    if (Known == Address)
      return;
  }
}

/// Returns the effect on this call.
Order Faults::meet(Call &Here, const void *From) {
  const int Before = errno;
  const bool OffMain = !isMainThread();
  const uint64_t Number = ++Here.Count;
  const uint64_t NumberOffMain = OffMain ? ++Here.OffMain : 0;
  noteSite(Here, From, Number);
  if (Delays && OffMain)
    delay();
  Order Result;
  for (const Order &O : Orders) {
    const uint64_t Counted = O.How == Effect::Stuck ? NumberOffMain : Number;
    if (O.Of != &Here || Counted == 0 || (O.Number != 0 && O.Number != Counted))
      continue;
    ++Here.Faults;
    if (O.How == Effect::Late)
      waitFor(O.Value * 1000L);
    else if (O.How == Effect::Stuck)
      for (;;)
        ::pause();
    else
      Result = O;
  }
  errno = Before;
  return Result;
}

static Faults &faults() {
  static Faults Here;
  return Here;
}

// Uses the caller's address of the replaced function.
#define MEET(NAME)                                                             \
  static Call &Kind = faults().named(NAME);                                    \
  const Order Now = faults().meet(Kind, __builtin_return_address(0))

// A function that fails by FAILED and errno.
#define FAULTY(RESULT, FUNCTION, NAME, FAILED, PARAMETERS, ARGUMENTS)          \
  RESULT headstart_fault_##FUNCTION PARAMETERS {                               \
    MEET(NAME);                                                                \
    if (Now.How != Effect::Error)                                              \
      return ::FUNCTION ARGUMENTS;                                             \
    errno = Now.Value;                                                         \
    return FAILED;                                                             \
  }

// A function that returns the error.
#define FAULTY_BY_RESULT(FUNCTION, NAME, PARAMETERS, ARGUMENTS)                \
  int headstart_fault_##FUNCTION PARAMETERS {                                  \
    MEET(NAME);                                                                \
    return Now.How == Effect::Error ? Now.Value : ::FUNCTION ARGUMENTS;        \
  }

// A function that moves bytes, and may move fewer.
#define FAULTY_MOVE(FUNCTION, NAME, PARAMETERS, ...)                           \
  ssize_t headstart_fault_##FUNCTION PARAMETERS {                              \
    MEET(NAME);                                                                \
    if (Now.How == Effect::Error) {                                            \
      errno = Now.Value;                                                       \
      return -1;                                                               \
    }                                                                          \
    if (Now.How == Effect::End)                                                \
      return 0;                                                                \
    if (Now.How == Effect::Short && Length > 1)                                \
      Length /= 2;                                                             \
    return ::FUNCTION(__VA_ARGS__);                                            \
  }

// NOLINTBEGIN(readability-identifier-naming)
extern "C" {

FAULTY(int, access, "access", -1, (const char *P, int Mode), (P, Mode))
FAULTY(int, chdir, "chdir", -1, (const char *P), (P))
FAULTY(int, chmod, "chmod", -1, (const char *P, mode_t Mode), (P, Mode))
FAULTY(int, dup2, "dup2", -1, (int FD, int To), (FD, To))
FAULTY(int, fchmod, "fchmod", -1, (int FD, mode_t Mode), (FD, Mode))
FAULTY(int, fchown, "fchown", -1, (int FD, uid_t U, gid_t G), (FD, U, G))
FAULTY(int, fcntl, "fcntl", -1, (int FD, int What, long A), (FD, What, A))
FAULTY(int, fcntl64, "fcntl", -1, (int FD, int What, long A), (FD, What, A))
FAULTY(int, fdatasync, "fdatasync", -1, (int FD), (FD))
FAULTY(int, fstat, "fstat", -1, (int FD, struct stat *S), (FD, S))
FAULTY(int, fstat64, "fstat", -1, (int FD, struct stat64 *S), (FD, S))
FAULTY(int, fstatat64, "fstatat", -1,
       (int FD, const char *P, struct stat64 *S, int F), (FD, P, S, F))
FAULTY(int, fstatfs, "fstatfs", -1, (int FD, struct statfs *S), (FD, S))
FAULTY(int, fstatfs64, "fstatfs", -1, (int FD, struct statfs64 *S), (FD, S))
FAULTY(int, ftruncate, "ftruncate", -1, (int FD, off_t Size), (FD, Size))
FAULTY(int, ftruncate64, "ftruncate", -1, (int FD, off_t Size), (FD, Size))
FAULTY(int, futimens, "futimens", -1, (int FD, const timespec *T), (FD, T))
FAULTY(char *, getcwd, "getcwd", nullptr, (char *P, size_t Size), (P, Size))
FAULTY(int, poll, "poll", -1, (pollfd * F, nfds_t N, int T), (F, N, T))
FAULTY(int, getrlimit64, "getrlimit", -1, (__rlimit_resource W, rlimit64 *L),
       (W, L))
FAULTY(int, getrlimit, "getrlimit", -1, (__rlimit_resource W, rlimit *L),
       (W, L))
FAULTY(int, setrlimit, "setrlimit", -1, (__rlimit_resource W, const rlimit *L),
       (W, L))
FAULTY(int, getrusage, "getrusage", -1, (__rusage_who Who, rusage *R), (Who, R))
FAULTY(int, ioctl, "ioctl", -1, (int FD, unsigned long W, void *A), (FD, W, A))
FAULTY(int, link, "link", -1, (const char *P, const char *To), (P, To))
FAULTY(off_t, lseek, "lseek", -1, (int FD, off_t At, int From), (FD, At, From))
FAULTY(int, lstat, "lstat", -1, (const char *P, struct stat *S), (P, S))
FAULTY(int, madvise, "madvise", -1, (void *P, size_t Size, int What),
       (P, Size, What))
FAULTY(int, mkdir, "mkdir", -1, (const char *P, mode_t Mode), (P, Mode))
FAULTY(void *, mmap, "mmap", MAP_FAILED,
       (void *P, size_t Size, int Use, int How, int FD, off_t At),
       (P, Size, Use, How, FD, At))
FAULTY(void *, mmap64, "mmap", MAP_FAILED,
       (void *P, size_t Size, int Use, int How, int FD, off_t At),
       (P, Size, Use, How, FD, At))
FAULTY(int, msync, "msync", -1, (void *P, size_t Size, int F), (P, Size, F))
FAULTY(int, munmap, "munmap", -1, (void *P, size_t Size), (P, Size))
FAULTY(int, open, "open", -1, (const char *P, int F, mode_t M), (P, F, M))
FAULTY(int, open64, "open", -1, (const char *P, int F, mode_t M), (P, F, M))
FAULTY(int, openat64, "openat", -1, (int At, const char *P, int F, mode_t M),
       (At, P, F, M))
FAULTY(DIR *, opendir, "opendir", nullptr, (const char *P), (P))
FAULTY(ssize_t, readlink, "readlink", -1,
       (const char *P, char *Into, size_t Size), (P, Into, Size))
FAULTY(char *, realpath, "realpath", nullptr, (const char *P, char *Into),
       (P, Into))
FAULTY(int, remove, "remove", -1, (const char *P), (P))
FAULTY(int, rename, "rename", -1, (const char *P, const char *To), (P, To))
FAULTY(int, stat, "stat", -1, (const char *P, struct stat *S), (P, S))
FAULTY(int, stat64, "stat", -1, (const char *P, struct stat64 *S), (P, S))
FAULTY(int, statfs, "statfs", -1, (const char *P, struct statfs *S), (P, S))
FAULTY(int, symlink, "symlink", -1, (const char *P, const char *To), (P, To))
FAULTY(int, uname, "uname", -1, (utsname * U), (U))

FAULTY_BY_RESULT(getpwnam_r, "getpwnam_r",
                 (const char *N, passwd *P, char *B, size_t Size, passwd **R),
                 (N, P, B, Size, R))
FAULTY_BY_RESULT(getpwuid_r, "getpwuid_r",
                 (uid_t U, passwd *P, char *B, size_t Size, passwd **R),
                 (U, P, B, Size, R))
FAULTY_BY_RESULT(posix_fadvise64, "posix_fadvise",
                 (int FD, off_t At, off_t Size, int What), (FD, At, Size, What))
FAULTY_BY_RESULT(posix_madvise, "posix_madvise",
                 (void *P, size_t Size, int What), (P, Size, What))

FAULTY_MOVE(pread, "pread", (int FD, void *Into, size_t Length, off_t At), FD,
            Into, Length, At)
FAULTY_MOVE(pread64, "pread", (int FD, void *Into, size_t Length, off_t At), FD,
            Into, Length, At)
FAULTY(ssize_t, preadv2, "preadv2", -1,
       (int FD, const struct iovec *Into, int Count, off_t At, int Flags),
       (FD, Into, Count, At, Flags))
FAULTY(ssize_t, preadv64v2, "preadv2", -1,
       (int FD, const struct iovec *Into, int Count, off_t At, int Flags),
       (FD, Into, Count, At, Flags))
FAULTY_MOVE(read, "read", (int FD, void *Into, size_t Length), FD, Into, Length)
FAULTY_MOVE(write, "write", (int FD, const void *From, size_t Length), FD, From,
            Length)

ssize_t headstart_fault_getdents64(int FD, void *Into, size_t Length) {
  MEET("getdents64");
  if (Now.How == Effect::Error) {
    errno = Now.Value;
    return -1;
  }
  if (Now.How == Effect::End)
    return 0;
  // Room for the longest entry.
  return ::getdents64(FD, Into,
                      Now.How == Effect::Short && Length > 512 ? 512 : Length);
}

int headstart_fault_close(int FD) {
  MEET("close");
  const int Result = ::close(FD);
  if (Now.How != Effect::Error)
    return Result;
  errno = Now.Value;
  return -1;
}

int headstart_fault_closedir(DIR *Directory) {
  MEET("closedir");
  const int Result = ::closedir(Directory);
  if (Now.How != Effect::Error)
    return Result;
  errno = Now.Value;
  return -1;
}

dirent *headstart_fault_readdir(DIR *Directory) {
  MEET("readdir");
  if (Now.How == Effect::None)
    return ::readdir(Directory);
  if (Now.How == Effect::Error)
    errno = Now.Value;
  return nullptr;
}

int headstart_fault_mincore(void *P, size_t Size, unsigned char *Pages) {
  MEET("mincore");
  if (Now.How == Effect::Error) {
    errno = Now.Value;
    return -1;
  }
  const int Result = ::mincore(P, Size, Pages);
  if (Now.How == Effect::Short && Result == 0)
    std::memset(Pages, 0, Size / static_cast<size_t>(::getpagesize()));
  return Result;
}

static Order meetNumber(long Number, const void *From) {
  switch (Number) {
  case SYS_openat2: {
    static Call &Kind = faults().named("openat2");
    return faults().meet(Kind, From);
  }
  case SYS_memfd_create: {
    static Call &Kind = faults().named("memfd_create");
    return faults().meet(Kind, From);
  }
  case 451: { // SYS_cachestat, which older C libraries lack
    static Call &Kind = faults().named("cachestat");
    return faults().meet(Kind, From);
  }
  default:
    fail("unknown number of syscall()");
  }
}

long headstart_fault_syscall(long Number, long A, long B, long C, long D,
                             long E, long F) {
  const Order Now = meetNumber(Number, __builtin_return_address(0));
  if (Now.How == Effect::Error) {
    errno = Now.Value;
    return -1;
  }
  const long Result = ::syscall(Number, A, B, C, D, E, F);
  if (Now.How == Effect::Short && Number == 451 && Result == 0)
    std::memset(reinterpret_cast<void *>(C), 0, 40); // NOLINT
  return Result;
}

// std::thread's private constructor: the object is the first argument, and the
// class with a destructor is passed by its address.
void startThread(
    std::thread *, std::unique_ptr<std::thread::_State> *,
    void (*)()) __asm__("_ZNSt6thread15_M_start_threadESt10unique_ptrINS_6_"
                        "StateESt14default_deleteIS1_EEPFvvE");
void headstart_fault_thread(std::thread *New,
                            std::unique_ptr<std::thread::_State> *Work,
                            void (*Depend)()) {
  MEET("thread");
  if (Now.How == Effect::Error)
    throw std::system_error(Now.Value, std::generic_category());
  startThread(New, Work, Depend);
}

// A C++ class is returned by its address.
#pragma clang diagnostic ignored "-Wreturn-type-c-linkage"
std::filesystem::path
headstart_fault_read_symlink(const std::filesystem::path &Path,
                             std::error_code &Error) {
  MEET("readlink");
  if (Now.How != Effect::Error)
    return std::filesystem::read_symlink(Path, Error);
  Error = {Now.Value, std::generic_category()};
  return {};
}

} // extern "C"
// NOLINTEND(readability-identifier-naming)
