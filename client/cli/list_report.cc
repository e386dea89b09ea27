#include "client/cli/list_report.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "client/report/footnotes.h"
#include "client/report/json_parts.h"
#include "client/report/text_grid.h"

namespace pmu::cli {
namespace {

using client::Json;
using client::TextGrid;
using pmu::v1::Counter;

constexpr size_t kNotesWidth = 100;

// A counter, and the hosts that have it just so.
struct SharedCounter {
  const Counter* counter;
  std::vector<std::string> hosts;
};

// In order of first appearance. Equal: every field.
std::vector<SharedCounter> Fold(const std::vector<client::CounterListing>& listings) {
  std::vector<SharedCounter> folded;
  std::unordered_map<std::string, size_t> index;
  for (const client::CounterListing& listing : listings) {
    if (!listing.status.ok()) continue;
    for (const Counter& counter : listing.counters) {
      const auto [at, is_new] = index.emplace(counter.SerializeAsString(), folded.size());
      if (is_new) folded.push_back({&counter, {}});
      folded[at->second].hosts.push_back(listing.host);
    }
  }
  return folded;
}

size_t AnsweredCount(const std::vector<client::CounterListing>& listings) {
  return std::count_if(listings.begin(), listings.end(),
                       [](const auto& listing) { return listing.status.ok(); });
}

std::string Remark(const Counter& counter) {
  std::string remark = counter.simulated() ? "(simulated) " : "";
  for (const std::string& term : counter.required_terms()) {
    absl::StrAppend(&remark, "(needs ", term, "=) ");
  }
  absl::StrAppend(&remark, counter.description());
  return remark;
}

// Reasons name their counter; what differs only there is one reason.
std::string ReasonPattern(const Counter& counter) {
  return absl::StrReplaceAll(counter.unavailable_reason(),
                             {{absl::StrCat("'", counter.name(), "'"), "'COUNTER'"}});
}

Json CounterJson(const SharedCounter& shared) {
  const Counter& counter = *shared.counter;
  Json terms = Json::array();
  for (const std::string& term : counter.required_terms()) terms.push_back(term);
  Json capabilities = Json::array();
  for (const int capability : counter.capabilities()) {
    capabilities.push_back(
        client::CapabilityName(static_cast<pmu::v1::CounterCapability>(capability)));
  }
  return {{"name", counter.name()},
          {"backend", counter.backend()},
          {"pmu", counter.pmu()},
          {"description", counter.description()},
          {"unit", counter.unit()},
          {"scale", client::JsonDouble(counter.scale())},
          {"width_bits", counter.width_bits() == 0 ? Json(nullptr) : Json(counter.width_bits())},
          {"domain", client::DomainName(counter.domain())},
          {"kind", client::KindName(counter.kind())},
          {"combine", client::CombineName(counter.combine())},
          {"modifiers", counter.modifiers()},
          {"capabilities", std::move(capabilities)},
          {"required_terms", std::move(terms)},
          {"available", counter.available()},
          {"unavailable_reason", counter.unavailable_reason()},
          {"simulated", counter.simulated()},
          {"hosts", Json(shared.hosts)}};
}

}  // namespace

std::string ListTable(const std::vector<client::CounterListing>& listings,
                      absl::optional<size_t> width) {
  std::vector<SharedCounter> folded = Fold(listings);
  const size_t answered_count = AnsweredCount(listings);
  const bool differ = std::any_of(folded.begin(), folded.end(), [&](const SharedCounter& shared) {
    return shared.hosts.size() < answered_count;
  });
  if (folded.empty()) return "";
  // What can be used comes first.
  std::stable_partition(folded.begin(), folded.end(),
                        [](const SharedCounter& shared) { return shared.counter->available(); });
  client::Footnotes reasons(answered_count, width.value_or(kNotesWidth));
  TextGrid grid;
  for (const char* title : {"counter", "unit", "kind", "scope", "usable"}) {
    grid.AddColumn(title, TextGrid::Align::kLeft);
  }
  if (differ) grid.AddColumn("hosts", TextGrid::Align::kLeft);
  grid.AddColumn("what it counts", TextGrid::Align::kLeft);
  for (const SharedCounter& shared : folded) {
    const Counter& counter = *shared.counter;
    TextGrid::Cell usable = {"yes"};
    if (!counter.available()) usable = {"no", reasons.Add(ReasonPattern(counter), "", "")};
    std::vector<TextGrid::Cell> cells = {counter.name(), counter.unit(),
                                         client::KindName(counter.kind()),
                                         client::DomainName(counter.domain()), std::move(usable)};
    if (differ) cells.emplace_back(client::HostsText(shared.hosts, answered_count));
    cells.emplace_back(Remark(counter));
    grid.AddRow(std::move(cells));
  }
  const std::string notes = reasons.ToString();
  return absl::StrCat(grid.ToString(width), notes.empty() ? "" : "\n", notes);
}

std::string ListJson(const std::vector<client::CounterListing>& listings) {
  Json hosts = Json::array();
  for (const client::CounterListing& listing : listings) {
    hosts.push_back({{"host", listing.host}, {"status", client::JsonStatus(listing.status)}});
  }
  Json counters = Json::array();
  for (const SharedCounter& shared : Fold(listings)) counters.push_back(CounterJson(shared));
  return client::JsonText(
      {{"schema", "pmu.list/1"}, {"hosts", std::move(hosts)}, {"counters", std::move(counters)}});
}

}  // namespace pmu::cli
