#include "common/standard_streams.h"

#include <fcntl.h>
#include <unistd.h>

#include <initializer_list>

namespace pmu {

void ReserveStandardStreams() {
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    // open(2) takes the lowest free descriptor; those below are in use by now.
    if (fcntl(fd, F_GETFD) < 0) (void)open("/dev/null", O_RDONLY);
  }
}

}  // namespace pmu
