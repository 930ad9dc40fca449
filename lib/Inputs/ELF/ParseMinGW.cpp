//===- ParseMinGW.cpp - The command line of MinGW's ld.lld ----------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// With `-m i386pep` and the like ld.lld translates its arguments into those of
// lld-link and calls that. This file translates the options that decide which
// files are read and written (lld 22 MinGW/Driver.cpp, checked against
// `ld.lld -m i386pep -###`), and lld-link's parser does the rest.
//
// lld resolves -l while it translates. This file keeps the name, so that only
// the engine's threads access the file system.
//
//===----------------------------------------------------------------------===//

#include "Parse.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/Twine.h"

using namespace llvm;
using namespace llvm::opt;

namespace headstart::elf::mingw {

namespace {
class Translator {
public:
  explicit Translator(const MatchedLine &Line)
      : Line(Line), Args(Line.args()) {}
  LinkCommand run(const CommandLineContext &Context);

private:
  void addSettings();
  void addInputs();
  void restoreNames(LinkCommand &Command) const;

  void add(const Arg *A, const Twine &Text) {
    CommandLineArg &Made = CommandArgs.emplace_back();
    if (A)
      Made = Line.argOf(*A);
    Made.Text = Text.str();
  }
  void addValue(OptionID From, StringRef To) {
    if (const Arg *A = Args.getLastArg(From))
      add(A, To + A->getValue());
  }
  void addFlag(OptionID From, StringRef To) {
    if (const Arg *A = Args.getLastArg(From))
      add(A, To);
  }
  void addAll(OptionID From, StringRef To) {
    for (const Arg *A : Args.filtered(From))
      add(A, To + A->getValue());
  }

  const MatchedLine &Line;
  const InputArgList &Args;
  std::vector<CommandLineArg> CommandArgs; ///< the arguments of lld-link
  std::vector<NamedInput> Libraries; ///< CommandArgs has placeholders of these
};
} // namespace

/// The prefix of a library's number in lld-link's arguments. No file and no
/// option has such a name.
static constexpr StringLiteral Placeholder = "\x01library.";

/// The name that lld-link has for the machine of -m.
static StringRef machineOf(StringRef Emulation) {
  return StringSwitch<StringRef>(Emulation)
      .Case("i386pe", "x86")
      .Case("i386pep", "x64")
      .Case("thumb2pe", "arm")
      .Case("arm64pe", "arm64")
      .Case("arm64ecpe", "arm64ec")
      .Case("arm64xpe", "arm64x")
      .Case("mipspe", "mips")
      .Default("");
}

void Translator::addSettings() {
  add(nullptr, "-lldmingw");
  addValue(OPT_out_implib, "-implib:");
  addValue(OPT_output_def, "-output-def:");
  addValue(OPT_Map, "-lldmap:");
  addValue(OPT_reproduce, "-reproduce:");
  if (const Arg *A = Args.getLastArg(OPT_o))
    add(A, Twine("-out:") + A->getValue());
  else
    add(nullptr, Args.hasArg(OPT_shared) ? "-out:a.dll" : "-out:a.exe");

  if (const Arg *A = Args.getLastArg(OPT_pdb)) {
    add(A, "-debug");
    if (StringRef Value = A->getValue(); !Value.empty())
      add(A, "-pdb:" + Value);
    if (Args.hasArg(OPT_strip_all, OPT_strip_debug))
      add(nullptr, "-debug:nodwarf");
  } else if (Args.hasArg(OPT_strip_debug)) {
    add(nullptr, "-debug:symtab");
  } else if (!Args.hasArg(OPT_strip_all)) {
    add(nullptr, "-debug:dwarf");
  }

  addFlag(OPT_shared, "-dll");
  add(nullptr, Args.hasFlag(OPT_gc_sections, OPT_no_gc_sections, false)
                   ? "-opt:ref"
                   : "-opt:noref");
  if (const Arg *A = Args.getLastArg(OPT_m))
    if (StringRef Machine = machineOf(A->getValue()); !Machine.empty())
      add(A, "-machine:" + Machine);

  addValue(OPT_plugin_opt_eq_dwo_dir_eq, "-dwodir:");
  addFlag(OPT_lto_cs_profile_generate, "-lto-cs-profile-generate");
  addValue(OPT_lto_cs_profile_file, "-lto-cs-profile-file:");
  addFlag(OPT_lto_emit_llvm, "-lldemit:llvm");
  addFlag(OPT_lto_emit_asm, "-lldemit:asm");
  addValue(OPT_lto_sample_profile_eq, "-lto-sample-profile:");
  addFlag(OPT_thinlto_index_only, "-thinlto-index-only");
  addValue(OPT_thinlto_index_only_eq, "-thinlto-index-only:");
  addValue(OPT_thinlto_cache_dir_eq, "-lldltocache:");
  addValue(OPT_threads, "-threads:");
  addAll(OPT_Xlink, "");
  addAll(OPT_library_path, "-libpath:");
}

void Translator::addInputs() {
  StringRef Prefix;
  bool Static = false;
  for (const Arg *A : Args) {
    switch (A->getOption().getID()) {
    case OPT_INPUT: {
      StringRef Name = A->getValue();
      add(A, (Name.ends_with_insensitive(".def") ? "-def:" : Prefix) + Name);
      break;
    }
    case OPT_library: {
      add(A, Prefix + Placeholder + Twine(Libraries.size()));
      Libraries.push_back(makeInput(A->getValue(), InputReason::Library,
                                    SearchRule::Library,
                                    originOf(Line.argOf(*A), spellingOf(*A))));
      Libraries.back().StaticOnly = Static;
      break;
    }
    case OPT_whole_archive:
      Prefix = "-wholearchive:";
      break;
    case OPT_no_whole_archive:
      Prefix = "";
      break;
    case OPT_Bstatic:
    case OPT_Bdynamic:
      Static = A->getOption().matches(OPT_Bstatic);
      break;
    default:
      break;
    }
  }
}

/// Restores the names of the libraries, and the options that named the inputs
/// as the user wrote them.
void Translator::restoreNames(LinkCommand &Command) const {
  for (NamedInput &Input : Command.Inputs) {
    const Arg *Option = Args.getLastArg(OPT_whole_archive);
    if (Input.From == "-def:")
      Input.From = "";
    else if (Input.From == "-wholearchive:" && Option) // not from -Xlink
      Input.From = spellingOf(*Option).str();
    StringRef Name = Input.Name;
    size_t Number;
    if (!Name.consume_front(Placeholder) || Name.getAsInteger(10, Number) ||
        Number >= Libraries.size())
      continue;
    bool Whole = Input.Whole;
    Input = Libraries[Number];
    Input.Whole = Whole;
  }
}

/// Restores GNU's spelling of the options that name outputs.
static void restoreOptions(LinkCommand &Command) {
  for (LinkOutput &Output : Command.Outputs)
    Output.Option = StringSwitch<std::string>(Output.Option)
                        .Case("/out:", "-o")
                        .Case("/implib:", "--out-implib=")
                        .Case("/lldmap:", "--Map=")
                        .Case("/output-def:", "--output-def=")
                        .Case("/reproduce:", "--reproduce=")
                        .Case("/pdb:", "--pdb=")
                        .Case("/thinlto-index-only:", "--thinlto-index-only=")
                        .Default("");
}

LinkCommand Translator::run(const CommandLineContext &Context) {
  if (Args.hasArg(OPT_help, OPT_version, OPT_translate_only) ||
      !Args.hasArg(OPT_INPUT, OPT_library)) {
    LinkCommand Command;
    if (Args.hasArg(OPT_help))
      Command.Prints = LinkCommand::Answer::Help;
    else if (Args.hasArg(OPT_version, OPT_v))
      Command.Prints = LinkCommand::Answer::Version;
    Command.MinGW = true;
    Command.Links = false;
    return Command;
  }
  // lld-link reads its environment variables here too.
  CommandArgs = expandCommandLine(Flavour::COFF, {}, Context).Args;
  addSettings();
  addInputs();
  LinkCommand Command =
      LinkerModel::of(Flavour::COFF).parse(CommandArgs, Context);
  Command.DLLPrefix = Args.getLastArgValue(OPT_dll_search_prefix, "lib").str();
  restoreNames(Command);
  restoreOptions(Command);
  return Command;
}

} // namespace headstart::elf::mingw

headstart::LinkCommand
headstart::elf::parseMinGWCommandLine(ArrayRef<CommandLineArg> CommandArgs,
                                      const CommandLineContext &Context) {
  MatchedLine Line(CommandArgs, /*MinGW=*/true);
  LinkCommand Command = mingw::Translator(Line).run(Context);
  std::vector<PrefetchOption> Own = Line.takeOwnOptions();
  Command.PrefetchOptions.insert(Command.PrefetchOptions.end(), Own.begin(),
                                 Own.end());
  return Command;
}
