// captured_environment.h: an Environment whose streams are kept, and whose
// measurement is scripted.
#ifndef PMU_TESTS_CLIENT_CLI_CAPTURED_ENVIRONMENT_H_
#define PMU_TESTS_CLIENT_CLI_CAPTURED_ENVIRONMENT_H_

#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "client/cli/environment.h"

namespace pmu::cli {

// What a scripted measurement does, and what was done to it.
struct MeasurementScript {
  absl::Status create;
  absl::Status arm;
  absl::Status start;
  client::MeasurementResult result;
  std::function<void(client::Phase, int64_t, int64_t)> report_progress;

  absl::Mutex mutex;
  client::MeasurementSpec spec ABSL_GUARDED_BY(mutex);
  bool started ABSL_GUARDED_BY(mutex) = false;
  bool finished ABSL_GUARDED_BY(mutex) = false;
  bool stop_requested ABSL_GUARDED_BY(mutex) = false;
  bool interrupted ABSL_GUARDED_BY(mutex) = false;
};

// Without a duration it lasts until RequestStop.
class ScriptedMeasurement : public client::Measurement {
 public:
  explicit ScriptedMeasurement(MeasurementScript* script) : script_(script) {}

  absl::Status Arm() override {
    script_->report_progress(client::Phase::kConnect, 1, 2);
    return script_->arm;
  }

  absl::Status Start() override {
    absl::MutexLock lock(&script_->mutex);
    script_->started = script_->start.ok();
    return script_->start;
  }

  client::MeasurementResult Finish() override {
    absl::MutexLock lock(&script_->mutex);
    if (!script_->spec.duration) script_->mutex.Await(absl::Condition(&script_->stop_requested));
    script_->finished = true;
    client::MeasurementResult result = script_->result;
    result.interrupted |= script_->interrupted;
    return result;
  }

  const client::MeasurementResult& result() const override { return script_->result; }

  void RequestStop(bool interrupted) override {
    absl::MutexLock lock(&script_->mutex);
    script_->stop_requested = true;
    script_->interrupted |= interrupted;
  }

 private:
  MeasurementScript* const script_;
};

class CapturedEnvironment {
 public:
  CapturedEnvironment() {
    environment_.out = std::tmpfile();
    environment_.err = std::tmpfile();
    environment_.create_measurement =
        [this](client::MeasurementSpec spec,
               client::FleetOptions) -> absl::StatusOr<std::unique_ptr<client::Measurement>> {
      absl::MutexLock lock(&script_.mutex);
      script_.report_progress = spec.progress;
      script_.spec = std::move(spec);
      if (!script_.create.ok()) return script_.create;
      return std::make_unique<ScriptedMeasurement>(&script_);
    };
  }
  ~CapturedEnvironment() {
    std::fclose(environment_.out);
    std::fclose(environment_.err);
  }

  Environment& environment() { return environment_; }
  MeasurementScript& script() { return script_; }
  // What was printed so far.
  std::string out() const { return Text(environment_.out); }
  std::string err() const { return Text(environment_.err); }

 private:
  static std::string Text(std::FILE* file) {
    std::string text(static_cast<size_t>(std::ftell(file)), '\0');
    std::rewind(file);
    text.resize(std::fread(text.data(), 1, text.size(), file));
    return text;
  }

  Environment environment_;
  MeasurementScript script_;
};

}  // namespace pmu::cli

#endif  // PMU_TESTS_CLIENT_CLI_CAPTURED_ENVIRONMENT_H_
