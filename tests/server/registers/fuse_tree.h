// fuse_tree.h: a root whose /dev/cpu/N/msr are simulated CPUs, served by a
// process of its own through FUSE. Tests only.
#ifndef PMU_TESTS_SERVER_REGISTERS_FUSE_TREE_H_
#define PMU_TESTS_SERVER_REGISTERS_FUSE_TREE_H_

#include <sys/types.h>

#include <string>
#include <vector>

#include "tests/fakes/scratch_tree.h"

namespace pmu::server {

// Needs //tests/server/registers:fuse_msr as data of the test.
// Thread-compatible. Unmounts and ends its process when destroyed.
class FuseTree {
 public:
  // Why this machine cannot; "" it can. To be said in GTEST_SKIP.
  static std::string WhyNot();

  // Blocks until it serves. `specs` as for pmud --simulate.
  explicit FuseTree(const std::vector<std::string>& specs);
  ~FuseTree();
  FuseTree(const FuseTree&) = delete;
  FuseTree& operator=(const FuseTree&) = delete;

  // False: mounting failed; the server said why on stderr.
  bool serves() const { return serves_; }
  const std::string& root() const { return tree_.root(); }
  ScratchTree& tree() { return tree_; }

 private:
  ScratchTree tree_;
  std::string mount_point_;
  pid_t server_ = -1;
  bool serves_ = false;
};

}  // namespace pmu::server

#endif  // PMU_TESTS_SERVER_REGISTERS_FUSE_TREE_H_
