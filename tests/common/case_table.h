// case_table.h: the tables of field cases, tests/cases/tables. Tests only.
#ifndef PMU_TESTS_COMMON_CASE_TABLE_H_
#define PMU_TESTS_COMMON_CASE_TABLE_H_

#include <string>
#include <vector>

namespace pmu {

// The rows of tests/cases/tables/`file`, split at tabs, without comment lines.
// Fails the test when the file cannot be read or a row does not have
// `columns` fields: a table that is not there must not look like one that
// holds. Thread-compatible.
std::vector<std::vector<std::string>> ReadCaseTable(const std::string& file, size_t columns);

}  // namespace pmu

#endif  // PMU_TESTS_COMMON_CASE_TABLE_H_
