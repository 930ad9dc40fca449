//===- LineOutput.cpp - Lines from many threads ---------------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LineOutput.h"

using namespace llvm;

namespace headstart {

/// The number of bytes that a pipe accepts at a time.
static constexpr size_t LargeBuffer = size_t(64) << 10;

LineOutput::LineOutput(unsigned Threads, std::function<void()> OnFailure)
    : Buffers(Threads), OnFailure(std::move(OnFailure)),
      OS(/*fd=*/1, /*shouldClose=*/false, /*unbuffered=*/true) {
  WriteAt = OS.is_displayed() ? 1 : LargeBuffer;
}

LineOutput::~LineOutput() {
  OS.clear_error(); // otherwise the stream ends the program
}

void LineOutput::writeBytes(StringRef Bytes) {
  if (Failure || Bytes.empty())
    return;
  OS << Bytes;
  Failure = OS.error();
  if (Failure && OnFailure)
    OnFailure();
}

void LineOutput::write(unsigned Thread) {
  SmallVectorImpl<char> &Bytes = Buffers[Thread].Bytes;
  {
    std::lock_guard Lock(Mutex);
    StringRef Text(Bytes.data(), Bytes.size());
    if (IsFirst && !Text.empty()) {
      IsFirst = false;
      Text.consume_front(JSONSeparator);
    }
    writeBytes(Text);
  }
  Bytes.clear();
}

void LineOutput::beginJSON(StringRef Name) {
  writeText(("{\"version\":1,\"" + Name + "\":[\n").str());
  IsFirst = true;
}

void LineOutput::writeText(StringRef Text) {
  for (unsigned I = 0; I != Buffers.size(); ++I)
    write(I);
  std::lock_guard Lock(Mutex);
  writeBytes(Text);
}

Exit LineOutput::finish() {
  writeText("");
  return Failure ? failOutput(Failure) : Exit::Done;
}

void ProblemPrinter::print(StringRef Path, StringRef What) {
  const std::string Message = (Path + ": " + What).str();
  std::lock_guard Lock(Mutex);
  Any = true;
  if (Printer)
    Printer(Message);
  else
    fail(Message);
}

void ProblemPrinter::count(StringRef Path, StringRef What) {
  std::lock_guard Lock(Mutex);
  Any = true;
  Counted &Known = Problems[What.str()];
  if (Known.Count++ == 0)
    Known.FirstPath = Path.str();
}

void ProblemPrinter::printCounted() {
  std::map<std::string, Counted> All;
  {
    std::lock_guard Lock(Mutex);
    All.swap(Problems);
  }
  for (const auto &[What, Known] : All)
    print(Known.FirstPath,
          Known.Count == 1 ? What
                           : What + " (and " + std::to_string(Known.Count - 1) +
                                 " more like it)");
}

} // namespace headstart
