// What every backend must do, done by the CCI-400's.
#include <string>

#include "tests/server/backends/backend_contract.h"
#include "tests/server/backends/cci400/cci400_board.h"

namespace pmu::server {
namespace {

class Cci400Fixture {
 public:
  CounterBackend& backend() { return *board_.backend; }
  CounterTarget target() { return {}; }
  std::string events() {
    return "cci400/source=3,event=0x3/,"
           "{cci400/si_rrq_hs_any,source=4/,cci400/cycles/}";
  }
  void Work() { board_.clock.Advance(1'000'000); }
  size_t resources_held() const { return board_.journal.pending.size(); }

 private:
  Cci400Board board_;
};

INSTANTIATE_TYPED_TEST_SUITE_P(Cci400, BackendContract, Cci400Fixture);

}  // namespace
}  // namespace pmu::server
