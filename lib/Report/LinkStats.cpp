//===- LinkStats.cpp - The figures of one link ----------------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "headstart/Report/LinkStats.h"
#include "headstart/Report/Message.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;

namespace headstart {

std::string formatBytes(uint64_t Bytes) {
  static constexpr std::array Units = {"bytes", "kB", "MB", "GB", "TB", "PB"};
  if (Bytes < 1000)
    return counted(Bytes, "byte");
  auto Value = static_cast<double>(Bytes);
  size_t Unit = 0;
  // From 999.5 on, "F0" would print "1000".
  while (Value >= 999.5 && Unit + 1 < Units.size()) {
    Value /= 1000;
    ++Unit;
  }
  return formatv(Value < 9.95 ? "{0:F1} {1}" : "{0:F0} {1}", Value,
                 Units[Unit]);
}

void writeDecimal(json::OStream &J, StringRef Key, std::optional<double> Value,
                  int Decimals) {
  J.attributeBegin(Key);
  if (Value)
    J.rawValue(
        [&](raw_ostream &OS) { OS << format("%.*f", Decimals, *Value); });
  else
    J.value(nullptr);
  J.attributeEnd();
}

/// By PrefetchWork.
static constexpr std::array<StringRef, NumPrefetchWorks> Works = {
    "opening",  "residency",    "looking",    "planning",
    "fetching", "handing_over", "scheduling", "record"};

json::Value textOrNull(StringRef Text) {
  return Text.empty() ? json::Value(nullptr) : json::fixUTF8(Text);
}

// Three decimals of a millisecond are finer than the resolution of these
// clocks.
static void writeStore(json::OStream &J, const StoreFigures &Store) {
  J.object([&] {
    writeDecimal(J, "request_us", Store.RequestUs);
    writeDecimal(J, "byte_ns", Store.ByteNs);
    writeDecimal(J, "latency_ms", Store.LatencyMs);
    writeDecimal(J, "name_ms", Store.NameMs);
    J.attribute("at_once", Store.AtOnce);
    J.attribute("samples", Store.Samples);
  });
}

void writeStatsJSON(const LinkStats &S, raw_ostream &OS) {
  json::OStream J(OS, /*IndentSize=*/2);
  J.object([&] {
    J.attribute("version", 1);
    J.attribute("tool", S.Tool);
    J.attribute("flavour", S.Flavour);
    J.attribute("output", textOrNull(S.Output));
    J.attribute("mode", S.On ? "on" : "off");
    J.attribute("inputs", S.Inputs);
    J.attribute("inputs_bytes", S.InputsBytes);
    J.attribute("resident_bytes_before", S.ResidentBytesBefore);
    J.attribute("unknown_bytes_before", S.UnknownBytesBefore);
    J.attribute("hinted_bytes", S.HintedBytes);
    J.attribute("hint_calls", S.HintCalls);
    J.attribute("handed_over", S.HandedOver);
    J.attribute("not_handed_over", S.NotHandedOver);
    J.attribute("touched_bytes", S.TouchedBytes);
    J.attribute("wasted_bytes", S.WastedBytes);
    J.attribute("budget_bytes", S.BudgetBytes);
    J.attribute("jobs", S.Jobs);
    J.attribute("profile", S.Profile);
    writeDecimal(J, "first_hint_ms", S.FirstHintMs);
    writeDecimal(J, "last_hint_ms", S.LastHintMs);
    writeDecimal(J, "link_ms", S.LinkMs);
    J.attribute("why_off", textOrNull(S.WhyOff));
    J.attribute("unfinished", S.Unfinished);
    J.attribute("short_of_memory", S.ShortOfMemory);
    writeDecimal(J, "waited_ms", S.WaitedMs);
    J.attribute("linker_read_bytes", S.LinkerReadBytes);
    J.attribute("linker_stops", S.LinkerStops);
    if (S.ProcessorMs)
      J.attributeObject("processor_ms", [&] {
        for (const auto &[Work, Ms] : zip_equal(Works, *S.ProcessorMs))
          writeDecimal(J, Work, Ms);
      });
    else
      J.attribute("processor_ms", nullptr);
    J.attributeArray("stores", [&] {
      for (const StoreFigures &Store : S.Stores)
        writeStore(J, Store);
    });
    J.attributeObject("decisions", [&] {
      for (const auto &[Key, Count] : zip_equal(DecisionKeys, S.Decisions))
        if (Count != 0)
          J.attribute(Key, Count);
    });
    J.attributeArray("errors", [&] {
      for (const CountedProblem &P : S.Problems)
        J.object([&] {
          J.attribute("message", json::fixUTF8(P.Message));
          J.attribute("count", P.Count);
        });
    });
  });
  OS << "\n";
}

std::string CountedProblem::others() const {
  return Count > 1 ? " (and " + std::to_string(Count - 1) + " more like it)"
                   : "";
}

/// Breaks \p Text at spaces so that no line is longer than 79 columns.
static void writeWrapped(StringRef Text, raw_ostream &OS) {
  constexpr size_t Columns = 79;
  while (Text.size() > Columns) {
    size_t Cut = Text.rfind(' ', Columns + 1);
    if (Cut == StringRef::npos)
      Cut = Text.find(' ');
    if (Cut == StringRef::npos)
      break;
    OS << Text.take_front(Cut) << "\n";
    Text = Text.drop_front(Cut + 1);
  }
  OS << Text << "\n";
}

static void addProblems(const LinkStats &S, raw_ostream &P) {
  for (const CountedProblem &Problem : S.Problems) {
    const StringRef Message = Problem.Message;
    P << " ";
    if (Message.starts_with("cannot ") || Message.starts_with("could not "))
      P << "Headstart " << Message;
    else
      P << toUpper(Message.front()) << Message.drop_front();
    P << Problem.others() << ".";
  }
}

static std::string seconds(double Ms) { return formatv("{0:F2} s", Ms / 1000); }

/// Returns "once" or "14 times".
static std::string times(uint64_t Count) {
  return Count == 1 ? "once" : std::to_string(Count) + " times";
}

static uint64_t orNone(uint64_t All, uint64_t Part) {
  return All > Part ? All - Part : 0;
}

/// Returns how many bytes of the inputs were not cached, as far as is known.
static uint64_t missingBytes(const LinkStats &S) {
  return orNone(orNone(S.InputsBytes, S.UnknownBytesBefore),
                S.ResidentBytesBefore);
}

/// Writes how much of the inputs was not cached, and for how much this is
/// unknown.
static void addShare(const LinkStats &S, raw_ostream &P) {
  const uint64_t Known = orNone(S.InputsBytes, S.UnknownBytesBefore);
  const uint64_t Missing = missingBytes(S);
  std::string Inputs = " (" + counted(S.OpenedInputs, "input") + ")";
  if (Known == 0) {
    P << "the system does not report how much of " << formatBytes(S.InputsBytes)
      << Inputs << " was cached.";
    return;
  }
  std::string Of = formatBytes(Known);
  if (S.UnknownBytesBefore == 0)
    Of += Inputs;
  if (Missing == 0)
    P << "all " << Of << " were cached";
  else if (S.ResidentBytesBefore == 0)
    P << "none of " << Of << " was cached";
  else if (Missing < Known / 100)
    P << "less than 1% of " << Of << " was not cached";
  else
    P << format("%.0f", 100.0 * static_cast<double>(Missing) /
                            static_cast<double>(Known))
      << "% of " << Of << " was not cached";
  if (S.UnknownBytesBefore != 0)
    P << "; for another " << formatBytes(S.UnknownBytesBefore) << " ("
      << counted(S.OpenedInputs, "input") << " in all) this is unknown.";
  else
    P << (Missing == 0 && S.HintedBytes == 0 ? ": there was nothing to fetch."
                                             : ".");
}

/// Writes how much was not cached, and why nothing was fetched.
static void addCold(const LinkStats &S, raw_ostream &P) {
  if (S.Inputs != 0 && S.InputsBytes == 0 && S.Unfinished) {
    P << "the linker finished before Headstart opened any of "
      << counted(S.Inputs, "input") << ".";
    return;
  }
  if (S.Inputs == 0 || (S.InputsBytes == 0 && S.HintedBytes == 0)) {
    P << "there was nothing to prefetch.";
    return;
  }
  addShare(S, P);
  if (S.HintedBytes != 0 || (S.UnknownBytesBefore == 0 && missingBytes(S) == 0))
    return;
  if (S.BudgetBytes == 0)
    P << " --prefetch-memory left no memory for fetching.";
  else if (S.ShortOfMemory)
    P << " Headstart fetched nothing because memory was short.";
  else if (S.Unfinished)
    P << " The linker finished before Headstart fetched anything.";
  else if (S.UnknownBytesBefore != 0)
    P << " Headstart fetched nothing"
      << (missingBytes(S) == 0
              ? " because the bytes that it sampled were cached."
              : ".");
  else
    P << " The link does not need the uncached parts.";
}

static void addFetched(const LinkStats &S, raw_ostream &P) {
  const uint64_t Missing = missingBytes(S);
  constexpr uint64_t MinShare = 16; // less is rounding
  // If one page of a range is missing, the prefetcher requests the whole range.
  // If memory was short, it fetched some bytes twice.
  if (S.UnknownBytesBefore == 0 && !S.ShortOfMemory &&
      orNone(S.HintedBytes, Missing) > S.HintedBytes / MinShare)
    P << " Headstart requested " << formatBytes(S.HintedBytes) << " (at most "
      << formatBytes(Missing) << " of it not cached) with ";
  else
    P << " Headstart fetched " << formatBytes(S.HintedBytes) << " with ";
  P << counted(S.Jobs, "thread");
  if (S.FirstJobs != 0 && S.FirstJobs < S.Jobs) {
    P << " (at first " << S.FirstJobs << "; more because the store ";
    if (S.LatencyMs != 0)
      P << "answered in " << format("%.1f", S.LatencyMs) << " ms)";
    else
      P << "did not answer)";
  }
  if (S.FirstHintMs && S.LastHintMs) {
    const std::string First = seconds(*S.FirstHintMs);
    const std::string Last = seconds(*S.LastHintMs);
    P << (First == Last ? " at " + First
                        : " between " + First + " and " + Last);
  }
  if (S.WastedBytes && *S.WastedBytes == 0)
    P << "; the linker used all of it";
  else if (S.WastedBytes)
    P << "; the linker used all but " << formatBytes(*S.WastedBytes);
  P << ".";
  if (S.ShortOfMemory)
    P << " Memory was short, so Headstart fetched files only shortly before "
         "the linker read them.";
  if (S.Unfinished)
    P << " The linker finished before Headstart had fetched everything.";
}

/// Writes the prices of the store with the most measurements, and the choices.
static void addPrices(const LinkStats &S, raw_ostream &P) {
  auto Times = [&](std::initializer_list<Decision> Which) {
    uint64_t Sum = 0;
    for (Decision D : Which)
      Sum += S.Decisions.at(static_cast<size_t>(D));
    return Sum;
  };
  const auto Most = llvm::max_element(
      S.Stores, [](const StoreFigures &A, const StoreFigures &B) {
        return A.Samples < B.Samples;
      });
  if (Most == S.Stores.end() || Most->Samples == 0)
    return;
  P << " Headstart fetched "
    << counted(Times({Decision::WholeCheaper, Decision::WholeFewArchives}),
               "file")
    << " whole, " << Times({Decision::ByProfile, Decision::ByTouchedRanges})
    << " by the profile (what the last link used) and "
    << Times({Decision::ByLayout, Decision::ByLayoutAndProfile})
    << format(" by a plan (what this link will use). It estimates that one "
              "more request costs the store %.1f us, and one more megabyte "
              "%.1f ms.",
              Most->RequestUs, Most->ByteNs);
}

/// Writes whether the link had a profile, since the amount and the time of
/// fetching depend on it.
static void addProfile(const LinkStats &S, raw_ostream &P) {
  if (S.Profile == "used")
    P << " Headstart used the profile of an earlier link.";
  // Skip this if a problem already gives the reason.
  else if (S.Profile == "stale" &&
           llvm::none_of(S.Problems, [](const CountedProblem &Problem) {
             return StringRef(Problem.Message).contains("profile");
           }))
    P << " The stored profile does not match this link.";
  else if (S.Profile == "recorded")
    P << " There was no profile yet; this link stored one.";
}

/// Writes what the linker still had to read, wait for and open itself.
static void addLinker(const LinkStats &S, raw_ostream &P) {
  if (S.LinkerReadBytes.value_or(0) != 0) {
    P << " The linker itself read " << formatBytes(*S.LinkerReadBytes)
      << ", including its own program";
    if (const uint64_t Stops = S.LinkerStops.value_or(0); Stops != 0)
      P << ", and waited for the disk " << times(Stops)
        << (Stops == 1 ? " (a major page fault)" : " (major page faults)");
    P << ".";
  } else if (S.LinkerReadBytes && S.HintedBytes != 0) {
    P << " The linker itself read nothing from the disk.";
  }
  // The user does not notice a shorter pause.
  constexpr double MinMs = 5;
  if (S.WaitedMs && *S.WaitedMs >= MinMs)
    P << " The linker waited " << seconds(*S.WaitedMs)
      << " for files that Headstart was opening.";
  // Alongside another linker, Headstart cannot hand over inputs.
  const uint64_t Opened = S.HandedOver + S.NotHandedOver;
  if (Opened == 0)
    return;
  // Not the number of inputs: the linker may open one repeatedly or never.
  P << " The linker opened inputs " << times(Opened) << "; Headstart ";
  if (S.HandedOver == 0)
    P << "never had the file ready.";
  else if (S.HandedOver != Opened)
    P << "had the file ready " << times(S.HandedOver) << ".";
  else
    P << "had the file ready" << (Opened == 1 ? "." : " each time.");
}

/// Writes the prefetcher's own processor time.
static void addProcessor(const LinkStats &S, raw_ostream &P) {
  if (!S.ProcessorMs)
    return;
  double Sum = 0;
  for (double Ms : *S.ProcessorMs)
    Sum += Ms;
  constexpr double MinMs = 5; // as in addLinker
  if (Sum >= MinMs)
    P << " The prefetcher took " << seconds(Sum) << " of processor time.";
}

void writeStatsParagraph(const LinkStats &S, raw_ostream &OS) {
  std::string Text;
  raw_string_ostream P(Text);
  P << S.Tool << ": prefetch: ";
  if (!S.On) {
    P << "off";
    const StringRef Why = S.WhyOff;
    if (Why.starts_with("--") || Why.starts_with("HEADSTART="))
      P << ", because of " << Why;
    else if (!Why.empty())
      P << ", because " << Why;
    P << ".";
  } else {
    addCold(S, P);
    if (S.HintedBytes != 0)
      addFetched(S, P);
    addPrices(S, P);
    addProfile(S, P);
    addLinker(S, P);
    addProcessor(S, P);
  }
  P << " The link took " << seconds(S.LinkMs) << ".";
  addProblems(S, P);
  writeWrapped(Text, OS);
}

} // namespace headstart
