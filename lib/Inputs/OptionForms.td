//===- OptionForms.td - The forms of ld.lld's options ------*- tablegen -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The forms of ld.lld's options, also for MinGW.
defvar Both = ["--", "-"];
defvar Double = ["--"];
defvar Single = ["-"];

/// The name of an option's record.
class Id<string name> {
  string ID = !subst("=", "_eq_", !subst("-", "_", name));
}

/// `--name value` and `--name=value`.
multiclass Value<list<string> prefixes, string name> {
  def NAME : Separate<prefixes, name>;
  def NAME#_eq : Joined<prefixes, name#"=">, Alias<!cast<Option>(NAME)>;
}
