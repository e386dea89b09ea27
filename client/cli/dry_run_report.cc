#include "client/cli/dry_run_report.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "client/report/footer.h"
#include "client/report/footnotes.h"
#include "client/report/json_parts.h"
#include "client/report/text_grid.h"
#include "common/cpu_list.h"

namespace pmu::cli {
namespace {

using client::Json;
using client::TextGrid;

std::string ExcludeText(const pmu::v1::Encoding& encoding) {
  std::vector<std::string> levels;
  if (encoding.exclude_user()) levels.emplace_back("user");
  if (encoding.exclude_kernel()) levels.emplace_back("kernel");
  if (encoding.exclude_hv()) levels.emplace_back("hv");
  if (encoding.exclude_host()) levels.emplace_back("host");
  if (encoding.exclude_guest()) levels.emplace_back("guest");
  return levels.empty() ? "-" : absl::StrJoin(levels, ",");
}

std::string CpusText(const pmu::v1::ResolvedEvent& event) {
  if (event.cpus().empty()) return "task";
  return FormatCpuList(CpuList(event.cpus().begin(), event.cpus().end()));
}

// The cells of one answer but for the hosts.
std::vector<std::string> AnswerCells(const pmu::v1::ResolvedEvent& event) {
  const pmu::v1::Encoding& encoding = event.encoding();
  const std::string pmu = event.pmu().empty() ? event.backend() : event.pmu();
  if (!event.supported()) return {pmu, "-", "-", "-", "-", "-", "-"};
  return {pmu,
          absl::StrCat(encoding.type()),
          absl::StrFormat("0x%x", encoding.config()),
          absl::StrFormat("0x%x", encoding.config1()),
          absl::StrFormat("0x%x", encoding.config2()),
          ExcludeText(encoding),
          CpusText(event)};
}

struct Answer {
  uint32_t requested_index = 0;
  std::string event;
  std::vector<std::string> cells;
  std::string note;  // why not supported, and warnings
  std::vector<std::string> hosts;
};

std::string NoteOf(const pmu::v1::ResolvedEvent& event) {
  std::vector<std::string> parts;
  if (!event.supported()) parts.push_back(absl::StrCat("not supported: ", event.reason()));
  if (event.simulated()) parts.emplace_back("simulated hardware");
  parts.insert(parts.end(), event.warnings().begin(), event.warnings().end());
  return absl::StrJoin(parts, "; ");
}

std::vector<Answer> FoldedAnswers(const client::MeasurementResult& result) {
  std::vector<Answer> answers;
  for (const client::HostResult& host : result.hosts) {
    for (const client::EventResult& resolved : host.events) {
      const pmu::v1::ResolvedEvent& event = resolved.event;
      Answer answer{event.requested_index(), event.text(), AnswerCells(event), NoteOf(event), {}};
      auto same = [&](const Answer& other) {
        return other.requested_index == answer.requested_index && other.cells == answer.cells &&
               other.note == answer.note;
      };
      auto found = std::find_if(answers.begin(), answers.end(), same);
      if (found == answers.end()) found = answers.insert(answers.end(), std::move(answer));
      found->hosts.push_back(host.host);
    }
  }
  std::stable_sort(answers.begin(), answers.end(), [](const Answer& a, const Answer& b) {
    return a.requested_index < b.requested_index;
  });
  return answers;
}

// `agree`: all hosts gave the same answers, so that they need no column.
TextGrid Grid(const std::vector<Answer>& answers, size_t host_count, bool agree,
              client::Footnotes* notes) {
  TextGrid grid;
  grid.AddColumn("event", TextGrid::Align::kLeft);
  if (!agree) grid.AddColumn("hosts", TextGrid::Align::kLeft);
  grid.AddColumn("pmu", TextGrid::Align::kLeft);
  for (const char* title : {"type", "config", "config1", "config2"}) {
    grid.AddColumn(title, TextGrid::Align::kRight);
  }
  grid.AddColumn("excluded", TextGrid::Align::kLeft);
  grid.AddColumn("cpus", TextGrid::Align::kLeft);
  for (const Answer& answer : answers) {
    const std::string mark = answer.note.empty() ? "" : notes->Add(answer.note, answer.event, "");
    std::vector<TextGrid::Cell> cells = {{answer.event, mark}};
    if (!agree) cells.emplace_back(client::HostsText(answer.hosts, host_count));
    cells.insert(cells.end(), answer.cells.begin(), answer.cells.end());
    grid.AddRow(std::move(cells));
  }
  return grid;
}

}  // namespace

std::string DryRunTable(const client::MeasurementResult& result, size_t width) {
  std::vector<client::FailedHost> failed;
  for (const client::HostResult& host : result.hosts) {
    if (!host.status.ok()) failed.push_back({host.host, host.status});
  }
  const size_t answered_count = result.hosts.size() - failed.size();
  const std::vector<Answer> answers = FoldedAnswers(result);
  const bool agree = std::all_of(answers.begin(), answers.end(), [&](const Answer& answer) {
    return answer.hosts.size() == answered_count;
  });
  client::Footnotes notes(result.hosts.size(), width);
  std::string out;
  if (answered_count > 0) out = Grid(answers, answered_count, agree, &notes).ToString();
  const std::string notes_text = notes.ToString();
  absl::StrAppend(&out, notes_text.empty() ? "" : "\n", notes_text);
  if (agree && answered_count > 1) {
    absl::StrAppend(&out, "\nthe same on all ", answered_count, " hosts",
                    failed.empty() ? "" : " that answered", "\n");
  }
  if (!failed.empty()) {
    absl::StrAppend(&out, out.empty() ? "" : "\n", answered_count, " of ", result.hosts.size(),
                    " hosts answered; failed:\n", client::FailedHostsText(failed, width));
  }
  return out;
}

std::string DryRunJson(const client::MeasurementResult& result) {
  Json hosts = Json::array();
  for (const client::HostResult& host : result.hosts) {
    Json counters = Json::array();
    for (const client::EventResult& event : host.events) {
      counters.push_back(client::JsonResolvedEvent(event.event));
    }
    hosts.push_back({{"host", host.host},
                     {"status", client::JsonStatus(host.status)},
                     {"counters", std::move(counters)}});
  }
  return client::JsonText({{"schema", "pmu.dry-run/1"},
                           {"complete", DryRunIsComplete(result)},
                           {"requested_events", Json(result.requested_events)},
                           {"hosts", std::move(hosts)}});
}

bool DryRunIsComplete(const client::MeasurementResult& result) {
  return std::all_of(result.hosts.begin(), result.hosts.end(), [](const auto& host) {
    return host.status.ok() &&
           std::all_of(host.events.begin(), host.events.end(),
                       [](const auto& event) { return event.event.supported(); });
  });
}

}  // namespace pmu::cli
