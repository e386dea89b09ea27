#include "server/backends/cci400/cci400_counters.h"

#include "absl/strings/str_format.h"

namespace pmu::server {
namespace {

// One after another, until one fails.
class Writer {
 public:
  explicit Writer(MmioRegion* region) : region_(region) {}
  void Write(uint32_t offset, uint32_t contents) {
    if (status_.ok()) status_ = region_->Write32(offset, contents);
  }
  const absl::Status& status() const { return status_; }

 private:
  MmioRegion* const region_;
  absl::Status status_;
};

class Reader {
 public:
  explicit Reader(MmioRegion* region) : region_(region) {}
  // 0 after an error.
  uint32_t Read(uint32_t offset) {
    if (!status_.ok()) return 0;
    absl::StatusOr<uint32_t> contents = region_->Read32(offset);
    if (contents.ok()) return *contents;
    status_ = contents.status();
    return 0;
  }
  const absl::Status& status() const { return status_; }

 private:
  MmioRegion* const region_;
  absl::Status status_;
};

RestoreStep Step(uint32_t offset, uint32_t contents) { return {"", -1, offset, contents}; }

}  // namespace

Cci400Counters::Cci400Counters(MmioRegion* region, uint64_t max_clock_hz)
    : region_(region),
      extenders_(kCci400Counters, CounterExtender(kCci400CounterBits, max_clock_hz)) {
  flag_works_.fill(true);
}

absl::StatusOr<std::vector<RestoreStep>> Cci400Counters::Save(bool take_over) {
  Reader reader(region_);
  const uint32_t pmcr = reader.Read(kPmcr);
  const uint32_t settings = pmcr & (kPmcrEnable | kPmcrDivideBy64 | kPmcrExport |
                                    kPmcrDisableCycles | kPmcrCounterNumberBits);
  bool counting = false;
  std::vector<RestoreStep> steps = {Step(kPmcr, settings & ~kPmcrEnable)};
  for (int counter = 0; counter < kCci400Counters; ++counter) {
    if (counter != kCycleCounter) {
      steps.push_back(
          Step(EventSelectRegister(counter), reader.Read(EventSelectRegister(counter)) & 0xff));
    }
    steps.push_back(Step(CountRegister(counter), reader.Read(CountRegister(counter))));
    const uint32_t control = reader.Read(ControlRegister(counter)) & 1;
    steps.push_back(Step(ControlRegister(counter), control));
    if (control != 0 && (pmcr & kPmcrEnable)) counting = true;
    // A flag can only be cleared, so one that was set stays cleared.
    if ((reader.Read(OverflowRegister(counter)) & 1) == 0) {
      steps.push_back(Step(OverflowRegister(counter), 1));
    }
  }
  steps.push_back(Step(kPmcr, settings));
  if (!reader.status().ok()) return reader.status();
  if (counting && !take_over) {
    return absl::FailedPreconditionError(absl::StrFormat(
        "the CCI-400's counters are counting for somebody else (PMCR 0x%x, counters enabled): "
        "stop that, or allow the agent to take them over",
        pmcr));
  }
  kept_pmcr_bits_ = pmcr & (kPmcrExport | kPmcrDisableCycles | kPmcrCounterNumberBits);
  return steps;
}

absl::Status Cci400Counters::Program(absl::Span<const uint32_t> selects) {
  Reader reader(region_);
  Writer writer(region_);
  if (reader.Read(kPmcr) & kPmcrEnable) writer.Write(kPmcr, kept_pmcr_bits_);
  selects_.assign(selects.begin(), selects.end());
  for (int counter = 1; counter < active_counters(); ++counter) {
    writer.Write(EventSelectRegister(counter), selects_[counter - 1]);
  }
  for (int counter = 1; counter < active_counters(); ++counter) {
    writer.Write(ControlRegister(counter), 1);
  }
  writer.Write(ControlRegister(kCycleCounter), 1);
  for (int counter = active_counters(); counter < kCci400Counters; ++counter) {
    if (reader.Read(ControlRegister(counter)) & 1) writer.Write(ControlRegister(counter), 0);
  }
  return reader.status().ok() ? writer.status() : reader.status();
}

absl::Status Cci400Counters::ClearFlag(int counter) {
  return region_->Write32(OverflowRegister(counter), 1);
}

absl::Status Cci400Counters::Start(int64_t now_ns) {
  Writer writer(region_);
  writer.Write(kPmcr, kept_pmcr_bits_ | kPmcrResetEvents | kPmcrResetCycles);
  Reader reader(region_);
  for (int counter = 0; counter < active_counters(); ++counter) {
    if (reader.Read(OverflowRegister(counter)) & 1) writer.Write(OverflowRegister(counter), 1);
    extenders_[counter].Restart(reader.Read(CountRegister(counter)), now_ns);
  }
  writer.Write(kPmcr, kept_pmcr_bits_ | kPmcrEnable);
  return reader.status().ok() ? writer.status() : reader.status();
}

absl::Status Cci400Counters::Stop() { return region_->Write32(kPmcr, kept_pmcr_bits_); }

absl::Status Cci400Counters::Poll(int64_t now_ns) {
  Reader reader(region_);
  std::array<uint32_t, kCci400Counters> counts = {};
  for (int counter = 0; counter < active_counters(); ++counter) {
    counts[counter] = reader.Read(CountRegister(counter));
  }
  std::array<bool, kCci400Counters> flags = {};
  for (int counter = 0; counter < active_counters(); ++counter) {
    flags[counter] = (reader.Read(OverflowRegister(counter)) & 1) != 0;
    if (!flags[counter]) continue;
    // Read again after clearing: a wrap between the first reading of the count
    // and that of its flag is then counted once, in this poll.
    absl::Status cleared = ClearFlag(counter);
    if (!cleared.ok()) return cleared;
    counts[counter] = reader.Read(CountRegister(counter));
    // Registers in plain memory (an emulated board) keep what is written.
    if (reader.Read(OverflowRegister(counter)) & 1) flag_works_[counter] = false;
  }
  if (!reader.status().ok()) return reader.status();
  for (int counter = 0; counter < active_counters(); ++counter) {
    if (flag_works_[counter]) {
      extenders_[counter].PollWithFlag(counts[counter], flags[counter], now_ns);
    } else {
      extenders_[counter].Poll(counts[counter], now_ns);
    }
  }
  return absl::OkStatus();
}

absl::Status Cci400Counters::Verify() {
  Reader reader(region_);
  const auto changed = [](uint32_t offset, uint32_t found) {
    return absl::AbortedError(absl::StrFormat(
        "the CCI-400's counters were reprogrammed by somebody else during the session (register "
        "0x%x reads 0x%x): their counts mean nothing",
        offset, found));
  };
  const uint32_t pmcr = reader.Read(kPmcr);
  if ((pmcr & (kPmcrEnable | kPmcrDivideBy64)) != kPmcrEnable && reader.status().ok()) {
    return changed(kPmcr, pmcr);
  }
  for (int counter = 0; counter < active_counters(); ++counter) {
    const uint32_t control = reader.Read(ControlRegister(counter));
    if ((control & 1) == 0 && reader.status().ok())
      return changed(ControlRegister(counter), control);
    if (counter == kCycleCounter) continue;
    const uint32_t select = reader.Read(EventSelectRegister(counter));
    if ((select & 0xff) != selects_[counter - 1] && reader.status().ok()) {
      return changed(EventSelectRegister(counter), select);
    }
  }
  return reader.status();
}

}  // namespace pmu::server
