//===- LinkOutputs.cpp - The outputs of lld-link --------------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The names follow lld 22 COFF/Driver.cpp (getOutputPath, getMapFile,
// getImplibPath, getReproduceFile). Not implemented: the name that a NAME or
// LIBRARY line of a module-definition file gives to the image, and the files
// that a ThinLTO link writes next to its inputs.
//
//===----------------------------------------------------------------------===//

#include "Parse.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace headstart::coff {

namespace {
class OutputList {
public:
  OutputList(const OptionArgs &Options, LinkCommand &Command)
      : Options(Options), Command(Command) {}

  void image();
  void importLibrary();
  void maps();
  void manifest();
  void reproducer(const CommandLineContext &Context);
  void pdb();
  void others();

private:
  void add(const Twine &Path, StringRef Option = "") {
    Command.Outputs.push_back({Path.str(), Option.str()});
  }
  /// Adds the path that an option names: "/pdb:x".
  void add(const OptionArg &Named) { add(Named.Value, optionOf(Named)); }
  static std::string optionOf(const OptionArg &Named) {
    return "/" + Named.Spelling.drop_front().lower();
  }
  bool isDriver() const {
    return Options.has(OPT_driver, OPT_driver_uponly, OPT_driver_wdm,
                       OPT_driver_uponly_wdm, OPT_driver_wdm_uponly);
  }
  std::string imageWith(StringRef Extension) const {
    SmallString<128> Path = StringRef(Image);
    sys::path::replace_extension(Path, Extension);
    return Path.str().str();
  }
  void map(OptionID Flag, OptionID File);

  const OptionArgs &Options;
  LinkCommand &Command;
  std::string Image;
};
} // namespace

void OutputList::image() {
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
    StringRef Extension = Options.has(OPT_dll) ? ".dll"
                          : isDriver()         ? ".sys"
                                               : ".exe";
    Image = (sys::path::stem(First->Name) + Extension).str();
  }
  add(Image, "/out:");
}

void OutputList::importLibrary() {
  if (Options.has(OPT_noimplib))
    return;
  if (const OptionArg *Named = Options.last(OPT_implib)) {
    add(*Named);
    return;
  }
  // An .exe that exports nothing has no import library, and an input `foo.lib`
  // often lies next to `foo.exe`. (`.drectve` can also hold exports. The import
  // library is then missing from the list, which does no harm.)
  if (!Command.MinGW && !Image.empty() &&
      Options.has(OPT_dll, OPT_export, OPT_deffile))
    add(imageWith(".lib"));
}

void OutputList::map(OptionID Flag, OptionID File) {
  const OptionArg *Last = Options.last(Flag, File);
  if (!Last)
    return;
  if (Last->ID == File)
    add(*Last);
  else
    add(StringRef(Image).take_front(StringRef(Image).rfind('.')) + ".map");
}

void OutputList::maps() {
  map(OPT_map_flag, OPT_map_file);
  map(OPT_lldmap_flag, OPT_lldmap_file);
}

void OutputList::manifest() {
  const OptionArg *Named = Options.last(OPT_manifestfile);
  const OptionArg *Mode = Options.last(OPT_manifest_flag, OPT_manifest_value);
  bool BesideImage = Mode ? Mode->ID == OPT_manifest_flag
                          : Options.has(OPT_manifestdependency);
  if (Named)
    add(*Named);
  else if (BesideImage)
    add(Image + ".manifest");
}

void OutputList::reproducer(const CommandLineContext &Context) {
  if (const OptionArg *File = Options.last(OPT_reproduce)) {
    add(*File);
  } else if (const OptionArg *Directory = Options.last(OPT_linkrepro)) {
    add(joined(Directory->Value, "repro.tar"), optionOf(*Directory));
  } else if (auto File = Context.env("LLD_REPRODUCE")) {
    // lld reads this variable even with /lldignoreenv.
    add(*File);
  }
}

void OutputList::pdb() {
  const OptionArg *Named = Options.last(OPT_pdb);
  if (Named && !Named->Value.empty())
    add(*Named);
  else
    add(imageWith(".pdb"));
}

void OutputList::others() {
  for (OptionID ID :
       {OPT_dwodir, OPT_linkreprofullpathrsp, OPT_lto_obj_path, OPT_output_def,
        OPT_pdbstripped, OPT_print_symbol_order, OPT_thinlto_index_only_file})
    if (const OptionArg *Named = Options.last(ID))
      add(*Named);
  if (const OptionArg *Trace = Options.last(OPT_time_trace_file)) {
    Command.TimeTrace = timeTraceFile(Trace->Value, Image);
    add(Command.TimeTrace, Trace->Value.empty() ? "" : optionOf(*Trace));
  }
}

void addOutputs(const OptionArgs &Options, const CommandLineContext &Context,
                bool MakesPDB, LinkCommand &Command) {
  OutputList List(Options, Command);
  List.image();
  if (MakesPDB)
    List.pdb();
  List.importLibrary();
  List.maps();
  List.manifest();
  List.reproducer(Context);
  List.others();
}

} // namespace headstart::coff
