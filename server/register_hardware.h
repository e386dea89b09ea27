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

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "server/backends/cci400/cci400_backend.h"
#include "server/backends/counter_backend.h"
#include "server/journal/file_restore_journal.h"
#include "server/registers/mmio_region.h"
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
};

class RegisterHardware {
 public:
  // Errors: INVALID_ARGUMENT an option is malformed; those of the journal.
  // Hardware that is not there is no error: its backend says so.
  static absl::StatusOr<std::unique_ptr<RegisterHardware>> Create(
      const RegisterHardwareOptions& options);

  // In the order in which they are to be asked about an event. Appends.
  void MakeBackends(std::vector<std::unique_ptr<CounterBackend>>* backends);

 private:
  RegisterHardware() = default;

  absl::Status MakeCci400(const RegisterHardwareOptions& options);
  void ReplayJournal();

  std::unique_ptr<FileRestoreJournal> journal_;
  std::unique_ptr<SimulatedMachine> simulated_;
  std::unique_ptr<MmioRegion> cci400_region_;  // real; null: none
  std::unique_ptr<Cci400Backend> cci400_;      // until MakeBackends
};

}  // namespace pmu::server

#endif  // PMU_SERVER_REGISTER_HARDWARE_H_
