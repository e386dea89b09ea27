#include "client/cli/progress.h"

#include <gtest/gtest.h>

#include <string>

namespace pmu::cli {
namespace {

using client::Phase;

std::string Written(std::FILE* file) {
  std::string text(static_cast<size_t>(std::ftell(file)), '\0');
  std::rewind(file);
  text.resize(std::fread(text.data(), 1, text.size(), file));
  return text;
}

TEST(ProgressTest, SaysWhatGoesOn) {
  EXPECT_EQ(ProgressText(Phase::kConnect, 3, 8), "connecting 3/8");
  EXPECT_EQ(ProgressText(Phase::kArm, 0, 8), "opening counters 0/8");
  EXPECT_EQ(ProgressText(Phase::kRunning, 3210, 5000), "running 3.2 of 5.0 s");
  EXPECT_EQ(ProgressText(Phase::kRunning, 3210, 0), "running 3.2 s, Ctrl-C ends it");
  EXPECT_EQ(ProgressText(Phase::kCollect, 8, 8), "collecting 8/8");
}

TEST(ProgressTest, TheLineIsRewrittenAndRemoved) {
  std::FILE* file = std::tmpfile();
  {
    Progress progress(file, true);
    progress.Update(Phase::kConnect, 1, 2);
    progress.Update(Phase::kConnect, 1, 2);
    progress.Update(Phase::kConnect, 2, 2);
    progress.Clear();
    progress.Update(Phase::kArm, 1, 2);
  }

  EXPECT_EQ(Written(file), "\r\033[Kconnecting 1/2\r\033[Kconnecting 2/2\r\033[K");
  std::fclose(file);
}

TEST(ProgressTest, HiddenItComesBackWithTheNextUpdate) {
  std::FILE* file = std::tmpfile();
  Progress progress(file, true);
  progress.Update(Phase::kArm, 2, 2);
  progress.Hide();
  progress.Hide();
  progress.Update(Phase::kCollect, 2, 2);

  EXPECT_EQ(Written(file), "\r\033[Kopening counters 2/2\r\033[K\r\033[Kcollecting 2/2");
  progress.Clear();
  std::fclose(file);
}

TEST(ProgressTest, DisabledItWritesNothing) {
  std::FILE* file = std::tmpfile();
  {
    Progress progress(file, false);
    progress.Update(Phase::kConnect, 1, 2);
  }

  EXPECT_EQ(Written(file), "");
  std::fclose(file);
}

}  // namespace
}  // namespace pmu::cli
