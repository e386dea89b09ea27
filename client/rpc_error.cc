#include "client/rpc_error.h"

#include <cstdlib>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

namespace pmu::client {
namespace {

struct KnownError {
  absl::string_view needle;  // in gRPC's message
  absl::string_view text;    // '%' stands for the address
};

// Looked up in order: a later line is the more general one.
constexpr KnownError kUnavailable[] = {
    {"Connection refused", "connection refused (is pmud running on %?)"},
    {"No such file or directory", "no socket at % (is pmud running with --listen=%?)"},
    {"Permission denied", "permission denied connecting to %"},
    {"No route to host", "no route to % (host down, or a firewall)"},
    {"Network is unreachable", "network unreachable (%)"},
    {"Domain name not found", "name not found (%)"},
    {"DNS resolution failed", "name not found (%)"},
    {"http1.x server", "% answers, but not as a pmud (an HTTP/1 server?)"},
    {"keepalive watchdog timeout", "% stopped answering"},
    {"ping timeout", "% stopped answering"},
    {"Connection timed out", "% stopped answering"},
    {"Connection reset by peer", "connection to % was cut"},
    {"Broken pipe", "connection to % was cut"},
    {"Socket closed", "connection to % was closed (agent stopped, or it wants TLS)"},
    {"Endpoint closing", "connection to % was closed"},
    {"GOAWAY", "connection to % was closed (agent is stopping)"},
};

std::string FillIn(absl::string_view text, absl::string_view address) {
  std::string filled;
  for (char c : text) {
    if (c == '%') {
      absl::StrAppend(&filled, address);
    } else {
      filled.push_back(c);
    }
  }
  return filled;
}

std::string UnavailableText(absl::string_view message, absl::string_view address) {
  for (const KnownError& known : kUnavailable) {
    if (absl::StrContains(message, known.needle)) return FillIn(known.text, address);
  }
  return std::string(message);
}

}  // namespace

absl::string_view TargetForPeople(absl::string_view target) {
  for (absl::string_view scheme : {"dns:///", "ipv4:", "ipv6:"}) {
    if (absl::ConsumePrefix(&target, scheme)) break;
  }
  return target;
}

absl::Status ExplainRpcError(const absl::Status& status, absl::Duration timeout,
                             const RpcErrorContext& context) {
  const absl::string_view address = TargetForPeople(context.target);
  const std::string message(status.message());
  std::string text;
  switch (status.code()) {
    case absl::StatusCode::kUnavailable:
      text = UnavailableText(message, address);
      break;
    case absl::StatusCode::kDeadlineExceeded:
      text = absl::StrCat("no answer within ",
                          absl::FormatDuration(absl::Ceil(timeout, absl::Milliseconds(1))));
      break;
    case absl::StatusCode::kUnimplemented:
      text = absl::StrCat(address,
                          " answers, but does not know this call (not a pmud, or an older one)");
      break;
    case absl::StatusCode::kResourceExhausted:
      if (!absl::StrContains(message, "message larger than max")) return status;
      text = absl::StrCat("answer is too big for this client's limit of 64 MiB: ", message);
      break;
    default:
      return status;
  }
  if (!context.proxy.empty()) absl::StrAppend(&text, ", through proxy ", context.proxy);
  return absl::Status(status.code(), text);
}

bool IsConnectionError(const absl::Status& status) {
  return status.code() == absl::StatusCode::kUnavailable ||
         status.code() == absl::StatusCode::kDeadlineExceeded;
}

std::string ProxyFromEnvironment() {
  for (const char* variable : {"grpc_proxy", "https_proxy", "http_proxy"}) {
    const char* url = std::getenv(variable);
    if (url != nullptr && *url != '\0') return absl::StrCat(url, " (from ", variable, ")");
  }
  return "";
}

}  // namespace pmu::client
