// golden.h: expected text in tests, as it looks.
#ifndef PMU_TESTS_CLIENT_REPORT_GOLDEN_H_
#define PMU_TESTS_CLIENT_REPORT_GOLDEN_H_

#include <string>

namespace pmu::client {

// A raw string literal without the line break after its opening parenthesis.
inline std::string Golden(const std::string& literal) { return literal.substr(1); }

}  // namespace pmu::client

#endif  // PMU_TESTS_CLIENT_REPORT_GOLDEN_H_
