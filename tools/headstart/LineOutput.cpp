//===- LineOutput.cpp - Lines of output and of progress -------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LineOutput.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Process.h"
#include <algorithm>
#include <cmath>

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

void ProblemPrinter::print(const std::string &Message) {
  std::lock_guard Lock(Mutex);
  Any = true;
  if (Printer)
    Printer(Message);
  else
    fail(Message);
}

void ProblemPrinter::printCounted() {
  std::vector<CountedProblem> All;
  Problems.addTo(All);
  for (const CountedProblem &Problem : All)
    print(Problem.Message + Problem.others());
}

std::string formatSeconds(double Seconds) {
  constexpr double Most = 99 * 3600;
  auto Whole =
      static_cast<unsigned>(std::lround(std::clamp(Seconds, 0.0, Most)));
  SmallString<16> Text;
  raw_svector_ostream OS(Text);
  if (Whole >= 3600)
    OS << Whole / 3600 << format(":%02u", Whole / 60 % 60);
  else
    OS << Whole / 60;
  OS << format(":%02u", Whole % 60);
  return Text.str().str();
}

ProgressLine::ProgressLine()
    : Columns(sys::Process::StandardErrIsDisplayed()
                  // A terminal may report a width of 0 columns.
                  ? std::max(sys::Process::StandardErrColumns(), 40U)
                  : 0) {}

void ProgressLine::measure(const TreeFetchFigures &Figures) {
  // Only fetched bytes count: cached files pass at once and say nothing about
  // the disk.
  uint64_t Done = Figures.FetchedBytes;
  Clock::time_point Now = Clock::now();
  double Seconds = std::chrono::duration<double>(Now - LastTime).count();
  if (Seconds < 0.05)
    return;
  double Rate = static_cast<double>(Done - LastDone) / Seconds;
  // The average adapts to a change within about a second.
  double Weight = BytesPerSecond == 0 ? 1 : std::min(1.0, Seconds);
  BytesPerSecond += (Rate - BytesPerSecond) * Weight;
  LastDone = Done;
  LastTime = Now;
}

void ProgressLine::draw(const TreeFetchFigures &Figures, bool IsComplete) {
  measure(Figures);
  SmallString<256> Text;
  raw_svector_ostream OS(Text);
  const uint64_t Done = Figures.fetchedBytes();
  if (!IsComplete) {
    OS << formatBytes(Done) << " of " << formatv("{0:N}", Figures.Files)
       << " files, still finding more";
  } else {
    // The total does not include what the budget will leave out.
    const uint64_t Bytes = Done + Figures.leftBytes();
    double Share =
        Bytes ? static_cast<double>(Done) / static_cast<double>(Bytes) : 1;
    constexpr unsigned MaxBar = 30;
    // The text after the bar takes about 50 columns.
    unsigned Bar = Columns > 60 ? std::min(MaxBar, Columns - 55) : 0;
    if (Bar) {
      auto Full = static_cast<unsigned>(Share * Bar);
      OS << '[' << std::string(Full, '=') << std::string(Bar - Full, ' ')
         << "] ";
    }
    OS << format("%3.0f%%  ", 100 * Share) << formatBytes(Done) << " of "
       << formatBytes(Bytes);
  }
  if (BytesPerSecond >= 1) {
    OS << "  " << formatBytes(static_cast<uint64_t>(BytesPerSecond)) << "/s";
    if (IsComplete)
      OS << "  "
         << formatSeconds(static_cast<double>(Figures.leftBytes()) /
                          BytesPerSecond)
         << " left";
  }
  show(Text);
}

void ProgressLine::show(StringRef Whole) {
  if (!isShown())
    return;
  // The last column stays free: some terminals wrap the line there.
  SmallString<256> Text = Whole.take_front(Columns - 1);
  size_t Now = Text.size();
  Text.append(std::max(Drawn, Now) - Now, ' ');
  Drawn = Now;
  errs() << '\r' << Text;
  errs().flush();
}

void ProgressLine::erase() {
  if (Drawn == 0)
    return;
  errs() << '\r' << std::string(Drawn, ' ') << '\r';
  errs().flush();
  Drawn = 0;
}

} // namespace headstart
