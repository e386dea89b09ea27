// register_access.h: one access to a register, for logs and tests.
#ifndef PMU_SERVER_REGISTERS_REGISTER_ACCESS_H_
#define PMU_SERVER_REGISTERS_REGISTER_ACCESS_H_

#include <cstdint>
#include <functional>
#include <string>

namespace pmu::server {

struct RegisterAccess {
  bool is_write = false;
  int cpu = -1;          // -1: a device register
  uint32_t address = 0;  // MSR number or byte offset
  uint64_t data = 0;     // read or written; 0 when a read failed
  bool ok = true;        // false: refused by the allow-list or failed
};

// Called after each access, in the order of the accesses. Must not access
// registers itself.
using RegisterAccessObserver = std::function<void(const RegisterAccess&)>;

// "write cpu 0 0x186 = 0x4300c0", "read 0x100 = 0x2000", "read 0x8 failed".
std::string FormatRegisterAccess(const RegisterAccess& access);

}  // namespace pmu::server

#endif  // PMU_SERVER_REGISTERS_REGISTER_ACCESS_H_
