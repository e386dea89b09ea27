#include "client/event_loop.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>

namespace pmu::client {
namespace {

TEST(EventLoopTest, TimersRunInOrderOfTheirTime) {
  EventLoop loop;
  std::string order;
  const int64_t now_ns = loop.NowNs();
  loop.RunAt(now_ns + 3'000'000, [&] { order += 'c'; });
  loop.RunAt(now_ns + 1'000'000, [&] { order += 'a'; });
  loop.RunAt(now_ns + 2'000'000, [&] { order += 'b'; });

  loop.RunUntil([&] { return order.size() == 3; });

  EXPECT_EQ(order, "abc");
  EXPECT_GE(loop.NowNs(), now_ns + 3'000'000);
}

TEST(EventLoopTest, EqualTimesRunInOrderOfSetting) {
  EventLoop loop;
  std::string order;
  const int64_t now_ns = loop.NowNs();
  for (char c : std::string("abcd")) loop.RunAt(now_ns, [&order, c] { order += c; });

  loop.RunUntil([&] { return order.size() == 4; });

  EXPECT_EQ(order, "abcd");
}

TEST(EventLoopTest, ACancelledTimerDoesNotRun) {
  EventLoop loop;
  bool first = false, second = false;
  const EventLoop::TimerId id = loop.RunAfter(absl::ZeroDuration(), [&] { first = true; });
  loop.RunAfter(absl::Milliseconds(1), [&] { second = true; });

  loop.CancelTimer(id);
  loop.RunUntil([&] { return second; });

  EXPECT_FALSE(first);
}

TEST(EventLoopTest, ATimerMaySetAndCancelTimers) {
  EventLoop loop;
  int runs = 0;
  const EventLoop::TimerId victim = loop.RunAfter(absl::Milliseconds(2), [&] { runs += 100; });
  loop.RunAfter(absl::ZeroDuration(), [&] {
    ++runs;
    loop.CancelTimer(victim);
    loop.RunAfter(absl::Milliseconds(3), [&] { ++runs; });
  });

  loop.RunUntil([&] { return runs >= 2; });

  EXPECT_EQ(runs, 2);
}

TEST(EventLoopTest, PostFromAnotherThreadWakesALoopThatHasNothingElse) {
  EventLoop loop;
  bool posted = false;
  const std::thread::id driver = std::this_thread::get_id();
  std::thread other([&] {
    loop.Post([&] {
      EXPECT_EQ(std::this_thread::get_id(), driver);
      posted = true;
    });
  });

  loop.RunUntil([&] { return posted; });
  other.join();

  EXPECT_TRUE(posted);
}

TEST(EventLoopTest, ManyPostsFromManyThreadsAllRun) {
  EventLoop loop;
  constexpr int kThreads = 4, kPosts = 200;
  int runs = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      for (int k = 0; k < kPosts; ++k) loop.Post([&] { ++runs; });
    });
  }

  loop.RunUntil([&] { return runs == kThreads * kPosts; });
  for (std::thread& thread : threads) thread.join();

  EXPECT_EQ(runs, kThreads * kPosts);
}

TEST(EventLoopTest, PostsThatNobodyRunsDieWithTheLoop) {
  auto token = std::make_shared<int>(0);
  {
    EventLoop loop;
    loop.Post([token] { ADD_FAILURE() << "ran without a driver"; });
  }

  EXPECT_EQ(token.use_count(), 1);
}

}  // namespace
}  // namespace pmu::client
