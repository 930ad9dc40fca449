// Lists a folder by a snapshot, and takes its files from an engine, in that
// order.
#include "headstart/Engine/PrefetchEngine.h"
#include "headstart/FileTree/DirectorySnapshot.h"
#include <cstdio>

int main(int argc, char **argv) {
  std::string Root = argc > 1 ? argv[1] : ".";
  headstart::DirectorySnapshot::Ptr Snapshot;
  if (auto Error = headstart::DirectorySnapshot::read(Root, {}, Snapshot))
    return std::fprintf(stderr, "%s\n", Error.message().c_str()), 1;
  std::vector<std::string> Paths;
  for (size_t I = 0; I != Snapshot->size(); ++I)
    Paths.push_back(Root + "/" + std::string(Snapshot->entry(I).Name));
  headstart::PrefetchEngine Engine{headstart::EngineOptions()};
  Engine.startFiles(Paths);
  for (const std::string &Path : Paths)
    if (auto Buffer = Engine.take(Path, {}))
      std::printf("%s: %zu bytes\n", Path.c_str(), Buffer->getBufferSize());
  Engine.join();
  return 0;
}
