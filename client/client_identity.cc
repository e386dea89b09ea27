#include "client/client_identity.h"

#include <pwd.h>
#include <unistd.h>

#include <cstdint>
#include <random>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace pmu::client {
namespace {

constexpr size_t kMaxNameBytes = 100;

std::string UserName() {
  passwd entry;
  passwd* found = nullptr;
  char buffer[4096];
  if (getpwuid_r(geteuid(), &entry, buffer, sizeof(buffer), &found) == 0 && found != nullptr) {
    return found->pw_name;
  }
  return absl::StrCat("uid", geteuid());
}

std::string HostName() {
  char name[256] = "";
  if (gethostname(name, sizeof(name) - 1) != 0) return "unknown";
  return name;
}

}  // namespace

std::string ClientId() {
  return absl::StrCat(UserName().substr(0, kMaxNameBytes), "@", HostName().substr(0, kMaxNameBytes),
                      ":", getpid());
}

std::string RandomKey() {
  std::random_device device;
  std::string key;
  for (int i = 0; i < 4; ++i) absl::StrAppendFormat(&key, "%08x", uint32_t{device()});
  return key;
}

}  // namespace pmu::client
