#include "server/registers/simulated/simulation_spec.h"

#include <limits>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/time/time.h"
#include "server/registers/register_number.h"

namespace pmu::server {
namespace {

// Which models a key belongs to.
constexpr unsigned kCci = 1;
constexpr unsigned kPmc = 2;
constexpr unsigned kAperf = 4;
constexpr unsigned kSmi = 8;
constexpr unsigned kCpu = kPmc | kAperf | kSmi;
constexpr unsigned kAll = kCci | kCpu;

struct ModelName {
  const char* name;
  SimulationModel model;
  unsigned kind;
};
constexpr ModelName kModels[] = {
    {"cci400-r0", SimulationModel::kCci400R0, kCci},
    {"cci400-r1", SimulationModel::kCci400R1, kCci},
    {"p5", SimulationModel::kI586, kPmc},
    {"p6", SimulationModel::kI686, kPmc},
    {"arch-perfmon", SimulationModel::kArchPerfmon, kPmc},
    {"amd", SimulationModel::kAmd, kPmc},
    {"aperf-mperf", SimulationModel::kAperfMperf, kAperf},
    {"smi", SimulationModel::kSmi, kSmi},
};

constexpr uint64_t kMaxHz = uint64_t{1} << 40;

// A plain number with bounds.
struct NumberKey {
  const char* name;
  unsigned kinds;
  uint64_t min, max;
  absl::optional<uint64_t> SimulationSpec::*field;
};
constexpr NumberKey kNumberKeys[] = {
    {"seed", kAll, 0, ~uint64_t{0}, &SimulationSpec::seed},
    {"jitter", kAll, 0, 90, &SimulationSpec::jitter_percent},
    {"rate", kCci | kPmc, 0, kMaxHz, &SimulationSpec::rate_hz},
    {"cycles", kAll, 1, kMaxHz, &SimulationSpec::cycles_hz},
    {"start", kAll, 0, ~uint64_t{0}, &SimulationSpec::start},
    {"niden", kCci, 0, 1, &SimulationSpec::niden},
    {"cpus", kCpu, 1, 256, &SimulationSpec::cpus},
    {"user", kPmc, 0, 100, &SimulationSpec::user_percent},
    {"nominal", kCpu, 1, kMaxHz, &SimulationSpec::nominal_hz},
    {"tsc", kCpu, 1, kMaxHz, &SimulationSpec::tsc_hz},
    {"busy", kCpu, 0, 100, &SimulationSpec::busy_percent},
    {"counters", kPmc, 1, 8, &SimulationSpec::counters},
    {"width", kPmc, 32, 64, &SimulationSpec::width_bits},
    {"version", kPmc, 1, 5, &SimulationSpec::version},
};

struct DurationKey {
  const char* name;
  absl::optional<uint64_t> SimulationSpec::*field;
};
constexpr DurationKey kDurationKeys[] = {
    {"period", &SimulationSpec::period_ns},
    {"duration", &SimulationSpec::duration_ns},
};

struct FaultKey {
  const char* name;
  std::vector<RegisterFault> SimulationSpec::*field;
};
constexpr FaultKey kFaultKeys[] = {
    {"stuck", &SimulationSpec::stuck},
    {"fault", &SimulationSpec::fault},
    {"zero", &SimulationSpec::zero},
};

std::string KnownKeys(unsigned kind) {
  std::vector<std::string> names;
  for (const NumberKey& key : kNumberKeys) {
    if (key.kinds & kind) names.push_back(key.name);
  }
  if (kind & (kCci | kPmc)) names.push_back("event.SELECT");
  if (kind & kCpu) {
    names.push_back("busy.CPU");
    names.push_back("offline");
  }
  for (const FaultKey& key : kFaultKeys) names.push_back(key.name);
  names.push_back("preset.REGISTER");
  if (kind & kSmi) {
    for (const DurationKey& key : kDurationKeys) names.push_back(key.name);
    names.push_back("freeze-file");
  }
  return absl::StrJoin(names, ", ");
}

// A number with an optional k, M or G.
bool ParseScaledNumber(absl::string_view text, uint64_t* out) {
  uint64_t factor = 1;
  if (absl::ConsumeSuffix(&text, "k")) factor = 1'000;
  if (absl::ConsumeSuffix(&text, "M")) factor = 1'000'000;
  if (absl::ConsumeSuffix(&text, "G")) factor = 1'000'000'000;
  uint64_t number = 0;
  if (!ParseRegisterNumber(text, &number)) return false;
  if (number > std::numeric_limits<uint64_t>::max() / factor) return false;
  *out = number * factor;
  return true;
}

// "0xe8" or "0xe8@1".
bool ParseFault(absl::string_view text, RegisterFault* out) {
  const std::pair<absl::string_view, absl::string_view> parts =
      absl::StrSplit(text, absl::MaxSplits('@', 1));
  uint64_t address = 0;
  if (!ParseRegisterNumber(parts.first, &address) || address > 0xffffffff) return false;
  out->address = static_cast<uint32_t>(address);
  if (!absl::StrContains(text, '@')) return true;
  return absl::SimpleAtoi(parts.second, &out->cpu) && out->cpu >= 0 && out->cpu < 256;
}

// Reads the terms of one specification.
class SpecReader {
 public:
  SpecReader(unsigned kind, SimulationSpec* spec) : kind_(kind), spec_(spec) {}

  absl::Status ReadTerm(absl::string_view term, size_t position) {
    const std::pair<absl::string_view, absl::string_view> parts =
        absl::StrSplit(term, absl::MaxSplits('=', 1));
    if (!absl::StrContains(term, '=') || parts.second.empty()) {
      return Error(term, position, "expected key=value");
    }
    bool known = false;
    const std::string problem = Set(parts.first, parts.second, &known);
    if (!known) {
      return Error(parts.first, position,
                   absl::StrCat("not a key of ", spec_->name, "; known: ", KnownKeys(kind_)));
    }
    return problem.empty() ? absl::OkStatus() : Error(term, position, problem);
  }

 private:
  absl::Status Error(absl::string_view token, size_t position, absl::string_view what) const {
    return absl::InvalidArgumentError(
        absl::StrCat("--simulate: \"", token, "\" at position ", position, ": ", what));
  }

  // What is wrong with the value; "" nothing.
  std::string Set(absl::string_view key, absl::string_view value, bool* known) {
    *known = true;
    for (const NumberKey& number : kNumberKeys) {
      if (key == number.name && (number.kinds & kind_)) return SetNumber(number, value);
    }
    for (const FaultKey& fault : kFaultKeys) {
      if (key == fault.name) return AddFault(fault, value);
    }
    if ((kind_ & kSmi) != 0) {
      for (const DurationKey& duration : kDurationKeys) {
        if (key == duration.name) return SetDuration(duration, value);
      }
      if (key == "freeze-file") {
        spec_->freeze_file = std::string(value);
        return "";
      }
    }
    return SetIndexed(key, value, known);
  }

  std::string SetNumber(const NumberKey& key, absl::string_view value) {
    uint64_t number = 0;
    if (!ParseScaledNumber(value, &number) || number < key.min || number > key.max) {
      return absl::StrCat("expected a number from ", key.min, " to ", key.max);
    }
    spec_->*key.field = number;
    return "";
  }

  std::string AddFault(const FaultKey& key, absl::string_view value) {
    RegisterFault fault;
    if (!ParseFault(value, &fault)) return "expected a register, or register@cpu";
    (spec_->*key.field).push_back(fault);
    return "";
  }

  std::string SetDuration(const DurationKey& key, absl::string_view value) {
    absl::Duration duration;
    if (!absl::ParseDuration(std::string(value), &duration) || duration < absl::Nanoseconds(1) ||
        duration > absl::Hours(24)) {
      return "expected a time from 1ns to 24h, as in 100ms";
    }
    spec_->*key.field = absl::ToInt64Nanoseconds(duration);
    return "";
  }

  // Keys with an index after a point, and offline.
  std::string SetIndexed(absl::string_view key, absl::string_view value, bool* known) {
    uint64_t number = 0;
    uint64_t index = 0;
    const bool numeric = ParseScaledNumber(value, &number);
    if (key == "offline" && (kind_ & kCpu)) {
      if (!numeric || number > 255) return "expected a CPU number";
      spec_->offline.push_back(static_cast<int>(number));
    } else if (absl::ConsumePrefix(&key, "event.") && (kind_ & (kCci | kPmc))) {
      if (!ParseRegisterNumber(key, &index) || !numeric || number > kMaxHz) {
        return "expected event.SELECT=RATE, as in event.0xc0=2G";
      }
      spec_->event_hz[index] = number;
    } else if (absl::ConsumePrefix(&key, "preset.")) {
      if (!ParseRegisterNumber(key, &index) || index > 0xffffffff || !numeric) {
        return "expected preset.REGISTER=CONTENTS";
      }
      spec_->preset[static_cast<uint32_t>(index)] = number;
    } else if (absl::ConsumePrefix(&key, "busy.") && (kind_ & kCpu)) {
      if (!ParseRegisterNumber(key, &index) || index > 255 || !numeric || number > 100) {
        return "expected busy.CPU=PERCENT";
      }
      spec_->busy_percent_of[static_cast<int>(index)] = number;
    } else {
      *known = false;
    }
    return "";
  }

  const unsigned kind_;
  SimulationSpec* const spec_;
};

std::string ModelNames() {
  return absl::StrJoin(kModels, ", ", [](std::string* out, const ModelName& model) {
    absl::StrAppend(out, model.name);
  });
}

}  // namespace

absl::StatusOr<SimulationSpec> ParseSimulationSpec(absl::string_view text) {
  SimulationSpec spec;
  const size_t colon = text.find(':');
  spec.name = std::string(text.substr(0, colon));
  spec.text = std::string(text);
  const ModelName* found = nullptr;
  for (const ModelName& model : kModels) {
    if (spec.name == model.name) found = &model;
  }
  if (found == nullptr) {
    return absl::InvalidArgumentError(absl::StrCat(
        "--simulate: \"", spec.name, "\" at position 1: not a model; known: ", ModelNames()));
  }
  spec.model = found->model;
  if (colon == absl::string_view::npos) return spec;
  SpecReader reader(found->kind, &spec);
  size_t position = colon + 2;
  for (absl::string_view term : absl::StrSplit(text.substr(colon + 1), ',')) {
    absl::Status read = reader.ReadTerm(term, position);
    if (!read.ok()) return read;
    position += term.size() + 1;
  }
  return spec;
}

}  // namespace pmu::server
