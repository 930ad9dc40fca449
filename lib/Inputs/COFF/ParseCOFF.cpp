//===- ParseCOFF.cpp - The command line of lld-link -----------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The inputs have the order of lld 22 COFF/Driver.cpp (linkerMain), checked
// against lld-link 22.1.8 with strace: the overlay, the section layout, objects
// and libraries with their dependencies, default libraries with theirs, the DOS
// stub, module definitions; then, once all symbols are known, LTO profiles,
// manifests, orders, and with the PDB its natvis files and streams.
//
// lld-link does not know -l and -L, not even in MinGW mode ("ignoring unknown
// argument '-lfoo'"): the MinGW driver resolves them itself before it calls
// lld-link's main function.
//
//===----------------------------------------------------------------------===//

#include "Parse.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/BinaryFormat/COFF.h"
#include "llvm/Object/WindowsMachineFlag.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace headstart::coff {

namespace {
/// The state of /debug:, whose keywords modify it one after the other.
struct DebugState {
  bool MakesPDB = false;
  bool ReadsDWARF = false;
  bool KeepsUnreferenced = false; ///< unless /opt: overrides it

  void apply(StringRef Arg) {
    if (Arg == "none") {
      MakesPDB = ReadsDWARF = KeepsUnreferenced = false;
    } else if (Arg == "full" || Arg == "fastlink" || Arg == "ghash" ||
               Arg == "noghash") {
      MakesPDB = ReadsDWARF = KeepsUnreferenced = true;
    } else if (Arg == "dwarf") {
      ReadsDWARF = KeepsUnreferenced = true;
    } else if (Arg == "symtab") {
      KeepsUnreferenced = true;
    } else if (Arg == "nodwarf") {
      ReadsDWARF = false;
    }
  }
};

class Parser {
public:
  Parser(ArrayRef<CommandLineArg> Args, const CommandLineContext &Context)
      : Args(Args), Context(Context) {}
  LinkCommand run();

private:
  void matchArgs();
  void addNamed(const CommandLineArg &Arg, const MatchedArg &Match, bool Lazy);
  void markWholeArchives();
  void addEarlyFiles();
  void addDefaultLibraries();
  void addLateFiles();
  void addSymbolFiles();
  void addDebugFiles();

  void addFile(const OptionArg *Option, StringRef Name,
               InputReason Reason = InputReason::OptionFile,
               SearchRule Search = SearchRule::Verbatim);
  void addFile(OptionID ID) {
    if (const OptionArg *Option = Options.last(ID))
      addFile(Option, Option->Value);
  }
  void addOutputs();
  void addImage();
  void addImportLibrary();
  void addMap(OptionID Flag, OptionID File);
  void addManifest();
  void addReproducer();
  void addPDB();
  void addOtherOutputs();
  static std::string optionOf(const OptionArg &Option) {
    return "/" + Option.Spelling.drop_front().lower();
  }
  void addOutput(const Twine &Path, StringRef Option = "") {
    Command.Outputs.push_back({Path.str(), Option.str()});
  }
  /// Adds the path that an option names: "/pdb:x".
  void addOutput(const OptionArg &Option) {
    addOutput(Option.Value, optionOf(Option));
  }
  std::string imageWith(StringRef Extension) const {
    SmallString<128> Path = StringRef(Image);
    sys::path::replace_extension(Path, Extension);
    return Path.str().str();
  }

  /// Whether the link makes an image after it has resolved all symbols.
  bool makesImage() const;
  DebugState debugState() const;
  bool dropsUnreferenced() const;

  ArrayRef<CommandLineArg> Args;
  const CommandLineContext &Context;
  OptionArgs Options;
  DebugState Debug;
  std::vector<NamedInput> Named; ///< moved to Command later
  bool HasNamed = false;
  uint8_t Turn = 0; ///< the turn of the files that addFile adds
  std::string Image;
  LinkCommand Command;
};
} // namespace

void Parser::addNamed(const CommandLineArg &Arg, const MatchedArg &Match,
                      bool Lazy) {
  NamedInput &Input = Named.emplace_back();
  Input.Name = Match.Value.str();
  Input.Search = SearchRule::Object;
  Input.Lazy = Lazy;
  Input.From = originOf(Arg, Match.Spelling).str();
  if (Match.ID == OPT_wholearchive_file) {
    Input.Reason = InputReason::WholeArchive;
    Input.Whole = true;
  } else if (!Arg.ResponseFile.empty()) {
    Input.Reason = InputReason::ResponseFile;
  } else if (!Arg.Variable.empty()) {
    Input.Reason = InputReason::Environment;
  }
}

void Parser::matchArgs() {
  bool Lazy = false;
  for (const CommandLineArg &Arg : Args) {
    if (Arg.Text.empty()) // OptTable::ParseArgs skips these
      continue;
    MatchedArg Match = matchArg(Arg.Text);
    switch (Match.ID) {
    case OPT_UNKNOWN:
      continue;
    case OPT_start_lib:
      Lazy = true;
      continue;
    case OPT_end_lib:
      Lazy = false;
      continue;
    case OPT_INPUT:
    case OPT_wholearchive_file:
      addNamed(Arg, Match, Lazy);
      continue;
    default:
      break;
    }
    if (auto Own = prefetchOption(Match, Arg.Text))
      Command.PrefetchOptions.push_back(std::move(*Own));
    else
      Options.All.push_back({Match, &Arg});
  }
}

/// lld compares files, so `/wholearchive:./a.lib` also makes `a.lib` whole.
/// The parser compares names, which needs no access to the files.
void Parser::markWholeArchives() {
  bool All = Options.has(OPT_wholearchive_flag);
  StringSet<> Names;
  for (const NamedInput &Input : Named)
    if (Input.Whole)
      Names.insert(Input.Name);
  if (!All && Names.empty())
    return;
  for (NamedInput &Input : Named)
    Input.Whole = All || Names.contains(Input.Name);
}

void Parser::addFile(const OptionArg *Option, StringRef Name,
                     InputReason Reason, SearchRule Search) {
  if (Name.empty())
    return;
  NamedInput &Input = Command.Inputs.emplace_back();
  Input.Name = Name.str();
  Input.Reason = Reason;
  Input.Search = Search;
  Input.From = originOf(*Option->Arg, Option->Spelling).str();
  Input.Turn = Turn;
}

void Parser::addEarlyFiles() {
  addFile(OPT_vfsoverlay);
  if (const OptionArg *Layout = Options.last(OPT_sectionlayout)) {
    StringRef Name = Layout->Value;
    Name.consume_front("@");
    addFile(Layout, Name);
  }
}

void Parser::addDefaultLibraries() {
  for (const OptionArg &O : Options.filtered(OPT_nodefaultlib))
    Command.ExcludedLibraries.push_back(O.Value.str());
  Command.ExcludesAllLibraries = Options.has(OPT_nodefaultlib_all);
  for (const NamedInput &Input : Command.Inputs)
    if (Input.Search == SearchRule::Object &&
        StringRef(Input.Name).ends_with_insensitive(".lib"))
      Command.NamedLibraries.insert(sys::path::filename(Input.Name).lower());
  if (!Options.has(OPT_defaultlib))
    return;

  // lld skips a default library if it has seen its name, as written, as that of
  // a default library or as the file name of a `.lib` on the command line.
  StringSet<> Met = Command.NamedLibraries;
  InputResolver Resolver(Command);
  for (const OptionArg &O : Options.filtered(OPT_defaultlib))
    if (Met.insert(O.Value.lower()).second && !isExcluded(O.Value, Resolver))
      addFile(&O, O.Value, InputReason::DefaultLibrary, SearchRule::Library);
}

bool Parser::makesImage() const {
  const OptionArg *Emit = Options.last(OPT_lldemit);
  return HasNamed && (!Emit || Emit->Value == "obj") &&
         !Options.has(OPT_thinlto_index_only, OPT_thinlto_index_only_file);
}

void Parser::addLateFiles() {
  addFile(OPT_stub);
  const OptionArg *Definitions = Options.last(OPT_deffile);
  if (Definitions) {
    addFile(Definitions, Definitions->Value, InputReason::ModuleDefinition);
    // Only a hybrid image has a native view, and lld never infers that machine.
    const OptionArg *Machine = Options.last(OPT_machine);
    const OptionArg *Native = Options.last(OPT_defarm64native);
    if (Native && Machine &&
        getMachineType(Machine->Value) == COFF::IMAGE_FILE_MACHINE_ARM64X)
      addFile(Native, Native->Value, InputReason::ModuleDefinition);
  }
  // Without an input, lld makes an import library from the definitions and
  // exits.
  if (!HasNamed)
    return;
  addFile(OPT_lto_sample_profile);
  // With /lto-cs-profile-generate this option names the file that the program
  // will write when it runs.
  if (!Options.has(OPT_lto_cs_profile_generate))
    addFile(OPT_lto_cs_profile_file);
  if (!makesImage())
    return;
  addSymbolFiles();
  if (Debug.MakesPDB)
    addDebugFiles();
}

void Parser::addSymbolFiles() {
  const OptionArg *Manifest =
      Options.last(OPT_manifest_flag, OPT_manifest_value);
  if (Manifest && Manifest->Value.starts_with_insensitive("embed"))
    for (const OptionArg &O : Options.filtered(OPT_manifestinput))
      addFile(&O, O.Value);

  if (const OptionArg *Order = Options.last(OPT_order)) {
    // lld reports an error if the '@' is missing.
    StringRef Name = Order->Value;
    if (Name.consume_front("@"))
      addFile(Order, Name);
    return;
  }
  const OptionArg *Sort =
      Options.last(OPT_call_graph_profile_sort, OPT_call_graph_profile_sort_no);
  if (!Sort || Sort->ID == OPT_call_graph_profile_sort)
    addFile(OPT_call_graph_ordering_file);
}

void Parser::addDebugFiles() {
  for (const OptionArg &O : Options.filtered(OPT_natvis))
    addFile(&O, O.Value);
  // If a stream is named twice, lld uses the last file.
  StringMap<const OptionArg *> Last;
  for (const OptionArg &O : Options.filtered(OPT_pdbstream))
    Last[O.Value.split('=').first] = &O;
  for (const OptionArg &O : Options.filtered(OPT_pdbstream)) {
    auto [Stream, Name] = O.Value.split('=');
    if (Last.lookup(Stream) == &O)
      addFile(&O, Name);
  }
}

DebugState Parser::debugState() const {
  DebugState State;
  for (const OptionArg &O : Options.All) {
    if (O.ID == OPT_debug_flag)
      State.apply("full");
    if (O.ID != OPT_debug_value)
      continue;
    std::string Value = O.Value.lower();
    for (StringRef Arg : split(Value, ','))
      State.apply(Arg);
  }
  return State;
}

/// Whether /opt:ref is in effect; /debug and /profile change its default.
bool Parser::dropsUnreferenced() const {
  bool Drops = !Debug.KeepsUnreferenced || Options.has(OPT_flag_profile);
  for (const OptionArg &O : Options.All) {
    if (O.ID != OPT_value_opt)
      continue;
    std::string Value = O.Value.lower();
    for (StringRef Arg : split(Value, ','))
      if (Arg == "ref" || Arg == "noref")
        Drops = Arg == "ref";
  }
  return Drops;
}

// The names of the outputs follow getOutputPath, getMapFile, getImplibPath and
// getReproduceFile. Not implemented: the name that a NAME or LIBRARY line of a
// module-definition file gives to the image, and the files that a ThinLTO link
// writes next to its inputs.
void Parser::addOutputs() {
  addImage();
  if (Command.ReadsCodeView)
    addPDB();
  addImportLibrary();
  addMap(OPT_map_flag, OPT_map_file);
  addMap(OPT_lldmap_flag, OPT_lldmap_file);
  addManifest();
  addReproducer();
  addOtherOutputs();
}

void Parser::addImage() {
  if (const OptionArg *Out = Options.last(OPT_out)) {
    Image = Out->Value.str();
  } else {
    // The image has the stem of the first object or library. Files that other
    // options name may precede it in the list.
    auto First = find_if(Command.Inputs, [](const NamedInput &Input) {
      return Input.Search == SearchRule::Object;
    });
    if (First == Command.Inputs.end())
      return;
    bool IsDriver = Options.has(OPT_driver, OPT_driver_uponly, OPT_driver_wdm,
                                OPT_driver_uponly_wdm, OPT_driver_wdm_uponly);
    StringRef Extension = Options.has(OPT_dll) ? ".dll"
                          : IsDriver           ? ".sys"
                                               : ".exe";
    Image = (sys::path::stem(First->Name) + Extension).str();
  }
  addOutput(Image, "/out:");
}

void Parser::addImportLibrary() {
  if (Options.has(OPT_noimplib))
    return;
  if (const OptionArg *Option = Options.last(OPT_implib)) {
    addOutput(*Option);
    return;
  }
  // An .exe that exports nothing has no import library, and an input `foo.lib`
  // often lies next to `foo.exe`. (`.drectve` can also hold exports. The import
  // library is then missing from the list, which does no harm.)
  if (!Command.MinGW && !Image.empty() &&
      Options.has(OPT_dll, OPT_export, OPT_deffile))
    addOutput(imageWith(".lib"));
}

void Parser::addMap(OptionID Flag, OptionID File) {
  const OptionArg *Last = Options.last(Flag, File);
  if (!Last)
    return;
  if (Last->ID == File)
    addOutput(*Last);
  else
    addOutput(StringRef(Image).take_front(StringRef(Image).rfind('.')) +
              ".map");
}

void Parser::addManifest() {
  const OptionArg *Option = Options.last(OPT_manifestfile);
  const OptionArg *Mode = Options.last(OPT_manifest_flag, OPT_manifest_value);
  bool BesideImage = Mode ? Mode->ID == OPT_manifest_flag
                          : Options.has(OPT_manifestdependency);
  if (Option)
    addOutput(*Option);
  else if (BesideImage)
    addOutput(Image + ".manifest");
}

void Parser::addReproducer() {
  if (const OptionArg *File = Options.last(OPT_reproduce)) {
    addOutput(*File);
  } else if (const OptionArg *Directory = Options.last(OPT_linkrepro)) {
    addOutput(joined(Directory->Value, "repro.tar"), optionOf(*Directory));
  } else if (auto File = Context.env("LLD_REPRODUCE")) {
    // lld reads this variable even with /lldignoreenv.
    addOutput(*File);
  }
}

void Parser::addPDB() {
  const OptionArg *Option = Options.last(OPT_pdb);
  if (Option && !Option->Value.empty())
    addOutput(*Option);
  else
    addOutput(imageWith(".pdb"));
}

void Parser::addOtherOutputs() {
  for (OptionID ID :
       {OPT_dwodir, OPT_linkreprofullpathrsp, OPT_lto_obj_path, OPT_output_def,
        OPT_pdbstripped, OPT_print_symbol_order, OPT_thinlto_index_only_file})
    if (const OptionArg *Option = Options.last(ID))
      addOutput(*Option);
  if (const OptionArg *Trace = Options.last(OPT_time_trace_file)) {
    Command.TimeTrace = timeTraceFile(Trace->Value, Image);
    addOutput(Command.TimeTrace, Trace->Value.empty() ? "" : optionOf(*Trace));
  }
}

LinkCommand Parser::run() {
  // /lib counts only as the first argument of the command line itself. lld
  // tests for it before it inserts the environment's arguments.
  const auto *First =
      find_if(Args, [](const CommandLineArg &W) { return W.Variable.empty(); });
  if (First != Args.end() && First->ResponseFile.empty() &&
      isLibMode(First->Text)) {
    Command.Links = false;
    return std::move(Command);
  }

  matchArgs();
  HasNamed = !Named.empty();
  Command.MinGW = Options.has(OPT_lldmingw);
  if (const OptionArg *Machine = Options.last(OPT_machine)) {
    Command.NamesMachine = true;
    // lld never infers these from an input.
    Command.ForArm64EC = COFF::isArm64EC(getMachineType(Machine->Value));
  }
  if (Options.has(OPT_help))
    Command.Prints = LinkCommand::Answer::Help;
  else if (Options.has(OPT_version_flag))
    Command.Prints = LinkCommand::Answer::Version;
  if (Command.Prints != LinkCommand::Answer::None ||
      (!HasNamed && !Options.has(OPT_deffile))) {
    Command.Links = false;
    return std::move(Command);
  }

  markWholeArchives();
  Debug = debugState();
  Command.ReadsCodeView = Debug.MakesPDB && makesImage();
  Command.ReadsDWARF = Debug.ReadsDWARF && makesImage();
  Command.DropsUnreferenced = dropsUnreferenced() && makesImage();
  const OptionArg *Threads = Options.last(OPT_value_threads);
  Command.HasOneThread = Threads && Threads->Value == "1";
  const OptionArg *Cache = Options.last(OPT_value_lldltocache);
  Command.HasLTOCache = Cache && !Cache->Value.empty();

  addEarlyFiles();
  Command.Inputs.insert(Command.Inputs.end(),
                        std::make_move_iterator(Named.begin()),
                        std::make_move_iterator(Named.end()));
  addSearchPaths(Options, Context, Command);
  Turn = 1;
  addDefaultLibraries();
  Turn = 2;
  addLateFiles();
  addOutputs();
  Command.dropWrittenFiles();
  return std::move(Command);
}

LinkCommand parse(ArrayRef<CommandLineArg> Args,
                  const CommandLineContext &Context) {
  return Parser(Args, Context).run();
}

} // namespace headstart::coff
