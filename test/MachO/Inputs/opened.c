/* For LD_PRELOAD: notes in the file $OPENED what a program opens for reading,
   in order. lld's own reports do not tell the order (-dependency_info sorts)
   or change it (--reproduce reads file lists first). */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void note(const char *path, int flags, int fd) {
  const char *log = getenv("OPENED");
  if (!log || fd < 0 || (flags & O_ACCMODE) != O_RDONLY)
    return;
  int (*real)(const char *, int, ...) = dlsym(RTLD_NEXT, "open");
  int out = real(log, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
  if (out < 0)
    return;
  if (write(out, path, strlen(path)) < 0 || write(out, "\n", 1) < 0)
    abort();
  close(out);
}

#define OPEN(name)                                                             \
  int name(const char *path, int flags, ...) {                                 \
    va_list rest;                                                              \
    va_start(rest, flags);                                                     \
    int mode = va_arg(rest, int);                                              \
    va_end(rest);                                                              \
    int (*real)(const char *, int, ...) = dlsym(RTLD_NEXT, #name);             \
    int fd = real(path, flags, mode);                                          \
    note(path, flags, fd);                                                     \
    return fd;                                                                 \
  }
OPEN(open)
OPEN(open64)

#define OPENAT(name)                                                           \
  int name(int folder, const char *path, int flags, ...) {                     \
    va_list rest;                                                              \
    va_start(rest, flags);                                                     \
    int mode = va_arg(rest, int);                                              \
    va_end(rest);                                                              \
    int (*real)(int, const char *, int, ...) = dlsym(RTLD_NEXT, #name);        \
    int fd = real(folder, path, flags, mode);                                  \
    note(path, flags, fd);                                                     \
    return fd;                                                                 \
  }
OPENAT(openat)
OPENAT(openat64)
