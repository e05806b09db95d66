// SPDX-License-Identifier: Apache-2.0
/*
 * The device that the emulated runtimes share: memory, streams, events. The vendor's files in front of it give it the
 * vendor's names, numbers and habits.
 *
 * Thread-safe throughout. Calls return an emu_result, which the vendor's file turns into the vendor's own number.
 */
#ifndef DEVICE_ENGINE_H
#define DEVICE_ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "emu_device.h"

typedef enum emu_result {
  EMU_OK,
  EMU_NOT_READY,
  EMU_INVALID_VALUE,
  EMU_INVALID_HANDLE,
  EMU_OUT_OF_MEMORY,
  EMU_OUT_OF_HOST_MEMORY, /* the same number to most vendors */
  EMU_NOT_REGISTERED,
  EMU_ALREADY_REGISTERED,
  EMU_ALREADY_ENABLED,
  EMU_STREAM_FAILED,
  EMU_CAPTURE_UNSUPPORTED, /* this and the next seven: see device_capture.h */
  EMU_CAPTURE_INVALIDATED,
  EMU_CAPTURE_MERGE,
  EMU_CAPTURE_UNMATCHED,
  EMU_CAPTURE_UNJOINED,
  EMU_CAPTURE_ISOLATION,
  EMU_CAPTURE_WRONG_THREAD,
  EMU_CAPTURE_IMPLICIT,
  EMU_CAPTURED_EVENT, /* recorded by a capture, which its query invalidates */
  EMU_DEADLOCK, /* a real device would hang in the call; it was reported */
} emu_result;

typedef enum emu_kind {
  EMU_DEVICE = 1,
  EMU_PINNED = 2,
  EMU_REGISTERED = 4,
  EMU_IMPORTED = 8,
  EMU_MANAGED = 16,
  EMU_SIGNAL = 32, /* HIP's, for words that streams wait for */
} emu_kind;

/* Managed memory may stand on either side of a copy. */
enum {
  EMU_ANY_DEVICE = EMU_DEVICE | EMU_IMPORTED | EMU_MANAGED,
  EMU_ANY_HOST = EMU_PINNED | EMU_REGISTERED | EMU_MANAGED,
  EMU_ANY = 63
};

/* Beside the kinds of a copy's side: it may be host memory that this device does not know. */
enum { EMU_PAGEABLE = 64 };

/* An IPC handle as it travels: it names the vendor, the process, the descriptor behind the block and its inode. */
enum { EMU_IPC_BYTES = 64 };

typedef struct emu_block emu_block;
typedef struct emu_stream emu_stream;
typedef struct emu_event emu_event;
typedef struct emu_mark emu_mark;

/* Devices and their limits; see device_faults.c for the environment variables behind them. */
int emu_device_count(void);

/* What device `ordinal` is called: what the environment says, or `usual` and the ordinal. */
void emu_device_name(int ordinal, const char* usual, char* name, size_t length);
size_t emu_total_memory(void);

/* Bytes of page-locked memory that a process may have. */
size_t emu_pinned_limit(void);

/* Peers. A device is none of its own; access is enabled in one direction, and a second time is EMU_ALREADY_ENABLED. */
bool emu_peer_reaches(int device, int peer);
emu_result emu_peer_enable(int device, int peer);

/* Memory. Device blocks are inaccessible at the address these return; see emu_alias. */
emu_result emu_allocate(size_t size, void** address);
emu_result emu_allocate_pinned(size_t size, void** address);
emu_result emu_allocate_managed(size_t size, void** address); /* host and device use the one address */
emu_result emu_allocate_signal(size_t size, void** address);
emu_result emu_register(void* host, size_t size);
emu_result emu_release(void* address, unsigned kinds);

/* What devices call pinned or registered memory: the host's address, unless the environment has them lack that. */
emu_result emu_host_pointer(void* host, void** device);

/* Handles for other processes. `vendor` is written into the handle, and another vendor's is refused when opened. */
emu_result emu_ipc_export(const char* vendor, const void* address, unsigned char handle[EMU_IPC_BYTES]);
emu_result emu_ipc_open(const char* vendor, const unsigned char handle[EMU_IPC_BYTES], void** address);

/* A descriptor for NICs of the block at `address`, whose first `size` bytes are whole pages; the caller closes it. */
emu_result emu_export_dma_buf(const void* address, size_t size, int* fd);

/* What NICs have written becomes visible to the device. */
void emu_flush(void);

/*
 * The block of one of `kinds` around [address, address + size), with a reference for the caller; NULL if there is none.
 * Between enter and leave its bytes stay mapped: enter is false once the block was released.
 */
emu_block* emu_block_find(const void* address, size_t size, unsigned kinds);
void* emu_block_alias(const emu_block* block, const void* address);
bool emu_block_enter(emu_block* block);
void emu_block_leave(emu_block* block);
void emu_block_unref(emu_block* block);

/* The kind of the block at `address`, and the device that it was made on; false if there is none. */
bool emu_place(const void* address, emu_kind* kind, int* device);

/* The device that the calling thread has chosen, 0 at first: its streams, and what waits for them. */
void emu_use_device(int device);
int emu_used_device(void);

/* Priorities as in CUDA: the less, the sooner. A blocking stream is in order with the default one, see device_legacy.c. */
typedef struct emu_stream_kind {
  bool is_blocking;
  int priority;
} emu_stream_kind;

/* Streams. NULL is the default stream of the device. */
emu_result emu_stream_create(emu_stream** stream);
emu_result emu_stream_create_as(emu_stream_kind kind, emu_stream** stream);
emu_result emu_stream_destroy(emu_stream* stream);
emu_result emu_stream_query(emu_stream* stream);
emu_result emu_stream_device(emu_stream* stream, int* device);

/* Work on streams. Both sides of a copy must be of the kinds given. */
emu_result emu_copy(void* to, unsigned to_kinds, const void* from, unsigned from_kinds, size_t size, emu_stream* on);

/*
 * Before a copy between the device and `host`: waits for all work of the context where that is a habit of the device, if the
 * memory is pageable and `size` more than drivers are known to stage: CUDA's stages 64 KiB.
 */
emu_result emu_synchronise_copy(const void* host, size_t size);

emu_result emu_fill(void* to, unsigned char value, size_t size, emu_stream* on);

/* Whether a 64-bit word ends a wait for `value`. */
typedef bool (*emu_condition)(uint64_t word, uint64_t value);
emu_result emu_wait_value(void* word, uint64_t value, uint64_t mask, emu_condition condition, emu_stream* on);
emu_result emu_write_value(void* word, uint64_t value, emu_stream* on);

/* Calls run(argument) on the stream's own thread when everything before it is done; never once the stream has failed. */
emu_result emu_host_function(void (*run)(void* argument), void* argument, emu_stream* on);

/* Events, by handle. Waiting on an event that was never recorded is done at once. */
emu_result emu_event_create(emu_event** event);
emu_result emu_event_destroy(emu_event* event);
emu_result emu_event_record(emu_event* event, emu_stream* stream);
emu_result emu_event_query(emu_event* event);
emu_result emu_event_wait(emu_event* event, emu_stream* stream);

/* How streams are driven, for the files of the engine. A work item owns itself: run or drop frees it. */
typedef struct emu_work emu_work;
struct emu_work {
  bool (*run)(emu_work* work); /* false: the stream fails */
  void (*drop)(emu_work* work); /* instead of run, once the stream has failed */
  bool waits; /* for something outside of its stream */
  bool copies;
  bool marks; /* where the work before it on the stream has come to */
  uint64_t place; /* in its hardware queue */
  emu_work* next;
};
emu_result emu_stream_queue(emu_stream* stream, emu_work* work);

/* The calling stream's own thread waits for a word, which was not there yet at that time. */
void emu_stream_waited_in_vain(int64_t until_ns);
void emu_stream_waits_no_more(void);

/* Whether the calling thread is a stream's own, in a function on the host. */
bool emu_is_stream_thread(void);

/* Nanoseconds of the monotonic clock. */
int64_t emu_now_ns(void);

/* Lets time pass between two looks at something nobody signals; rounds starts at 0. */
void emu_pause(unsigned* rounds);

/*
 * What a job makes on a device. Two 64-bit words of each in this order are in the file that TOMBOLO_EMU_FAULTS names, for a test
 * that maps it or writes into it: the n-th that is made from now on fails, for want of memory (0: none); and how many there are.
 */
typedef enum emu_thing {
  EMU_DEVICE_BLOCKS,
  EMU_LOCKED_BLOCKS, /* page-locked or managed memory, words to wait for among it */
  EMU_PINNED_RANGES, /* registered */
  EMU_STREAMS,
  EMU_EVENTS,
  EMU_THINGS
} emu_thing;

/* For each that is about to be made: whether it is to fail. */
bool emu_fault_making(emu_thing thing);

/* There is one `more`, or -1: one less. */
void emu_made(emu_thing thing, int more);

/* Faults and quirks asked for by the environment. */
bool emu_is_coherent(void);
bool emu_is_without_peers(void);
bool emu_fault_allocation(void);
bool emu_fault_copy(void);
void emu_fault_slowness(void);
int emu_fault_code(int usual);

#endif
