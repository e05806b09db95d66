// SPDX-License-Identifier: Apache-2.0
/* A large collective under way: members work on each other's buffers in place. */
#ifndef TOMBOLO_HOST_CCL_DIRECT_H
#define TOMBOLO_HOST_CCL_DIRECT_H

#include "windows.h"

struct direct {
  struct engine_comm* comm;
  const struct engine_call* call;
  size_t element_bytes;
  uint64_t meaning; /* of the step in which members tell where their buffers are */
  bool mapped; /* the addresses below are of this process: everything is in windows; else of the member's */
  const unsigned char* send[ENGINE_MAX_RANKS];
  unsigned char* receive[ENGINE_MAX_RANKS];
};

/* Bytes that member `rank` sends and receives. */
size_t direct_send_bytes(const struct direct* direct, int rank);
size_t direct_receive_bytes(const struct direct* direct, int rank);

/*
 * Tells everyone where this member's buffers are. They are mapped if all members' are in windows and `tries_windows`, which
 * must be the same at all members, and has this wait for everyone.
 */
enum engine_result direct_open(struct direct* direct, bool tries_windows);

/*
 * Learns where the buffers of a member are, of those `left` (a bit each, at first engine_everyone): of one that has come if
 * there is one. Before that they must not be touched.
 */
enum engine_result direct_meet_next(struct direct* direct, uint64_t* left, int* rank);

/* Of all of them. */
enum engine_result direct_meet_all(struct direct* direct);

/*
 * Waits until everyone is done with everyone's buffers; after a failure, until nobody writes this member's. ENGINE_WRITTEN:
 * somebody who had begun has not ended within a second, and may go on at any time.
 */
enum engine_result direct_close(struct direct* direct, enum engine_result result);

/* Copies what is `from` in member `rank`'s memory to this member's. */
enum engine_result direct_copy(const struct direct* direct, int rank, unsigned char* to, const unsigned char* from, size_t bytes);

/*
 * Around every writing of others' memory; it must not last long. After a refusal nothing may be written: somebody's call has
 * failed, and their memory is theirs again.
 */
enum engine_result direct_begin_writing(const struct direct* direct);
void direct_end_writing(const struct direct* direct);

/* Copies `bytes` at `from`, which the cache holds, through the system to byte `at` of everyone else's result. */
enum engine_result direct_write(const struct direct* direct, size_t at, const unsigned char* from, size_t bytes);

/* Combines `count` elements from element `first` of everyone's vector into this member's result. */
enum engine_result direct_reduce(const struct direct* direct, size_t first, size_t count);

/* Everyone combines a part of the vector, and puts it into everyone's result. */
enum engine_result direct_all_reduce(const struct direct* direct);

#endif
