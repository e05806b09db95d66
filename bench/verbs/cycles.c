// SPDX-License-Identifier: Apache-2.0
/*
 * How many cycles a processor makes in a ns, and who has counted them: "2.450 perf", "2.450 tsc", or "0 nobody".
 *
 * perf's counter counts the cycles of this thread in user mode, at whatever frequency the processor runs just now. It
 * needs a kernel that allows it (perf_event_paranoid up to 2) and a machine that has it, which virtual ones often have
 * not. The time-stamp counter ticks at a rate of its own, near the processor's nominal frequency.
 */
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

enum { WARM_UP_NS = 100000000, MEASURED_NS = 200000000 };

static int64_t now_ns(clockid_t clock) {
  struct timespec now;
  (void)clock_gettime(clock, &now);
  return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

static void spin(int64_t ns) {
  int64_t end_ns = now_ns(CLOCK_MONOTONIC) + ns;
  while (now_ns(CLOCK_MONOTONIC) < end_ns) {
  }
}

/* Cycles in a ns of this thread's time; 0 if perf does not count here. */
static double by_perf(void) {
  struct perf_event_attr wanted = {.type = PERF_TYPE_HARDWARE, .size = sizeof wanted,
                                   .config = PERF_COUNT_HW_CPU_CYCLES, .exclude_kernel = 1, .exclude_hv = 1};
  long counter = syscall(SYS_perf_event_open, &wanted, 0, -1, -1, 0);
  if (counter < 0) {
    return 0;
  }
  (void)ioctl((int)counter, PERF_EVENT_IOC_RESET, 0);
  uint64_t cycles = 0;
  int64_t from_ns = now_ns(CLOCK_THREAD_CPUTIME_ID);
  spin(MEASURED_NS);
  int64_t ns = now_ns(CLOCK_THREAD_CPUTIME_ID) - from_ns;
  ssize_t got = read((int)counter, &cycles, sizeof cycles);
  (void)close((int)counter);
  return got == sizeof cycles ? (double)cycles / (double)ns : 0;
}

/* Ticks in a ns; 0 if there is no such counter. */
static double by_time_stamps(void) {
#if defined(__x86_64__)
  int64_t from_ns = now_ns(CLOCK_MONOTONIC);
  uint64_t from = __rdtsc();
  spin(MEASURED_NS);
  uint64_t ticks = __rdtsc() - from;
  return (double)ticks / (double)(now_ns(CLOCK_MONOTONIC) - from_ns);
#else
  return 0;
#endif
}

int main(void) {
  spin(WARM_UP_NS);
  double rate = by_perf();
  const char* who = "perf";
  if (rate == 0) {
    rate = by_time_stamps();
    who = rate == 0 ? "nobody" : "tsc";
  }
  (void)printf("%.3f %s\n", rate, who);
  return 0;
}
