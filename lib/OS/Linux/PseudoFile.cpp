//===- PseudoFile.cpp - Read /proc and /sys -------------------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PseudoFile.h"

#include "headstart/OS/MappedFile.h"

#include <cerrno>
#include <charconv>
#include <fcntl.h>
#include <limits>
#include <unistd.h>

using namespace headstart::os;

std::string_view detail::trim(std::string_view Text) {
  constexpr std::string_view Space = " \t\n";
  const size_t First = Text.find_first_not_of(Space);
  if (First == std::string_view::npos)
    return {};
  return Text.substr(First, Text.find_last_not_of(Space) - First + 1);
}

int detail::writePseudoFile(const std::string &Path, std::string_view Text) {
  const int File = ::open(Path.c_str(), O_WRONLY | O_CLOEXEC); // NOLINT
  if (File < 0)
    return errno;
  const ssize_t Written = ::write(File, Text.data(), Text.size());
  const int Error = Written < 0 ? errno : 0;
  ::close(File);
  return Error;
}

std::optional<std::string> detail::readPseudoFile(const std::string &Path) {
  // A host of many containers can have a longer mountinfo; the control groups
  // are mounted at boot and are therefore near its beginning.
  constexpr size_t Limit = 65536;
  constexpr size_t Max = 4096; // most files are far smaller

  OpenFile File;
  if (OpenFile::open(Path, File))
    return std::nullopt;
  std::string Text(Max, '\0');
  std::error_code Error;
  size_t Read = File.readAt(0, Text, Error);
  if (Read == Max) {
    Text.resize(Limit);
    Read += File.readAt(Max, std::span(Text).subspan(Max), Error);
  }
  Text.resize(Read);
  if (Error)
    return std::nullopt;
  if (Text.size() == Limit)
    Text.resize(Text.rfind('\n') + 1);
  return Text;
}

std::string_view detail::takeField(std::string_view &Rest, char Separator) {
  const size_t At = Rest.find(Separator);
  const std::string_view Field = Rest.substr(0, At);
  Rest.remove_prefix(At == std::string_view::npos ? Rest.size() : At + 1);
  return Field;
}

bool detail::hasField(std::string_view List, char Separator,
                      std::string_view Item) {
  while (!List.empty())
    if (trim(takeField(List, Separator)) == Item)
      return true;
  return false;
}

detail::MountLine detail::parseMount(std::string_view Line) {
  MountLine M;
  M.Id = takeField(Line, ' ');
  takeField(Line, ' ');
  M.Device = takeField(Line, ' ');
  M.Root = takeField(Line, ' ');
  M.Point = takeField(Line, ' ');
  while (!Line.empty() && takeField(Line, ' ') != "-")
    ;
  M.FileSystem = takeField(Line, ' ');
  M.Source = takeField(Line, ' ');
  M.SuperOptions = Line;
  return M;
}

std::string detail::unescape(std::string_view Text) {
  const auto IsOctal = [](char C) { return C >= '0' && C <= '7'; };
  std::string Result;
  for (size_t I = 0; I < Text.size(); ++I) {
    if (Text[I] == '\\' && I + 3 < Text.size() && IsOctal(Text[I + 1]) &&
        IsOctal(Text[I + 2]) && IsOctal(Text[I + 3])) {
      Result.push_back(static_cast<char>((Text[I + 1] - '0') * 64 +
                                         (Text[I + 2] - '0') * 8 +
                                         (Text[I + 3] - '0')));
      I += 3;
      continue;
    }
    Result.push_back(Text[I]);
  }
  return Result;
}

std::optional<uint64_t> detail::parseNumber(std::string_view Text) {
  Text = trim(Text);
  uint64_t Value = 0;
  const char *const Begin = Text.data();
  const char *const End = Begin + Text.size();
  const auto [Rest, Error] = std::from_chars(Begin, End, Value);
  if (Error != std::errc() || Rest != End)
    return std::nullopt;
  return Value;
}

std::optional<uint64_t> detail::findNumber(std::string_view Text,
                                           std::string_view Key) {
  while (!Text.empty()) {
    std::string_view Line = takeField(Text, '\n');
    if (!Line.starts_with(Key))
      continue;
    Line.remove_prefix(Key.size());
    if (!Line.starts_with(' ') && !Line.starts_with(':'))
      continue;
    Line.remove_prefix(1);
    Line = trim(Line);
    uint64_t Unit = 1;
    if (Line.ends_with(" kB")) {
      Unit = 1024;
      Line.remove_suffix(3);
    }
    const std::optional<uint64_t> Value = parseNumber(Line);
    if (!Value || *Value > std::numeric_limits<uint64_t>::max() / Unit)
      return std::nullopt;
    return *Value * Unit;
  }
  return std::nullopt;
}

detail::Pressure detail::readPressure(const std::string &Path) {
  // "some avg10=0.00 avg60=0.00 avg300=0.00 total=0"
  const std::optional<std::string> Text = readPseudoFile(Path);
  std::string_view Rest = Text ? std::string_view(*Text) : "";
  std::string_view Line = takeField(Rest, '\n');
  Pressure Result;
  constexpr std::string_view Lead = "some avg10=";
  if (!Line.starts_with(Lead))
    return Result;
  const char *const Begin = Line.data() + Lead.size();
  double Percent = 0;
  const auto [Stop, Error] =
      std::from_chars(Begin, Line.data() + Line.size(), Percent);
  if (Error == std::errc() && Stop != Begin && Percent >= 0 && Percent <= 100)
    Result.Percent = Percent;
  const size_t At = Line.rfind("total=");
  if (At == std::string_view::npos)
    return Result;
  Line.remove_prefix(At);
  (void)takeField(Line, '=');
  if (const std::optional<uint64_t> Total = parseNumber(Line))
    Result.Stalled = std::chrono::microseconds(*Total);
  return Result;
}

std::string detail::directoryOf(uint64_t Process) {
  return "/proc/" + std::to_string(Process);
}

std::string detail::statOf(uint64_t Process) {
  const auto Text = readPseudoFile(directoryOf(Process) + "/stat");
  // "12 (name) S ...": the name may contain anything.
  const size_t Name = Text ? Text->rfind(") ") : std::string::npos;
  return Name == std::string::npos ? std::string() : Text->substr(Name + 2);
}

uint64_t detail::sumOfFields(std::string_view Stat, unsigned First,
                             unsigned Last) {
  uint64_t Sum = 0;
  constexpr unsigned State = 3;
  for (unsigned Field = State; Field <= Last; ++Field) {
    const std::string_view Value = takeField(Stat, ' ');
    if (Field >= First)
      Sum += parseNumber(Value).value_or(0);
  }
  return Sum;
}

std::vector<uint64_t> detail::withDescendants(uint64_t Process) {
  std::vector<uint64_t> All = {Process};
  size_t Next = 0;
  for (unsigned Level = 0; Level != MaxLevels; ++Level)
    for (const size_t End = All.size(); Next != End; ++Next) {
      const auto Children =
          readPseudoFile(directoryOf(All[Next]) + "/task/" +
                         std::to_string(All[Next]) + "/children");
      std::string_view Rest = Children ? *Children : std::string_view();
      while (!Rest.empty())
        if (const auto Child = parseNumber(takeField(Rest, ' ')))
          All.push_back(*Child);
    }
  return All;
}
