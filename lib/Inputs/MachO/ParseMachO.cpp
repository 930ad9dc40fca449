//===- ParseMachO.cpp - The command line of ld64.lld ----------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The inputs have the order of lld 22 MachO/Driver.cpp (link, createFiles),
// checked against ld64.lld 22.1.8 by the names that it opens: the bundle
// loader, the lists of symbols, then objects, libraries and frameworks in
// command-line order, and after LTO and LC_LINKER_OPTION the order file, the
// files of -sectcreate and the profile.
//
// Options that lld 22 knows but ignores name no input: -upward-l and -lazy-l
// with their variants, -alias_list, -lto_library.
//
//===----------------------------------------------------------------------===//

#include "Parse.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/BinaryFormat/MachO.h"
#include "llvm/Option/Arg.h"
#include "llvm/Support/Path.h"

using namespace llvm;
using namespace llvm::opt;

namespace headstart::macho {

namespace {
/// The limits for file lists: far more than any build has. A list is cheap to
/// read twice, its names are few enough to store, and no path is longer.
constexpr uint64_t MaxFileListBytes = uint64_t(256) << 20; // bytes
constexpr size_t MaxListedFiles = 2'000'000;
constexpr size_t MaxLineLength = 64 << 10; // bytes

class Parser {
public:
  Parser(ArrayRef<CommandLineArg> CommandArgs,
         const CommandLineContext &Context, const InputArgList &Args)
      : CommandArgs(CommandArgs), Context(Context), Args(Args) {}
  LinkCommand run();

private:
  void addSettings();
  void addSearchPaths();
  void addEarlyFiles();
  void addNamedFiles();
  void addLateFiles();
  void addOutputs();

  NamedInput &add(const Arg &A, StringRef Name, InputReason Reason);
  void addOptionFile(const Arg *A, unsigned Value = 0);
  void addPath(const Arg &A, InputReason Reason);
  void addFileList(const Arg &A);
  /// The rule by which the linker turns the name of a file into its path.
  SearchRule ruleForPath(StringRef Name) const;

  ArrayRef<CommandLineArg> CommandArgs;
  const CommandLineContext &Context;
  const InputArgList &Args;
  bool Lazy = false; ///< between --start-lib and --end-lib
  bool AllLoad = false;
  StringSet<> Listed; ///< the names in the file lists so far
  LinkCommand Command;
};
} // namespace

NamedInput &Parser::add(const Arg &A, StringRef Name, InputReason Reason) {
  StringRef Option = A.getOption().matches(OPT_INPUT) ? "" : A.getSpelling();
  return Command.Inputs.emplace_back(
      makeInput(Name, Reason, SearchRule::Verbatim,
                originOf(CommandArgs[A.getIndex()], Option)));
}

void Parser::addOptionFile(const Arg *A, unsigned Value) {
  // lld reads the file as text or raw bytes, whatever its contents.
  if (A && A->getValue(Value)[0] != '\0')
    add(*A, A->getValue(Value), InputReason::OptionFile).Scan =
        ScanPolicy::Never;
}

// As in lld 22 MachO/DriverUtils.cpp (rerootPath); lld does not reroot objects.
SearchRule Parser::ruleForPath(StringRef Name) const {
  bool HasRoots = Command.MachO.SystemRoots.size() > 1 ||
                  !Command.MachO.SystemRoots.front().empty();
  return HasRoots && sys::path::is_absolute(Name, sys::path::Style::posix) &&
                 !Name.ends_with(".o")
             ? SearchRule::Dylib
             : SearchRule::Verbatim;
}

void Parser::addPath(const Arg &A, InputReason Reason) {
  NamedInput &Input = add(A, A.getValue(), Reason);
  Input.Search = ruleForPath(Input.Name);
  Input.Whole = AllLoad || Reason == InputReason::WholeArchive;
}

void Parser::addFileList(const Arg &A) {
  addOptionFile(&A);
  std::string Path = A.getValue();
  std::string Text = readText(Path, MaxFileListBytes).value_or("");
  for (StringRef Line : split(Text, '\n')) {
    StringRef Name = Line.trim();
    // '#' begins a comment (lld 22 Common/Args.cpp: getLines).
    if (Name.empty() || Name.front() == '#' || Name.size() > MaxLineLength ||
        !Listed.insert(Name).second)
      continue;
    NamedInput &Input = Command.Inputs.emplace_back(
        makeInput(Name, InputReason::FileList, ruleForPath(Name), Path));
    Input.Lazy = Lazy;
    Input.Whole = AllLoad;
    if (Listed.size() == MaxListedFiles)
      return;
  }
}

void Parser::addNamedFiles() {
  AllLoad = Args.hasFlag(OPT_all_load, OPT_noall_load, false);
  auto Search = [&](const Arg &A, InputReason Reason, SearchRule Rule) {
    NamedInput &Input = add(A, A.getValue(), Reason);
    Input.Search = Rule;
    Input.Whole = AllLoad;
  };
  for (const Arg *A : Args) {
    switch (A->getOption().getID()) {
    case OPT_INPUT: {
      bool InResponse = !CommandArgs[A->getIndex()].ResponseFile.empty();
      addPath(*A, InResponse ? InputReason::ResponseFile
                             : InputReason::CommandLine);
      Command.Inputs.back().Lazy = Lazy;
      break;
    }
    case OPT_needed_library:
    case OPT_reexport_library:
    case OPT_weak_library:
    case OPT_load_hidden:
      addPath(*A, InputReason::Library);
      break;
    case OPT_force_load:
      addPath(*A, InputReason::WholeArchive);
      break;
    case OPT_filelist:
      addFileList(*A);
      break;
    case OPT_l:
    case OPT_needed_l:
    case OPT_reexport_l:
    case OPT_weak_l:
    case OPT_hidden_l:
      Search(*A, InputReason::Library, SearchRule::Library);
      break;
    case OPT_framework:
    case OPT_needed_framework:
    case OPT_reexport_framework:
    case OPT_weak_framework:
      Search(*A, InputReason::Framework, SearchRule::Framework);
      break;
    case OPT_start_lib:
      // With -all_load lld loads all objects, including these.
      Lazy = !AllLoad;
      break;
    case OPT_end_lib:
      Lazy = false;
      break;
    default:
      break;
    }
  }
}

void Parser::addEarlyFiles() {
  // lld reads a dylib as the bundle loader like a library, with its
  // dependencies.
  if (const Arg *A = Args.getLastArg(OPT_bundle_loader))
    add(*A, A->getValue(), InputReason::Library);
  for (OptionID ID : {OPT_exported_symbols_list, OPT_unexported_symbols_list})
    for (const Arg *A : Args.filtered(ID))
      addOptionFile(A);
  // lld reads only the option that occurs first; the other is an error.
  const Arg *First = nullptr;
  for (const Arg *A : Args.filtered(OPT_non_global_symbols_no_strip_list,
                                    OPT_non_global_symbols_strip_list)) {
    if (!First)
      First = A;
    if (A->getOption().getID() == First->getOption().getID())
      addOptionFile(A);
  }
}

void Parser::addLateFiles() {
  // With --cs-profile-generate it names a file that the program will write.
  if (!Args.hasArg(OPT_flag_long_cs_profile_generate))
    addOptionFile(Args.getLastArg(OPT_cs_profile_path_eq));
  if (Args.hasArg(OPT_thinlto_index_only, OPT_thinlto_index_only_eq,
                  OPT_lto_emit_llvm))
    return;
  // lld reads the following files after the libraries of LC_LINKER_OPTION.
  size_t Before = Command.Inputs.size();
  addOptionFile(Args.getLastArg(OPT_order_file));
  for (const Arg *A : Args.filtered(OPT_sectcreate))
    addOptionFile(A, 2);
  // lld reads a profile only to sort functions by it.
  if (const Arg *Profile = Args.getLastArg(OPT_irpgo_profile_sort))
    addOptionFile(Profile);
  else if (Args.getLastArgValue(OPT_bp_startup_sort_eq) == "function")
    addOptionFile(Args.getLastArg(OPT_irpgo_profile));
  for (NamedInput &Input : drop_begin(Command.Inputs, Before))
    Input.Turn = 1;
}

// -final_output is not an output: lld 22 only stores the name.
void Parser::addOutputs() {
  auto Add = [&](StringRef Path, const Arg *Named = nullptr) {
    if (!Path.empty())
      Command.Outputs.push_back(
          {Path.str(),
           Named ? ("-" + Named->getOption().getName()).str() : std::string()});
  };
  if (const Arg *Output = Args.getLastArg(OPT_o))
    Add(Output->getValue(), Output);
  else
    Command.Outputs.push_back({"a.out", "-o"});
  for (OptionID ID : {OPT_map, OPT_dependency_info})
    if (const Arg *A = Args.getLastArg(ID))
      Add(A->getValue(), A);
  if (const Arg *A = Args.getLastArg(OPT_reproduce))
    Add(A->getValue(), A);
  else if (auto File = Context.env("LLD_REPRODUCE"))
    Add(*File);
  for (OptionID ID :
       {OPT_object_path_lto, OPT_print_symbol_order_eq,
        OPT_codegen_data_generate_path, OPT_thinlto_index_only_eq})
    if (const Arg *A = Args.getLastArg(ID))
      Add(A->getValue(), A);
  if (const Arg *A = Args.getLastArg(OPT_time_trace, OPT_time_trace_eq)) {
    StringRef Named = A->getNumValues() ? A->getValue() : "";
    Add(timeTraceFile(Named, Command.image()), Named.empty() ? nullptr : A);
  }
}

/// Returns the number of a platform by its name or number. As in lld 22
/// MachO/Driver.cpp, case is irrelevant and ' ' stands for '-'.
static unsigned platformNumber(StringRef Name) {
  std::string Key = Name.lower();
  std::replace(Key.begin(), Key.end(), ' ', '-');
  // The numbers are the platforms' own; lld accepts none with a leading zero.
  unsigned Number = 0;
  if (!StringRef(Key).starts_with("0") &&
      !StringRef(Key).getAsInteger(10, Number))
    return Number <= MachO::PLATFORM_XROS_SIMULATOR ? Number
                                                    : MachO::PLATFORM_UNKNOWN;
  return StringSwitch<unsigned>(Key)
      .Case("macos", MachO::PLATFORM_MACOS)
      .Case("ios", MachO::PLATFORM_IOS)
      .Case("tvos", MachO::PLATFORM_TVOS)
      .Case("watchos", MachO::PLATFORM_WATCHOS)
      .Case("bridgeos", MachO::PLATFORM_BRIDGEOS)
      .Case("mac-catalyst", MachO::PLATFORM_MACCATALYST)
      .Case("ios-simulator", MachO::PLATFORM_IOSSIMULATOR)
      .Case("tvos-simulator", MachO::PLATFORM_TVOSSIMULATOR)
      .Case("watchos-simulator", MachO::PLATFORM_WATCHOSSIMULATOR)
      .Case("driverkit", MachO::PLATFORM_DRIVERKIT)
      .Case("xros", MachO::PLATFORM_XROS)
      .Case("xros-simulator", MachO::PLATFORM_XROS_SIMULATOR)
      .Default(MachO::PLATFORM_UNKNOWN);
}

void Parser::addSettings() {
  MachOSettings &Settings = Command.MachO;
  Settings.Arch = Args.getLastArgValue(OPT_arch).str();
  // One output may be for both macOS and Catalyst; macOS then counts.
  for (const Arg *A : Args.filtered(OPT_platform_version)) {
    unsigned Number = platformNumber(A->getValue());
    if (Settings.Platform != MachO::PLATFORM_MACOS ||
        Number != MachO::PLATFORM_MACCATALYST)
      Settings.Platform = Number;
  }
  const Arg *Kind = Args.getLastArg(OPT_bundle, OPT_dylib, OPT_execute);
  Settings.MakesExecutable = !Kind || Kind->getOption().matches(OPT_execute);
  Settings.FlatNamespace =
      Args.hasFlag(OPT_flat_namespace, OPT_twolevel_namespace, false);
  Settings.IgnoresLinkerOptions = Args.hasArg(OPT_ignore_auto_link);
  Settings.IgnoredLinkerOptions =
      Args.getAllArgValues(OPT_ignore_auto_link_option);
  Settings.ForcesSwiftLibraries = Args.hasArg(OPT_force_load_swift_libs);

  // lld does not copy DWARF. It reads the name of the source file in each
  // object's first unit, for the debug map.
  Command.ReadsDWARF = !Args.hasArg(OPT_S);
  Command.DropsUnreferenced = Args.hasArg(OPT_dead_strip);
  Command.HasLTOCache = !Args.getLastArgValue(OPT_value_cache_path_lto).empty();
}

static bool isDirectory(StringRef Path) {
  return statInput(Path).Status.Kind == os::FileKind::Directory;
}

static std::vector<std::string> systemRoots(const InputArgList &Args) {
  std::vector<std::string> Roots = Args.getAllArgValues(OPT_syslibroot);
  // If the last root is "/", lld uses no roots.
  if (!Roots.empty() && Roots.back() == "/")
    Roots.clear();
  if (Roots.empty())
    Roots.emplace_back();
  return Roots;
}

static std::vector<std::string> searchPaths(const InputArgList &Args,
                                            OptionID ID,
                                            ArrayRef<std::string> Roots,
                                            ArrayRef<StringRef> SystemPaths) {
  std::vector<std::string> Paths;
  auto AddBelow = [&](StringRef Root, StringRef Path) {
    std::string Directory = joined(Root, Path);
    if (!isDirectory(Directory))
      return false;
    Paths.push_back(std::move(Directory));
    return true;
  };
  for (const Arg *A : Args.filtered(ID)) {
    StringRef Path = A->getValue();
    bool Found = false;
    if (sys::path::is_absolute(Path, sys::path::Style::posix))
      for (StringRef Root : Roots)
        Found |= AddBelow(Root, Path);
    if (!Found && isDirectory(Path))
      Paths.push_back(Path.str());
  }
  if (Args.hasArg(OPT_Z))
    return Paths;
  for (StringRef Path : SystemPaths)
    for (StringRef Root : Roots)
      AddBelow(Root, Path);
  return Paths;
}

// As in getSystemLibraryRoots and getSearchPaths: an absolute -L or -F is
// searched below every -syslibroot in which it is a directory, and as given
// only if it is below none. A path that is not a directory is ignored; lld
// warns about it.
void Parser::addSearchPaths() {
  std::vector<std::string> &Roots = Command.MachO.SystemRoots;
  Roots = systemRoots(Args);
  Command.SearchPaths =
      searchPaths(Args, OPT_L, Roots, {"/usr/lib", "/usr/local/lib"});
  Command.MachO.FrameworkPaths =
      searchPaths(Args, OPT_F, Roots,
                  {"/Library/Frameworks", "/System/Library/Frameworks"});
  Command.MachO.SearchesDylibsFirst =
      Args.hasFlag(OPT_search_dylibs_first, OPT_search_paths_first, false);
}

LinkCommand Parser::run() {
  Command.Kind = Flavour::MachO;
  for (PlacedOption &Placed : findPrefetchOptions(Args))
    Command.PrefetchOptions.push_back(std::move(Placed.Option));
  if (Args.hasArg(OPT_help, OPT_help_hidden))
    Command.Prints = LinkCommand::Answer::Help;
  else if (Args.hasArg(OPT_version))
    Command.Prints = LinkCommand::Answer::Version;
  if (Command.Prints != LinkCommand::Answer::None) {
    Command.Links = false;
    return std::move(Command);
  }
  addSettings();
  addSearchPaths();
  addEarlyFiles();
  addNamedFiles();
  addLateFiles();
  addOutputs();
  Command.dropWrittenFiles();
  return std::move(Command);
}

LinkCommand Model::parse(ArrayRef<CommandLineArg> CommandArgs,
                         const CommandLineContext &Context) const {
  std::vector<const char *> Texts = textsOf(CommandArgs);
  InputArgList Args = parseArguments(Texts);
  return Parser(CommandArgs, Context, Args).run();
}

} // namespace headstart::macho
