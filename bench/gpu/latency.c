// SPDX-License-Identifier: Apache-2.0
/* Section latency: medians in ns, with the 99th percentile; and GB/s. One case, as nothing else may run beside it. */
#include <stdio.h>
#include <stdlib.h>

#include "sections.h"
#include "world.h"

enum { CALLS = 2000, WARM_UP = 200, LIMIT_MS = 1500, TEXT = 32 };

typedef struct probe {
  world* w;
  void* stream;
  void* event;
  void* empty;
  void* put;
  uint64_t turn; /* goes up with each call */
  size_t bytes;
} probe;

typedef int one_call(probe* p);

static int by_value(const void* a, const void* b) {
  int64_t x = *(const int64_t*)a;
  int64_t y = *(const int64_t*)b;
  return (x > y) - (x < y);
}

/* Times as many calls as fit into the limit. */
static int64_t measure(probe* p, const char* name, one_call* make) {
  static int64_t ns[CALLS];
  int count = 0;
  int code = 0;
  int64_t begin = now_ns();
  for (int i = -WARM_UP; i < CALLS && code == 0 && now_ns() - begin < LIMIT_MS * INT64_C(1000000); i++) {
    if (i < 0 && now_ns() - begin > LIMIT_MS * INT64_C(1000000) / 4) {
      i = 0;
    }
    int64_t from = now_ns();
    code = make(p);
    if (i >= 0) {
      ns[count++] = now_ns() - from;
    }
  }
  if (code != 0 || count == 0) {
    say_code(p->w, name, "", code);
    return 0;
  }
  qsort(ns, (size_t)count, sizeof *ns, by_value);
  char text[TEXT];
  (void)snprintf(text, sizeof text, "%lld", (long long)ns[count / 2]);
  say(name, "", text, "ns; p99 %lld, least %lld, of %d", (long long)ns[(count - 1) * 99 / 100], (long long)ns[0], count);
  return ns[count / 2];
}

static int spin_on_stream(probe* p) {
  int code;
  while ((code = p->w->cu.cuStreamQuery(p->stream)) == NOT_READY) {
  }
  return code;
}

static int spin_on_event(probe* p) {
  int code = p->w->cu.cuEventRecord(p->event, p->stream);
  while (code == 0 && (code = p->w->cu.cuEventQuery(p->event)) == NOT_READY) {
    code = 0;
  }
  return code;
}

/* Until the host sees the word; a word that never comes is the watching process's matter. */
static int spin_on_word(probe* p, int index) {
  while (atomic_load_explicit(world_word(p->w, index), memory_order_acquire) != p->turn) {
  }
  return 0;
}

/* The host writes a word, a stream that waits for it writes another one, the host sees that. Queuing is not in it. */
static int64_t release_ns[CALLS + WARM_UP];

static void measure_words(probe* p, bool is_wide) {
  const char* name = is_wide ? "latency.words64" : "latency.words32";
  const struct driver* cu = &p->w->cu;
  int count = 0;
  int code = 0;
  int64_t begin = now_ns();
  while (count < CALLS + WARM_UP && code == 0 && now_ns() - begin < LIMIT_MS * INT64_C(1000000)) {
    p->turn++;
    address to = (address)world_word(p->w, 2);
    address back = (address)world_word(p->w, 3);
    if (is_wide) {
      code = cu->cuStreamWaitValue64_v2(p->stream, to, p->turn, LEAST_VALUE);
      code = code != 0 ? code : cu->cuStreamWriteValue64_v2(p->stream, back, p->turn, 0);
    } else {
      code = cu->cuStreamWaitValue32_v2(p->stream, to, (uint32_t)p->turn, LEAST_VALUE);
      code = code != 0 ? code : cu->cuStreamWriteValue32_v2(p->stream, back, (uint32_t)p->turn, 0);
    }
    if (code != 0) {
      break;
    }
    rest_us(20); /* until the stream has come to the wait */
    int64_t from = now_ns();
    atomic_store(world_word(p->w, 2), p->turn);
    (void)spin_on_word(p, 3);
    release_ns[count++] = now_ns() - from;
  }
  if (code != 0 || count <= WARM_UP) {
    say_code(p->w, name, "", code);
    return;
  }
  int64_t* counted = release_ns + WARM_UP;
  count -= WARM_UP;
  qsort(counted, (size_t)count, sizeof *counted, by_value);
  char text[TEXT];
  (void)snprintf(text, sizeof text, "%lld", (long long)counted[count / 2]);
  say(name, "", text, "ns; p99 %lld, least %lld, of %d", (long long)counted[(count - 1) * 99 / 100], (long long)counted[0], count);
}

static int queue_wait(probe* p) {
  return p->w->cu.cuStreamWaitValue64_v2(p->stream, (address)world_word(p->w, 4), 0, LEAST_VALUE);
}

static int queue_write(probe* p) { return p->w->cu.cuStreamWriteValue64_v2(p->stream, (address)world_word(p->w, 5), 1, 0); }

static int write_and_see(probe* p) {
  p->turn++;
  int code = p->w->cu.cuStreamWriteValue64_v2(p->stream, (address)world_word(p->w, 5), p->turn, 0);
  return code != 0 ? code : spin_on_word(p, 5);
}

static int launch_only(probe* p) { return world_launch(p->w, p->empty, p->stream, NULL); }

static int launch_and_event(probe* p) {
  int code = launch_only(p);
  return code != 0 ? code : spin_on_event(p);
}

static int launch_and_stream(probe* p) {
  int code = launch_only(p);
  return code != 0 ? code : spin_on_stream(p);
}

static int launch_and_word(probe* p) {
  p->turn++;
  address word = (address)world_word(p->w, 6);
  uint64_t value = p->turn;
  int code = world_launch(p->w, p->put, p->stream, (void*[]){&word, &value});
  return code != 0 ? code : spin_on_word(p, 6);
}

static int record_and_query(probe* p) { return spin_on_event(p); }
static int query_idle(probe* p) { return p->w->cu.cuStreamQuery(p->stream); }
static int query_event(probe* p) { return p->w->cu.cuEventQuery(p->event); }
static int flush(probe* p) { return p->w->cu.cuFlushGPUDirectRDMAWrites(0, FLUSH_OWNER); }
static int set_current(probe* p) { return p->w->cu.cuCtxSetCurrent(p->w->context); }
static int is_capturing(probe* p) { return p->w->cu.cuStreamIsCapturing(p->stream, &(int){0}); }
static int pointer_kind(probe* p) { return p->w->cu.cuPointerGetAttribute(&(unsigned){0}, 2, p->w->memory); }

static int to_host(probe* p) { return p->w->cu.cuMemcpyDtoHAsync_v2(p->w->pinned, p->w->memory, p->bytes, p->stream); }
static int to_device(probe* p) { return p->w->cu.cuMemcpyHtoDAsync_v2(p->w->memory, p->w->pinned, p->bytes, p->stream); }
static int from_pages(probe* p) { return p->w->cu.cuMemcpyHtoDAsync_v2(p->w->memory, p->w->pageable, p->bytes, p->stream); }

static int on_device(probe* p) {
  return p->w->cu.cuMemcpyDtoDAsync_v2(p->w->memory, p->w->memory + LARGE / 2, p->bytes, p->stream);
}

#define UNTIL_DONE(name, queue)                   \
  static int name##_stream(probe* p) {            \
    int code = queue(p);                          \
    return code != 0 ? code : spin_on_stream(p);  \
  }                                               \
  static int name##_event(probe* p) {             \
    int code = queue(p);                          \
    return code != 0 ? code : spin_on_event(p);   \
  }

UNTIL_DONE(to_host, to_host)
UNTIL_DONE(to_device, to_device)
UNTIL_DONE(from_pages, from_pages)
UNTIL_DONE(on_device, on_device)

static void measure_copies(probe* p, const char* what, one_call* until_stream, one_call* until_event) {
  static const size_t SIZES[] = {8, 65536, MIB, 16 * MIB, LARGE / 2, LARGE};
  for (size_t i = 0; i < sizeof SIZES / sizeof *SIZES; i++) {
    char name[TEXT * 2];
    p->bytes = SIZES[i];
    if (until_stream == on_device_stream && p->bytes > LARGE / 2) {
      continue;
    }
    (void)snprintf(name, sizeof name, "latency.%s.%zu.event", what, p->bytes);
    (void)measure(p, name, until_event);
    (void)snprintf(name, sizeof name, "latency.%s.%zu.stream", what, p->bytes);
    int64_t ns = measure(p, name, until_stream);
    if (p->bytes >= LARGE / 2 && ns > 0) {
      char text[TEXT];
      (void)snprintf(name, sizeof name, "latency.%s.%zu.rate", what, p->bytes);
      (void)snprintf(text, sizeof text, "%.2f", (double)p->bytes / (double)ns);
      say(name, "", text, "GB/s");
    }
  }
}

/* What is queued by many calls is waited for before the queue is full, outside the time of most calls. */
static void measure_queuing(probe* p, const char* name, one_call* make) {
  (void)measure(p, name, make);
  (void)world_drain(p->w, p->stream);
}

static void measure_kernels(probe* p) {
  world* w = p->w;
  if (world_kernels(w) != 0) {
    say("latency.kernels", "", "absent", "%s", "");
    return;
  }
  world_need(w, w->cu.cuModuleGetFunction(&p->empty, w->module, "empty"), "cuModuleGetFunction");
  world_need(w, w->cu.cuModuleGetFunction(&p->put, w->module, "put"), "cuModuleGetFunction");
  measure_queuing(p, "latency.launch.queue", launch_only);
  (void)measure(p, "latency.launch.event", launch_and_event);
  (void)measure(p, "latency.launch.stream", launch_and_stream);
  (void)measure(p, "latency.launch.word", launch_and_word);
}

int latency_count(const char* what) {
  (void)what;
  return 1;
}

void latency_run(const char* library, const char* what, span cases) {
  (void)what;
  say_case(cases.from, "latency");
  world w = world_open(library);
  probe p = {.w = &w};
  world_need(&w, w.cu.cuStreamCreateWithPriority(&p.stream, NON_BLOCKING, w.greatest), "cuStreamCreateWithPriority");
  world_need(&w, w.cu.cuEventCreate(&p.event, NO_TIMING), "cuEventCreate");
  measure_words(&p, true);
  measure_words(&p, false);
  measure_queuing(&p, "latency.wait_value.queue", queue_wait);
  measure_queuing(&p, "latency.write_value.queue", queue_write);
  (void)measure(&p, "latency.write_value.word", write_and_see);
  (void)measure(&p, "latency.record.event", record_and_query);
  (void)measure(&p, "latency.stream_query", query_idle);
  (void)measure(&p, "latency.event_query", query_event);
  (void)measure(&p, "latency.flush", flush);
  (void)measure(&p, "latency.context_current", set_current);
  (void)measure(&p, "latency.stream_capturing", is_capturing);
  (void)measure(&p, "latency.pointer_kind", pointer_kind);
  measure_kernels(&p);
  measure_copies(&p, "dtoh_pinned", to_host_stream, to_host_event);
  measure_copies(&p, "htod_pinned", to_device_stream, to_device_event);
  measure_copies(&p, "htod_pageable", from_pages_stream, from_pages_event);
  measure_copies(&p, "dtod", on_device_stream, on_device_event);
}
