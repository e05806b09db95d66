/* Completion channels and asynchronous events: pipes, so that a caller may wait for them as for any descriptor. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "event.h"
#include "settings.h"
#include "verbs.h"

typedef struct channel {
  struct ib_comp_channel base;
  int in;
} channel;

HCA_VERB struct ib_comp_channel* ibv_create_comp_channel(struct ib_context* base) {
  channel* made = calloc(1, sizeof *made);
  int ends[2];
  if (made == NULL || pipe2(ends, O_CLOEXEC) != 0) {
    free(made);
    return NULL;
  }
  (void)fcntl(ends[1], F_SETFL, O_NONBLOCK);
  made->base.context = base;
  made->base.fd = ends[0];
  made->in = ends[1];
  hca_context* context = hca_of(base);
  hca_lock(context);
  context->objects++;
  hca_unlock(context);
  return &made->base;
}

HCA_VERB int ibv_destroy_comp_channel(struct ib_comp_channel* base) {
  hca_context* context = hca_of(base->context);
  hca_lock(context);
  int users = base->refcnt;
  context->objects -= users == 0;
  hca_unlock(context);
  if (users != 0) {
    return EBUSY;
  }
  (void)close(base->fd);
  (void)close(((channel*)base)->in);
  free(base);
  return 0;
}

/* There is at most one event for each time that a queue was armed, so the pipe has room for them all. */
void hca_cq_event(hca_cq* cq) {
  struct ib_cq* of = &cq->base;
  if (of->channel != NULL && write(((channel*)of->channel)->in, &of, sizeof of) == (ssize_t)sizeof of) {
    cq->events++;
  }
}

HCA_VERB int ibv_get_cq_event(struct ib_comp_channel* base, struct ib_cq** cq, void** user) {
  ssize_t got = read(base->fd, cq, sizeof *cq);
  if (got != (ssize_t)sizeof *cq) {
    errno = got < 0 ? errno : EIO;
    return -1;
  }
  *user = (*cq)->cq_context;
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

void hca_port_check(hca_context* context) {
  bool is_up = (hca_fault(HCA_DOWN) >> context->port.nic & 1) == 0;
  if (is_up != context->is_up) {
    context->is_up = is_up;
    hca_event(context, is_up ? IBV_EVENT_PORT_ACTIVE : IBV_EVENT_PORT_ERR, NULL);
  }
}

HCA_VERB int tombolo_hca_set(const char* name, const char* value) {
  int error = hca_set_fault(name, value);
  if (error == 0) {
    hca_ring_all();
  }
  return error;
}
