#include "server/listen_address.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/un.h>

#include <cstring>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "common/host_list.h"
#include "common/text.h"

namespace pmu::server {
namespace {

constexpr absl::string_view kAccepted =
    "; write HOST:PORT, [IPV6]:PORT or unix:PATH, for example 127.0.0.1:50051";

absl::Status Invalid(absl::string_view text, absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat("--listen=", text, ": ", what, kAccepted));
}

absl::StatusOr<int> ParsePort(absl::string_view text, absl::string_view port_text) {
  const absl::optional<uint64_t> port = ParseDigits(port_text);
  if (!port.has_value() || *port > 65535) {
    return Invalid(text, absl::StrCat("the port ", Quote(port_text), " is not within 0 and 65535"));
  }
  return static_cast<int>(*port);
}

// "[::1]:7" -> "::1", "7". `port` stays as it is when none is given.
absl::Status SplitBracketed(absl::string_view text, std::string* host, absl::string_view* port) {
  const size_t end = text.find(']');
  if (end == absl::string_view::npos) return Invalid(text, "']' is missing");
  *host = std::string(text.substr(1, end - 1));
  const absl::string_view rest = text.substr(end + 1);
  if (!rest.empty() && rest[0] != ':') {
    return Invalid(text, absl::StrCat("unexpected ", Quote(rest), " after ']'"));
  }
  if (rest == ":") return Invalid(text, "the port is missing");
  if (!rest.empty()) *port = rest.substr(1);
  in6_addr ignored;
  const std::string without_zone = host->substr(0, host->find('%'));
  if (inet_pton(AF_INET6, without_zone.c_str(), &ignored) != 1) {
    return Invalid(text, absl::StrCat(Quote(*host), " is no IPv6 address"));
  }
  return absl::OkStatus();
}

// "host:7" -> "host", "7".
absl::Status SplitPlain(absl::string_view text, std::string* host, absl::string_view* port) {
  const size_t colon = text.find(':');
  *host = std::string(text.substr(0, colon));
  if (host->empty()) return Invalid(text, "the host is missing");
  if (colon == absl::string_view::npos) return absl::OkStatus();
  *port = text.substr(colon + 1);
  if (port->empty()) return Invalid(text, "the port is missing");
  if (absl::StrContains(*port, ":")) return Invalid(text, "an IPv6 address needs brackets");
  return absl::OkStatus();
}

bool IsLoopback(const sockaddr* address) {
  if (address->sa_family == AF_INET) {
    const auto* v4 = reinterpret_cast<const sockaddr_in*>(address);
    return (ntohl(v4->sin_addr.s_addr) >> 24) == 127;
  }
  const auto* v6 = reinterpret_cast<const sockaddr_in6*>(address);
  return IN6_IS_ADDR_LOOPBACK(&v6->sin6_addr) ||
         (IN6_IS_ADDR_V4MAPPED(&v6->sin6_addr) && v6->sin6_addr.s6_addr[12] == 127);
}

absl::StatusOr<Endpoint> UnixEndpoint(const std::string& path) {
  sockaddr_un address = {};
  if (path.size() >= sizeof(address.sun_path)) {
    return absl::InvalidArgumentError(
        absl::StrCat("--listen=unix:", path, ": a socket's path has at most ",
                     sizeof(address.sun_path) - 1, " bytes, this one ", path.size()));
  }
  address.sun_family = AF_UNIX;
  memcpy(address.sun_path, path.data(), path.size());
  Endpoint endpoint;
  memcpy(&endpoint.address, &address, sizeof(address));
  endpoint.address_bytes = sizeof(address);
  endpoint.loopback = true;
  endpoint.unix_path = path;
  return endpoint;
}

}  // namespace

absl::StatusOr<ListenAddress> ParseListenAddress(absl::string_view text) {
  ListenAddress address;
  address.text = std::string(text);
  absl::string_view rest = text;
  if (absl::ConsumePrefix(&rest, "unix:")) {
    if (rest.empty()) return Invalid(text, "the path is missing");
    if (rest.find('\0') != absl::string_view::npos) return Invalid(text, "zero byte in the path");
    address.unix_path = std::string(rest);
    return address;
  }
  const std::string default_port = absl::StrCat(kDefaultPort);
  absl::string_view port = default_port;
  absl::Status status = absl::StartsWith(text, "[") ? SplitBracketed(text, &address.host, &port)
                                                    : SplitPlain(text, &address.host, &port);
  if (!status.ok()) return status;
  const absl::StatusOr<int> port_number = ParsePort(text, port);
  if (!port_number.ok()) return port_number.status();
  address.port = *port_number;
  return address;
}

std::string EndpointText(const Endpoint& endpoint) {
  if (!endpoint.unix_path.empty()) return absl::StrCat("unix:", endpoint.unix_path);
  char host[NI_MAXHOST];
  char port[NI_MAXSERV];
  const auto* address = reinterpret_cast<const sockaddr*>(&endpoint.address);
  if (getnameinfo(address, endpoint.address_bytes, host, sizeof(host), port, sizeof(port),
                  NI_NUMERICHOST | NI_NUMERICSERV) != 0) {
    return "?";
  }
  return endpoint.address.ss_family == AF_INET6 ? absl::StrCat("[", host, "]:", port)
                                                : absl::StrCat(host, ":", port);
}

absl::StatusOr<std::vector<Endpoint>> ResolveListenAddress(const ListenAddress& address) {
  if (!address.unix_path.empty()) {
    absl::StatusOr<Endpoint> endpoint = UnixEndpoint(address.unix_path);
    if (!endpoint.ok()) return endpoint.status();
    return std::vector<Endpoint>{*endpoint};
  }
  addrinfo hints = {};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  const std::string port = absl::StrCat(address.port);
  const int error = getaddrinfo(address.host.c_str(), port.c_str(), &hints, &found);
  if (error != 0) {
    return absl::UnavailableError(absl::StrCat("--listen=", address.text, ": host ",
                                               Quote(address.host), ": ", gai_strerror(error)));
  }
  std::vector<Endpoint> endpoints;
  for (const addrinfo* info = found; info != nullptr; info = info->ai_next) {
    Endpoint endpoint;
    memcpy(&endpoint.address, info->ai_addr, info->ai_addrlen);
    endpoint.address_bytes = info->ai_addrlen;
    endpoint.loopback = IsLoopback(info->ai_addr);
    endpoints.push_back(endpoint);
  }
  freeaddrinfo(found);
  return endpoints;
}

}  // namespace pmu::server
