// The header of the objects of days. Its VERSION decides the sizes and results.
template <int N> struct Table {
  int Values[8 + 8 * VERSION];
  virtual int sum(int X) {
    int S = N;
    for (int V : Values)
      S += V * X;
    return S;
  }
  int twice(int X) { return sum(X) + sum(X + VERSION); }
};
template <int N> inline int step(int X) {
  static int Calls;
  Calls += X;
  return Calls * N + VERSION;
}
inline int shared(int X) { return step<1>(X) + step<2>(X); }
