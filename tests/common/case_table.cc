#include "tests/common/case_table.h"

#include <fstream>

#include "absl/strings/str_split.h"
#include "gtest/gtest.h"

namespace pmu {

std::vector<std::vector<std::string>> ReadCaseTable(const std::string& file, size_t columns) {
  std::vector<std::vector<std::string>> rows;
  std::ifstream input("tests/cases/tables/" + file);
  for (std::string line; std::getline(input, line);) {
    if (line.empty() || line[0] == '#') continue;
    rows.push_back(absl::StrSplit(line, '\t'));
    EXPECT_EQ(rows.back().size(), columns) << file << ": " << line;
    rows.back().resize(columns);
  }
  EXPECT_FALSE(rows.empty()) << file << " is missing or empty";
  return rows;
}

}  // namespace pmu
