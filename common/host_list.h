// host_list.h: lists of hosts in the syntax of pdsh and Slurm.
//
//   a,b                      two hosts
//   node[01-16,20]           padding kept: node01 ... node16, node20
//   rack[1-2]n[01-04]        several brackets multiply
//   host:50051  [fe80::1]:50051  [::1]   unix:/run/pmud.sock
//   @hosts.txt               a file: one list a line, '#' starts a comment
//
// Names come out exactly as written, in order. White space around items is
// ignored. Where tools differ:
//   n[001-3]   the first end sets the width: n001 n002 n003
//   n[1-03]    an error: the ends are padded to different widths
//   n1,,n2     an error, as is a comma at the end
//   host:[7-9] ports may be ranges, too
// A path (unix:, @) runs to the next comma; a hosts file includes no other.
//
// Pure functions but for the reading of files; safe from any thread.
#ifndef PMU_COMMON_HOST_LIST_H_
#define PMU_COMMON_HOST_LIST_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace pmu {

inline constexpr size_t kMaxHosts = 16384;
inline constexpr size_t kMaxHostListBytes = 1024 * 1024;
inline constexpr int kDefaultPort = 50051;

struct HostList {
  // Each host once, in order of first mention.
  std::vector<std::string> hosts;
  // Hosts that were mentioned again, each once: worth a warning.
  std::vector<std::string> duplicates;
};

// Expands a list. INVALID_ARGUMENT: the token and its position (and, in a
// file, the file and line); RESOURCE_EXHAUSTED: more than kMaxHosts mentions,
// said before anything is expanded; NOT_FOUND: an @file that cannot be read.
// Each host of the answer is good for HostTarget.
absl::StatusOr<HostList> ParseHostList(absl::string_view text);

// The gRPC target of one host of a list: "a" -> "dns:///a:50051", "[::1]:7" ->
// "ipv6:[::1]:7", "10.0.0.1" -> "ipv4:10.0.0.1:50051", "unix:PATH" as it is.
// INVALID_ARGUMENT: port out of range, bad IPv6 address.
absl::StatusOr<std::string> HostTarget(absl::string_view host);

// The shortest list text for hosts, for people: {n01,n02,n03,b} -> "n[01-03],b".
// Padding is kept; n7 and n07 stay different. Numbers fold in every place that
// gives a product, rack[1-2]n[01-04]. Parsing the text gives the same hosts, each
// once; hosts that fold together move to where the first of them stood, in
// ascending order. Time grows with n log n.
std::string FoldHostList(const std::vector<std::string>& hosts);

}  // namespace pmu

#endif  // PMU_COMMON_HOST_LIST_H_
