// scratch_tree.h: a temporary directory that stands for the root of a machine.
#ifndef PMU_TESTS_SERVER_REGISTERS_SCRATCH_TREE_H_
#define PMU_TESTS_SERVER_REGISTERS_SCRATCH_TREE_H_

#include <stdlib.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace pmu::server {

// Removed on destruction. Thread-compatible.
class ScratchTree {
 public:
  ScratchTree() {
    const char* base = getenv("TEST_TMPDIR");
    root_ = std::string(base != nullptr ? base : "/tmp") + "/tree.XXXXXX";
    if (mkdtemp(root_.data()) == nullptr) abort();
    // Other users of the machine may look in, as they may at /dev.
    chmod(root_.c_str(), 0755);
  }
  ~ScratchTree() {
    std::error_code ignored;
    std::filesystem::remove_all(root_, ignored);
  }
  ScratchTree(const ScratchTree&) = delete;
  ScratchTree& operator=(const ScratchTree&) = delete;

  const std::string& root() const { return root_; }

  // Writes a file, making the directories above it.
  void Write(const std::string& path, const std::string& contents) const {
    const std::filesystem::path file = std::filesystem::path(root_) / path;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary) << contents;
  }

 private:
  std::string root_;
};

}  // namespace pmu::server

#endif  // PMU_TESTS_SERVER_REGISTERS_SCRATCH_TREE_H_
