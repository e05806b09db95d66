// SPDX-License-Identifier: Apache-2.0
#include "udp_socket.h"

#include <errno.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { BATCH = 64 };

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

static int configure(int fd, int v6, int buffer_bytes) {
  int never = IP_PMTUDISC_DO;
  if (set(fd, SOL_SOCKET, SO_RCVBUF, buffer_bytes) != 0 || set(fd, SOL_SOCKET, SO_SNDBUF, buffer_bytes) != 0) return -1;
  if (set(fd, IPPROTO_IP, IP_MTU_DISCOVER, never) != 0) return -1;
  return v6 ? set(fd, IPPROTO_IPV6, IPV6_MTU_DISCOVER, never) | set(fd, IPPROTO_IPV6, IPV6_V6ONLY, 0) : 0;
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

static void lay_out(struct mmsghdr* message, struct iovec* part, union address* address, uint64_t bytes, size_t size) {
  part->iov_base = (void*)(uintptr_t)bytes;
  part->iov_len = size;
  memset(message, 0, sizeof *message);
  message->msg_hdr.msg_iov = part;
  message->msg_hdr.msg_iovlen = 1;
  message->msg_hdr.msg_name = address;
}

int udp_send(int fd, int v6, const struct udp_packet* packets, const int32_t* order, int count) {
  struct mmsghdr messages[BATCH];
  struct iovec parts[BATCH];
  union address addresses[BATCH];
  int batch = batch_of(count);
  for (int i = 0; i < batch; i++) {
    const struct udp_packet* packet = &packets[order[i]];
    lay_out(&messages[i], &parts[i], &addresses[i], packet->bytes, packet->size);
    messages[i].msg_hdr.msg_namelen = put_address(&addresses[i], packet->ip, packet->port, packet->scope, v6);
  }
  int sent = sendmmsg(fd, messages, (unsigned)batch, 0);
  return sent < 0 ? -errno : sent;
}

int udp_receive(int fd, struct udp_packet* packets, const int32_t* order, int count) {
  struct mmsghdr messages[BATCH];
  struct iovec parts[BATCH];
  union address addresses[BATCH];
  int batch = batch_of(count);
  for (int i = 0; i < batch; i++) {
    const struct udp_packet* packet = &packets[order[i]];
    lay_out(&messages[i], &parts[i], &addresses[i], packet->bytes, packet->capacity);
    messages[i].msg_hdr.msg_namelen = sizeof addresses[i];
  }
  int got = recvmmsg(fd, messages, (unsigned)batch, 0, NULL);
  if (got < 0) return errno == EAGAIN || errno == EINTR ? 0 : -errno;
  for (int i = 0; i < got; i++) {
    struct udp_packet* packet = &packets[order[i]];
    packet->size = (messages[i].msg_hdr.msg_flags & MSG_TRUNC) != 0 ? 0 : messages[i].msg_len;
    take_address(&addresses[i], packet);
  }
  return got;
}
