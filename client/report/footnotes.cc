#include "client/report/footnotes.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "client/report/number_text.h"
#include "client/report/text_grid.h"
#include "common/host_list.h"

namespace pmu::client {
namespace {

constexpr size_t kMaxEventsNamed = 6;

void AddOnce(const std::string& name, std::vector<std::string>* names) {
  if (!name.empty() && std::find(names->begin(), names->end(), name) == names->end()) {
    names->push_back(name);
  }
}

std::string EventsText(const std::vector<std::string>& events) {
  if (events.size() <= kMaxEventsNamed) return absl::StrJoin(events, ", ");
  const std::vector<std::string> named(events.begin(), events.begin() + kMaxEventsNamed);
  return absl::StrCat(absl::StrJoin(named, ", "), " and ", events.size() - kMaxEventsNamed,
                      " more events");
}

}  // namespace

std::string HostsText(const std::vector<std::string>& hosts, size_t host_count) {
  if (hosts.size() == host_count && host_count > 1) return "all hosts";
  return FoldHostList(hosts);
}

void Mention::Add(const std::string& event, const std::string& host) {
  AddOnce(event, &events_);
  AddOnce(host, &hosts_);
}

std::string Mention::Sentence(size_t host_count) const {
  std::string subject = EventsText(events_);
  if (!hosts_.empty() && host_count > 1) {
    absl::StrAppend(&subject, subject.empty() ? "" : " on ", HostsText(hosts_, host_count));
  }
  return Printable(subject.empty() ? text_ : absl::StrCat(subject, ": ", text_));
}

size_t Mentions::Add(const std::string& text, const std::string& event, const std::string& host) {
  auto same = [&](const Mention& mention) { return mention.text() == text; };
  auto found = std::find_if(all_.begin(), all_.end(), same);
  if (found == all_.end()) found = all_.insert(all_.end(), Mention(text));
  found->Add(event, host);
  return found - all_.begin();
}

std::string Footnotes::Add(const std::string& text, const std::string& event,
                           const std::string& host) {
  return absl::StrCat(" [", notes_.Add(text, event, host) + 1, "]");
}

std::string Footnotes::ToString() const {
  std::string out;
  for (size_t i = 0; i < notes_.all().size(); ++i) {
    const std::string mark = absl::StrCat("[", i + 1, "] ");
    out += WrapWords(mark + notes_.all()[i].Sentence(host_count_), mark.size(), width_);
  }
  return out;
}

}  // namespace pmu::client
