// SPDX-License-Identifier: Apache-2.0
#include "device_queue.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "device_engine.h"
#include "emu_numbers.h"
#include "emu_settings.h"
#include "emu_strict.h"

enum { MAX_DEVICES = 64, MAX_QUEUES = 32, PRIORITIES = 3, FEWEST = 4 };

struct emu_queue {
  pthread_mutex_t lock;
  pthread_cond_t issued;
  uint64_t entered;
  uint64_t next; /* the place to be issued next */
};

/*
 * CUDA: CUDA_DEVICE_MAX_CONNECTIONS, "1 to 32, default is 8" (CUDA C Programming Guide, CUDA Environment Variables). On
 * an H200 all priorities share them, and as many again are for copies: EMU_SHARES has it so.
 * HIP: GPU_MAX_HW_QUEUES, "default 4" (HIP documentation, environment variables); each priority has a pool of its own
 * (ROCm's clr, rocdevice.cpp, queuePool_). MUSA and the others document no number, the fewest that anybody does; nor that
 * priorities have to do with it, or copies.
 */
typedef struct model {
  const char* vendor;
  long usual;
  const char* variable;
  bool ranked; /* each priority has queues of its own */
  bool shares; /* or not, but copies have: by the habit EMU_SHARES */
} model;

static const model models[] = {
    {"emu-nvidia", 8, "CUDA_DEVICE_MAX_CONNECTIONS", true, true},
    {"emu-kunlunxin", 8, "CUDA_DEVICE_MAX_CONNECTIONS", true, true},
    {"emu-amd", 4, "GPU_MAX_HW_QUEUES", true, false},
};

static const model undocumented = {"", FEWEST, "", false, false};

enum { COMPUTE, COPIES, ROLES };

static emu_queue queues[ROLES][MAX_DEVICES][PRIORITIES][MAX_QUEUES];
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_mutex_t choosing = PTHREAD_MUTEX_INITIALIZER;
static uint64_t seed;
static uint64_t state;
static long count;

/* TOMBOLO_EMU_PRIORITIES has priorities so whatever the model says. */
static bool is_ranked;
static bool has_copies_apart;

static const model* model_of_vendor(void) {
  for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
    if (strcmp(models[i].vendor, emu_numbers.vendor) == 0) {
      return &models[i];
    }
  }
  return &undocumented;
}

/* TOMBOLO_EMU_QUEUES says otherwise, whatever the vendor's own variable. */
static long wanted_queues(const model* of) {
  long wanted = emu_setting("TOMBOLO_EMU_QUEUES", emu_setting(of->variable, of->usual));
  return wanted < 1 ? 1 : wanted > MAX_QUEUES ? MAX_QUEUES : wanted;
}

/* Ranks make their streams in one order, mostly: with one sequence for all, their deals would hardly ever differ. */
static uint64_t of_rank(void) {
  const char* rank = getenv("RANK");
  return rank == NULL ? 0 : strtoull(rank, NULL, 10) * UINT64_C(0xbf58476d1ce4e5b9);
}

static void make_queues(void) {
  struct timespec now;
  (void)clock_gettime(CLOCK_REALTIME, &now);
  const char* wanted = getenv("TOMBOLO_EMU_QUEUE_SEED");
  seed = wanted != NULL ? strtoull(wanted, NULL, 10) : ((uint64_t)now.tv_nsec << 22 ^ (uint64_t)getpid()) % 1000000;
  state = seed ^ of_rank();
  const model* of = model_of_vendor();
  count = wanted_queues(of);
  has_copies_apart = of->shares && emu_is_strict(EMU_SHARES);
  is_ranked = (of->ranked && !has_copies_apart) || emu_quirk("TOMBOLO_EMU_PRIORITIES", emu_numbers.vendor);
  for (size_t i = 0; i < (size_t)ROLES * MAX_DEVICES * PRIORITIES * MAX_QUEUES; i++) {
    emu_queue* queue = &queues[0][0][0][0] + i;
    (void)pthread_mutex_init(&queue->lock, NULL);
    (void)pthread_cond_init(&queue->issued, NULL);
  }
}

/* SplitMix64: every seed, also 0, gives a sequence of its own. */
static uint64_t next_number(void) {
  uint64_t mixed = state += UINT64_C(0x9e3779b97f4a7c15);
  mixed = (mixed ^ mixed >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  mixed = (mixed ^ mixed >> 27) * UINT64_C(0x94d049bb133111eb);
  return mixed ^ mixed >> 31;
}

emu_queues emu_queues_of(int device, int priority) {
  if (!emu_is_strict(EMU_QUEUES)) {
    return (emu_queues){NULL, NULL};
  }
  (void)pthread_once(&once, make_queues);
  (void)pthread_mutex_lock(&choosing);
  uint64_t drawn = next_number();
  (void)pthread_mutex_unlock(&choosing);
  uint64_t chosen = drawn % (uint64_t)count;
  uint64_t of_copies = has_copies_apart ? drawn / (uint64_t)count % (uint64_t)count : chosen;
  int level = !is_ranked || priority == 0 ? 1 : priority < 0 ? 0 : 2;
  int copies = has_copies_apart ? COPIES : COMPUTE;
  return (emu_queues){&queues[COMPUTE][device % MAX_DEVICES][level][chosen],
                      &queues[copies][device % MAX_DEVICES][level][of_copies]};
}

uint64_t emu_queue_enter(emu_queue* queue) {
  if (queue == NULL) {
    return 0;
  }
  (void)pthread_mutex_lock(&queue->lock);
  uint64_t place = queue->entered++;
  (void)pthread_mutex_unlock(&queue->lock);
  return place;
}

void emu_queue_await(emu_queue* queue, uint64_t place) {
  if (queue == NULL) {
    return;
  }
  (void)pthread_mutex_lock(&queue->lock);
  while (queue->next != place) {
    (void)pthread_cond_wait(&queue->issued, &queue->lock);
  }
  (void)pthread_mutex_unlock(&queue->lock);
}

void emu_queue_issue(emu_queue* queue, uint64_t place) {
  if (queue == NULL) {
    return;
  }
  (void)pthread_mutex_lock(&queue->lock);
  queue->next = place + 1;
  (void)pthread_mutex_unlock(&queue->lock);
  (void)pthread_cond_broadcast(&queue->issued);
}

uint64_t emu_queue_seed(void) {
  (void)pthread_once(&once, make_queues);
  return seed;
}
