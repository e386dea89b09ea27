#include "common/host_list.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "common/host_pattern.h"
#include "common/text.h"

namespace pmu {
namespace {

// Reads one list, then expands it: nothing is expanded before all of it is
// known to be well-formed and within the limit.
class ListReader {
 public:
  // Takes all items of `text`. `where` starts each message, "host list" or
  // "hosts file F, line N".
  absl::Status AddList(absl::string_view text, absl::string_view where, bool files_allowed);

  absl::StatusOr<HostList> Expand() const;

 private:
  struct Source {
    HostPattern pattern;
    std::string place;  // Starts the message when an expanded name is bad.
  };
  absl::Status AddItem(absl::string_view item, const std::string& place, bool files_allowed);
  absl::Status AddFile(absl::string_view path, const std::string& place);

  std::vector<Source> sources_;
  uint64_t host_count_ = 0;
};

absl::Status WithPlace(const absl::Status& status, absl::string_view place) {
  return absl::Status(status.code(), absl::StrCat(place, ": ", status.message()));
}

// The next item of a list: up to the next comma outside brackets. Paths know
// no brackets.
absl::string_view TakeItem(absl::string_view* rest) {
  const absl::string_view item = absl::StripLeadingAsciiWhitespace(*rest);
  const bool is_path = absl::StartsWith(item, "unix:") || absl::StartsWith(item, "@");
  bool in_bracket = false;
  size_t end = 0;
  for (; end < rest->size(); ++end) {
    const char c = (*rest)[end];
    if (c == ',' && !in_bracket) break;
    if (c == '[') in_bracket = !is_path;
    if (c == ']') in_bracket = false;
  }
  const absl::string_view taken = rest->substr(0, end);
  rest->remove_prefix(end);
  return taken;
}

// Paths are told in full: a shortened one helps nobody.
std::string QuotePath(absl::string_view path) { return Quote(path, PATH_MAX); }

// At most `limit` + 1 bytes of a file.
absl::StatusOr<std::string> ReadFile(const std::string& path, size_t limit) {
  std::unique_ptr<FILE, int (*)(FILE*)> file(fopen(path.c_str(), "re"), fclose);
  std::string text(limit + 1, '\0');
  size_t length = 0;
  if (file != nullptr) length = fread(text.data(), 1, text.size(), file.get());
  if (file == nullptr || ferror(file.get())) {
    return absl::NotFoundError(
        absl::ErrnoToStatus(errno, absl::StrCat("cannot read hosts file ", QuotePath(path)))
            .message());
  }
  text.resize(length);
  return text;
}

absl::Status ListReader::AddList(absl::string_view text, absl::string_view where,
                                 bool files_allowed) {
  if (text.size() > kMaxHostListBytes) {
    return absl::ResourceExhaustedError(
        absl::StrCat(where, ": ", text.size(), " bytes; the limit is ", kMaxHostListBytes));
  }
  absl::string_view rest = text;
  while (true) {
    const absl::string_view item = absl::StripAsciiWhitespace(TakeItem(&rest));
    const std::string place = absl::StrCat(where, ", position ", item.data() - text.data() + 1);
    absl::Status status = AddItem(item, place, files_allowed);
    if (!status.ok()) return status;
    if (rest.empty()) return absl::OkStatus();
    rest.remove_prefix(1);  // The comma.
  }
}

absl::Status ListReader::AddItem(absl::string_view item, const std::string& place,
                                 bool files_allowed) {
  if (item.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat(place, ": a host is missing here; remove the ',' or name one"));
  }
  if (item[0] == '@') {
    if (files_allowed) return AddFile(item.substr(1), place);
    return absl::InvalidArgumentError(
        absl::StrCat(place, ": ", QuotePath(item), ": a hosts file cannot include another"));
  }
  absl::StatusOr<HostPattern> pattern = HostPattern::Parse(item);
  if (!pattern.ok()) return WithPlace(pattern.status(), place);
  host_count_ += std::min<uint64_t>(pattern->HostCount(), kMaxHosts + 1);
  if (host_count_ > kMaxHosts) {
    return absl::ResourceExhaustedError(absl::StrCat(
        place, ": with ", Quote(item), " the list has more than ", kMaxHosts, " hosts, the limit"));
  }
  sources_.push_back(Source{*std::move(pattern), place});
  return absl::OkStatus();
}

absl::Status ListReader::AddFile(absl::string_view path, const std::string& place) {
  if (path.empty()) {
    return absl::InvalidArgumentError(absl::StrCat(place, ": \"@\" needs the path of a file"));
  }
  absl::StatusOr<std::string> text = ReadFile(std::string(path), kMaxHostListBytes);
  if (!text.ok()) return WithPlace(text.status(), place);
  if (text->size() > kMaxHostListBytes) {
    return absl::ResourceExhaustedError(absl::StrCat(place, ": hosts file ", QuotePath(path),
                                                     " is longer than ", kMaxHostListBytes,
                                                     " bytes, the limit"));
  }
  int line_number = 0;
  for (absl::string_view line : absl::StrSplit(*text, '\n')) {
    ++line_number;
    line = line.substr(0, line.find('#'));
    if (absl::StripAsciiWhitespace(line).empty()) continue;
    absl::Status status =
        AddList(line, absl::StrCat("hosts file ", QuotePath(path), ", line ", line_number), false);
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::StatusOr<HostList> ListReader::Expand() const {
  HostList list;
  absl::flat_hash_set<std::string> seen;
  absl::flat_hash_set<std::string> seen_twice;
  for (const Source& source : sources_) {
    for (std::string& host : source.pattern.Expand()) {
      absl::StatusOr<std::string> target = HostTarget(host);
      if (!target.ok()) return WithPlace(target.status(), source.place);
      if (seen.insert(host).second) {
        list.hosts.push_back(std::move(host));
      } else if (seen_twice.insert(host).second) {
        list.duplicates.push_back(std::move(host));
      }
    }
  }
  if (list.hosts.empty()) {
    return absl::InvalidArgumentError("host list: no host in it; name at least one");
  }
  return list;
}

}  // namespace

absl::StatusOr<HostList> ParseHostList(absl::string_view text) {
  if (absl::StripAsciiWhitespace(text).empty()) {
    return absl::InvalidArgumentError("host list: empty; name at least one host");
  }
  ListReader reader;
  absl::Status status = reader.AddList(text, "host list", true);
  if (!status.ok()) return status;
  return reader.Expand();
}

}  // namespace pmu
