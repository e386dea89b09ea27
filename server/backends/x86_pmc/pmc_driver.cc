#include "server/backends/x86_pmc/pmc_driver.h"

#include "server/backends/x86_pmc/global_control_driver.h"
#include "server/backends/x86_pmc/i586_driver.h"
#include "server/backends/x86_pmc/i686_driver.h"
#include "server/backends/x86_pmc/select_driver.h"

namespace pmu::server {

std::unique_ptr<PmcDriver> PmcDriver::Create(const PmcModel& model, MsrDevice* device) {
  switch (model.pmc_class) {
    case PmcClass::kI586:
      return std::make_unique<I586Driver>(model, device);
    case PmcClass::kI686:
      return std::make_unique<I686Driver>(model, device);
    case PmcClass::kArchitectural:
      if (model.has_global_control()) return std::make_unique<GlobalControlDriver>(model, device);
      return std::make_unique<SelectDriver>(model, device);
    case PmcClass::kAmd:
      return std::make_unique<SelectDriver>(model, device);
    case PmcClass::kNone:
      break;
  }
  return nullptr;
}

}  // namespace pmu::server
