//===- LazyXML.cpp - libxml2, loaded when it is needed --------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// LLVM calls libxml2 to merge manifests, which few links of lld-link do. A
/// program linked with the library would load it, with the 30 MB of ICU that it
/// needs, at every start, and would not start without it. This file defines the
/// functions that LLVM calls (lib/WindowsManifest/WindowsManifestMerger.cpp):
/// each finds the real one at its first call.
///
//===----------------------------------------------------------------------===//

#include "llvm/Support/DynamicLibrary.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdlib>
#include <libxml/parser.h>
#include <libxml/tree.h>
#include <string>

using namespace llvm;

static sys::DynamicLibrary openLibrary() {
  std::string First;
  for (const char *Name : {"libxml2.so.2", "libxml2.so.16"}) {
    std::string Problem;
    sys::DynamicLibrary Library =
        sys::DynamicLibrary::getLibrary(Name, &Problem);
    if (Library.isValid())
      return Library;
    if (First.empty())
      First = Problem;
  }
  errs() << "lld-link: error: merging manifests needs libxml2: " << First
         << "\n";
  sys::Process::Exit(1);
}

static void *find(const char *Name) {
  static sys::DynamicLibrary Library = openLibrary();
  if (void *Function = Library.getAddressOfSymbol(Name))
    return Function;
  errs() << "lld-link: error: libxml2 has no function " << Name << "\n";
  sys::Process::Exit(1);
}

// The names and types are libxml2's own; the compiler compares them with its
// headers.
// NOLINTBEGIN(readability-identifier-naming,bugprone-macro-parentheses)
#define FORWARD(RESULT, NAME, PARAMETERS, ARGUMENTS)                           \
  RESULT NAME PARAMETERS {                                                     \
    static const auto Real = reinterpret_cast<decltype(&NAME)>(find(#NAME));   \
    return Real ARGUMENTS;                                                     \
  }

extern "C" {
xmlFreeFunc xmlFree = std::free; // libxml2's default

FORWARD(void, xmlSetGenericErrorFunc, (void *C, xmlGenericErrorFunc F), (C, F))
FORWARD(xmlDocPtr, xmlReadMemory,
        (const char *Text, int Size, const char *URL, const char *E, int O),
        (Text, Size, URL, E, O))
FORWARD(xmlNodePtr, xmlDocGetRootElement, (const xmlDoc *D), (D))
FORWARD(xmlChar *, xmlStrdup, (const xmlChar *S), (S))
FORWARD(xmlNsPtr, xmlNewNs, (xmlNodePtr N, const xmlChar *H, const xmlChar *P),
        (N, H, P))
FORWARD(xmlDocPtr, xmlNewDoc, (const xmlChar *V), (V))
FORWARD(xmlAttrPtr, xmlNewProp,
        (xmlNodePtr N, const xmlChar *K, const xmlChar *V), (N, K, V))
FORWARD(xmlNodePtr, xmlAddChild, (xmlNodePtr P, xmlNodePtr C), (P, C))
FORWARD(void, xmlUnlinkNode, (xmlNodePtr N), (N))
FORWARD(void, xmlFreeNode, (xmlNodePtr N), (N))
FORWARD(void, xmlFreeNs, (xmlNsPtr N), (N))
FORWARD(xmlNodePtr, xmlDocSetRootElement, (xmlDocPtr D, xmlNodePtr N), (D, N))
FORWARD(void, xmlDocDumpFormatMemoryEnc,
        (xmlDocPtr D, xmlChar **Text, int *Size, const char *E, int F),
        (D, Text, Size, E, F))
FORWARD(void, xmlFreeDoc, (xmlDocPtr D), (D))
FORWARD(xmlNsPtr, xmlCopyNamespace, (xmlNsPtr N), (N))
}
// NOLINTEND(readability-identifier-naming,bugprone-macro-parentheses)
