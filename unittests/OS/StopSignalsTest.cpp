//===- StopSignalsTest.cpp - Signals that request a stop ------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "headstart/OS/StopSignals.h"

#include "gtest/gtest.h"

#include <csignal>
#include <cstdlib>

using namespace headstart::os;

namespace {

TEST(StopSignalsTest, FirstSignalIsRecordedAndNextTakesEffect) {
  EXPECT_EXIT(
      {
        const StopSignals Signals;
        std::raise(SIGTERM);
        if (StopSignals::received() == SIGTERM)
          std::raise(SIGINT);
      },
      testing::KilledBySignal(SIGINT), "");
}

TEST(StopSignalsTest, NextSignalWaitsOnRequest) {
  EXPECT_EXIT(
      {
        {
          const StopSignals Signals(NextSignal::Waits);
          std::raise(SIGHUP);
          std::raise(SIGINT);
          std::raise(SIGHUP);
          if (StopSignals::received() != SIGHUP)
            std::_Exit(1);
        }
        std::raise(SIGTERM); // now ends the process
        std::_Exit(2);
      },
      testing::KilledBySignal(SIGTERM), "");
}

TEST(StopSignalsTest, IgnoredSignalStaysIgnored) {
  EXPECT_EXIT(
      {
        std::signal(SIGINT, SIG_IGN);
        const StopSignals Signals;
        std::raise(SIGINT);
        if (StopSignals::received() != 0)
          std::_Exit(1);
        std::raise(SIGTERM);
        std::raise(SIGINT);
        std::_Exit(StopSignals::received() == SIGTERM ? 7 : 2);
      },
      testing::ExitedWithCode(7), "");
}

TEST(StopSignalsTest, EndByClosedPipeHonorsSigpipe) {
  EXPECT_EXIT(
      {
        std::signal(SIGPIPE, SIG_DFL);
        endByClosedPipe();
        std::_Exit(1);
      },
      testing::KilledBySignal(SIGPIPE), "");
  EXPECT_EXIT(
      {
        std::signal(SIGPIPE, SIG_IGN);
        endByClosedPipe();
        std::_Exit(7);
      },
      testing::ExitedWithCode(7), "");
}

} // namespace
