// scratch_tree.h: a made-up root with files of /sys and /proc. Tests only.
#ifndef PMU_TESTS_FAKES_SCRATCH_TREE_H_
#define PMU_TESTS_FAKES_SCRATCH_TREE_H_

#include <string>

namespace pmu {

// A directory of its own below the test's temporary directory, removed with
// everything in it at the end of its life. Thread-compatible.
class ScratchTree {
 public:
  ScratchTree();
  ~ScratchTree();
  ScratchTree(const ScratchTree&) = delete;
  ScratchTree& operator=(const ScratchTree&) = delete;

  // The directory: what is handed over as root.
  const std::string& root() const { return root_; }

  // Writes root + path, making the directories above; replaces what was there.
  void Write(const std::string& path, const std::string& text);

  void MakeDirectory(const std::string& path);
  void MakeFifo(const std::string& path);
  void Remove(const std::string& path);

  // Copies a whole tree ("tests/cases/sysfs/skx-2s36c") into the root.
  void CopyFrom(const std::string& directory);

 private:
  std::string root_;
};

}  // namespace pmu

#endif  // PMU_TESTS_FAKES_SCRATCH_TREE_H_
