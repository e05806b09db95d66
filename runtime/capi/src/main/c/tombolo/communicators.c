/* SPDX-License-Identifier: Apache-2.0 */
/* Communicators: made, asked, and destroyed. */
#include <string.h>

#include "failure.h"
#include "shell.h"
#include "store.h"

extern char** environ;

static size_t environment_size(void) {
  size_t size = 0;
  while (environ != NULL && environ[size] != NULL) {
    size++;
  }
  return size;
}

static jvalue handle(tombolo_comm comm) {
  return (jvalue){.j = (jlong)comm};
}

static tombolo_status no_place(const char* function) {
  return fail(TOMBOLO_USAGE, "%s: the place for the result is NULL", function);
}

static tombolo_status check(const tombolo_config* config) {
  if (config->rank >= 0 && config->rank >= config->ranks) {
    return fail(TOMBOLO_USAGE, "tombolo_config: rank %d of %d ranks", config->rank, config->ranks);
  }
  if (config->store != NULL && config->id != NULL) {
    return fail(TOMBOLO_USAGE, "tombolo_config has both a store and an id; give one");
  }
  if (config->rank < 0 && config->id != NULL) {
    return fail(TOMBOLO_USAGE, "tombolo_config: who gives an id says rank and ranks, too");
  }
  if (config->id != NULL && memchr(config->id->text, 0, sizeof config->id->text) == NULL) {
    return fail(TOMBOLO_USAGE, "tombolo_config: the id does not end with 0; was all of it handed on?");
  }
  return TOMBOLO_OK;
}

/* The last setting counts, as in Java. */
static const char* fabrics(const tombolo_config* config) {
  static const char SETTING[] = "fabrics=";
  for (uint32_t i = config->setting_count; i > 0; i--) {
    const char* setting = config->settings[i - 1];
    if (setting != NULL && strncmp(setting, SETTING, sizeof SETTING - 1) == 0) {
      return setting + sizeof SETTING - 1;
    }
  }
  return NULL;
}

/* Joins, in a local frame of its caller's. `store` is NULL afterwards if Java has it, which then gives it back. */
static jlong join(JNIEnv* env, const tombolo_config* config, tombolo_store** store, tombolo_status* status) {
  jobjectArray environment = shell_strings(env, (const char* const*)environ, environment_size(), status);
  jstring vendor = *status == TOMBOLO_OK ? shell_string(env, config->vendor, status) : NULL;
  jstring name = *status == TOMBOLO_OK ? shell_string(env, config->name, status) : NULL;
  jobjectArray settings =
      *status == TOMBOLO_OK ? shell_strings(env, config->settings, config->setting_count, status) : NULL;
  jstring where = *status == TOMBOLO_OK ? shell_string(env, *store == NULL ? NULL : (*store)->where, status) : NULL;
  jstring id = *status == TOMBOLO_OK ? shell_string(env, config->id == NULL ? NULL : config->id->text, status) : NULL;
  if (*status != TOMBOLO_OK) {
    return 0;
  }
  const jvalue arguments[] = {
      {.l = environment},
      {.i = config->rank},
      {.i = config->ranks},
      {.i = config->local_rank},
      {.i = config->local_ranks},
      {.l = vendor},
      {.i = config->device},
      {.i = config->generation},
      {.l = name},
      {.j = config->timeout_ms},
      {.l = settings},
      {.j = (jlong)(size_t)*store},
      {.l = where},
      {.l = id},
  };
  *store = NULL;
  return shell_call_long(env, SHELL_JOIN, arguments, status);
}

/* As join, which need not be reached. */
static tombolo_comm join_with(const tombolo_config* config, tombolo_store** store, tombolo_status* status) {
  enum { LOCALS = 16 };
  *status = check(config);
  const struct known_job job = {config->rank >= 0 ? config->ranks : 0, config->local_ranks, fabrics(config)};
  JNIEnv* env = *status == TOMBOLO_OK ? shell_enter_for(&job, status) : NULL;
  if (env == NULL) {
    return 0;
  }
  if ((*env)->PushLocalFrame(env, LOCALS) != JNI_OK) {
    *status = shell_pending(env);
    return 0;
  }
  jlong joined = join(env, config, store, status);
  (void)(*env)->PopLocalFrame(env, NULL);
  return (tombolo_comm)joined;
}

TOMBOLO_EXPORT tombolo_status tombolo_comm_init(const tombolo_config* config, tombolo_comm* comm) {
  static const tombolo_config standard = TOMBOLO_CONFIG_INIT;
  if (comm == NULL) {
    return no_place("tombolo_comm_init");
  }
  *comm = 0;
  config = config == NULL ? &standard : config;
  if (config->size < sizeof *config) {
    return fail(TOMBOLO_USAGE, "tombolo_config.size is %u; start with TOMBOLO_CONFIG_INIT", config->size);
  }
  tombolo_status status = TOMBOLO_OK;
  tombolo_store* store = NULL;
  if (config->store != NULL) {
    store = store_keep(config->store, &status);
    if (store == NULL) {
      return status;
    }
  }
  *comm = join_with(config, &store, &status);
  if (store != NULL) {
    store_release(store);
  }
  return status;
}

/* Calls what makes a communicator of another; the tag is the last of the `count` arguments. */
static tombolo_status made(const char* function, enum shell_method method, jvalue* arguments, size_t count,
                           const char* tag, tombolo_comm* result) {
  if (result == NULL) {
    return no_place(function);
  }
  *result = 0;
  tombolo_status status;
  JNIEnv* env = shell_enter(&status);
  if (env == NULL) {
    return status;
  }
  jstring name = shell_string(env, tag, &status);
  if (name != NULL) {
    arguments[count - 1].l = name;
    *result = (tombolo_comm)shell_call_long(env, method, arguments, &status);
    (*env)->DeleteLocalRef(env, name);
  }
  return status;
}

TOMBOLO_EXPORT tombolo_status tombolo_comm_split_tagged(tombolo_comm comm, int32_t colour, int32_t key,
                                                        const char* tag, tombolo_comm* part) {
  jvalue arguments[] = {handle(comm), {.i = colour}, {.i = key}, {.l = NULL}};
  return made("tombolo_comm_split", SHELL_SPLIT, arguments, 4, tag, part);
}

TOMBOLO_EXPORT tombolo_status tombolo_comm_split(tombolo_comm comm, int32_t colour, int32_t key, tombolo_comm* part) {
  return tombolo_comm_split_tagged(comm, colour, key, NULL, part);
}

TOMBOLO_EXPORT tombolo_status tombolo_comm_create_group(tombolo_comm comm, const int32_t* ranks, int32_t count,
                                                        const char* tag, tombolo_comm* group) {
  if (group != NULL && (ranks == NULL || count <= 0)) {
    *group = 0;
    return fail(TOMBOLO_USAGE, "tombolo_comm_create_group: %d ranks%s make no group", count,
                ranks == NULL ? " at NULL" : "");
  }
  jvalue arguments[] = {handle(comm), {.j = (jlong)(size_t)ranks}, {.i = count}, {.l = NULL}};
  return made("tombolo_comm_create_group", SHELL_CREATE_GROUP, arguments, 4, tag, group);
}

TOMBOLO_EXPORT tombolo_status tombolo_comm_dup(tombolo_comm comm, const char* tag, tombolo_comm* duplicate) {
  jvalue arguments[] = {handle(comm), {.j = 0}, {.i = 0}, {.l = NULL}}; /* no list: all ranks */
  return made("tombolo_comm_dup", SHELL_CREATE_GROUP, arguments, 4, tag, duplicate);
}

TOMBOLO_EXPORT tombolo_status tombolo_comm_merge(tombolo_comm comm, int32_t ranks, const char* tag,
                                                 tombolo_comm* merged) {
  jvalue arguments[] = {handle(comm), {.i = ranks}, {.l = NULL}};
  return made("tombolo_comm_merge", SHELL_MERGE, arguments, 3, tag, merged);
}

TOMBOLO_EXPORT tombolo_status tombolo_comm_shrink(tombolo_comm comm, int64_t timeout_ms, tombolo_comm* survivors) {
  if (survivors == NULL) {
    return no_place("tombolo_comm_shrink");
  }
  *survivors = 0;
  tombolo_status status;
  JNIEnv* env = shell_enter(&status);
  if (env != NULL) {
    const jvalue arguments[] = {handle(comm), {.j = timeout_ms}};
    *survivors = (tombolo_comm)shell_call_long(env, SHELL_SHRINK, arguments, &status);
  }
  return status;
}

TOMBOLO_EXPORT tombolo_status tombolo_comm_agree(tombolo_comm comm, int64_t timeout_ms, int64_t* flags) {
  if (flags == NULL) {
    return no_place("tombolo_comm_agree");
  }
  tombolo_status status;
  JNIEnv* env = shell_enter(&status);
  if (env != NULL) {
    const jvalue arguments[] = {handle(comm), {.j = *flags}, {.j = timeout_ms}};
    jlong agreed = shell_call_long(env, SHELL_AGREE, arguments, &status);
    *flags = status == TOMBOLO_OK ? agreed : *flags;
  }
  return status;
}

/* Calls what takes a communicator and gives nothing. */
static tombolo_status plain(tombolo_comm comm, enum shell_method method) {
  tombolo_status status;
  JNIEnv* env = shell_enter(&status);
  if (env != NULL) {
    const jvalue arguments[] = {handle(comm)};
    shell_call(env, method, arguments, &status);
  }
  return status;
}

TOMBOLO_EXPORT tombolo_status tombolo_comm_abort(tombolo_comm comm) {
  return plain(comm, SHELL_ABORT);
}

TOMBOLO_EXPORT tombolo_status tombolo_comm_destroy(tombolo_comm comm) {
  return plain(comm, SHELL_DESTROY);
}

TOMBOLO_EXPORT tombolo_status tombolo_comm_error(tombolo_comm comm) {
  return plain(comm, SHELL_FAILURE);
}

TOMBOLO_EXPORT tombolo_status tombolo_group_start(tombolo_comm comm) {
  return plain(comm, SHELL_START_GROUP);
}

TOMBOLO_EXPORT tombolo_status tombolo_group_cancel(tombolo_comm comm) {
  return plain(comm, SHELL_CANCEL_GROUP);
}

static tombolo_status number(tombolo_comm comm, enum shell_method method, const char* function, int32_t* result) {
  if (result == NULL) {
    return no_place(function);
  }
  *result = 0;
  tombolo_status status;
  JNIEnv* env = shell_enter(&status);
  if (env != NULL) {
    const jvalue arguments[] = {handle(comm)};
    *result = shell_call_int(env, method, arguments, &status);
  }
  return status;
}

TOMBOLO_EXPORT tombolo_status tombolo_comm_rank(tombolo_comm comm, int32_t* rank) {
  return number(comm, SHELL_RANK, "tombolo_comm_rank", rank);
}

TOMBOLO_EXPORT tombolo_status tombolo_comm_size(tombolo_comm comm, int32_t* ranks) {
  return number(comm, SHELL_SIZE, "tombolo_comm_size", ranks);
}

TOMBOLO_EXPORT tombolo_status tombolo_comm_has_streams(tombolo_comm comm, int* has_streams) {
  return number(comm, SHELL_HAS_STREAMS, "tombolo_comm_has_streams", has_streams);
}

/* Calls what takes a communicator and milliseconds. */
static tombolo_status timed(tombolo_comm comm, enum shell_method method, int64_t timeout_ms) {
  tombolo_status status;
  JNIEnv* env = shell_enter(&status);
  if (env != NULL) {
    const jvalue arguments[] = {handle(comm), {.j = timeout_ms}};
    shell_call(env, method, arguments, &status);
  }
  return status;
}

TOMBOLO_EXPORT tombolo_status tombolo_comm_set_timeout(tombolo_comm comm, int64_t timeout_ms) {
  return timed(comm, SHELL_SET_TIMEOUT, timeout_ms);
}

TOMBOLO_EXPORT tombolo_status tombolo_comm_meet(tombolo_comm comm, int64_t timeout_ms) {
  return timed(comm, SHELL_MEET, timeout_ms);
}

TOMBOLO_EXPORT tombolo_status tombolo_comm_text(tombolo_comm comm, tombolo_fact fact, char* text, size_t size,
                                                size_t* needed) {
  const jvalue arguments[] = {handle(comm), {.i = (jint)fact}};
  return shell_text(SHELL_TEXT, arguments, "tombolo_comm_text", text, size, needed);
}

static tombolo_status allocate(tombolo_comm comm, uint64_t bytes, void** address, jboolean registered) {
  if (address == NULL) {
    return no_place("tombolo_allocate");
  }
  *address = NULL;
  if (bytes > INT64_MAX) {
    return fail(TOMBOLO_USAGE, "tombolo_allocate: more bytes than any memory has");
  }
  tombolo_status status;
  JNIEnv* env = shell_enter(&status);
  if (env != NULL) {
    const jvalue arguments[] = {handle(comm), {.j = (jlong)bytes}, {.z = registered}};
    *address = (void*)(size_t)shell_call_long(env, SHELL_ALLOCATE, arguments, &status);
  }
  return status;
}

TOMBOLO_EXPORT tombolo_status tombolo_allocate(tombolo_comm comm, uint64_t bytes, void** address) {
  return allocate(comm, bytes, address, JNI_FALSE);
}

TOMBOLO_EXPORT tombolo_status tombolo_allocate_registered(tombolo_comm comm, uint64_t bytes, void** address) {
  return allocate(comm, bytes, address, JNI_TRUE);
}

TOMBOLO_EXPORT tombolo_status tombolo_free(tombolo_comm comm, void* address) {
  tombolo_status status;
  JNIEnv* env = shell_enter(&status);
  if (env != NULL) {
    const jvalue arguments[] = {handle(comm), {.j = (jlong)(size_t)address}};
    shell_call(env, SHELL_FREE, arguments, &status);
  }
  return status;
}

static tombolo_status copy(tombolo_comm comm, const void* to, const void* from, uint64_t bytes, jboolean to_device) {
  tombolo_status status;
  JNIEnv* env = shell_enter(&status);
  if (env != NULL) {
    const jvalue arguments[] = {
        handle(comm), {.j = (jlong)(size_t)to}, {.j = (jlong)(size_t)from}, {.j = (jlong)bytes}, {.z = to_device}};
    shell_call(env, SHELL_COPY, arguments, &status);
  }
  return status;
}

TOMBOLO_EXPORT tombolo_status tombolo_copy_to_device(tombolo_comm comm, void* device, const void* host,
                                                     uint64_t bytes) {
  return copy(comm, device, host, bytes, JNI_TRUE);
}

TOMBOLO_EXPORT tombolo_status tombolo_copy_to_host(tombolo_comm comm, void* host, const void* device,
                                                   uint64_t bytes) {
  return copy(comm, host, device, bytes, JNI_FALSE);
}

TOMBOLO_EXPORT tombolo_status tombolo_checksum(tombolo_comm comm, const void* device, uint64_t bytes,
                                               uint32_t* checksum) {
  if (checksum == NULL) {
    return no_place("tombolo_checksum");
  }
  *checksum = 0;
  if (bytes > INT64_MAX) {
    return fail(TOMBOLO_USAGE, "tombolo_checksum: more bytes than any memory has");
  }
  tombolo_status status;
  JNIEnv* env = shell_enter(&status);
  if (env != NULL) {
    const jvalue arguments[] = {handle(comm), {.j = (jlong)(size_t)device}, {.j = (jlong)bytes}};
    *checksum = (uint32_t)shell_call_int(env, SHELL_CHECKSUM, arguments, &status);
  }
  return status;
}
