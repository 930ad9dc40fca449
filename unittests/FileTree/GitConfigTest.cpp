//===- GitConfigTest.cpp - core.excludesFile ------------------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../../lib/FileTree/IgnorePattern.h"
#include "gtest/gtest.h"

using headstart::detail::configuredExcludes;

namespace {

struct ConfigCase {
  const char *Text;
  const char *Value; ///< null: none
};

// The values that git 2.39 prints: `git config -f FILE core.excludesFile`.
const ConfigCase Cases[] = {
    {"", nullptr},
    {"[core]\n\texcludesFile = ~/x\n", "~/x"},
    {"\xef\xbb\xbf[core]\r\nexcludesFile=x\r\n", "x"},
    {"[CORE] ExcludesFILE = x", "x"},
    {"[core]\nexcludesfile = a\nexcludesfile = b\n[x]\nexcludesfile = c\n",
     "b"},
    {"[core \"sub\"]\nexcludesfile = a\n", nullptr},
    {"[core.sub]\nexcludesfile = a\n", nullptr},
    {"excludesfile = a\n[core]\nbare = true\n", nullptr},
    {"[core]\nexcludesfile = a  b \t ; c\n", "a  b"},
    {"[core]\nexcludesfile = \" a;b \"# c\n", " a;b "},
    {"[core]\nexcludesfile = a\\\\b\\\"\\tc\n", "a\\b\"\tc"},
    {"[core]\nexcludesfile = a\\\nb\n", "ab"},
    {"[core]\nexcludesfile =\n", ""},
    {"[core]\nexcludesfile\n", nullptr},
    {"[core] # c\n; d\nbare\nexcludesfile = a\n", "a"},
    {"[other \"]\\\" [core]\"]\nexcludesfile = a\n", nullptr},
};

TEST(GitConfigTest, FindsLastValue) {
  for (const ConfigCase &C : Cases) {
    auto Value = configuredExcludes(C.Text);
    ASSERT_EQ(Value.has_value(), C.Value != nullptr) << C.Text;
    if (C.Value) {
      EXPECT_EQ(*Value, C.Value) << C.Text;
    }
  }
}

// git rejects such files.
TEST(GitConfigTest, SkipsMalformedLines) {
  const std::string Good = "[core]\nexcludesfile = a\n";
  for (const char *Bad : {"[core", "[core\n]", "=", "k v\n", "k = \"a\n",
                          "k = a\\x\n", "[a \"\\"})
    EXPECT_EQ(configuredExcludes(Good + Bad + "\n[core]\nexcludesfile = b\n"),
              "b")
        << Bad;
}

} // namespace
