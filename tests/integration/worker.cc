// A program with a known number of events: on each line of standard input it
// touches fresh pages and yields the CPU, then answers with a line.
//
//   worker PAGES SLEEPS
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const size_t pages = strtoul(argv[1], nullptr, 10);
  const size_t sleeps = strtoul(argv[2], nullptr, 10);
  const size_t page_bytes = sysconf(_SC_PAGESIZE);
  for (int c = getchar(); c != EOF; c = getchar()) {
    char* memory = static_cast<char*>(mmap(nullptr, pages * page_bytes, PROT_READ | PROT_WRITE,
                                           MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    if (memory == MAP_FAILED) return 1;
    madvise(memory, pages * page_bytes, MADV_NOHUGEPAGE);
    for (size_t i = 0; i < pages; ++i) memory[i * page_bytes] = 1;
    for (size_t i = 0; i < sleeps; ++i) usleep(100);
    munmap(memory, pages * page_bytes);
    putchar('\n');
    fflush(stdout);
  }
  return 0;
}
