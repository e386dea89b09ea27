// csv.h: the result of a measurement as CSV (docs/output.md).
//
// RFC 4180 quoting; a header line, then the same columns in every line; no
// comments. The same bytes in every locale. Pure; safe from any thread.
#ifndef PMU_CLIENT_REPORT_CSV_H_
#define PMU_CLIENT_REPORT_CSV_H_

#include <string>

#include "absl/status/status.h"
#include "absl/types/optional.h"
#include "client/aggregate.h"

namespace pmu::client {

struct CsvOptions {
  char separator = ',';
  bool per_cpu = false;  // "cpu" rows too
  bool titles = true;    // the header line
  // Of intervals: two columns in front, `interval` and `time_s`. Both empty
  // for the whole run after them; not given: no such columns.
  absl::optional<std::string> interval = absl::nullopt;
  std::string time_s = "";
};

// OK when `text` is one character that can separate columns; "\t" and "tab"
// are the tab. INVALID_ARGUMENT: it is not one character, or a quote, a digit,
// a letter, '.', '-' or a line break, which occur in values.
absl::Status ParseCsvSeparator(const std::string& text, char* separator);

// Lines end in "\n".
std::string PrintCsv(const Report& report, const CsvOptions& options);

}  // namespace pmu::client

#endif  // PMU_CLIENT_REPORT_CSV_H_
