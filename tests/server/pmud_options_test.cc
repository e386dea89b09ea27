#include "server/pmud_options.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace pmu::server {
namespace {

using ::testing::HasSubstr;

TEST(PmudOptionsTest, Defaults) {
  const PmudOptions options = ParsePmudOptions({}).value();

  ASSERT_EQ(options.listen.size(), 1u);
  EXPECT_EQ(options.listen[0].text, "127.0.0.1:50051");
  EXPECT_FALSE(options.insecure);
  EXPECT_EQ(options.log_level, LogLevel::kInfo);
  EXPECT_EQ(options.sysfs_root, "");
  EXPECT_NE(options.state_dir, "");
}

TEST(PmudOptionsTest, TakesEverything) {
  const PmudOptions options =
      ParsePmudOptions({"--listen=a:1", "--listen", "unix:/x", "--insecure", "--state-dir=/s",
                        "--port-file=/p", "--sysfs-root=/r", "--log-level=debug"})
          .value();

  ASSERT_EQ(options.listen.size(), 2u);
  EXPECT_EQ(options.listen[1].unix_path, "/x");
  EXPECT_TRUE(options.insecure);
  EXPECT_EQ(options.state_dir, "/s");
  EXPECT_EQ(options.port_file, "/p");
  EXPECT_EQ(options.sysfs_root, "/r");
  EXPECT_EQ(options.log_level, LogLevel::kDebug);
}

TEST(PmudOptionsTest, ErrorsNameTheOption) {
  const auto message = [](const std::vector<std::string>& args) {
    return std::string(ParsePmudOptions(args).status().message());
  };
  EXPECT_THAT(message({"--listen=a:b"}), HasSubstr("--listen=a:b"));
  EXPECT_THAT(message({"--log-level=loud"}), HasSubstr("loud"));
  EXPECT_THAT(message({"--no-such"}), HasSubstr("no-such"));
  EXPECT_THAT(message({"operand"}), HasSubstr("operand"));
}

TEST(PmudOptionsTest, HelpNamesEveryOption) {
  const std::string help = PmudHelp();

  for (const char* option : {"--listen=ADDR", "--insecure", "--state-dir=DIR", "--port-file=FILE",
                             "--sysfs-root=DIR", "--log-level=LEVEL", "--help", "--version"}) {
    EXPECT_THAT(help, HasSubstr(option));
  }
}

}  // namespace
}  // namespace pmu::server
