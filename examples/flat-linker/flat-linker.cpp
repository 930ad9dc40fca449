//===- flat-linker.cpp - A small linker that prefetches -------------------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// flat-linker [-o IMAGE] FILE... concatenates the code of ELF objects, without
// relocations, as for a ROM, and prints the address of each symbol. It accepts
// the arguments of ld.lld that refer to inputs: files, -L, -l, response files.
// A directory stands for the objects in it. Archives and scripts are skipped.
//
// Numbers mark everything that it does for the prefetcher: 1. parse the command
// line; 2. start the engine; 3. take buffers from it; 4. report the end of
// parsing; 5. wrap other buffers, so that they accept hints.
//
//===----------------------------------------------------------------------===//

#include "headstart/Engine/PrefetchEngine.h"
#include "headstart/Inputs/LinkerModel.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace headstart;
using namespace llvm;

/// Replaces each directory in \p Args by the objects in it, sorted by name.
static Expected<std::vector<std::string>>
expandDirectories(ArrayRef<char *> Args) {
  std::vector<std::string> Result;
  for (StringRef Arg : Args) {
    if (!sys::fs::is_directory(Arg)) {
      Result.push_back(Arg.str());
      continue;
    }
    const size_t First = Result.size();
    std::error_code EC;
    for (sys::fs::directory_iterator I(Arg, EC), End; !EC && I != End;
         I.increment(EC))
      if (StringRef(I->path()).ends_with(".o"))
        Result.push_back(I->path());
    if (EC)
      return createFileError(Arg, EC);
    llvm::sort(Result.begin() + First, Result.end());
  }
  return Result;
}

static Expected<std::unique_ptr<MemoryBuffer>> open(PrefetchEngine &Engine,
                                                    const std::string &Path) {
  // 3. Null is not an error: the linker then opens the file itself.
  BufferRequest Request;
  Request.RequiresNullTerminator = false;
  if (std::unique_ptr<MemoryBuffer> Buffer = Engine.take(Path, Request))
    return Buffer;
  auto Read = MemoryBuffer::getFile(Path, /*IsText=*/false,
                                    /*RequiresNullTerminator=*/false);
  if (!Read)
    return createFileError(Path, Read.getError());
  // 5. This buffer does not come from the engine.
  return std::make_unique<HintedBuffer>(std::move(*Read));
}

/// Writes the code of \p Object to \p Image, and prints its symbols.
static Error writeCode(const object::ObjectFile &Object, raw_ostream &Image) {
  for (const object::SectionRef &Section : Object.sections()) {
    if (!Section.isText() || Section.isVirtual())
      continue;
    const uint64_t Base = Image.tell();
    for (const object::SymbolRef &Symbol : Object.symbols()) {
      Expected<object::section_iterator> Home = Symbol.getSection();
      if (!Home)
        return Home.takeError();
      if (*Home == Object.section_end() || **Home != Section)
        continue;
      Expected<StringRef> Name = Symbol.getName();
      if (!Name)
        return Name.takeError();
      Expected<uint64_t> Address = Symbol.getAddress();
      if (!Address)
        return Address.takeError();
      if (!Name->empty())
        outs() << formatv("{0,8:x-}  {1}\n", Base + *Address, *Name);
    }
    Expected<StringRef> Contents = Section.getContents();
    if (!Contents)
      return Contents.takeError();
    Image << *Contents;
  }
  return Error::success();
}

static Error link(ArrayRef<char *> Args) {
  Expected<std::vector<std::string>> Expanded = expandDirectories(Args);
  if (!Expanded)
    return Expanded.takeError();
  // 1. Which inputs the command line refers to, and where they are.
  const LinkerModel &Model = LinkerModel::of(Flavour::ELF);
  CommandLineContext Context = CommandLineContext::fromProcess();
  LinkCommand Command = Model.parse(
      expandCommandLine(Model.Kind, *Expanded, Context).Args, Context);
  if (Command.Inputs.empty())
    return createStringError("no input files");
  InputResolver Resolver(Command);

  // 2. From here on, threads fetch the inputs in the order of the command line.
  EngineOptions Options;
  Options.Plan = planOptionsOf(Command);
  PrefetchEngine Engine(Options);
  Engine.start(Command);

  std::vector<std::unique_ptr<MemoryBuffer>> Buffers;
  std::vector<std::unique_ptr<object::ObjectFile>> Objects;
  for (const NamedInput &Input : Command.Inputs) {
    const std::string Path = Resolver.resolve(Input).Path;
    Expected<std::unique_ptr<MemoryBuffer>> Buffer = open(Engine, Path);
    if (!Buffer)
      return Buffer.takeError();
    Buffers.push_back(std::move(*Buffer));
    if (!Buffers.back()->getBuffer().starts_with(ELF::ElfMagic))
      continue; // an archive or a script
    auto Object = object::ObjectFile::createObjectFile(*Buffers.back());
    if (!Object)
      return createFileError(Path, Object.takeError());
    Objects.push_back(std::move(*Object));
  }

  Engine.reached(LinkStage::Contents); // 4.
  std::error_code EC;
  raw_fd_ostream Image(Command.image(), EC);
  if (EC)
    return createFileError(Command.image(), EC);
  for (const std::unique_ptr<object::ObjectFile> &Object : Objects)
    if (Error E = writeCode(*Object, Image))
      return createFileError(Object->getFileName(), std::move(E));
  const uint64_t Size = Image.tell();
  Image.close();
  if (Image.has_error()) {
    EC = Image.error();
    Image.clear_error(); // its destructor would end the program
    return createFileError(Command.image(), EC);
  }
  outs() << Size << " bytes of code from " << Objects.size() << " objects in "
         << Command.image() << "\n";
  Engine.cancel();
  return Error::success();
}

int main(int Argc, char **Argv) {
  if (Error E = link({Argv + 1, Argv + Argc})) {
    logAllUnhandledErrors(std::move(E), errs(), "flat-linker: error: ");
    return 1;
  }
  return 0;
}
