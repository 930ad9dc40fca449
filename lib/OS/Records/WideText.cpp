//===- WideText.cpp - Names and paths as Windows has them -----------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "headstart/OS/WideText.h"

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <iterator>

namespace headstart::os {

static constexpr uint32_t FirstHigh = 0xD800;
static constexpr uint32_t FirstLow = 0xDC00;
static constexpr uint32_t LastLow = 0xDFFF;
static constexpr uint32_t FirstPaired = 0x10000;
static constexpr uint32_t LastCharacter = 0x10FFFF;
static constexpr uint32_t TailBits = 6; ///< of a byte after the first
static constexpr uint32_t TailMask = 0x3F;
static constexpr uint32_t HalfBits = 10; ///< of a surrogate
static constexpr uint32_t HalfMask = 0x3FF;

static bool isHigh(uint32_t Unit) {
  return Unit >= FirstHigh && Unit < FirstLow;
}
static bool isLow(uint32_t Unit) { return Unit >= FirstLow && Unit <= LastLow; }

static char byteOf(uint32_t Value) {
  return static_cast<char>(static_cast<unsigned char>(Value));
}

/// Writes the \p Count units that \p UnitAt returns.
template <typename Function>
static size_t writeUnits(size_t Count, Function UnitAt, char *const Into) {
  char *Out = Into;
  for (size_t I = 0; I != Count; ++I) {
    uint32_t Value = UnitAt(I);
    if (Value < 0x80) {
      *Out++ = byteOf(Value);
      continue;
    }
    if (Value < 0x800) {
      *Out++ = byteOf(0xC0 | Value >> TailBits);
      *Out++ = byteOf(0x80 | (Value & TailMask));
      continue;
    }
    if (isHigh(Value) && I + 1 != Count && isLow(UnitAt(I + 1))) {
      Value = FirstPaired + ((Value - FirstHigh) << HalfBits) +
              (UnitAt(++I) - FirstLow);
      *Out++ = byteOf(0xF0 | Value >> (3 * TailBits));
      *Out++ = byteOf(0x80 | (Value >> (2 * TailBits) & TailMask));
    } else {
      *Out++ = byteOf(0xE0 | Value >> (2 * TailBits));
    }
    *Out++ = byteOf(0x80 | (Value >> TailBits & TailMask));
    *Out++ = byteOf(0x80 | (Value & TailMask));
  }
  return static_cast<size_t>(Out - Into);
}

size_t writeUtf8FromBytes(std::string_view WideBytes, char *Into) {
  const auto UnitAt = [&](size_t I) {
    char16_t Unit;
    std::memcpy(&Unit, WideBytes.data() + I * sizeof(Unit), sizeof(Unit));
    return static_cast<uint32_t>(Unit);
  };
  return writeUnits(WideBytes.size() / sizeof(char16_t), UnitAt, Into);
}

template <typename Unit>
void appendUtf8(std::basic_string_view<Unit> Wide, std::string &Result) {
  const size_t Before = Result.size();
  Result.resize(Before + MaxBytesPerUnit * Wide.size());
  Result.resize(Before +
                writeUnits(
                    Wide.size(),
                    [&](size_t I) { return static_cast<uint32_t>(Wide[I]); },
                    Result.data() + Before));
}

/// Removes one character from the front of \p Text. Returns false if it is not
/// valid.
static bool takeCharacter(std::string_view &Text, uint32_t &Value) {
  const auto ByteAt = [&](size_t I) {
    return static_cast<uint32_t>(static_cast<unsigned char>(Text[I]));
  };
  // The ones at the front of the first byte count the bytes, unless there is
  // only this one.
  const auto First = static_cast<unsigned char>(Text[0]);
  const auto Ones = static_cast<size_t>(std::countl_one(First));
  const size_t Tails = Ones == 0 ? 0 : Ones - 1;
  constexpr uint32_t Mins[] = {0, 0x80, 0x800, FirstPaired}; // by Tails
  if (Ones == 1 || Tails >= std::size(Mins) || Text.size() <= Tails)
    return false;
  Value = First & (0x7FU >> Ones);
  for (size_t I = 1; I <= Tails; ++I) {
    if ((ByteAt(I) & 0xC0) != 0x80)
      return false;
    Value = Value << TailBits | (ByteAt(I) & TailMask);
  }
  Text.remove_prefix(Tails + 1);
  return Value >= Mins[Tails] && Value <= LastCharacter;
}

template <typename Unit>
bool appendWide(std::string_view Text, std::basic_string<Unit> &Result) {
  const size_t Before = Result.size();
  Result.reserve(Before + Text.size());
  bool AfterHigh = false; // one that is unpaired
  while (!Text.empty()) {
    uint32_t Value = 0;
    if (!takeCharacter(Text, Value) || (AfterHigh && isLow(Value))) {
      Result.resize(Before);
      return false;
    }
    AfterHigh = isHigh(Value);
    if (Value >= FirstPaired) {
      Value -= FirstPaired;
      Result.push_back(static_cast<Unit>(FirstHigh + (Value >> HalfBits)));
      Value = FirstLow + (Value & HalfMask);
    }
    Result.push_back(static_cast<Unit>(Value));
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Paths
//===----------------------------------------------------------------------===//

template <typename Unit> static bool isSeparator(Unit Value) {
  return Value == Unit('\\') || Value == Unit('/');
}

template <typename Unit> static Unit upper(Unit Value) {
  return Value >= Unit('a') && Value <= Unit('z')
             ? static_cast<Unit>(Value - ('a' - 'A'))
             : Value;
}

/// Whether \p Wide begins with \p Text, which is ASCII in capital letters.
/// Ignores case, and accepts either separator.
template <typename Unit>
static bool beginsWith(std::basic_string_view<Unit> Wide,
                       std::string_view Text) {
  if (Wide.size() < Text.size())
    return false;
  for (size_t I = 0; I != Text.size(); ++I)
    if (Text[I] == '\\' ? !isSeparator(Wide[I])
                        : upper(Wide[I]) != static_cast<Unit>(Text[I]))
      return false;
  return true;
}

template <typename Unit>
static bool isText(std::basic_string_view<Unit> Wide, std::string_view Text) {
  return Wide.size() == Text.size() && beginsWith(Wide, Text);
}

template <typename Unit>
static bool hasDrive(std::basic_string_view<Unit> Path) {
  return Path.size() >= 2 && Path[1] == Unit(':') && !isSeparator(Path[0]);
}

template <typename Unit>
static bool hasNTPrefix(std::basic_string_view<Unit> Path) {
  return Path.size() >= 4 && Path[0] == Unit('\\') &&
         (Path[1] == Unit('\\') || Path[1] == Unit('?')) &&
         Path[2] == Unit('?') && Path[3] == Unit('\\');
}

/// Returns the end of the part of \p Path that begins at \p At.
template <typename Unit>
static size_t endOfPart(std::basic_string_view<Unit> Path, size_t At) {
  while (At < Path.size() && !isSeparator(Path[At]))
    ++At;
  return At;
}

/// Whether \p Share, `server\share\...`, holds a server's pipes or mailslots.
template <typename Unit>
static bool isPipeShare(std::basic_string_view<Unit> Share) {
  const size_t Server = endOfPart(Share, 0);
  if (Server == Share.size())
    return false;
  const auto Name =
      Share.substr(Server + 1, endOfPart(Share, Server + 1) - Server - 1);
  return isText(Name, "PIPE") || isText(Name, "MAILSLOT");
}

/// Follows the rules up to Windows 10 and, for the digits, those of Windows 11.
template <typename Unit>
static bool isDeviceName(std::basic_string_view<Unit> Name) {
  const std::array<Unit, 3> Ends = {Unit('.'), Unit(':'), Unit(0)};
  Name = Name.substr(0, Name.find_first_of(Ends.data()));
  while (!Name.empty() && Name.back() == Unit(' '))
    Name.remove_suffix(1);
  for (const std::string_view Device :
       {"CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$"})
    if (isText(Name, Device))
      return true;
  if (Name.size() != 4 || !(beginsWith(Name, "COM") || beginsWith(Name, "LPT")))
    return false;
  const auto Number = static_cast<uint32_t>(Name[3]);
  return (Number >= '0' && Number <= '9') || Number == 0xB9 || // superscripts
         Number == 0xB2 || Number == 0xB3;
}

template <typename Unit> bool mayBeDevice(std::basic_string_view<Unit> Path) {
  constexpr size_t PrefixUnits = 4;
  if (hasNTPrefix(Path)) {
    const auto Rest = Path.substr(PrefixUnits);
    if (beginsWith(Rest, "UNC\\"))
      return isPipeShare(Rest.substr(PrefixUnits));
    if (hasDrive(Rest))
      return Rest.size() == 2; // the drive itself
    return !beginsWith(Rest, "VOLUME{") || endOfPart(Rest, 0) == Rest.size();
  }
  // `\\.\`, and `\\?\` with other separators.
  for (const std::string_view Prefix : {"\\\\.\\", "\\\\?\\"})
    if (beginsWith(Path, Prefix) || isText(Path, Prefix.substr(0, 3)))
      return true;
  if (beginsWith(Path, "\\\\") && isPipeShare(Path.substr(2)))
    return true;
  size_t Begin = Path.size();
  while (Begin != 0 && !isSeparator(Path[Begin - 1]))
    --Begin;
  if (Begin == 0 && hasDrive(Path))
    Begin = 2;
  return isDeviceName(Path.substr(Begin));
}

template <typename Unit>
void appendArgument(std::basic_string_view<Unit> Arg,
                    std::basic_string<Unit> &CommandLine) {
  const std::array<Unit, 6> Special = {Unit(' '),  Unit('\t'), Unit('\n'),
                                       Unit('\v'), Unit('"'),  Unit(0)};
  CommandLine.push_back(Unit(' '));
  if (!Arg.empty() && Arg.find_first_of(Special.data()) == Arg.npos) {
    CommandLine.append(Arg);
    return;
  }
  CommandLine.push_back(Unit('"'));
  size_t Backslashes = 0; // at the end so far
  for (const Unit U : Arg) {
    if (U == Unit('"')) // one per backslash, and one for the quote
      CommandLine.append(Backslashes + 1, Unit('\\'));
    Backslashes = U == Unit('\\') ? Backslashes + 1 : 0;
    CommandLine.push_back(U);
  }
  CommandLine.append(Backslashes, Unit('\\'));
  CommandLine.push_back(Unit('"'));
}

template void appendArgument(std::u16string_view, std::u16string &);
template void appendUtf8(std::u16string_view, std::string &);
template bool appendWide(std::string_view, std::u16string &);
template bool mayBeDevice(std::u16string_view);
#ifdef _WIN32
template void appendArgument(std::wstring_view, std::wstring &);
template void appendUtf8(std::wstring_view, std::string &);
template bool appendWide(std::string_view, std::wstring &);
template bool mayBeDevice(std::wstring_view);
#endif

} // namespace headstart::os
