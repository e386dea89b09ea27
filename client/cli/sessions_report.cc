#include "client/cli/sessions_report.h"

#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "absl/time/time.h"
#include "client/report/footer.h"
#include "client/report/json_parts.h"
#include "client/report/number_text.h"
#include "client/report/text_grid.h"

namespace pmu::cli {
namespace {

using client::Json;

// "running".
std::string StateText(pmu::v1::SessionState state) {
  return absl::AsciiStrToLower(
      absl::StripPrefix(pmu::v1::SessionState_Name(state), "SESSION_STATE_"));
}

std::string SinceText(const pmu::v1::Session& session) {
  return absl::FormatTime("%Y-%m-%dT%H:%M:%SZ", absl::FromUnixNanos(session.created_wall_ns()),
                          absl::UTCTimeZone());
}

}  // namespace

std::string SessionsTable(const std::vector<client::SessionListing>& listings, size_t width) {
  client::TextGrid grid;
  for (const char* title : {"host", "session", "state", "since", "client", "events"}) {
    grid.AddColumn(title, client::TextGrid::Align::kLeft);
  }
  size_t count = 0;
  std::vector<client::FailedHost> failed;
  for (const client::SessionListing& listing : listings) {
    if (!listing.status.ok()) failed.push_back({listing.host, listing.status});
    for (const pmu::v1::Session& session : listing.sessions) {
      ++count;
      grid.AddRow({listing.host, session.id(), StateText(session.state()), SinceText(session),
                   client::Printable(session.spec().client_id()),
                   client::Printable(session.spec().events())});
    }
  }
  std::string text = count > 0 ? grid.ToString(width) : "no sessions\n";
  if (!failed.empty()) {
    absl::StrAppend(&text, "\nno answer:\n", client::FailedHostsText(failed, width));
  }
  return text;
}

std::string SessionsJson(const std::vector<client::SessionListing>& listings) {
  Json hosts = Json::array();
  for (const client::SessionListing& listing : listings) {
    Json sessions = Json::array();
    for (const pmu::v1::Session& session : listing.sessions) {
      sessions.push_back({{"id", session.id()},
                          {"state", StateText(session.state())},
                          {"failure", session.failure()},
                          {"client_id", session.spec().client_id()},
                          {"events", session.spec().events()},
                          {"since", SinceText(session)},
                          {"interval_ns", client::JsonInteger(session.spec().interval_ns())},
                          {"descriptors", session.descriptors()}});
    }
    hosts.push_back({{"host", listing.host},
                     {"status", client::JsonStatus(listing.status)},
                     {"sessions", std::move(sessions)}});
  }
  return client::JsonText({{"schema", "pmu.sessions/1"}, {"hosts", std::move(hosts)}});
}

}  // namespace pmu::cli
