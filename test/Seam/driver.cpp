#include "demo.h"
int beside(demo::Timer &P);
int same();
int drive() {
  demo::Timer A({"", 1});                      // not the one of the table
  demo::Timer B({"", 1}, A);                   // 2, and 20 by the wrapper
  return A.Value + B.Value + beside(A)         // 1 + 22 + 2
         + demo::split<demo::Kind<1, false>>() // 5, and 30 by the wrapper
         + demo::split<demo::Kind<1, true>>()  // 5
         + same();                             // 1, and 40 by the wrapper
}
