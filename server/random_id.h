// random_id.h: names that cannot be guessed. Thread-safe.
#ifndef PMU_SERVER_RANDOM_ID_H_
#define PMU_SERVER_RANDOM_ID_H_

#include <string>

namespace pmu::server {

// 16 hex digits from getrandom(2).
std::string RandomHex();

}  // namespace pmu::server

#endif  // PMU_SERVER_RANDOM_ID_H_
