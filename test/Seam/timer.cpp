#include "demo.h"
demo::Timer::Timer(Text T) { Value = T.Size; }
demo::Timer::Timer(Text T, Timer &P) { Value = T.Size + P.Value; }
// A reference next to the definition.
int beside(demo::Timer &P) { return demo::Timer({"", 1}, P).Value; }
