#include "server/backends/perf_event/event_alias.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "server/machine/root_files.h"

namespace pmu::server {
namespace {

constexpr size_t kMaxUnitBytes = 64;
constexpr absl::string_view kProperties[] = {".scale", ".unit", ".snapshot", ".per-pkg"};

bool IsPropertyFile(absl::string_view file_name) {
  return std::any_of(std::begin(kProperties), std::end(kProperties),
                     [&](absl::string_view suffix) { return absl::EndsWith(file_name, suffix); });
}

absl::Status BadAlias(const EventAlias& alias, absl::string_view why) {
  return absl::FailedPreconditionError(
      absl::StrCat("the kernel's description of event '", alias.name, "' in sysfs ", why));
}

absl::StatusOr<EventTerm> ParseTerm(const EventAlias& alias, absl::string_view text) {
  const std::pair<absl::string_view, absl::string_view> halves =
      absl::StrSplit(text, absl::MaxSplits('=', 1));
  EventTerm term;
  term.name = std::string(absl::StripAsciiWhitespace(halves.first));
  term.value = std::string(absl::StripAsciiWhitespace(halves.second));
  term.has_value = absl::StrContains(text, '=');
  const bool plain = std::all_of(term.name.begin(), term.name.end(), [](unsigned char c) {
    return absl::ascii_isalnum(c) || c == '_' || c == '-' || c == '.';
  });
  if (term.name.empty() || !plain) {
    return BadAlias(alias, absl::StrCat("has a malformed term '", absl::CHexEscape(text), "'"));
  }
  if (term.has_value && term.value != "?" && !EventTermNumber(term).ok()) {
    return BadAlias(alias,
                    absl::StrCat("has a term without a number, '", absl::CHexEscape(text), "'"));
  }
  return term;
}

void ReadProperties(const std::string& path, EventAlias& alias) {
  const absl::StatusOr<std::string> unit = ReadSmallFile(path + ".unit");
  if (unit.ok()) ParseAliasUnit(*unit, alias);
  const absl::StatusOr<std::string> scale = ReadSmallFile(path + ".scale");
  if (scale.ok()) ParseAliasScale(*scale, alias);
  const absl::StatusOr<std::string> snapshot = ReadTrimmedFile(path + ".snapshot");
  alias.snapshot = snapshot.ok() && *snapshot != "0";
  const absl::StatusOr<std::string> per_package = ReadTrimmedFile(path + ".per-pkg");
  alias.per_package = per_package.ok() && *per_package != "0";
}

}  // namespace

void ParseAliasTerms(absl::string_view text, EventAlias& alias) {
  text = absl::StripAsciiWhitespace(text);
  if (text.empty()) {
    alias.status = BadAlias(alias, "is empty");
    return;
  }
  if (absl::StrContains(text, '\n')) {
    alias.status = BadAlias(alias, "has more than one line");
    return;
  }
  for (const absl::string_view piece : absl::StrSplit(text, ',')) {
    absl::StatusOr<EventTerm> term = ParseTerm(alias, piece);
    if (!term.ok() || alias.terms.size() == kMaxTermsPerEvent) {
      alias.status = term.ok() ? BadAlias(alias, "has too many terms") : term.status();
      return;
    }
    if (term->value == "?") alias.required_terms.push_back(term->name);
    alias.terms.push_back(*std::move(term));
  }
}

void ParseAliasScale(absl::string_view text, EventAlias& alias) {
  text = absl::StripAsciiWhitespace(text);
  double scale = 0;
  if (absl::SimpleAtod(text, &scale) && std::isfinite(scale) && scale > 0) {
    alias.scale = scale;
    return;
  }
  alias.unit.clear();
  alias.warnings.push_back(absl::StrCat("the scale '", absl::CHexEscape(text.substr(0, 32)),
                                        "' in sysfs is unusable: counts are raw, without unit"));
}

void ParseAliasUnit(absl::string_view text, EventAlias& alias) {
  text = absl::StripAsciiWhitespace(text);
  alias.unit.clear();
  for (const char c : text.substr(0, kMaxUnitBytes)) {
    alias.unit += absl::ascii_iscntrl(static_cast<unsigned char>(c)) ? ' ' : c;
  }
  if (text.size() > kMaxUnitBytes) {
    alias.warnings.push_back(
        absl::StrCat("the unit in sysfs is longer than ", kMaxUnitBytes, " bytes and was cut"));
  }
}

std::map<std::string, EventAlias> ReadEventAliases(const std::string& events_directory) {
  std::map<std::string, EventAlias> aliases;
  const absl::StatusOr<std::vector<std::string>> names = ListDirectory(events_directory);
  if (!names.ok()) return aliases;
  for (const std::string& name : *names) {
    if (IsPropertyFile(name)) continue;
    const std::string path = absl::StrCat(events_directory, "/", name);
    EventAlias alias;
    alias.name = name;
    const absl::StatusOr<std::string> text = ReadSmallFile(path);
    if (text.ok()) {
      ParseAliasTerms(*text, alias);
      ReadProperties(path, alias);
    } else {
      alias.status = BadAlias(alias, absl::StrCat("is unreadable: ", text.status().message()));
    }
    aliases.emplace(name, std::move(alias));
  }
  return aliases;
}

}  // namespace pmu::server
