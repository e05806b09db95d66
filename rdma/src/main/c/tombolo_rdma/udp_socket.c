// SPDX-License-Identifier: Apache-2.0
#include "udp_socket.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/udp.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
  BATCH = 64,
  ECT0 = 2,            /* RFC 3168, section 5: routers may mark this packet instead of dropping it */
  ECN_MASK = 3,
  MOST_CUT = 64,       /* UDP_MAX_SEGMENTS of Linux before 6.9; 128 since */
  MOST_BYTES = 65000,  /* 65535 and less than all headers */
  CONTROL = 64         /* bytes for one IP_TOS or IPV6_TCLASS, or both, or one of them and one UDP_SEGMENT */
};

_Static_assert(CONTROL >= 2 * CMSG_SPACE(sizeof(int)), "room for what comes with a packet");

_Static_assert(sizeof(struct udp_packet) == 64, "Java lays packets out by hand");

static const uint8_t MAPPED[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};

union address {
  struct sockaddr any;
  struct sockaddr_in v4;
  struct sockaddr_in6 v6;
};

static int is_mapped(const uint8_t ip[16]) { return memcmp(ip, MAPPED, sizeof MAPPED) == 0; }

static socklen_t put_address(union address* to, const uint8_t ip[16], uint32_t port, uint32_t scope, int v6) {
  memset(to, 0, sizeof *to);
  if (v6) {
    to->v6.sin6_family = AF_INET6;
    to->v6.sin6_port = htons((uint16_t)port);
    to->v6.sin6_scope_id = scope;
    memcpy(&to->v6.sin6_addr, ip, 16);
    return sizeof to->v6;
  }
  to->v4.sin_family = AF_INET;
  to->v4.sin_port = htons((uint16_t)port);
  memcpy(&to->v4.sin_addr, ip + sizeof MAPPED, 4);
  return sizeof to->v4;
}

static void take_address(const union address* from, struct udp_packet* packet) {
  if (from->any.sa_family == AF_INET6) {
    memcpy(packet->ip, &from->v6.sin6_addr, 16);
    packet->port = ntohs(from->v6.sin6_port);
    packet->scope = from->v6.sin6_scope_id;
  } else {
    memcpy(packet->ip, MAPPED, sizeof MAPPED);
    memcpy(packet->ip + sizeof MAPPED, &from->v4.sin_addr, 4);
    packet->port = ntohs(from->v4.sin_port);
    packet->scope = 0;
  }
}

static int set(int fd, int level, int option, int value) {
  return setsockopt(fd, level, option, &value, sizeof value);
}

static int configure_v4(int fd) {
  if (set(fd, IPPROTO_IP, IP_MTU_DISCOVER, IP_PMTUDISC_DO) != 0) return -1;
  return set(fd, IPPROTO_IP, IP_TOS, ECT0) | set(fd, IPPROTO_IP, IP_RECVTOS, 1);
}

static int configure_v6(int fd) {
  if (set(fd, IPPROTO_IPV6, IPV6_MTU_DISCOVER, IP_PMTUDISC_DO) != 0 || set(fd, IPPROTO_IPV6, IPV6_V6ONLY, 0) != 0) return -1;
  return set(fd, IPPROTO_IPV6, IPV6_TCLASS, ECT0) | set(fd, IPPROTO_IPV6, IPV6_RECVTCLASS, 1);
}

static int configure(int fd, int v6, int buffer_bytes) {
  if (set(fd, SOL_SOCKET, SO_RCVBUF, buffer_bytes) != 0 || set(fd, SOL_SOCKET, SO_SNDBUF, buffer_bytes) != 0) return -1;
  return configure_v4(fd) != 0 || (v6 && configure_v6(fd) != 0) ? -1 : 0;
}

int udp_open(const uint8_t ip[16], int port, int buffer_bytes) {
  int v6 = !is_mapped(ip);
  union address address;
  socklen_t size = put_address(&address, ip, (uint32_t)port, 0, v6);
  int fd = socket(v6 ? AF_INET6 : AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (fd < 0) return -errno;
  if (configure(fd, v6, buffer_bytes) != 0 || bind(fd, &address.any, size) != 0) {
    int error = errno;
    (void)close(fd);
    return -error;
  }
  return fd;
}

int udp_port(int fd) {
  union address address;
  socklen_t size = sizeof address;
  if (getsockname(fd, &address.any, &size) != 0) return -errno;
  return ntohs(address.any.sa_family == AF_INET6 ? address.v6.sin6_port : address.v4.sin_port);
}

int udp_receive_buffer(int fd) {
  int bytes = 0;
  socklen_t size = sizeof bytes;
  return getsockopt(fd, SOL_SOCKET, SO_RCVBUF, &bytes, &size) == 0 ? bytes : -errno;
}

static int batch_of(int count) { return count < BATCH ? count : BATCH; }

bool udp_cuts(int fd) { return set(fd, IPPROTO_UDP, UDP_SEGMENT, 0) == 0; }

static bool is_same_peer(const struct udp_packet* a, const struct udp_packet* b) {
  return memcmp(a->ip, b->ip, sizeof a->ip) == 0 && a->port == b->port && a->scope == b->scope && a->ecn == b->ecn;
}

int udp_run(const struct udp_packet* packets, const int32_t* order, int count) {
  const struct udp_packet* first = &packets[order[0]];
  uint64_t bytes = first->size;
  int run = 1;
  while (run < count && run < MOST_CUT) {
    const struct udp_packet* next = &packets[order[run]];
    bytes += next->size;
    if (!is_same_peer(first, next) || next->size > first->size || next->size == 0 || bytes > MOST_BYTES) break;
    run++;
    if (next->size < first->size) break;
  }
  return run;
}

/* A batch of messages: those of a call, laid out for the kernel. */
struct batch {
  struct mmsghdr messages[BATCH];
  struct iovec parts[BATCH];
  union address addresses[BATCH];
  _Alignas(struct cmsghdr) uint8_t control[BATCH][CONTROL];
};

/* Asks for something with `message` alone, behind what `control` holds already. */
static void ask(struct msghdr* message, uint8_t* control, int level, int type, const void* value, size_t size) {
  struct cmsghdr asked = {.cmsg_len = CMSG_LEN(size), .cmsg_level = level, .cmsg_type = type};
  uint8_t* at = control + message->msg_controllen;
  memset(at, 0, CMSG_SPACE(size));
  memcpy(at, &asked, sizeof asked);
  memcpy(at + CMSG_LEN(0), value, size);
  message->msg_control = control;
  message->msg_controllen += CMSG_SPACE(size);
}

static void ask_to_cut(struct msghdr* message, uint8_t* control, uint16_t size) {
  ask(message, control, IPPROTO_UDP, UDP_SEGMENT, &size, sizeof size);
}

/* Else the field is the socket's, ECT(0). To IPv4, IPv6's sockets send as IPv4's do. */
static void ask_for_ecn(struct msghdr* message, uint8_t* control, const struct udp_packet* packet) {
  int ecn = packet->ecn;
  bool v4 = is_mapped(packet->ip);
  ask(message, control, v4 ? IPPROTO_IP : IPPROTO_IPV6, v4 ? IP_TOS : IPV6_TCLASS, &ecn, sizeof ecn);
}

static void lay_out(struct batch* batch, int part, const struct udp_packet* packet, size_t size) {
  batch->parts[part] = (struct iovec){(void*)(uintptr_t)packet->bytes, size};
}

static int send_batch(int fd, bool v6, bool cuts, const struct udp_packet* packets, const int32_t* order, int count) {
  struct batch batch;
  int runs[BATCH];
  int messages = 0;
  for (int at = 0; at < count; at += runs[messages++]) {
    const struct udp_packet* first = &packets[order[at]];
    int run = runs[messages] = cuts ? udp_run(packets, order + at, count - at) : 1;
    for (int i = at; i < at + run; i++) lay_out(&batch, i, &packets[order[i]], packets[order[i]].size);
    union address* to = &batch.addresses[messages];
    struct msghdr* header = &batch.messages[messages].msg_hdr;
    *header = (struct msghdr){.msg_iov = &batch.parts[at], .msg_iovlen = (size_t)run, .msg_name = to};
    header->msg_namelen = put_address(to, first->ip, first->port, first->scope, v6);
    if (first->ecn != ECT0) ask_for_ecn(header, batch.control[messages], first);
    if (run > 1) ask_to_cut(header, batch.control[messages], (uint16_t)first->size);
  }
  int done = sendmmsg(fd, batch.messages, (unsigned)messages, 0);
  if (done < 0) return -errno;
  int sent = 0;
  for (int i = 0; i < done; i++) sent += runs[i];
  return sent;
}

/* What a kernel answers that cannot cut for this device or path, though it can for others. */
static bool may_go_uncut(int error) { return error == EINVAL || error == EIO || error == EMSGSIZE; }

int udp_send(int fd, int kind, const struct udp_packet* packets, const int32_t* order, int count) {
  bool v6 = (kind & UDP_V6) != 0;
  bool cuts = (kind & UDP_CUTS) != 0;
  int sent = send_batch(fd, v6, cuts, packets, order, batch_of(count));
  return cuts && sent < 0 && may_go_uncut(-sent) ? send_batch(fd, v6, false, packets, order, batch_of(count)) : sent;
}

/* What the router's field says; 0 if the kernel does not tell. */
static uint8_t ecn_of(struct msghdr* message) {
  for (struct cmsghdr* told = CMSG_FIRSTHDR(message); told != NULL; told = CMSG_NXTHDR(message, told)) {
    if (told->cmsg_level == IPPROTO_IP && told->cmsg_type == IP_TOS) return *CMSG_DATA(told) & ECN_MASK;
    if (told->cmsg_level == IPPROTO_IPV6 && told->cmsg_type == IPV6_TCLASS) {
      int class = 0;
      memcpy(&class, CMSG_DATA(told), sizeof class);
      return (uint8_t)(class & ECN_MASK);
    }
  }
  return 0;
}

int udp_receive(int fd, struct udp_packet* packets, const int32_t* order, int count) {
  struct batch batch;
  int room = batch_of(count);
  for (int i = 0; i < room; i++) {
    lay_out(&batch, i, &packets[order[i]], packets[order[i]].capacity);
    batch.messages[i].msg_hdr = (struct msghdr){.msg_iov = &batch.parts[i],
                                                .msg_iovlen = 1,
                                                .msg_name = &batch.addresses[i],
                                                .msg_namelen = sizeof batch.addresses[i],
                                                .msg_control = batch.control[i],
                                                .msg_controllen = CONTROL};
  }
  int got = recvmmsg(fd, batch.messages, (unsigned)room, 0, NULL);
  if (got < 0) return errno == EAGAIN || errno == EINTR ? 0 : -errno;
  for (int i = 0; i < got; i++) {
    struct udp_packet* packet = &packets[order[i]];
    packet->size = (batch.messages[i].msg_hdr.msg_flags & MSG_TRUNC) != 0 ? 0 : batch.messages[i].msg_len;
    packet->ecn = ecn_of(&batch.messages[i].msg_hdr);
    take_address(&batch.addresses[i], packet);
  }
  return got;
}
