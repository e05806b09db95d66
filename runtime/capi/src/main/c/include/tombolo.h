/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tombolo for C: one communicator over the ranks of a job, whatever their vendors.
 *
 * The library is a thin shell: it starts a Java virtual machine in this process at the first call that needs one, and
 * hands calls to it by address. No buffer is copied into Java. docs/c-interface.md says how to install and build; this
 * is the reference.
 *
 *     tombolo_comm comm;
 *     tombolo_work work;
 *     CHECK(tombolo_comm_init(NULL, &comm));                      // the environment says who we are
 *     CHECK(tombolo_all_reduce(comm, send, receive, n, TOMBOLO_F32, TOMBOLO_SUM, NULL, &work));
 *     CHECK(tombolo_wait(work, TOMBOLO_STANDARD_TIME));
 *     CHECK(tombolo_release(work));
 *     CHECK(tombolo_comm_destroy(comm));
 *
 * RESULTS. Every function that can fail returns a tombolo_status; tombolo_last_error() is the text of the calling
 * thread's last failure. What a failing function was to return through pointers is set to 0 or NULL.
 *
 * HANDLES are numbers, 0 is none. One that was released, or never given, is a TOMBOLO_USAGE; it is never followed.
 *
 * THREADS. All functions may be called from any thread. Collective calls on one communicator come from one thread at a
 * time, in the same order on all its ranks; messages (send, receive) may come from other threads meanwhile. The thread
 * is attached to the JVM as a daemon at its first call, and detached when it ends. Do not call from a signal handler.
 *
 * SIGNALS. The JVM runs with -Xrs: it leaves HUP, INT, TERM and QUIT alone. It does use SEGV, BUS, FPE, ILL and PIPE for
 * itself, and passes on what is not its own to handlers that were there before it started. Who installs such handlers
 * later preloads the JDK's libjsig.so. To suspend threads it takes SIGRTMIN+6, not USR2: loading this library says so in
 * the variable _JAVA_SR_SIGNUM, unless that is set.
 *
 * FORK. A child of a process with a JVM has none of its threads. Every function that needs them returns TOMBOLO_FORKED
 * there, at once. A child that execs, or never calls, is not affected.
 *
 * BUFFERS are memory of the communicator's device: host addresses for the vendors "host" and "mpi" and for oneCCL on
 * CPUs, else device addresses of that vendor's runtime in this process. They belong to the communicator until the work
 * says buffers_released. Counts are elements. An address may be NULL where there are no elements, or where the
 * operation does not use that buffer on this rank. Send and receive are the same buffer (or, where one holds all
 * ranks' blocks, this rank's block in it), or do not overlap.
 *
 * STREAMS. On a device with streams, a call starts when `stream` reaches it, and the stream waits for the end, unless
 * flags say otherwise. A communicator remembers a stream by its handle, so destroy a stream only after the communicators
 * it was given. On "host" and its like there are no streams: the input is ready when the call is made, and the caller
 * waits. See tombolo_call.
 *
 * A few calls on a device with streams may return only when all work of the device has ended, also what the program has
 * left on it: the first call after a path to a peer has opened, if nothing of any communicator is under way then, as it
 * registers the slots of messages with the device; and a call that needs more memory than any before it on its
 * communicator. So do not leave on the device what waits for something that you do after the call.
 */
#ifndef TOMBOLO_H
#define TOMBOLO_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifndef TOMBOLO_EXPORT
#define TOMBOLO_EXPORT __attribute__((visibility("default")))
#endif

/* Of this header. A library with the same major number has everything that is declared here if its minor number is not
 * smaller. Structures begin with their size, so they may grow. */
#define TOMBOLO_MAJOR 1
#define TOMBOLO_MINOR 2

/* How a call ended. 1 to 12 are the errors of Java's TomboloException, and of the state word in
 * docs/streams-and-threads.md. */
typedef enum tombolo_status {
  TOMBOLO_OK = 0,
  TOMBOLO_USAGE = 1,        /* the call is wrong: an argument, an order, a handle */
  TOMBOLO_UNSUPPORTED = 2,  /* the vendor or this build cannot do that */
  TOMBOLO_UNAVAILABLE = 3,  /* a library, device or store is not here, or not yet; the text says what to install */
  TOMBOLO_MISMATCH = 4,     /* ranks made different calls */
  TOMBOLO_PEER_FAILED = 5,  /* a rank has gone or failed */
  TOMBOLO_DEADLINE = 6,     /* it was not done in time; the communicator has failed */
  TOMBOLO_ABORTED = 7,      /* this or another rank has given the communicator up */
  TOMBOLO_NO_QUORUM = 8,
  TOMBOLO_VENDOR = 9,       /* a vendor's library failed; the text has its code */
  TOMBOLO_FABRIC = 10,      /* a path between two ranks failed */
  TOMBOLO_CORRUPT = 11,     /* what came from elsewhere makes no sense */
  TOMBOLO_RESOURCE = 12,    /* memory, descriptors or places ran out */
  TOMBOLO_INTERNAL = 13,    /* a defect: please report the text */
  TOMBOLO_NO_JAVA = 14,     /* no JVM could be found or started; the text says what to install */
  TOMBOLO_FORKED = 15,      /* this process was forked from one with a JVM */
  TOMBOLO_IN_PROGRESS = 16 /* tombolo_wait: the time is over, the operation goes on; wait again or abort */
} tombolo_status;

/* Element types. Complex numbers are reduced as pairs by TOMBOLO_SUM and TOMBOLO_AVG. */
typedef enum tombolo_type {
  TOMBOLO_I8 = 0,
  TOMBOLO_U8 = 1,
  TOMBOLO_I16 = 2,
  TOMBOLO_U16 = 3,
  TOMBOLO_I32 = 4,
  TOMBOLO_U32 = 5,
  TOMBOLO_I64 = 6,
  TOMBOLO_U64 = 7,
  TOMBOLO_F16 = 8,
  TOMBOLO_BF16 = 9,
  TOMBOLO_F32 = 10,
  TOMBOLO_F64 = 11,
  TOMBOLO_BOOL = 12,   /* a byte; 0 is false, all else is true, results are 0 or 1 */
  TOMBOLO_F8E4M3 = 13, /* OCP's, torch's float8_e4m3fn */
  TOMBOLO_F8E5M2 = 14
} tombolo_type;

/* Operators. On bool, SUM, MAX and BOR are or, PROD, MIN and BAND are and. */
typedef enum tombolo_op {
  TOMBOLO_SUM = 0,
  TOMBOLO_PROD = 1,
  TOMBOLO_MIN = 2,
  TOMBOLO_MAX = 3,
  TOMBOLO_AVG = 4,       /* not of bool; whole numbers truncate toward zero */
  TOMBOLO_BAND = 5,      /* bitwise: whole numbers and bool */
  TOMBOLO_BOR = 6,
  TOMBOLO_BXOR = 7,
  TOMBOLO_PREMUL_SUM = 8 /* sum of elements, each multiplied by its rank's tombolo_call.factor first; not of bool, and of
                            whole numbers by whole factors of at most 2^53 */
} tombolo_op;

typedef uint64_t tombolo_comm; /* a communicator */
typedef uint64_t tombolo_work; /* an operation on its way */

/* ---- the library ------------------------------------------------------------------------------------------------- */

/* Of the library: major << 16 | minor. Needs no JVM. */
TOMBOLO_EXPORT uint32_t tombolo_version(void);

/* What went wrong in this thread's last call that failed; "" before the first. Valid until the thread's next call. */
TOMBOLO_EXPORT const char* tombolo_last_error(void);

/* "TOMBOLO_USAGE". */
TOMBOLO_EXPORT const char* tombolo_status_name(tombolo_status status);

/* Bytes of an element; 0 if there is no such type. */
TOMBOLO_EXPORT size_t tombolo_type_size(tombolo_type type);

/* How the JVM is started. */
typedef struct tombolo_java {
  uint32_t size;               /* sizeof(tombolo_java) */
  uint32_t option_count;
  const char* const* options;  /* more JVM options, after our own; also $TOMBOLO_JAVA_OPTS, separated by blanks */
  const char* java_home;       /* NULL: $JAVA_HOME, java on the PATH, the newest under /usr/lib/jvm */
  const char* class_path;      /* our jars; NULL: $TOMBOLO_CLASS_PATH, tombolo/ or jars/ beside libtombolo.so, or the
                                  folder of libtombolo.so itself */
} tombolo_java;
#define TOMBOLO_JAVA_INIT {sizeof(tombolo_java), 0, NULL, NULL, NULL}

/* Starts the JVM; NULL for the standard. Not needed: whatever needs a JVM starts one so. Harmless if it runs already;
 * options are then ignored. There is one JVM in a process and it is never ended before the process; after a failure to
 * start one (other than TOMBOLO_NO_JAVA for want of files) the process cannot try again. */
TOMBOLO_EXPORT tombolo_status tombolo_start(const tombolo_java* java);

/* Gives up open puts and closes volumes (tombolo_volume.h), and destroys all communicators of this process, in the
 * reverse order of their making, as tombolo_comm_destroy does: what is under way is aborted first. One that fails does
 * not keep the others; the first one's error is returned. At last it lets go of the devices of
 * tombolo_device_checksum, which may wait for work that the program itself has left on them; those stay open if a
 * communicator's work may still run there, or a checksum that came too late. For the end of a process, whatever it has
 * forgotten; the library can be used again afterwards. Harmless without a JVM, and in a forked child. */
TOMBOLO_EXPORT tombolo_status tombolo_finalize(void);

/* ---- meeting ----------------------------------------------------------------------------------------------------- */

/* A value that a store callback gives back. */
typedef struct tombolo_bytes tombolo_bytes;

/* Copies a value into `bytes`; for store callbacks alone. */
TOMBOLO_EXPORT void tombolo_bytes_set(tombolo_bytes* bytes, const void* data, uint64_t length);

/* What store callbacks return. */
enum {
  TOMBOLO_STORE_OK = 0,
  TOMBOLO_STORE_MISSING = 1,  /* get: there is no such key */
  TOMBOLO_STORE_TIMEOUT = 2,  /* wait: not all keys are there yet */
  TOMBOLO_STORE_FAILED = 3    /* the store is lost; say why by tombolo_store_error */
};

/* Says why a store callback failed; returns TOMBOLO_STORE_FAILED. */
TOMBOLO_EXPORT int tombolo_store_error(const char* text);

/*
 * A key-value store of the program around, by which the ranks meet (torch's, for example). All ranks give the same
 * store, under the same prefix. Who can read it can take part in the job, unless TOMBOLO_TOKEN is set: values are then
 * sealed.
 *
 * Callbacks come from Java's threads, several at once; they must not call functions of this library but those for
 * callbacks above, and take no lock that the program holds while it calls this library. Keys are text in UTF-8; values
 * are bytes. No callback is used after `released` was called, which is when the last communicator that uses the store
 * is gone and the last callback has returned: destroying it waits for that. It is called once for each
 * tombolo_comm_init that had the store, also where that failed; not where the store itself was refused.
 */
typedef struct tombolo_store {
  uint32_t size; /* sizeof(tombolo_store) */
  uint32_t reserved;
  void* context; /* handed to every callback */
  const char* where; /* for messages: "torch's store"; copied */
  int (*set)(void* context, const char* key, const void* value, uint64_t length);
  /* Does not block: TOMBOLO_STORE_MISSING if there is none. */
  int (*get)(void* context, const char* key, tombolo_bytes* value);
  /* Returns when all keys are there, or TOMBOLO_STORE_TIMEOUT after timeout_ms, which is a quarter of a second at most.
   * NULL: get is polled; for stores where a wait holds up other threads' calls, such as torch's TCPStore. */
  int (*wait)(void* context, const char* const* keys, uint64_t count, int64_t timeout_ms);
  /* Adds to the decimal number under key, 0 if there is none. */
  int (*add)(void* context, const char* key, int64_t delta, int64_t* sum);
  /* torch's rule: replaces `expected` by `desired`; an empty `expected` also stands for a missing key. `value` is what
   * is there afterwards; a missing key with an expectation stays missing, and gives `expected` back. */
  int (*compare_set)(void* context, const char* key, const void* expected, uint64_t expected_length,
                     const void* desired, uint64_t desired_length, tombolo_bytes* value);
  /* NULL if the store cannot; `existed` is 1 if the key was there. */
  int (*remove)(void* context, const char* key, int* existed);
  void (*released)(void* context); /* may be NULL */
} tombolo_store;

/* How to find the rank that made it; to be handed to all ranks by other means (MPI, a file). Contains the job's secret. */
typedef struct tombolo_id {
  char text[256]; /* ends with 0 */
} tombolo_id;

/* Makes an id, and hosts a store for it in this process until the communicator of rank 0 that was made with it is
 * destroyed, which waits for the others' destroy. Rank 0 makes it. `host` is this host's name or address as the other
 * ranks see it, NULL for 127.0.0.1. */
TOMBOLO_EXPORT tombolo_status tombolo_make_id(const char* host, tombolo_id* id);

/* Who this process is. What is not said here, TOMBOLO_* variables say, and the launcher's (torchrun, mpirun, srun). */
typedef struct tombolo_config {
  uint32_t size;              /* sizeof(tombolo_config) */
  int32_t rank;               /* -1: the environment says it */
  int32_t ranks;              /* number of ranks; 0: the environment says it */
  int32_t local_rank;         /* number on this host; -1: the environment's, else the rank */
  const char* vendor;         /* "nvidia", "intel", "host"; NULL: $TOMBOLO_VENDOR, else the one vendor whose devices
                                 are here, else "host" */
  int32_t device;             /* ordinal in the vendor's runtime; -1: the environment's, else by local rank */
  int32_t generation;         /* how often the ranks were started before on the same store; -1: the environment's */
  const tombolo_store* store; /* where to meet; copied. NULL: `id`, or the environment's MASTER_ADDR and MASTER_PORT */
  const tombolo_id* id;
  const char* name;           /* tells communicators of one store apart; all ranks say the same. NULL: none */
  int64_t timeout_ms;         /* how long any wait may take; 0: $TOMBOLO_TIMEOUT_MS, else 300 s */
  const char* const* settings; /* further settings: "fabrics=tcp"; the same as TOMBOLO_FABRICS=tcp */
  uint32_t setting_count;
  int32_t local_ranks;        /* how many of the ranks are on this host; 0: the environment's, if it says rank and ranks */
} tombolo_config;
#define TOMBOLO_CONFIG_INIT {sizeof(tombolo_config), -1, 0, -1, NULL, -1, -1, NULL, NULL, NULL, 0, NULL, 0, 0}

/* Joins the job; blocks until all ranks came and agreed. NULL: the environment says all. */
TOMBOLO_EXPORT tombolo_status tombolo_comm_init(const tombolo_config* config, tombolo_comm* comm);

/* Parts the ranks by colour: those of one colour get a communicator of their own, ranked by key and then by rank. All
 * ranks call it, and it blocks until they have. A negative colour takes no part; `part` is then 0. The new one lives
 * inside `comm`: destroy it before. */
TOMBOLO_EXPORT tombolo_status tombolo_comm_split(tombolo_comm comm, int32_t colour, int32_t key, tombolo_comm* part);

/* As tombolo_comm_split, among the splits called `tag` (NULL: ""). Those of one tag are made in the same order on all
 * ranks; those of different tags may be made at once, by several threads. */
TOMBOLO_EXPORT tombolo_status tombolo_comm_split_tagged(tombolo_comm comm, int32_t colour, int32_t key,
                                                        const char* tag, tombolo_comm* part);

/* Brings `count` ranks of `comm` together, in this order; only they call it, and it blocks until they have. Groups of
 * other ranks or of another tag may be made before, after and meanwhile, in any order on each rank and by several
 * threads; those that are equal in both are made one after the other. The new one lives inside `comm`: destroy it
 * before. */
TOMBOLO_EXPORT tombolo_status tombolo_comm_create_group(tombolo_comm comm, const int32_t* ranks, int32_t count,
                                                        const char* tag, tombolo_comm* group);

/* The group of all ranks of `comm`, in their order. */
TOMBOLO_EXPORT tombolo_status tombolo_comm_dup(tombolo_comm comm, const char* tag, tombolo_comm* duplicate);

/* Brings the ranks of `comm` and of other communicators of its job together: `ranks` of them, ranked as in the job. All
 * of them call it, each on its own communicator; none has to know the others' members. No other union that is made
 * meanwhile has this tag. It outlives the communicators that it was made of, but not that of the job. */
TOMBOLO_EXPORT tombolo_status tombolo_comm_merge(tombolo_comm comm, int32_t ranks, const char* tag,
                                                 tombolo_comm* merged);

/* Goes on without ranks that died: brings those of a communicator of all ranks that has failed together in a new one, in
 * their old order. All that live call it, and it blocks until they have, or `timeout_ms` has passed (0: the
 * communicator's time) for those that do not come. TOMBOLO_NO_QUORUM if not more than half of the ranks came. Destroy
 * the new one before `comm`. */
TOMBOLO_EXPORT tombolo_status tombolo_comm_shrink(tombolo_comm comm, int64_t timeout_ms, tombolo_comm* survivors);

/* Agrees with all ranks that live: `flags` becomes the bitwise and of what each of them brought, and is the same on all
 * that return TOMBOLO_OK, although ranks may die meanwhile, the communicator may have failed, or its job's store may be
 * gone. All ranks call it equally often, and it blocks until each has come or is seen to be dead, or `timeout_ms` has
 * passed (0: the communicator's time) for those that do not come: these get TOMBOLO_DEADLINE later. TOMBOLO_NO_QUORUM if
 * not more than half of the ranks came. After an error `flags` is as it was. */
TOMBOLO_EXPORT tombolo_status tombolo_comm_agree(tombolo_comm comm, int64_t timeout_ms, int64_t* flags);

/* Gives up all operations under way and with them the communicator, on all ranks (what ULFM calls to revoke it). Does not
 * block. The communicator must still be destroyed. */
TOMBOLO_EXPORT tombolo_status tombolo_comm_abort(tombolo_comm comm);

/* Leaves; what is under way is aborted first. Works of it can still be tested and must be released. Ranks do so in any
 * order: those that have not destroyed theirs are waited for for a second, and for 2 s more where the vendor's library
 * waits for them, and can still receive what has been sent to them. Rank 0 waits until all have, up to the communicator's
 * timeout, where its process hosts their store: after tombolo_make_id, and where no launcher does. */
TOMBOLO_EXPORT tombolo_status tombolo_comm_destroy(tombolo_comm comm);

/* The failure that ended the communicator, TOMBOLO_OK if there is none; the text is in tombolo_last_error(). */
TOMBOLO_EXPORT tombolo_status tombolo_comm_error(tombolo_comm comm);

TOMBOLO_EXPORT tombolo_status tombolo_comm_rank(tombolo_comm comm, int32_t* rank);
TOMBOLO_EXPORT tombolo_status tombolo_comm_size(tombolo_comm comm, int32_t* ranks);

/* How long calls made from now on may take, from the moment their stream reaches them, unless they say otherwise. */
TOMBOLO_EXPORT tombolo_status tombolo_comm_set_timeout(tombolo_comm comm, int64_t timeout_ms);

/* What can be asked for as text. */
typedef enum tombolo_fact {
  TOMBOLO_VENDOR_NAME = 0, /* "nvidia" */
  TOMBOLO_DEVICE_NAME = 1, /* as the runtime gives it */
  TOMBOLO_CLUSTERS = 2,    /* which ranks belong together, and what they have in common; a line each */
  TOMBOLO_ROUTES = 3,      /* how each rank of other clusters is reached, and why; a line each. Where there is none, why
                              calls return only when they have ended, if they do */
  TOMBOLO_REDUCTIONS = 4   /* where elements are combined, and why */
} tombolo_fact;

/* Writes at most `size` bytes, with an ending 0; `needed` (may be NULL) is what the whole text takes, with the 0. */
TOMBOLO_EXPORT tombolo_status tombolo_comm_text(tombolo_comm comm, tombolo_fact fact, char* text, size_t size,
                                                size_t* needed);

/* Whether the device has streams: 0 where the caller orders calls ("host", "mpi", oneCCL on CPUs). */
TOMBOLO_EXPORT tombolo_status tombolo_comm_has_streams(tombolo_comm comm, int* has_streams);

/* Returns when all ranks have called it, by the store alone: no device takes part. Who did not come within the time is
 * named on all ranks. */
TOMBOLO_EXPORT tombolo_status tombolo_comm_meet(tombolo_comm comm, int64_t timeout_ms);

/* ---- memory ------------------------------------------------------------------------------------------------------ */

/* Memory of the communicator's device. Freed by tombolo_free, or when the communicator is destroyed. */
TOMBOLO_EXPORT tombolo_status tombolo_allocate(tombolo_comm comm, uint64_t bytes, void **address);

/* The same, registered with the vendor's library where all ranks can; see Communicator.allocateRegistered. A collective
 * call: all ranks make it in the same order with the others, and it blocks until they have. */
TOMBOLO_EXPORT tombolo_status tombolo_allocate_registered(tombolo_comm comm, uint64_t bytes, void **address);
TOMBOLO_EXPORT tombolo_status tombolo_free(tombolo_comm comm, void* address);

/* Copy between host memory and the device's, and block until that is done. For programs without a runtime of their own. */
TOMBOLO_EXPORT tombolo_status tombolo_copy_to_device(tombolo_comm comm, void* device, const void* host, uint64_t bytes);
TOMBOLO_EXPORT tombolo_status tombolo_copy_to_host(tombolo_comm comm, void* host, const void* device, uint64_t bytes);

/* The CRC-32C of the device's memory at any address, computed by the device: no byte of it goes to the host. Blocks until
 * that is done; the first call compiles, and may wait for all work of the device: make it while no call is under way. The
 * memory must not change meanwhile. TOMBOLO_USAGE where the runtime says that it is not the device's,
 * TOMBOLO_UNSUPPORTED where the device runs no kernels of this library. */
TOMBOLO_EXPORT tombolo_status tombolo_checksum(tombolo_comm comm, const void* device, uint64_t bytes,
                                               uint32_t* checksum);

/* ---- calls ------------------------------------------------------------------------------------------------------- */

enum {
  /* The call returns when the operation has ended; its error is returned. The shortest way where the library's own
   * calls block ("host", "mpi", oneCCL on CPUs). */
  TOMBOLO_BLOCKING = 1,
  /* The stream goes on at once; tombolo_make_wait has one wait. */
  TOMBOLO_ASYNC = 2,
  /* No stream has part in it, also where the device has some: the input is ready, and the caller waits for the end. */
  TOMBOLO_HOST_ORDER = 4,
  /* The call waits for a moment, where the library's calls block and nothing is under way. If the operation ends within
   * it, `work` is 0, as there is nothing left to ask. Else it returns with the operation under way, or failed, and its
   * work. The calling thread itself goes only into a library that can be aborted ("host"), or into any with
   * TOMBOLO_KEEP_CALLERS=1 in the environment. */
  TOMBOLO_BRIEFLY = 8
};

/* How a call is made; NULL for all zeros. */
typedef struct tombolo_call {
  uint32_t size;      /* sizeof(tombolo_call) */
  uint32_t flags;     /* of the above */
  int64_t timeout_ms; /* from the moment the stream reached it; 0: the communicator's */
  void* stream;       /* the vendor's own handle: cudaStream_t, hipStream_t; NULL is its default stream. Ignored where
                         the device has no streams, and with TOMBOLO_HOST_ORDER */
  double factor;      /* of TOMBOLO_PREMUL_SUM */
} tombolo_call;
#define TOMBOLO_CALL_INIT {sizeof(tombolo_call), 0, 0, NULL, 1.0}

/* All calls: `work` may be NULL if nobody asks for the end; with TOMBOLO_BLOCKING it seldom is of use. A call that
 * returns an error was not made, but with TOMBOLO_BLOCKING, where it is the operation's error. A work given is to be
 * released. */

/* Everyone's `send` combined, to everyone: the same bits. */
TOMBOLO_EXPORT tombolo_status tombolo_all_reduce(tombolo_comm comm, const void* send, void* receive, uint64_t count,
                                                 tombolo_type type, tombolo_op op, const tombolo_call* call,
                                                 tombolo_work* work);

/* The same, to the root alone. */
TOMBOLO_EXPORT tombolo_status tombolo_reduce(tombolo_comm comm, const void* send, void* receive, uint64_t count,
                                             tombolo_type type, tombolo_op op, int32_t root, const tombolo_call* call,
                                             tombolo_work* work);

/* Everyone's `send` up to this rank's own, in rank order. No average. */
TOMBOLO_EXPORT tombolo_status tombolo_scan(tombolo_comm comm, const void* send, void* receive, uint64_t count,
                                           tombolo_type type, tombolo_op op, const tombolo_call* call,
                                           tombolo_work* work);

/* The same without this rank's own; rank 0 gets nothing. */
TOMBOLO_EXPORT tombolo_status tombolo_exscan(tombolo_comm comm, const void* send, void* receive, uint64_t count,
                                             tombolo_type type, tombolo_op op, const tombolo_call* call,
                                             tombolo_work* work);

/* The root's `send` to everyone's `receive`; `send` is used at the root alone. */
TOMBOLO_EXPORT tombolo_status tombolo_broadcast(tombolo_comm comm, const void* send, void* receive, uint64_t count,
                                                tombolo_type type, int32_t root, const tombolo_call* call,
                                                tombolo_work* work);

/* Everyone's `count` elements, by rank, in everyone's `receive`. */
TOMBOLO_EXPORT tombolo_status tombolo_all_gather(tombolo_comm comm, const void* send, void* receive, uint64_t count,
                                                 tombolo_type type, const tombolo_call* call, tombolo_work* work);

/* Blocks of any sizes: block r has counts[r] elements and begins offsets[r] elements after `receive`; offsets NULL: one
 * after the other. All ranks give the same counts; offsets may differ. The arrays have as many members as there are
 * ranks, and are not used after the return; so in all that follow. */
TOMBOLO_EXPORT tombolo_status tombolo_all_gather_v(tombolo_comm comm, const void* send, void* receive,
                                                   const int64_t* counts, const int64_t* offsets, tombolo_type type,
                                                   const tombolo_call* call, tombolo_work* work);

/* Everyone's `send` of `count` elements for each rank combined; each rank gets its block. */
TOMBOLO_EXPORT tombolo_status tombolo_reduce_scatter(tombolo_comm comm, const void* send, void* receive,
                                                     uint64_t count, tombolo_type type, tombolo_op op,
                                                     const tombolo_call* call, tombolo_work* work);
TOMBOLO_EXPORT tombolo_status tombolo_reduce_scatter_v(tombolo_comm comm, const void* send, void* receive,
                                                       const int64_t* counts, const int64_t* offsets,
                                                       tombolo_type type, tombolo_op op, const tombolo_call* call,
                                                       tombolo_work* work);

/* Everyone's block to the root; `receive`, counts and offsets of the _v as for all_gather_v. */
TOMBOLO_EXPORT tombolo_status tombolo_gather(tombolo_comm comm, const void* send, void* receive, uint64_t count,
                                             tombolo_type type, int32_t root, const tombolo_call* call,
                                             tombolo_work* work);
TOMBOLO_EXPORT tombolo_status tombolo_gather_v(tombolo_comm comm, const void* send, void* receive,
                                               const int64_t* counts, const int64_t* offsets, tombolo_type type,
                                               int32_t root, const tombolo_call* call, tombolo_work* work);

/* The root's blocks, one to each rank. */
TOMBOLO_EXPORT tombolo_status tombolo_scatter(tombolo_comm comm, const void* send, void* receive, uint64_t count,
                                              tombolo_type type, int32_t root, const tombolo_call* call,
                                              tombolo_work* work);
TOMBOLO_EXPORT tombolo_status tombolo_scatter_v(tombolo_comm comm, const void* send, void* receive,
                                                const int64_t* counts, const int64_t* offsets, tombolo_type type,
                                                int32_t root, const tombolo_call* call, tombolo_work* work);

/* `count` elements from everyone to everyone. */
TOMBOLO_EXPORT tombolo_status tombolo_all_to_all(tombolo_comm comm, const void* send, void* receive, uint64_t count,
                                                 tombolo_type type, const tombolo_call* call, tombolo_work* work);

/* send_counts[r] elements to rank r, receive_counts[r] from it, which must be what that rank sends here. */
TOMBOLO_EXPORT tombolo_status tombolo_all_to_all_v(tombolo_comm comm, const void* send, const int64_t* send_counts,
                                                   const int64_t* send_offsets, void* receive,
                                                   const int64_t* receive_counts, const int64_t* receive_offsets,
                                                   tombolo_type type, const tombolo_call* call, tombolo_work* work);

/* No rank's stream (or caller that waits) goes on before every rank's came. */
TOMBOLO_EXPORT tombolo_status tombolo_barrier(tombolo_comm comm, const tombolo_call* call, tombolo_work* work);

/* Messages. The peer must receive as many bytes with the same tag, which is 0 or more. Those of one tag from one rank to
 * another match in the order of the calls, and wait for none of another tag. A communicator takes 64 tags beside 0, as
 * each has channels of its own; one more is a TOMBOLO_RESOURCE. A send may wait for its receive, whatever its size: two
 * ranks that both send first and then receive on one stream deadlock. One group of both does not.
 *
 * A receive from TOMBOLO_ANY_RANK meets the first message of its tag, from any other rank, that no earlier receive takes:
 * tombolo_work_query tells whose it was. It cannot be in a group with others, and has elements. Later receives of its tag
 * wait until it has met a message. */
#define TOMBOLO_ANY_RANK (-1)
TOMBOLO_EXPORT tombolo_status tombolo_send(tombolo_comm comm, const void* buffer, uint64_t count, tombolo_type type,
                                           int32_t peer, int32_t tag, const tombolo_call* call, tombolo_work* work);
TOMBOLO_EXPORT tombolo_status tombolo_receive(tombolo_comm comm, void* buffer, uint64_t count, tombolo_type type,
                                              int32_t peer, int32_t tag, const tombolo_call* call,
                                              tombolo_work* work);

/* A connection of two jobs that were started apart, whose ranks exchange messages. It uses the device and the streams of
 * the communicator that it was made from, and is closed before that is destroyed. */
typedef uint64_t tombolo_jobs;

/* Waits until another job connects to this one, or connects to that which accepts, now or later: all ranks of both sides
 * call it, and it blocks until they have, or `timeout_ms` has passed (0: the communicator's time). They share an address,
 * HOST:PORT of the accepting rank 0's host, and a token of 64 hexadecimal digits (NULL: $TOMBOLO_TOKEN), and nothing else.
 * A job that has lost the other can accept or connect again. */
TOMBOLO_EXPORT tombolo_status tombolo_comm_accept(tombolo_comm comm, const char* address, const char* token,
                                                  int64_t timeout_ms, tombolo_jobs* jobs);
TOMBOLO_EXPORT tombolo_status tombolo_comm_connect(tombolo_comm comm, const char* address, const char* token,
                                                   int64_t timeout_ms, tombolo_jobs* jobs);
TOMBOLO_EXPORT tombolo_status tombolo_jobs_remote_size(tombolo_jobs jobs, int32_t* ranks);

/* As tombolo_send and tombolo_receive, but `peer` is a rank of the other job, and not TOMBOLO_ANY_RANK. */
TOMBOLO_EXPORT tombolo_status tombolo_jobs_send(tombolo_jobs jobs, const void* buffer, uint64_t count,
                                                tombolo_type type, int32_t peer, int32_t tag, const tombolo_call* call,
                                                tombolo_work* work);
TOMBOLO_EXPORT tombolo_status tombolo_jobs_receive(tombolo_jobs jobs, void* buffer, uint64_t count, tombolo_type type,
                                                   int32_t peer, int32_t tag, const tombolo_call* call,
                                                   tombolo_work* work);

/* As for communicators: the failure that ended the connection; gives it up, on both sides; ends it, for which all ranks of
 * both sides call it. None of these ends the job. */
TOMBOLO_EXPORT tombolo_status tombolo_jobs_error(tombolo_jobs jobs);
TOMBOLO_EXPORT tombolo_status tombolo_jobs_abort(tombolo_jobs jobs);
TOMBOLO_EXPORT tombolo_status tombolo_jobs_close(tombolo_jobs jobs);

/* Calls between start and end are made at the end, as one operation with `call`'s stream, flags and timeout: either
 * collectives, or messages. Meanwhile calls on this communicator give no work, and their `call` says nothing but the
 * factor. A group without calls is a TOMBOLO_USAGE. tombolo_group_cancel drops what was collected. */
TOMBOLO_EXPORT tombolo_status tombolo_group_start(tombolo_comm comm);
TOMBOLO_EXPORT tombolo_status tombolo_group_end(tombolo_comm comm, const tombolo_call* call, tombolo_work* work);
TOMBOLO_EXPORT tombolo_status tombolo_group_cancel(tombolo_comm comm);

/* ---- works ------------------------------------------------------------------------------------------------------- */

/* tombolo_wait: as long as the operation may take. */
#define TOMBOLO_STANDARD_TIME ((int64_t)-1)

/* Whether it has ended: 1, well or not, else 0. Reads a word of memory; enters Java only after a failure, for its text.
 * Returns the operation's error if it ended with one. */
TOMBOLO_EXPORT tombolo_status tombolo_test(tombolo_work work, int* ended);

/* Waits for the end, and moves operations forward meanwhile. Returns the operation's error, or TOMBOLO_IN_PROGRESS
 * after timeout_ms. */
TOMBOLO_EXPORT tombolo_status tombolo_wait(tombolo_work work, int64_t timeout_ms);

/* Has the stream wait for the end, well or not, where the device has streams; else waits itself. */
TOMBOLO_EXPORT tombolo_status tombolo_make_wait(tombolo_work work, void* stream);

/* Calls `function` once, when the operation has ended (at once, if it has): on a thread of this library, which serves
 * all of them, so it must be short and must not wait for a work. `status` and `error` say how it ended; `error` is ""
 * after a good end, and valid during the call. The work may be released before. */
TOMBOLO_EXPORT tombolo_status tombolo_on_end(tombolo_work work,
                                             void (*function)(void* context, tombolo_status status,
                                                              const char* error),
                                             void* context);

typedef struct tombolo_work_info {
  uint32_t size;            /* sizeof(tombolo_work_info), set by the caller */
  tombolo_status status;    /* how it ended; TOMBOLO_IN_PROGRESS before */
  int32_t started;          /* 1 from when its stream has reached it */
  int32_t buffers_released; /* 1: the buffers are the caller's again. After some failures never: leave them alone */
  uint64_t sequence;        /* its number on its communicator, from 1; messages are numbered apart */
  int64_t duration_ns;      /* from the moment its stream reached it to its end; 0 before the end */
  int32_t source;           /* of a receive from TOMBOLO_ANY_RANK that has ended: the rank that sent it; else -1 */
  int32_t reserved;
} tombolo_work_info;

TOMBOLO_EXPORT tombolo_status tombolo_work_query(tombolo_work work, tombolo_work_info* info);

/* The handle is not valid any more; the operation goes on. */
TOMBOLO_EXPORT tombolo_status tombolo_release(tombolo_work work);

#ifdef __cplusplus
}
#endif

#endif
