// table_cells.h: the cells that the layouts of the result table share.
//
// Thread-compatible.
#ifndef PMU_CLIENT_REPORT_TABLE_CELLS_H_
#define PMU_CLIENT_REPORT_TABLE_CELLS_H_

#include <string>
#include <vector>

#include "client/aggregate.h"
#include "client/report/display_unit.h"
#include "client/report/footnotes.h"
#include "client/report/text_grid.h"

namespace pmu::client {

// Turns values into cells, and what there is to say about them into footnotes.
class CellWriter {
 public:
  // Neither is owned; both must outlive this.
  CellWriter(const Report* report, Footnotes* footnotes) : report_(report), footnotes_(footnotes) {}

  // `cpus_follow`: the cell's counters are listed, one by one, below it.
  TextGrid::Cell Host(const Row& row, const DisplayUnit& unit, const HostCell& cell,
                      bool cpus_follow) const;
  TextGrid::Cell Cpu(const Row& row, const DisplayUnit& unit, const HostCell& cell,
                     const PerCpuValue& cpu) const;
  TextGrid::Cell Total(const Row& row, const DisplayUnit& unit) const;

  const std::string& HostName(const HostCell& cell) const {
    return report_->result.hosts[cell.host].host;
  }

 private:
  TextGrid::Cell Number(const Value& value, const DisplayUnit& unit, const std::string& event,
                        const std::string& host) const;

  const Report* report_;
  Footnotes* footnotes_;
};

// "cycles [cpu_core]", "l2_misses (simulated)".
std::string RowLabel(const Row& row);
// "task-clock (ms)".
std::string LabelWithUnit(const Row& row, const DisplayUnit& unit);
// "196 of 200"; for rows with something missing.
std::string HostsOfText(const Row& row);
bool IsIncomplete(const Row& row);
// Share of the time that the row's counters really counted; 1 when it has no
// number at all.
double CountedShare(const Row& row);
bool IsMultiplexed(const Row& row);
// "12.5%", or "" when counted all the time.
std::string CountedText(const Row& row);
// Counters of the host with most of them.
size_t MostCpus(const Row& row);

// Some counter of the row has a number of its own.
bool HasCpuNumbers(const Row& row);

// A place of --per-cpu: one line over all hosts.
struct CpuPlace {
  int cpu = -1;
  int tid = 0;
  int occurrence = 0;  // counters that share CPU and thread are numbered
  std::string Label() const;
  // The host's counter at this place; null when it has none.
  const PerCpuValue* Find(const HostCell& cell) const;
};
// All places of a row, ascending.
std::vector<CpuPlace> CpuPlaces(const Row& row);

}  // namespace pmu::client

#endif  // PMU_CLIENT_REPORT_TABLE_CELLS_H_
