#include "tests/client/report/python.h"

#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <fstream>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"

namespace pmu::client {
namespace {

std::string WriteTemporary(const std::string& name, const std::string& text) {
  std::string path = testing::TempDir() + name;
  std::ofstream(path, std::ios::binary) << text;
  return path;
}

}  // namespace

std::string RunPython(const std::string& script, const std::string& input) {
  const std::string script_path = WriteTemporary("script.py", script);
  const std::string input_path = WriteTemporary("input", input);
  const std::string command = absl::StrCat("python3 '", script_path, "' < '", input_path, "' 2>&1");
  std::FILE* pipe = popen(command.c_str(), "r");  // NOLINT: paths are ours
  std::string output;
  std::array<char, 4096> part{};
  while (const size_t size = fread(part.data(), 1, part.size(), pipe)) {
    output.append(part.data(), size);
  }
  const int status = pclose(pipe);
  if (status != 0) absl::StrAppend(&output, "exit status ", WEXITSTATUS(status));
  return output;
}

}  // namespace pmu::client
