#include "client/cli/progress.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace pmu::cli {
namespace {

// Carriage return, then "erase to the end of the line" (ECMA-48, EL).
constexpr absl::string_view kErase = "\r\033[K";

void Write(std::FILE* file, absl::string_view text) {
  std::fwrite(text.data(), 1, text.size(), file);
  std::fflush(file);
}

}  // namespace

std::string ProgressText(client::Phase phase, int64_t done, int64_t total) {
  switch (phase) {
    case client::Phase::kConnect:
      return absl::StrCat("connecting ", done, "/", total);
    case client::Phase::kArm:
      return absl::StrCat("opening counters ", done, "/", total);
    case client::Phase::kRunning:
      if (total == 0) return absl::StrFormat("running %.1f s, Ctrl-C ends it", done / 1e3);
      return absl::StrFormat("running %.1f of %.1f s", done / 1e3, total / 1e3);
    case client::Phase::kCollect:
      return absl::StrCat("collecting ", done, "/", total);
  }
  return "";
}

void Progress::SetPrefix(std::string prefix) {
  absl::MutexLock lock(&mutex_);
  prefix_ = std::move(prefix);
}

void Progress::Update(client::Phase phase, int64_t done, int64_t total) {
  absl::MutexLock lock(&mutex_);
  const std::string text = prefix_ + ProgressText(phase, done, total);
  if (!enabled_ || text == shown_) return;
  Draw(text);
}

void Progress::Hide() {
  absl::MutexLock lock(&mutex_);
  if (!shown_.empty()) Write(file_, kErase);
  shown_.clear();
}

void Progress::Clear() {
  Hide();
  absl::MutexLock lock(&mutex_);
  enabled_ = false;
}

void Progress::Draw(const std::string& text) {
  Write(file_, absl::StrCat(kErase, text));
  shown_ = text;
}

}  // namespace pmu::cli
