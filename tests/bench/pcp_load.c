/* Fetches four software events of pmdaperfevent from pmcd, over and over.

     pcp_load HOST COUNT PAUSE_US    prints "p50_ns p99_ns"
*/
#include <pcp/pmapi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { METRICS = 8 };
static const char* kNames[METRICS] = {
    "perfevent.hwcounters.software.task_clock.value",
    "perfevent.hwcounters.software.context_switches.value",
    "perfevent.hwcounters.software.page_faults.value",
    "perfevent.hwcounters.software.cpu_migrations.value",
    "perfevent.hwcounters.software.task_clock.dutycycle",
    "perfevent.hwcounters.software.context_switches.dutycycle",
    "perfevent.hwcounters.software.page_faults.dutycycle",
    "perfevent.hwcounters.software.cpu_migrations.dutycycle",
};

static long NowNs(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000000000L + now.tv_nsec;
}

static int Compare(const void* a, const void* b) {
  const long x = *(const long*)a;
  const long y = *(const long*)b;
  return (x > y) - (x < y);
}

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  const int count = atoi(argv[2]);
  const int pause_us = atoi(argv[3]);
  if (pmNewContext(PM_CONTEXT_HOST, argv[1]) < 0) return 1;
  pmID ids[METRICS];
  if (pmLookupName(METRICS, kNames, ids) < 0) return 1;
  long* times = malloc(sizeof(long) * count);
  for (int i = 0; i < count; ++i) {
    pmResult* result;
    const long begin = NowNs();
    if (pmFetch(METRICS, ids, &result) < 0) return 1;
    times[i] = NowNs() - begin;
    pmFreeResult(result);
    if (pause_us > 0) usleep(pause_us);
  }
  qsort(times, count, sizeof(long), Compare);
  printf("%ld %ld\n", times[count / 2], times[count * 99L / 100]);
  return 0;
}
