// SPDX-License-Identifier: Apache-2.0
/*
 * The NIC: a thread that takes turns between what arrives and what there is to send, and sleeps when there is neither.
 * It is woken by a doorbell (a request was posted), a queue pair's socket (a packet came) or its timer.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "hca.h"

enum { BURST = 32, EVENTS = 64 };
enum { DOORBELL = 0x80000000, TIMER = 0x80000001 }; /* beside queue pair numbers, which have 24 bits */

/* ---- what there is to send ---- */

static enum hca_step step(hca_qp* qp) {
  if (qp->base.qp_type == IBV_QPT_UD) {
    return hca_datagram_step(qp);
  }
  enum hca_step replied = hca_reply_step(qp);
  return replied == HCA_IDLE ? hca_request_step(qp) : replied;
}

static int64_t sooner(int64_t a, int64_t b) { return a < b ? a : b; }

static bool does_as_told(hca_context* context) { return !context->is_dead && !hca_is_silent(context); }

/* Up to a burst of one queue pair, less if the NIC dies of it; when there is more to do: now (0), or at which time. */
static int64_t send_burst(hca_qp* qp) {
  hca_context* context = hca_context_of(qp);
  int64_t now_ns = hca_now_ns();
  (void)hca_request_timer(qp, now_ns);
  enum hca_step went = HCA_WENT_ON;
  for (int sent = 0; sent < BURST && went == HCA_WENT_ON && does_as_told(context); sent++) {
    went = step(qp);
  }
  if (went == HCA_WENT_ON) {
    return 0;
  }
  int64_t next_ns = hca_request_timer(qp, now_ns);
  return went == HCA_WAITS ? sooner(next_ns, now_ns + HCA_RETRY_NS) : next_ns;
}

static int64_t send_round(hca_context* context) {
  int64_t next_ns = INT64_MAX;
  for (int i = 0; i < HCA_BUCKETS; i++) {
    for (hca_qp* qp = context->pairs[i]; qp != NULL && does_as_told(context); qp = qp->next) {
      next_ns = sooner(next_ns, send_burst(qp));
    }
  }
  return sooner(next_ns, hca_send_held(context)); /* last: what was sent just now may be held */
}

/* ---- what arrives ---- */

static void deliver(hca_qp* qp, const struct hca_header* header, const unsigned char* payload) {
  bool is_datagram = qp->base.qp_type == IBV_QPT_UD;
  if ((header->kind == HCA_DATAGRAM) != is_datagram) {
    return;
  }
  if (is_datagram) {
    hca_on_datagram(qp, header, payload);
  } else if (header->kind == HCA_ACK || header->kind == HCA_READ_ANSWER) {
    hca_on_reply(qp, header, payload);
  } else {
    hca_on_request(qp, header, payload);
  }
}

/* Anybody may send to a socket: what is no packet of ours, or of another partition, is dropped. */
static void receive(hca_context* context, uint32_t number) {
  struct {
    struct hca_header header;
    unsigned char payload[HCA_MAX_MTU + 1];
  } packet;
  for (int taken = 0; taken < BURST; taken++) {
    hca_qp* qp = hca_qp_find(context, number);
    ssize_t got = qp == NULL ? -1 : recv(qp->socket, &packet, sizeof packet, MSG_DONTWAIT);
    if (got < 0) {
      return;
    }
    bool is_ours = got >= (ssize_t)sizeof packet.header && packet.header.magic == HCA_MAGIC &&
                   packet.header.kind < HCA_KINDS && packet.header.qpn == number &&
                   packet.header.payload <= context->mtu &&
                   (size_t)got == sizeof packet.header + packet.header.payload;
    bool is_of_partition = is_ours && packet.header.pkey == hca_pkey(qp->attr.pkey_index);
    if (is_of_partition && hca_comes_through(context, &packet.header) && !context->is_dead) {
      deliver(qp, &packet.header, packet.payload);
    }
  }
}

static void empty(int descriptor) {
  uint64_t ignored;
  (void)!read(descriptor, &ignored, sizeof ignored);
}

static void handle(hca_context* context, uint32_t source) {
  if (source == DOORBELL) {
    empty(context->doorbell);
  } else if (source == TIMER) {
    empty(context->timer);
  } else {
    receive(context, source);
  }
}

/* ---- what it says late ---- */

static int64_t tell_round(hca_context* context) {
  int64_t now_ns = hca_now_ns();
  int64_t next_ns = INT64_MAX;
  for (int i = 0; i < HCA_BUCKETS; i++) {
    for (hca_qp* qp = context->pairs[i]; qp != NULL; qp = qp->next) {
      next_ns = sooner(next_ns, hca_late_event(qp, now_ns));
    }
  }
  return next_ns;
}

/* ---- the thread ---- */

/* How long epoll may wait, in ms, with the timer set for what is sooner. */
static int plan_sleep(hca_context* context, int64_t next_ns) {
  if (next_ns == 0) {
    return 0;
  }
  struct itimerspec when = {{0, 0}, {0, 0}};
  if (next_ns != INT64_MAX) {
    when.it_value = (struct timespec){next_ns / 1000000000, next_ns % 1000000000};
  }
  (void)timerfd_settime(context->timer, TFD_TIMER_ABSTIME, &when, NULL);
  context->is_asleep = true;
  return -1;
}

static void* run(void* arg) {
  hca_context* context = arg;
  struct epoll_event events[EVENTS];
  hca_lock(context);
  while (!context->is_stopping) {
    int64_t send_ns = send_round(context);
    int64_t check_ns = hca_port_check(context); /* last: something may happen after so many packets */
    hca_pair_check(context);
    int timeout = plan_sleep(context, sooner(sooner(check_ns, send_ns), tell_round(context)));
    hca_unlock(context);
    int count = epoll_wait(context->epoll, events, EVENTS, timeout);
    hca_lock(context);
    context->is_asleep = false;
    for (int i = 0; i < count; i++) {
      handle(context, events[i].data.u32);
    }
  }
  hca_unlock(context);
  return NULL;
}

static int watch(hca_context* context, int descriptor, uint32_t source) {
  struct epoll_event wanted = {.events = EPOLLIN, .data.u32 = source};
  return descriptor < 0 ? -1 : epoll_ctl(context->epoll, EPOLL_CTL_ADD, descriptor, &wanted);
}

static void close_all(hca_context* context) {
  (void)close(context->timer);
  (void)close(context->doorbell);
  (void)close(context->wire);
  (void)close(context->epoll);
}

int hca_engine_start(hca_context* context) {
  context->epoll = epoll_create1(EPOLL_CLOEXEC);
  context->doorbell = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  context->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
  context->wire = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  int error = 0;
  if (context->wire < 0 || watch(context, context->doorbell, DOORBELL) != 0 ||
      watch(context, context->timer, TIMER) != 0) {
    error = errno;
  } else {
    error = pthread_create(&context->engine, NULL, run, context);
  }
  if (error != 0) {
    close_all(context);
    return error;
  }
  hca_context_open(context);
  return 0;
}

void hca_engine_stop(hca_context* context) {
  hca_context_shut(context);
  hca_lock(context);
  context->is_stopping = true;
  hca_ring(context);
  hca_unlock(context);
  (void)pthread_join(context->engine, NULL);
  close_all(context);
}
