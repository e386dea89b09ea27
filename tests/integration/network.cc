#include "tests/integration/network.h"

#include <unistd.h>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "tests/integration/process.h"

namespace pmu::integration {
namespace {

absl::Status Ip(const std::string& arguments) {
  std::vector<std::string> command = absl::StrSplit(arguments, ' ');
  command.insert(command.begin(), "ip");
  const Finished done = RunProcess(command);
  if (done.status == 0) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat("ip ", arguments, ": ", done.err));
}

}  // namespace

absl::StatusOr<std::unique_ptr<TestNetwork>> TestNetwork::Create(int count) {
  if (geteuid() != 0) return absl::FailedPreconditionError("network namespaces need root");
  auto network = std::unique_ptr<TestNetwork>(new TestNetwork);
  network->prefix_ = absl::StrCat("pmu", getpid());
  network->count_ = count;
  if (absl::Status status = network->Build(); !status.ok()) return status;
  return network;
}

// The bridge lives in the controller's namespace, so nothing of the machine's
// own network is touched.
absl::Status TestNetwork::Build() {
  const std::string controller = Name("c");
  std::vector<std::string> steps = {
      absl::StrCat("netns add ", controller),
      absl::StrCat("-n ", controller, " link set lo up"),
      absl::StrCat("-n ", controller, " link add br0 type bridge"),
      absl::StrCat("-n ", controller, " addr add 10.77.0.254/24 dev br0"),
      absl::StrCat("-n ", controller, " link set br0 up"),
  };
  for (int host = 0; host < count_; ++host) {
    const std::string name = Name(absl::StrCat(host));
    const std::string port = absl::StrCat("p", host);
    steps.push_back(absl::StrCat("netns add ", name));
    steps.push_back(absl::StrCat("-n ", name, " link set lo up"));
    steps.push_back(absl::StrCat("-n ", controller, " link add ", port,
                                 " type veth peer name eth0 netns ", name));
    steps.push_back(absl::StrCat("-n ", controller, " link set ", port, " master br0"));
    steps.push_back(absl::StrCat("-n ", controller, " link set ", port, " up"));
    steps.push_back(absl::StrCat("-n ", name, " addr add ", Address(host), "/24 dev eth0"));
    steps.push_back(absl::StrCat("-n ", name, " link set eth0 up"));
  }
  for (const std::string& step : steps) {
    if (absl::Status status = Ip(step); !status.ok()) return status;
  }
  return absl::OkStatus();
}

TestNetwork::~TestNetwork() {
  for (int host = 0; host < count_; ++host) {
    Ip(absl::StrCat("netns del ", Name(absl::StrCat(host)))).IgnoreError();
  }
  Ip(absl::StrCat("netns del ", Name("c"))).IgnoreError();
}

std::string TestNetwork::Name(const std::string& part) const {
  return absl::StrCat(prefix_, "-", part);
}

std::string TestNetwork::Address(int host) const { return absl::StrCat("10.77.0.", host + 1); }

std::vector<std::string> TestNetwork::Wrapper(int host) const {
  return {"ip", "netns", "exec", Name(absl::StrCat(host))};
}

std::vector<std::string> TestNetwork::ControllerWrapper() const {
  return {"ip", "netns", "exec", Name("c")};
}

void TestNetwork::Cut(int host) {
  Ip(absl::StrCat("-n ", Name("c"), " link set p", host, " down")).IgnoreError();
}

void TestNetwork::Mend(int host) {
  Ip(absl::StrCat("-n ", Name("c"), " link set p", host, " up")).IgnoreError();
}

void TestNetwork::Nft(int host, const std::string& commands) const {
  std::vector<std::string> command = Wrapper(host);
  command.push_back("nft");
  command.push_back(commands);
  RunProcess(command);
}

void TestNetwork::Drop(int host) {
  Nft(host,
      "add table inet cut; "
      "add chain inet cut in { type filter hook input priority 0; policy drop; }");
}

void TestNetwork::Reset(int host) {
  Nft(host,
      "add table inet cut; add chain inet cut in { type filter hook input priority 0; }; "
      "add rule inet cut in meta l4proto tcp reject with tcp reset");
}

void TestNetwork::Accept(int host) { Nft(host, "delete table inet cut"); }

}  // namespace pmu::integration
