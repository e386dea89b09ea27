// Runs on an emulated x86 board, as root, on CPU 0: causes N system management
// interrupts by writing to the APM control port (0xB2).
#include <sys/io.h>

#include <cstdio>
#include <cstdlib>

int main(int argc, char** argv) {
  constexpr unsigned short kApmControl = 0xb2;
  if (iopl(3) != 0) {
    std::perror("iopl");
    return 1;
  }
  const int count = argc > 1 ? std::atoi(argv[1]) : 1;
  for (int i = 0; i < count; ++i) outb(0, kApmControl);
  return 0;
}
