// RG-4 from its register trace, tests/cases/regs/cci400-r0-vs-r1.txt: the same
// board with the one and the other revision.
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/server/backends/cci400/cci400_board.h"

namespace pmu::server {
namespace {

// The registers at each step, "ADDRESS=CONTENTS ...". What a step does not name
// stays as it was; of two entries for one register the later counts.
std::vector<std::string> ReadTrace(const char* path) {
  std::ifstream file(path);
  EXPECT_TRUE(file.is_open()) << path;
  std::vector<std::string> steps;
  std::string line;
  while (std::getline(file, line)) {
    std::istringstream words(line);
    std::string block, address, contents;
    words >> block >> address >> contents;
    if (block == "step") steps.push_back(steps.empty() ? "" : steps.back());
    if (block == "ctrl") steps.back() += absl::StrCat(address, "=", contents, " ");
  }
  return steps;
}

// A region that shows what the trace says, and zeros.
class TraceRegion final : public MmioRegion {
 public:
  explicit TraceRegion(const std::string& step) {
    std::istringstream words(step);
    std::string word;
    while (words >> word) {
      const size_t equals = word.find('=');
      contents_[static_cast<uint32_t>(std::stoul(word.substr(0, equals), nullptr, 16))] =
          static_cast<uint32_t>(std::stoul(word.substr(equals + 1), nullptr, 16));
    }
  }
  absl::StatusOr<uint32_t> Read32(uint32_t offset) override { return contents_[offset]; }
  absl::Status Write32(uint32_t, uint32_t) override { return absl::OkStatus(); }
  uint32_t size_bytes() const override { return 0x10000; }
  std::string Description() const override { return "trace"; }

 private:
  std::map<uint32_t, uint32_t> contents_;
};

bool Resolves(const Cci400Backend& backend, int source, int code) {
  const std::string text = absl::StrCat("cci400/source=", source, ",event=", code, "/");
  return backend.Resolve(ParseEventList(text).value()[0], {}).ok();
}

class RegisterTraceTest : public ::testing::TestWithParam<int> {};

TEST_P(RegisterTraceTest, OnlyTheCodesOfTheRevisionThatTheDeviceSays) {
  const int step = GetParam();
  const std::vector<std::string> steps = ReadTrace("tests/cases/regs/cci400-r0-vs-r1.txt");
  ASSERT_EQ(steps.size(), 2u);
  TraceRegion region(steps[step]);
  Cci400Options options;
  options.region = &region;
  options.root = "/no-such-root";
  Cci400Backend backend(options);
  const bool is_r1 = step == 1;

  ASSERT_TRUE(backend.Describe().availability.ok()) << backend.Describe().availability;
  for (int source = 0; source < 8; ++source) {
    for (int code = 0; code < 0x20; ++code) {
      const bool valid = source <= 4 ? code <= (is_r1 ? 0x14 : 0x13)
                         : is_r1     ? code <= 0x11
                                     : code >= 0x14 && code <= 0x1a;
      EXPECT_EQ(Resolves(backend, source, code), valid) << "source " << source << " code " << code;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Revisions, RegisterTraceTest, ::testing::Values(0, 1));

}  // namespace
}  // namespace pmu::server
