// The backend around the counting: what it lists, refuses, saves and restores.
#include "server/backends/cci400/cci400_backend.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "tests/fakes/scratch_tree.h"
#include "tests/server/backends/cci400/cci400_board.h"

namespace pmu::server {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr int64_t kSecond = 1'000'000'000;

EventSpec Spec(const char* text) { return ParseEventList(text).value()[0]; }

// Contents of all registers that the backend may write.
std::map<uint32_t, uint32_t> AllRegisters(Cci400Board& board) {
  std::map<uint32_t, uint32_t> contents = {{0x100, board.Register(0x100)}};
  for (uint32_t frame = 0x9000; frame <= 0xd000; frame += 0x1000) {
    for (uint32_t offset = 0; offset <= 0xc; offset += 4) {
      contents[frame + offset] = board.Register(frame + offset);
    }
  }
  return contents;
}

constexpr char kUsedBoard[] =
    "cci400-r1:preset.0x100=0x30,preset.0xa000=0x0c,preset.0xa008=1,preset.0xb000=0x21,"
    "preset.0xb004=0x12345678,preset.0x9004=99";

TEST(Cci400BackendTest, DescribesTheDevice) {
  Cci400Board board("cci400-r0");

  const BackendInfo info = board.backend->Describe();

  EXPECT_EQ(info.name, "cci400");
  EXPECT_TRUE(info.availability.ok());
  EXPECT_TRUE(info.simulated);
  ASSERT_THAT(info.pmus, SizeIs(1));
  EXPECT_THAT(info.pmus[0].note, AllOf(HasSubstr("CCI-400 r0"), HasSubstr("simulated cci400-r0"),
                                       HasSubstr("S3 (A53 cluster)")));
}

TEST(Cci400BackendTest, ListsTheEventsOfItsRevision) {
  Cci400Board board("cci400-r0");
  EXPECT_THAT(board.backend->ListCounters(), SizeIs(28));  // cycles too

  board.PowerOn("cci400-r1");
  const std::vector<CounterInfo> counters = board.backend->ListCounters();
  ASSERT_THAT(counters, SizeIs(40));
  EXPECT_EQ(counters[0].name, "cci400/cycles/");
  EXPECT_THAT(counters[0].required_terms, IsEmpty());
  EXPECT_EQ(counters[1].name, "cci400/si_rrq_hs_any,source=?/");
  EXPECT_EQ(counters[1].required_terms, std::vector<std::string>{"source"});
  EXPECT_THAT(counters[1].description, HasSubstr("S3 (A53 cluster)"));
  EXPECT_EQ(counters[1].domain, CounterDomain::kSystem);
  EXPECT_EQ(counters[1].width_bits, 32);
  EXPECT_TRUE(counters[1].simulated);
}

TEST(Cci400BackendTest, ResolvesForTheWholeSystem) {
  Cci400Board board;
  CounterTarget target;
  target.cpus = {0, 1};

  auto resolved = board.backend->Resolve(Spec("cci400/source=3,event=3/"), target);

  ASSERT_TRUE(resolved.ok()) << resolved.status();
  ASSERT_THAT(*resolved, SizeIs(1));
  EXPECT_EQ((*resolved)[0].encoding.config, 0x63u);
  EXPECT_EQ((*resolved)[0].domain, CounterDomain::kSystem);
  EXPECT_THAT((*resolved)[0].cpus, IsEmpty());
  EXPECT_THAT((*resolved)[0].warnings, Contains(HasSubstr("whole system")));
  EXPECT_TRUE((*resolved)[0].simulated);
}

// RG-4: process mode is refused.
TEST(Cci400BackendTest, RefusesProcessesAndCgroups) {
  Cci400Board board;
  CounterTarget process;
  process.pid = 1;
  CounterTarget cgroup;
  cgroup.cgroup = "/system.slice";

  for (const CounterTarget& target : {process, cgroup}) {
    const absl::Status status = board.backend->Resolve(Spec("cci400/cycles/"), target).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
    EXPECT_THAT(std::string(status.message()), HasSubstr("whole system"));
  }
}

TEST(Cci400BackendTest, KernelsPmuIsPreferred) {
  ScratchTree tree;
  tree.Write("/sys/bus/event_source/devices/CCI_400_r1/type", "9\n");
  Cci400Board board;
  board.simulated = false;
  board.root = tree.root();
  board.StartBackend();

  const BackendInfo info = board.backend->Describe();
  const absl::Status resolved = board.backend->Resolve(Spec("cci400/cycles/"), {}).status();

  EXPECT_EQ(info.availability.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(info.availability.message()), HasSubstr("CCI_400_r1 holds"));
  EXPECT_EQ(resolved, info.availability);
  EXPECT_FALSE(board.backend->ListCounters()[0].availability.ok());
}

TEST(Cci400BackendTest, WithoutADeviceItSaysWhy) {
  Cci400Options options;
  options.region_status = absl::NotFoundError("/proc/device-tree: no device tree");
  Cci400Backend backend(options);

  const absl::Status status = backend.Resolve(Spec("cci400/cycles/"), {}).status();

  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(status.message()), HasSubstr("no device tree"));
  EXPECT_THAT(backend.ListCounters(), SizeIs(1));
  EXPECT_EQ(backend.Resolve(Spec("cycles"), {}).status().code(), absl::StatusCode::kNotFound);
}

TEST(Cci400BackendTest, NotACci400AtThatAddress) {
  Cci400Board board("cci400-r1:zero=0x100");

  const absl::Status status = board.backend->Describe().availability;

  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(status.message()), HasSubstr("wrong address"));
}

TEST(Cci400BackendTest, PutsEveryRegisterBack) {
  Cci400Board board(kUsedBoard);
  const std::map<uint32_t, uint32_t> before = AllRegisters(board);

  auto set = board.Open(
      "cci400/source=3,event=3/,cci400/source=4,event=3/,cci400/source=1,event=3/,"
      "cci400/source=2,event=3/");
  ASSERT_TRUE(set->Enable().ok());
  board.clock.Advance(20 * kSecond);  // Wraps; the flags must not stay.
  EXPECT_NE(AllRegisters(board), before);
  set.reset();

  EXPECT_EQ(AllRegisters(board), before);
}

TEST(Cci400BackendTest, PutsRegistersBackAfterALimit) {
  Cci400Board board(kUsedBoard);
  const std::map<uint32_t, uint32_t> before = AllRegisters(board);

  auto set = board.Open("cci400/cycles/");
  ASSERT_TRUE(set->SetCycleLimit({1000, [] {}}).ok());
  ASSERT_TRUE(set->Enable().ok());
  board.clock.Advance(kSecond);
  EXPECT_LT(Cci400Board::AsCci400(*set).Poll(), 0);
  set.reset();

  EXPECT_EQ(AllRegisters(board), before);
}

// The agent is killed at every possible moment; the next one replays.
TEST(Cci400BackendTest, JournalRestoresAfterACrashAtAnyWrite) {
  for (size_t crash_at = 0; crash_at < 13; ++crash_at) {
    Cci400Board board(kUsedBoard);
    board.simulated = false;  // As if it were real: only that is replayed.
    const std::map<uint32_t, uint32_t> before = AllRegisters(board);
    std::vector<std::pair<uint32_t, uint32_t>> made;
    {
      Cci400Board rehearsal(kUsedBoard);
      rehearsal.simulated = false;
      rehearsal.StartBackend();
      auto set = rehearsal.Open(
          "{cci400/source=3,event=3/,cci400/source=4,event=3/,"
          "cci400/source=1,event=3/,cci400/source=2,event=3/}");
      ASSERT_TRUE(set->Enable().ok());
      rehearsal.clock.Advance(kSecond);
      ASSERT_TRUE(set->Disable().ok());
      ASSERT_THAT(rehearsal.journal.pending, SizeIs(1));
      board.journal.pending = rehearsal.journal.pending;
      for (const std::string& write : rehearsal.writes) {
        unsigned offset = 0, contents = 0;
        ASSERT_EQ(sscanf(write.c_str(), "write %x = %x", &offset, &contents), 2);
        made.push_back({offset, contents});
      }
      ASSERT_THAT(made, SizeIs(12));
    }
    for (size_t i = 0; i < crash_at && i < made.size(); ++i) {
      ASSERT_TRUE(board.device->Write32(made[i].first, made[i].second).ok());
    }
    board.clock.Advance(kSecond);

    board.StartBackend();
    for (const RestoreStep& step : board.journal.pending.begin()->second) {
      ASSERT_TRUE(board.backend->Restore(step).ok());
    }

    EXPECT_EQ(AllRegisters(board), before) << "crash after write " << crash_at;
  }
}

TEST(Cci400BackendTest, JournalIsWrittenFirstAndClearedLast) {
  Cci400Board board;
  auto set = board.Open("cci400/cycles/");
  EXPECT_THAT(board.writes, IsEmpty());
  EXPECT_THAT(board.journal.pending, SizeIs(1));

  set.reset();

  EXPECT_THAT(board.journal.pending, IsEmpty());
}

TEST(Cci400BackendTest, SimulatedRegistersAreMarkedInTheJournal) {
  Cci400Board board;
  auto set = board.Open("cci400/cycles/");

  EXPECT_EQ(board.journal.pending.begin()->second[0].device, "simulated-cci400");
  EXPECT_EQ(board.backend->Restore(board.journal.pending.begin()->second[0]).code(),
            absl::StatusCode::kInvalidArgument);
}

TEST(Cci400BackendTest, WithoutAJournalNothingIsTouched) {
  Cci400Board board;
  board.journal.failure = absl::UnavailableError("disk full");

  auto set = board.Open("cci400/cycles/");

  EXPECT_EQ(set->slots()[0].status.code(), absl::StatusCode::kUnavailable);
  EXPECT_TRUE(set->Enable().ok());
  EXPECT_THAT(board.writes, IsEmpty());
  set.reset();
  EXPECT_THAT(board.writes, IsEmpty());
}

TEST(Cci400BackendTest, RestoreTakesOnlyItsOwnRegisters) {
  Cci400Board board;

  EXPECT_EQ(board.backend->Restore({"msr", 0, 0x100, 0}).code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(board.backend->Restore({"cci400", -1, 0x1000, 0}).code(),
            absl::StatusCode::kPermissionDenied);
  EXPECT_EQ(board.backend->Restore({"cci400", -1, uint64_t{1} << 32, 0}).code(),
            absl::StatusCode::kInvalidArgument);
}

// RG-7: two sessions on one agent.
TEST(Cci400BackendTest, OneSessionAtATime) {
  Cci400Board board;
  auto first = board.Open("cci400/cycles/");

  auto second = board.Open("cci400/cycles/");
  EXPECT_EQ(second->slots()[0].status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(second->slots()[0].status.message()), HasSubstr("another session"));

  first.reset();
  auto third = board.Open("cci400/cycles/");
  EXPECT_TRUE(third->slots()[0].status.ok());
}

// RG-7: somebody outside the agent counts.
TEST(Cci400BackendTest, DoesNotTakeRunningCountersAway) {
  Cci400Board board("cci400-r1:preset.0x100=1,preset.0xb008=1,preset.0xb000=0x0c");
  auto set = board.Open("cci400/cycles/");
  EXPECT_EQ(set->slots()[0].status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(set->slots()[0].status.message()), HasSubstr("somebody else"));
  set.reset();
  EXPECT_THAT(board.writes, IsEmpty());

  board.take_over = true;
  board.StartBackend();
  set = board.Open("cci400/cycles/");
  EXPECT_TRUE(set->slots()[0].status.ok());
  ASSERT_TRUE(set->Enable().ok());
  board.clock.Advance(kSecond);
  EXPECT_EQ(Cci400Board::Read(*set)[0].raw_count, 500'000'000u);
  set.reset();
  EXPECT_EQ(board.Register(0x100), 0x2001u);  // They run on.
  EXPECT_EQ(board.Register(0xb008), 1u);
}

// With its own thread and the machine's clock: only that it runs and ends.
TEST(Cci400BackendTest, PollsItself) {
  SimulatedCci400 device(ParseSimulationSpec("cci400-r1").value(), &SystemClock());
  Cci400Options options;
  options.region = &device;
  options.simulated = true;
  options.poll_interval_ns = 100'000;
  Cci400Backend backend(options);
  const std::vector<ResolvedEvent> events = *backend.Resolve(Spec("cci400/cycles/"), {});
  auto set = backend.Open(events, {}).value();
  absl::Mutex mutex;
  bool reached = false;
  ASSERT_TRUE(set->SetCycleLimit({1'000'000,
                                  [&] {
                                    absl::MutexLock lock(&mutex);
                                    reached = true;
                                  }})
                  .ok());

  ASSERT_TRUE(set->Enable().ok());
  EXPECT_GT(set->descriptor_count(), 0);
  mutex.LockWhen(absl::Condition(&reached));
  mutex.Unlock();
  ASSERT_TRUE(set->Disable().ok());

  EXPECT_GE(Cci400Board::Read(*set)[0].raw_count, 1'000'000u);
}

}  // namespace
}  // namespace pmu::server
