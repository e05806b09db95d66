// SPDX-License-Identifier: Apache-2.0
/*
 * What libraries are not supposed to do, under oneCCL's names; its version ends in how many communicators were aborted.
 * And a CNCL on a thread without a device.
 */
#include <stddef.h>
#include <string.h>

struct id {
  char bytes[4096];
};

static int aborted;
static char communicator;

int onecclGetVersion(int* version) {
  *version = 20220100 + aborted;
  return 0;
}

int onecclGetUniqueId(struct id* id) {
  memset(id, 1, sizeof *id);
  return 0;
}

/* A pair fails, and there is a communicator all the same. */
int onecclCommInitRank(void** joined, size_t size, struct id id, int rank) {
  (void)id;
  (void)rank;
  *joined = &communicator;
  return size == 2 ? 3 : 0;
}

int onecclCommDestroy(void* ended) { return ended == &communicator ? 0 : 4; }

int onecclCommAbort(void* ended) {
  aborted++;
  return onecclCommDestroy(ended);
}

int onecclGroupStart(void) { return 3; }

int onecclGroupEnd(void) { return 4; }

/* The result is the stream that the call was given. */
int onecclAllReduce(const void* send, void* receive, size_t count, int type, int op, void* comm, void* stream) {
  (void)send;
  (void)type;
  (void)op;
  memcpy(receive, &stream, sizeof stream);
  return comm == &communicator && count == 1 ? 0 : 4;
}

/* Latin-1, a character cut short, one of four bytes, and one that is right. */
const char* onecclGetErrorString(int code) { return code == 3 ? "d\xe9j\xe0 \xc3 \xf0\x9f\x98\x80 \xc3\xa9" : "argument"; }

const char* onecclGetLastError(void* of) { return of == NULL ? "" : "of the communicator"; }

enum { NO_DEVICE = 632007 };

int cnrtGetDevice(int* device) {
  *device = -1;
  return NO_DEVICE;
}

int cnclGetLibVersion(int* major, int* minor, int* patch) {
  *major = *minor = *patch = 1;
  return 0;
}

int cnclGetCliqueId(void* id) {
  memset(id, 1, 136);
  return 0;
}

int cnclInitComms(void** joined, int count, const int* devices, const int* ranks, int size, const void* id) {
  (void)joined;
  (void)count;
  (void)devices;
  (void)ranks;
  (void)size;
  (void)id;
  return 1;
}

int cnclFreeComm(void* ended) { return ended == NULL ? 1 : 0; }

const char* cnclGetErrorStr(int code) { return code == NO_DEVICE ? "a code of CNRT's in CNCL's words" : "argument"; }
