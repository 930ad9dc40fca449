// Exits with the status of part(), and needs no C library.
int part(void);
#ifdef __aarch64__
void _start(void) {
  register long status __asm__("x0") = part(), call __asm__("x8") = 93;
  __asm__ volatile("svc 0" : : "r"(status), "r"(call));
}
#else
void _start(void) { __asm__ volatile("syscall" : : "a"(60), "D"(part())); }
#endif
