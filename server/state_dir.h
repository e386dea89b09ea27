// state_dir.h: the directory of one agent, held by a lock.
//
// DIR/lock      locked (flock(2)) as long as the agent lives
// DIR/instance  the random name of this start of the agent
//
// Thread-compatible. The lock is let go when the object is destroyed, and by
// the kernel when the agent dies.
#ifndef PMU_SERVER_STATE_DIR_H_
#define PMU_SERVER_STATE_DIR_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "server/file_descriptor.h"

namespace pmu::server {

class StateDir {
 public:
  // Makes the directory (mode 0700, parents included) where it is missing.
  // FAILED_PRECONDITION: another agent holds it; else from errno, naming the
  // path.
  static absl::StatusOr<StateDir> Open(const std::string& path, absl::string_view instance);

  const std::string& path() const { return path_; }

 private:
  StateDir(std::string path, FileDescriptor lock);

  std::string path_;
  FileDescriptor lock_;
};

// /var/lib/pmud for root; else $XDG_STATE_HOME/pmud, or ~/.local/state/pmud.
std::string DefaultStateDir();

// Replaces a file at once: readers see the old or the new text, never a part.
// Errors from errno, naming the path.
absl::Status WriteFileAtomically(const std::string& path, absl::string_view text);

}  // namespace pmu::server

#endif  // PMU_SERVER_STATE_DIR_H_
