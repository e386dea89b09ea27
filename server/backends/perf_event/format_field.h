// format_field.h: where the bits of a term go, "config:0-7,21".
//
// One file of /sys/bus/event_source/devices/PMU/format (Documentation/ABI/
// testing/sysfs-bus-event_source-devices-format). A value's bits are taken
// from low to high and put at the places in the order they are written, so a
// field may lie in pieces: with "config:0-7,21" the value 0x102 sets bits 1
// and 21.
//
// Immutable; safe to use from any thread.
#ifndef PMU_SERVER_BACKENDS_PERF_EVENT_FORMAT_FIELD_H_
#define PMU_SERVER_BACKENDS_PERF_EVENT_FORMAT_FIELD_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace pmu::server {

// The words of perf_event_attr that a term can reach.
enum class ConfigWord { kConfig, kConfig1, kConfig2 };

class FormatField {
 public:
  // INVALID_ARGUMENT: not a format, a bit above 63, a range that runs
  // backwards, the same bit twice. UNIMPLEMENTED: config3 and later words.
  static absl::StatusOr<FormatField> Parse(absl::string_view text);

  // All 64 bits of one word: what the terms config, config1, config2 mean.
  static FormatField WholeWord(ConfigWord word);

  ConfigWord word() const { return word_; }
  int bit_count() const { return static_cast<int>(bits_.size()); }

  // The largest value that fits.
  uint64_t largest() const;

  // The bits of the word that belong to this field.
  uint64_t mask() const;

  // `field_value`, at most largest(), with its bits at their places.
  uint64_t Scatter(uint64_t field_value) const;

 private:
  FormatField(ConfigWord word, std::vector<int> bits);

  ConfigWord word_;
  std::vector<int> bits_;  // bits_[i] is the place of the value's bit i
};

}  // namespace pmu::server

#endif  // PMU_SERVER_BACKENDS_PERF_EVENT_FORMAT_FIELD_H_
