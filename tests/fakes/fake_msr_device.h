// fake_msr_device.h: registers in a map, with a script and a log. Tests only.
#ifndef PMU_TESTS_FAKES_FAKE_MSR_DEVICE_H_
#define PMU_TESTS_FAKES_FAKE_MSR_DEVICE_H_

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/synchronization/mutex.h"
#include "server/registers/msr_device.h"
#include "server/registers/register_access.h"

namespace pmu::server {

// A register that was never set faults, as on hardware. Thread-safe.
class FakeMsrDevice final : public MsrDevice {
 public:
  absl::StatusOr<uint64_t> Read(int cpu, uint32_t reg) override {
    if (before_access) before_access({false, cpu, reg, 0, true});
    absl::MutexLock lock(&mutex_);
    log_.push_back({false, cpu, reg, 0, true});
    const auto found = contents_.find({cpu, reg});
    if (found == contents_.end()) return Fault(cpu, reg);
    return found->second;
  }

  absl::Status Write(int cpu, uint32_t reg, uint64_t contents) override {
    if (before_access) before_access({true, cpu, reg, contents, true});
    absl::MutexLock lock(&mutex_);
    log_.push_back({true, cpu, reg, contents, true});
    const auto found = contents_.find({cpu, reg});
    if (found == contents_.end()) return Fault(cpu, reg);
    found->second = contents;
    return absl::OkStatus();
  }

  std::string Description() const override { return "fake registers"; }

  void Set(int cpu, uint32_t reg, uint64_t contents) {
    absl::MutexLock lock(&mutex_);
    contents_[{cpu, reg}] = contents;
  }
  uint64_t Get(int cpu, uint32_t reg) const {
    absl::MutexLock lock(&mutex_);
    const auto found = contents_.find({cpu, reg});
    return found == contents_.end() ? 0 : found->second;
  }
  // Without the CPU's registers it is offline.
  void TakeOffline(int cpu) {
    absl::MutexLock lock(&mutex_);
    contents_.erase(contents_.lower_bound({cpu, 0}), contents_.lower_bound({cpu + 1, 0}));
  }

  std::vector<RegisterAccess> log() const {
    absl::MutexLock lock(&mutex_);
    return log_;
  }
  // "write cpu 0 0x186 = 0x4300c0", the writes only.
  std::vector<std::string> writes() const {
    std::vector<std::string> lines;
    for (const RegisterAccess& access : log()) {
      if (access.is_write) lines.push_back(FormatRegisterAccess(access));
    }
    return lines;
  }
  void ClearLog() {
    absl::MutexLock lock(&mutex_);
    log_.clear();
  }

  // Called before each access, without the lock: may advance clocks, set
  // registers, or end the process.
  std::function<void(const RegisterAccess&)> before_access;

 private:
  absl::Status Fault(int cpu, uint32_t reg) const {
    const auto any = contents_.lower_bound({cpu, 0});
    if (any == contents_.end() || any->first.first != cpu) {
      return absl::UnavailableError(absl::StrCat("CPU ", cpu, " is offline"));
    }
    return absl::NotFoundError(absl::StrCat("no register 0x", absl::Hex(reg)));
  }

  mutable absl::Mutex mutex_;
  std::map<std::pair<int, uint32_t>, uint64_t> contents_;
  std::vector<RegisterAccess> log_;
};

}  // namespace pmu::server

#endif  // PMU_TESTS_FAKES_FAKE_MSR_DEVICE_H_
