//===- StatusCommand.cpp - headstart status -------------------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Command.h"
#include "LineOutput.h"
#include "Options.h"
#include "TreeOptions.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Process.h"
#include <array>

using namespace llvm;

namespace headstart {

namespace {

class Finder : public ChangeFinder {
public:
  Finder(const ManifestPart &Part, const TreePlan &Plan, StringRef WalkedRoot,
         ProblemPrinter &Problems)
      : ChangeFinder(Part, Plan.Filter, WalkedRoot), Problems(Problems) {}

private:
  void report(StringRef Path, StringRef What) override {
    Problems.print(Path, What);
  }

  ProblemPrinter &Problems;
};

/// A directory, and its part of the manifest.
struct Comparison {
  TreeRoot Root;
  ManifestPart Part;
};

/// Writes changes and counts them.
class ChangeWriter {
public:
  ChangeWriter(const CommandArguments &Arguments, LineOutput &Output)
      : AsJSON(Arguments.JSON), End(Arguments.has(OPT_null) ? '\0' : '\n'),
        Output(Output) {}

  void write(StringRef Prefix, const TreeChange &Change) {
    ++Counts.at(static_cast<size_t>(Change.Kind));
    SmallVectorImpl<char> &Out = Output.buffer(0);
    raw_svector_ostream OS(Out);
    StringRef End = Change.Type == os::EntryType::Directory ? "/" : "";
    if (AsJSON) {
      OS << LineOutput::JSONSeparator;
      writeJSON((Prefix + Change.Path).str(), Change, OS);
    } else {
      OS << "ADM"[static_cast<size_t>(Change.Kind)] << ' ' << Prefix
         << Change.Path << End << this->End;
    }
    Output.mayWrite(0);
  }

  uint64_t count(ChangeKind Kind) const {
    return Counts.at(static_cast<size_t>(Kind));
  }
  bool any() const {
    return llvm::any_of(Counts, [](uint64_t C) { return C; });
  }

private:
  static void writeJSON(StringRef Path, const TreeChange &Change,
                        raw_ostream &OS) {
    static constexpr std::array<StringRef, 3> Names = {"added", "removed",
                                                       "modified"};
    static constexpr std::pair<unsigned, StringRef> Differences[] = {
        {TypeDiffers, "type"},
        {SizeDiffers, "size"},
        {TimeDiffers, "mtime"},
        {IdDiffers, "id"}};
    json::OStream J(OS);
    J.object([&] {
      J.attribute("change", Names[static_cast<size_t>(Change.Kind)]);
      writePath(Path, J);
      J.attribute("type", typeName(Change.Type));
      if (Change.Difference != SameEntry)
        J.attributeArray("what", [&] {
          for (auto [Bit, Name] : Differences)
            if (Change.Difference & Bit)
              J.value(Name);
        });
    });
  }

  bool AsJSON;
  char End;
  LineOutput &Output;
  std::array<uint64_t, 3> Counts{};
};

} // namespace

/// Returns the manifest's roots with their given names, or, if these lead
/// elsewhere from the current directory, with their absolute paths.
static std::vector<Comparison> allRoots(const Manifest &M) {
  std::vector<Comparison> Result;
  for (auto [I, Root] : enumerate(M.roots())) {
    SmallString<256> Here;
    StringRef Given = Root.Given;
    if (sys::fs::real_path(Given.empty() ? "." : Given, Here) ||
        Here != Root.Absolute)
      Given = Root.Absolute;
    Result.push_back({TreeRoot(Given), ManifestPart(M, I)});
  }
  return Result;
}

static Exit comparisonsOf(const CommandArguments &Arguments, const Manifest &M,
                          const TreePlan &Plan,
                          std::vector<Comparison> &Result) {
  if (Arguments.Operands.empty()) {
    Result = allRoots(M);
    return Exit::Done;
  }
  Exit Status = Exit::Done;
  for (const std::string &Path : Arguments.Operands) {
    Expected<ManifestPart> Part = ManifestPart::of(M, Path);
    Error Problem = Part ? checkCovers(*Part, Plan) : Part.takeError();
    if (Problem)
      Status = fail(toString(std::move(Problem)));
    else
      Result.push_back({TreeRoot(Path), *Part});
  }
  return Status;
}

static void writeSummary(const ChangeWriter &Changes, int64_t Recorded) {
  SmallString<32> Time;
  appendTime(Recorded * 1000000000, Time);
  errs() << Changes.count(ChangeKind::Added) << " added, "
         << Changes.count(ChangeKind::Removed) << " removed, "
         << Changes.count(ChangeKind::Modified) << " modified since "
         << Time.str().take_front(19) << "Z\n";
}

Exit runStatus(const CommandArguments &Arguments) {
  const std::string Since = Arguments.value(OPT_since_EQ).value_or("");
  if (Since.empty())
    return fail("no manifest given; usage: headstart status --since=MANIFEST "
                "[PATH...]",
                Exit::WrongUsage);
  Expected<Manifest> M = Manifest::load(Since);
  if (!M)
    return fail(toString(M.takeError()));
  Expected<TreePlan> Plan =
      planTree(M->selection(), Arguments.value(OPT_jobs_EQ));
  if (!Plan)
    return fail(toString(Plan.takeError()), Exit::WrongUsage);
  std::vector<Comparison> Comparisons;
  Exit Status = comparisonsOf(Arguments, *M, *Plan, Comparisons);

  ProblemPrinter Problems;
  LineOutput Output(1);
  ChangeWriter Changes(Arguments, Output);
  if (Arguments.JSON)
    Output.beginJSON("changes");
  std::error_code Ignored;
  const os::FileIdentity Self = os::statFile(Since, Ignored).Identity;
  for (const Comparison &C : Comparisons) {
    unsigned Above = C.Part.depth();
    Finder Visitor(C.Part, *Plan, C.Root.Given, Problems);
    if (C.Part.isRemoved()) {
      if (const ManifestEntry *Removed = C.Part.entry())
        Changes.write(C.Root.Given,
                      {ChangeKind::Removed, Removed->Type, SameEntry, ""});
    } else if (!Plan->isTooDeep(Above)) {
      Visitor.leaveOut(Self);
      TreeWalker(Plan->walkOptions(/*WithStatus=*/true, Above))
          .walk({C.Root.Given}, Visitor);
    }
    for (const TreeChange &Change : Visitor.finish())
      Changes.write(C.Root.Prefix, Change);
  }
  if (Arguments.JSON) {
    SmallString<128> Tail("\n]");
    raw_svector_ostream(Tail)
        << ",\"added\":" << Changes.count(ChangeKind::Added)
        << ",\"removed\":" << Changes.count(ChangeKind::Removed)
        << ",\"modified\":" << Changes.count(ChangeKind::Modified) << "}\n";
    Output.writeText(Tail);
  }
  if (Exit Written = Output.finish(); Written != Exit::Done)
    return Written;
  if (Arguments.has(OPT_summary) ||
      (!Arguments.JSON && sys::Process::StandardOutIsDisplayed()))
    writeSummary(Changes, M->recorded());
  if (Status != Exit::Done || Problems.any())
    return Exit::Failed;
  return Arguments.has(OPT_exit_code) && Changes.any() ? Exit::Changed
                                                       : Exit::Done;
}

} // namespace headstart
