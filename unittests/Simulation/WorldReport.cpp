//===- WorldReport.cpp - Results of many worlds ---------------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WorldReport.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include <algorithm>
#include <cmath>

using namespace headstart;
using namespace headstart::simulation;
using llvm::ArrayRef;
using llvm::raw_ostream;

/// Returns why the times of \p Done are impossible; empty: they are possible.
static std::string whyImpossible(const WorldResult &Done,
                                 uint64_t NeededBytes) {
  // The times are sums of rounded times.
  constexpr double Rounding = 0.999;
  if (Done.Ours < Done.Bound * Rounding)
    return "ours is faster than the bound";
  if (Done.Stock < Done.Bound * Rounding)
    return "stock is faster than the bound";
  if (Done.OursBytes < NeededBytes || Done.StockBytes < NeededBytes)
    return "fewer bytes came than were needed";
  return "";
}

static WorldFigures oursIn(const World &Of, const Tuning &Numbers, bool IsBuilt,
                           bool Traces = false) {
  auto *Ours = new WorldRun(Of, Numbers);
  if (Traces)
    Ours->traceEvents();
  WorldFigures Figures = Ours->run(/*IsOurs=*/true, IsBuilt);
  // Leaked on failure, because its threads still run.
  if (Figures.Failure.empty())
    delete Ours;
  return Figures;
}

WorldResult simulation::linkIn(const World &Of, const Tuning &Numbers) {
  WorldResult Done;
  Done.Seed = Of.Seed;
  Done.Kind = Of.Inputs->Kind;
  Done.Store = Of.Kind;
  Done.Residency = Of.Residency;
  Done.IsShort = Of.isShort();
  std::string Failure;
  uint64_t NeededBytes = 0;
  {
    auto Stock = std::make_unique<WorldRun>(Of, Numbers);
    const Bound Least = Stock->bound();
    Done.Bound = Least.seconds();
    NeededBytes = Least.NeededBytes;
    WorldFigures Figures = Stock->run(/*IsOurs=*/false);
    Done.Stock = Figures.Seconds;
    Done.StockBytes = Figures.Bytes;
    Done.StockRequests = Figures.Requests;
    Failure = Figures.Failure;
  }
  WorldFigures Figures = oursIn(Of, Numbers, /*IsBuilt=*/false);
  Done.Ours = Figures.Seconds;
  Done.OursBytes = Figures.Bytes;
  Done.OursRequests = Figures.Requests;
  if (Failure.empty())
    Failure = Figures.Failure;
  if (Failure.empty() && Of.Compile != 0) {
    Figures = oursIn(Of, Numbers, /*IsBuilt=*/true);
    Done.Built = Figures.Seconds;
    Failure = Figures.Failure;
  }
  if (Failure.empty())
    Failure = whyImpossible(Done, NeededBytes);
  std::strncpy(Done.Failure, Failure.c_str(), sizeof(Done.Failure) - 1);
  Done.IsDone = true;
  return Done;
}

double simulation::percentile(std::vector<double> &Values, double Percent) {
  if (Values.empty())
    return 0;
  llvm::sort(Values);
  const double Place = Percent / 100 * double(Values.size() - 1);
  return Values[static_cast<size_t>(std::lround(Place))];
}

static void printRow(ArrayRef<WorldResult> All, const std::string &Name,
                     llvm::function_ref<bool(const WorldResult &)> Belongs,
                     llvm::function_ref<double(const WorldResult &)> Value,
                     raw_ostream &Out) {
  std::vector<double> Values;
  for (const WorldResult &Each : All)
    if (Belongs(Each))
      Values.push_back(Value(Each));
  if (Values.empty())
    return;
  Out << llvm::format("  %-20s %6zu", Name.c_str(), Values.size());
  for (double Percent : {5., 25., 50., 75., 90., 95., 99., 100.})
    Out << llvm::format(" %7.2f", percentile(Values, Percent));
  double Logarithms = 0;
  for (double Each : Values)
    Logarithms += std::log(Each);
  Out << llvm::format(" %7.3f\n", std::exp(Logarithms / double(Values.size())));
}

static void printMeasure(ArrayRef<WorldResult> All, const char *Title,
                         llvm::function_ref<double(const WorldResult &)> Value,
                         raw_ostream &Out) {
  Out << llvm::format("%-22s %6s", Title, "worlds");
  for (const char *Percent :
       {"5%", "25%", "50%", "75%", "90%", "95%", "99%", "100%"})
    Out << llvm::format(" %7s", Percent);
  Out << "    mean\n"; // geometric
  auto Row = [&](const std::string &Name, auto Belongs) {
    printRow(All, Name, Belongs, Value, Out);
  };
  Row("all", [](const WorldResult &) { return true; });
  for (auto [Name, Kind] :
       {std::pair("COFF", Flavour::COFF), std::pair("ELF", Flavour::ELF),
        std::pair("Mach-O", Flavour::MachO)})
    Row(Name, [=](const WorldResult &R) { return R.Kind == Kind; });
  for (unsigned I = 0; I != NumStoreKinds; ++I)
    Row(nameOf(static_cast<StoreKind>(I)), [=](const WorldResult &R) {
      return R.Store == static_cast<StoreKind>(I);
    });
  auto IsHalf = [](const WorldResult &R) {
    return R.Residency != ResidencyKind::Cold &&
           R.Residency != ResidencyKind::Warm;
  };
  Row("cold",
      [](const WorldResult &R) { return R.Residency == ResidencyKind::Cold; });
  Row("half-warm", IsHalf);
  Row("warm",
      [](const WorldResult &R) { return R.Residency == ResidencyKind::Warm; });
  Row("memory plentiful", [](const WorldResult &R) { return !R.IsShort; });
  Row("memory short", [](const WorldResult &R) { return R.IsShort; });
}

void simulation::printDistributions(ArrayRef<WorldResult> All,
                                    raw_ostream &Out) {
  printMeasure(
      All, "ours / bound", [](const WorldResult &R) { return R.regret(); },
      Out);
  Out << "\n";
  printMeasure(
      All, "ours / stock", [](const WorldResult &R) { return R.toStock(); },
      Out);
  std::vector<WorldResult> Built;
  llvm::copy_if(All, std::back_inserter(Built),
                [](const WorldResult &R) { return R.Built != 0; });
  Out << "\n";
  printMeasure(
      Built, "after a build / ours",
      [](const WorldResult &R) { return R.builtToOurs(); }, Out);
}

void simulation::printWorst(ArrayRef<WorldResult> All, size_t Count,
                            llvm::function_ref<World(uint64_t)> Draw,
                            raw_ostream &Out) {
  using Measure = double (WorldResult::*)() const;
  for (auto [Title, Value] :
       {std::pair<const char *, Measure>("ours / bound", &WorldResult::regret),
        std::pair<const char *, Measure>("ours / stock", &WorldResult::toStock),
        std::pair<const char *, Measure>("after a build / ours",
                                         &WorldResult::builtToOurs)}) {
    std::vector<const WorldResult *> Order;
    for (const WorldResult &Each : All)
      if ((Each.*Value)() != 0) // else no build came before the link
        Order.push_back(&Each);
    llvm::sort(Order, [&](const WorldResult *A, const WorldResult *B) {
      return (A->*Value)() > (B->*Value)();
    });
    Out << "\nworst, " << Title << ":\n";
    for (const WorldResult *Each :
         ArrayRef(Order).take_front(std::min(Count, Order.size())))
      Out << llvm::format("  seed %-6llu %6.2f  ours %.3f s, stock %.3f s, "
                          "bound %.3f s  ",
                          static_cast<unsigned long long>(Each->Seed),
                          (Each->*Value)(), Each->Ours, Each->Stock,
                          Each->Bound)
          << Draw(Each->Seed).describe() << "\n";
  }
}

void simulation::writeJSON(ArrayRef<WorldResult> All,
                           llvm::function_ref<World(uint64_t)> Draw,
                           raw_ostream &Out) {
  llvm::json::OStream J(Out, 1);
  J.array([&] {
    for (const WorldResult &Each : All)
      J.object([&] {
        J.attribute("seed", static_cast<int64_t>(Each.Seed));
        J.attribute("ours", Each.Ours);
        J.attribute("stock", Each.Stock);
        J.attribute("built", Each.Built);
        J.attribute("bound", Each.Bound);
        J.attribute("oursBytes", static_cast<int64_t>(Each.OursBytes));
        J.attribute("stockBytes", static_cast<int64_t>(Each.StockBytes));
        J.attribute("oursRequests", static_cast<int64_t>(Each.OursRequests));
        J.attribute("stockRequests", static_cast<int64_t>(Each.StockRequests));
        J.attribute("world", Draw(Each.Seed).describe());
      });
  });
}

static void printStages(const char *Title, const WorldFigures &Figures,
                        raw_ostream &Out) {
  Out << llvm::format("%-6s %9.3f s, %llu requests, %.1f MB\n", Title,
                      Figures.Seconds,
                      static_cast<unsigned long long>(Figures.Requests),
                      double(Figures.Bytes) / 1e6);
  for (const StageFigures &S : Figures.Stages)
    Out << llvm::format("  %-14s %9.3f s, main thread computes %8.3f s and "
                        "waits %7llu times; %8llu requests, %9.1f MB\n",
                        S.Name, double(S.Time) / 1e9, double(S.Computed) / 1e9,
                        static_cast<unsigned long long>(S.Waits),
                        static_cast<unsigned long long>(S.Requests),
                        double(S.Bytes) / 1e6);
}

void simulation::printWorld(const World &Of, const Tuning &Numbers, bool Traces,
                            raw_ostream &Out) {
  Out << "seed " << Of.Seed << ": " << Of.describe() << "\n";
  auto Stock = std::make_unique<WorldRun>(Of, Numbers);
  const Bound Least = Stock->bound();
  Out << llvm::formatv("inputs {0:F1} MB, of which {1:F1} MB are read\n",
                       double(Stock->inputBytes()) / 1e6,
                       double(Stock->neededBytes()) / 1e6);
  Out << llvm::format("bound  %9.3f s: processor %.3f, bytes %.3f, requests "
                      "%.3f, chain %.3f\n",
                      Least.seconds(), Least.Processor, Least.Bytes,
                      Least.Requests, Least.Chain);
  const WorldFigures StockFigures = Stock->run(/*IsOurs=*/false);
  printStages("stock", StockFigures, Out);
  Stock = nullptr;
  const WorldFigures OurFigures =
      oursIn(Of, Numbers, /*IsBuilt=*/false, Traces);
  printStages("ours", OurFigures, Out);
  for (size_t I = 0; I != OurFigures.Decisions.size(); ++I)
    if (OurFigures.Decisions[I] != 0)
      Out << "  " << DecisionKeys.at(I) << ": " << OurFigures.Decisions[I]
          << "\n";
  for (const StoreFigures &Store : OurFigures.Stores)
    Out << llvm::formatv(
        "  store: {0:F1} us a request, {1:F2} ns a byte, {2:F2} "
        "ms, names {3:F2} ms, {4} at once, {5} samples\n",
        Store.RequestUs, Store.ByteNs, Store.LatencyMs, Store.NameMs,
        Store.AtOnce, Store.Samples);
  Out << llvm::formatv("ours / bound {0:F2}, ours / stock {1:F2}\n",
                       OurFigures.Seconds / Least.seconds(),
                       OurFigures.Seconds / StockFigures.Seconds);
  std::vector<std::string> Failures = {StockFigures.Failure,
                                       OurFigures.Failure};
  if (Of.Compile != 0) {
    const WorldFigures Built = oursIn(Of, Numbers, /*IsBuilt=*/true, Traces);
    printStages("built", Built, Out);
    Out << llvm::formatv("after a build / ours {0:F2}\n",
                         Built.Seconds / OurFigures.Seconds);
    Failures.push_back(Built.Failure);
  }
  for (const std::string &Failure : Failures)
    if (!Failure.empty())
      Out << Failure << "\n";
}
