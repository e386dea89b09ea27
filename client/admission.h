// admission.h: bounds how many things are under way at one time.
//
// Enter runs a function at once while fewer than `limit` are inside, and
// otherwise queues it (first in, first out). Whoever was let in calls Leave
// exactly once, from wherever its work ends.
// Thread-compatible: used from an event loop's thread.
#ifndef PMU_CLIENT_ADMISSION_H_
#define PMU_CLIENT_ADMISSION_H_

#include <cstddef>
#include <deque>
#include <functional>

namespace pmu::client {

class Admission {
 public:
  explicit Admission(size_t limit) : limit_(limit == 0 ? 1 : limit) {}

  void Enter(std::function<void()> work);
  void Leave();

  size_t inside() const { return inside_; }

  // A larger limit lets more in at once; a smaller one waits for them to leave.
  void SetLimit(size_t limit);

 private:
  // Lets in as many as fit. Work that ends at once calls Leave from within;
  // the outermost call then goes on, so the stack stays flat.
  void Pump();

  size_t limit_;
  size_t inside_ = 0;
  bool pumping_ = false;
  std::deque<std::function<void()>> waiting_;
};

}  // namespace pmu::client

#endif  // PMU_CLIENT_ADMISSION_H_
