// Registers are left as they were found, also when the agent is killed at any
// moment of a session. The board is a file that holds a CCI-400's registers;
// the agent maps it as it maps /dev/mem.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/integration/agent.h"
#include "tests/integration/process.h"

namespace pmu::integration {
namespace {

using ::testing::HasSubstr;

constexpr uint32_t kBoardBytes = 0x10000;
constexpr uint32_t kPmcr = 0x0100;
constexpr uint32_t kPeripheralId2 = 0x0fe8;

// The registers as a former user left them. The overflow flags are set: in a
// file they cannot be cleared by writing 1.
class Board {
 public:
  Board() : path_(directory_.path() + "/registers") {
    const int fd = open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    EXPECT_EQ(ftruncate(fd, kBoardBytes), 0);
    void* mapping = mmap(nullptr, kBoardBytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    EXPECT_NE(mapping, MAP_FAILED);
    words_ = static_cast<volatile uint32_t*>(mapping);
    Set(kPmcr, 0x2030);
    Set(kPeripheralId2, 0x60);
    for (uint32_t frame = 0x9000; frame <= 0xd000; frame += 0x1000) {
      if (frame != 0x9000) Set(frame, 0x0c + (frame >> 12));
      Set(frame + 0x4, 0x1000 + frame);
      Set(frame + 0x8, frame == 0xb000 ? 1 : 0);
      Set(frame + 0xc, 1);
    }
  }
  ~Board() { munmap(const_cast<uint32_t*>(words_), kBoardBytes); }
  Board(const Board&) = delete;
  Board& operator=(const Board&) = delete;

  const std::string& path() const { return path_; }
  uint32_t Get(uint32_t offset) const { return words_[offset / 4]; }
  std::string Everything() const {
    return std::string(const_cast<const char*>(reinterpret_cast<volatile char*>(
                           const_cast<volatile uint32_t*>(words_))),
                       kBoardBytes);
  }

 private:
  void Set(uint32_t offset, uint32_t contents) { words_[offset / 4] = contents; }

  ScratchDirectory directory_;
  const std::string path_;
  volatile uint32_t* words_ = nullptr;
};

class RegisterRestoreTest : public ::testing::Test {
 protected:
  std::unique_ptr<Agent> StartAgent() {
    AgentOptions options;
    options.options = {absl::StrCat("--cci400=", board_.path()),
                       absl::StrCat("--state-dir=", state_.path(), "/state")};
    return Agent::Start(options);
  }
  std::unique_ptr<Process> StartSession(const Agent& agent, const std::string& duration) {
    return Process::Start({PmuctlPath(), "run", "--hosts", agent.host(), "-e",
                           "cci400/source=3,event=0x3/,cci400/source=3,event=0xa/,"
                           "cci400/source=4,event=0x3/,cci400/source=4,event=0xa/,cci400/cycles/",
                           "--duration", duration});
  }
  bool Journaled() const {
    return ReadFile(state_.path() + "/state/restore.journal").find("end ") != std::string::npos;
  }

  // Runs a session until `reached`. Does not sleep, for the points follow each
  // other within microseconds. A busy machine may miss a session's planned
  // start; then another one is started.
  bool RunUntil(const Agent& agent, const std::function<bool()>& reached) {
    const absl::Time deadline = absl::Now() + absl::Seconds(30);
    while (absl::Now() < deadline) {
      session_ = StartSession(agent, "1h");
      while (session_->Running() && absl::Now() < deadline) {
        if (reached()) return true;
        sched_yield();
      }
    }
    return false;
  }

  Board board_;
  ScratchDirectory state_;
  std::unique_ptr<Process> session_;
};

TEST_F(RegisterRestoreTest, NormalEnd) {
  const std::string before = board_.Everything();
  const std::unique_ptr<Agent> agent = StartAgent();
  ASSERT_NE(agent, nullptr);

  // Twice: nothing that the first one left stands in the way of the second.
  for (int round = 0; round < 2; ++round) {
    ASSERT_TRUE(RunUntil(*agent, [this] { return (board_.Get(kPmcr) & 1) != 0; }));
    session_->Signal(SIGINT);
    session_->Wait();
    EXPECT_TRUE(WaitUntil([&] { return board_.Everything() == before; }));
  }
}

TEST_F(RegisterRestoreTest, AgentIsTerminatedInMidSession) {
  const std::string before = board_.Everything();
  const std::unique_ptr<Agent> agent = StartAgent();
  ASSERT_NE(agent, nullptr);
  ASSERT_TRUE(RunUntil(*agent, [this] { return (board_.Get(kPmcr) & 1) != 0; }));

  agent->process().Signal(SIGTERM);
  agent->process().Wait();

  EXPECT_EQ(board_.Everything(), before);
}

TEST_F(RegisterRestoreTest, ControllerIsKilledInMidSession) {
  const std::string before = board_.Everything();
  const std::unique_ptr<Agent> agent = StartAgent();
  ASSERT_NE(agent, nullptr);
  ASSERT_TRUE(RunUntil(*agent, [this] { return (board_.Get(kPmcr) & 1) != 0; }));

  session_->Signal(SIGKILL);  // The lease runs out.

  EXPECT_TRUE(WaitUntil([&] { return board_.Everything() == before; }, absl::Seconds(50)));
}

// kill -9 as soon as the session has come to each of these points, watched
// through the registers and the journal themselves.
TEST_F(RegisterRestoreTest, AgentIsKilledAtEveryPoint) {
  struct KillPoint {
    const char* name;
    std::function<bool()> reached;
  };
  const std::vector<KillPoint> points = {
      {"journaled", [this] { return Journaled(); }},
      {"first select written", [this] { return board_.Get(0xa000) == 0x63; }},
      {"last select written", [this] { return board_.Get(0xd000) == 0x8a; }},
      {"first counter enabled", [this] { return board_.Get(0xa008) == 1; }},
      {"all counters enabled", [this] { return board_.Get(0x9008) == 1; }},
      {"reset", [this] { return (board_.Get(kPmcr) & 6) != 0 || (board_.Get(kPmcr) & 1) != 0; }},
      {"counting", [this] { return (board_.Get(kPmcr) & 1) != 0; }},
  };
  const std::string before = board_.Everything();
  for (const KillPoint& point : points) {
    std::unique_ptr<Agent> agent = StartAgent();
    ASSERT_NE(agent, nullptr);
    EXPECT_EQ(board_.Everything(), before) << "before " << point.name;
    ASSERT_TRUE(RunUntil(*agent, point.reached)) << point.name << "\n" << agent->process().Err();
    agent->process().Signal(SIGKILL);
    agent->process().Wait();
    EXPECT_TRUE(Journaled()) << point.name;

    agent = StartAgent();
    ASSERT_NE(agent, nullptr);
    EXPECT_EQ(board_.Everything(), before) << "killed when: " << point.name;
    EXPECT_THAT(agent->process().Err(), HasSubstr("written back")) << point.name;
  }
}

}  // namespace
}  // namespace pmu::integration
