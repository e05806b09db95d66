// SPDX-License-Identifier: Apache-2.0
#include "pages.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* Walks the process's mappings, which are listed in ascending order. */
bool hca_can_pin(const void* address, size_t length, bool for_writing) {
  uintptr_t from = (uintptr_t)address;
  uintptr_t to = from + length;
  errno = EFAULT;
  FILE* maps = to < from ? NULL : fopen("/proc/self/maps", "re");
  if (maps == NULL) {
    return false;
  }
  char* line = NULL;
  size_t room = 0;
  while (from < to && getline(&line, &room, maps) > 0) {
    unsigned long start = 0;
    unsigned long end = 0;
    char rights[5] = "";
    if (sscanf(line, "%lx-%lx %4s", &start, &end, rights) != 3 || end <= from) {
      continue;
    }
    if (start > from || rights[0] != 'r' || (for_writing && rights[1] != 'w')) {
      break;
    }
    from = end;
  }
  free(line);
  (void)fclose(maps);
  errno = EFAULT;
  return from >= to;
}
