//===- PrefetchHelp.td - What --help says of Headstart's options ----------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The linkers' tables include this: they spell the options each in its own way,
// and say the same of them. Without a text an option is not shown.
//
//===----------------------------------------------------------------------===//

defvar PrefetchInputsHelp =
    "Fetch the inputs into memory ahead of the linker (default)";
defvar NoPrefetchInputsHelp = "Do not fetch inputs ahead of the linker";

def grp_headstart : OptionGroup<"headstart">, HelpText<"HEADSTART">;

/// Of --prefetch-<name>.
class PrefetchHelp<string name> {
  string Value = !cond(!eq(name, "handover") : "all|none",
                       !eq(name, "jobs") : "<N>",
                       !eq(name, "memory") : "<SIZE>",
                       !eq(name, "profile") : "auto|none|<FILE>",
                       !eq(name, "queue") : "auto|none|<SIZE>",
                       true : "<FILE>");
  /// With a value.
  string Text = !cond(
      !eq(name, "jobs") : "Threads that fetch (default: 8); 0: do not fetch",
      !eq(name, "memory") : "Fetch at most so much ahead of the linker: 2G, "
          "512M, or 50% of what is available (default)",
      !eq(name, "profile") : "Where to keep which bytes this link used, for the "
          "next link of the same output (default: auto, the user's cache folder)",
      !eq(name, "queue") : "Let links wait that do not fit into this much memory "
          "together (default: auto, the memory of the machine)",
      !eq(name, "stats") : "Write what was fetched, as JSON, to a file, or "
          "for each link to a file of a folder (<FILE>/)",
      !eq(name, "trace") : "Write a trace for Perfetto or chrome://tracing",
      true : "");
  /// Without.
  string FlagText = !if(!eq(name, "stats"),
      "Say on standard error what was fetched", "");
}
