//===- TraceLog.cpp - What the prefetcher's threads did, and when ---------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "headstart/Report/TraceLog.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"

using namespace llvm;

namespace headstart {

TraceLane &TraceLog::addLane(StringRef Name) {
  std::lock_guard<std::mutex> Lock(Mutex);
  Lanes.push_back(std::make_unique<TraceLane>());
  Lanes.back()->Name = Name.str();
  return *Lanes.back();
}

/// Microseconds, the format's unit, to the nanosecond.
static void writeTime(json::OStream &J, StringRef Key, TraceClock::duration D) {
  J.attributeBegin(Key);
  J.rawValue([&](raw_ostream &OS) {
    OS << format("%.3f", std::chrono::duration<double, std::micro>(D).count());
  });
  J.attributeEnd();
}

// The format:
// https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU
// ("Trace Event Format"), complete events ("X") and thread names ("M").
void TraceLog::write(raw_ostream &OS) const {
  std::lock_guard<std::mutex> Lock(Mutex);
  json::OStream J(OS);
  J.object([&] {
    J.attribute("displayTimeUnit", "ms");
    J.attributeArray("traceEvents", [&] {
      for (size_t Id = 0; Id != Lanes.size(); ++Id) {
        J.object([&] {
          J.attribute("ph", "M");
          J.attribute("pid", 1);
          J.attribute("tid", static_cast<int64_t>(Id));
          J.attribute("name", "thread_name");
          J.attributeObject("args",
                            [&] { J.attribute("name", Lanes[Id]->Name); });
        });
        for (const TraceEvent &E : Lanes[Id]->Events)
          J.object([&] {
            J.attribute("ph", "X");
            J.attribute("pid", 1);
            J.attribute("tid", static_cast<int64_t>(Id));
            J.attribute("name", E.Name);
            writeTime(J, "ts", E.Begin - Origin);
            writeTime(J, "dur", E.End - E.Begin);
            J.attributeObject("args", [&] {
              if (!E.Path.empty())
                J.attribute("path", json::fixUTF8(E.Path));
              if (E.Bytes) {
                J.attribute("offset", E.Offset);
                J.attribute("bytes", E.Bytes);
              }
              if (!E.Why.empty())
                J.attribute("why", E.Why);
            });
          });
      }
    });
  });
  OS << "\n";
}

} // namespace headstart
