//===- Private.h - Shared by the flavours -----------------------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Private to lib/Inputs: helpers of the flavours, and the request with which a
/// flavour scans an input for its dependencies.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_LIB_INPUTS_PRIVATE_H
#define HEADSTART_LIB_INPUTS_PRIVATE_H

#include "headstart/Formats/FileInspector.h"
#include "headstart/Inputs/LinkerModel.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Option/Arg.h"
#include <optional>
#include <string>

namespace headstart {

/// Stats \p Path. On an error the file counts as missing. Blocks on the store.
ResolvedInput statInput(llvm::StringRef Path);

/// Reads the regular file \p Path; nullopt if that is impossible or if it has
/// more than \p MaxBytes. Blocks on the store.
std::optional<std::string> readText(const std::string &Path, uint64_t MaxBytes);

/// An input of these properties; the others have their defaults.
inline NamedInput makeInput(llvm::StringRef Name, InputReason Reason,
                            SearchRule Search, llvm::StringRef From) {
  NamedInput Input;
  Input.Name = Name.str();
  Input.Reason = Reason;
  Input.Search = Search;
  Input.From = From.str();
  return Input;
}

/// The option of \p A as it was written, even if it is an alias.
inline llvm::StringRef spellingOf(const llvm::opt::Arg &A) {
  return A.getAlias() ? A.getAlias()->getSpelling() : A.getSpelling();
}

/// \p Stage if the linker reads a part; see LinkerModel::stageOf.
inline std::optional<LinkStage> stageIf(bool IsRead, LinkStage Stage) {
  return IsRead ? std::optional(Stage) : std::nullopt;
}

/// The texts of \p Args, into which the result points.
inline std::vector<const char *> textsOf(llvm::ArrayRef<CommandLineArg> Args) {
  std::vector<const char *> Texts;
  Texts.reserve(Args.size());
  for (const CommandLineArg &Arg : Args)
    Texts.push_back(Arg.Text.c_str());
  return Texts;
}

/// The response file or variable that holds \p Arg; \p Else if it is a plain
/// argument.
inline llvm::StringRef originOf(const CommandLineArg &Arg,
                                llvm::StringRef Else) {
  if (!Arg.ResponseFile.empty())
    return Arg.ResponseFile;
  return Arg.Variable.empty() ? Else : llvm::StringRef(Arg.Variable);
}

struct ScanRequest {
  const InputResolver &Resolver; ///< has the command too
  const NamedInput &Named;       ///< the input as it was named
  llvm::StringRef Path;          ///< the path at which it was found
  FileInspector &Inspector;      ///< has the file open, which is not empty
};

} // namespace headstart

#endif // HEADSTART_LIB_INPUTS_PRIVATE_H
