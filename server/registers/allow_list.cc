#include "server/registers/allow_list.h"

#include <utility>

#include "absl/strings/str_format.h"

namespace pmu::server {
namespace {

constexpr uint64_t kAllBits = ~uint64_t{0};
constexpr uint64_t kReadOnly = 0;
constexpr uint64_t kCounter40Bits = (uint64_t{1} << 40) - 1;
constexpr uint64_t kSelect32Bits = 0xffffffff;
// AMD selects: event code bits [35:32], and the guest/host bits [41:40].
constexpr uint64_t kAmdSelectBits = 0x30fffffffff;

}  // namespace

RegisterAllowList::RegisterAllowList(absl::string_view model, std::vector<AllowedRegisters> entries)
    : model_(model), entries_(std::move(entries)) {}

absl::Status RegisterAllowList::CheckRead(uint32_t address) const {
  for (const AllowedRegisters& entry : entries_) {
    if (address >= entry.first && address <= entry.last) return absl::OkStatus();
  }
  return absl::PermissionDeniedError(
      absl::StrFormat("register 0x%x is not on the allow-list of %s", address, model_));
}

absl::Status RegisterAllowList::CheckWrite(uint32_t address, uint64_t data) const {
  uint64_t writable = 0;
  bool known = false;
  for (const AllowedRegisters& entry : entries_) {
    if (address < entry.first || address > entry.last) continue;
    known = true;
    writable |= entry.writable_bits;
  }
  if (!known) return CheckRead(address);
  if (writable == 0) {
    return absl::PermissionDeniedError(
        absl::StrFormat("register 0x%x is read only on the allow-list of %s", address, model_));
  }
  if ((data & ~writable) == 0) return absl::OkStatus();
  return absl::PermissionDeniedError(
      absl::StrFormat("register 0x%x: bits 0x%x are not on the allow-list of %s", address,
                      data & ~writable, model_));
}

RegisterAllowList RegisterAllowList::Plus(const RegisterAllowList& other) const {
  std::vector<AllowedRegisters> entries = entries_;
  entries.insert(entries.end(), other.entries_.begin(), other.entries_.end());
  return RegisterAllowList(absl::StrFormat("%s and %s", model_, other.model_), std::move(entries));
}

const RegisterAllowList& Cci400AllowList() {
  static const RegisterAllowList& list = *new RegisterAllowList(
      "CCI-400", {
                     {0x0100, 0x0103, 0xf83f},  // PMCR: CEN RST CCR CCD EX DP; NCNT as read
                     {0x0fe8, 0x0feb, kReadOnly},
                     {0x9004, 0x9007, 0xffffffff},  // Cycle counter: no event select.
                     {0x9008, 0x900f, 0x1},
                     {0xa000, 0xa003, 0xff},
                     {0xa004, 0xa007, 0xffffffff},
                     {0xa008, 0xa00f, 0x1},
                     {0xb000, 0xb003, 0xff},
                     {0xb004, 0xb007, 0xffffffff},
                     {0xb008, 0xb00f, 0x1},
                     {0xc000, 0xc003, 0xff},
                     {0xc004, 0xc007, 0xffffffff},
                     {0xc008, 0xc00f, 0x1},
                     {0xd000, 0xd003, 0xff},
                     {0xd004, 0xd007, 0xffffffff},
                     {0xd008, 0xd00f, 0x1},
                 });
  return list;
}

const RegisterAllowList& I586AllowList() {
  static const RegisterAllowList& list =
      *new RegisterAllowList("i586", {
                                         {0x10, 0x10, kReadOnly},   // TSC
                                         {0x11, 0x11, 0x03ff03ff},  // CESR
                                         {0x12, 0x13, kCounter40Bits},
                                     });
  return list;
}

const RegisterAllowList& I686AllowList() {
  static const RegisterAllowList& list =
      *new RegisterAllowList("i686", {
                                         {0x10, 0x10, kReadOnly},
                                         {0xc1, 0xc2, kAllBits},  // Written sign-extended.
                                         {0x186, 0x187, kSelect32Bits},
                                     });
  return list;
}

const RegisterAllowList& ArchPerfmonAllowList() {
  static const RegisterAllowList& list = *new RegisterAllowList(
      "Intel architectural perfmon", {
                                         {0x10, 0x10, kReadOnly},
                                         {0xc1, 0xc8, kAllBits},
                                         {0x186, 0x18d, kSelect32Bits},
                                         {0x309, 0x30c, kAllBits},   // Fixed counters.
                                         {0x345, 0x345, kReadOnly},  // PERF_CAPABILITIES
                                         {0x38d, 0x38d, kAllBits},   // FIXED_CTR_CTRL
                                         {0x38e, 0x38e, kReadOnly},  // GLOBAL_STATUS
                                         {0x38f, 0x390, kAllBits},   // GLOBAL_CTRL, _OVF_CTRL
                                         {0x392, 0x392, kReadOnly},  // GLOBAL_INUSE
                                         {0x4c1, 0x4c8, kAllBits},   // Full-width writes.
                                     });
  return list;
}

const RegisterAllowList& AmdAllowList() {
  static const RegisterAllowList& list =
      *new RegisterAllowList("AMD", {
                                        {0x10, 0x10, kReadOnly},
                                        {0xc0010000, 0xc0010003, kAmdSelectBits},
                                        {0xc0010004, 0xc0010007, kAllBits},
                                        {0xc0010200, 0xc0010200, kAmdSelectBits},
                                        {0xc0010201, 0xc0010201, kAllBits},
                                        {0xc0010202, 0xc0010202, kAmdSelectBits},
                                        {0xc0010203, 0xc0010203, kAllBits},
                                        {0xc0010204, 0xc0010204, kAmdSelectBits},
                                        {0xc0010205, 0xc0010205, kAllBits},
                                        {0xc0010206, 0xc0010206, kAmdSelectBits},
                                        {0xc0010207, 0xc0010207, kAllBits},
                                        {0xc0010208, 0xc0010208, kAmdSelectBits},
                                        {0xc0010209, 0xc0010209, kAllBits},
                                        {0xc001020a, 0xc001020a, kAmdSelectBits},
                                        {0xc001020b, 0xc001020b, kAllBits},
                                    });
  return list;
}

const RegisterAllowList& AperfMperfAllowList() {
  static const RegisterAllowList& list =
      *new RegisterAllowList("MPERF/APERF", {
                                                {0x10, 0x10, kReadOnly},
                                                {0xce, 0xce, kReadOnly},  // PLATFORM_INFO
                                                {0xe7, 0xe8, kReadOnly},
                                                {0xc0010064, 0xc0010064, kReadOnly},  // P0
                                            });
  return list;
}

const RegisterAllowList& SmiCountAllowList() {
  static const RegisterAllowList& list = *new RegisterAllowList(
      "SMI count", {
                       {0x34, 0x34, kReadOnly}, {0x1d9, 0x1d9, kReadOnly},  // IA32_DEBUGCTL
                   });
  return list;
}

}  // namespace pmu::server
