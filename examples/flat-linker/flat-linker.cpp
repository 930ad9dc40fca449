//===- flat-linker.cpp - A linker of a hundred lines that prefetches ------===//
//
// Part of the Headstart Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// flat-linker [-o IMAGE] FILE... writes the code of ELF objects, one behind the
// other and without relocations, as for a ROM, and prints where each symbol is.
// It knows the words of ld.lld: -L, -l, archives and response files too, as far
// as they name inputs. A folder stands for the objects in it.
//
// All that it does for the prefetcher is marked by numbers: 1. parse the
// command line; 2. start the engine; 3. take buffers from it; 4. say when
// parsing is done; 5. hint what comes next.
//
//===----------------------------------------------------------------------===//

#include "headstart/Engine/PrefetchEngine.h"
#include "headstart/FileTree/DirectorySnapshot.h"
#include "headstart/Inputs/LinkerModel.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace headstart;
using namespace llvm;

/// In the place of each folder the objects in it, by name.
static std::vector<std::string> withoutFolders(ArrayRef<char *> Words) {
  std::vector<std::string> Result;
  for (StringRef Word : Words) {
    DirectorySnapshot::Ptr Folder; // read once, sorted
    if (!sys::fs::is_directory(Word) ||
        DirectorySnapshot::read(Word.str(), {}, Folder)) {
      Result.push_back(Word.str());
      continue;
    }
    for (size_t I = 0; I != Folder->size(); ++I)
      if (StringRef Name = Folder->entry(I).Name; Name.ends_with(".o"))
        Result.push_back((Word + "/" + Name).str());
  }
  return Result;
}

static std::unique_ptr<MemoryBuffer> open(PrefetchEngine &Engine,
                                          const std::string &Path) {
  // 3. Null is no error: then the file is opened as always.
  BufferRequest Request;
  Request.RequiresNullTerminator = false;
  if (std::unique_ptr<MemoryBuffer> Buffer = Engine.take(Path, Request))
    return Buffer;
  auto Read = MemoryBuffer::getFile(Path, /*IsText=*/false,
                                    /*RequiresNullTerminator=*/false);
  if (Read) // 5. A buffer of somebody else's takes hints in this way.
    return std::make_unique<HintedBuffer>(std::move(*Read));
  errs() << "flat-linker: " << Path << ": " << Read.getError().message()
         << "\n";
  exit(1);
}

int main(int Count, char **Words) {
  // 1. What a command line names, and where that is.
  const LinkerModel &Model = LinkerModel::of(Flavour::ELF);
  CommandLineContext Context = CommandLineContext::fromProcess();
  LinkCommand Command = Model.parse(
      expandCommandLine(Model.Kind, withoutFolders({Words + 1, Words + Count}),
                        Context)
          .Words,
      Context);
  InputResolver Resolver(Command);

  // 2. From here on threads fetch, in the order of the command line.
  PrefetchEngine Engine{EngineOptions()};
  Engine.start(Command);

  std::vector<std::unique_ptr<MemoryBuffer>> Buffers;
  std::vector<std::unique_ptr<object::ObjectFile>> Objects;
  for (const NamedInput &Input : Command.Inputs) {
    Buffers.push_back(open(Engine, Resolver.resolve(Input).Path));
    auto Object = object::ObjectFile::createObjectFile(*Buffers.back());
    if (Object)
      Objects.push_back(std::move(*Object));
    else // an archive, a script
      consumeError(Object.takeError());
  }

  Engine.reached(LinkStage::Contents); // 4.
  std::error_code Error;
  raw_fd_ostream Image(Command.image(), Error);
  for (const std::unique_ptr<object::ObjectFile> &Object : Objects)
    for (const object::SectionRef &Section : Object->sections()) {
      if (!Section.isText() || Section.isVirtual())
        continue;
      const uint64_t Base = Image.tell();
      for (const object::SymbolRef &Symbol : Object->symbols())
        if (cantFail(Symbol.getSection()) == Section)
          if (Expected<StringRef> Name = Symbol.getName(); !Name->empty())
            outs() << formatv("{0,8:x-}  {1}\n",
                              Base + cantFail(Symbol.getAddress()), *Name);
      Image << cantFail(Section.getContents());
    }
  outs() << Image.tell() << " bytes of code from " << Objects.size()
         << " objects in " << Command.image() << "\n";
  Engine.cancel();
  return 0;
}
