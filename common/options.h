// options.h: command line options of pmud and pmuctl.
//
// A thin layer over getopt_long(3): one table gives both the parsing and the
// help text, so that the two cannot differ. Parsing stops at the first operand
// or at "--", so that the options of a wrapped command are never taken.
//
// Example:
//   std::string hosts;
//   bool json = false;
//   OptionTable table;
//   table.AddString('H', "hosts", "LIST", "agents to measure", &hosts);
//   table.AddFlag('j', "json", "print JSON", &json);
//   absl::StatusOr<std::vector<std::string>> operands = table.Parse(args);
//
// Thread-hostile (getopt keeps global state): call from main only.
#ifndef PMU_COMMON_OPTIONS_H_
#define PMU_COMMON_OPTIONS_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace pmu {

class OptionTable {
 public:
  // `short_name` 0: none; `long_name` "": none. Targets are not owned, must
  // outlive Parse, and keep their value when the option is not given, so set
  // them to the default.
  void AddFlag(char short_name, absl::string_view long_name, absl::string_view help, bool* target);
  void AddString(char short_name, absl::string_view long_name, absl::string_view value_name,
                 absl::string_view help, std::string* target);
  // Repeatable: every use appends.
  void AddStrings(char short_name, absl::string_view long_name, absl::string_view value_name,
                  absl::string_view help, std::vector<std::string>* target);
  // An integer in [min, max].
  void AddInt(char short_name, absl::string_view long_name, absl::string_view value_name,
              absl::string_view help, int64_t min, int64_t max, int64_t* target);
  // "500ms", "5s", "1m30s" (absl::ParseDuration); a number without a unit is
  // refused. Must be positive.
  void AddDuration(char short_name, absl::string_view long_name, absl::string_view value_name,
                   absl::string_view help, absl::Duration* target);

  // Parses `args` (without program and subcommand names) and returns what is
  // left: the operands, a leading "--" dropped. INVALID_ARGUMENT: one line
  // naming the option and what it takes. A long name may be cut short while it
  // stays unambiguous.
  absl::StatusOr<std::vector<std::string>> Parse(const std::vector<std::string>& args) const;

  // The options, one a line, aligned, wrapped to 80 columns, for --help.
  std::string Help() const;

 private:
  struct Option {
    char short_name;
    std::string long_name;
    std::string value_name;  // Empty: takes no value.
    std::string help;
    std::function<absl::Status(const std::string&)> set;
  };
  void Add(char short_name, absl::string_view long_name, absl::string_view value_name,
           absl::string_view help, std::function<absl::Status(const std::string&)> set);
  // The option behind a code that getopt_long returned.
  const Option& Find(int code) const;
  static std::string Name(const Option& option);
  // The error line for a word that getopt_long refused.
  absl::Status DescribeError(const std::string& word, bool value_missing, int option_code) const;

  std::vector<Option> options_;
};

}  // namespace pmu

#endif  // PMU_COMMON_OPTIONS_H_
