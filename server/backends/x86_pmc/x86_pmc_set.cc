#include "server/backends/x86_pmc/x86_pmc_set.h"

#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"

namespace pmu::server {
namespace {

// No counter counts faster: 16 events a clock at 6 GHz.
constexpr uint64_t kMaxEventsPerSecond = 100'000'000'000;
// Below this a jump cannot be told from counting.
constexpr uint64_t kPlausibleJump = 1'000'000'000;

bool IsPlausible(uint64_t counted, int64_t since_ns) {
  const uint64_t possible =
      static_cast<uint64_t>(since_ns < 0 ? 0 : since_ns) * (kMaxEventsPerSecond / 1'000'000'000);
  return counted <= possible + kPlausibleJump;
}

}  // namespace

X86PmcSet::X86PmcSet(const X86PmcSetOptions& options, std::vector<PmcCpuPlan> cpus,
                     std::unique_ptr<SettingKeeper::Hold> hold, std::function<void()> released)
    : options_(options), hold_(std::move(hold)), released_(std::move(released)) {
  for (PmcCpuPlan& plan : cpus) {
    Cpu cpu;
    cpu.number = plan.cpu;
    for (PmcSlotPlan& slot : plan.slots) {
      Counter counter;
      counter.event = slot.event;
      counter.open = slot.status.ok();
      counter.setting = slot.setting;
      counter.extender = CounterExtender(options_.model->width_bits, kMaxEventsPerSecond);
      if (counter.open) cpu.settings.push_back(slot.setting);
      cpu.counters.push_back(counter);
      CounterSlot out;
      out.event = slot.event;
      out.cpu = plan.cpu;
      out.status = std::move(slot.status);
      slots_.push_back(std::move(out));
    }
    cpus_.push_back(std::move(cpu));
  }
}

X86PmcSet::~X86PmcSet() {
  poll_thread_.reset();
  {
    absl::MutexLock lock(&mutex_);
    // A CPU that is gone has nothing to stop; the journal keeps the rest.
    if (state_ == State::kCounting) StopAll().IgnoreError();
  }
  hold_.reset();  // puts the registers back
  if (released_) released_();
}

int X86PmcSet::descriptor_count() const { return poll_thread_ ? PollThread::kDescriptors : 0; }

absl::Status X86PmcSet::StartCpu(Cpu* cpu) {
  if (cpu->settings.empty()) return absl::OkStatus();
  if (options_.model->has_tsc) {
    absl::StatusOr<uint64_t> tsc = options_.device->Read(cpu->number, kTscRegister);
    if (!tsc.ok()) return tsc.status();
    cpu->tsc_at_start = *tsc;
  }
  cpu->tsc = cpu->tsc_at_start;
  cpu->started_ns = options_.clock->MonotonicNs();
  cpu->sampled_ns = cpu->started_ns;
  for (Counter& counter : cpu->counters) {
    counter.extender.Restart(counter.setting.preload, cpu->started_ns);
  }
  return options_.driver->Start(cpu->number, cpu->settings);
}

absl::Status X86PmcSet::Enable() {
  {
    absl::MutexLock lock(&mutex_);
    state_ = State::kCounting;
    for (Cpu& cpu : cpus_) {
      absl::Status started = StartCpu(&cpu);
      if (absl::IsUnavailable(started)) {
        cpu.lost = true;  // went offline since Open
      } else if (!started.ok()) {
        StopAll().IgnoreError();  // the first error is the one to tell
        state_ = State::kStopped;
        return absl::InternalError(started.message());
      }
    }
  }
  if (options_.poll_interval_ns <= 0) return absl::OkStatus();
  auto thread = PollThread::Start([this] {
    Poll();
    return options_.poll_interval_ns;
  });
  if (!thread.ok()) return thread.status();
  poll_thread_ = *std::move(thread);
  return absl::OkStatus();
}

absl::Status X86PmcSet::StopAll() {
  absl::Status first_error;
  for (Cpu& cpu : cpus_) {
    if (cpu.lost || cpu.settings.empty()) continue;
    CheckSetup(&cpu);
    absl::Status stopped = options_.driver->Stop(cpu.number, cpu.settings);
    if (absl::IsUnavailable(stopped)) {
      cpu.lost = true;
    } else {
      first_error.Update(stopped);
    }
  }
  return first_error;
}

absl::Status X86PmcSet::Disable() {
  poll_thread_.reset();
  absl::MutexLock lock(&mutex_);
  if (state_ != State::kCounting) return absl::OkStatus();
  absl::Status stopped = StopAll();
  for (Cpu& cpu : cpus_) {
    if (!cpu.lost && !Sample(&cpu).ok()) cpu.lost = true;
  }
  state_ = State::kStopped;
  return stopped;
}

absl::Status X86PmcSet::Sample(Cpu* cpu) {
  if (cpu->settings.empty()) return absl::OkStatus();
  absl::StatusOr<uint64_t> tsc = cpu->tsc;
  if (options_.model->has_tsc) tsc = options_.device->Read(cpu->number, kTscRegister);
  if (!tsc.ok()) return tsc.status();
  const int64_t now_ns = options_.clock->MonotonicNs();
  for (Counter& counter : cpu->counters) {
    if (!counter.open) continue;
    absl::StatusOr<uint64_t> contents = options_.device->Read(
        cpu->number, options_.model->CounterRegister(counter.setting.counter));
    if (!contents.ok()) return contents.status();
    const uint64_t before = counter.extender.total();
    counter.extender.Poll(*contents, now_ns);
    if (!IsPlausible(counter.extender.total() - before, now_ns - cpu->sampled_ns)) {
      counter.taken = true;  // it was set to something else
    }
  }
  cpu->tsc = *tsc;
  cpu->sampled_ns = now_ns;
  return absl::OkStatus();
}

void X86PmcSet::CheckSetup(Cpu* cpu) {
  absl::StatusOr<uint32_t> unchanged = options_.driver->Unchanged(cpu->number, cpu->settings);
  if (!unchanged.ok()) return;  // the next access tells
  for (Counter& counter : cpu->counters) {
    if (counter.open && ((*unchanged >> counter.setting.counter) & 1) == 0) counter.taken = true;
  }
}

void X86PmcSet::SampleAll() {
  for (Cpu& cpu : cpus_) {
    if (cpu.lost || cpu.settings.empty()) continue;
    if (!Sample(&cpu).ok()) {
      cpu.lost = true;
      continue;
    }
    // After the counters, so that what was read is of an unchanged set-up.
    CheckSetup(&cpu);
  }
}

void X86PmcSet::Poll() {
  absl::MutexLock lock(&mutex_);
  if (state_ == State::kCounting) SampleAll();
}

RawReading X86PmcSet::ReadingOf(const Cpu& cpu, const Counter& counter) const {
  RawReading reading;
  if (!counter.open) {
    reading.state = ReadingState::kNotSupported;
    return reading;
  }
  reading.enabled_ns = static_cast<uint64_t>(cpu.sampled_ns - cpu.started_ns);
  if (counter.taken) return reading;  // enabled, and not counted
  reading.running_ns = reading.enabled_ns;
  reading.raw_count = counter.extender.total();
  reading.tsc_cycles = cpu.tsc - cpu.tsc_at_start;
  reading.state = cpu.lost                                ? ReadingState::kCpuLost
                  : counter.extender.overflow_suspected() ? ReadingState::kOverflowSuspected
                                                          : ReadingState::kCounted;
  return reading;
}

void X86PmcSet::Read(absl::Span<RawReading> out) {
  absl::MutexLock lock(&mutex_);
  if (state_ == State::kCounting) SampleAll();
  size_t slot = 0;
  for (const Cpu& cpu : cpus_) {
    for (const Counter& counter : cpu.counters) {
      const bool has_run = state_ != State::kArmed || !counter.open;
      out[slot++] = has_run ? ReadingOf(cpu, counter) : RawReading();
    }
  }
}

std::vector<std::string> X86PmcSet::Notes() const {
  absl::MutexLock lock(&mutex_);
  std::vector<std::string> notes;
  for (const Cpu& cpu : cpus_) {
    for (const Counter& counter : cpu.counters) {
      if (!counter.taken) continue;
      notes.push_back(absl::StrCat(
          "CPU ", cpu.number, ": counter ", counter.setting.counter,
          " was set up anew by another program while it counted: no number. Find the other user "
          "of the counters (another agent, a profiler, the kernel)"));
    }
  }
  return notes;
}

}  // namespace pmu::server
