// What the libraries and the program of utils/test-rename-seam.py share.
#ifndef IMPORT // or __declspec(dllimport)
#define IMPORT
#endif
namespace demo {
struct Text {
  const char *Data;
  unsigned long long Size;
};
struct Answer {
  int Value;
  ~Answer() {}
};
struct Box {
  IMPORT static Answer open(int Number);
};
struct Timer {
  int Value;
  Timer(Text);
  Timer(Text, Timer &);
};
template <int A, bool B> struct Kind {};
template <class K> int split();
} // namespace demo
