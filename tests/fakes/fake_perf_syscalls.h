// fake_perf_syscalls.h: a scripted kernel behind PerfSyscalls. Tests only.
//
// Hands out descriptors, keeps every open event with its attributes, and
// counts while the fake clock is moved: an enabled event counts `rate` events
// per microsecond and is scheduled for a share of the time. It refuses what
// the kernel refuses (a group leader that is none, of another CPU, a sibling
// beyond the group's size) and lets tests add errors of their own.
//
// Thread-safe.
#ifndef PMU_TESTS_FAKES_FAKE_PERF_SYSCALLS_H_
#define PMU_TESTS_FAKES_FAKE_PERF_SYSCALLS_H_

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "absl/synchronization/mutex.h"
#include "server/backends/perf_event/perf_syscalls.h"
#include "tests/fakes/fake_clock.h"

namespace pmu {

class FakePerfSyscalls final : public server::PerfSyscalls {
 public:
  struct Event {
    perf_event_attr attr = {};
    pid_t pid = 0;
    int cpu = 0;
    int group_fd = -1;
    unsigned long flags = 0;
    bool on = false;  // as by attr.disabled and ioctl
    uint64_t count = 0;
    uint64_t enabled_ns = 0;
    uint64_t running_ns = 0;
    std::vector<int> siblings;
    bool dead = false;  // its CPU went away
  };

  // `clock` must outlive this. Time passes only when it is moved.
  explicit FakePerfSyscalls(const FakeClock* clock);

  // Called for every open before anything else; a return other than 0 is the
  // errno to fail with.
  void FailOpens(std::function<int(const Event&)> error);
  // Every ioctl fails with this errno; 0: none does.
  void FailIoctls(int error);
  // Reads of events on this CPU fail with this errno.
  void FailReads(int cpu, int error);
  // At most this many descriptors at a time; beyond: EMFILE.
  void LimitDescriptors(size_t limit);
  // At most this many hardware events in one group; beyond: EINVAL.
  void LimitHardwareGroup(size_t limit);

  // What an event of this type and config counts per microsecond (default 1)
  // and which percentage of the time it is scheduled (default 100).
  void SetRate(uint32_t type, uint64_t config, uint64_t per_us, int running_percent);
  // Every read of an event of this type and config answers with this count,
  // scheduled all the time.
  void SetFixedCount(uint32_t type, uint64_t config, uint64_t count);

  // From now on events on this CPU stand still, and groups there are broken
  // up: their leaders read alone. As on a CPU that goes offline.
  void TakeCpuOffline(int cpu);
  // It is back: events can be opened there again. Those from before stay off.
  void BringCpuOnline(int cpu);
  // Nothing of any cgroup runs from now on: its events stand still.
  void LetCgroupsRest();
  // Reads of this CPU return end of file, as for a pinned group without room.
  void EndReadsOf(int cpu);

  size_t open_count() const;
  // Every event that was opened successfully, in order, closed ones too.
  std::vector<Event> opened() const;
  // Descriptors in the order of their PERF_EVENT_IOC_ENABLE.
  std::vector<int> enabled_order() const;
  int ioctl_count() const;
  int read_count() const;
  // What a test should not have caused: closing twice, reading a sibling.
  std::vector<std::string> misuse() const;

  server::SyscallResult Open(const perf_event_attr& attr, pid_t pid, int cpu, int group_fd,
                             unsigned long flags) override;
  server::SyscallResult Ioctl(int fd, unsigned long request, unsigned long argument) override;
  server::SyscallResult Read(int fd, void* buffer, size_t size) override;
  server::SyscallResult Close(int fd) override;

 private:
  using Kind = std::pair<uint32_t, uint64_t>;  // type, config
  struct Rate {
    uint64_t per_us = 1;
    int running_percent = 100;
  };

  static server::SyscallResult Error(int error) { return {-1, error}; }
  int CheckGroup(const Event& event) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Lets the time since the last call pass for every event that is on.
  void CatchUp() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool Counts(const Event& event) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  std::vector<uint64_t> Words(const Event& event) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const FakeClock* const clock_;
  mutable absl::Mutex mutex_;
  std::map<int, Event> events_ ABSL_GUARDED_BY(mutex_);
  std::vector<Event> opened_ ABSL_GUARDED_BY(mutex_);
  std::vector<int> enabled_order_ ABSL_GUARDED_BY(mutex_);
  std::vector<std::string> misuse_ ABSL_GUARDED_BY(mutex_);
  std::function<int(const Event&)> open_error_ ABSL_GUARDED_BY(mutex_);
  std::map<Kind, Rate> rates_ ABSL_GUARDED_BY(mutex_);
  std::map<Kind, uint64_t> fixed_ ABSL_GUARDED_BY(mutex_);
  std::map<int, int> read_errors_ ABSL_GUARDED_BY(mutex_);
  std::set<int> offline_ ABSL_GUARDED_BY(mutex_);
  std::set<int> ended_ ABSL_GUARDED_BY(mutex_);
  bool cgroups_rest_ ABSL_GUARDED_BY(mutex_) = false;
  int ioctl_error_ ABSL_GUARDED_BY(mutex_) = 0;
  size_t descriptor_limit_ ABSL_GUARDED_BY(mutex_) = SIZE_MAX;
  size_t hardware_group_limit_ ABSL_GUARDED_BY(mutex_) = SIZE_MAX;
  int next_fd_ ABSL_GUARDED_BY(mutex_) = 1000;
  int ioctl_count_ ABSL_GUARDED_BY(mutex_) = 0;
  int read_count_ ABSL_GUARDED_BY(mutex_) = 0;
  int64_t last_ns_ ABSL_GUARDED_BY(mutex_) = 0;
};

}  // namespace pmu

#endif  // PMU_TESTS_FAKES_FAKE_PERF_SYSCALLS_H_
