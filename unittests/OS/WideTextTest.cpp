//===- WideTextTest.cpp - Names and paths of Windows ----------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "headstart/OS/WideText.h"

#include "gtest/gtest.h"

#include <utility>

using namespace headstart::os;

namespace {

std::string utf8(std::u16string_view Wide) {
  std::string Result;
  appendUtf8(Wide, Result);
  return Result;
}

std::u16string wide(std::string_view Text) {
  std::u16string Result;
  EXPECT_TRUE(appendWide(Text, Result)) << Text;
  return Result;
}

TEST(WideTextTest, EncodesEverySequenceLength) {
  EXPECT_EQ(utf8(u"a"), "a");
  EXPECT_EQ(utf8(u"\u00e9"), "\xC3\xA9");
  EXPECT_EQ(utf8(u"\u20ac"), "\xE2\x82\xAC");
  EXPECT_EQ(utf8(u"\U0001F600"), "\xF0\x9F\x98\x80");
  EXPECT_EQ(utf8(u""), "");
}

TEST(WideTextTest, RoundTripsEveryUnit) {
  for (uint32_t Value = 0; Value != 0x10000; ++Value) {
    const std::u16string Name = {u'x', static_cast<char16_t>(Value), u'y'};
    const std::string Text = utf8(Name);
    ASSERT_LE(Text.size(), MaxBytesPerUnit * Name.size());
    ASSERT_EQ(wide(Text), Name) << Value;
  }
}

TEST(WideTextTest, RoundTripsSurrogatesInAnyOrder) {
  const char16_t High = 0xD83D;
  const char16_t Low = 0xDE00;
  const std::u16string Names[] = {{High},
                                  {Low},
                                  {High, Low},
                                  {Low, High},
                                  {High, High},
                                  {Low, Low},
                                  {High, High, Low},
                                  {High, Low, Low},
                                  {High, u'x', Low},
                                  {Low, High, Low}};
  for (const std::u16string &Name : Names)
    EXPECT_EQ(wide(utf8(Name)), Name);
  EXPECT_EQ(utf8(std::u16string{High}), "\xED\xA0\xBD");
  EXPECT_EQ(utf8(std::u16string{High, Low}), "\xF0\x9F\x98\x80");
}

TEST(WideTextTest, RefusesInvalidWtf8) {
  for (const std::string_view Text :
       {"\x80", "\xC3", "\xC3x", "\xC0\x80", "\xC1\xBF", "\xE0\x9F\xBF",
        "\xF0\x8F\xBF\xBF", "\xF4\x90\x80\x80", "\xF8\x88\x80\x80\x80", "\xFF",
        "\xE2\x82", "\xED\xA0\xBD\xED\xB8\x80"}) {
    std::u16string Result = u"before";
    EXPECT_FALSE(appendWide(Text, Result)) << Text;
    EXPECT_EQ(Result, u"before");
  }
}

TEST(WideTextTest, ReadsUnalignedUnits) {
  const std::u16string Name = u"\u00e9\u20acx";
  std::string Bytes = "!";
  Bytes.append(reinterpret_cast<const char *>(Name.data()),
               Name.size() * sizeof(char16_t));
  Bytes += "?"; // half a unit
  std::string Into(MaxBytesPerUnit * Name.size(), '\0');
  Into.resize(
      writeUtf8FromBytes(std::string_view(Bytes).substr(1), Into.data()));
  EXPECT_EQ(Into, utf8(Name));
}

TEST(WideTextTest, RecognizesDevicePaths) {
  for (const std::u16string_view Path : {u"NUL",
                                         u"nul",
                                         u"Con",
                                         u"C:\\dir\\aux",
                                         u"dir/prn.txt",
                                         u"com1",
                                         u"LPT9",
                                         u"COM\u00b9",
                                         u"nul ",
                                         u"nul:",
                                         u"C:nul",
                                         u"nul .x",
                                         u"conin$",
                                         u"CONOUT$",
                                         u"\\\\.\\pipe\\x",
                                         u"\\\\.\\C:",
                                         u"//./x",
                                         u"\\\\?\\pipe\\x",
                                         u"\\\\?\\C:",
                                         u"\\\\?\\GLOBALROOT\\Device\\Null",
                                         u"\\\\server\\pipe\\x",
                                         u"\\\\?\\UNC\\server\\PIPE\\x",
                                         u"\\\\s\\mailslot\\x",
                                         u"\\\\?\\Volume{1}"})
    EXPECT_TRUE(mayBeDevice(Path)) << utf8(Path);
  for (const std::u16string_view Path :
       {u"", u"null", u"C:\\nul\\x", u"x.nul", u"com", u"com10", u"LPTx",
        u"\\\\?\\C:\\nul", u"\\\\?\\C:\\a", u"\\\\?\\UNC\\server\\share\\x",
        u"\\\\server\\share\\pipe", u"\\\\?\\Volume{1}\\x", u"C:\\", u"pipe",
        u"\\\\server"})
    EXPECT_FALSE(mayBeDevice(Path)) << utf8(Path);
}

TEST(WideTextTest, QuotesArguments) {
  const std::pair<std::u16string_view, std::u16string_view> Cases[] = {
      {u"a", u" a"},
      {u"", u" \"\""},
      {u"a b", u" \"a b\""},
      {u"a\tb", u" \"a\tb\""},
      {u"C:\\a\\", u" C:\\a\\"},
      {u"C:\\a b\\", u" \"C:\\a b\\\\\""},
      {u"\"", u" \"\\\"\""},
      {u"a\\\"b", u" \"a\\\\\\\"b\""},
      {u"a\\\\b c", u" \"a\\\\b c\""},
      {u"%PATH%&x", u" %PATH%&x"}};
  for (const auto &[Arg, Expected] : Cases) {
    std::u16string Line;
    appendArgument(Arg, Line);
    EXPECT_EQ(utf8(Line), utf8(Expected));
  }
}

} // namespace
