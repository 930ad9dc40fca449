//===- NinjaPlan.cpp - The upcoming links of ninja ------------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "headstart/Link/NinjaPlan.h"
#include "headstart/OS/ChildProcess.h"
#include "headstart/OS/MappedFile.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Allocator.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/StringSaver.h"
#include <algorithm>
#include <chrono>
#include <memory>
#include <tuple>
#include <utility>

using namespace llvm;

namespace headstart {

namespace {

struct Node {
  StringRef Path;
  std::optional<unsigned> Producer; ///< the index of an edge
  bool IsKnown = false;
  bool IsDirty = false; ///< will be written, or is a target without a file
  int64_t ModifiedNs = 0;
};

struct Edge {
  StringRef Rule;
  SmallVector<unsigned, 4> Inputs; ///< without order-only inputs
  SmallVector<unsigned, 1> Outputs;
  bool IsKnown = false;
  bool IsDirty = false;
};

/// The last run of a step.
struct LoggedStep {
  uint64_t Ms = 0;
  int64_t ModifiedNs = 0; ///< the input time with which it was up to date
};

/// Returns the index in \p All of the element named \p Id, which is added if it
/// is missing.
template <class T>
unsigned indexOf(StringRef Id, StringMap<unsigned> &Ids, std::vector<T> &All) {
  auto [It, IsNew] = Ids.try_emplace(Id, All.size());
  if (IsNew)
    All.emplace_back();
  return It->second;
}

class Planner {
public:
  Planner(StringRef Graph, StringRef Log, StringRef Deps,
          function_ref<int64_t(StringRef)> Query)
      : Query(Query) {
    readGraph(Graph);
    readLog(Log);
    readDeps(Deps);
  }
  std::vector<NinjaStep> plan();

private:
  void readGraph(StringRef Dot);
  void readArrow(StringRef From, StringRef Rest);
  void readLog(StringRef Text);
  void readDeps(StringRef Bytes);
  unsigned nodeOf(StringRef Id) { return indexOf(Id, NodeIds, Nodes); }
  Edge &edgeOf(StringRef Id) { return Edges[indexOf(Id, EdgeIds, Edges)]; }
  int64_t modified(StringRef Path);
  bool isDirty(unsigned N);
  bool hasNewerDependency(StringRef Output, int64_t ThanNs);
  void judge(Edge &E);
  uint64_t workBefore(const Edge &E, DenseSet<const Edge *> &Counted);

  function_ref<int64_t(StringRef)> Query;
  std::vector<Node> Nodes;
  std::vector<Edge> Edges;
  StringMap<unsigned> NodeIds, EdgeIds;
  StringMap<unsigned> NodePaths;
  StringMap<LoggedStep> Logged;     ///< by output
  std::vector<StringRef> DepsPaths; ///< by number
  StringMap<StringRef> DepsOf;      ///< numbers of paths, by output
  StringMap<int64_t> Times;
  /// The limit of workBefore, some tenths of a second: each step visits all
  /// steps before it, and very many steps may depend on very many.
  uint64_t VisitsLeft = 5000000;
};

} // namespace

/// Reads `"ID"` at the start of \p Line and removes it.
static StringRef takeId(StringRef &Line) {
  if (!Line.consume_front("\""))
    return "";
  auto [Id, Rest] = Line.split('"');
  Line = Rest;
  return Id;
}

/// Reads the text after `"FROM" -> `: either `"TO" [label=" RULE"]`, a step
/// with one input and one output, or a line between a step and a file.
void Planner::readArrow(StringRef From, StringRef Rest) {
  StringRef To = takeId(Rest);
  if (Rest.consume_front(" [label=\" ")) {
    Rest.consume_back("\"]");
    Edge &E = edgeOf((From + ">" + To).str());
    E.Rule = Rest;
    E.Inputs.push_back(nodeOf(From));
    E.Outputs.push_back(nodeOf(To));
  } else if (!Rest.contains("arrowhead=none")) {
    edgeOf(From).Outputs.push_back(nodeOf(To));
  } else if (!Rest.contains("style=dotted")) { // not order-only
    edgeOf(To).Inputs.push_back(nodeOf(From));
  }
}

void Planner::readGraph(StringRef Dot) {
  for (StringRef Line : llvm::split(Dot, '\n')) {
    Line = Line.rtrim('\r');
    StringRef Id = takeId(Line);
    if (Id.empty())
      continue;
    if (Line.consume_front(" -> "))
      readArrow(Id, Line);
    else if (!Line.consume_front(" [label=\""))
      continue;
    else if (Line.consume_back("\", shape=ellipse]"))
      edgeOf(Id).Rule = Line;
    else if (Line.consume_back("\"]"))
      Nodes[nodeOf(Id)].Path = Line;
  }
  for (unsigned E = 0; E != Edges.size(); ++E)
    for (unsigned N : Edges[E].Outputs)
      Nodes[N].Producer = E;
  for (unsigned N = 0; N != Nodes.size(); ++N)
    NodePaths.try_emplace(Nodes[N].Path, N);
}

/// Reads lines of start, end, time of modification, output and a hash of the
/// command. The last line of an output counts.
void Planner::readLog(StringRef Text) {
  for (StringRef Line : llvm::split(Text, '\n')) {
    SmallVector<StringRef, 5> Fields;
    Line.split(Fields, '\t');
    uint64_t Start = 0;
    uint64_t End = 0;
    int64_t Modified = 0;
    if (Fields.size() == 5 && !Fields[0].getAsInteger(10, Start) &&
        !Fields[1].getAsInteger(10, End) &&
        !Fields[2].getAsInteger(10, Modified))
      Logged[Fields[3]] = {End - std::min(Start, End), Modified};
  }
}

/// Reads records of a path, which gets the next number, or of an output and its
/// dependencies. Version 3 (of ninja 1.3) has times of 4 bytes, version 4 times
/// of 8 bytes.
void Planner::readDeps(StringRef Bytes) {
  constexpr uint32_t IsDeps = UINT32_C(1) << 31;
  const auto TakeNumber = [&] {
    uint32_t Number = support::endian::read32le(Bytes.data());
    Bytes = Bytes.drop_front(4);
    return Number;
  };
  if (!Bytes.consume_front("# ninjadeps\n") || Bytes.size() < 4)
    return;
  const uint32_t Version = TakeNumber();
  if (Version != 3 && Version != 4)
    return;
  const size_t HeadBytes = Version == 4 ? 12 : 8;
  while (Bytes.size() >= 4) {
    uint32_t Size = TakeNumber();
    const bool HasDeps = (Size & IsDeps) != 0;
    Size &= ~IsDeps;
    if (Size > Bytes.size() || Size % 4 != 0 || Size < 4)
      return; // ninja is writing it
    StringRef Record = Bytes.take_front(Size);
    Bytes = Bytes.drop_front(Size);
    if (!HasDeps) {
      DepsPaths.push_back(Record.drop_back(4).rtrim('\0'));
    } else if (Size >= HeadBytes) {
      uint32_t Output = support::endian::read32le(Record.data());
      if (Output < DepsPaths.size())
        DepsOf[DepsPaths[Output]] = Record.drop_front(HeadBytes);
    }
  }
}

int64_t Planner::modified(StringRef Path) {
  auto [It, IsNew] = Times.try_emplace(Path, 0);
  if (IsNew)
    It->second = Query(Path);
  return It->second;
}

bool Planner::hasNewerDependency(StringRef Output, int64_t ThanNs) {
  auto Found = DepsOf.find(Output);
  if (Found == DepsOf.end())
    return false;
  for (StringRef Rest = Found->second; !Rest.empty();
       Rest = Rest.drop_front(4)) {
    uint32_t Number = support::endian::read32le(Rest.data());
    if (Number >= DepsPaths.size())
      continue;
    StringRef Path = DepsPaths[Number];
    auto Known = NodePaths.find(Path);
    if (Known != NodePaths.end() && isDirty(Known->second))
      return true;
    int64_t Time = modified(Path);
    if (Time == 0 || Time > ThanNs)
      return true;
  }
  return false;
}

void Planner::judge(Edge &E) {
  if (std::exchange(E.IsKnown, true)) // also ends a cycle
    return;
  const bool IsPhony = E.Rule == "phony";
  bool Dirty = false;
  int64_t Newest = 0;
  for (unsigned N : E.Inputs) {
    Dirty = isDirty(N) || Dirty;
    Newest = std::max(Newest, Nodes[N].ModifiedNs);
  }
  for (unsigned N : E.Outputs) {
    Node &Output = Nodes[N];
    Output.IsKnown = true;
    Output.ModifiedNs = modified(Output.Path);
    if (IsPhony) {
      Dirty = Dirty || (E.Inputs.empty() && Output.ModifiedNs == 0);
      Output.ModifiedNs = std::max(Output.ModifiedNs, Newest);
      continue;
    }
    // A step that leaves its output unchanged (restat) is up to date with the
    // time in the log.
    int64_t UpTo =
        std::max(Output.ModifiedNs, Logged.lookup(Output.Path).ModifiedNs);
    Dirty = Dirty || Output.ModifiedNs == 0 || Newest > UpTo ||
            hasNewerDependency(Output.Path, UpTo);
  }
  E.IsDirty = Dirty;
  for (unsigned N : E.Outputs)
    Nodes[N].IsDirty = Dirty;
}

bool Planner::isDirty(unsigned N) {
  Node &Of = Nodes[N];
  if (!std::exchange(Of.IsKnown, true)) {
    if (Of.Producer)
      judge(Edges[*Of.Producer]);
    else
      Of.ModifiedNs = modified(Of.Path);
  }
  return Of.IsDirty;
}

uint64_t Planner::workBefore(const Edge &E, DenseSet<const Edge *> &Counted) {
  uint64_t Ms = 0;
  for (unsigned N : E.Inputs) {
    if (!Nodes[N].Producer || VisitsLeft == 0)
      continue;
    --VisitsLeft;
    const Edge &Before = Edges[*Nodes[N].Producer];
    if (!Before.IsDirty || !Counted.insert(&Before).second)
      continue;
    Ms += workBefore(Before, Counted);
    if (!Before.Outputs.empty())
      Ms += Logged.lookup(Nodes[Before.Outputs.front()].Path).Ms;
  }
  return Ms;
}

std::vector<NinjaStep> Planner::plan() {
  for (Edge &E : Edges)
    judge(E);
  std::vector<NinjaStep> Steps;
  for (const Edge &E : Edges) {
    // Text that ninja did not write may have an edge without outputs.
    if (!E.IsDirty || E.Rule == "phony" || E.Outputs.empty())
      continue;
    NinjaStep Step;
    Step.Rule = E.Rule.str();
    for (unsigned N : E.Outputs)
      Step.Outputs.push_back(Nodes[N].Path.str());
    Step.TakesOutputs = llvm::any_of(E.Inputs, [&](unsigned N) {
      return Nodes[N].Producer && Edges[*Nodes[N].Producer].Rule != "phony";
    });
    DenseSet<const Edge *> Counted;
    if (Step.TakesOutputs)
      Step.WorkBeforeMs = workBefore(E, Counted);
    Steps.push_back(std::move(Step));
  }
  llvm::sort(Steps, [](const NinjaStep &A, const NinjaStep &B) {
    return std::tie(A.WorkBeforeMs, A.Outputs) <
           std::tie(B.WorkBeforeMs, B.Outputs);
  });
  return Steps;
}

std::vector<NinjaStep> planNinja(StringRef Graph, StringRef Log, StringRef Deps,
                                 function_ref<int64_t(StringRef)> ModifiedNs) {
  return Planner(Graph, Log, Deps, ModifiedNs).plan();
}

/// The output of ninja's \p Tool for \p Build; "" if it fails.
static std::string queryTool(const NinjaBuild &Build, ArrayRef<StringRef> Tool,
                             ArrayRef<std::string> Rest,
                             const std::atomic<bool> &Cancelled) {
  std::vector<std::string> Args = Build.Ninja;
  for (StringRef Arg : Tool)
    Args.push_back(Arg.str());
  llvm::append_range(Args, Rest);
  os::AnswerLimits Limits;
  Limits.Time = std::chrono::seconds(60);
  Limits.Bytes = size_t(256) << 20; // more than a million steps
  Limits.Cancelled = &Cancelled;
  std::string Answer;
  if (os::captureOutput(Args, os::ProgramStream::Output, Limits, Answer))
    return "";
  return Answer;
}

/// Reads a copy, because ninja appends to its logs, and may replace them.
static std::unique_ptr<MemoryBuffer> readWhole(StringRef Path) {
  auto Bytes = MemoryBuffer::getFile(Path, /*IsText=*/false,
                                     /*RequiresNullTerminator=*/false,
                                     /*IsVolatile=*/true);
  return Bytes ? std::move(*Bytes) : MemoryBuffer::getMemBuffer("");
}

std::optional<std::vector<NinjaStep>>
queryNinja(const NinjaBuild &Build, const std::atomic<bool> &Cancelled) {
  std::string Graph =
      queryTool(Build, {"-t", "graph"}, Build.Targets, Cancelled);
  if (Graph.empty() && !Build.Targets.empty()) // may be CMake's names
    Graph = queryTool(Build, {"-t", "graph"}, {}, Cancelled);
  if (Graph.empty())
    return std::nullopt;
  auto Log = readWhole(".ninja_log");
  auto Deps = readWhole(".ninja_deps");
  return planNinja(
      Graph, Log->getBuffer(), Deps->getBuffer(), [](StringRef Path) {
        std::error_code Error;
        const os::FileStatus Status = os::statFile(Path.str(), Error);
        return Status.Kind == os::FileKind::Missing
                   ? 0
                   : Status.Identity.ModifiedNs;
      });
}

StringMap<std::string> commandsOf(const NinjaBuild &Build,
                                  ArrayRef<std::string> Rules,
                                  const std::atomic<bool> &Cancelled) {
  StringMap<std::string> Commands;
  Expected<json::Value> Answer =
      json::parse(queryTool(Build, {"-t", "compdb", "-x"}, Rules, Cancelled));
  if (!Answer) {
    consumeError(Answer.takeError());
    return Commands;
  }
  if (const json::Array *All = Answer->getAsArray())
    for (const json::Value &Value : *All)
      if (const json::Object *Step = Value.getAsObject())
        if (auto Output = Step->getString("output"))
          Commands[*Output] = Step->getString("command").value_or("").str();
  return Commands;
}

std::vector<std::vector<std::string>> commandsInShell(StringRef Command) {
  BumpPtrAllocator Memory;
  StringSaver Saver(Memory);
  SmallVector<const char *, 64> Args;
  cl::TokenizeGNUCommandLine(Command, Saver, Args);
  std::vector<std::vector<std::string>> Found(1);
  for (StringRef Arg : Args) {
    if (Arg == "&&" || Arg == ";")
      Found.emplace_back();
    else if (Arg == "|" || Arg == "||" || Arg == "<" || Arg == ">" ||
             (Arg == "cd" && Found.back().empty()))
      break;
    else
      Found.back().push_back(Arg.str());
  }
  llvm::erase_if(Found, [](const auto &Args) { return Args.empty(); });
  return Found;
}

} // namespace headstart
