//===- Message.h - Messages for a terminal ----------------------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The common form of Headstart's messages, and of counts and shares in them.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_REPORT_MESSAGE_H
#define HEADSTART_REPORT_MESSAGE_H

#include "llvm/ADT/Twine.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdint>
#include <string>

namespace headstart {

enum class Severity : uint8_t { Error, Warning, Note };

/// Writes "TOOL: error: TEXT" and a newline to \p OS. The severity is coloured
/// on a terminal that has colours, unless NO_COLOR is set.
void printMessage(llvm::StringRef Tool, Severity Level, const llvm::Twine &Text,
                  llvm::raw_ostream &OS = llvm::errs());

/// Writes \p Text to \p OS, in the colour that printMessage gives \p Level.
void printColoured(llvm::StringRef Text, Severity Level, llvm::raw_ostream &OS);

/// Returns "1 input" or "2 inputs", for the \p What "input".
std::string counted(uint64_t Count, const llvm::Twine &What);

/// Returns the share of \p Part in \p Whole in percent: 100 only if it is all,
/// 0 only if it is nothing. If \p Whole is 0, returns 100.
unsigned percentOf(uint64_t Part, uint64_t Whole);

} // namespace headstart

#endif // HEADSTART_REPORT_MESSAGE_H
