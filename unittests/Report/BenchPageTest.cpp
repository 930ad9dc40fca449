//===- BenchPageTest.cpp - A report of headstart bench as a page ----------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// utils/check-page.py tests how a browser shows the page.
//
//===----------------------------------------------------------------------===//

#include "headstart/Report/BenchReport.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Regex.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace headstart;
using namespace llvm;
using testing::HasSubstr;
using testing::Not;

namespace {

class BenchPageTest : public testing::Test {
protected:
  void SetUp() override {
    if (!hasBenchPage())
      GTEST_SKIP() << "built without D3 (./dev setup installs it)";
  }
};

constexpr StringLiteral Opening =
    "<script type=\"application/json\" id=\"report\">";

std::string pageOf(StringRef Report) {
  std::string Text;
  raw_string_ostream OS(Text);
  writeBenchPage(Report, OS);
  return Text;
}

/// Returns the report as an HTML parser finds it: up to the first end tag.
StringRef reportIn(StringRef Page) {
  return Page.split(Opening).second.split("</script").first;
}

/// Returns the page without the report and the text of its scripts and styles.
std::string markupOf(StringRef Page) {
  std::string Markup;
  while (!Page.empty()) {
    size_t Start = std::min(Page.find("<script"), Page.find("<style"));
    Markup += Page.take_front(Start);
    if (Start == StringRef::npos)
      break;
    Page = Page.drop_front(Start);
    size_t Body = Page.find('>');
    Markup += Page.take_front(Body + 1);
    Page = Page.drop_front(Body + 1);
    Page = Page.drop_front(Page.find("</"));
  }
  return Markup;
}

TEST_F(BenchPageTest, EmbedsReport) {
  std::string Report = R"({"version": 1, "command": ["lld-link", "@a.rsp"]})";
  std::string Page = pageOf(Report);
  EXPECT_TRUE(StringRef(Page).starts_with("<!DOCTYPE html>"));
  EXPECT_TRUE(StringRef(Page).trim().ends_with("</html>"));
  EXPECT_EQ(reportIn(Page).trim(), Report);
}

TEST_F(BenchPageTest, EscapesEndTags) {
  const std::string Names[] = {"</script><!--",
                               "<!--<script>",
                               "</SCRIPT >",
                               "<",
                               "<<",
                               "a<",
                               "]]>\\\"'&lt;",
                               "\xe2\x80\xa8{{report}}{{js}}"};
  for (const std::string &Name : Names) {
    std::string Report;
    raw_string_ostream(Report)
        << json::Value(json::Object{{"directory", Name}, {"version", 1}});
    std::string Page = pageOf(Report);
    StringRef Inside = reportIn(Page);
    EXPECT_THAT(Inside.str(), Not(HasSubstr("<"))) << Name;
    Expected<json::Value> Read = json::parse(Inside);
    ASSERT_TRUE(bool(Read)) << toString(Read.takeError());
    EXPECT_EQ(Read->getAsObject()->getString("directory"), StringRef(Name));
    // The rest of the page is unchanged.
    std::string Empty = pageOf("{}");
    EXPECT_EQ(Page.size() - Inside.size(),
              Empty.size() - reportIn(Empty).size());
  }
}

TEST_F(BenchPageTest, ReplacesInvalidUTF8) {
  std::string Page = pageOf("{\"directory\": \"\xff\xfe<\xc3\"}");
  EXPECT_TRUE(json::isUTF8(Page));
  Expected<json::Value> Read = json::parse(reportIn(Page));
  ASSERT_TRUE(bool(Read)) << toString(Read.takeError());
}

TEST_F(BenchPageTest, RendersInvalidReports) {
  for (StringRef Report : {"", "<", "</script>", "null", "{"}) {
    std::string Page = pageOf(Report);
    EXPECT_TRUE(StringRef(Page).trim().ends_with("</html>"));
    EXPECT_THAT(reportIn(Page).str(), Not(HasSubstr("<")));
  }
}

TEST_F(BenchPageTest, LoadsNoResources) {
  std::string Page = pageOf("{}");
  std::string Markup = markupOf(Page);
  // The markup contains the parts of the page.
  EXPECT_THAT(Markup, HasSubstr("<main"));
  EXPECT_EQ(StringRef(Markup).count("<script"), 3U);
  EXPECT_FALSE(Regex("[^a-z]src *=").match(Markup)) << Markup;
  SmallVector<StringRef> Match;
  ASSERT_TRUE(Regex("href=(\"[^\"]*\")").match(Markup, &Match));
  EXPECT_EQ(Match[1], "\"data:,\"");
  EXPECT_EQ(StringRef(Markup).count("href"), 1U);
  EXPECT_THAT(Markup, Not(HasSubstr("://")));
  // Styles load by url() and @import.
  StringRef Style = StringRef(Page).split("<style>").second;
  Style = Style.split("</style>").first;
  EXPECT_GT(Style.size(), 1000U);
  EXPECT_EQ(Style.count("url("), 0U);
  EXPECT_EQ(Style.count("@import"), 0U);
}

TEST_F(BenchPageTest, PolicyForbidsOtherResources) {
  std::string Page = pageOf("{}");
  StringRef Policy = StringRef(Page).split("Content-Security-Policy").second;
  Policy = Policy.split('>').first;
  EXPECT_TRUE(Policy.contains("default-src 'none'"));
  StringRef Scripts = Policy.split("script-src ").second.split(';').first;
  EXPECT_EQ(Scripts.count("'sha256-"), 2U);
  EXPECT_FALSE(Scripts.contains("unsafe"));
  // The policy must precede everything that it applies to.
  EXPECT_LT(Page.find("Content-Security-Policy"), Page.find("<style"));
  EXPECT_LT(Page.find("Content-Security-Policy"), Page.find("<link"));
}

TEST_F(BenchPageTest, KeepsLibraryLicence) {
  std::string Page = pageOf("{}");
  EXPECT_THAT(Page, HasSubstr("https://d3js.org v"));
  EXPECT_THAT(Page, HasSubstr("Mike Bostock"));
  EXPECT_THAT(Page, HasSubstr("AS IS"));
}

} // namespace
