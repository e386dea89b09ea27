// HostTarget of host_list.h: from a host as written to a gRPC target.
#include <arpa/inet.h>

#include <string>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "common/host_list.h"
#include "common/text.h"

namespace pmu {
namespace {

// sockaddr_un::sun_path holds 108 bytes with the closing zero (unix(7)).
constexpr size_t kMaxUnixPathBytes = 107;

absl::Status HostError(absl::string_view host, absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat("host ", Quote(host), ": ", what));
}

// "" or ":PORT" to a port number.
absl::StatusOr<uint64_t> ParsePort(absl::string_view host, absl::string_view suffix) {
  if (suffix.empty()) return uint64_t{kDefaultPort};
  const absl::optional<uint64_t> port = ParseDigits(suffix.substr(1));
  if (suffix[0] != ':' || !port || *port < 1 || *port > 65535) {
    return HostError(host, absl::StrCat(Quote(suffix), " is no port; write :1 to :65535"));
  }
  return *port;
}

absl::StatusOr<std::string> Ipv6Target(absl::string_view host) {
  const size_t close = host.find(']');
  if (close == absl::string_view::npos) return HostError(host, "']' is missing after '['");
  const absl::string_view bracket = host.substr(1, close - 1);
  // A link-local address needs its interface, "fe80::1%eth0" (RFC 4007).
  const std::string address(bracket.substr(0, bracket.find('%')));
  const absl::string_view zone = bracket.substr(address.size());
  in6_addr binary;
  bool valid = inet_pton(AF_INET6, address.c_str(), &binary) == 1 && zone != "%";
  for (const char c : zone.substr(zone.empty() ? 0 : 1)) {
    valid = valid && (absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '-' || c == '_' ||
                      c == '.');
  }
  if (!valid) return HostError(host, absl::StrCat(Quote(bracket), " is no IPv6 address"));
  absl::StatusOr<uint64_t> port = ParsePort(host, host.substr(close + 1));
  if (!port.ok()) return port.status();
  // The target is a URI: its '%' is written %25.
  return absl::StrCat("ipv6:[", absl::StrReplaceAll(bracket, {{"%", "%25"}}), "]:", *port);
}

bool IsDottedQuad(absl::string_view name) {
  int dots = 0;
  for (const char c : name) {
    if (c == '.') {
      ++dots;
    } else if (!absl::ascii_isdigit(static_cast<unsigned char>(c))) {
      return false;
    }
  }
  return dots == 3;
}

}  // namespace

absl::StatusOr<std::string> HostTarget(absl::string_view host) {
  if (absl::StartsWith(host, "unix:")) {
    const absl::string_view path = host.substr(5);
    if (path.empty() || path.size() > kMaxUnixPathBytes) {
      return HostError(
          host, absl::StrCat("the socket's path must have 1 to ", kMaxUnixPathBytes, " bytes"));
    }
    return std::string(host);
  }
  if (absl::StartsWith(host, "[")) return Ipv6Target(host);

  const size_t colon = std::min(host.find(':'), host.size());
  const std::string name(host.substr(0, colon));
  if (name.empty()) return HostError(host, "the name is missing");
  if (absl::StrContains(host.substr(colon).substr(colon == host.size() ? 0 : 1), ":")) {
    return HostError(host, "more than one ':'; an IPv6 address stands in brackets, [::1]");
  }
  for (const char c : name) {
    if (!absl::ascii_isalnum(static_cast<unsigned char>(c)) && c != '-' && c != '_' && c != '.') {
      return HostError(host, absl::StrCat("character ", Quote(absl::string_view(&c, 1)),
                                          " cannot stand in a name"));
    }
  }
  absl::StatusOr<uint64_t> port = ParsePort(host, host.substr(colon));
  if (!port.ok()) return port.status();
  if (!IsDottedQuad(name)) return absl::StrCat("dns:///", name, ":", *port);
  in_addr binary;
  if (inet_pton(AF_INET, name.c_str(), &binary) != 1) {
    return HostError(host, "four numbers with dots, but no IPv4 address");
  }
  return absl::StrCat("ipv4:", name, ":", *port);
}

}  // namespace pmu
