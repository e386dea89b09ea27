// stop_signals.h: waiting to be told to end.
//
// Thread-hostile: signal masks are inherited by threads, so Block comes before
// any thread is started.
#ifndef PMU_SERVER_STOP_SIGNALS_H_
#define PMU_SERVER_STOP_SIGNALS_H_

namespace pmu::server {

// Blocks SIGTERM and SIGINT in this thread and all it starts; ignores SIGPIPE
// (peers go away) and SIGHUP (there is nothing to read again).
void BlockStopSignals();

// Sleeps until SIGTERM or SIGINT and returns it. From then on another one ends
// the process at once.
int WaitForStopSignal();

}  // namespace pmu::server

#endif  // PMU_SERVER_STOP_SIGNALS_H_
