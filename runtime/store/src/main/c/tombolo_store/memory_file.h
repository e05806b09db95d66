// SPDX-License-Identifier: Apache-2.0
/*
 * Memory files: host memory that other processes of the same user can map.
 *
 * Functions return a descriptor, an inode or 0; or -errno. A memory file has no name in the file system, so nothing is
 * left behind by a kill -9.
 */
#ifndef TOMBOLO_MEMORY_FILE_H
#define TOMBOLO_MEMORY_FILE_H

#include <stdint.h>

/* A memory file of exactly this size, sealed against changing it. */
int memory_file_create(int64_t size);

/* What tells the memory file behind fd from all others of this host. */
int64_t memory_file_inode(int fd);

/*
 * Descriptor `number` of process `pid`, if it is the memory file with this inode and size, and cannot shrink, so that
 * mapping it is safe; else -EBADMSG. -EACCES if the process is another user's.
 */
int memory_file_open(int64_t pid, int number, int64_t inode, int64_t size, int writable);

#endif
