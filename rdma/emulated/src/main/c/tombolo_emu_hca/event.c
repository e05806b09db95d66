// SPDX-License-Identifier: Apache-2.0
/* Completion channels and asynchronous events: descriptors, so that a caller may wait for them as for any other. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "event.h"
#include "settings.h"
#include "verbs.h"

enum { NS_PER_MS = 1000000 };

/* The queues that have rung and were not asked for yet; the descriptor counts them. */
typedef struct channel {
  struct ib_comp_channel base;
  hca_cq* rung;
} channel;

HCA_VERB struct ib_comp_channel* ibv_create_comp_channel(struct ib_context* base) {
  if (!hca_may_make()) {
    return NULL;
  }
  channel* made = calloc(1, sizeof *made);
  int count = eventfd(0, EFD_CLOEXEC | EFD_SEMAPHORE);
  if (made == NULL || count < 0) {
    free(made);
    return NULL;
  }
  made->base.context = base;
  made->base.fd = count;
  hca_context* context = hca_of(base);
  hca_lock(context);
  hca_own(context, 1);
  hca_unlock(context);
  return &made->base;
}

HCA_VERB int ibv_destroy_comp_channel(struct ib_comp_channel* base) {
  hca_context* context = hca_of(base->context);
  hca_lock(context);
  int users = base->refcnt;
  hca_own(context, users == 0 ? -1 : 0);
  hca_unlock(context);
  if (users != 0) {
    return EBUSY;
  }
  (void)close(base->fd);
  free(base);
  return 0;
}

void hca_cq_event(hca_cq* cq) {
  channel* to = (channel*)cq->base.channel;
  const uint64_t one = 1;
  if (to == NULL) {
    return;
  }
  if (cq->rung++ == 0) {
    hca_cq** end = &to->rung;
    while (*end != NULL) {
      end = &(*end)->next_rung;
    }
    *end = cq;
    cq->next_rung = NULL;
  }
  (void)!write(to->base.fd, &one, sizeof one); /* fails only beyond 2^64 - 2 */
}

void hca_cq_silence(hca_cq* cq) {
  channel* of = (channel*)cq->base.channel;
  hca_cq** link = of == NULL ? NULL : &of->rung;
  while (link != NULL && *link != NULL && *link != cq) {
    link = &(*link)->next_rung;
  }
  if (link != NULL && *link == cq) {
    *link = cq->next_rung;
  }
}

static hca_cq* take_rung(channel* from) {
  hca_context* context = hca_of(from->base.context);
  hca_lock(context);
  hca_cq* cq = from->rung;
  if (cq != NULL) {
    cq->rung--;
    cq->events++;
    from->rung = cq->rung == 0 ? cq->next_rung : cq;
  }
  hca_unlock(context);
  return cq;
}

/* A queue may have gone after it rang: then the count is all that is left of it. */
HCA_VERB int ibv_get_cq_event(struct ib_comp_channel* base, struct ib_cq** cq, void** user) {
  hca_cq* found = NULL;
  while (found == NULL) {
    uint64_t one;
    if (read(base->fd, &one, sizeof one) < 0) {
      return -1;
    }
    found = take_rung((channel*)base);
  }
  *cq = &found->base;
  *user = found->base.cq_context;
  return 0;
}

HCA_VERB void ibv_ack_cq_events(struct ib_cq* cq, unsigned count) {
  hca_context* context = hca_of(cq->context);
  hca_lock(context);
  ((hca_cq*)cq)->events -= count;
  hca_unlock(context);
}

/* A pipe that is full means that nobody has looked for very long: what is newest is lost then. */
void hca_event(hca_context* context, int type, void* element) {
  if (hca_is_silent(context)) {
    return;
  }
  struct ib_async_event event;
  memset(&event, 0, sizeof event);
  event.event_type = type;
  if (element == NULL) {
    event.element.port_num = 1;
  } else {
    event.element.qp = element;
  }
  (void)!write(context->events_in, &event, sizeof event);
}

HCA_VERB int ibv_get_async_event(struct ib_context* context, struct ib_async_event* event) {
  ssize_t got = read(context->async_fd, event, sizeof *event);
  if (got != (ssize_t)sizeof *event) {
    errno = got < 0 ? errno : EIO;
    return -1;
  }
  return 0;
}

HCA_VERB void ibv_ack_async_event(struct ib_async_event* event) { (void)event; }

/* As the kernel does when a queue pair is destroyed: of events that nobody has asked for, its own go with it. */
void hca_event_silence(hca_context* context, const hca_qp* qp) {
  int waiting = 0;
  (void)ioctl(context->base.async_fd, FIONREAD, &waiting);
  for (; waiting >= (int)sizeof(struct ib_async_event); waiting -= (int)sizeof(struct ib_async_event)) {
    struct ib_async_event event;
    if (ibv_get_async_event(&context->base, &event) == 0 && event.element.qp != &qp->base) {
      (void)!write(context->events_in, &event, sizeof event);
    }
  }
}

static bool is_asked(const hca_context* context, enum hca_fault fault) {
  return hca_is_struck(fault, context->port.nic);
}

/* Falls silent if that is asked for, and is reset when the time for that is over; when to look again, or INT64_MAX. */
static int64_t check_silence(hca_context* context) {
  int64_t now_ns = hca_now_ns();
  if (is_asked(context, HCA_SILENT) && !context->is_dead && !hca_is_silent(context)) {
    atomic_store(&context->silent_ns, now_ns);
  }
  int64_t silence_ns = hca_fault(HCA_SILENT_MS) * NS_PER_MS;
  if (!hca_is_silent(context) || silence_ns == 0) {
    return INT64_MAX;
  }
  int64_t end_ns = atomic_load(&context->silent_ns) + silence_ns;
  if (now_ns < end_ns) {
    return end_ns;
  }
  hca_strike(HCA_FATAL, context->port.nic);
  return INT64_MAX;
}

/* Has a port that is down come up again when the time for that is over; when to look again, or INT64_MAX. */
static int64_t check_outage(hca_context* context) {
  int64_t outage_ns = hca_fault(HCA_DOWN_MS) * NS_PER_MS;
  if (!is_asked(context, HCA_DOWN) || outage_ns == 0) {
    context->down_ns = 0;
    return INT64_MAX;
  }
  int64_t now_ns = hca_now_ns();
  if (context->down_ns == 0) {
    context->down_ns = now_ns;
  }
  if (now_ns < context->down_ns + outage_ns) {
    return context->down_ns + outage_ns;
  }
  hca_heal(HCA_DOWN, context->port.nic);
  context->down_ns = 0;
  return INT64_MAX;
}

static void break_down(hca_context* context, uint32_t number) {
  hca_qp* qp = context->pairs[number % HCA_BUCKETS];
  while (qp != NULL && qp->base.qp_num != number) {
    qp = qp->next;
  }
  if (qp != NULL) { /* none has the number 0 */
    qp->fail(qp, IBV_EVENT_QP_FATAL);
  }
}

void hca_pair_check(hca_context* context) {
  if (context->port.nic == 0) {
    break_down(context, context->breaks);
    break_down(context, (uint32_t)hca_fault(HCA_BREAK_PAIR));
  }
  context->breaks = 0;
}

int64_t hca_port_check(hca_context* context) {
  int64_t silence_ns = check_silence(context);
  int64_t outage_ns = check_outage(context);
  if (is_asked(context, HCA_FATAL) && !context->is_dead) {
    context->is_dead = true;
    atomic_store(&context->silent_ns, 0);
    hca_event(context, IBV_EVENT_DEVICE_FATAL, NULL);
  }
  if (is_asked(context, HCA_GID_CHANGED) != context->has_new_gid) {
    context->has_new_gid = !context->has_new_gid;
    hca_event(context, IBV_EVENT_GID_CHANGE, NULL);
  }
  bool is_up = !is_asked(context, HCA_DOWN);
  if (is_up != context->is_up) {
    context->is_up = is_up;
    hca_event(context, is_up ? IBV_EVENT_PORT_ACTIVE : IBV_EVENT_PORT_ERR, NULL);
  }
  return silence_ns < outage_ns ? silence_ns : outage_ns;
}

static void look_and_ring(hca_context* context) {
  (void)hca_port_check(context);
  hca_pair_check(context);
  hca_ring(context);
}

HCA_VERB int tombolo_hca_set(const char* name, const char* value) {
  int error = hca_set(name, value);
  if (error == 0) {
    hca_for_all_open(look_and_ring); /* they notice that the settings have changed */
  }
  return error;
}
