//===- PrefetchOptions.td - Headstart's own options --------*- tablegen -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The linkers' tables include this file: each linker has its own spelling of
// the options, with the same texts. --help omits options without a text.
//
//===----------------------------------------------------------------------===//

defvar PrefetchInputsHelp =
    "Fetch the inputs before the linker needs them (default)";
defvar NoPrefetchInputsHelp = "Do not prefetch the inputs";

def grp_headstart : OptionGroup<"headstart">, HelpText<"HEADSTART">;

/// The help texts of --prefetch-<name>.
class PrefetchHelp<string name> {
  string Value = !cond(!eq(name, "handover") : "all|none",
                       !eq(name, "jobs") : "<N>",
                       !eq(name, "memory") : "<SIZE>",
                       !eq(name, "profile") : "auto|none|<FILE>",
                       !eq(name, "queue") : "auto|none|<SIZE>",
                       !eq(name, "tuning") : "<NAME>=<VALUE>",
                       true : "<FILE>");
  /// The text of the option with a value.
  string Text = !cond(
      !eq(name, "jobs") : "Prefetch with N threads (default: 8, or up to "
          "64 from a high-latency store); 0: do not prefetch",
      !eq(name, "memory") : "Fetch at most SIZE ahead of the linker: 2G, "
          "512M, or 50% of the available memory (default)",
      !eq(name, "profile") : "Where to store this link's profile, for the next "
          "link of the same output (default: auto, the user's cache directory)",
      !eq(name, "queue") : "Make links wait if together they do not fit in SIZE "
          "(default: auto, the memory of the machine)",
      !eq(name, "stats") : "Write what was fetched to a file, as JSON; <FILE>/ is "
          "a directory with a file for each link",
      !eq(name, "trace") : "Write a trace for Perfetto or chrome://tracing to a file",
      true : "");
  /// The text of the option without a value.
  string FlagText = !if(!eq(name, "stats"),
      "Print to standard error what was fetched", "");
}

/// The options that have values.
defvar PrefetchNames = ["handover", "jobs", "memory", "profile", "queue",
                        "stats", "trace", "tuning"];

/// The options of ld.lld and ld64.lld. The flag is `--prefetch-stats`, or an
/// option whose value is missing.
multiclass PrefetchOptions<list<string> prefixes> {
  def prefetch_inputs
      : Flag<prefixes, "prefetch-inputs">, Group<grp_headstart>,
        HelpText<PrefetchInputsHelp>;
  def no_prefetch_inputs
      : Flag<prefixes, "no-prefetch-inputs">, Group<grp_headstart>,
        HelpText<NoPrefetchInputsHelp>;
  foreach name = PrefetchNames in {
    def prefetch_#name#_flag
        : Flag<prefixes, "prefetch-"#name>, Group<grp_headstart>,
          HelpText<PrefetchHelp<name>.FlagText>;
    def prefetch_#name#_equals
        : Joined<prefixes, "prefetch-"#name#"=">, Group<grp_headstart>,
          MetaVarName<PrefetchHelp<name>.Value>,
          HelpText<PrefetchHelp<name>.Text>;
  }
}
