#include "common/options.h"

#include <getopt.h>

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "common/text.h"

namespace pmu {
namespace {

constexpr size_t kHelpColumns = 80;
// Help texts start here; an option that is wider gets a line of its own.
constexpr size_t kMaxHelpIndent = 30;

// getopt's return value for the long name of option 0; above any char.
constexpr int kFirstLongCode = 256;

std::vector<std::string> WrapWords(absl::string_view text, size_t columns) {
  std::vector<std::string> lines(1);
  for (const absl::string_view word : absl::StrSplit(text, ' ', absl::SkipEmpty())) {
    if (!lines.back().empty() && DisplayWidth(lines.back()) + 1 + DisplayWidth(word) > columns) {
      lines.emplace_back();
    }
    absl::StrAppend(&lines.back(), lines.back().empty() ? "" : " ", word);
  }
  return lines;
}

absl::Status OptionError(absl::string_view what) { return absl::InvalidArgumentError(what); }

}  // namespace

void OptionTable::Add(char short_name, absl::string_view long_name, absl::string_view value_name,
                      absl::string_view help, std::function<absl::Status(const std::string&)> set) {
  options_.push_back(Option{short_name, std::string(long_name), std::string(value_name),
                            std::string(help), std::move(set)});
}

void OptionTable::AddFlag(char short_name, absl::string_view long_name, absl::string_view help,
                          bool* target) {
  Add(short_name, long_name, "", help, [target](const std::string&) {
    *target = true;
    return absl::OkStatus();
  });
}

void OptionTable::AddString(char short_name, absl::string_view long_name,
                            absl::string_view value_name, absl::string_view help,
                            std::string* target) {
  Add(short_name, long_name, value_name, help, [target](const std::string& text) {
    *target = text;
    return absl::OkStatus();
  });
}

void OptionTable::AddStrings(char short_name, absl::string_view long_name,
                             absl::string_view value_name, absl::string_view help,
                             std::vector<std::string>* target) {
  Add(short_name, long_name, value_name, help, [target](const std::string& text) {
    target->push_back(text);
    return absl::OkStatus();
  });
}

void OptionTable::AddInt(char short_name, absl::string_view long_name, absl::string_view value_name,
                         absl::string_view help, int64_t min, int64_t max, int64_t* target) {
  Add(short_name, long_name, value_name, help, [=](const std::string& text) {
    int64_t number = 0;
    if (!absl::SimpleAtoi(text, &number) || number < min || number > max) {
      return OptionError(
          absl::StrCat("takes a whole number from ", min, " to ", max, ", not ", Quote(text)));
    }
    *target = number;
    return absl::OkStatus();
  });
}

void OptionTable::AddDuration(char short_name, absl::string_view long_name,
                              absl::string_view value_name, absl::string_view help,
                              absl::Duration* target) {
  Add(short_name, long_name, value_name, help, [target](const std::string& text) {
    absl::Duration duration;
    if (!absl::ParseDuration(text, &duration) || duration <= absl::ZeroDuration() ||
        duration == absl::InfiniteDuration()) {
      return OptionError(absl::StrCat(
          "takes a duration above zero with its unit, such as 500ms, 5s or 1m30s, not ",
          Quote(text)));
    }
    *target = duration;
    return absl::OkStatus();
  });
}

absl::StatusOr<std::vector<std::string>> OptionTable::Parse(
    const std::vector<std::string>& args) const {
  // "+": stop at the first operand. ":": tell a missing value from an unknown
  // option. Each option is reached by its index: its long name by
  // kFirstLongCode + index, its short name through the table.
  std::string short_options = "+:";
  std::vector<option> long_options;
  for (size_t i = 0; i < options_.size(); ++i) {
    const Option& o = options_[i];
    if (o.short_name != 0) {
      short_options.push_back(o.short_name);
      if (!o.value_name.empty()) short_options.push_back(':');
    }
    if (!o.long_name.empty()) {
      long_options.push_back({o.long_name.c_str(),
                              o.value_name.empty() ? no_argument : required_argument, nullptr,
                              kFirstLongCode + static_cast<int>(i)});
    }
  }
  long_options.push_back({nullptr, 0, nullptr, 0});

  // getopt wants a writable argv with a program name; it moves nothing under "+".
  std::vector<std::string> words = {""};
  words.insert(words.end(), args.begin(), args.end());
  std::vector<char*> argv;
  argv.reserve(words.size() + 1);
  for (std::string& word : words) argv.push_back(word.data());
  const int argc = static_cast<int>(argv.size());
  argv.push_back(nullptr);

  opterr = 0;  // Errors are ours to word.
  optind = 0;  // glibc: start afresh.
  while (true) {
    // The word about to be read; inside a cluster such as -ab it stays.
    const int word_index = std::max(optind, 1);
    const int code =
        getopt_long(argc, argv.data(), short_options.c_str(), long_options.data(), nullptr);
    if (code == -1) break;
    if (code == '?' || code == ':') {
      return DescribeError(words[static_cast<size_t>(word_index)], code == ':', optopt);
    }
    const Option& o = Find(code);
    absl::Status status = o.set(optarg == nullptr ? "" : optarg);
    if (!status.ok()) return OptionError(absl::StrCat("option ", Name(o), " ", status.message()));
  }
  return std::vector<std::string>(words.begin() + optind, words.end());
}

const OptionTable::Option& OptionTable::Find(int code) const {
  if (code >= kFirstLongCode) return options_[static_cast<size_t>(code - kFirstLongCode)];
  return *std::find_if(options_.begin(), options_.end(),
                       [code](const Option& o) { return o.short_name == code; });
}

std::string OptionTable::Name(const Option& option) {
  if (option.long_name.empty()) return absl::StrCat("-", std::string(1, option.short_name));
  return absl::StrCat("--", option.long_name);
}

absl::Status OptionTable::DescribeError(const std::string& word, bool value_missing,
                                        int option_code) const {
  if (value_missing) {
    const Option& o = Find(option_code);
    return OptionError(absl::StrCat("option ", Name(o), " needs a value: ", o.value_name));
  }
  if (!absl::StartsWith(word, "--")) {
    return OptionError(absl::StrCat(
        "unknown option ", Quote(absl::StrCat("-", std::string(1, option_code))),
        word.size() > 2 ? " in " : "", word.size() > 2 ? Quote(word) : "", "; see --help"));
  }
  // getopt names the option it was only when a flag was given a value.
  if (option_code >= kFirstLongCode) {
    return OptionError(absl::StrCat("option ", Name(Find(option_code)), " takes no value; ",
                                    Quote(word), " has one"));
  }
  const absl::string_view typed = absl::string_view(word).substr(0, word.find('='));
  std::vector<std::string> candidates;
  for (const Option& o : options_) {
    if (!o.long_name.empty() && absl::StartsWith(absl::StrCat("--", o.long_name), typed)) {
      candidates.push_back(absl::StrCat("--", o.long_name));
    }
  }
  if (candidates.empty()) {
    return OptionError(absl::StrCat("unknown option ", Quote(typed), "; see --help"));
  }
  return OptionError(
      absl::StrCat("option ", Quote(typed), " is ambiguous: ", absl::StrJoin(candidates, " or ")));
}

std::string OptionTable::Help() const {
  std::vector<std::string> left;
  size_t indent = 0;
  for (const Option& o : options_) {
    std::string names = "  ";
    absl::StrAppend(&names,
                    o.short_name == 0 ? "  " : absl::StrCat("-", std::string(1, o.short_name)));
    if (!o.long_name.empty())
      absl::StrAppend(&names, o.short_name == 0 ? "  " : ", ", "--", o.long_name);
    if (!o.value_name.empty())
      absl::StrAppend(&names, o.long_name.empty() ? " " : "=", o.value_name);
    const size_t needed = DisplayWidth(names) + 2;
    if (needed <= kMaxHelpIndent) indent = std::max(indent, needed);
    left.push_back(std::move(names));
  }
  if (indent == 0) indent = kMaxHelpIndent;
  std::string text;
  for (size_t i = 0; i < options_.size(); ++i) {
    std::string head = left[i];
    if (DisplayWidth(head) + 2 > indent) {
      absl::StrAppend(&text, head, "\n");
      head.clear();
    }
    for (const std::string& line : WrapWords(options_[i].help, kHelpColumns - indent)) {
      absl::StrAppend(&text, PadRight(head, indent), line, "\n");
      head.clear();
    }
  }
  return text;
}

}  // namespace pmu
