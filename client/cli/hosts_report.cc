#include "client/cli/hosts_report.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "client/report/footer.h"
#include "client/report/footnotes.h"
#include "client/report/json_parts.h"
#include "client/report/number_text.h"
#include "client/report/text_grid.h"

namespace pmu::cli {
namespace {

using client::HostAnswer;
using client::Json;
using client::TextGrid;

// "cpu (counts)" is the usual case and goes without saying.
std::string PmuText(const pmu::v1::Pmu& pmu) {
  std::string text = pmu.name();
  switch (pmu.health()) {
    case pmu::v1::PMU_HEALTH_IMPLAUSIBLE:
    case pmu::v1::PMU_HEALTH_UNAVAILABLE:
      absl::StrAppend(&text, " (", client::HealthName(pmu.health()));
      absl::StrAppend(&text, pmu.note().empty() ? "" : ": ", pmu.note(), ")");
      break;
    default:
      if (!pmu.cpus().empty()) absl::StrAppend(&text, " (cpus ", pmu.cpus(), ")");
  }
  return text;
}

// "; class i686, counters 2, has-tsc yes".
std::string HardwareText(const pmu::v1::Backend& backend) {
  std::string text;
  for (const pmu::v1::BackendFact& fact : backend.facts()) {
    absl::StrAppend(&text, text.empty() ? "; " : ", ", fact.name(), " ");
    if (fact.unit() == "Hz" && fact.has_number()) {
      absl::StrAppend(&text, client::SignificantText(fact.number() / 1e9), " GHz (", fact.text(),
                      ")");
    } else {
      absl::StrAppend(&text, fact.text());
    }
  }
  return text;
}

std::string BackendText(const pmu::v1::Backend& backend) {
  std::string text = backend.name();
  if (backend.simulated()) absl::StrAppend(&text, " (simulated)");
  if (!backend.available()) {
    return absl::StrCat(text, " not available: ", backend.unavailable_reason());
  }
  for (int i = 0; i < backend.pmus_size(); ++i) {
    absl::StrAppend(&text, i == 0 ? ": " : ", ", PmuText(backend.pmus(i)));
  }
  return text + HardwareText(backend);
}

std::string OffsetText(int64_t offset_ns) {
  return absl::StrCat(offset_ns < 0 ? "" : "+", client::DecimalText(offset_ns / 1e9, 6), " s");
}

std::vector<TextGrid::Cell> Cells(const HostAnswer& answer, bool with_model) {
  if (!answer.status.ok()) return {answer.host, std::string("-")};
  const pmu::v1::Host& host = answer.identity;
  std::vector<TextGrid::Cell> cells = {
      answer.host,
      host.agent_version(),
      host.kernel_release(),
      host.online_cpus(),
      answer.clock ? OffsetText(answer.clock->offset_ns) : "-",
      answer.clock ? client::MillisecondsText(answer.clock->error_ns) : "-",
      client::MillisecondsText(absl::ToInt64Nanoseconds(answer.round_trip))};
  if (with_model) cells.emplace_back(host.cpu_model());
  return cells;
}

TextGrid Grid(const std::vector<HostAnswer>& answers, bool with_model) {
  TextGrid grid;
  for (const char* title : {"host", "agent", "kernel", "cpus"}) {
    grid.AddColumn(title, TextGrid::Align::kLeft);
  }
  for (const char* title : {"clock offset", "+-", "round trip"}) {
    grid.AddColumn(title, TextGrid::Align::kRight);
  }
  if (with_model) grid.AddColumn("CPU model", TextGrid::Align::kLeft);
  for (const HostAnswer& answer : answers) grid.AddRow(Cells(answer, with_model));
  return grid;
}

// What many hosts have in common, each text once with its hosts folded.
std::string FactsText(const std::vector<HostAnswer>& answers, bool with_model, size_t host_count,
                      size_t width) {
  client::Mentions facts;
  for (const HostAnswer& answer : answers) {
    if (!answer.status.ok()) continue;
    if (with_model) facts.Add(answer.identity.cpu_model(), "", answer.host);
    for (const pmu::v1::Backend& backend : answer.identity.backends()) {
      facts.Add(BackendText(backend), "", answer.host);
    }
  }
  std::string out;
  for (const client::Mention& fact : facts.all()) {
    out += client::WrapWords(fact.Sentence(host_count), 4, width);
  }
  return out;
}

}  // namespace

std::string HostsTable(const std::vector<HostAnswer>& answers, size_t width) {
  std::vector<client::FailedHost> failed;
  for (const HostAnswer& answer : answers) {
    if (!answer.status.ok()) failed.push_back({answer.host, answer.status});
  }
  const size_t answered_count = answers.size() - failed.size();
  std::string out;
  if (answered_count > 0) {
    // The models go below the table when they make it too wide.
    TextGrid grid = Grid(answers, /*with_model=*/true);
    const bool fits = grid.Width() <= width;
    if (!fits) grid = Grid(answers, /*with_model=*/false);
    absl::StrAppend(&out, grid.ToString(), "\n",
                    FactsText(answers, /*with_model=*/!fits, answered_count, width));
  }
  if (!failed.empty()) {
    absl::StrAppend(&out, out.empty() ? "" : "\n", answered_count, " of ", answers.size(),
                    " hosts answered; failed:\n", client::FailedHostsText(failed, width));
  }
  return out;
}

std::string HostsJson(const std::vector<HostAnswer>& answers) {
  Json hosts = Json::array();
  for (const HostAnswer& answer : answers) {
    const bool answered = answer.status.ok();
    hosts.push_back({{"host", answer.host},
                     {"status", client::JsonStatus(answer.status)},
                     {"identity", answered ? client::JsonIdentity(answer.identity) : Json(nullptr)},
                     {"clock", client::JsonClock(answer.clock)},
                     {"round_trip_ns",
                      answered ? client::JsonInteger(absl::ToInt64Nanoseconds(answer.round_trip))
                               : Json(nullptr)}});
  }
  return client::JsonText({{"schema", "pmu.hosts/1"}, {"hosts", std::move(hosts)}});
}

}  // namespace pmu::cli
