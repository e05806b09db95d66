/* SPDX-License-Identifier: Apache-2.0 */
/* The tensor store: what names and tensors are to C, and what they are to VolumeShell.java. */
#include "tombolo_volume.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "failure.h"
#include "shell.h"

/* NativeTensors.java reads these. */
_Static_assert(sizeof(tombolo_tensor) == 32 && offsetof(tombolo_tensor, data) == 8, "tombolo_tensor");
_Static_assert(offsetof(tombolo_tensor, shape) == 16 && offsetof(tombolo_tensor, type) == 24, "tombolo_tensor");
_Static_assert(offsetof(tombolo_tensor, dimensions) == 28, "tombolo_tensor");
_Static_assert(sizeof(tombolo_part) == 48 && offsetof(tombolo_part, from) == 32, "tombolo_part");
_Static_assert(offsetof(tombolo_part, whole) == 40, "tombolo_part");

enum { LOCALS = 16, MOST_TENSORS = 1 << 16 };

static jvalue handle(uint64_t number) {
  return (jvalue){.j = (jlong)number};
}

static jvalue address(const void* memory) {
  return (jvalue){.j = (jlong)(size_t)memory};
}

static tombolo_status null(const char* function, const char* what) {
  return fail(TOMBOLO_USAGE, "%s: %s is NULL", function, what);
}

/* The environment, with room for local references; `leave` gives them back. */
static JNIEnv* enter(tombolo_status* status) {
  JNIEnv* env = shell_enter(status);
  if (env != NULL && (*env)->PushLocalFrame(env, LOCALS) != JNI_OK) {
    *status = shell_pending(env);
    return NULL;
  }
  return env;
}

static void leave(JNIEnv* env) {
  (void)(*env)->PopLocalFrame(env, NULL);
}

/* The names of tensors that lie `stride` bytes apart, the first at `first`: a name is the first member of both. */
static jobjectArray names_of(JNIEnv* env, const char* function, const void* first, size_t stride, uint64_t count,
                             tombolo_status* status) {
  if (count > MOST_TENSORS || (first == NULL && count > 0)) {
    *status = fail(TOMBOLO_USAGE, "%s: %llu tensors%s; at most %d, and not at NULL", function,
                   (unsigned long long)count, first == NULL ? " at NULL" : "", MOST_TENSORS);
    return NULL;
  }
  const char** names = malloc((count + 1) * sizeof *names);
  if (names == NULL) {
    *status = fail(TOMBOLO_RESOURCE, "%s: no memory for %llu names", function, (unsigned long long)count);
    return NULL;
  }
  jobjectArray array = NULL;
  bool complete = true;
  for (uint64_t i = 0; i < count; i++) {
    memcpy(&names[i], (const char*)first + i * stride, sizeof names[i]);
    complete = complete && names[i] != NULL;
  }
  if (complete) {
    array = shell_strings(env, names, count, status);
  } else {
    *status = null(function, "a name");
  }
  free(names);
  return array;
}

/* Calls what takes numbers alone and returns none. */
static tombolo_status plain(enum shell_method method, const jvalue* arguments) {
  tombolo_status status;
  JNIEnv* env = shell_enter(&status);
  if (env != NULL) {
    shell_call(env, method, arguments, &status);
  }
  return status;
}

/* The given token, or the environment's; NULL after a failure. */
static const char* token_of(const char* function, const char* given, tombolo_status* status) {
  const char* token = given == NULL ? getenv("TOMBOLO_TOKEN") : given;
  *status = token != NULL ? TOMBOLO_OK
                          : fail(TOMBOLO_USAGE, "%s: no token given, and TOMBOLO_TOKEN is not set; a volume and its "
                                 "clients have the same", function);
  return token;
}

TOMBOLO_EXPORT tombolo_status tombolo_server_start(const tombolo_server_config* config, tombolo_server* server) {
  if (server == NULL || config == NULL) {
    return null("tombolo_server_start", "the configuration, or the place for the result");
  }
  *server = 0;
  if (config->size < sizeof *config || config->memory_bytes > INT64_MAX) {
    return fail(TOMBOLO_USAGE, "tombolo_server_config.size is %u, memory_bytes %llu; start with "
                "TOMBOLO_SERVER_CONFIG_INIT", config->size, (unsigned long long)config->memory_bytes);
  }
  tombolo_status status;
  const char* token = token_of("tombolo_server_start", config->token, &status);
  JNIEnv* env = token == NULL ? NULL : enter(&status);
  if (env == NULL) {
    return status;
  }
  jstring where = shell_string(env, config->listen == NULL ? "127.0.0.1:0" : config->listen, &status);
  jstring secret = status == TOMBOLO_OK ? shell_string(env, token, &status) : NULL;
  if (status == TOMBOLO_OK) {
    const jvalue arguments[] = {
        {.l = where}, {.l = secret}, {.j = (jlong)config->memory_bytes}, {.i = config->kept_versions}};
    *server = (tombolo_server)shell_call_long(env, SHELL_VOLUME_SERVE, arguments, &status);
  }
  leave(env);
  return status;
}

TOMBOLO_EXPORT tombolo_status tombolo_server_address(tombolo_server server, char* text, size_t size, size_t* needed) {
  const jvalue arguments[] = {handle(server)};
  return shell_text(SHELL_VOLUME_SERVER_ADDRESS, arguments, "tombolo_server_address", text, size, needed);
}

TOMBOLO_EXPORT tombolo_status tombolo_server_stop(tombolo_server server) {
  const jvalue arguments[] = {handle(server)};
  return plain(SHELL_VOLUME_STOP, arguments);
}

/* Connects to what the configuration says; 0 after a failure. */
static uint64_t connected(enum shell_method method, const char* function, const tombolo_volume_config* config,
                          tombolo_status* status) {
  if (config == NULL || config->address == NULL) {
    *status = null(function, "the address");
    return 0;
  }
  if (config->size < sizeof *config) {
    *status = fail(TOMBOLO_USAGE, "tombolo_volume_config.size is %u; start with TOMBOLO_VOLUME_CONFIG_INIT",
                   config->size);
    return 0;
  }
  const char* token = token_of(function, config->token, status);
  JNIEnv* env = token == NULL ? NULL : enter(status);
  if (env == NULL) {
    return 0;
  }
  uint64_t made = 0;
  jstring where = shell_string(env, config->address, status);
  jstring secret = *status == TOMBOLO_OK ? shell_string(env, token, status) : NULL;
  if (*status == TOMBOLO_OK) {
    const jvalue arguments[] = {{.l = where},
                                {.l = secret},
                                {.j = config->timeout_ms},
                                {.z = (config->flags & TOMBOLO_OVER_CONNECTION) == 0}};
    made = (uint64_t)shell_call_long(env, method, arguments, status);
  }
  leave(env);
  return made;
}

TOMBOLO_EXPORT tombolo_status tombolo_volume_open(const tombolo_volume_config* config, tombolo_volume* volume) {
  if (volume == NULL) {
    return null("tombolo_volume_open", "the place for the result");
  }
  tombolo_status status;
  *volume = connected(SHELL_VOLUME_OPEN, "tombolo_volume_open", config, &status);
  return status;
}

/* Calls what takes a handle and returns a number. */
static tombolo_status number_of(enum shell_method method, uint64_t of, int64_t* result) {
  tombolo_status status;
  JNIEnv* env = shell_enter(&status);
  const jvalue arguments[] = {handle(of)};
  jlong found = env == NULL ? 0 : shell_call_long(env, method, arguments, &status);
  if (result != NULL) {
    *result = found;
  }
  return status;
}

TOMBOLO_EXPORT tombolo_status tombolo_volume_close(tombolo_volume volume) {
  const jvalue arguments[] = {handle(volume)};
  return plain(SHELL_VOLUME_CLOSE, arguments);
}

TOMBOLO_EXPORT tombolo_status tombolo_volume_is_shared(tombolo_volume volume, int* shared) {
  if (shared == NULL) {
    return null("tombolo_volume_is_shared", "the place for the result");
  }
  *shared = 0;
  tombolo_status status;
  JNIEnv* env = shell_enter(&status);
  if (env != NULL) {
    const jvalue arguments[] = {handle(volume)};
    *shared = shell_call_boolean(env, SHELL_VOLUME_SHARES_MEMORY, arguments, &status);
  }
  return status;
}

/* Calls what takes a volume, a state dict or none, names, and tensors. */
static tombolo_status with_tensors(enum shell_method method, const char* function, tombolo_volume volume,
                                   const char* state_dict, const tombolo_tensor* tensors, uint64_t count,
                                   int64_t* result) {
  if (result != NULL) {
    *result = 0;
  }
  tombolo_status status;
  JNIEnv* env = enter(&status);
  if (env == NULL) {
    return status;
  }
  jstring dict = shell_string(env, state_dict, &status);
  jobjectArray names =
      status == TOMBOLO_OK ? names_of(env, function, tensors, sizeof *tensors, count, &status) : NULL;
  if (status == TOMBOLO_OK) {
    const jvalue arguments[] = {handle(volume), {.l = dict}, {.l = names}, address(tensors)};
    jlong made = shell_call_long(env, method, arguments, &status);
    if (result != NULL) {
      *result = made;
    }
  }
  leave(env);
  return status;
}

TOMBOLO_EXPORT tombolo_status tombolo_volume_put(tombolo_volume volume, const char* state_dict,
                                                 const tombolo_tensor* tensors, uint64_t count, int64_t* version) {
  if (state_dict != NULL && state_dict[0] == 0) {
    return fail(TOMBOLO_USAGE, "tombolo_volume_put: a state dict needs a name; NULL is for none");
  }
  return with_tensors(SHELL_VOLUME_PUT, "tombolo_volume_put", volume, state_dict, tensors, count, version);
}

TOMBOLO_EXPORT tombolo_status tombolo_volume_begin(tombolo_volume volume, const char* state_dict,
                                                   tombolo_tensor* tensors, uint64_t count, tombolo_put* put) {
  if (put == NULL) {
    return null("tombolo_volume_begin", "the place for the result");
  }
  int64_t made = 0;
  tombolo_status status =
      with_tensors(SHELL_VOLUME_BEGIN, "tombolo_volume_begin", volume, state_dict, tensors, count, &made);
  *put = (tombolo_put)made;
  return status;
}

TOMBOLO_EXPORT tombolo_status tombolo_put_commit(tombolo_put put, int64_t* version) {
  return number_of(SHELL_VOLUME_COMMIT, put, version);
}

TOMBOLO_EXPORT tombolo_status tombolo_put_abort(tombolo_put put) {
  const jvalue arguments[] = {handle(put)};
  return plain(SHELL_VOLUME_ABORT, arguments);
}

TOMBOLO_EXPORT tombolo_status tombolo_volume_put_part(tombolo_volume volume, const char* state_dict,
                                                      const tombolo_writer* writer, const tombolo_part* parts,
                                                      uint64_t count, int64_t* version) {
  if (version != NULL) {
    *version = 0;
  }
  if (state_dict == NULL || writer == NULL || writer->round == NULL) {
    return null("tombolo_volume_put_part", "the state dict, the writer, or its round");
  }
  if (writer->size < sizeof *writer) {
    return fail(TOMBOLO_USAGE, "tombolo_writer.size is %u; set it to sizeof(tombolo_writer)", writer->size);
  }
  tombolo_status status;
  JNIEnv* env = enter(&status);
  if (env == NULL) {
    return status;
  }
  jstring dict = shell_string(env, state_dict, &status);
  jstring round = status == TOMBOLO_OK ? shell_string(env, writer->round, &status) : NULL;
  jobjectArray names = status == TOMBOLO_OK
                           ? names_of(env, "tombolo_volume_put_part", parts, sizeof *parts, count, &status)
                           : NULL;
  if (status == TOMBOLO_OK) {
    const jvalue arguments[] = {handle(volume),        {.l = dict},
                                {.l = round},          {.i = writer->writers},
                                {.i = writer->writer}, {.j = writer->patience_ms},
                                {.l = names},          address(parts)};
    jlong made = shell_call_long(env, SHELL_VOLUME_PUT_PART, arguments, &status);
    if (version != NULL) {
      *version = made;
    }
  }
  leave(env);
  return status;
}

/* Calls what takes a volume and names. */
static tombolo_status with_names(enum shell_method method, const char* function, tombolo_volume volume,
                                 const char* const* names, uint64_t count, jlong* result) {
  *result = 0;
  tombolo_status status;
  JNIEnv* env = enter(&status);
  if (env == NULL) {
    return status;
  }
  jobjectArray array = names_of(env, function, names, sizeof *names, count, &status);
  if (array != NULL) {
    const jvalue arguments[] = {handle(volume), {.l = array}};
    *result = shell_call_long(env, method, arguments, &status);
  }
  leave(env);
  return status;
}

TOMBOLO_EXPORT tombolo_status tombolo_volume_delete(tombolo_volume volume, const char* const* names, uint64_t count,
                                                    int64_t* deleted) {
  jlong found;
  tombolo_status status = with_names(SHELL_VOLUME_DELETE, "tombolo_volume_delete", volume, names, count, &found);
  if (deleted != NULL) {
    *deleted = found;
  }
  return status;
}

TOMBOLO_EXPORT tombolo_status tombolo_volume_open_tensors(tombolo_volume volume, const char* const* names,
                                                          uint64_t count, tombolo_snapshot* snapshot) {
  if (snapshot == NULL) {
    return null("tombolo_volume_open_tensors", "the place for the result");
  }
  jlong opened;
  tombolo_status status =
      with_names(SHELL_VOLUME_OPEN_TENSORS, "tombolo_volume_open_tensors", volume, names, count, &opened);
  *snapshot = (tombolo_snapshot)opened;
  return status;
}

/* Calls what takes a volume and a text first, which is the second argument. */
static tombolo_status with_text(enum shell_method method, jvalue* arguments, const char* text, jlong* result) {
  *result = 0;
  tombolo_status status;
  JNIEnv* env = enter(&status);
  if (env == NULL) {
    return status;
  }
  arguments[1].l = shell_string(env, text, &status);
  if (status == TOMBOLO_OK) {
    *result = shell_call_long(env, method, arguments, &status);
  }
  leave(env);
  return status;
}

TOMBOLO_EXPORT tombolo_status tombolo_volume_drop(tombolo_volume volume, const char* state_dict, int64_t* versions) {
  jvalue arguments[] = {handle(volume), {.l = NULL}};
  jlong found;
  tombolo_status status = with_text(SHELL_VOLUME_DROP, arguments, state_dict, &found);
  if (versions != NULL) {
    *versions = found;
  }
  return status;
}

TOMBOLO_EXPORT tombolo_status tombolo_volume_open_version(tombolo_volume volume, const char* state_dict,
                                                          int64_t newer_than, int64_t patience_ms,
                                                          tombolo_snapshot* snapshot) {
  if (snapshot == NULL) {
    return null("tombolo_volume_open_version", "the place for the result");
  }
  jvalue arguments[] = {handle(volume), {.l = NULL}, {.j = newer_than}, {.j = patience_ms}};
  jlong opened;
  tombolo_status status = with_text(SHELL_VOLUME_OPEN_VERSION, arguments, state_dict, &opened);
  *snapshot = (tombolo_snapshot)opened;
  return status;
}

/* Calls what takes a volume and a prefix and lists names. */
static tombolo_status listed(enum shell_method method, const char* function, tombolo_volume volume, const char* prefix,
                             char* text, size_t size, size_t* needed) {
  tombolo_status status;
  JNIEnv* env = enter(&status);
  if (env == NULL) {
    return status;
  }
  const jvalue arguments[] = {handle(volume), {.l = shell_string(env, prefix, &status)}};
  if (status == TOMBOLO_OK) {
    status = shell_text(method, arguments, function, text, size, needed);
  }
  leave(env);
  return status;
}

TOMBOLO_EXPORT tombolo_status tombolo_volume_keys(tombolo_volume volume, const char* prefix, char* text, size_t size,
                                                  size_t* needed) {
  return listed(SHELL_VOLUME_KEYS, "tombolo_volume_keys", volume, prefix, text, size, needed);
}

TOMBOLO_EXPORT tombolo_status tombolo_volume_state_dicts(tombolo_volume volume, const char* prefix, char* text,
                                                         size_t size, size_t* needed) {
  return listed(SHELL_VOLUME_STATE_DICTS, "tombolo_volume_state_dicts", volume, prefix, text, size, needed);
}

TOMBOLO_EXPORT tombolo_status tombolo_snapshot_close(tombolo_snapshot snapshot) {
  const jvalue arguments[] = {handle(snapshot)};
  return plain(SHELL_VOLUME_CLOSE_SNAPSHOT, arguments);
}

TOMBOLO_EXPORT tombolo_status tombolo_snapshot_version(tombolo_snapshot snapshot, int64_t* version) {
  return number_of(SHELL_VOLUME_VERSION, snapshot, version);
}

TOMBOLO_EXPORT tombolo_status tombolo_snapshot_names(tombolo_snapshot snapshot, char* text, size_t size,
                                                     size_t* needed) {
  const jvalue arguments[] = {handle(snapshot)};
  return shell_text(SHELL_VOLUME_NAMES, arguments, "tombolo_snapshot_names", text, size, needed);
}

TOMBOLO_EXPORT tombolo_status tombolo_snapshot_tensor(tombolo_snapshot snapshot, int32_t number, tombolo_type* type,
                                                      int32_t* dimensions, int64_t* shape, const void** data) {
  if (type == NULL || dimensions == NULL || shape == NULL) {
    return null("tombolo_snapshot_tensor", "the place for the type, the dimensions or the shape");
  }
  tombolo_status status;
  JNIEnv* env = shell_enter(&status);
  if (env == NULL) {
    return status;
  }
  const jvalue described[] = {handle(snapshot), {.i = number}, address(shape)};
  jint found = shell_call_int(env, SHELL_VOLUME_DESCRIBE, described, &status);
  *type = (tombolo_type)(found & 0xFF);
  *dimensions = found >> 8;
  if (status == TOMBOLO_OK && data != NULL) {
    *data = (const void*)(size_t)shell_call_long(env, SHELL_VOLUME_ADDRESS, described, &status);
  }
  return status;
}

TOMBOLO_EXPORT tombolo_status tombolo_snapshot_read(tombolo_snapshot snapshot, int32_t number, const int64_t* from,
                                                    const int64_t* to, void* target) {
  if ((from == NULL) != (to == NULL)) {
    return null("tombolo_snapshot_read", "one end of the part");
  }
  const jvalue arguments[] = {handle(snapshot), {.i = number}, address(from), address(to), address(target)};
  return plain(SHELL_VOLUME_READ, arguments);
}

TOMBOLO_EXPORT tombolo_status tombolo_snapshot_verify(tombolo_snapshot snapshot, int32_t number) {
  const jvalue arguments[] = {handle(snapshot), {.i = number}};
  return plain(SHELL_VOLUME_VERIFY, arguments);
}

/* One hop: what this process holds, and what others do. */

TOMBOLO_EXPORT tombolo_status tombolo_server_hold(tombolo_server server, const char* state_dict,
                                                  const tombolo_holder* holder, int64_t version, tombolo_part* parts,
                                                  uint64_t count, tombolo_put* put) {
  if (put == NULL) {
    return null("tombolo_server_hold", "the place for the result");
  }
  *put = 0;
  if (state_dict == NULL || holder == NULL || holder->run == NULL) {
    return null("tombolo_server_hold", "the state dict, the holder, or its run");
  }
  if (holder->size < sizeof *holder) {
    return fail(TOMBOLO_USAGE, "tombolo_holder.size is %u; set it to sizeof(tombolo_holder)", holder->size);
  }
  tombolo_status status;
  JNIEnv* env = enter(&status);
  if (env == NULL) {
    return status;
  }
  jstring dict = shell_string(env, state_dict, &status);
  jstring run = status == TOMBOLO_OK ? shell_string(env, holder->run, &status) : NULL;
  jobjectArray names =
      status == TOMBOLO_OK ? names_of(env, "tombolo_server_hold", parts, sizeof *parts, count, &status) : NULL;
  if (status == TOMBOLO_OK) {
    const jvalue arguments[] = {handle(server),        {.l = dict},
                                {.l = run},            {.i = holder->holders},
                                {.i = holder->holder}, {.j = holder->patience_ms},
                                {.j = version},        {.l = names},
                                address(parts)};
    *put = (tombolo_put)shell_call_long(env, SHELL_VOLUME_HOLD, arguments, &status);
  }
  leave(env);
  return status;
}

TOMBOLO_EXPORT tombolo_status tombolo_server_withdraw(tombolo_server server, const char* state_dict) {
  tombolo_status status;
  JNIEnv* env = enter(&status);
  if (env == NULL) {
    return status;
  }
  const jvalue arguments[] = {handle(server), {.l = shell_string(env, state_dict, &status)}};
  if (status == TOMBOLO_OK) {
    shell_call(env, SHELL_VOLUME_WITHDRAW, arguments, &status);
  }
  leave(env);
  return status;
}

TOMBOLO_EXPORT tombolo_status tombolo_holders_open(const tombolo_volume_config* config, tombolo_holders* holders) {
  if (holders == NULL) {
    return null("tombolo_holders_open", "the place for the result");
  }
  tombolo_status status;
  *holders = connected(SHELL_VOLUME_OPEN_HOLDERS, "tombolo_holders_open", config, &status);
  return status;
}

TOMBOLO_EXPORT tombolo_status tombolo_holders_close(tombolo_holders holders) {
  const jvalue arguments[] = {handle(holders)};
  return plain(SHELL_VOLUME_CLOSE_HOLDERS, arguments);
}

TOMBOLO_EXPORT tombolo_status tombolo_holders_sharing(tombolo_holders holders, int* sharing) {
  if (sharing == NULL) {
    return null("tombolo_holders_sharing", "the place for the result");
  }
  *sharing = 0;
  tombolo_status status;
  JNIEnv* env = shell_enter(&status);
  if (env != NULL) {
    const jvalue arguments[] = {handle(holders)};
    *sharing = shell_call_int(env, SHELL_VOLUME_HOLDERS_SHARING, arguments, &status);
  }
  return status;
}

TOMBOLO_EXPORT tombolo_status tombolo_holders_await(tombolo_holders holders, const char* state_dict, int64_t newer_than,
                                                    int64_t patience_ms, tombolo_snapshot* snapshot) {
  if (snapshot == NULL) {
    return null("tombolo_holders_await", "the place for the result");
  }
  jvalue arguments[] = {handle(holders), {.l = NULL}, {.j = newer_than}, {.j = patience_ms}};
  jlong opened;
  tombolo_status status = with_text(SHELL_VOLUME_AWAIT_HELD, arguments, state_dict, &opened);
  *snapshot = (tombolo_snapshot)opened;
  return status;
}
