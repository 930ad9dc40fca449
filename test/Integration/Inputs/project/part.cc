int part() { return 42; }
