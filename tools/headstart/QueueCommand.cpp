//===- QueueCommand.cpp - headstart queue ---------------------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Command.h"
#include "headstart/Link/LinkQueue.h"
#include "headstart/Link/ProfileStore.h"
#include "headstart/OS/SystemMemory.h"
#include "headstart/Report/LinkStats.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Chrono.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"
#include <algorithm>
#include <utility>

using namespace llvm;

namespace headstart {

namespace {

/// The links that share a memory.
struct Queue {
  std::string Directory;
  std::vector<QueuedLink> Links;      ///< not empty
  std::optional<uint64_t> TotalBytes; ///< that the links share, if known
  bool IsOfThisMemory = false;        ///< whether it is all of our own memory
};

} // namespace

static StringRef stateOf(const QueuedLink &Link) {
  if (Link.IsIdle)
    return "stopped";
  return Link.Runs ? "running" : "waiting";
}

/// The reason why \p Link of \p Q does not run; empty if it runs.
static std::string whyNot(const QueuedLink &Link, const Queue &Q) {
  if (Link.IsIdle)
    return "stopped by a signal; other links do not wait for it";
  if (Link.Runs)
    return "";
  size_t Ahead = 0, Running = 0;
  uint64_t Taken = 0;
  for (const QueuedLink &Other : Q.Links) {
    if (Other.IsIdle)
      continue;
    Ahead += !Other.Runs && Other.Number < Link.Number;
    Running += Other.Runs;
    Taken += Other.Runs ? Other.NeedBytes : 0;
  }
  if (Ahead != 0)
    return counted(Ahead, "earlier link") +
           (Ahead == 1 ? " waits, too" : " wait, too");
  std::string Why = "needs " + formatBytes(Link.NeedBytes);
  if (Q.TotalBytes) {
    uint64_t Free = *Q.TotalBytes - std::min(*Q.TotalBytes, Taken);
    if (Q.IsOfThisMemory)
      Free = std::min(Free, os::SystemMemory::read().available());
    Why += ", but " + formatBytes(Free) + " are free";
  }
  return Why + " alongside " + counted(Running, "running link");
}

static void writeJSON(ArrayRef<Queue> Queues) {
  printJSON([&](json::OStream &J) {
    J.attributeArray("queues", [&] {
      for (const Queue &Q : Queues)
        J.object([&] {
          J.attribute("directory", json::fixUTF8(Q.Directory));
          J.attribute("this_memory", Q.IsOfThisMemory);
          J.attribute("memory_bytes", Q.TotalBytes);
          J.attributeArray("links", [&] {
            for (const QueuedLink &Link : Q.Links)
              J.object([&] {
                J.attribute("pid", Link.Process);
                J.attribute("output", textOrNull(Link.Output));
                J.attribute("need_bytes", Link.NeedBytes);
                J.attribute("state", stateOf(Link));
                J.attribute("since", sys::toTimeT(Link.Since));
                J.attribute("reason", whyNot(Link, Q));
              });
          });
        });
    });
  });
}

static void writeText(const Queue &Q) {
  outs() << (Q.IsOfThisMemory
                 ? "links in the memory of this machine or control group"
                 : "links in another control group, or with --prefetch-queue");
  if (Q.TotalBytes)
    outs() << ", which share " << formatBytes(*Q.TotalBytes);
  outs() << ":\n";
  for (const QueuedLink &Link : Q.Links) {
    const std::string Process =
        Link.Process ? std::to_string(*Link.Process) : "unknown";
    outs() << formatv("{0,9} {1} {2,9} since {3:%H:%M:%S}  {4}", Process,
                      stateOf(Link), formatBytes(Link.NeedBytes), Link.Since,
                      Link.Output.empty() ? "unknown output" : Link.Output);
    const std::string Why = whyNot(Link, Q);
    outs() << (Why.empty() ? "" : ": ") << Why << "\n";
  }
}

Exit runQueue(const CommandArguments &Arguments) {
  if (!Arguments.Operands.empty())
    return fail("unexpected argument '" + Arguments.Operands.front() + "'",
                Exit::WrongUsage);
  const std::string Cache = profileDirectory();
  const std::string Mine =
      queueDirectory(Cache, os::memoryName(), std::nullopt);
  std::vector<Queue> Queues;
  if (!Cache.empty())
    for (std::string &Directory : queueDirectories(Cache)) {
      Queue Q;
      Q.Links = linksInQueue(Directory);
      for (const QueuedLink &Link : Q.Links)
        Q.TotalBytes = std::max(Q.TotalBytes, Link.TotalBytes);
      Q.IsOfThisMemory = Directory == Mine;
      Q.Directory = std::move(Directory);
      if (!Q.Links.empty())
        Queues.push_back(std::move(Q));
    }
  if (Arguments.JSON)
    writeJSON(Queues);
  else if (Queues.empty())
    outs() << "no links run or wait\n";
  else
    llvm::for_each(Queues, writeText);
  return Exit::Done;
}

} // namespace headstart
