#include "server/backends/perf_event/tracepoint.h"

#include <algorithm>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "server/backends/perf_event/did_you_mean.h"
#include "server/machine/root_files.h"

namespace pmu::server {
namespace {

constexpr const char* kTracingDirectories[] = {"/sys/kernel/tracing", "/sys/kernel/debug/tracing"};

absl::Status NotReadable(absl::string_view directory) {
  return absl::PermissionDeniedError(
      absl::StrCat("tracepoints: ", directory,
                   " is not readable by this user; run the agent as "
                   "root, or let others read it: mount -o remount,mode=755 ",
                   directory));
}

// Names become parts of a path: letters, digits, '_' and '-' only.
bool IsPlainName(absl::string_view name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](unsigned char c) {
    return absl::ascii_isalnum(c) || c == '_' || c == '-';
  });
}

absl::Status NoSuchTracepoint(const std::string& events, absl::string_view system,
                              absl::string_view event) {
  const absl::StatusOr<std::vector<std::string>> siblings =
      ListDirectory(absl::StrCat(events, "/", system));
  if (!siblings.ok()) {
    return absl::NotFoundError(absl::StrCat(
        "no tracepoint system '", system, "'",
        DidYouMean(system, ListDirectory(events).value_or(std::vector<std::string>()))));
  }
  return absl::NotFoundError(
      absl::StrCat("no tracepoint '", event, "' in '", system, "'", DidYouMean(event, *siblings)));
}

}  // namespace

absl::StatusOr<std::string> FindTracepointDirectory(absl::string_view root) {
  for (const char* tracing : kTracingDirectories) {
    const std::string directory = RootedPath(root, tracing);
    const std::string events = directory + "/events";
    const absl::StatusOr<std::vector<std::string>> names = ListDirectory(events);
    if (names.ok()) return events;
    if (absl::IsPermissionDenied(names.status())) return NotReadable(directory);
  }
  return absl::FailedPreconditionError(
      "tracepoints: tracefs is not mounted; as root: mount -t tracefs nodev /sys/kernel/tracing");
}

absl::StatusOr<uint64_t> ReadTracepointId(absl::string_view root, absl::string_view system,
                                          absl::string_view event) {
  const absl::StatusOr<std::string> events = FindTracepointDirectory(root);
  if (!events.ok()) return events.status();
  if (!IsPlainName(system) || !IsPlainName(event)) {
    return absl::NotFoundError(absl::StrCat("no tracepoint '", system, ":", event, "'"));
  }
  const std::string path = absl::StrCat(*events, "/", system, "/", event, "/id");
  const absl::StatusOr<std::string> text = ReadTrimmedFile(path);
  if (absl::IsNotFound(text.status())) return NoSuchTracepoint(*events, system, event);
  if (absl::IsPermissionDenied(text.status())) return NotReadable(*events);
  if (!text.ok()) return absl::FailedPreconditionError(text.status().message());
  uint64_t id = 0;
  if (!absl::SimpleAtoi(*text, &id)) {
    return absl::FailedPreconditionError(absl::StrCat(path, " holds no number"));
  }
  return id;
}

absl::StatusOr<std::vector<std::string>> ListTracepoints(absl::string_view root) {
  const absl::StatusOr<std::string> events = FindTracepointDirectory(root);
  if (!events.ok()) return events.status();
  std::vector<std::string> tracepoints;
  for (const std::string& system : ListDirectory(*events).value_or(std::vector<std::string>())) {
    const std::string directory = absl::StrCat(*events, "/", system);
    // Plain files among the systems ("enable", "header_page") list nothing.
    for (const std::string& event : ListDirectory(directory).value_or(std::vector<std::string>())) {
      if (FileExists(absl::StrCat(directory, "/", event, "/id"))) {
        tracepoints.push_back(absl::StrCat(system, ":", event));
      }
    }
  }
  return tracepoints;
}

}  // namespace pmu::server
