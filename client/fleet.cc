#include "client/fleet.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <utility>

#include "client/admission.h"
#include "client/clock_burst.h"
#include "client/connection.h"
#include "client/event_loop.h"
#include "client/grpc_connection.h"
#include "client/host_contact.h"

namespace pmu::client {
namespace {

constexpr uint32_t kPageSize = 1000;
// No agent has this many counters; one that pages for ever is broken.
constexpr size_t kMaxPages = 1000;

using Asker = std::function<void(EventLoop*, PmuConnection*, size_t, const std::function<void()>&)>;

// Asks every host, `options.max_in_flight` at a time. `ask` starts the calls
// to host `index` and runs its last argument when through with it; `failed` is
// called for a host that has no connection.
void AskAll(const std::vector<std::string>& hosts, const FleetOptions& options, const Asker& ask,
            const std::function<void(size_t, absl::Status)>& failed) {
  EventLoop loop;
  const ConnectionFactory connect =
      GrpcConnectionFactory(&loop, {options.use_proxy, options.timeout});
  Admission admission(options.max_in_flight);
  std::vector<std::unique_ptr<PmuConnection>> connections(hosts.size());
  size_t done_count = 0;
  for (size_t i = 0; i < hosts.size(); ++i) {
    admission.Enter([&, i] {
      absl::StatusOr<std::unique_ptr<PmuConnection>> connection = connect(hosts[i]);
      auto leave = [&, i] {
        ++done_count;
        connections[i].reset();
        admission.Leave();
      };
      if (!connection.ok()) {
        failed(i, connection.status());
        leave();
        return;
      }
      connections[i] = *std::move(connection);
      ask(&loop, connections[i].get(), i, leave);
    });
  }
  loop.RunUntil([&] { return done_count == hosts.size(); });
}

class CounterPager : public std::enable_shared_from_this<CounterPager> {
 public:
  CounterPager(PmuConnection* connection, absl::Duration timeout, CounterListing* listing,
               std::function<void()> done)
      : connection_(connection), timeout_(timeout), listing_(listing), done_(std::move(done)) {}

  void NextPage(const pmu::v1::ListCountersRequest& request) {
    connection_->ListCounters(
        request, timeout_,
        [self = shared_from_this(), request](absl::StatusOr<pmu::v1::ListCountersResponse> page) {
          self->OnPage(request, std::move(page));
        });
  }

 private:
  void OnPage(pmu::v1::ListCountersRequest request,
              absl::StatusOr<pmu::v1::ListCountersResponse> page) {
    if (!page.ok()) {
      Finish(page.status());
      return;
    }
    std::move(page->mutable_counters()->begin(), page->mutable_counters()->end(),
              std::back_inserter(listing_->counters));
    if (page->next_page_token().empty()) {
      Finish(absl::OkStatus());
    } else if (++pages_ == kMaxPages || page->next_page_token() == request.page_token()) {
      Finish(absl::InternalError("list of counters does not end"));
    } else {
      request.set_page_token(page->next_page_token());
      NextPage(request);
    }
  }

  // A part of a list would look like a machine with fewer counters.
  void Finish(absl::Status status) {
    if (!status.ok()) listing_->counters.clear();
    listing_->status = std::move(status);
    done_();
  }

  PmuConnection* connection_;
  const absl::Duration timeout_;
  CounterListing* listing_;
  std::function<void()> done_;
  size_t pages_ = 0;
};

void AskClock(EventLoop* loop, PmuConnection* connection, ClockBurstGate* gate,
              const FleetOptions& options, HostAnswer* answer, const std::function<void()>& done) {
  gate->Enter([=] {
    RunClockBurst(connection, loop->clock(), options.clock_probes, options.timeout,
                  [=](absl::StatusOr<ClockBurst> burst) {
                    answer->status = burst.status();
                    if (burst.ok()) {
                      answer->clock = burst->offset;
                      answer->round_trip = burst->fastest;
                      gate->Learn(*burst);
                    }
                    gate->Leave();
                    done();
                  });
  });
}

void AskIdentity(EventLoop* loop, PmuConnection* connection, ClockBurstGate* gate,
                 const FleetOptions& options, HostAnswer* answer,
                 const std::function<void()>& done) {
  ContactHost(loop, connection, options.timeout, [=](absl::StatusOr<pmu::v1::Host> host) {
    if (!host.ok()) {
      answer->status = host.status();
      done();
      return;
    }
    answer->identity = *std::move(host);
    AskClock(loop, connection, gate, options, answer, done);
  });
}

}  // namespace

std::vector<HostAnswer> QueryHosts(const std::vector<std::string>& hosts,
                                   const FleetOptions& options) {
  std::vector<HostAnswer> answers(hosts.size());
  for (size_t i = 0; i < hosts.size(); ++i) answers[i].host = hosts[i];
  ClockBurstGate gate;
  AskAll(
      hosts, options,
      [&](EventLoop* loop, PmuConnection* connection, size_t i, const std::function<void()>& done) {
        AskIdentity(loop, connection, &gate, options, &answers[i], done);
      },
      [&](size_t i, absl::Status status) { answers[i].status = std::move(status); });
  return answers;
}

std::vector<CounterListing> ListCounters(const std::vector<std::string>& hosts,
                                         const std::string& filter, bool available_only,
                                         const FleetOptions& options) {
  std::vector<CounterListing> listings(hosts.size());
  for (size_t i = 0; i < hosts.size(); ++i) listings[i].host = hosts[i];
  pmu::v1::ListCountersRequest request;
  request.set_filter(filter);
  request.set_page_size(kPageSize);
  request.set_available_only(available_only);
  AskAll(
      hosts, options,
      [&](EventLoop*, PmuConnection* connection, size_t i, std::function<void()> done) {
        std::make_shared<CounterPager>(connection, options.timeout, &listings[i], std::move(done))
            ->NextPage(request);
      },
      [&](size_t i, absl::Status status) { listings[i].status = std::move(status); });
  return listings;
}

std::vector<SessionListing> ListSessions(const std::vector<std::string>& hosts,
                                         const std::string& client_id,
                                         const FleetOptions& options) {
  std::vector<SessionListing> listings(hosts.size());
  for (size_t i = 0; i < hosts.size(); ++i) listings[i].host = hosts[i];
  pmu::v1::ListSessionsRequest request;
  request.set_client_id(client_id);
  AskAll(
      hosts, options,
      [&](EventLoop*, PmuConnection* connection, size_t i, const std::function<void()>& done) {
        connection->ListSessions(
            request, options.timeout,
            [&listings, i, done](absl::StatusOr<pmu::v1::ListSessionsResponse> answer) {
              listings[i].status = answer.status();
              if (answer.ok()) {
                listings[i].sessions.assign(answer->sessions().begin(), answer->sessions().end());
              }
              done();
            });
      },
      [&](size_t i, absl::Status status) { listings[i].status = std::move(status); });
  return listings;
}

}  // namespace pmu::client
