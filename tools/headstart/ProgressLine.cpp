//===- ProgressLine.cpp - A line that tells how far it is -----------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProgressLine.h"
#include "headstart/Report/LinkStats.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"
#include <algorithm>
#include <cmath>

using namespace llvm;

namespace headstart {

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
