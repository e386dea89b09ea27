// register_hardware.h: the registers that this agent may drive, real or
// simulated, and the backends on them.
//
// Owns the devices and the restore journal. The backends it makes must not
// outlive it.
//
// Thread-compatible. Order: Create (which puts back what a former agent left
// behind), MakeBackends once.
#ifndef PMU_SERVER_REGISTER_HARDWARE_H_
#define PMU_SERVER_REGISTER_HARDWARE_H_

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "server/backends/aperf_mperf/aperf_mperf_backend.h"
#include "server/backends/cci400/cci400_backend.h"
#include "server/backends/counter_backend.h"
#include "server/backends/x86_pmc/x86_pmc_backend.h"
#include "server/journal/file_restore_journal.h"
#include "server/machine/switches/freeze_on_smi.h"
#include "server/registers/mmio_region.h"
#include "server/registers/msr_device.h"
#include "server/registers/simulated/simulated_machine.h"

namespace pmu::server {

// From the command line.
struct RegisterHardwareOptions {
  std::string root;                            // put before /dev, /proc and /sys
  std::string state_dir;                       // for the journal
  std::vector<std::string> simulate;           // one per --simulate
  std::string cci400;                          // where; see OpenCci400Region
  std::vector<std::string> cci400_interfaces;  // "S3=A53 cluster"
  bool cci400_take_over = false;
  bool take_counters = false;  // see X86PmcOptions
};

class RegisterHardware {
 public:
  // Errors: INVALID_ARGUMENT an option is malformed; those of the journal.
  // Hardware that is not there is no error: its backend says so.
  static absl::StatusOr<std::unique_ptr<RegisterHardware>> Create(
      const RegisterHardwareOptions& options);

  // In the order in which they are to be asked about an event. Appends real
  // ones, and puts simulated ones in front: who asks for simulated hardware
  // wants its events counted by it.
  void MakeBackends(std::vector<std::unique_ptr<CounterBackend>>* backends);

  // Sets freeze_on_smi until what it returns is let go, which must be before
  // the end of this object. Errors as FreezeOnSmi::Acquire. Thread-safe.
  absl::StatusOr<std::shared_ptr<void>> HoldFreezeOnSmi();

 private:
  RegisterHardware() = default;

  absl::Status MakeCci400(const RegisterHardwareOptions& options);
  void MakeCpuBackends(const RegisterHardwareOptions& options);
  absl::Status MakeFreezeOnSmi(const RegisterHardwareOptions& options);
  void ReplayJournal();

  std::unique_ptr<FileRestoreJournal> journal_;
  std::unique_ptr<SimulatedMachine> simulated_;
  std::unique_ptr<MmioRegion> cci400_region_;       // real; null: none
  std::unique_ptr<Cci400Backend> cci400_;           // until MakeBackends
  std::unique_ptr<MsrDevice> msr_;                  // real
  std::unique_ptr<AperfMperfBackend> aperf_mperf_;  // until MakeBackends
  std::unique_ptr<X86PmcBackend> x86_pmc_;          // until MakeBackends
  std::unique_ptr<FreezeOnSmi> freeze_on_smi_;
};

}  // namespace pmu::server

#endif  // PMU_SERVER_REGISTER_HARDWARE_H_
