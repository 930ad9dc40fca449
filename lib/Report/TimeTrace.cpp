//===- TimeTrace.cpp - The trace of lld's --time-trace --------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "headstart/Report/TimeTrace.h"

using namespace llvm;

namespace headstart {

namespace {

/// Finds where JSON values begin and end, without parsing them.
class Cursor {
public:
  explicit Cursor(StringRef Text) : Rest(Text) {}

  /// Skips white space, and then \p C if it is next. Returns whether it was.
  bool consume(char C) {
    Rest = Rest.ltrim(" \t\r\n");
    return Rest.consume_front(StringRef(&C, 1));
  }

  bool atEnd() { return Rest.ltrim(" \t\r\n").empty(); }

  /// Skips one value and returns its text. Returns an empty text if there is no
  /// value, or if the value has no end.
  StringRef value() {
    Rest = Rest.ltrim(" \t\r\n");
    size_t Size = sizeOfValue();
    StringRef Value = Rest.take_front(Size);
    Rest = Rest.drop_front(Size);
    return Value;
  }

private:
  /// Returns the end of the string that begins at \p Begin; 0 if it has none.
  size_t endOfString(size_t Begin) const {
    size_t I = Begin + 1;
    while ((I = Rest.find_first_of("\"\\", I)) != StringRef::npos) {
      if (Rest[I] == '"')
        return I + 1;
      I += 2;
    }
    return 0;
  }

  size_t sizeOfValue() const {
    if (Rest.empty())
      return 0;
    if (Rest.front() == '"')
      return endOfString(0);
    if (Rest.front() != '{' && Rest.front() != '[')
      return std::min(Rest.find_first_of(",]} \t\r\n"), Rest.size());
    size_t Depth = 0;
    size_t I = 0;
    while ((I = Rest.find_first_of("\"{[]}", I)) != StringRef::npos) {
      switch (Rest[I]) {
      case '"':
        I = endOfString(I);
        if (I == 0)
          return 0;
        continue;
      case '{':
      case '[':
        // json::parse recurses for each level. lld's events have three levels.
        if (++Depth > MaxNesting)
          return 0;
        break;
      default:
        if (--Depth == 0)
          return I + 1;
      }
      ++I;
    }
    return 0;
  }

  static constexpr size_t MaxNesting = 64;
  StringRef Rest;
};

} // namespace

Expected<TimeTrace> TimeTrace::parse(std::unique_ptr<MemoryBuffer> Text) {
  TimeTrace Result;
  Cursor At(Text->getBuffer());
  if (!At.consume('{'))
    return createStringError("this is not a trace");
  bool HasBeginning = false;
  if (!At.consume('}')) {
    do {
      StringRef Key = At.value();
      if (!Key.starts_with("\"") || !At.consume(':'))
        return createStringError("this is not a trace, or it is truncated");
      StringRef Value = At.value();
      if (Value.empty())
        return createStringError("the file is truncated");
      if (Key == "\"traceEvents\"")
        Result.Events = Value;
      else if (Key == "\"beginningOfTime\"")
        HasBeginning = !Value.getAsInteger(10, Result.Beginning);
    } while (At.consume(','));
    if (!At.consume('}'))
      return createStringError("the file is truncated");
  }
  if (!At.atEnd() || !Result.Events.starts_with("[") || !HasBeginning)
    return createStringError("this is not a time trace of LLVM");
  Result.Text = std::move(Text);
  return Result;
}

uint64_t
TimeTrace::forEachEvent(function_ref<void(json::Object &)> Visit) const {
  uint64_t Skipped = 0;
  Cursor At(Events.drop_front().drop_back());
  while (!At.atEnd()) {
    StringRef Text = At.value();
    Expected<json::Value> Event = json::parse(Text);
    if (!Event) {
      consumeError(Event.takeError());
      ++Skipped;
    } else if (json::Object *Object = Event->getAsObject()) {
      Visit(*Object);
    } else {
      ++Skipped;
    }
    if (!At.consume(','))
      break;
  }
  return Skipped;
}

} // namespace headstart
