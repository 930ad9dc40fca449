#include <iostream>
int part();
int main() { std::cout << "hello " << part() << "\n"; }
