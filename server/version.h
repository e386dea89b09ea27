// version.h: the version of the agent.
#ifndef PMU_SERVER_VERSION_H_
#define PMU_SERVER_VERSION_H_

namespace pmu::server {

inline constexpr char kAgentVersion[] = "0.1.0";

}  // namespace pmu::server

#endif  // PMU_SERVER_VERSION_H_
