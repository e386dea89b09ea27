#include "server/port_check.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "absl/strings/str_cat.h"
#include "server/file_descriptor.h"

namespace pmu::server {
namespace {

const sockaddr* AddressOf(const Endpoint& endpoint) {
  return reinterpret_cast<const sockaddr*>(&endpoint.address);
}

absl::Status InUse(const Endpoint& endpoint) {
  return absl::AlreadyExistsError(
      absl::StrCat("--listen: ", EndpointText(endpoint),
                   " is in use: another agent (or program) listens there; stop it or choose "
                   "another address"));
}

absl::Status CheckTcp(const Endpoint& endpoint) {
  const FileDescriptor fd(socket(endpoint.address.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!fd.valid()) {
    return absl::ErrnoToStatus(errno, absl::StrCat("--listen: ", EndpointText(endpoint)));
  }
  // Old connections in TIME_WAIT must not count; listeners still do.
  const int yes = 1;
  setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
  if (bind(fd.get(), AddressOf(endpoint), endpoint.address_bytes) == 0 &&
      listen(fd.get(), 1) == 0) {
    return absl::OkStatus();
  }
  if (errno == EADDRINUSE) return InUse(endpoint);
  return absl::ErrnoToStatus(errno, absl::StrCat("--listen: ", EndpointText(endpoint)));
}

absl::Status CheckUnix(const Endpoint& endpoint) {
  const char* path = endpoint.unix_path.c_str();
  struct stat info;
  if (lstat(path, &info) != 0) {
    if (errno == ENOENT) return absl::OkStatus();
    return absl::ErrnoToStatus(errno, absl::StrCat("--listen: ", EndpointText(endpoint)));
  }
  if (!S_ISSOCK(info.st_mode)) {
    return absl::FailedPreconditionError(
        absl::StrCat("--listen: ", endpoint.unix_path, " exists and is no socket"));
  }
  const FileDescriptor fd(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!fd.valid()) return absl::ErrnoToStatus(errno, "socket(AF_UNIX)");
  // Only a refusal proves that nobody listens; a full queue (EAGAIN) does not.
  if (connect(fd.get(), AddressOf(endpoint), endpoint.address_bytes) == 0 ||
      errno != ECONNREFUSED) {
    return InUse(endpoint);
  }
  if (unlink(path) != 0) {
    return absl::ErrnoToStatus(errno, absl::StrCat("--listen: old socket ", endpoint.unix_path));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status CheckFree(const Endpoint& endpoint) {
  return endpoint.unix_path.empty() ? CheckTcp(endpoint) : CheckUnix(endpoint);
}

}  // namespace pmu::server
