// errno_text.h: the text of an errno number, thread-safe.
#ifndef PMU_SERVER_REGISTERS_ERRNO_TEXT_H_
#define PMU_SERVER_REGISTERS_ERRNO_TEXT_H_

#include <string>

namespace pmu::server {

// "Bad address" for EFAULT. Safe to call from any thread.
std::string ErrnoText(int error);

}  // namespace pmu::server

#endif  // PMU_SERVER_REGISTERS_ERRNO_TEXT_H_
