// file_descriptor.h: owns one file descriptor and closes it.
//
// Thread-compatible: callers serialise.
#ifndef PMU_SERVER_FILE_DESCRIPTOR_H_
#define PMU_SERVER_FILE_DESCRIPTOR_H_

#include <unistd.h>

#include <utility>

namespace pmu::server {

class FileDescriptor {
 public:
  // Negative: owns nothing.
  explicit FileDescriptor(int fd = -1) : fd_(fd) {}
  ~FileDescriptor() {
    if (fd_ >= 0) close(fd_);
  }
  FileDescriptor(FileDescriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }

  int get() const { return fd_; }
  bool valid() const { return fd_ >= 0; }

 private:
  int fd_;
};

}  // namespace pmu::server

#endif  // PMU_SERVER_FILE_DESCRIPTOR_H_
