//===- ParseELF.cpp - The command line of ld.lld --------------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The inputs have the order of lld 22 ELF/Driver.cpp (readConfigs, createFiles,
// link), checked against ld.lld 22.1.8 (--verbose, strace): lists of symbols
// and versions; then inputs, libraries and scripts in command-line order; then,
// once all symbols are known, LTO's profiles and the orders of sections.
//
// Every -L applies to every -l, also to earlier ones. -Bstatic, --whole-archive
// and the like apply only to later inputs.
//
//===----------------------------------------------------------------------===//

#include "Parse.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace llvm::opt;

namespace headstart::elf {

namespace {
/// The state of the options that apply to the inputs after them.
struct InputState {
  bool Static = false;
  bool Whole = false;
  bool Lazy = false;
  bool Binary = false;
};

class Parser {
public:
  Parser(const MatchedLine &Line, const CommandLineContext &Context)
      : Line(Line), Args(Line.args()), Context(Context) {}
  LinkCommand run();

private:
  bool linksNothing();
  void readSettings();
  void readRemaps();
  void addRemap(StringRef Text);
  void addEarlyFiles();
  void addNamed();
  void changeState(const Arg &A);
  void addLateFiles();
  void addOutputs();

  NamedInput &add(const Arg &A, InputReason Reason, SearchRule Search);
  void addOptionFile(const Arg &A, SearchRule Search = SearchRule::Verbatim);
  void addOptionFile(OptionID ID) {
    if (const Arg *A = Args.getLastArg(ID); A && *A->getValue())
      addOptionFile(*A);
  }

  const MatchedLine &Line;
  const InputArgList &Args;
  const CommandLineContext &Context;
  InputState State;
  /// The stack of --push-state. As in lld, it does not store the state of
  /// --start-lib and --format.
  SmallVector<std::pair<bool, bool>, 4> States;
  LinkCommand Command;
};
} // namespace

static constexpr uint64_t MaxRemapFileBytes = uint64_t(1) << 20; // bytes
/// Far more than any build has. Each costs a comparison for each input.
static constexpr size_t MaxRemaps = 1000;

NamedInput &Parser::add(const Arg &A, InputReason Reason, SearchRule Search) {
  NamedInput &Input = Command.Inputs.emplace_back(makeInput(
      A.getValue(), Reason, Search, originOf(Line.argOf(A), spellingOf(A))));
  Input.Lazy = State.Lazy;
  Input.Whole = State.Whole;
  Input.StaticOnly = State.Static;
  if (State.Binary)
    Input.Scan = ScanPolicy::Never;
  return Input;
}

void Parser::addOptionFile(const Arg &A, SearchRule Search) {
  NamedInput &Input = add(A, InputReason::OptionFile, Search);
  Input.Lazy = Input.Whole = false;
  Input.Scan = ScanPolicy::Never;
}

/// Whether lld exits before it reads an input.
bool Parser::linksNothing() {
  if (Args.hasArg(OPT_help))
    Command.Prints = LinkCommand::Answer::Help;
  else if (Args.hasArg(OPT_version) ||
           (Args.hasArg(OPT_v) && !Args.hasArg(OPT_INPUT)))
    Command.Prints = LinkCommand::Answer::Version;
  return Command.Prints != LinkCommand::Answer::None ||
         !Args.hasArg(OPT_INPUT, OPT_library, OPT_script, OPT_default_script);
}

std::string directoryOf(StringRef Name, StringRef SysRoot) {
  return Name.consume_front("=") ? joined(SysRoot, Name) : Name.str();
}

void Parser::readSettings() {
  Command.ELF.SysRoot = Args.getLastArgValue(OPT_sysroot).str();
  for (const Arg *A : Args.filtered(OPT_library_path))
    Command.SearchPaths.push_back(
        directoryOf(A->getValue(), Command.ELF.SysRoot));
  Command.ELF.ChRoot = Args.getLastArgValue(OPT_chroot).str();
  Command.ELF.IgnoresScriptDirectories = Args.hasArg(OPT_nostdlib);
  bool Relocatable = Args.hasArg(OPT_relocatable);
  Command.ELF.IgnoresDependents =
      Relocatable ||
      !Args.hasFlag(OPT_dependent_libraries, OPT_no_dependent_libraries, true);
  Command.DropsUnreferenced =
      Args.hasFlag(OPT_gc_sections, OPT_no_gc_sections, false);
  const Arg *ICF =
      Args.getLastArg(OPT_icf_eq_all, OPT_icf_eq_safe, OPT_icf_eq_none);
  Command.FoldsContents = ICF && !ICF->getOption().matches(OPT_icf_eq_none);
  Command.HasOneThread = Args.getLastArgValue(OPT_threads) == "1";
  Command.HasLTOCache = !Args.getLastArgValue(OPT_thinlto_cache_dir_eq).empty();
  // lld strips nothing from a relocatable output. Without section headers no
  // program could find a debug section.
  bool NoHeaders = false;
  for (const Arg *A : Args.filtered(OPT_z))
    if (StringRef Value = A->getValue();
        Value == "sectionheader" || Value == "nosectionheader")
      NoHeaders = Value == "nosectionheader";
  Command.ReadsDWARF =
      Relocatable ||
      !(NoHeaders || Args.hasArg(OPT_strip_all, OPT_strip_debug));
  State.Static = Relocatable;
  Command.ELF.Wanted = Args.getAllArgValues(OPT_undefined);
  Command.ELF.Wanted.push_back(Args.getLastArgValue(OPT_entry, "_start").str());
  Command.ELF.Wanted.push_back(Args.getLastArgValue(OPT_init, "_init").str());
  Command.ELF.Wanted.push_back(Args.getLastArgValue(OPT_fini, "_fini").str());
  readRemaps();
}

void Parser::addRemap(StringRef Text) {
  auto [Pattern, File] = Text.split('=');
  // lld reports an error for any other form.
  if (!File.empty() && !File.contains('=') &&
      Command.ELF.Remaps.size() < MaxRemaps)
    Command.ELF.Remaps.emplace_back(Pattern, File);
}

/// Reads --remap-inputs and the files of --remap-inputs-file, since they decide
/// where all later files are found.
void Parser::readRemaps() {
  for (const Arg *A : Args.filtered(OPT_remap_inputs))
    addRemap(A->getValue());
  for (const Arg *A : Args.filtered(OPT_remap_inputs_file_eq)) {
    NamedInput Named;
    Named.Name = A->getValue();
    std::optional<std::string> Text =
        readText(InputResolver(Command).resolve(Named).Path, MaxRemapFileBytes);
    if (!Text)
      continue;
    for (StringRef TextLine : split(*Text, '\n'))
      if (TextLine = TextLine.trim();
          !TextLine.empty() && !TextLine.starts_with("#"))
        addRemap(TextLine);
  }
}

void Parser::addEarlyFiles() {
  // With --reproduce, lld first adds the profile to the tar file.
  if (Args.hasArg(OPT_reproduce))
    addOptionFile(OPT_lto_sample_profile);
  for (const Arg *A : Args.filtered(OPT_remap_inputs_file_eq))
    addOptionFile(*A);
  addOptionFile(OPT_symbol_ordering_file);
  addOptionFile(OPT_retain_symbols_file);
  for (const Arg *A :
       Args.filtered(OPT_dynamic_list, OPT_export_dynamic_symbol_list))
    addOptionFile(*A);
  for (const Arg *A : Args.filtered(OPT_version_script))
    addOptionFile(*A, SearchRule::Script);
}

void Parser::changeState(const Arg &A) {
  switch (A.getOption().getID()) {
  case OPT_format:
    State.Binary = StringRef(A.getValue()) == "binary";
    return;
  case OPT_Bstatic:
  case OPT_omagic:
  case OPT_nmagic:
    State.Static = true;
    return;
  case OPT_Bdynamic:
    State.Static = Args.hasArg(OPT_relocatable);
    return;
  case OPT_whole_archive:
  case OPT_no_whole_archive:
    State.Whole = A.getOption().matches(OPT_whole_archive);
    return;
  case OPT_start_lib:
  case OPT_end_lib:
    State.Lazy = A.getOption().matches(OPT_start_lib);
    return;
  case OPT_push_state:
    States.emplace_back(State.Static, State.Whole);
    return;
  case OPT_pop_state:
    if (!States.empty())
      std::tie(State.Static, State.Whole) = States.pop_back_val();
    return;
  default:
    return;
  }
}

void Parser::addNamed() {
  bool HasScript = Args.hasArg(OPT_script);
  for (const Arg *A : Args) {
    switch (A->getOption().getID()) {
    case OPT_INPUT: {
      NamedInput &Input =
          add(*A, InputReason::CommandLine, SearchRule::Verbatim);
      const CommandLineArg &Arg = Line.argOf(*A);
      Input.From = Arg.ResponseFile;
      if (!Arg.ResponseFile.empty())
        Input.Reason = InputReason::ResponseFile;
      break;
    }
    case OPT_library:
      add(*A, InputReason::Library, SearchRule::Library);
      break;
    case OPT_script:
      add(*A, InputReason::LinkerScript, SearchRule::Script).Scan =
          ScanPolicy::AtOnce;
      break;
    case OPT_default_script:
      add(*A, InputReason::LinkerScript, SearchRule::Script).Scan =
          HasScript || A != Args.getLastArg(OPT_default_script)
              ? ScanPolicy::Never
              : ScanPolicy::AtEnd;
      break;
    case OPT_just_symbols:
    case OPT_in_implib:
      addOptionFile(*A);
      break;
    default:
      changeState(*A);
    }
  }
  NamedInput &Dependents = Command.ELF.Dependents;
  Dependents.Reason = InputReason::Dependent;
  Dependents.Search = SearchRule::Dependent;
  Dependents.StaticOnly = State.Static;
  Dependents.Whole = State.Whole;
  Dependents.Lazy = State.Lazy;
  if (State.Binary)
    Dependents.Scan = ScanPolicy::Never;
}

void Parser::addLateFiles() {
  // Any value except these is a file (lld 22 ELF/LTO.cpp).
  if (const Arg *A = Args.getLastArg(OPT_lto_basic_block_sections_eq);
      A &&
      !is_contained({"", "all", "labels", "none"}, StringRef(A->getValue())))
    addOptionFile(*A);
  if (!Args.hasArg(OPT_reproduce))
    addOptionFile(OPT_lto_sample_profile);
  // With --lto-cs-profile-generate this option names the file that the program
  // will write when it runs.
  if (!Args.hasArg(OPT_lto_cs_profile_generate))
    addOptionFile(OPT_lto_cs_profile_file);
  if (Args.hasArg(OPT_lto_emit_llvm, OPT_lto_emit_asm, OPT_thinlto_index_only,
                  OPT_thinlto_index_only_file))
    return; // no image
  if (Args.getLastArgValue(OPT_call_graph_profile_sort, "cdsort") != "none")
    addOptionFile(OPT_call_graph_ordering_file);
  if (Args.getLastArgValue(OPT_bp_startup_sort_eq, "none") != "none")
    addOptionFile(OPT_irpgo_profile);
}

// Not implemented: OUTPUT in a linker script, and the files that a ThinLTO link
// writes next to its inputs.
void Parser::addOutputs() {
  StringRef Image = Args.getLastArgValue(OPT_o);
  if (Image.empty())
    Image = "a.out";
  Command.Outputs.push_back({Image.str(), "-o"});

  auto Add = [&](StringRef Path, const Arg *Named = nullptr) {
    // "-" is standard output.
    if (!Path.empty() && Path != "-")
      Command.Outputs.push_back(
          {Path.str(),
           Named ? ("--" + Named->getOption().getName().rtrim('=') + "=").str()
                 : std::string()});
  };
  for (OptionID ID :
       {OPT_Map, OPT_dependency_file, OPT_out_implib, OPT_why_extract_eq,
        OPT_print_archive_stats_eq, OPT_print_gc_sections_eq,
        OPT_print_symbol_order, OPT_opt_remarks_filename, OPT_lto_obj_path,
        OPT_thinlto_index_only_file, OPT_plugin_opt_eq_stats_file_eq})
    if (const Arg *Named = Args.getLastArg(ID))
      Add(Named->getValue(), Named);
  if (const Arg *Trace = Args.getLastArg(OPT_time_trace_file)) {
    StringRef Named = Trace->getNumValues() ? Trace->getValue() : "";
    Add(timeTraceFile(Named, Image), Named.empty() ? nullptr : Trace);
  }
  if (const Arg *Reproduce = Args.getLastArg(OPT_reproduce))
    Add(Reproduce->getValue(), Reproduce);
  else
    Add(Context.env("LLD_REPRODUCE").value_or(""));
}

LinkCommand Parser::run() {
  Command.Kind = Flavour::ELF;
  if (linksNothing()) {
    Command.Links = false;
    return std::move(Command);
  }
  readSettings();
  addOutputs();
  addEarlyFiles();
  addNamed();
  addLateFiles();
  Command.dropWrittenFiles();
  return std::move(Command);
}

LinkCommand Model::parse(ArrayRef<CommandLineArg> Args,
                         const CommandLineContext &Context) const {
  if (isMinGW(Args))
    return parseMinGWCommandLine(Args, Context);
  MatchedLine Line(Args, /*MinGW=*/false);
  LinkCommand Command = Parser(Line, Context).run();
  Command.PrefetchOptions = Line.takeOwnOptions();
  return Command;
}

} // namespace headstart::elf
