/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tombolo's tensor store for C: tensors in the memory of a volume ("tombolo store serve"), which processes of any job and
 * vendor put there and get. docs/store.md says what holds; results, handles, threads and forks are as in tombolo.h.
 *
 *     tombolo_volume volume;
 *     tombolo_volume_config config = TOMBOLO_VOLUME_CONFIG_INIT;
 *     config.address = "127.0.0.1:7777";                          // the token is in the environment
 *     CHECK(tombolo_volume_open(&config, &volume));
 *     int64_t shape[] = {64, 64};
 *     tombolo_tensor tensor = {"w", weights, shape, TOMBOLO_F32, 2};
 *     CHECK(tombolo_volume_put(volume, "policy", &tensor, 1, &version));
 *     CHECK(tombolo_volume_close(volume));
 *
 * Tensors are host memory, row-major and without gaps, but that tombolo_server_register takes strides. Names are UTF-8.
 */
#ifndef TOMBOLO_VOLUME_H
#define TOMBOLO_VOLUME_H

#include "tombolo.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef uint64_t tombolo_volume;   /* a connection to a volume */
typedef uint64_t tombolo_put;      /* room that is being filled */
typedef uint64_t tombolo_snapshot; /* tensors as they were at one moment */

enum { TOMBOLO_MAX_DIMENSIONS = 64 };

/* Of tombolo_volume_config. */
enum { TOMBOLO_OVER_CONNECTION = 1 /* all bytes take the connection, also where memory could be shared, or read by RDMA */ };

typedef struct tombolo_volume_config {
  uint32_t size;       /* sizeof(tombolo_volume_config) */
  uint32_t flags;
  const char* address; /* HOST:PORT */
  const char* token;   /* 64 hexadecimal digits; NULL: $TOMBOLO_TOKEN */
  int64_t timeout_ms;  /* how long nothing may move before a call fails; 0: 30 s */
} tombolo_volume_config;
#define TOMBOLO_VOLUME_CONFIG_INIT {sizeof(tombolo_volume_config), 0, NULL, NULL, 0}

/* A tensor of the caller's. This structure and the next do not grow: calls take arrays of them. */
typedef struct tombolo_tensor {
  const char* name;
  void* data; /* may be NULL if it has no elements */
  const int64_t* shape;
  tombolo_type type;
  int32_t dimensions;
} tombolo_tensor;

/* What one of several writers has of a tensor. */
typedef struct tombolo_part {
  tombolo_tensor held;  /* its shape is that of the part */
  const int64_t* from;  /* where the part begins in the whole, in each dimension */
  const int64_t* whole; /* the shape of the whole */
} tombolo_part;

/* One of several processes that write a version together; all name the same round and number of writers. */
typedef struct tombolo_writer {
  uint32_t size;       /* sizeof(tombolo_writer) */
  int32_t writer;      /* which of them this is, from 0 */
  int32_t writers;
  int32_t reserved;
  const char* round;   /* "step 8": another for each version, and for each new try */
  int64_t patience_ms; /* how long it waits for the others to come, and once more for them to finish, which includes what
                          their tombolo_maker makes */
} tombolo_writer;

/* A volume of this process. */
typedef uint64_t tombolo_server;

typedef struct tombolo_server_config {
  uint32_t size;         /* sizeof(tombolo_server_config) */
  int32_t kept_versions; /* of each state dict; 0: 2 */
  uint64_t memory_bytes; /* of all tensors together; pages take memory when they are first written */
  const char* listen;    /* HOST:PORT; port 0 is any free one. NULL: 127.0.0.1:0 */
  const char* token;     /* 64 hexadecimal digits, which clients must know; NULL: $TOMBOLO_TOKEN */
} tombolo_server_config;
#define TOMBOLO_SERVER_CONFIG_INIT {sizeof(tombolo_server_config), 0, 0, NULL, NULL}

/* One of several processes that hold parts of a state dict in their own memory, from where readers fetch them. With 2
 * replicas, holder 4 of 6 has the same as holder 1. */
typedef struct tombolo_holder {
  uint32_t size;       /* sizeof(tombolo_holder) */
  int32_t holder;      /* which of them this is, from 0 */
  int32_t holders;
  int32_t replicas;    /* how many of them have the same, down to the bytes, as each other; 0: 1 */
  const char* run;     /* the same for all of them, and another after each start */
  int64_t patience_ms; /* how long to wait for readers of an older version that is in the way */
} tombolo_holder;

/* A reader's connections to all holders of a state dict. */
typedef uint64_t tombolo_holders;

/* Holds tensors in this process until it is stopped, or the process ends; they are gone then. */
TOMBOLO_EXPORT tombolo_status tombolo_server_start(const tombolo_server_config* config, tombolo_server* server);

/* Where it is, as clients' address. */
TOMBOLO_EXPORT tombolo_status tombolo_server_address(tombolo_server server, char* text, size_t size, size_t* needed);
TOMBOLO_EXPORT tombolo_status tombolo_server_stop(tombolo_server server);

/* Makes room in a server of this process for version `version` of what it holds of a state dict, and sets `held.data` of
 * each part to where it belongs. The caller fills it, with the version before visible meanwhile, and then commits: the
 * version is visible once all holders have. Memory for two versions is needed. */
TOMBOLO_EXPORT tombolo_status tombolo_server_hold(tombolo_server server, const char* state_dict,
                                                  const tombolo_holder* holder, int64_t version, tombolo_part* parts,
                                                  uint64_t count, tombolo_put* put);

/* Shows a version of what this process holds of a state dict where it lies: nothing is copied, no room is needed, and
 * readers get it over the connection, on this host too. `strides` has for each part how far, in elements, one index is from
 * the next in each dimension; for those with NULL, and all if it is NULL itself, they are row-major and without gaps. Nobody
 * writes to the memory or frees it before tombolo_server_withdraw or tombolo_server_stop has returned. TOMBOLO_USAGE if a
 * version is shown already. */
TOMBOLO_EXPORT tombolo_status tombolo_server_register(tombolo_server server, const char* state_dict,
                                                      const tombolo_holder* holder, int64_t version,
                                                      const tombolo_part* parts, const int64_t* const* strides,
                                                      uint64_t count);

/* Shows nothing more of a state dict, and takes from readers what they were shown, at once: their snapshots are void. */
TOMBOLO_EXPORT tombolo_status tombolo_server_withdraw(tombolo_server server, const char* state_dict);

/* Connects to all holders of a state dict: `address` is HOST:PORT,HOST:PORT,…; of replicas, one is enough. */
TOMBOLO_EXPORT tombolo_status tombolo_holders_open(const tombolo_volume_config* config, tombolo_holders* holders);

/* Its snapshots are void then. */
TOMBOLO_EXPORT tombolo_status tombolo_holders_close(tombolo_holders holders);

/* How many holders' memory is shared with this process. */
TOMBOLO_EXPORT tombolo_status tombolo_holders_sharing(tombolo_holders holders, int* sharing);

/* The newest version that all holders show, once it is newer than `newer_than`; TOMBOLO_DEADLINE if it is not so within
 * `patience_ms`. If a holder dies that has no replicas, this fails with an error that names it, and so does reading what it
 * alone had. */
TOMBOLO_EXPORT tombolo_status tombolo_holders_await(tombolo_holders holders, const char* state_dict, int64_t newer_than,
                                                    int64_t patience_ms, tombolo_snapshot* snapshot);

TOMBOLO_EXPORT tombolo_status tombolo_volume_open(const tombolo_volume_config* config, tombolo_volume* volume);

/* Its snapshots are void then. A TOMBOLO_USAGE while a tombolo_put of it is open: somebody may be writing there. */
TOMBOLO_EXPORT tombolo_status tombolo_volume_close(tombolo_volume volume);

/* Whether bytes are copied straight from and to the volume's memory: 1 or 0. */
TOMBOLO_EXPORT tombolo_status tombolo_volume_is_shared(tombolo_volume volume, int* shared);

/* Puts tensors: as the next version of `state_dict`, or, if that is NULL, each under its own name. All become visible at
 * once, or none. `version` may be NULL; it is 0 without a state dict. */
TOMBOLO_EXPORT tombolo_status tombolo_volume_put(tombolo_volume volume, const char* state_dict,
                                                 const tombolo_tensor* tensors, uint64_t count, int64_t* version);

/* Likewise, of tensors of which some checksums are known: `checksums[i]` points to the CRC-32C that the ith must have, as
 * tombolo_device_checksum has computed it where the tensor was copied from; NULL if that is not known. NULL instead of the
 * array: none is. TOMBOLO_CORRUPT, and nothing is put, if what has moved has another one. */
TOMBOLO_EXPORT tombolo_status tombolo_volume_put_summed(tombolo_volume volume, const char* state_dict,
                                                        const tombolo_tensor* tensors,
                                                        const uint32_t* const* checksums, uint64_t count,
                                                        int64_t* version);

/* Memory of a device, and from when on it holds what is meant. */
typedef struct tombolo_device_memory {
  uint32_t size;       /* sizeof(tombolo_device_memory) */
  uint32_t flags;      /* TOMBOLO_HOST_ORDER: what writes there has ended, and `stream` is ignored; else 0 */
  const char* vendor;  /* as in tombolo_config: "nvidia" */
  const void* data;    /* any address; may be NULL if there are no bytes */
  uint64_t bytes;
  void* stream;        /* the vendor's own handle, NULL is its default stream: what is queued there by now comes first */
  int64_t timeout_ms;  /* how long the checksum may take, what comes first, and other threads' checksums; 10 or more;
                          0: 30 s */
  int32_t device;      /* its number, as the vendor's runtime counts in this process */
  int32_t reserved;
} tombolo_device_memory;

/* The CRC-32C of a device's memory, computed by the device, for tombolo_put_checksum and the calls that end in
 * _summed. As tombolo_checksum, but that no communicator is needed: the device is opened by the first call, and kept until
 * tombolo_finalize; the time that this takes is not in `timeout_ms`. After TOMBOLO_DEADLINE the device may still read the
 * memory: give it back by what waits for the device, as cudaFree does. TOMBOLO_UNAVAILABLE where the vendor's runtime
 * cannot be opened. */
TOMBOLO_EXPORT tombolo_status tombolo_device_checksum(const tombolo_device_memory* memory, uint32_t* checksum);

/* Puts parts of a version together with other processes; blocks until all have written theirs. */
TOMBOLO_EXPORT tombolo_status tombolo_volume_put_part(tombolo_volume volume, const char* state_dict,
                                                      const tombolo_writer* writer, const tombolo_part* parts,
                                                      uint64_t count, int64_t* version);

/* Likewise, of parts of which some checksums are known, as for tombolo_volume_put_summed: each of the bytes that this
 * process has. TOMBOLO_CORRUPT, and the calls of all writers fail, if a part has another one. */
TOMBOLO_EXPORT tombolo_status tombolo_volume_put_part_summed(tombolo_volume volume, const char* state_dict,
                                                             const tombolo_writer* writer, const tombolo_part* parts,
                                                             const uint32_t* const* checksums, uint64_t count,
                                                             int64_t* version);

/* What a tombolo_maker has made. */
typedef struct tombolo_made {
  const void* data;  /* where it lies until the next one is asked for, or the call has ended */
  uint32_t checksum; /* if `summed` is not 0: the CRC-32C of what it was made of */
  int32_t summed;
} tombolo_made;

/* Makes what is put, once there is room for all of it: copies it from a device, for example. */
typedef struct tombolo_maker {
  uint32_t size; /* sizeof(tombolo_maker) */
  uint32_t reserved;
  void* context;
  /* Makes the tensor or part of this number, in the thread of the call that puts, and says where it lies. Returns 0; with
   * anything else the call fails, with TOMBOLO_USAGE, and nothing is put. It may be asked for one again, and must make no
   * call of the same volume; tombolo_volume_close is refused, with TOMBOLO_USAGE. */
  int (*make)(void* context, uint64_t number, tombolo_made* made);
} tombolo_maker;

/* As tombolo_volume_put, and as tombolo_volume_put_part, of what is made one after the other once there is room: `data` of
 * the tensors is not looked at. If they do not fit, or writers do not agree, nothing is made. Parts that others write are
 * not made either. TOMBOLO_CORRUPT, and nothing is put, if what has moved has another checksum than its maker says. */
TOMBOLO_EXPORT tombolo_status tombolo_volume_put_made(tombolo_volume volume, const char* state_dict,
                                                      const tombolo_tensor* tensors, uint64_t count,
                                                      const tombolo_maker* maker, int64_t* version);
TOMBOLO_EXPORT tombolo_status tombolo_volume_put_part_made(tombolo_volume volume, const char* state_dict,
                                                           const tombolo_writer* writer, const tombolo_part* parts,
                                                           uint64_t count, const tombolo_maker* maker,
                                                           int64_t* version);

/* How floating-point tensors of wider types are narrowed before they move. Values round to the nearest, halves to even;
 * what is too large becomes infinity, or NaN in TOMBOLO_F8E4M3. */
typedef struct tombolo_cast {
  uint32_t size;     /* sizeof(tombolo_cast) */
  tombolo_type type; /* TOMBOLO_F16, TOMBOLO_BF16, TOMBOLO_F8E4M3 or TOMBOLO_F8E5M2 */
  int32_t scaled;    /* not 0: each is divided by its scale first, which is put beside it as an f32 called NAME.scale */
  int32_t reserved;
} tombolo_cast;

/* As tombolo_volume_put for a state dict, narrowed on the way. */
TOMBOLO_EXPORT tombolo_status tombolo_volume_put_cast(tombolo_volume volume, const char* state_dict,
                                                      const tombolo_tensor* tensors, uint64_t count,
                                                      const tombolo_cast* cast, int64_t* version);

/* The same arithmetic, for who fills the room of a put himself: divides `count` numbers by `scale` and narrows them; makes
 * them f32 and multiplies them; and the scale that makes the largest finite magnitude the largest number of a type. */
TOMBOLO_EXPORT tombolo_status tombolo_narrow(tombolo_type from, const void* source, uint64_t count, float scale,
                                             tombolo_type to, void* target);
TOMBOLO_EXPORT tombolo_status tombolo_widen(tombolo_type from, const void* source, uint64_t count, float scale,
                                            float* target);
TOMBOLO_EXPORT tombolo_status tombolo_scale_of(tombolo_type from, const void* source, uint64_t count, tombolo_type to,
                                               float* scale);

/* Makes room for tensors in shared memory, and sets `data` of each to where it belongs. The caller copies them there and
 * then commits; nobody may write there afterwards. TOMBOLO_UNSUPPORTED if memory is not shared. */
TOMBOLO_EXPORT tombolo_status tombolo_volume_begin(tombolo_volume volume, const char* state_dict,
                                                   tombolo_tensor* tensors, uint64_t count, tombolo_put* put);

/* Says that a tensor's bytes have this CRC-32C, so that the commit does not read them: tombolo_checksum, or
 * tombolo_device_checksum, has computed it where they come from. If they have another one, the tensor is corrupt to readers. */
TOMBOLO_EXPORT tombolo_status tombolo_put_checksum(tombolo_put put, const char* name, uint32_t checksum);
TOMBOLO_EXPORT tombolo_status tombolo_put_commit(tombolo_put put, int64_t* version);
TOMBOLO_EXPORT tombolo_status tombolo_put_abort(tombolo_put put);

/* Forgets tensors, or all versions of a state dict. How many there were; may be NULL. */
TOMBOLO_EXPORT tombolo_status tombolo_volume_delete(tombolo_volume volume, const char* const* names, uint64_t count,
                                                    int64_t* deleted);
TOMBOLO_EXPORT tombolo_status tombolo_volume_drop(tombolo_volume volume, const char* state_dict, int64_t* versions);

/* `*exists` is 1 if a tensor has this name of its own, else 0. */
TOMBOLO_EXPORT tombolo_status tombolo_volume_exists(tombolo_volume volume, const char* name, int* exists);

/* The names of tensors, or of state dicts, that begin with `prefix` (NULL: all), in order, each with an ending 0. At most
 * `size` bytes are written; `needed` (may be NULL) is what all take, with one more 0 at the end. */
TOMBOLO_EXPORT tombolo_status tombolo_volume_keys(tombolo_volume volume, const char* prefix, char* text, size_t size,
                                                  size_t* needed);
TOMBOLO_EXPORT tombolo_status tombolo_volume_state_dicts(tombolo_volume volume, const char* prefix, char* text,
                                                         size_t size, size_t* needed);

/* These tensors as they are now. They stay so, whatever is put or deleted, until the snapshot is closed. */
TOMBOLO_EXPORT tombolo_status tombolo_volume_open_tensors(tombolo_volume volume, const char* const* names,
                                                          uint64_t count, tombolo_snapshot* snapshot);

/* The newest version of a state dict, once it is newer than `newer_than`; TOMBOLO_DEADLINE if it is not so within
 * `patience_ms`. A negative patience: whatever is newest, or TOMBOLO_USAGE if there is none. */
TOMBOLO_EXPORT tombolo_status tombolo_volume_open_version(tombolo_volume volume, const char* state_dict,
                                                          int64_t newer_than, int64_t patience_ms,
                                                          tombolo_snapshot* snapshot);

/* A version of a state dict, of those that are kept; TOMBOLO_USAGE if it is not, or not any more. */
TOMBOLO_EXPORT tombolo_status tombolo_volume_open_kept(tombolo_volume volume, const char* state_dict, int64_t version,
                                                       tombolo_snapshot* snapshot);

/* Which versions of a state dict are kept: all from `oldest` to `newest`; both are 0 if there are none. */
TOMBOLO_EXPORT tombolo_status tombolo_volume_kept_versions(tombolo_volume volume, const char* state_dict,
                                                           int64_t* oldest, int64_t* newest);

/* Gives the tensors up. TOMBOLO_DEADLINE if other threads use the connection for as long as its timeout, of several holders'
 * connections one after the other. It may have been given back in part then: only close it again. */
TOMBOLO_EXPORT tombolo_status tombolo_snapshot_close(tombolo_snapshot snapshot);

/* 0 if the tensors have names of their own. */
TOMBOLO_EXPORT tombolo_status tombolo_snapshot_version(tombolo_snapshot snapshot, int64_t* version);

/* The names of its tensors, as tombolo_volume_keys gives them. Their places in this list are their numbers below. */
TOMBOLO_EXPORT tombolo_status tombolo_snapshot_names(tombolo_snapshot snapshot, char* text, size_t size,
                                                     size_t* needed);

/* What a tensor is. `shape` has room for TOMBOLO_MAX_DIMENSIONS. `data` (may be NULL) is where it can be read until the
 * snapshot or the volume is closed: NULL if memory is not shared. What was read there is good if tombolo_snapshot_check
 * says so afterwards. */
TOMBOLO_EXPORT tombolo_status tombolo_snapshot_tensor(tombolo_snapshot snapshot, int32_t number, tombolo_type* type,
                                                      int32_t* dimensions, int64_t* shape, const void** data);

/* Copies the part of a tensor from `from` up to, without, `to` (NULL, both: all of it) to `target`, row-major. */
TOMBOLO_EXPORT tombolo_status tombolo_snapshot_read(tombolo_snapshot snapshot, int32_t number, const int64_t* from,
                                                    const int64_t* to, void* target);

/* A part of a tensor, as tombolo_snapshot_read takes it. This structure does not grow: calls take arrays of it. */
typedef struct tombolo_read {
  int32_t number;
  int32_t reserved;
  const int64_t* from;
  const int64_t* to;
  void* target;
} tombolo_read;

/* Copies parts of several tensors, at most 65536 of them. Over a connection this is faster than one after the other: the
 * next are asked for before those in front of them have come. If it fails, anything may be at all the targets. Calls of other
 * threads on this connection have their turn in between: after 256 MiB and one part, or 4096 parts. */
TOMBOLO_EXPORT tombolo_status tombolo_snapshot_read_all(tombolo_snapshot snapshot, const tombolo_read* reads,
                                                        uint64_t count);

/* TOMBOLO_OK if all that was read of the snapshot until now is good. TOMBOLO_ABORTED if who has the tensors has withdrawn
 * them, TOMBOLO_PEER_FAILED if it has gone: the snapshot is void then, other calls of it fail likewise, and what was read
 * at addresses may be anything. Of several holders, one that has gone is missed only if it alone had something, or an
 * address in its memory was given out; tombolo_snapshot_read goes on with what others have, too. */
TOMBOLO_EXPORT tombolo_status tombolo_snapshot_check(tombolo_snapshot snapshot);

/* Compares what lies in the volume now with the checksum of what was put: TOMBOLO_CORRUPT if they differ. */
TOMBOLO_EXPORT tombolo_status tombolo_snapshot_verify(tombolo_snapshot snapshot, int32_t number);

#ifdef __cplusplus
}
#endif

#endif
