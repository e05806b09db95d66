// SPDX-License-Identifier: Apache-2.0
#include "process_memory.h"

#include <errno.h>
#include <stddef.h>
#include <sys/types.h>
#include <sys/uio.h>

/* Bytes read by one call, fewer than asked for where a page cannot be read; or -errno. */
static int64_t read_some(int process, void* to, uint64_t from, uint64_t bytes) {
  struct iovec ours = {to, (size_t)bytes};
  struct iovec theirs = {(void*)(uintptr_t)from, (size_t)bytes};
  ssize_t got = process_vm_readv(process, &ours, 1, &theirs, 1, 0);
  return got < 0 ? -errno : got;
}

/* Permission is asked before the address is looked at, where nothing is mapped. */
int process_may_be_read(int process) {
  char byte;
  int64_t got = read_some(process, &byte, 0, sizeof byte);
  return got == -EFAULT || got >= 0;
}

int process_read(int process, void* to, uint64_t from, uint64_t bytes) {
  for (uint64_t done = 0; done < bytes;) {
    int64_t got = read_some(process, (char*)to + done, from + done, bytes - done);
    if (got <= 0) return got == 0 ? -EFAULT : (int)got;
    done += (uint64_t)got;
  }
  return 0;
}
