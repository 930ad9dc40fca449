//===- LayoutParts.h - What all readers of layouts share --------*- C++ -*-===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Private to the layer: putting the parts of a layout in order.
///
//===----------------------------------------------------------------------===//

#ifndef HEADSTART_LIB_PLAN_LAYOUTPARTS_H
#define HEADSTART_LIB_PLAN_LAYOUTPARTS_H

#include "headstart/Plan/ObjectLayout.h"
#include <vector>

namespace headstart {

/// Sorts \p Parts, cuts overlaps off, the part that starts first winning, and
/// joins what lies together and is alike: what a sane compiler writes does not
/// overlap, what a hostile file says may.
void settleParts(std::vector<LayoutPart> &Parts);

} // namespace headstart

#endif // HEADSTART_LIB_PLAN_LAYOUTPARTS_H
