//===- Scratch.cpp - A temporary directory for outputs --------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Scratch.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/xxhash.h"

using namespace llvm;

namespace headstart {

Scratch::~Scratch() {
  if (!Directory.empty())
    (void)sys::fs::remove_directories(Directory);
}

static Error cannot(const Twine &What, std::error_code Error) {
  return createStringError(Error, "cannot " + What + ": " + Error.message());
}

/// Follows all links; the real path has no `..`.
static void resolve(SmallString<256> &Path) {
  SmallString<256> Real;
  if (!sys::fs::real_path(Path, Real))
    Path = Real;
}

/// Makes a directory in \p Parent whose name begins with \p Name, and sets \p
/// Path to it. createUniqueDirectory would replace each '%' of \p Parent, too.
static std::error_code makeIn(StringRef Parent, StringRef Name,
                              SmallString<256> &Path) {
  SmallString<64> Unique;
  sys::fs::createUniquePath(Name + "-%%%%%%", Unique, /*MakeAbsolute=*/false);
  Path = Parent;
  sys::path::append(Path, Unique);
  return sys::fs::create_directory(Path, /*IgnoreExisting=*/false);
}

/// Whether a directory may be made next to \p Output. This excludes devices,
/// and paths with '%', which lld takes for a pattern.
static bool canBeNextToOutput(StringRef Output, StringRef Directory) {
  sys::fs::file_status Status;
  return !Directory.contains('%') &&
         (sys::fs::status(Output, Status) || sys::fs::is_regular_file(Status));
}

Error Scratch::make(StringRef Output) {
  SmallString<256> Parent = Output;
  (void)sys::fs::make_absolute(Parent);
  sys::path::remove_filename(Parent);
  resolve(Parent);
  SmallString<256> Path;
  IsNextToOutput = canBeNextToOutput(Output, Parent) &&
                   !makeIn(Parent, ".headstart-bench", Path);
  if (!IsNextToOutput) {
    sys::path::system_temp_directory(/*ErasedOnReboot=*/true, Parent);
    resolve(Parent);
    if (makeIn(Parent, "headstart-bench", Path))
      return createStringError("cannot create a directory for outputs, neither "
                               "beside '" +
                               Output + "' nor in '" + Parent + "'");
  }
  Directory = std::string(Path);
  return clearOutputs();
}

std::string Scratch::file(StringRef Name) const {
  SmallString<256> Path = StringRef(Directory);
  sys::path::append(Path, Name);
  return std::string(Path);
}

Error Scratch::clearOutputs() const {
  (void)sys::fs::remove_directories(outputs()); // it may not exist
  if (std::error_code Error = sys::fs::create_directory(outputs()))
    return cannot("create the directory '" + outputs() + "'", Error);
  return Error::success();
}

Expected<OutputFiles> Scratch::readOutputs() const {
  OutputFiles Files;
  std::error_code Error;
  const std::string Base = outputs();
  for (sys::fs::recursive_directory_iterator I(Base, Error), End;
       !Error && I != End; I.increment(Error)) {
    if (!sys::fs::is_regular_file(I->path()))
      continue;
    auto Buffer = MemoryBuffer::getFile(I->path(), /*IsText=*/false,
                                        /*RequiresNullTerminator=*/false);
    if (!Buffer)
      return cannot("read '" + I->path() + "'", Buffer.getError());
    StringRef Bytes = (*Buffer)->getBuffer();
    // The output of --time-trace contains times.
    if (Bytes.starts_with("{\"traceEvents\""))
      continue;
    const XXH128_hash_t Hash =
        xxh3_128bits(ArrayRef(Bytes.bytes_begin(), Bytes.bytes_end()));
    Files[StringRef(I->path()).drop_front(Base.size() + 1).str()] = {
        Bytes.size(), Hash.low64, Hash.high64};
  }
  if (Error)
    return cannot("read the directory '" + Base + "'", Error);
  return Files;
}

} // namespace headstart
