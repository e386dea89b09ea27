// version.h: the version of pmud, pmuctl and the client library.
#ifndef PMU_COMMON_VERSION_H_
#define PMU_COMMON_VERSION_H_

namespace pmu {

inline constexpr char kVersion[] = "0.1.0";

}  // namespace pmu

#endif  // PMU_COMMON_VERSION_H_
