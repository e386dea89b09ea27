#include "client/admission.h"

#include <utility>

namespace pmu::client {

void Admission::Enter(std::function<void()> work) {
  waiting_.push_back(std::move(work));
  Pump();
}

void Admission::Leave() {
  --inside_;
  Pump();
}

void Admission::SetLimit(size_t limit) {
  limit_ = limit == 0 ? 1 : limit;
  Pump();
}

void Admission::Pump() {
  if (pumping_) return;
  pumping_ = true;
  while (inside_ < limit_ && !waiting_.empty()) {
    std::function<void()> work = std::move(waiting_.front());
    waiting_.pop_front();
    ++inside_;
    work();
  }
  pumping_ = false;
}

}  // namespace pmu::client
