#include "server/grpc_log.h"

#include <grpc/support/log.h>

#include "absl/strings/str_cat.h"
#include "server/log.h"

namespace pmu::server {
namespace {

void LogFromGrpc(gpr_log_func_args* args) {
  const LogLevel level =
      args->severity == GPR_LOG_SEVERITY_ERROR ? LogLevel::kWarning : LogLevel::kDebug;
  if (LogEnabled(level)) Log(level, absl::StrCat("gRPC: ", args->message));
}

}  // namespace

void TakeOverGrpcLog() { gpr_set_log_function(LogFromGrpc); }

}  // namespace pmu::server
