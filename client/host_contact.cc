#include "client/host_contact.h"

#include <utility>

#include "absl/status/status.h"

namespace pmu::client {
namespace {

// Longer than the channel's first back-off (100 ms +- 20%), so that the second
// try really connects again instead of hearing the first one's error.
constexpr absl::Duration kSecondTryAfter = absl::Milliseconds(150);

using Done = std::function<void(absl::StatusOr<pmu::v1::Host>)>;

void Deliver(absl::StatusOr<pmu::v1::GetHostResponse> answer, const Done& done) {
  if (!answer.ok()) {
    done(answer.status());
  } else if (!answer->has_host()) {
    done(absl::InternalError("answers GetHost without a host (not a pmud?)"));
  } else {
    done(std::move(*answer->mutable_host()));
  }
}

}  // namespace

void ContactHost(EventLoop* loop, PmuConnection* connection, absl::Duration timeout,
                 const Done& done) {
  const int64_t give_up_ns = loop->NowNs() + absl::ToInt64Nanoseconds(timeout);
  connection->GetHost({}, timeout, [=](absl::StatusOr<pmu::v1::GetHostResponse> first) {
    const absl::Duration left = absl::Nanoseconds(give_up_ns - loop->NowNs()) - kSecondTryAfter;
    if (first.ok() || !absl::IsUnavailable(first.status()) || left <= absl::ZeroDuration()) {
      Deliver(std::move(first), done);
      return;
    }
    loop->RunAfter(kSecondTryAfter, [=] {
      connection->GetHost({}, left, [=](absl::StatusOr<pmu::v1::GetHostResponse> second) {
        Deliver(std::move(second), done);
      });
    });
  });
}

}  // namespace pmu::client
