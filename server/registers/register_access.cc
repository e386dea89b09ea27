#include "server/registers/register_access.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace pmu::server {

std::string FormatRegisterAccess(const RegisterAccess& access) {
  std::string text = access.is_write ? "write " : "read ";
  if (access.cpu >= 0) absl::StrAppend(&text, "cpu ", access.cpu, " ");
  absl::StrAppendFormat(&text, "0x%x", access.address);
  if (access.is_write || access.ok) absl::StrAppendFormat(&text, " = 0x%x", access.data);
  if (!access.ok) text += " failed";
  return text;
}

}  // namespace pmu::server
