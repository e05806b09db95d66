// SPDX-License-Identifier: Apache-2.0
#include "memory_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SIZE_SEALS = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL, PATH_BYTES = 64 };

/* Closes fd, keeping the error that came before. */
static int give_up(int fd, int error) {
  (void)close(fd);
  return -error;
}

int memory_file_create(int64_t size) {
  int fd = memfd_create("tombolo-volume", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (fd < 0) return -errno;
  if (ftruncate(fd, size) != 0 || fcntl(fd, F_ADD_SEALS, SIZE_SEALS) != 0) return give_up(fd, errno);
  return fd;
}

int64_t memory_file_inode(int fd) {
  struct stat file;
  return fstat(fd, &file) != 0 ? -errno : (int64_t)file.st_ino;
}

int memory_file_open(int64_t pid, int number, int64_t inode, int64_t size, int writable) {
  char path[PATH_BYTES];
  int length = snprintf(path, sizeof path, "/proc/%lld/fd/%d", (long long)pid, number);
  if (pid <= 0 || number < 0 || length < 0 || length >= PATH_BYTES) return -EINVAL;
  /* Whatever else has this number there must not be waited for, nor become our terminal. */
  int fd = open(path, (writable ? O_RDWR : O_RDONLY) | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (fd < 0) return -errno;
  struct stat file;
  if (fstat(fd, &file) != 0) return give_up(fd, errno);
  int seals = fcntl(fd, F_GET_SEALS); /* fails for what is no memory file */
  int is_it = seals >= 0 && (seals & SIZE_SEALS) == SIZE_SEALS && (int64_t)file.st_ino == inode && file.st_size == size;
  return is_it ? fd : give_up(fd, EBADMSG);
}
