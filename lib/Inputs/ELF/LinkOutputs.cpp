//===- LinkOutputs.cpp - The outputs of ld.lld ----------------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Not implemented: OUTPUT in a linker script, and the files that a ThinLTO link
// writes next to its inputs.
//
//===----------------------------------------------------------------------===//

#include "Parse.h"

using namespace llvm;

namespace headstart::elf {

void addOutputs(const opt::InputArgList &Args,
                const CommandLineContext &Context, LinkCommand &Command) {
  StringRef Image = Args.getLastArgValue(OPT_o);
  if (Image.empty())
    Image = "a.out";
  Command.Outputs.push_back({Image.str(), "-o"});

  auto Add = [&](StringRef Path, const opt::Arg *Named = nullptr) {
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
    if (const opt::Arg *Named = Args.getLastArg(ID))
      Add(Named->getValue(), Named);
  if (const opt::Arg *Trace = Args.getLastArg(OPT_time_trace_file)) {
    StringRef Named = Trace->getNumValues() ? Trace->getValue() : "";
    Command.TimeTrace = timeTraceFile(Named, Image);
    Add(Command.TimeTrace, Named.empty() ? nullptr : Trace);
  }
  if (const opt::Arg *Reproduce = Args.getLastArg(OPT_reproduce))
    Add(Reproduce->getValue(), Reproduce);
  else
    Add(Context.env("LLD_REPRODUCE").value_or(""));
}

} // namespace headstart::elf
