//===- IgnorePatternTest.cpp - Patterns and what they match ---------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../../lib/FileTree/IgnorePattern.h"
#include "IgnoreReference.h"
#include "gtest/gtest.h"
#include <random>

using namespace headstart::detail;
using namespace std::string_literals;

namespace {

/// The verdict of the file \p Text in the root on \p Path, a directory if it
/// ends in '/': '-' for none, 'x' for hide, '!' for show.
char verdict(llvm::StringRef Text, llvm::StringRef Path) {
  std::string Problem;
  auto List = PatternList::parse(Text, Problem);
  EXPECT_EQ(Problem, "");
  if (!List)
    return '-';
  bool IsDirectory = Path.consume_back("/");
  auto [Directory, Name] = Path.contains('/')
                               ? Path.rsplit('/')
                               : std::pair(llvm::StringRef(), Path);
  IgnoreQuery Query("", Directory, Name, IsDirectory);
  switch (List->match(Query, 1)) {
  case IgnoreVerdict::None:
    return '-';
  case IgnoreVerdict::Ignore:
    return 'x';
  case IgnoreVerdict::Include:
    return '!';
  }
  return '?';
}

struct PatternCase {
  const char *Text;
  const char *Path;
  char Verdict;
};

// `git check-ignore` 2.39 gives the same verdict for each line.
const PatternCase Cases[] = {
    // Names and paths.
    {"foo", "foo", 'x'},
    {"foo", "a/foo", 'x'},
    {"foo", "foo2", '-'},
    {"foo", "Foo", '-'},
    {"/foo", "foo", 'x'},
    {"/foo", "a/foo", '-'},
    {"a/foo", "a/foo", 'x'},
    {"a/foo", "b/a/foo", '-'},
    {"/a/foo", "a/foo", 'x'},
    {"//foo", "foo", '-'},
    {"a//foo", "a/foo", '-'},
    {"\\/foo", "foo", '-'},
    {"/", "a", '-'},
    {"foo/", "foo", '-'},
    {"foo/", "foo/", 'x'},
    {"foo/", "a/foo/", 'x'},
    {"foo//", "foo/", '-'},
    {"/foo/", "foo/", 'x'},
    {"/foo/", "a/foo/", '-'},
    {"foo\\/", "foo/", '-'},
    // Stars and question marks.
    {"*", "a", 'x'},
    {"*", "a/b", 'x'},
    {"/*", "a", 'x'},
    {"/*", "a/b", '-'}, // its directory is hidden
    {"*.o", "a.o", 'x'},
    {"*.o", ".o", 'x'},
    {"*.o", "d/a.o", 'x'},
    {"*.o", "a.oo", '-'},
    {"*.", "a.", 'x'},
    {"*.tar.gz", "a.tar.gz", 'x'},
    {"*.tar.gz", "a.gz", '-'},
    {"*foo", "xfoo", 'x'},
    {"foo*", "foox", 'x'},
    {"foo*", "xfoo", '-'},
    {"/foo*", "a/foox", '-'},
    {"a*b*c", "aXbYc", 'x'},
    {"a*b*c", "abcb", '-'},
    {"*a*a*b", "aaacb", 'x'},
    {"lib*.so", "lib1.so", 'x'},
    {"lib*.so", "lib1.so.2", '-'},
    {"a?c", "abc", 'x'},
    {"a?c", "a/c", '-'},
    {"a/?", "a/b", 'x'},
    {"a/*", "a/b", 'x'},
    {"a/*", "a", '-'},
    {"a/*.c", "a/b/x.c", '-'},
    {"a*/b", "ax/b", 'x'},
    {"a*/b", "a/x/b", '-'},
    {"d?r/*.o", "dir/a.o", 'x'},
    {"d?r/x", "dir/x", 'x'},
    {"d?r/x", "dir/y", '-'},
    // Two stars.
    {"**", "a", 'x'},
    {"**/foo", "foo", 'x'},
    {"**/foo", "a/b/foo", 'x'},
    {"**/foo", "a/xfoo", '-'},
    {"**/a/foo", "a/foo", 'x'},
    {"**/a/foo", "b/c/a/foo", 'x'},
    {"**/a/foo", "b/foo", '-'},
    {"a/**", "a/b", 'x'},
    {"a/**", "a/", '-'},
    {"a/**/b", "a/b", 'x'},
    {"a/**/b", "a/x/y/b", 'x'},
    {"a/**/b", "ax/b", '-'},
    {"a/***/b", "a/x/y/b", 'x'},
    {"a/**/**/b", "a/b", 'x'},
    {"a/**/*.o", "a/x/b.o", 'x'},
    {"a/**/*.o", "x/b.o", '-'},
    {"**/*/b", "b", '-'},
    {"**/*/b", "x/b", 'x'},
    {"**/x*/**/b", "q/x1/r/s/b", 'x'},
    {"**/x*/**/b", "q/y1/r/s/b", '-'},
    {"a?**/b", "ax/y/b", '-'},
    {"a?**/b", "axy/b", 'x'},
    {"a**b", "axxb", 'x'},
    {"/a**b", "axxb", 'x'},
    {"**\\/b", "b", '-'},
    {"**\\/b", "x/y/b", 'x'},
    // git differs from gitignore(5): it compares the bytes before the first
    // special byte first, and the rest begins with two stars.
    {"foo**/bar", "foobar", 'x'},
    {"foo**/bar", "foo/x/bar", 'x'},
    {"foo**/bar", "foox/y/bar", 'x'},
    {"foo**/bar", "fo/bar", '-'},
    {"foo**/bar", "x/foobar", '-'},
    // Sets.
    {"[ab]", "a", 'x'},
    {"[ab]", "c", '-'},
    {"[!ab]", "c", 'x'},
    {"[^ab]", "a", '-'},
    {"[a-c]x", "bx", 'x'},
    {"[c-a]x", "bx", '-'},
    {"[]a]", "]", 'x'},
    {"[!]a]", "]", '-'},
    {"[a-]", "-", 'x'},
    {"[-a]", "-", 'x'},
    {"[\\]]", "]", 'x'},
    {"[\\a-\\c]", "b", 'x'},
    {"[[:alpha:]-]", "-", 'x'},
    {"[[:digit:][:upper:]]", "Z", 'x'},
    {"[[:digit:][:upper:]]", "z", '-'},
    {"[[:space:]]", "\v", '-'},
    {"[[:no:]a]", "a", '-'},
    {"[[:alpha]", "l", 'x'},
    {"[[:alpha]", "b", '-'},
    {"[[a]", "[", 'x'},
    {"[a", "a", '-'},
    {"[a", "[a", '-'},
    {"[", "[", '-'},
    {"a[/]b", "a/b", '-'},
    {"a[!x]b", "a/b", '-'},
    {"[[:", "[", '-'},
    // Bytes, not characters.
    {"?", "\xc3\xa9", '-'},
    {"??", "\xc3\xa9", 'x'},
    {"[\xc3][\xa9]", "\xc3\xa9", 'x'},
    {"*\xff", "a\xff", 'x'},
    {"[\x80-\xff]", "\xfe", 'x'},
    // Backslashes.
    {"\\#a", "#a", 'x'},
    {"\\!a", "!a", 'x'},
    {"a\\*", "a*", 'x'},
    {"a\\*", "ab", '-'},
    {"a\\\\", "a\\", 'x'},
    {"a\\", "a", '-'},
    {"a\\", "a\\", '-'},
    {"\\a\\.\\o", "a.o", 'x'},
    {"d\\ir/x", "dir/x", 'x'},
    // Lines.
    {"#a", "#a", '-'},
    {"a#b", "a#b", 'x'},
    {"a  ", "a", 'x'},
    {"a\\ ", "a ", 'x'},
    {"a\\  ", "a ", 'x'},
    {"a\\\\ ", "a\\", 'x'},
    {"a b", "a b", 'x'},
    {" a", "a", '-'},
    {" a", " a", 'x'},
    {"a\t", "a", '-'},
    {"a\t", "a\t", 'x'},
    {"   ", " ", '-'},
    {"a\r\n", "a", 'x'},
    {"a\r\r\n", "a\r", 'x'},
    {"a\r", "a", 'x'},
    {"a \r\n", "a", 'x'},
    {"\xef\xbb\xbf"
     "a",
     "a", 'x'},
    {"\xef\xbb\xbf#a\nb", "b", 'x'},
    {"b\n\xef\xbb\xbf"
     "a",
     "a", '-'},
    // The last matching pattern wins, however it is found.
    {"a\n!a", "a", '!'},
    {"!a\na", "a", 'x'},
    {"*\n!a.o", "a.o", '!'},
    {"!a.o\n*", "a.o", 'x'},
    {"*.o\n!a.*\n*.o", "a.o", 'x'},
    {"!a*\n*.o\na*\n!*.o", "a.o", '!'},
    {"a.o\n!*.o", "a.o", '!'},
    {"!/a\na/", "a", '!'},
    {"a\n!b/a\n!a/", "a", 'x'},
    {"!!a", "!a", '!'},
    {"!", "!", '-'},
};

TEST(IgnorePatternTest, MatchesLikeGit) {
  for (const PatternCase &C : Cases)
    EXPECT_EQ(verdict(C.Text, C.Path), C.Verdict) << C.Text << " " << C.Path;
}

TEST(IgnorePatternTest, LineEndsAtNul) {
  EXPECT_EQ(verdict("a\0b\nc"s, "a"), 'x');
  EXPECT_EQ(verdict("a\0b\nc"s, "c"), 'x');
  EXPECT_EQ(verdict("\0b"s, "b"), '-');
  EXPECT_EQ(verdict("a \0b"s, "a"), 'x');
}

TEST(IgnorePatternTest, SplitsLine) {
  IgnoreLine Line;
  ASSERT_TRUE(parseIgnoreLine("!/a/b/  \r", Line));
  EXPECT_EQ(Line.Body, "a/b");
  EXPECT_TRUE(Line.Negated && Line.DirectoriesOnly && Line.IsPath);
  ASSERT_TRUE(parseIgnoreLine("a", Line));
  EXPECT_EQ(Line.Body, "a");
  EXPECT_FALSE(Line.Negated || Line.DirectoriesOnly || Line.IsPath);
  for (const char *Nothing : {"", "#", "\r", " ", "!", "/", "!/", "//"})
    EXPECT_FALSE(parseIgnoreLine(Nothing, Line)) << Nothing;
}

// Plain backtracking would take practically forever here.
TEST(IgnorePatternTest, AvoidsExponentialBacktracking) {
  std::string Stars;
  std::string Directories = "x/";
  std::string Deep = "x";
  for (int I = 0; I < 60; ++I) {
    Stars += "*a";
    Directories += "**/a/";
    Deep += "/a";
  }
  const std::string As(255, 'a');
  EXPECT_EQ(verdict(Stars + "b", As), '-');
  EXPECT_EQ(verdict(Stars + "b", As + "b"), 'x');
  EXPECT_EQ(verdict(Stars + "[b]", As + "b"), 'x');
  EXPECT_EQ(verdict("**/" + Stars + "b/c", Deep + "/c"), '-');
  EXPECT_EQ(verdict(Directories + "b", Deep + Deep + "/c"), '-');
  EXPECT_EQ(verdict(Directories + "b", Deep + Deep + "/b"), 'x');
  EXPECT_EQ(verdict(Directories + Stars + "/**/*b", Deep + Deep + "/c"), '-');
  // A line may be as long as the file.
  EXPECT_EQ(verdict(std::string(1 << 20, '?'), As), '-');
  EXPECT_EQ(verdict(std::string(1 << 20, '*'), As), 'x');
}

// Random patterns and random paths over a few bytes: the tables and the
// backtracking to the last star give the same verdict as an exhaustive search.
TEST(IgnorePatternTest, AgreesWithReference) {
  std::mt19937 Random(1);
  auto Text = [&](llvm::ArrayRef<const char *> Pieces, unsigned Most) {
    std::string Result;
    for (unsigned Count = 1 + Random() % Most; Count != 0; --Count)
      Result += Pieces[Random() % Pieces.size()];
    return Result;
  };
  unsigned Matches = 0;
  for (int Round = 0; Round < 60000; ++Round) {
    std::string File;
    for (unsigned Lines = 1 + Random() % 4; Lines != 0; --Lines)
      File += Text({"a", "b", ".", "*", "**", "/", "**/", "/**/", "?", "[ab]",
                    "\\", "!"},
                   8) +
              "\n";
    std::string Directory;
    for (unsigned Depth = Random() % 5; Depth != 0; --Depth)
      Directory += (Directory.empty() ? "" : "/") + Text({"a", "b", "."}, 3);
    std::string Name = Text({"a", "b", "."}, 4);
    std::string Problem;
    auto List = PatternList::parse(File, Problem);
    IgnoreQuery Query("", Directory, Name, Round % 2);
    IgnoreVerdict Verdict = List ? List->match(Query, 1) : IgnoreVerdict::None;
    ASSERT_EQ(Verdict,
              headstart::test::slowVerdict(File, Directory, Name, Round % 2))
        << File << "\n"
        << Directory << "\n"
        << Name;
    Matches += Verdict != IgnoreVerdict::None;
  }
  EXPECT_GT(Matches, 10000U);
}

TEST(IgnorePatternTest, RefusesTooManyPatterns) {
  std::string Text;
  for (size_t I = 0; I < PatternList::MaxPatterns; ++I)
    Text += "a\n";
  std::string Problem;
  auto List = PatternList::parse(Text + "#b\n\n[\n", Problem);
  ASSERT_TRUE(List);
  EXPECT_EQ(Problem, "");
  EXPECT_FALSE(PatternList::parse(Text + "b\n", Problem));
  EXPECT_EQ(Problem, "the file has more than 100000 patterns");
}

TEST(IgnorePatternTest, FileWithoutPatternsIsNull) {
  std::string Problem;
  for (const char *Text : {"", "\n\n", "# a\n", "[\n", "a\\\n", "//a\n"})
    EXPECT_FALSE(PatternList::parse(Text, Problem)) << Text;
  EXPECT_EQ(Problem, "");
}

// The three parts of an entry's path, with an ignore file at each level.
TEST(IgnorePatternTest, PatternsAreRelativeToTheirDirectory) {
  std::string Problem;
  struct {
    const char *Text;
    size_t Offset; ///< 1: /, 3: /r, 5: /r/s, 7: /r/s/d, 9: /r/s/d/e
    bool Hides;
  } const Anchored[] = {
      {"/r/s/d/e/x.o", 1, true}, {"s/d/e/x.o", 3, true},
      {"d/e/x.o", 5, true},      {"e/x.o", 7, true},
      {"/x.o", 9, true},         {"/x.o", 7, false},
      {"/x.o", 5, false},        {"/x.o", 1, false},
      {"/e/x.o", 5, false},      {"d/e/*.o", 5, true},
      {"d/e/*.o", 7, false},     {"d/*/x.o", 5, true},
      {"s/*/e/?.o", 3, true},    {"s/*/e/?.o", 5, false},
      {"**/d/**/?.o", 1, true},  {"s/d/?.o", 3, false},
      {"r/s/d/e/*", 1, true},    {"s/d/f/*", 3, false},
      {"s/d/e*", 3, false},      {"/d/**", 5, true},
      {"/d/**", 3, false},       {"/*", 9, true},
      {"/*", 7, false},          {"s/d", 3, false},
  };
  for (const auto &A : Anchored) {
    auto List = PatternList::parse(A.Text, Problem);
    ASSERT_TRUE(List) << A.Text;
    IgnoreQuery Query("/r/s", "d/e", "x.o", false);
    EXPECT_EQ(List->match(Query, A.Offset) == IgnoreVerdict::Ignore, A.Hides)
        << A.Text << " " << A.Offset;
  }
  auto List = PatternList::parse("s/x\n", Problem);
  IgnoreQuery InRoot("/r/s", "", "x", false);
  EXPECT_EQ(List->match(InRoot, 3), IgnoreVerdict::Ignore);
  EXPECT_EQ(List->match(InRoot, 5), IgnoreVerdict::None);
}

// The path is longer than the buffer that needs no allocation.
TEST(IgnorePatternTest, AcceptsLongPaths) {
  std::string Directory = "a";
  while (Directory.size() < 3 * IgnoreQuery::PathBytes)
    Directory += "/abcdefgh";
  std::string Problem;
  auto List = PatternList::parse("a/**/x?z", Problem);
  ASSERT_TRUE(List);
  IgnoreQuery Query("", Directory, "xyz", false);
  EXPECT_EQ(List->match(Query, 1), IgnoreVerdict::Ignore);
}

} // namespace
