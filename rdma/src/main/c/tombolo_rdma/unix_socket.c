// SPDX-License-Identifier: Apache-2.0
#include "unix_socket.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

enum { BACKLOG = 1024, SIZE_SEALS = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL };

/* Closes fd, keeping the errno of what went wrong before. */
static int give_up(int fd) {
  int error = errno;
  (void)close(fd);
  return -error;
}

static int stream_socket(void) {
  int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  return fd < 0 ? -errno : fd;
}

/* A leading zero byte makes a name abstract. The length of the address, or 0 if the name is too long. */
static socklen_t abstract_address(struct sockaddr_un* address, const char* name, size_t length) {
  if (length == 0 || length > sizeof address->sun_path - 1) return 0;
  memset(address, 0, sizeof *address);
  address->sun_family = AF_UNIX;
  memcpy(address->sun_path + 1, name, length);
  return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + length);
}

int unix_listen(const char* name, size_t length) {
  struct sockaddr_un address;
  socklen_t size = abstract_address(&address, name, length);
  if (size == 0) return -EINVAL;
  int fd = stream_socket();
  if (fd < 0) return fd;
  if (bind(fd, (const struct sockaddr*)&address, size) != 0 || listen(fd, BACKLOG) != 0) return give_up(fd);
  return fd;
}

int unix_accept(int listener) {
  int fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
  return fd < 0 ? -errno : fd;
}

int unix_connect(const char* name, size_t length) {
  struct sockaddr_un address;
  socklen_t size = abstract_address(&address, name, length);
  if (size == 0) return -EINVAL;
  int fd = stream_socket();
  if (fd < 0) return fd;
  return connect(fd, (const struct sockaddr*)&address, size) != 0 ? give_up(fd) : fd;
}

int64_t unix_read(int fd, void* bytes, size_t size) {
  ssize_t got = recv(fd, bytes, size, 0);
  if (got < 0) return -errno;
  return got == 0 && size > 0 ? -EPIPE : got;
}

int64_t unix_write(int fd, const void* bytes, size_t size) {
  ssize_t put = send(fd, bytes, size, MSG_NOSIGNAL);
  return put < 0 ? -errno : put;
}

int unix_peer_gone(int fd) {
  char byte;
  ssize_t got = recv(fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  if (got > 0) return 0;
  if (got == 0 || errno == ECONNRESET) return 1;
  return errno == EAGAIN || errno == EINTR ? 0 : -errno;
}

int unix_peer_process(int fd) {
  struct ucred peer;
  socklen_t size = sizeof peer;
  if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) {
    return -errno;
  }
  return peer.uid == geteuid() ? peer.pid : 0;
}

int unix_shut_down(int fd) { return shutdown(fd, SHUT_RDWR) != 0 ? -errno : 0; }

int unix_send_fd(int fd, int passed) {
  char byte = 0;
  struct iovec data = {.iov_base = &byte, .iov_len = 1};
  union {
    struct cmsghdr align;
    char bytes[CMSG_SPACE(sizeof(int))];
  } control = {.bytes = {0}};
  struct msghdr message = {
      .msg_iov = &data, .msg_iovlen = 1, .msg_control = control.bytes, .msg_controllen = sizeof control.bytes};
  struct cmsghdr* header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof passed);
  memcpy(CMSG_DATA(header), &passed, sizeof passed);
  return sendmsg(fd, &message, MSG_NOSIGNAL) < 0 ? -errno : 0;
}

/* CMSG_LEN, not CMSG_SPACE: room for exactly one descriptor, so that the kernel drops any more that come. */
int unix_receive_fd(int fd) {
  char byte;
  struct iovec data = {.iov_base = &byte, .iov_len = 1};
  union {
    struct cmsghdr align;
    char bytes[CMSG_SPACE(sizeof(int))];
  } control;
  struct msghdr message = {
      .msg_iov = &data, .msg_iovlen = 1, .msg_control = control.bytes, .msg_controllen = CMSG_LEN(sizeof(int))};
  ssize_t got = recvmsg(fd, &message, MSG_CMSG_CLOEXEC);
  if (got < 0) return -errno;
  if (got == 0) return -EPIPE;
  struct cmsghdr* header = CMSG_FIRSTHDR(&message);
  if (header == NULL || header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS ||
      header->cmsg_len < CMSG_LEN(sizeof(int))) {
    return -EBADMSG;
  }
  int passed;
  memcpy(&passed, CMSG_DATA(header), sizeof passed);
  return passed;
}

int segment_create(int64_t size) {
  int fd = memfd_create("tombolo-segment", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (fd < 0) return -errno;
  if (ftruncate(fd, size) != 0 || fcntl(fd, F_ADD_SEALS, SIZE_SEALS) != 0) return give_up(fd);
  return fd;
}

int segment_check(int fd, int64_t size) {
  struct stat file;
  if (fstat(fd, &file) != 0) return -errno;
  int seals = fcntl(fd, F_GET_SEALS);
  if (seals < 0) return -EBADMSG; /* not a memory file */
  return file.st_size == size && (seals & SIZE_SEALS) == SIZE_SEALS ? 0 : -EBADMSG;
}
