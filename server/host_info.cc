#include "server/host_info.h"

#include "common/version.h"
#include "server/machine/machine_info.h"
#include "server/proto_convert.h"

namespace pmu::server {

void FillHost(const HostInfoSource& source, pmu::v1::Host* out) {
  const MachineInfo machine = ReadMachineInfo(source.sysfs_root);
  out->set_hostname(machine.hostname);
  out->set_boot_id(machine.boot_id);
  out->set_agent_version(kVersion);
  out->set_agent_instance(source.agent_instance);
  out->set_os(machine.os);
  out->set_kernel_release(machine.kernel_release);
  out->set_machine(machine.machine);
  out->set_cpu_model(machine.cpu_model);
  out->set_online_cpus(FormatCpuList(machine.online_cpus));
  out->set_possible_cpus(FormatCpuList(machine.possible_cpus));
  out->set_package_count(machine.package_count);
  if (machine.perf_event_paranoid.has_value()) {
    out->set_perf_event_paranoid(*machine.perf_event_paranoid);
  }
  for (const CounterBackend* backend : source.backends) {
    ToProto(backend->Describe(), out->add_backends());
  }
  ToProto(source.limits, out->mutable_limits());
  out->set_monotonic_ns(source.clock->MonotonicNs());
  out->set_wall_ns(source.clock->WallNs());
}

}  // namespace pmu::server
