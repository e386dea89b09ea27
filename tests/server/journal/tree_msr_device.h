// tree_msr_device.h: registers that outlive the process: a file each. Tests
// only. (One file for all, as /dev/cpu/N/msr, cannot be a plain one: registers
// are 1 apart and 8 bytes wide.)
#ifndef PMU_TESTS_SERVER_JOURNAL_TREE_MSR_DEVICE_H_
#define PMU_TESTS_SERVER_JOURNAL_TREE_MSR_DEVICE_H_

#include <functional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/text.h"
#include "server/machine/root_files.h"
#include "server/registers/msr_device.h"
#include "tests/fakes/scratch_tree.h"

namespace pmu::server {

// Thread-compatible.
class TreeMsrDevice final : public MsrDevice {
 public:
  // `tree` is not owned. `at_access` is called before and after each access.
  TreeMsrDevice(ScratchTree* tree, std::function<void()> at_access)
      : tree_(tree), at_access_(std::move(at_access)) {}

  absl::StatusOr<uint64_t> Read(int cpu, uint32_t reg) override {
    at_access_();
    const auto text = ReadTrimmedFile(tree_->root() + PathOf(cpu, reg));
    at_access_();
    if (!text.ok()) return absl::NotFoundError(absl::StrCat("no register 0x", absl::Hex(reg)));
    return *ParseDigits(*text);
  }

  absl::Status Write(int cpu, uint32_t reg, uint64_t contents) override {
    at_access_();
    if (!FileExists(tree_->root() + PathOf(cpu, reg))) {
      return absl::NotFoundError(absl::StrCat("no register 0x", absl::Hex(reg)));
    }
    tree_->Write(PathOf(cpu, reg), absl::StrCat(contents, "\n"));
    at_access_();
    return absl::OkStatus();
  }

  std::string Description() const override { return "registers in files"; }

  void Create(int cpu, uint32_t reg, uint64_t contents) {
    tree_->Write(PathOf(cpu, reg), absl::StrCat(contents, "\n"));
  }

 private:
  static std::string PathOf(int cpu, uint32_t reg) {
    return absl::StrCat("/registers/cpu", cpu, "/0x", absl::Hex(reg));
  }

  ScratchTree* const tree_;
  const std::function<void()> at_access_;
};

}  // namespace pmu::server

#endif  // PMU_TESTS_SERVER_JOURNAL_TREE_MSR_DEVICE_H_
