// TSan builds only.  Debian's libabsl_synchronization is not instrumented, so
// ThreadSanitizer cannot see that absl::Mutex orders memory.  These definitions
// interpose on the library's (the executable comes first in symbol lookup, for
// our code and for libgrpc alike), call the real function and tell TSan about
// the acquire/release.
#include <dlfcn.h>
#include <sanitizer/tsan_interface.h>

#include "absl/synchronization/blocking_counter.h"
#include "absl/synchronization/mutex.h"
#include "absl/synchronization/notification.h"
#include "absl/time/time.h"

#define NS "_ZN4absl7debian3"
#define NOTSAN __attribute__((no_sanitize_thread, visibility("default")))
namespace {
template <class F>
NOTSAN F Real(void** slot, const char* sym) {
  void* p = __atomic_load_n(slot, __ATOMIC_RELAXED);
  if (p == nullptr) {
    p = dlsym(RTLD_NEXT, sym);
    if (p == nullptr) __builtin_trap();
    __atomic_store_n(slot, p, __ATOMIC_RELAXED);
  }
  return reinterpret_cast<F>(p);
}
thread_local void* awaiting = nullptr;  // mutex whose condition this thread evaluates
class Awaiting {
 public:
  __attribute__((no_sanitize_thread)) explicit Awaiting(void* mutex) : old_(awaiting) {
    awaiting = mutex;
  }
  __attribute__((no_sanitize_thread)) ~Awaiting() { awaiting = old_; }

 private:
  void* old_;
};
}  // namespace
#define REAL(F, sym)            \
  ([] {                         \
    static void* slot;          \
    return Real<F>(&slot, sym); \
  }())

namespace absl {
ABSL_NAMESPACE_BEGIN
NOTSAN void Mutex::Lock() {
  REAL(void (*)(Mutex*), NS "5Mutex4LockEv")(this);
  __tsan_acquire(this);
}
NOTSAN void Mutex::Unlock() {
  __tsan_release(this);
  Awaiting a(this);
  REAL(void (*)(Mutex*), NS "5Mutex6UnlockEv")(this);
}
NOTSAN bool Mutex::TryLock() {
  bool r = REAL(bool (*)(Mutex*), NS "5Mutex7TryLockEv")(this);
  if (r) __tsan_acquire(this);
  return r;
}
NOTSAN void Mutex::ReaderLock() {
  REAL(void (*)(Mutex*), NS "5Mutex10ReaderLockEv")(this);
  __tsan_acquire(this);
}
NOTSAN void Mutex::ReaderUnlock() {
  __tsan_release(this);
  Awaiting a(this);
  REAL(void (*)(Mutex*), NS "5Mutex12ReaderUnlockEv")(this);
}
NOTSAN bool Mutex::ReaderTryLock() {
  bool r = REAL(bool (*)(Mutex*), NS "5Mutex13ReaderTryLockEv")(this);
  if (r) __tsan_acquire(this);
  return r;
}
NOTSAN void Mutex::LockWhen(const Condition& c) {
  Awaiting a(this);
  REAL(void (*)(Mutex*, const Condition&), NS "5Mutex8LockWhenERKNS0_9ConditionE")(this, c);
  __tsan_acquire(this);
}
NOTSAN bool Mutex::LockWhenWithTimeout(const Condition& c, Duration d) {
  Awaiting a(this);
  bool r = REAL(bool (*)(Mutex*, const Condition&, Duration),
                NS "5Mutex19LockWhenWithTimeoutERKNS0_9ConditionENS0_8DurationE")(this, c, d);
  __tsan_acquire(this);
  return r;
}
NOTSAN bool Mutex::LockWhenWithDeadline(const Condition& c, Time t) {
  Awaiting a(this);
  bool r = REAL(bool (*)(Mutex*, const Condition&, Time),
                NS "5Mutex20LockWhenWithDeadlineERKNS0_9ConditionENS0_4TimeE")(this, c, t);
  __tsan_acquire(this);
  return r;
}
NOTSAN void Mutex::Await(const Condition& c) {
  __tsan_release(this);
  Awaiting a(this);
  REAL(void (*)(Mutex*, const Condition&), NS "5Mutex5AwaitERKNS0_9ConditionE")(this, c);
  __tsan_acquire(this);
}
NOTSAN bool Mutex::AwaitWithTimeout(const Condition& c, Duration d) {
  __tsan_release(this);
  Awaiting a(this);
  bool r = REAL(bool (*)(Mutex*, const Condition&, Duration),
                NS "5Mutex16AwaitWithTimeoutERKNS0_9ConditionENS0_8DurationE")(this, c, d);
  __tsan_acquire(this);
  return r;
}
NOTSAN bool Mutex::AwaitWithDeadline(const Condition& c, Time t) {
  __tsan_release(this);
  Awaiting a(this);
  bool r = REAL(bool (*)(Mutex*, const Condition&, Time),
                NS "5Mutex17AwaitWithDeadlineERKNS0_9ConditionENS0_4TimeE")(this, c, t);
  __tsan_acquire(this);
  return r;
}
// Runs with the mutex held: in the waiter, or in an unlocker that looks for whom to wake.
NOTSAN bool Condition::Eval() const {
  void* m = awaiting;
  if (m != nullptr) __tsan_acquire(m);
  bool r = REAL(bool (*)(const Condition*), "_ZNK4absl7debian39Condition4EvalEv")(this);
  if (m != nullptr) __tsan_release(m);
  return r;
}
NOTSAN void CondVar::Wait(Mutex* m) {
  __tsan_release(m);
  Awaiting a(m);
  REAL(void (*)(CondVar*, Mutex*), NS "7CondVar4WaitEPNS0_5MutexE")(this, m);
  __tsan_acquire(m);
}
NOTSAN bool CondVar::WaitWithTimeout(Mutex* m, Duration d) {
  __tsan_release(m);
  Awaiting a(m);
  bool r = REAL(bool (*)(CondVar*, Mutex*, Duration),
                NS "7CondVar15WaitWithTimeoutEPNS0_5MutexENS0_8DurationE")(this, m, d);
  __tsan_acquire(m);
  return r;
}
NOTSAN bool CondVar::WaitWithDeadline(Mutex* m, Time t) {
  __tsan_release(m);
  Awaiting a(m);
  bool r = REAL(bool (*)(CondVar*, Mutex*, Time),
                NS "7CondVar16WaitWithDeadlineEPNS0_5MutexENS0_4TimeE")(this, m, t);
  __tsan_acquire(m);
  return r;
}
NOTSAN void Notification::Notify() {
  __tsan_release(this);
  REAL(void (*)(Notification*), NS "12Notification6NotifyEv")(this);
}
NOTSAN void Notification::WaitForNotification() const {
  REAL(void (*)(const Notification*), "_ZNK4absl7debian312Notification19WaitForNotificationEv")
  (this);
  __tsan_acquire(const_cast<Notification*>(this));
}
NOTSAN bool Notification::WaitForNotificationWithTimeout(absl::Duration d) const {
  bool r = REAL(bool (*)(const Notification*, Duration),
                "_ZNK4absl7debian312Notification30WaitForNotificationWithTimeoutENS0_8DurationE")(
      this, d);
  if (r) __tsan_acquire(const_cast<Notification*>(this));
  return r;
}
NOTSAN bool Notification::WaitForNotificationWithDeadline(absl::Time t) const {
  bool r =
      REAL(bool (*)(const Notification*, Time),
           "_ZNK4absl7debian312Notification31WaitForNotificationWithDeadlineENS0_4TimeE")(this, t);
  if (r) __tsan_acquire(const_cast<Notification*>(this));
  return r;
}
NOTSAN bool BlockingCounter::DecrementCount() {
  __tsan_release(this);
  return REAL(bool (*)(BlockingCounter*), NS "15BlockingCounter14DecrementCountEv")(this);
}
NOTSAN void BlockingCounter::Wait() {
  REAL(void (*)(BlockingCounter*), NS "15BlockingCounter4WaitEv")(this);
  __tsan_acquire(this);
}
ABSL_NAMESPACE_END
}  // namespace absl
