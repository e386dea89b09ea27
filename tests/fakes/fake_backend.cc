#include "tests/fakes/fake_backend.h"

#include <utility>

#include "absl/strings/str_cat.h"

namespace pmu::server {

class FakeBackend::Set final : public CounterSet {
 public:
  Set(FakeBackend* backend, std::vector<CounterSlot> slots)
      : backend_(backend), slots_(std::move(slots)) {}
  ~Set() override {
    backend_->Note("close");
    absl::MutexLock lock(&backend_->mutex_);
    --backend_->open_sets_;
  }

  absl::Span<const CounterSlot> slots() const override { return slots_; }
  int descriptor_count() const override {
    int count = 0;
    for (const CounterSlot& slot : slots_) count += slot.status.ok() ? 1 : 0;
    return count;
  }
  absl::Status Enable() override {
    backend_->Note("enable");
    absl::MutexLock lock(&backend_->mutex_);
    return backend_->enable_error_;
  }
  absl::Status Disable() override {
    backend_->Note("disable");
    absl::MutexLock lock(&backend_->mutex_);
    return backend_->disable_error_;
  }
  void Read(absl::Span<RawReading> out) override {
    backend_->Note("read");
    ++reads_;
    for (size_t i = 0; i < out.size(); ++i) {
      out[i] = {100 * reads_ + i, 1000 * reads_, 1000 * reads_, ReadingState::kCounted};
    }
  }

 private:
  FakeBackend* const backend_;
  const std::vector<CounterSlot> slots_;
  uint64_t reads_ = 0;
};

FakeBackend::FakeBackend(std::string name) : name_(std::move(name)) {}

void FakeBackend::AddEvent(const std::string& name, CpuList cpus) {
  absl::MutexLock lock(&mutex_);
  events_[name] = {std::move(cpus), absl::OkStatus(), absl::OkStatus()};
}

void FakeBackend::AddBroken(const std::string& name, absl::Status error) {
  absl::MutexLock lock(&mutex_);
  events_[name] = {{}, std::move(error), absl::OkStatus()};
}

void FakeBackend::AddUnopenable(const std::string& name, absl::Status error) {
  absl::MutexLock lock(&mutex_);
  events_[name] = {{0, 1}, absl::OkStatus(), std::move(error)};
}

void FakeBackend::set_open_error(absl::Status error) {
  absl::MutexLock lock(&mutex_);
  open_error_ = std::move(error);
}

void FakeBackend::set_enable_error(absl::Status error) {
  absl::MutexLock lock(&mutex_);
  enable_error_ = std::move(error);
}

void FakeBackend::set_disable_error(absl::Status error) {
  absl::MutexLock lock(&mutex_);
  disable_error_ = std::move(error);
}

int FakeBackend::open_sets() const {
  absl::MutexLock lock(&mutex_);
  return open_sets_;
}

std::vector<std::string> FakeBackend::log() const {
  absl::MutexLock lock(&mutex_);
  return log_;
}

void FakeBackend::Note(const std::string& what) {
  absl::MutexLock lock(&mutex_);
  log_.push_back(what);
}

BackendInfo FakeBackend::Describe() const {
  BackendInfo info;
  info.name = name_;
  return info;
}

std::vector<CounterInfo> FakeBackend::ListCounters() const {
  absl::MutexLock lock(&mutex_);
  std::vector<CounterInfo> infos;
  for (const auto& [name, event] : events_) {
    CounterInfo info;
    info.name = name;
    info.pmu = name_;
    info.description = absl::StrCat("Counts ", name);
    info.availability = event.resolve_error;
    infos.push_back(std::move(info));
  }
  return infos;
}

absl::StatusOr<std::vector<ResolvedEvent>> FakeBackend::Resolve(const EventSpec& event,
                                                                const CounterTarget&) const {
  absl::MutexLock lock(&mutex_);
  const auto known = events_.find(event.name);
  if (known == events_.end()) {
    return absl::NotFoundError(absl::StrCat(name_, " has no event ", event.text));
  }
  if (!known->second.resolve_error.ok()) return known->second.resolve_error;
  ResolvedEvent resolved;
  resolved.text = event.text;
  resolved.pmu = name_;
  resolved.cpus = known->second.cpus;
  resolved.group = event.group;
  resolved.never_multiplexed = never_multiplexed_;
  return std::vector<ResolvedEvent>{resolved};
}

absl::StatusOr<std::unique_ptr<CounterSet>> FakeBackend::Open(
    absl::Span<const ResolvedEvent> events, const CounterTarget&) {
  Note(absl::StrCat("open ", events.size()));
  absl::MutexLock lock(&mutex_);
  if (!open_error_.ok()) return open_error_;
  std::vector<CounterSlot> slots;
  for (size_t i = 0; i < events.size(); ++i) {
    const std::string name = events[i].text.substr(0, events[i].text.find(':'));
    const auto event = events_.find(name);
    const absl::Status status =
        event == events_.end() ? absl::OkStatus() : event->second.open_error;
    for (const int cpu : events[i].cpus) {
      slots.push_back({static_cast<int>(i), cpu, 0, status});
    }
  }
  ++open_sets_;
  return std::unique_ptr<CounterSet>(new Set(this, std::move(slots)));
}

}  // namespace pmu::server
