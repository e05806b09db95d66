/* SPDX-License-Identifier: Apache-2.0 */
/* Connections to volumes: puts, and what is opened, listed and deleted. */
#include "failure.h"
#include "volume_calls.h"

/* NativeTensors.java reads these. */
_Static_assert(sizeof(tombolo_tensor) == 32 && offsetof(tombolo_tensor, data) == 8, "tombolo_tensor");
_Static_assert(offsetof(tombolo_tensor, shape) == 16 && offsetof(tombolo_tensor, type) == 24, "tombolo_tensor");
_Static_assert(offsetof(tombolo_tensor, dimensions) == 28, "tombolo_tensor");
_Static_assert(sizeof(tombolo_part) == 48 && offsetof(tombolo_part, from) == 32, "tombolo_part");
_Static_assert(offsetof(tombolo_part, whole) == 40, "tombolo_part");

TOMBOLO_EXPORT tombolo_status tombolo_volume_open(const tombolo_volume_config* config, tombolo_volume* volume) {
  if (volume == NULL) {
    return volume_null("tombolo_volume_open", "the place for the result");
  }
  tombolo_status status;
  *volume = volume_connected(SHELL_VOLUME_OPEN, "tombolo_volume_open", config, &status);
  return status;
}

TOMBOLO_EXPORT tombolo_status tombolo_volume_close(tombolo_volume volume) {
  const jvalue arguments[] = {volume_handle(volume)};
  return volume_plain(SHELL_VOLUME_CLOSE, arguments);
}

TOMBOLO_EXPORT tombolo_status tombolo_volume_is_shared(tombolo_volume volume, int* shared) {
  if (shared == NULL) {
    return volume_null("tombolo_volume_is_shared", "the place for the result");
  }
  *shared = 0;
  tombolo_status status;
  JNIEnv* env = shell_enter(&status);
  if (env != NULL) {
    const jvalue arguments[] = {volume_handle(volume)};
    *shared = shell_call_boolean(env, SHELL_VOLUME_SHARES_MEMORY, arguments, &status);
  }
  return status;
}

/* Calls what takes a volume, a state dict or none, names, tensors, and checksums or a maker; what takes neither does not
 * read that far. */
static tombolo_status with_tensors(enum shell_method method, const char* function, tombolo_volume volume,
                                   const char* state_dict, const tombolo_tensor* tensors, const void* beside,
                                   uint64_t count, int64_t* result) {
  if (result != NULL) {
    *result = 0;
  }
  tombolo_status status;
  JNIEnv* env = volume_enter(&status);
  if (env == NULL) {
    return status;
  }
  jstring dict = shell_string(env, state_dict, &status);
  jobjectArray names =
      status == TOMBOLO_OK ? volume_names(env, function, tensors, sizeof *tensors, count, &status) : NULL;
  if (status == TOMBOLO_OK) {
    const jvalue arguments[] = {
        volume_handle(volume), {.l = dict}, {.l = names}, volume_address(tensors), volume_address(beside)};
    jlong made = shell_call_long(env, method, arguments, &status);
    if (result != NULL) {
      *result = made;
    }
  }
  volume_leave(env);
  return status;
}

TOMBOLO_EXPORT tombolo_status tombolo_volume_put(tombolo_volume volume, const char* state_dict,
                                                 const tombolo_tensor* tensors, uint64_t count, int64_t* version) {
  return tombolo_volume_put_summed(volume, state_dict, tensors, NULL, count, version);
}

static tombolo_status put(enum shell_method method, tombolo_volume volume, const char* state_dict,
                          const tombolo_tensor* tensors, const void* beside, uint64_t count, int64_t* version) {
  if (state_dict != NULL && state_dict[0] == 0) {
    return fail(TOMBOLO_USAGE, "tombolo_volume_put: a state dict needs a name; NULL is for none");
  }
  return with_tensors(method, "tombolo_volume_put", volume, state_dict, tensors, beside, count, version);
}

TOMBOLO_EXPORT tombolo_status tombolo_volume_put_summed(tombolo_volume volume, const char* state_dict,
                                                        const tombolo_tensor* tensors,
                                                        const uint32_t* const* checksums, uint64_t count,
                                                        int64_t* version) {
  return put(SHELL_VOLUME_PUT, volume, state_dict, tensors, checksums, count, version);
}

/* A maker that can be called. */
static tombolo_status check_maker(const char* function, const tombolo_maker* maker) {
  if (maker == NULL || maker->make == NULL) {
    return volume_null(function, "the maker, or its callback");
  }
  return maker->size >= sizeof *maker
             ? TOMBOLO_OK
             : fail(TOMBOLO_USAGE, "tombolo_maker.size is %u; set it to sizeof(tombolo_maker)", maker->size);
}

TOMBOLO_EXPORT tombolo_status tombolo_volume_put_made(tombolo_volume volume, const char* state_dict,
                                                      const tombolo_tensor* tensors, uint64_t count,
                                                      const tombolo_maker* maker, int64_t* version) {
  tombolo_status status = check_maker("tombolo_volume_put_made", maker);
  return status == TOMBOLO_OK ? put(SHELL_VOLUME_PUT_MADE, volume, state_dict, tensors, maker, count, version) : status;
}

TOMBOLO_EXPORT tombolo_status tombolo_volume_begin(tombolo_volume volume, const char* state_dict,
                                                   tombolo_tensor* tensors, uint64_t count, tombolo_put* put) {
  if (put == NULL) {
    return volume_null("tombolo_volume_begin", "the place for the result");
  }
  int64_t made = 0;
  tombolo_status status =
      with_tensors(SHELL_VOLUME_BEGIN, "tombolo_volume_begin", volume, state_dict, tensors, NULL, count, &made);
  *put = (tombolo_put)made;
  return status;
}

TOMBOLO_EXPORT tombolo_status tombolo_put_checksum(tombolo_put put, const char* name, uint32_t checksum) {
  if (name == NULL) {
    return volume_null("tombolo_put_checksum", "the name");
  }
  tombolo_status status;
  JNIEnv* env = volume_enter(&status);
  if (env == NULL) {
    return status;
  }
  const jvalue arguments[] = {volume_handle(put), {.l = shell_string(env, name, &status)}, {.i = (jint)checksum}};
  if (status == TOMBOLO_OK) {
    shell_call(env, SHELL_VOLUME_SET_CHECKSUM, arguments, &status);
  }
  volume_leave(env);
  return status;
}

TOMBOLO_EXPORT tombolo_status tombolo_put_commit(tombolo_put put, int64_t* version) {
  return volume_number(SHELL_VOLUME_COMMIT, put, version);
}

TOMBOLO_EXPORT tombolo_status tombolo_put_abort(tombolo_put put) {
  const jvalue arguments[] = {volume_handle(put)};
  return volume_plain(SHELL_VOLUME_ABORT, arguments);
}

TOMBOLO_EXPORT tombolo_status tombolo_volume_put_part(tombolo_volume volume, const char* state_dict,
                                                      const tombolo_writer* writer, const tombolo_part* parts,
                                                      uint64_t count, int64_t* version) {
  return tombolo_volume_put_part_summed(volume, state_dict, writer, parts, NULL, count, version);
}

static tombolo_status put_part(enum shell_method method, tombolo_volume volume, const char* state_dict,
                               const tombolo_writer* writer, const tombolo_part* parts, const void* beside,
                               uint64_t count, int64_t* version) {
  if (version != NULL) {
    *version = 0;
  }
  if (state_dict == NULL || writer == NULL || writer->round == NULL) {
    return volume_null("tombolo_volume_put_part", "the state dict, the writer, or its round");
  }
  if (writer->size < sizeof *writer) {
    return fail(TOMBOLO_USAGE, "tombolo_writer.size is %u; set it to sizeof(tombolo_writer)", writer->size);
  }
  tombolo_status status;
  JNIEnv* env = volume_enter(&status);
  if (env == NULL) {
    return status;
  }
  jstring dict = shell_string(env, state_dict, &status);
  jstring round = status == TOMBOLO_OK ? shell_string(env, writer->round, &status) : NULL;
  jobjectArray names = status == TOMBOLO_OK
                           ? volume_names(env, "tombolo_volume_put_part", parts, sizeof *parts, count, &status)
                           : NULL;
  if (status == TOMBOLO_OK) {
    const jvalue arguments[] = {volume_handle(volume),        {.l = dict},
                                {.l = round},          {.i = writer->writers},
                                {.i = writer->writer}, {.j = writer->patience_ms},
                                {.l = names},          volume_address(parts),
                                volume_address(beside)};
    jlong made = shell_call_long(env, method, arguments, &status);
    if (version != NULL) {
      *version = made;
    }
  }
  volume_leave(env);
  return status;
}

TOMBOLO_EXPORT tombolo_status tombolo_volume_put_part_summed(tombolo_volume volume, const char* state_dict,
                                                             const tombolo_writer* writer, const tombolo_part* parts,
                                                             const uint32_t* const* checksums, uint64_t count,
                                                             int64_t* version) {
  return put_part(SHELL_VOLUME_PUT_PART, volume, state_dict, writer, parts, checksums, count, version);
}

TOMBOLO_EXPORT tombolo_status tombolo_volume_put_part_made(tombolo_volume volume, const char* state_dict,
                                                           const tombolo_writer* writer, const tombolo_part* parts,
                                                           uint64_t count, const tombolo_maker* maker,
                                                           int64_t* version) {
  tombolo_status status = check_maker("tombolo_volume_put_part_made", maker);
  return status == TOMBOLO_OK
             ? put_part(SHELL_VOLUME_PUT_PART_MADE, volume, state_dict, writer, parts, maker, count, version)
             : status;
}

/* Calls what takes a volume and names. */
static tombolo_status with_names(enum shell_method method, const char* function, tombolo_volume volume,
                                 const char* const* names, uint64_t count, jlong* result) {
  *result = 0;
  tombolo_status status;
  JNIEnv* env = volume_enter(&status);
  if (env == NULL) {
    return status;
  }
  jobjectArray array = volume_names(env, function, names, sizeof *names, count, &status);
  if (array != NULL) {
    const jvalue arguments[] = {volume_handle(volume), {.l = array}};
    *result = shell_call_long(env, method, arguments, &status);
  }
  volume_leave(env);
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
    return volume_null("tombolo_volume_open_tensors", "the place for the result");
  }
  jlong opened;
  tombolo_status status =
      with_names(SHELL_VOLUME_OPEN_TENSORS, "tombolo_volume_open_tensors", volume, names, count, &opened);
  *snapshot = (tombolo_snapshot)opened;
  return status;
}

TOMBOLO_EXPORT tombolo_status tombolo_volume_drop(tombolo_volume volume, const char* state_dict, int64_t* versions) {
  jvalue arguments[] = {volume_handle(volume), {.l = NULL}};
  jlong found;
  tombolo_status status = volume_with_text(SHELL_VOLUME_DROP, arguments, state_dict, &found);
  if (versions != NULL) {
    *versions = found;
  }
  return status;
}

TOMBOLO_EXPORT tombolo_status tombolo_volume_open_version(tombolo_volume volume, const char* state_dict,
                                                          int64_t newer_than, int64_t patience_ms,
                                                          tombolo_snapshot* snapshot) {
  if (snapshot == NULL) {
    return volume_null("tombolo_volume_open_version", "the place for the result");
  }
  jvalue arguments[] = {volume_handle(volume), {.l = NULL}, {.j = newer_than}, {.j = patience_ms}};
  jlong opened;
  tombolo_status status = volume_with_text(SHELL_VOLUME_OPEN_VERSION, arguments, state_dict, &opened);
  *snapshot = (tombolo_snapshot)opened;
  return status;
}

TOMBOLO_EXPORT tombolo_status tombolo_volume_open_kept(tombolo_volume volume, const char* state_dict, int64_t version,
                                                       tombolo_snapshot* snapshot) {
  if (snapshot == NULL) {
    return volume_null("tombolo_volume_open_kept", "the place for the result");
  }
  jvalue arguments[] = {volume_handle(volume), {.l = NULL}, {.j = version}};
  jlong opened;
  tombolo_status status = volume_with_text(SHELL_VOLUME_OPEN_KEPT, arguments, state_dict, &opened);
  *snapshot = (tombolo_snapshot)opened;
  return status;
}

TOMBOLO_EXPORT tombolo_status tombolo_volume_kept_versions(tombolo_volume volume, const char* state_dict,
                                                           int64_t* oldest, int64_t* newest) {
  if (oldest == NULL || newest == NULL) {
    return volume_null("tombolo_volume_kept_versions", "the place for a version");
  }
  *oldest = 0;
  jvalue arguments[] = {volume_handle(volume), {.l = NULL}, volume_address(oldest)};
  jlong found;
  tombolo_status status = volume_with_text(SHELL_VOLUME_KEPT_VERSIONS, arguments, state_dict, &found);
  *newest = found;
  return status;
}

TOMBOLO_EXPORT tombolo_status tombolo_volume_exists(tombolo_volume volume, const char* name, int* exists) {
  if (exists == NULL) {
    return volume_null("tombolo_volume_exists", "the place for the answer");
  }
  jvalue arguments[] = {volume_handle(volume), {.l = NULL}};
  jlong found;
  tombolo_status status = volume_with_text(SHELL_VOLUME_EXISTS, arguments, name, &found);
  *exists = found != 0;
  return status;
}

/* Calls what takes a volume and a prefix and lists names. */
static tombolo_status listed(enum shell_method method, const char* function, tombolo_volume volume, const char* prefix,
                             char* text, size_t size, size_t* needed) {
  tombolo_status status;
  JNIEnv* env = volume_enter(&status);
  if (env == NULL) {
    return status;
  }
  const jvalue arguments[] = {volume_handle(volume), {.l = shell_string(env, prefix, &status)}};
  if (status == TOMBOLO_OK) {
    status = shell_text(method, arguments, function, text, size, needed);
  }
  volume_leave(env);
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
