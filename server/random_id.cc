#include "server/random_id.h"

#include <sys/random.h>

#include <cstdint>
#include <cstdlib>

#include "absl/strings/str_cat.h"

namespace pmu::server {

std::string RandomHex() {
  uint64_t number;
  // 8 bytes are never cut short (getrandom(2)); without a source of randomness
  // nothing here could be trusted.
  if (getrandom(&number, sizeof(number), 0) != sizeof(number)) abort();
  return absl::StrCat(absl::Hex(number, absl::kZeroPad16));
}

}  // namespace pmu::server
