// pfm_names.h: event names of P6 and later CPUs, from libpfm4.
#ifndef PMU_SERVER_BACKENDS_X86_PMC_PFM_NAMES_H_
#define PMU_SERVER_BACKENDS_X86_PMC_PFM_NAMES_H_

#include <memory>
#include <string>

#include "absl/strings/string_view.h"
#include "server/backends/x86_pmc/pmc_model.h"
#include "server/backends/x86_pmc/pmc_names.h"
#include "server/registers/cpuid_source.h"

namespace pmu::server {

// libpfm4's name of the table for a CPU: "pii", "skl", "amd64_fam17h_zen2".
// `is_this_machine`: the CPU that runs us, which libpfm4 recognises itself;
// others (simulated ones) are told by family and model, as far as known here.
// "": libpfm4 has no table for it, or cannot be initialised.
std::string PfmTableFor(const CpuIdentity& identity, PmcClass pmc_class, bool is_this_machine);

// The names of one of libpfm4's tables. Names are "EVENT" or
// "EVENT.UNIT_MASK". libpfm4 is not thread-safe; one lock in here is.
std::unique_ptr<PmcNames> PfmNames(absl::string_view table);

}  // namespace pmu::server

#endif  // PMU_SERVER_BACKENDS_X86_PMC_PFM_NAMES_H_
