#include "server/registers/file_msr_device.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>

#include "tests/fakes/scratch_tree.h"

namespace pmu::server {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

std::string Message(const absl::Status& status) { return std::string(status.message()); }

// A register file of `bytes` bytes, register N's contents being N.
std::string RegisterFile(size_t bytes) {
  std::string contents(bytes + 8, '\0');
  for (size_t reg = 0; reg < bytes; ++reg) contents[reg] = static_cast<char>(reg);
  return contents;
}

TEST(FileMsrDeviceTest, ReadsEightBytesAtTheRegisterNumber) {
  ScratchTree tree;
  tree.Write("/dev/cpu/2/msr", "0123456789abcdefgh");
  FileMsrDevice device(tree.root());

  absl::StatusOr<uint64_t> read = device.Read(2, 8);

  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(*read, 0x6665646362613938u);
}

TEST(FileMsrDeviceTest, WritesEightBytesAtTheRegisterNumber) {
  ScratchTree tree;
  tree.Write("/dev/cpu/0/msr", RegisterFile(0x200));
  FileMsrDevice device(tree.root());

  ASSERT_TRUE(device.Write(0, 0x186, 0x4300c0).ok());

  EXPECT_EQ(device.Read(0, 0x186).value(), 0x4300c0u);
}

TEST(FileMsrDeviceTest, NoFileAtAllMeansTheModuleIsNotLoaded) {
  ScratchTree tree;
  FileMsrDevice device(tree.root());

  absl::Status status = device.Read(0, 0x10).status();

  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(Message(status), AllOf(HasSubstr("/dev/cpu/0/msr"), HasSubstr("modprobe msr")));
}

TEST(FileMsrDeviceTest, NoFileOfOneCpuMeansItIsOffline) {
  ScratchTree tree;
  tree.Write("/dev/cpu/0/msr", RegisterFile(0x200));
  tree.Write("/sys/devices/system/cpu/cpu1/online", "0\n");
  FileMsrDevice device(tree.root());

  absl::Status offline = device.Read(1, 0x10).status();
  absl::Status absent = device.Read(7, 0x10).status();

  EXPECT_EQ(offline.code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(Message(offline), HasSubstr("CPU 1 is offline"));
  EXPECT_EQ(absent.code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(Message(absent), HasSubstr("no CPU 7"));
}

TEST(FileMsrDeviceTest, DirectoryInItsPlaceIsAnError) {
  ScratchTree tree;
  tree.Write("/dev/cpu/0/msr/inside", "");
  FileMsrDevice device(tree.root());

  absl::Status read = device.Read(0, 0x10).status();
  absl::Status written = device.Write(0, 0x10, 0);

  EXPECT_EQ(read.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(Message(read), HasSubstr("directory"));
  EXPECT_EQ(written.code(), absl::StatusCode::kFailedPrecondition);
}

TEST(FileMsrDeviceTest, FifoInItsPlaceNeitherHangsNorCounts) {
  ScratchTree tree;
  tree.Write("/dev/cpu/0/other", "");
  ASSERT_EQ(mkfifo((tree.root() + "/dev/cpu/0/msr").c_str(), 0600), 0);
  FileMsrDevice device(tree.root());

  EXPECT_EQ(device.Read(0, 0x10).status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(device.Write(0, 0x10, 0).code(), absl::StatusCode::kFailedPrecondition);
}

TEST(FileMsrDeviceTest, ShortFileIsAnError) {
  ScratchTree tree;
  tree.Write("/dev/cpu/0/msr", "1234");
  FileMsrDevice device(tree.root());

  EXPECT_EQ(device.Read(0, 0).status().code(), absl::StatusCode::kInternal);
}

// Runs `body` in a child process as an ordinary user; its exit status.
template <typename Body>
int AsOrdinaryUser(Body body) {
  const pid_t child = fork();
  if (child == 0) {
    constexpr int kNobody = 65534;
    if (getuid() == 0 && (setgid(kNobody) != 0 || setuid(kNobody) != 0)) _exit(2);
    _exit(body() ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(FileMsrDeviceTest, NoPermissionSaysSo) {
  ScratchTree tree;
  tree.Write("/dev/cpu/0/msr", RegisterFile(0x200));
  ASSERT_EQ(chmod((tree.root() + "/dev/cpu/0/msr").c_str(), 0), 0);
  ASSERT_EQ(chmod(tree.root().c_str(), 0755), 0);
  const std::string root = tree.root();

  const int status = AsOrdinaryUser([&root] {
    FileMsrDevice device(root);
    const absl::Status read = device.Read(0, 0x10).status();
    return read.code() == absl::StatusCode::kPermissionDenied &&
           Message(read).find("CAP_SYS_RAWIO") != std::string::npos;
  });

  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace pmu::server
