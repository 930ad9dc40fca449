#include "demo.h"
int same() { return demo::Box::open(0).Value; }
