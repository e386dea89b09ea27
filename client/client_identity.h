// client_identity.h: who we say we are to agents.
//
// Safe to call from any thread.
#ifndef PMU_CLIENT_CLIENT_IDENTITY_H_
#define PMU_CLIENT_CLIENT_IDENTITY_H_

#include <string>

namespace pmu::client {

// "user@host:pid", at most 256 bytes: shown to others who want the counters.
std::string ClientId();

// 32 hex digits of the system's randomness: an idempotency key.
std::string RandomKey();

}  // namespace pmu::client

#endif  // PMU_CLIENT_CLIENT_IDENTITY_H_
