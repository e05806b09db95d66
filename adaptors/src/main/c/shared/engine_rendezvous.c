// SPDX-License-Identifier: Apache-2.0
/*
 * How members meet. The unique id holds the name of an abstract Unix socket and a secret. Rank 0 listens there and hands
 * the segment's descriptor to everyone who knows the secret. Neither socket nor segment has a name in the file system.
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "engine_internal.h"

enum { NAME_BYTES = 16, SECRET_BYTES = 32, HELLO_MS = 2000 };

static const unsigned char MAGIC[8] = "TMB-CCL";

/* The unique id's layout; the rest of its bytes is zero. */
struct identity {
  unsigned char magic[sizeof MAGIC];
  unsigned char name[NAME_BYTES];
  unsigned char secret[SECRET_BYTES];
};

struct hello {
  unsigned char secret[SECRET_BYTES];
  int32_t rank;
  int32_t size;
};

enum engine_result engine_unique_id(unsigned char id[ENGINE_ID_BYTES]) {
  struct identity identity;
  memcpy(identity.magic, MAGIC, sizeof MAGIC);
  if (getrandom(identity.name, NAME_BYTES, 0) != NAME_BYTES ||
      getrandom(identity.secret, SECRET_BYTES, 0) != SECRET_BYTES) {
    return engine_error(ENGINE_SYSTEM, "no random bytes: %s", strerror(errno));
  }
  memset(id, 0, ENGINE_ID_BYTES);
  memcpy(id, &identity, sizeof identity);
  return ENGINE_OK;
}

static socklen_t address_of(const struct identity* identity, struct sockaddr_un* address) {
  memset(address, 0, sizeof *address);
  address->sun_family = AF_UNIX;
  char* name = address->sun_path + 1; /* the first byte stays zero: an abstract name */
  int length = snprintf(name, sizeof address->sun_path - 1, "tombolo-ccl-");
  for (int i = 0; i < NAME_BYTES; i++) {
    length += snprintf(name + length, sizeof address->sun_path - 1 - (size_t)length, "%02x", identity->name[i]);
  }
  return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)length);
}

/* Whether `fd` is readable by the deadline. */
static bool readable(int fd, int64_t deadline_ns) {
  for (;;) {
    int64_t left_ms = (deadline_ns - engine_now_ns()) / 1000000;
    struct pollfd wanted = {.fd = fd, .events = POLLIN};
    int ready = poll(&wanted, 1, left_ms < 0 ? 0 : left_ms > 1000 ? 1000 : (int)left_ms);
    if (ready > 0) {
      return true;
    }
    if ((ready < 0 && errno != EINTR) || left_ms <= 0) {
      return false;
    }
  }
}

static bool same_secret(const unsigned char* a, const unsigned char* b) {
  unsigned char difference = 0;
  for (int i = 0; i < SECRET_BYTES; i++) {
    difference |= (unsigned char)(a[i] ^ b[i]);
  }
  return difference == 0;
}

/* Sends `result` and, on ENGINE_OK, the descriptor. */
static bool answer(int socket, int32_t result, int fd) {
  union {
    char bytes[CMSG_SPACE(sizeof(int))];
    struct cmsghdr align;
  } control;
  struct iovec body = {.iov_base = &result, .iov_len = sizeof result};
  struct msghdr message = {.msg_iov = &body, .msg_iovlen = 1};
  if (result == ENGINE_OK) {
    memset(&control, 0, sizeof control);
    message.msg_control = control.bytes;
    message.msg_controllen = sizeof control.bytes;
    struct cmsghdr* header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int));
    memcpy(CMSG_DATA(header), &fd, sizeof fd);
  }
  return sendmsg(socket, &message, MSG_NOSIGNAL) == (ssize_t)sizeof result;
}

/* Reads what answer() sent; the descriptor, or -1 with *result saying why. */
static int answered(int socket, int32_t* result) {
  union {
    char bytes[CMSG_SPACE(sizeof(int))];
    struct cmsghdr align;
  } control;
  struct iovec body = {.iov_base = result, .iov_len = sizeof *result};
  struct msghdr message = {
      .msg_iov = &body, .msg_iovlen = 1, .msg_control = control.bytes, .msg_controllen = sizeof control.bytes};
  *result = ENGINE_REMOTE;
  if (recvmsg(socket, &message, MSG_CMSG_CLOEXEC) != (ssize_t)sizeof *result) {
    *result = ENGINE_REMOTE;
    return -1;
  }
  struct cmsghdr* header = CMSG_FIRSTHDR(&message);
  if (*result != ENGINE_OK || header == NULL || header->cmsg_type != SCM_RIGHTS) {
    return -1;
  }
  int fd;
  memcpy(&fd, CMSG_DATA(header), sizeof fd);
  return fd;
}

/* Hears one caller out; whether it is a member that had not come before. */
static bool admit(int caller, const struct identity* identity, int size, bool* came, int fd) {
  struct hello hello;
  int64_t patience_ns = engine_now_ns() + HELLO_MS * 1000000LL;
  if (!readable(caller, patience_ns) || recv(caller, &hello, sizeof hello, 0) != (ssize_t)sizeof hello ||
      !same_secret(hello.secret, identity->secret)) {
    return false;
  }
  bool welcome = hello.size == size && hello.rank > 0 && hello.rank < size && !came[hello.rank];
  if (!answer(caller, welcome ? ENGINE_OK : ENGINE_ARGUMENT, fd) || !welcome) {
    return false;
  }
  came[hello.rank] = true;
  return true;
}

static enum engine_result admit_all(int listener, const struct identity* identity, int size, int64_t deadline_ns, int fd) {
  bool came[ENGINE_MAX_RANKS] = {true};
  for (int members = 1; members < size;) {
    if (!readable(listener, deadline_ns)) {
      return engine_error(ENGINE_REMOTE, "only %d of %d members came before the deadline", members, size);
    }
    int caller = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
    if (caller >= 0) {
      members += admit(caller, identity, size, came, fd);
      (void)close(caller);
    }
  }
  return ENGINE_OK;
}

static enum engine_result serve(const struct identity* identity, int size, int64_t deadline_ns, int* fd) {
  struct sockaddr_un address;
  socklen_t length = address_of(identity, &address);
  int listener = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  *fd = memfd_create("tombolo-ccl-ccl", MFD_CLOEXEC);
  enum engine_result result;
  if (listener < 0 || *fd < 0 || ftruncate(*fd, (off_t)engine_segment_bytes(size)) != 0 ||
      bind(listener, (struct sockaddr*)&address, length) != 0 || listen(listener, size) != 0) {
    result = engine_error(ENGINE_SYSTEM, "rank 0 cannot receive the other members: %s", strerror(errno));
  } else {
    result = admit_all(listener, identity, size, deadline_ns, *fd);
  }
  if (listener >= 0) {
    (void)close(listener);
  }
  if (result != ENGINE_OK && *fd >= 0) {
    (void)close(*fd);
  }
  return result;
}

/* Rank 0 may come later than we do: tries until the deadline. */
static int connect_patiently(const struct identity* identity, int64_t deadline_ns) {
  struct sockaddr_un address;
  socklen_t length = address_of(identity, &address);
  struct timespec pause = {.tv_nsec = 1000000};
  while (engine_now_ns() < deadline_ns) {
    int socket_fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    if (socket_fd < 0) {
      return -1;
    }
    if (connect(socket_fd, (struct sockaddr*)&address, length) == 0) {
      return socket_fd;
    }
    (void)close(socket_fd);
    (void)nanosleep(&pause, NULL);
    if (pause.tv_nsec < 16000000) {
      pause.tv_nsec *= 2;
    }
  }
  return -1;
}

static enum engine_result call_on(const struct identity* identity, int rank, int size, int64_t deadline_ns, int* fd) {
  int socket_fd = connect_patiently(identity, deadline_ns);
  if (socket_fd < 0) {
    return engine_error(ENGINE_REMOTE, "rank %d of %d found no rank 0 before the deadline", rank, size);
  }
  struct hello hello = {.rank = rank, .size = size};
  memcpy(hello.secret, identity->secret, SECRET_BYTES);
  int32_t result = ENGINE_REMOTE;
  *fd = -1;
  if (send(socket_fd, &hello, sizeof hello, MSG_NOSIGNAL) == (ssize_t)sizeof hello && readable(socket_fd, deadline_ns)) {
    *fd = answered(socket_fd, &result);
  }
  (void)close(socket_fd);
  if (*fd >= 0) {
    return ENGINE_OK;
  }
  return result == ENGINE_ARGUMENT
             ? engine_error(ENGINE_ARGUMENT, "rank 0 does not expect a rank %d of %d", rank, size)
             : engine_error(ENGINE_REMOTE, "rank %d of %d: rank 0 went away during the meeting", rank, size);
}

enum engine_result engine_rendezvous(const unsigned char id[ENGINE_ID_BYTES], int rank, int size, int64_t deadline_ns, int* fd) {
  struct identity identity;
  memcpy(&identity, id, sizeof identity);
  if (memcmp(identity.magic, MAGIC, sizeof MAGIC) != 0) {
    return engine_error(ENGINE_ARGUMENT, "these bytes are no unique id of this library");
  }
  return rank == 0 ? serve(&identity, size, deadline_ns, fd) : call_on(&identity, rank, size, deadline_ns, fd);
}
