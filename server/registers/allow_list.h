// allow_list.h: which registers of a hardware model may be read and written.
//
// The last line of defence: whatever a client sends and whatever a backend
// computes from it, only these registers, and in them only these bits, are
// ever touched (see GuardedMsrDevice and GuardedMmioRegion).
//
// Immutable after construction, so safe to use from any thread.
#ifndef PMU_SERVER_REGISTERS_ALLOW_LIST_H_
#define PMU_SERVER_REGISTERS_ALLOW_LIST_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace pmu::server {

// Addresses first..last, both included. A write that sets a bit outside
// `writable_bits` is refused; 0: read only.
struct AllowedRegisters {
  uint32_t first;
  uint32_t last;
  uint64_t writable_bits;
};

class RegisterAllowList {
 public:
  RegisterAllowList(absl::string_view model, std::vector<AllowedRegisters> entries);

  // PERMISSION_DENIED naming the register and the model.
  absl::Status CheckRead(uint32_t address) const;
  // PERMISSION_DENIED naming the register, the bits and the model.
  absl::Status CheckWrite(uint32_t address, uint64_t data) const;

  const std::string& model() const { return model_; }

  // This list and `other`: where both name a register, the writable bits of
  // both are allowed.
  RegisterAllowList Plus(const RegisterAllowList& other) const;

 private:
  std::string model_;
  std::vector<AllowedRegisters> entries_;
};

// The lists, from the register maps of docs/cci400.md, Intel's Software
// Developer's Manual volume 4 and AMD's Architecture Programmer's Manual
// volume 2. They live for ever.
const RegisterAllowList& Cci400AllowList();       // byte offsets in the 64 KiB view
const RegisterAllowList& I586AllowList();         // CESR, CTR0, CTR1, TSC
const RegisterAllowList& I686AllowList();         // P6 selects and counters, TSC
const RegisterAllowList& ArchPerfmonAllowList();  // and global and fixed counters
const RegisterAllowList& AmdAllowList();          // K7 and extended registers
const RegisterAllowList& AperfMperfAllowList();   // read only; nominal frequency too
const RegisterAllowList& SmiCountAllowList();     // read only

}  // namespace pmu::server

#endif  // PMU_SERVER_REGISTERS_ALLOW_LIST_H_
