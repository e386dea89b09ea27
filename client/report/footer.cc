#include "client/report/footer.h"

#include <algorithm>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "client/report/cell_state.h"
#include "client/report/footnotes.h"
#include "client/report/number_text.h"
#include "client/report/text_grid.h"
#include "common/host_list.h"

namespace pmu::client {
namespace {

constexpr size_t kMaxFailureLines = 10;

std::string MeasuredText(const MeasurementResult& result) {
  std::vector<int64_t> lengths;
  for (const HostResult& host : result.hosts) {
    if (host.measured_ns > 0) lengths.push_back(host.measured_ns);
  }
  if (lengths.empty()) return "nothing measured\n";
  const auto [least, most] = std::minmax_element(lengths.begin(), lengths.end());
  std::string text = absl::StrCat("measured ", SecondsText(*least));
  if (SecondsText(*least) != SecondsText(*most)) {
    absl::StrAppend(&text, " to ", SecondsText(*most));
  }
  if (result.interrupted) absl::StrAppend(&text, ", then interrupted");
  return text + "\n";
}

std::string TimingText(const MeasurementResult& result, size_t width) {
  std::string text;
  const auto started_count = std::count_if(result.hosts.begin(), result.hosts.end(),
                                           [](const HostResult& host) { return host.enabled; });
  if (result.start_skew_ns && started_count > 1) {
    absl::StrAppend(&text, "start skew ", MillisecondsText(*result.start_skew_ns), " (+- ",
                    MillisecondsText(result.start_skew_error_ns), ")");
  }
  const HostResult* worst = nullptr;
  for (const HostResult& host : result.hosts) {
    if (host.clock && (!worst || host.clock->error_ns > worst->clock->error_ns)) worst = &host;
  }
  if (worst) {
    absl::StrAppend(&text, text.empty() ? "" : ", ", "clock error at most ",
                    MillisecondsText(worst->clock->error_ns));
    if (result.hosts.size() > 1) absl::StrAppend(&text, " (", worst->host, ")");
  }
  return text.empty() ? "" : WrapWords(text, 2, width);
}

// Warnings of cells, each text once.
std::string WarningsText(const Report& report, size_t width) {
  Mentions warnings;
  for (const Row& row : report.rows) {
    for (const HostCell& cell : row.cells) {
      for (const std::string& warning : cell.warnings) {
        warnings.Add(warning, row.label, report.result.hosts[cell.host].host);
      }
    }
  }
  for (const HostResult& host : report.result.hosts) {
    for (const std::string& note : host.notes) warnings.Add(Printable(note), "", host.host);
  }
  std::string out;
  for (const Mention& warning : warnings.all()) {
    const std::string text =
        absl::StrCat("warning: ", warning.Sentence(report.result.hosts.size()));
    out += WrapWords(text, 2, width);
  }
  return out;
}

std::string FailuresText(const MeasurementResult& result, size_t width) {
  std::vector<FailedHost> failed;
  for (const HostResult& host : result.hosts) {
    if (!host.status.ok()) failed.push_back({host.host, host.status});
  }
  if (failed.empty()) return "";
  return absl::StrCat(result.hosts.size() - failed.size(), " of ", result.hosts.size(),
                      " hosts measured; failed:\n", FailedHostsText(failed, width));
}

// `text` with the host's name, where it stands alone, as "HOST".
std::string WithoutHost(const std::string& text, const std::string& host) {
  auto is_word = [&](size_t i) {
    return i < text.size() && (absl::ascii_isalnum(text[i]) || text[i] == '-');
  };
  std::string out;
  size_t from = 0;
  for (size_t at = text.find(host); !host.empty() && at != std::string::npos;
       at = text.find(host, at + host.size())) {
    if ((at > 0 && is_word(at - 1)) || is_word(at + host.size())) continue;
    absl::StrAppend(&out, text.substr(from, at - from), "HOST");
    from = at + host.size();
  }
  return out + text.substr(from);
}

}  // namespace

std::string FailedHostsText(const std::vector<FailedHost>& failed, size_t width) {
  // Messages name their host; what differs only there is one message.
  struct Group {
    std::string pattern;
    std::string first;
    std::vector<std::string> hosts;
  };
  std::vector<Group> groups;
  for (const FailedHost& host : failed) {
    const absl::Status bare(host.status.code(),
                            absl::StripPrefix(host.status.message(), host.host + ": "));
    const std::string text = StatusText(bare);
    const std::string pattern = WithoutHost(text, host.host);
    auto same = [&](const Group& group) { return group.pattern == pattern; };
    auto group = std::find_if(groups.begin(), groups.end(), same);
    if (group == groups.end()) group = groups.insert(groups.end(), {pattern, text, {}});
    group->hosts.push_back(host.host);
  }
  std::string out;
  size_t named_count = 0;
  for (size_t i = 0; i < groups.size() && i < kMaxFailureLines; ++i) {
    const Group& group = groups[i];
    const std::string& text = group.hosts.size() == 1 ? group.first : group.pattern;
    out +=
        WrapWords(absl::StrCat("  ", FoldHostList(group.hosts), ": ", Printable(text)), 4, width);
    named_count += group.hosts.size();
  }
  if (named_count < failed.size()) {
    absl::StrAppend(&out, "  and ", failed.size() - named_count, " more\n");
  }
  return out;
}

std::string FooterText(const Report& report, size_t width) {
  return absl::StrCat(MeasuredText(report.result), TimingText(report.result, width),
                      FailuresText(report.result, width), WarningsText(report, width));
}

}  // namespace pmu::client
