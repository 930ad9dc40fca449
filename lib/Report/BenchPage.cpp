#include "headstart/Report/BenchPage.h"
namespace headstart {
bool hasBenchPage() { return false; }
void writeBenchPage(llvm::StringRef, llvm::raw_ostream &) {}
} // namespace headstart
