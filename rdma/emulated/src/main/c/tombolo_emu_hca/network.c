// SPDX-License-Identifier: Apache-2.0
/*
 * The network: a Unix datagram socket for every queue pair, called by fabric, kind of link, host, NIC and number. A NIC
 * that is gone, with its process, has no sockets any more, and what is sent there vanishes, as on a real network. It is
 * free of loss but for what is asked for; a receiver that is behind holds its senders up.
 */
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "chance.h"
#include "hca.h"
#include "settings.h"

enum { OVERTAKERS = 4, MAX_FULL = 16, OVERTAKE_NS = 2000000, NS_PER_US = 1000, MILLION = 1000000 };
enum { FATE_LOST = 1, FATE_TWICE = 2, FATE_LATE = 4, FATE_STRAY = 8, FATE_MARKED = 16 };

struct hca_packet_held {
  hca_packet_held* next;
  hca_peer to;
  int64_t due_ns;
  int64_t due_packets; /* or once the port has sent so many */
  size_t bytes;
  unsigned char data[];
};

/* Abstract names: nothing is left behind. */
static void name(const hca_context* context, struct hca_port port, uint32_t number, hca_peer* peer) {
  memset(peer, 0, sizeof *peer);
  peer->name.sun_family = AF_UNIX;
  int length = snprintf(peer->name.sun_path + 1, sizeof peer->name.sun_path - 1, "tombolo-hca.%s.%c.%d.%d.%u",
                        context->fabric, context->is_infiniband ? 'i' : 'e', port.host, port.nic, number);
  peer->bytes = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)length);
}

int hca_listen(const hca_context* context, uint32_t number) {
  hca_peer own;
  name(context, context->port, number, &own);
  int made = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (made >= 0 && bind(made, (const struct sockaddr*)&own.name, own.bytes) != 0) {
    int error = errno;
    (void)close(made);
    errno = error;
    return -1;
  }
  return made;
}

bool hca_route(const hca_context* context, const struct ib_ah_attr* route, struct hca_port* port) {
  bool is_new = false;
  bool is_known = context->is_infiniband ? hca_port_of_lid(route->dlid, port)
                                         : route->is_global != 0 && hca_port_of_gid(&route->grh.dgid, false, port, &is_new);
  return is_known && (!hca_machine()->is_railed || port->nic == context->port.nic);
}

void hca_peer_make(const hca_context* context, struct hca_port port, uint32_t number, const struct ib_ah_attr* route,
                   bool from_new_gid, hca_peer* peer) {
  name(context, port, number, peer);
  peer->gid = route->grh.dgid;
  peer->from_new_gid = from_new_gid;
}

/* ---- addresses that an interface has lost ---- */

static bool leaves(const hca_context* context, const hca_peer* to) {
  return context->is_up && (context->is_infiniband || to->from_new_gid == context->has_new_gid);
}

bool hca_comes_through(const hca_context* context, const struct hca_header* header) {
  union ib_gid to;
  struct hca_port port;
  bool is_new = false;
  memcpy(to.raw, header->gid, sizeof to.raw);
  bool is_lost = hca_port_of_gid(&to, false, &port, &is_new) && is_new != context->has_new_gid;
  return context->is_up && (context->is_infiniband || !is_lost);
}

/* ---- chance ---- */

static bool happens(hca_qp* qp, enum hca_fault fault) {
  int64_t ppm = hca_fault(fault);
  if (ppm == 0) {
    return false;
  }
  const hca_context* context = hca_context_of(qp);
  uint64_t where = (uint64_t)context->port.host << 40 | (uint64_t)context->port.nic << 32 | qp->base.qp_num;
  uint64_t draw = hca_mix(hca_mix(hca_mix((uint64_t)hca_fault(HCA_SEED)) + where) + (++qp->drawn * HCA_FAULTS + fault));
  return draw % MILLION < (uint64_t)ppm;
}

/* Drawn once for a packet, however often it has to wait for its receiver. */
static int fate_of(hca_qp* qp) {
  if (qp->fate < 0) {
    qp->fate = (happens(qp, HCA_LOSS_PPM) ? FATE_LOST : 0) | (happens(qp, HCA_DUPLICATE_PPM) ? FATE_TWICE : 0) |
               (happens(qp, HCA_REORDER_PPM) ? FATE_LATE : 0) | (happens(qp, HCA_STRAY_PPM) ? FATE_STRAY : 0) |
               (happens(qp, HCA_MARK_PPM) ? FATE_MARKED : 0);
  }
  return qp->fate;
}

/* ---- sending ---- */

static enum hca_sent transmit(int from, const hca_peer* to, const struct iovec* parts, size_t count) {
  struct msghdr message = {.msg_name = (void*)&to->name, .msg_namelen = to->bytes,
                           .msg_iov = (struct iovec*)parts, .msg_iovlen = count};
  ssize_t sent = sendmsg(from, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
  bool is_full = sent < 0 && (errno == EAGAIN || errno == ENOBUFS || errno == EINTR);
  return is_full ? HCA_BLOCKED : HCA_SENT; /* any other failure: there is nobody */
}

static void hold(hca_context* context, const hca_peer* to, const struct iovec* parts, int fate) {
  size_t bytes = parts[0].iov_len + parts[1].iov_len;
  hca_packet_held* made = malloc(sizeof *made + bytes);
  if (made == NULL) {
    return; /* lost, as packets may be */
  }
  bool is_late = (fate & FATE_LATE) != 0;
  int64_t delay_ns = (hca_fault(HCA_DELAY_US) + ((fate & FATE_STRAY) != 0 ? hca_fault(HCA_STRAY_US) : 0)) * NS_PER_US;
  made->next = NULL;
  made->to = *to;
  made->due_ns = hca_now_ns() + delay_ns + (is_late ? OVERTAKE_NS : 0);
  made->due_packets = is_late ? context->packets + OVERTAKERS : INT64_MAX;
  made->bytes = bytes;
  memcpy(made->data, parts[0].iov_base, parts[0].iov_len);
  if (parts[1].iov_len > 0) {
    memcpy(made->data + parts[0].iov_len, parts[1].iov_base, parts[1].iov_len);
  }
  hca_packet_held** end = &context->held;
  while (*end != NULL) {
    end = &(*end)->next;
  }
  *end = made;
}

static void strike_after(hca_context* context, enum hca_fault count, enum hca_fault fault) {
  if (context->port.nic == 0 && context->packets == hca_fault(count)) {
    hca_strike(fault, 0);
    (void)hca_port_check(context);
  }
}

static void count_packet(const hca_qp* qp) {
  hca_context* context = hca_context_of(qp);
  context->packets++;
  if (context->port.nic == 0 && context->packets == hca_fault(HCA_BREAK_AFTER)) {
    context->breaks = qp->base.qp_num; /* by hca_pair_check */
  }
  strike_after(context, HCA_DOWN_AFTER, HCA_DOWN);
  strike_after(context, HCA_FATAL_AFTER, HCA_FATAL);
  strike_after(context, HCA_SILENT_AFTER, HCA_SILENT);
  strike_after(context, HCA_GID_CHANGED_AFTER, HCA_GID_CHANGED);
}

static enum hca_sent send_now(hca_qp* qp, const hca_peer* to, const struct iovec* parts, int fate) {
  enum hca_sent sent = transmit(qp->socket, to, parts, 2);
  if (sent == HCA_SENT && (fate & FATE_TWICE) != 0) {
    (void)transmit(qp->socket, to, parts, 2);
  }
  return sent;
}

/* RFC 3168: who cannot carry marks (0) gets none. */
static void mark_if_it_may_be(struct hca_header* header) {
  if ((header->traffic_class & HCA_ECN) != 0) {
    header->traffic_class |= HCA_ECN;
  }
}

static void seal(const hca_context* context, const hca_qp* qp, const hca_peer* to, struct hca_header* header) {
  union ib_gid gid;
  hca_gid(context->port, context->is_infiniband, to->from_new_gid, context->is_infiniband ? 0 : 3, &gid);
  header->magic = HCA_MAGIC;
  header->source_qpn = qp->base.qp_num;
  header->pkey = hca_pkey(qp->attr.pkey_index);
  header->source_lid = context->is_infiniband ? hca_lid(context->port) : 0;
  memcpy(header->source_gid, gid.raw, sizeof header->source_gid);
  memcpy(header->gid, to->gid.raw, sizeof header->gid);
}

enum hca_sent hca_send(hca_qp* qp, const hca_peer* to, struct hca_header* header, const void* payload) {
  hca_context* context = hca_context_of(qp);
  seal(context, qp, to, header);
  const struct iovec parts[2] = {{header, sizeof *header}, {(void*)payload, header->payload}};
  int fate = leaves(context, to) && !hca_is_silent(context) ? fate_of(qp) : FATE_LOST;
  if ((fate & FATE_MARKED) != 0) {
    mark_if_it_may_be(header);
  }
  enum hca_sent sent = HCA_SENT;
  if ((fate & FATE_LOST) == 0 && ((fate & (FATE_LATE | FATE_STRAY)) != 0 || hca_fault(HCA_DELAY_US) > 0)) {
    hold(context, to, parts, fate);
    if ((fate & FATE_TWICE) != 0) {
      hold(context, to, parts, 0);
    }
  } else if ((fate & FATE_LOST) == 0) {
    sent = send_now(qp, to, parts, fate);
  }
  if (sent == HCA_SENT) {
    qp->fate = -1;
    count_packet(qp);
  }
  return sent;
}

/* Receivers that take no more for now: what comes later for one of them must not overtake what waits. */
typedef struct full_peers {
  const hca_peer* peers[MAX_FULL];
  int count;
} full_peers;

static bool is_full(const full_peers* full, const hca_peer* to) {
  for (int i = 0; i < full->count; i++) {
    if (full->peers[i]->bytes == to->bytes && memcmp(&full->peers[i]->name, &to->name, to->bytes) == 0) {
      return true;
    }
  }
  return full->count == MAX_FULL;
}

int64_t hca_send_held(hca_context* context) {
  int64_t next_ns = INT64_MAX;
  int64_t now_ns = hca_now_ns();
  full_peers full = {.count = 0};
  hca_packet_held** link = &context->held;
  while (*link != NULL) {
    hca_packet_held* packet = *link;
    bool is_due = packet->due_ns <= now_ns || packet->due_packets <= context->packets;
    bool may_go = is_due && !is_full(&full, &packet->to);
    const struct iovec whole = {packet->data, packet->bytes};
    if (may_go && (!leaves(context, &packet->to) || transmit(context->wire, &packet->to, &whole, 1) == HCA_SENT)) {
      *link = packet->next;
      free(packet);
      continue;
    }
    if (may_go) {
      full.peers[full.count++] = &packet->to;
    }
    int64_t again_ns = is_due ? now_ns + HCA_RETRY_NS : packet->due_ns;
    next_ns = again_ns < next_ns ? again_ns : next_ns;
    link = &packet->next;
  }
  return next_ns;
}

void hca_drop_held(hca_context* context) {
  while (context->held != NULL) {
    hca_packet_held* next = context->held->next;
    free(context->held);
    context->held = next;
  }
}
