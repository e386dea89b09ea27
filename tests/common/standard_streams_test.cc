#include "common/standard_streams.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <initializer_list>

#include "gtest/gtest.h"

namespace pmu {
namespace {

// Runs in a child whose `closed` streams are closed; what it returns is its
// exit status.
template <typename Check>
int InChild(std::initializer_list<int> closed, Check check) {
  const pid_t child = fork();
  if (child == 0) {
    for (const int fd : closed) close(fd);
    ReserveStandardStreams();
    _exit(check());
  }
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(StandardStreams, NewDescriptorsLieAboveThem) {
  EXPECT_EQ(InChild({0, 1, 2}, [] { return open("/dev/null", O_WRONLY); }), 3);
  EXPECT_EQ(InChild({1}, [] { return open("/dev/null", O_WRONLY) > 2 ? 0 : 1; }), 0);
}

TEST(StandardStreams, AClosedOneStillFailsWhenWritten) {
  EXPECT_EQ(InChild({1}, [] { return write(1, "x", 1) < 0 ? errno : 0; }), EBADF);
}

TEST(StandardStreams, OpenOnesAreLeftAlone) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const int wrote = InChild({0, 2}, [&ends] {
    dup2(ends[1], 1);
    ReserveStandardStreams();
    return static_cast<int>(write(1, "x", 1));
  });
  close(ends[1]);
  char byte = 0;
  EXPECT_EQ(wrote, 1);
  EXPECT_EQ(read(ends[0], &byte, 1), 1);
  close(ends[0]);
}

}  // namespace
}  // namespace pmu
