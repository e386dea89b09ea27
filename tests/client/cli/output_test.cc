#include "client/cli/output.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace pmu::cli {
namespace {

namespace fs = std::filesystem;

class OutputTest : public testing::Test {
 protected:
  OutputTest() : folder_(testing::TempDir() + "output") {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }

  std::string Path(const std::string& name) const { return (folder_ / name).string(); }
  static std::string Contents(const std::string& path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
  }
  size_t FileCount() const {
    return std::distance(fs::directory_iterator(folder_), fs::directory_iterator());
  }

  const fs::path folder_;
};

TEST_F(OutputTest, WritesAFileAsAWhole) {
  ASSERT_TRUE(WriteFileAtomically(Path("a"), "one\n").ok());
  ASSERT_TRUE(WriteFileAtomically(Path("a"), "two\n").ok());

  EXPECT_EQ(Contents(Path("a")), "two\n");
  EXPECT_EQ(FileCount(), 1u) << "a temporary file was left";
}

TEST_F(OutputTest, AReaderOfTheOldFileKeepsIt) {
  ASSERT_TRUE(WriteFileAtomically(Path("a"), "old").ok());
  std::ifstream reader(Path("a"));

  ASSERT_TRUE(WriteFileAtomically(Path("a"), "new text").ok());

  std::ostringstream text;
  text << reader.rdbuf();
  EXPECT_EQ(text.str(), "old");
}

TEST_F(OutputTest, ModeIsKeptOrAsOpenWouldMakeIt) {
  const mode_t before = umask(027);
  ASSERT_TRUE(WriteFileAtomically(Path("new"), "x").ok());
  umask(before);
  std::ofstream(Path("old")) << "x";
  chmod(Path("old").c_str(), 0604);
  ASSERT_TRUE(WriteFileAtomically(Path("old"), "y").ok());

  struct stat info = {};
  stat(Path("new").c_str(), &info);
  EXPECT_EQ(info.st_mode & 07777, 0640u);
  stat(Path("old").c_str(), &info);
  EXPECT_EQ(info.st_mode & 07777, 0604u);
}

TEST_F(OutputTest, SymbolicLinksAreFollowed) {
  std::ofstream(Path("real")) << "x";
  fs::create_symlink(Path("real"), Path("link"));

  ASSERT_TRUE(WriteFileAtomically(Path("link"), "y").ok());

  EXPECT_TRUE(fs::is_symlink(Path("link")));
  EXPECT_EQ(Contents(Path("real")), "y");
}

TEST_F(OutputTest, DevicesAreWrittenToNotReplaced) {
  ASSERT_TRUE(CheckWritable("/dev/null").ok());
  ASSERT_TRUE(WriteFileAtomically("/dev/null", "x").ok());

  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

TEST_F(OutputTest, WhatCannotBeWrittenIsSaidAndNothingIsLeft) {
  EXPECT_FALSE(CheckWritable(Path("no/such/folder")).ok());
  EXPECT_FALSE(CheckWritable(folder_.string()).ok()) << "a folder";
  EXPECT_FALSE(WriteFileAtomically(Path("no/such/folder"), "x").ok());

  const absl::Status status = CheckWritable(Path("no/such/folder"));
  EXPECT_NE(status.message().find(Path("no/such/folder")), absl::string_view::npos);
  EXPECT_EQ(FileCount(), 0u);
}

TEST_F(OutputTest, AskingLeavesNothingBehind) {
  EXPECT_TRUE(CheckWritable(Path("later")).ok());

  EXPECT_EQ(FileCount(), 0u);
}

TEST_F(OutputTest, WidthWithoutATerminal) {
  std::FILE* file = std::tmpfile();
  unsetenv("COLUMNS");
  EXPECT_EQ(OutputWidth(file, 100), 100u);
  setenv("COLUMNS", "132", 1);
  EXPECT_EQ(OutputWidth(file, 100), 132u);
  setenv("COLUMNS", "3", 1);
  EXPECT_EQ(OutputWidth(file, 100), 100u);
  setenv("COLUMNS", "wide", 1);
  EXPECT_EQ(OutputWidth(file, 100), 100u);
  unsetenv("COLUMNS");
  std::fclose(file);
}

}  // namespace
}  // namespace pmu::cli
