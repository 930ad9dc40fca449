// lld reads past the end of some truncated archives and objects, whose symbol tables
// refer to missing bytes. It then finds the bytes that the allocator left there, zeros
// or not, or dies, which ours cannot repeat. This allocator leaves other bytes after
// each block that may be an input that was read to the heap.
#include <stdlib.h>
#include <string.h>
extern void *__libc_malloc(size_t);
void *malloc(size_t Size) {
  enum { Behind = 1 << 16 };
  static int Fill = -1;
  if (Size < 16 || Size > 20000)
    return __libc_malloc(Size);
  if (Fill < 0)
    Fill = atoi(getenv("SLACK"));
  char *Chunk = __libc_malloc(Size + Behind);
  return Chunk ? memset(Chunk, Fill, Size + Behind) : Chunk;
}
