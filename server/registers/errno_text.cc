#include "server/registers/errno_text.h"

#include <system_error>

namespace pmu::server {

std::string ErrnoText(int error) { return std::generic_category().message(error); }

}  // namespace pmu::server
