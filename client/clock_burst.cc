#include "client/clock_burst.h"

#include <time.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "absl/status/status.h"

namespace pmu::client {
namespace {

// The work of a probe and its answer, as a multiple of sending the probe.
constexpr int64_t kWorkPerSend = 3;
constexpr absl::Duration kLeastWork = absl::Microseconds(10);
// A probe should not often find another one's work before its own.
constexpr int64_t kFree = 2;
constexpr size_t kMinLimit = 3;
constexpr size_t kMaxLimit = 512;
// A burst ends when it has this many answers, and as many of the last ones
// were no clear improvement.
constexpr int kMinAnswers = 5;
constexpr int kNoBetter = 3;

absl::Duration ThreadCpuTime() {
  timespec time = {};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return absl::DurationFromTimespec(time);
}

// Lives as long as the probe under way holds it.
class Burst : public std::enable_shared_from_this<Burst> {
 public:
  Burst(PmuConnection* connection, const Clock& clock, int probes, absl::Duration timeout,
        std::function<void(absl::StatusOr<ClockBurst>)> done)
      : connection_(connection),
        clock_(clock),
        left_(std::max(probes, 1)),
        timeout_(timeout),
        done_(std::move(done)) {}

  void SendNext() {
    --left_;
    const absl::Duration before = ThreadCpuTime();
    const int64_t sent_ns = clock_.MonotonicNs();
    connection_->ProbeClock({}, timeout_,
                            [self = shared_from_this(),
                             sent_ns](const absl::StatusOr<pmu::v1::ProbeClockResponse>& answer) {
                              self->OnAnswer(sent_ns, self->clock_.MonotonicNs(), answer);
                            });
    send_work_ += ThreadCpuTime() - before;
    ++sent_;
  }

 private:
  void OnAnswer(int64_t sent_ns, int64_t received_ns,
                const absl::StatusOr<pmu::v1::ProbeClockResponse>& answer) {
    if (answer.ok()) {
      estimator_.Add({sent_ns, answer->receive_ns(), answer->send_ns(), received_ns});
      const absl::Duration took = absl::Nanoseconds(received_ns - sent_ns);
      no_better_ = took < fastest_ * 0.9 ? 0 : no_better_ + 1;
      fastest_ = std::min(fastest_, took);
      slowest_ = std::max(slowest_, took);
      if (++answers_ >= kMinAnswers && no_better_ >= kNoBetter) left_ = 0;
    } else {
      error_ = answer.status();
      // A host that does not answer must not cost a time limit per probe.
      left_ = 0;
    }
    if (left_ > 0) {
      SendNext();
    } else {
      Finish();
    }
  }

  void Finish() {
    if (estimator_.best().has_value()) {
      done_(ClockBurst{*estimator_.best(), fastest_, slowest_, send_work_ / sent_});
    } else if (!error_.ok()) {
      done_(error_);
    } else {
      done_(absl::InternalError("answers impossible time stamps to clock probes"));
    }
  }

  PmuConnection* connection_;
  const Clock& clock_;
  int left_;
  int sent_ = 0;
  absl::Duration send_work_;  // of all
  int answers_ = 0;
  int no_better_ = 0;  // answers in a row
  const absl::Duration timeout_;
  std::function<void(absl::StatusOr<ClockBurst>)> done_;
  ClockEstimator estimator_;
  absl::Duration fastest_ = absl::InfiniteDuration();
  absl::Duration slowest_;
  absl::Status error_;
};

}  // namespace

void ClockBurstGate::Learn(const ClockBurst& burst) {
  const absl::Duration work = std::max(burst.send_work * kWorkPerSend, kLeastWork);
  work_ = work_ == absl::ZeroDuration() ? work : work_ * 0.8 + work * 0.2;
  const auto others = static_cast<int64_t>(admission_.inside()) - 1;
  const int64_t fit = (burst.fastest - work_ * others) / (work_ * kFree);
  admission_.SetLimit(static_cast<size_t>(std::clamp<int64_t>(fit, kMinLimit, kMaxLimit)));
}

void RunClockBurst(PmuConnection* connection, const Clock& clock, int probes,
                   absl::Duration timeout, std::function<void(absl::StatusOr<ClockBurst>)> done) {
  std::make_shared<Burst>(connection, clock, probes, timeout, std::move(done))->SendNext();
}

}  // namespace pmu::client
