// standard_streams.h: nothing else may become descriptor 0, 1 or 2.
#ifndef PMU_COMMON_STANDARD_STREAMS_H_
#define PMU_COMMON_STANDARD_STREAMS_H_

namespace pmu {

// To be called first in main. A program that was started with a standard
// stream closed would otherwise write its output or its log into whatever file
// or connection it opens first. Such a stream reads as empty, and writing to it
// fails with EBADF, as if it were still closed.
void ReserveStandardStreams();

}  // namespace pmu

#endif  // PMU_COMMON_STANDARD_STREAMS_H_
