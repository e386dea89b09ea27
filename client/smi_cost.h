// smi_cost.h: how far the cost of system management interrupts can be trusted.
//
// Pure; safe from any thread.
#ifndef PMU_CLIENT_SMI_COST_H_
#define PMU_CLIENT_SMI_COST_H_

#include "client/aggregate.h"

namespace pmu::client {

// Adds a note to every host whose CPUs were mostly idle while msr/aperf/ was
// measured. While a CPU is idle neither aperf nor cycles run, so an SMI that
// comes then costs nothing that could be seen.
void NoteIdleCpus(Report* report);

}  // namespace pmu::client

#endif  // PMU_CLIENT_SMI_COST_H_
