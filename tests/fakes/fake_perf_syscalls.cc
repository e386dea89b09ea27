#include "tests/fakes/fake_perf_syscalls.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace pmu {

using server::SyscallResult;

FakePerfSyscalls::FakePerfSyscalls(const FakeClock* clock)
    : clock_(clock), last_ns_(clock->MonotonicNs()) {}

void FakePerfSyscalls::FailOpens(std::function<int(const Event&)> error) {
  absl::MutexLock lock(&mutex_);
  open_error_ = std::move(error);
}

void FakePerfSyscalls::FailIoctls(int error) {
  absl::MutexLock lock(&mutex_);
  ioctl_error_ = error;
}

void FakePerfSyscalls::FailReads(int cpu, int error) {
  absl::MutexLock lock(&mutex_);
  read_errors_[cpu] = error;
}

void FakePerfSyscalls::LimitDescriptors(size_t limit) {
  absl::MutexLock lock(&mutex_);
  descriptor_limit_ = limit;
}

void FakePerfSyscalls::LimitHardwareGroup(size_t limit) {
  absl::MutexLock lock(&mutex_);
  hardware_group_limit_ = limit;
}

void FakePerfSyscalls::SetRate(uint32_t type, uint64_t config, uint64_t per_us,
                               int running_percent) {
  absl::MutexLock lock(&mutex_);
  CatchUp();
  rates_[{type, config}] = {per_us, running_percent};
}

void FakePerfSyscalls::SetFixedCount(uint32_t type, uint64_t config, uint64_t count) {
  absl::MutexLock lock(&mutex_);
  fixed_[{type, config}] = count;
}

void FakePerfSyscalls::TakeCpuOffline(int cpu) {
  absl::MutexLock lock(&mutex_);
  CatchUp();
  offline_.insert(cpu);
  for (auto& entry : events_) {
    if (entry.second.cpu != cpu) continue;
    entry.second.siblings.clear();
    entry.second.group_fd = -1;
    entry.second.dead = true;
  }
}

void FakePerfSyscalls::BringCpuOnline(int cpu) {
  absl::MutexLock lock(&mutex_);
  CatchUp();
  offline_.erase(cpu);
}

void FakePerfSyscalls::LetCgroupsRest() {
  absl::MutexLock lock(&mutex_);
  CatchUp();
  cgroups_rest_ = true;
}

void FakePerfSyscalls::EndReadsOf(int cpu) {
  absl::MutexLock lock(&mutex_);
  ended_.insert(cpu);
}

size_t FakePerfSyscalls::open_count() const {
  absl::MutexLock lock(&mutex_);
  return events_.size();
}

std::vector<FakePerfSyscalls::Event> FakePerfSyscalls::opened() const {
  absl::MutexLock lock(&mutex_);
  return opened_;
}

std::vector<int> FakePerfSyscalls::enabled_order() const {
  absl::MutexLock lock(&mutex_);
  return enabled_order_;
}

int FakePerfSyscalls::ioctl_count() const {
  absl::MutexLock lock(&mutex_);
  return ioctl_count_;
}

int FakePerfSyscalls::read_count() const {
  absl::MutexLock lock(&mutex_);
  return read_count_;
}

std::vector<std::string> FakePerfSyscalls::misuse() const {
  absl::MutexLock lock(&mutex_);
  return misuse_;
}

int FakePerfSyscalls::CheckGroup(const Event& event) const {
  if (event.group_fd < 0) return 0;
  const auto leader = events_.find(event.group_fd);
  if (leader == events_.end()) return EBADF;
  const Event& head = leader->second;
  // A sibling as leader, another CPU or task, or pinned (for leaders only).
  if (head.group_fd >= 0 || head.cpu != event.cpu || head.pid != event.pid || event.attr.pinned) {
    return EINVAL;
  }
  const auto is_hardware = [](const Event& member) {
    return member.attr.type != PERF_TYPE_SOFTWARE && member.attr.type != PERF_TYPE_TRACEPOINT;
  };
  size_t hardware = is_hardware(head) + is_hardware(event);
  for (const int fd : head.siblings) hardware += is_hardware(events_.at(fd));
  return is_hardware(event) && hardware > hardware_group_limit_ ? EINVAL : 0;
}

SyscallResult FakePerfSyscalls::Open(const perf_event_attr& attr, pid_t pid, int cpu, int group_fd,
                                     unsigned long flags) {
  absl::MutexLock lock(&mutex_);
  CatchUp();
  Event event;
  event.attr = attr;
  event.pid = pid;
  event.cpu = cpu;
  event.group_fd = group_fd;
  event.flags = flags;
  event.on = !attr.disabled;
  const int scripted = open_error_ ? open_error_(event) : 0;
  if (scripted != 0) return Error(scripted);
  if (events_.size() >= descriptor_limit_) return Error(EMFILE);
  if (pid == -1 && cpu == -1) return Error(EINVAL);
  if (offline_.count(cpu) > 0) return Error(ENODEV);
  const int refused = CheckGroup(event);
  if (refused != 0) return Error(refused);
  const int fd = next_fd_++;
  if (group_fd >= 0) events_[group_fd].siblings.push_back(fd);
  events_[fd] = event;
  opened_.push_back(event);
  return {fd, 0};
}

SyscallResult FakePerfSyscalls::Ioctl(int fd, unsigned long request, unsigned long) {
  absl::MutexLock lock(&mutex_);
  CatchUp();
  ++ioctl_count_;
  const auto event = events_.find(fd);
  if (event == events_.end()) return Error(EBADF);
  if (ioctl_error_ != 0) return Error(ioctl_error_);
  if (request == PERF_EVENT_IOC_ENABLE) {
    event->second.on = true;
    enabled_order_.push_back(fd);
  } else if (request == PERF_EVENT_IOC_DISABLE) {
    event->second.on = false;
  } else {
    return Error(ENOTTY);
  }
  return {0, 0};
}

bool FakePerfSyscalls::Counts(const Event& event) const {
  if (!event.on || event.dead) return false;
  if (cgroups_rest_ && (event.flags & PERF_FLAG_PID_CGROUP) != 0) return false;
  if (event.group_fd < 0) return true;
  const auto leader = events_.find(event.group_fd);
  return leader == events_.end() || leader->second.on;
}

void FakePerfSyscalls::CatchUp() {
  const int64_t now_ns = clock_->MonotonicNs();
  const uint64_t passed_ns = static_cast<uint64_t>(now_ns - last_ns_);
  last_ns_ = now_ns;
  for (auto& entry : events_) {
    Event& event = entry.second;
    if (!Counts(event)) continue;
    const auto found = rates_.find({event.attr.type, event.attr.config});
    const Rate rate = found == rates_.end() ? Rate() : found->second;
    const uint64_t ran_ns = passed_ns * static_cast<uint64_t>(rate.running_percent) / 100;
    event.enabled_ns += passed_ns;
    event.running_ns += ran_ns;
    event.count += ran_ns * rate.per_us / 1000;
  }
}

std::vector<uint64_t> FakePerfSyscalls::Words(const Event& event) const {
  const auto count_of = [this](const Event& member) {
    const auto fixed = fixed_.find({member.attr.type, member.attr.config});
    return fixed == fixed_.end() ? member.count : fixed->second;
  };
  const bool fixed = fixed_.count({event.attr.type, event.attr.config}) > 0;
  const uint64_t enabled_ns = fixed ? 1'000'000 : event.enabled_ns;
  const uint64_t running_ns = fixed ? 1'000'000 : event.running_ns;
  if ((event.attr.read_format & PERF_FORMAT_GROUP) == 0) {
    std::vector<uint64_t> words = {count_of(event), enabled_ns, running_ns};
    if ((event.attr.read_format & PERF_FORMAT_TOTAL_TIME_RUNNING) == 0) words.pop_back();
    return words;
  }
  std::vector<uint64_t> words = {1 + event.siblings.size(), enabled_ns, running_ns,
                                 count_of(event)};
  for (const int fd : event.siblings) words.push_back(count_of(events_.at(fd)));
  return words;
}

SyscallResult FakePerfSyscalls::Read(int fd, void* buffer, size_t size) {
  absl::MutexLock lock(&mutex_);
  CatchUp();
  ++read_count_;
  const auto found = events_.find(fd);
  if (found == events_.end()) return Error(EBADF);
  const Event& event = found->second;
  if (event.group_fd >= 0) misuse_.push_back("read of a sibling");
  const auto error = read_errors_.find(event.cpu);
  if (error != read_errors_.end()) return Error(error->second);
  if (ended_.count(event.cpu) > 0) return {0, 0};
  const std::vector<uint64_t> words = Words(event);
  if (words.size() * sizeof(uint64_t) > size) return Error(ENOSPC);
  std::memcpy(buffer, words.data(), words.size() * sizeof(uint64_t));
  return {static_cast<int64_t>(words.size() * sizeof(uint64_t)), 0};
}

SyscallResult FakePerfSyscalls::Close(int fd) {
  absl::MutexLock lock(&mutex_);
  CatchUp();
  const auto found = events_.find(fd);
  if (found == events_.end()) {
    misuse_.push_back("close of a descriptor that is not open");
    return Error(EBADF);
  }
  for (const int sibling : found->second.siblings) {
    if (events_.count(sibling) > 0) misuse_.push_back("leader closed before its siblings");
  }
  const auto leader = events_.find(found->second.group_fd);
  if (leader != events_.end()) {
    std::vector<int>& siblings = leader->second.siblings;
    siblings.erase(std::remove(siblings.begin(), siblings.end(), fd), siblings.end());
  }
  events_.erase(found);
  return {0, 0};
}

}  // namespace pmu
