//===- BuildReports.h - What the links of a build found ---------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_TOOLS_HEADSTART_BUILDREPORTS_H
#define HEADSTART_TOOLS_HEADSTART_BUILDREPORTS_H

#include <string>

namespace headstart {

/// Collects the statistics of the links of a build in a directory of the user's
/// cache, by HEADSTART_FLAGS. One thread.
class BuildReports {
public:
  /// Sets the variable for programs that are started from now on, unless it
  /// selects statistics already. To be called before there are other threads.
  BuildReports();
  /// Removes the directory.
  void clear() const;

  /// Returns a clause for a message, such as "; 1 link began with 98% of its
  /// 472 MB of inputs cached"; "" if no link reported that. Reads the files.
  std::string summary() const;

private:
  std::string Directory; ///< empty: none
};

} // namespace headstart

#endif // HEADSTART_TOOLS_HEADSTART_BUILDREPORTS_H
