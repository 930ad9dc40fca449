// The counterpart of Headstart's Seam.cpp; the sum is 25 + 35 + 5 + 41 = 106.
#include "demo.h"
int drive();
demo::Answer demo::Box::open(int Number) { return {Number + 1}; }
extern "C" {
void headstart_real_timer(demo::Timer *, demo::Text, demo::Timer &);
demo::Timer *headstart_wrap_timer(demo::Timer *This, demo::Text T,
                                  demo::Timer &P) {
  headstart_real_timer(This, T, P);
  This->Value += 20;
  return This;
}
int headstart_real_split();
int headstart_wrap_split() { return headstart_real_split() + 30; }
demo::Answer headstart_wrap_open(int Number) {
  return {demo::Box::open(Number).Value + 40};
}
int start() { return drive(); }
}
#ifdef MAIN
int main() { return start(); }
#endif
