// SPDX-License-Identifier: Apache-2.0
/* What every part of an open NIC needs: its lock, the clock, and the doorbell of its thread. */
#include <stdint.h>
#include <time.h>
#include <unistd.h>

#include "hca.h"

static pthread_mutex_t open_lock = PTHREAD_MUTEX_INITIALIZER;
static hca_context* open_contexts;

int64_t hca_now_ns(void) {
  struct timespec now;
  (void)clock_gettime(CLOCK_MONOTONIC, &now); /* cannot fail for this clock */
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

void hca_lock(hca_context* context) { (void)pthread_mutex_lock(&context->lock); }

void hca_unlock(hca_context* context) { (void)pthread_mutex_unlock(&context->lock); }

void hca_ring(hca_context* context) {
  if (context->is_asleep) {
    const uint64_t one = 1;
    context->is_asleep = false;
    (void)!write(context->doorbell, &one, sizeof one); /* fails only if it has been rung very often */
  }
}

void hca_for_all_open(void (*visit)(hca_context*)) {
  (void)pthread_mutex_lock(&open_lock);
  for (hca_context* context = open_contexts; context != NULL; context = context->next) {
    hca_lock(context);
    visit(context);
    hca_unlock(context);
  }
  (void)pthread_mutex_unlock(&open_lock);
}

void hca_context_open(hca_context* context) {
  (void)pthread_mutex_lock(&open_lock);
  context->next = open_contexts;
  open_contexts = context;
  (void)pthread_mutex_unlock(&open_lock);
}

void hca_context_shut(hca_context* context) {
  (void)pthread_mutex_lock(&open_lock);
  hca_context** link = &open_contexts;
  while (*link != context) {
    link = &(*link)->next;
  }
  *link = context->next;
  (void)pthread_mutex_unlock(&open_lock);
}
