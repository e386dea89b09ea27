#include "tests/fakes/scratch_tree.h"

#include <stdlib.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace pmu {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void Fail(const std::string& what) {
  // A test without its tree proves nothing.
  perror(what.c_str());
  abort();
}

}  // namespace

ScratchTree::ScratchTree() {
  const char* const base = getenv("TEST_TMPDIR");
  root_ = std::string(base != nullptr ? base : "/tmp") + "/tree.XXXXXX";
  if (mkdtemp(root_.data()) == nullptr) Fail(root_);
}

ScratchTree::~ScratchTree() {
  std::error_code ignored;
  fs::remove_all(root_, ignored);
}

void ScratchTree::Write(const std::string& path, const std::string& text) {
  const fs::path file = root_ + path;
  fs::create_directories(file.parent_path());
  std::ofstream stream(file, std::ios::binary | std::ios::trunc);
  stream << text;
  if (!stream.flush()) Fail(file.string());
}

void ScratchTree::MakeDirectory(const std::string& path) { fs::create_directories(root_ + path); }

void ScratchTree::MakeFifo(const std::string& path) {
  const std::string file = root_ + path;
  fs::create_directories(fs::path(file).parent_path());
  if (mkfifo(file.c_str(), 0600) != 0) Fail(file);
}

void ScratchTree::Remove(const std::string& path) { fs::remove_all(root_ + path); }

void ScratchTree::CopyFrom(const std::string& directory) {
  // Bazel shows data as symbolic links into the source tree: copy the files.
  fs::copy(directory, root_, fs::copy_options::recursive | fs::copy_options::overwrite_existing);
}

}  // namespace pmu
