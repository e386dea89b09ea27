// network.h: hosts with addresses of their own, in network namespaces.
//
// Thread-compatible. Needs root, iproute2 and nftables; the namespaces and
// links go when the object does.
#ifndef PMU_TESTS_INTEGRATION_NETWORK_H_
#define PMU_TESTS_INTEGRATION_NETWORK_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace pmu::integration {

// `count` hosts, 10.77.0.1 and on, and the controller at 10.77.0.254, all on
// one bridge inside a namespace of its own.
class TestNetwork {
 public:
  // FAILED_PRECONDITION: not root, or no namespaces here; say why and skip.
  static absl::StatusOr<std::unique_ptr<TestNetwork>> Create(int count);
  ~TestNetwork();
  TestNetwork(const TestNetwork&) = delete;
  TestNetwork& operator=(const TestNetwork&) = delete;

  // Hosts are counted from 0.
  std::string Address(int host) const;
  // Puts a command into the namespace of a host, or of the controller.
  std::vector<std::string> Wrapper(int host) const;
  std::vector<std::string> ControllerWrapper() const;

  // Takes the host's link down, and up again.
  void Cut(int host);
  void Mend(int host);
  // Silently drops whatever arrives at the host from now on.
  void Drop(int host);
  // Breaks every connection to the host, and refuses new ones, until Accept.
  void Reset(int host);
  void Accept(int host);

 private:
  TestNetwork() = default;
  std::string Name(const std::string& part) const;
  absl::Status Build();
  void Nft(int host, const std::string& commands) const;

  std::string prefix_;
  int count_ = 0;
};

}  // namespace pmu::integration

#endif  // PMU_TESTS_INTEGRATION_NETWORK_H_
