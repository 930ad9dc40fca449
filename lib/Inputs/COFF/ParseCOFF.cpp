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
#include "llvm/Option/Arg.h"
#include "llvm/Support/Path.h"

using namespace llvm;
using namespace llvm::opt;

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
  Parser(ArrayRef<CommandLineArg> CommandArgs,
         const CommandLineContext &Context, const InputArgList &Args)
      : CommandArgs(CommandArgs), Context(Context), Args(Args),
        HasNamed(Args.hasArg(OPT_INPUT, OPT_wholearchive_file)) {}
  LinkCommand run();

private:
  void addNamed();
  void markWholeArchives();
  void addEarlyFiles();
  void addDefaultLibraries();
  void addLateFiles();
  void addSymbolFiles();
  void addDebugFiles();

  void addFile(const Arg *Option, StringRef Name,
               InputReason Reason = InputReason::OptionFile,
               SearchRule Search = SearchRule::Verbatim);
  void addFile(OptionID ID) {
    if (const Arg *Option = Args.getLastArg(ID))
      addFile(Option, Option->getValue());
  }
  void addOutputs();
  void addImage();
  void addImportLibrary();
  void addMap(OptionID Flag, OptionID File);
  void addManifest();
  void addReproducer();
  void addPDB();
  void addOtherOutputs();
  static std::string optionOf(const Arg &Option) {
    return "/" + Option.getSpelling().drop_front().lower();
  }
  void addOutput(const Twine &Path, StringRef Option = "") {
    Command.Outputs.push_back({Path.str(), Option.str()});
  }
  /// Adds the path that an option names: "/pdb:x".
  void addOutput(const Arg &Option) {
    addOutput(Option.getValue(), optionOf(Option));
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

  ArrayRef<CommandLineArg> CommandArgs;
  const CommandLineContext &Context;
  const InputArgList &Args;
  const bool HasNamed;
  DebugState Debug;
  uint8_t Turn = 0; ///< the turn of the files that addFile adds
  std::string Image;
  LinkCommand Command;
};
} // namespace

void Parser::addNamed() {
  bool Lazy = false;
  for (const Arg *A : Args) {
    const unsigned ID = A->getOption().getID();
    if (ID == OPT_start_lib || ID == OPT_end_lib)
      Lazy = ID == OPT_start_lib;
    if (ID != OPT_INPUT && ID != OPT_wholearchive_file)
      continue;
    const CommandLineArg &Given = CommandArgs[A->getIndex()];
    const InputReason Reason =
        ID == OPT_wholearchive_file   ? InputReason::WholeArchive
        : !Given.ResponseFile.empty() ? InputReason::ResponseFile
        : !Given.Variable.empty()     ? InputReason::Environment
                                      : InputReason::CommandLine;
    StringRef Option = ID == OPT_INPUT ? "" : A->getSpelling();
    Command.Inputs.push_back(makeInput(
        A->getValue(), Reason, SearchRule::Object, originOf(Given, Option)));
    Command.Inputs.back().Lazy = Lazy;
  }
  markWholeArchives();
}

/// lld compares files, so `/wholearchive:./a.lib` also makes `a.lib` whole.
/// The parser compares names, which needs no access to the files.
void Parser::markWholeArchives() {
  bool All = Args.hasArg(OPT_wholearchive_flag);
  StringSet<> Names;
  for (const Arg *A : Args.filtered(OPT_wholearchive_file))
    Names.insert(A->getValue());
  for (NamedInput &Input : Command.Inputs)
    if (Input.Search == SearchRule::Object)
      Input.Whole = All || Names.contains(Input.Name);
}

void Parser::addFile(const Arg *Option, StringRef Name, InputReason Reason,
                     SearchRule Search) {
  if (Name.empty())
    return;
  Command.Inputs.push_back(makeInput(
      Name, Reason, Search,
      originOf(CommandArgs[Option->getIndex()], spellingOf(*Option))));
  Command.Inputs.back().Turn = Turn;
}

void Parser::addEarlyFiles() {
  addFile(OPT_vfsoverlay);
  if (const Arg *Layout = Args.getLastArg(OPT_sectionlayout)) {
    StringRef Name = Layout->getValue();
    Name.consume_front("@");
    addFile(Layout, Name);
  }
}

void Parser::addDefaultLibraries() {
  Command.ExcludedLibraries = Args.getAllArgValues(OPT_nodefaultlib);
  Command.ExcludesAllLibraries = Args.hasArg(OPT_nodefaultlib_all);
  for (const NamedInput &Input : Command.Inputs)
    if (Input.Search == SearchRule::Object &&
        StringRef(Input.Name).ends_with_insensitive(".lib"))
      Command.NamedLibraries.insert(sys::path::filename(Input.Name).lower());
  if (!Args.hasArg(OPT_defaultlib))
    return;

  // lld skips a default library if it has seen its name, as written, as that of
  // a default library or as the file name of a `.lib` on the command line.
  StringSet<> Met = Command.NamedLibraries;
  InputResolver Resolver(Command);
  for (const Arg *A : Args.filtered(OPT_defaultlib))
    if (StringRef Name = A->getValue();
        Met.insert(Name.lower()).second && !isExcluded(Name, Resolver))
      addFile(A, Name, InputReason::DefaultLibrary, SearchRule::Library);
}

bool Parser::makesImage() const {
  return HasNamed && Args.getLastArgValue(OPT_lldemit, "obj") == "obj" &&
         !Args.hasArg(OPT_thinlto_index_only, OPT_thinlto_index_only_file);
}

void Parser::addLateFiles() {
  addFile(OPT_stub);
  if (const Arg *Definitions = Args.getLastArg(OPT_deffile)) {
    addFile(Definitions, Definitions->getValue(),
            InputReason::ModuleDefinition);
    // Only a hybrid image has a native view, and lld never infers that machine.
    const Arg *Native = Args.getLastArg(OPT_defarm64native);
    if (Native && getMachineType(Args.getLastArgValue(OPT_machine)) ==
                      COFF::IMAGE_FILE_MACHINE_ARM64X)
      addFile(Native, Native->getValue(), InputReason::ModuleDefinition);
  }
  // Without an input, lld makes an import library from the definitions and
  // exits.
  if (!HasNamed)
    return;
  addFile(OPT_lto_sample_profile);
  // With /lto-cs-profile-generate this option names the file that the program
  // will write when it runs.
  if (!Args.hasArg(OPT_lto_cs_profile_generate))
    addFile(OPT_lto_cs_profile_file);
  if (!makesImage())
    return;
  addSymbolFiles();
  if (Debug.MakesPDB)
    addDebugFiles();
}

void Parser::addSymbolFiles() {
  const Arg *Manifest = Args.getLastArg(OPT_manifest_flag, OPT_manifest_value);
  if (Manifest && Manifest->getOption().matches(OPT_manifest_value) &&
      StringRef(Manifest->getValue()).starts_with_insensitive("embed"))
    for (const Arg *A : Args.filtered(OPT_manifestinput))
      addFile(A, A->getValue());

  if (const Arg *Order = Args.getLastArg(OPT_order)) {
    // lld reports an error if the '@' is missing.
    StringRef Name = Order->getValue();
    if (Name.consume_front("@"))
      addFile(Order, Name);
    return;
  }
  if (Args.hasFlag(OPT_call_graph_profile_sort, OPT_call_graph_profile_sort_no,
                   true))
    addFile(OPT_call_graph_ordering_file);
}

void Parser::addDebugFiles() {
  for (const Arg *A : Args.filtered(OPT_natvis))
    addFile(A, A->getValue());
  // If a stream is named twice, lld uses the last file.
  StringMap<const Arg *> Last;
  for (const Arg *A : Args.filtered(OPT_pdbstream))
    Last[StringRef(A->getValue()).split('=').first] = A;
  for (const Arg *A : Args.filtered(OPT_pdbstream)) {
    auto [Stream, Name] = StringRef(A->getValue()).split('=');
    if (Last.lookup(Stream) == A)
      addFile(A, Name);
  }
}

DebugState Parser::debugState() const {
  DebugState State;
  for (const Arg *A : Args.filtered(OPT_debug_flag, OPT_debug_value)) {
    std::string Value = A->getNumValues() ? StringRef(A->getValue()).lower()
                                          : std::string("full");
    for (StringRef Keyword : split(Value, ','))
      State.apply(Keyword);
  }
  return State;
}

/// Whether /opt:ref is in effect; /debug and /profile change its default.
bool Parser::dropsUnreferenced() const {
  bool Drops = !Debug.KeepsUnreferenced || Args.hasArg(OPT_flag_profile);
  for (const Arg *A : Args.filtered(OPT_value_opt)) {
    std::string Value = StringRef(A->getValue()).lower();
    for (StringRef Keyword : split(Value, ','))
      if (Keyword == "ref" || Keyword == "noref")
        Drops = Keyword == "ref";
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
  if (const Arg *Out = Args.getLastArg(OPT_out)) {
    Image = Out->getValue();
  } else {
    // The image has the stem of the first object or library. Files that other
    // options name may precede it in the list.
    auto First = find_if(Command.Inputs, [](const NamedInput &Input) {
      return Input.Search == SearchRule::Object;
    });
    if (First == Command.Inputs.end())
      return;
    bool IsDriver = Args.hasArg(OPT_driver, OPT_driver_uponly, OPT_driver_wdm,
                                OPT_driver_uponly_wdm, OPT_driver_wdm_uponly);
    StringRef Extension = Args.hasArg(OPT_dll) ? ".dll"
                          : IsDriver           ? ".sys"
                                               : ".exe";
    Image = (sys::path::stem(First->Name) + Extension).str();
  }
  addOutput(Image, "/out:");
}

void Parser::addImportLibrary() {
  if (Args.hasArg(OPT_noimplib))
    return;
  if (const Arg *Option = Args.getLastArg(OPT_implib)) {
    addOutput(*Option);
    return;
  }
  // An .exe that exports nothing has no import library, and an input `foo.lib`
  // often lies next to `foo.exe`. (`.drectve` can also hold exports. The import
  // library is then missing from the list, which does no harm.)
  if (!Command.MinGW && !Image.empty() &&
      Args.hasArg(OPT_dll, OPT_export, OPT_deffile))
    addOutput(imageWith(".lib"));
}

void Parser::addMap(OptionID Flag, OptionID File) {
  const Arg *Last = Args.getLastArg(Flag, File);
  if (!Last)
    return;
  if (Last->getOption().matches(File))
    addOutput(*Last);
  else
    addOutput(StringRef(Image).take_front(StringRef(Image).rfind('.')) +
              ".map");
}

void Parser::addManifest() {
  if (const Arg *Option = Args.getLastArg(OPT_manifestfile))
    addOutput(*Option);
  else if (Args.hasFlag(OPT_manifest_flag, OPT_manifest_value,
                        Args.hasArg(OPT_manifestdependency)))
    addOutput(Image + ".manifest");
}

void Parser::addReproducer() {
  if (const Arg *File = Args.getLastArg(OPT_reproduce)) {
    addOutput(*File);
  } else if (const Arg *Directory = Args.getLastArg(OPT_linkrepro)) {
    addOutput(joined(Directory->getValue(), "repro.tar"), optionOf(*Directory));
  } else if (auto File = Context.env("LLD_REPRODUCE")) {
    // lld reads this variable even with /lldignoreenv.
    addOutput(*File);
  }
}

void Parser::addPDB() {
  if (const Arg *Option = Args.getLastArg(OPT_pdb);
      Option && *Option->getValue())
    addOutput(*Option);
  else
    addOutput(imageWith(".pdb"));
}

void Parser::addOtherOutputs() {
  for (OptionID ID :
       {OPT_dwodir, OPT_linkreprofullpathrsp, OPT_lto_obj_path, OPT_output_def,
        OPT_pdbstripped, OPT_print_symbol_order, OPT_thinlto_index_only_file})
    if (const Arg *Option = Args.getLastArg(ID))
      addOutput(*Option);
  if (const Arg *Trace = Args.getLastArg(OPT_time_trace_file)) {
    StringRef Named = Trace->getNumValues() ? Trace->getValue() : "";
    addOutput(timeTraceFile(Named, Image),
              Named.empty() ? "" : optionOf(*Trace));
  }
}

LinkCommand Parser::run() {
  for (PlacedOption &Placed : findPrefetchOptions(Args))
    Command.PrefetchOptions.push_back(std::move(Placed.Option));
  Command.MinGW = Args.hasArg(OPT_lldmingw);
  if (const Arg *Machine = Args.getLastArg(OPT_machine)) {
    Command.NamesMachine = true;
    // lld never infers these from an input.
    Command.ForArm64EC = COFF::isArm64EC(getMachineType(Machine->getValue()));
  }
  if (Args.hasArg(OPT_help))
    Command.Prints = LinkCommand::Answer::Help;
  else if (Args.hasArg(OPT_version_flag))
    Command.Prints = LinkCommand::Answer::Version;
  if (Command.Prints != LinkCommand::Answer::None ||
      (!HasNamed && !Args.hasArg(OPT_deffile))) {
    Command.Links = false;
    return std::move(Command);
  }

  Debug = debugState();
  Command.ReadsCodeView = Debug.MakesPDB && makesImage();
  Command.ReadsDWARF = Debug.ReadsDWARF && makesImage();
  Command.DropsUnreferenced = dropsUnreferenced() && makesImage();
  Command.HasOneThread = Args.getLastArgValue(OPT_value_threads) == "1";
  Command.HasLTOCache = !Args.getLastArgValue(OPT_value_lldltocache).empty();

  addEarlyFiles();
  addNamed();
  addSearchPaths(Args, Context, Command);
  Turn = 1;
  addDefaultLibraries();
  Turn = 2;
  addLateFiles();
  addOutputs();
  Command.dropWrittenFiles();
  return std::move(Command);
}

LinkCommand Model::parse(ArrayRef<CommandLineArg> CommandArgs,
                         const CommandLineContext &Context) const {
  // /lib counts only as the first argument of the command line itself. lld
  // tests for it before it inserts the environment's arguments.
  const auto *First = find_if(CommandArgs, [](const CommandLineArg &Arg) {
    return Arg.Variable.empty();
  });
  if (First != CommandArgs.end() && First->ResponseFile.empty() &&
      isLibMode(First->Text)) {
    LinkCommand Command;
    Command.Links = false;
    return Command;
  }
  std::vector<const char *> Texts = textsOf(CommandArgs);
  InputArgList Args = parseArguments(Texts);
  return Parser(CommandArgs, Context, Args).run();
}

} // namespace headstart::coff
