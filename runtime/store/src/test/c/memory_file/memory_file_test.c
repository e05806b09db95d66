// SPDX-License-Identifier: Apache-2.0
/* Which descriptors of another process are opened, and which are not. */
#include "../../../main/c/tombolo_store/memory_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { SIZE = 1 << 16 };

static void check(bool holds, const char* what, long detail) {
  if (!holds) {
    (void)fprintf(stderr, "FAILED: %s (%ld)\n", what, detail);
    exit(1);
  }
}

static void closed(int fd) { check(close(fd) == 0, "close", errno); }

static void shared(int fd, int64_t inode) {
  int other = memory_file_open(getpid(), fd, inode, SIZE, 1);
  check(other >= 0 && other != fd, "open for writing", other);
  check(pwrite(other, "x", 1, 7) == 1, "write", errno);
  char byte = 0;
  check(pread(fd, &byte, 1, 7) == 1 && byte == 'x', "the same bytes", byte);
  closed(other);

  int readable = memory_file_open(getpid(), fd, inode, SIZE, 0);
  check(readable >= 0, "open for reading", readable);
  check(pwrite(readable, "y", 1, 7) < 0, "it is for reading only", 0);
  check(mmap(NULL, SIZE, PROT_WRITE, MAP_SHARED, readable, 0) == MAP_FAILED, "and cannot be mapped for more", 0);
  closed(readable);
}

static void sealed(int fd) {
  check(ftruncate(fd, SIZE / 2) != 0 && ftruncate(fd, 2 * SIZE) != 0, "its size is sealed", 0);
  check(fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE) != 0, "nobody else may add a seal", 0);
}

static void refused(int fd, int64_t inode) {
  check(memory_file_open(getpid(), fd, inode + 1, SIZE, 1) == -EBADMSG, "another inode", 0);
  check(memory_file_open(getpid(), fd, inode, SIZE - 1, 1) == -EBADMSG, "another size", 0);
  check(memory_file_open(getpid(), -1, inode, SIZE, 1) == -EINVAL, "no descriptor", 0);
  check(memory_file_open(0, fd, inode, SIZE, 1) == -EINVAL, "no process", 0);
  check(memory_file_open(getpid(), 100000, inode, SIZE, 1) == -ENOENT, "a descriptor that is not open", 0);
  check(memory_file_open(INT64_MAX, fd, inode, SIZE, 1) == -ENOENT, "a process that does not exist", 0);

  int ends[2];
  check(pipe(ends) == 0, "pipe", errno);
  check(memory_file_open(getpid(), ends[0], memory_file_inode(ends[0]), 0, 0) == -EBADMSG, "a pipe", 0);
  closed(ends[0]);
  closed(ends[1]);

  int unsealed = memfd_create("test", MFD_CLOEXEC);
  check(unsealed >= 0 && ftruncate(unsealed, SIZE) == 0, "an unsealed file", errno);
  check(memory_file_open(getpid(), unsealed, memory_file_inode(unsealed), SIZE, 1) == -EBADMSG, "it could shrink", 0);
  closed(unsealed);
}

int main(void) {
  int fd = memory_file_create(SIZE);
  check(fd >= 0, "create", fd);
  int64_t inode = memory_file_inode(fd);
  check(inode > 0, "inode", (long)inode);
  shared(fd, inode);
  sealed(fd);
  refused(fd, inode);
  closed(fd);
  check(memory_file_inode(fd) == -EBADF, "closed", 0);
  check(memory_file_create(-1) == -EINVAL, "a negative size", 0);
  return 0;
}
