#include "demo.h"
template <class K> int demo::split() { return 5; }
template int demo::split<demo::Kind<1, false>>();
template int demo::split<demo::Kind<1, true>>();
