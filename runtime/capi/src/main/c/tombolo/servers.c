/* SPDX-License-Identifier: Apache-2.0 */
/* Volumes of this process, and what it holds in them. */
#include "failure.h"
#include "volume_calls.h"

TOMBOLO_EXPORT tombolo_status tombolo_server_start(const tombolo_server_config* config, tombolo_server* server) {
  if (server == NULL || config == NULL) {
    return volume_null("tombolo_server_start", "the configuration, or the place for the result");
  }
  *server = 0;
  if (config->size < sizeof *config || config->memory_bytes > INT64_MAX) {
    return fail(TOMBOLO_USAGE, "tombolo_server_config.size is %u, memory_bytes %llu; start with "
                "TOMBOLO_SERVER_CONFIG_INIT", config->size, (unsigned long long)config->memory_bytes);
  }
  tombolo_status status;
  const char* token = volume_token("tombolo_server_start", config->token, &status);
  JNIEnv* env = token == NULL ? NULL : volume_enter(&status);
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
  volume_leave(env);
  return status;
}

TOMBOLO_EXPORT tombolo_status tombolo_server_address(tombolo_server server, char* text, size_t size, size_t* needed) {
  const jvalue arguments[] = {volume_handle(server)};
  return shell_text(SHELL_VOLUME_SERVER_ADDRESS, arguments, "tombolo_server_address", text, size, needed);
}

TOMBOLO_EXPORT tombolo_status tombolo_server_stop(tombolo_server server) {
  const jvalue arguments[] = {volume_handle(server)};
  return volume_plain(SHELL_VOLUME_STOP, arguments);
}

/* One hop: what this process holds, and what others do. */

/* What Java is told of a version, as local references. */
struct shown {
  jstring dict;
  jstring run;
  jobjectArray names;
};

/* The environment, with what `function` was given; NULL after a failure. */
static JNIEnv* enter_shown(const char* function, const char* state_dict, const tombolo_holder* holder,
                           const tombolo_part* parts, uint64_t count, struct shown* shown, tombolo_status* status) {
  if (state_dict == NULL || holder == NULL || holder->run == NULL) {
    *status = volume_null(function, "the state dict, the holder, or its run");
    return NULL;
  }
  if (holder->size < sizeof *holder) {
    *status = fail(TOMBOLO_USAGE, "tombolo_holder.size is %u; set it to sizeof(tombolo_holder)", holder->size);
    return NULL;
  }
  JNIEnv* env = volume_enter(status);
  if (env == NULL) {
    return NULL;
  }
  shown->dict = shell_string(env, state_dict, status);
  shown->run = *status == TOMBOLO_OK ? shell_string(env, holder->run, status) : NULL;
  shown->names = *status == TOMBOLO_OK ? volume_names(env, function, parts, sizeof *parts, count, status) : NULL;
  if (*status != TOMBOLO_OK) {
    volume_leave(env);
    return NULL;
  }
  return env;
}

TOMBOLO_EXPORT tombolo_status tombolo_server_hold(tombolo_server server, const char* state_dict,
                                                  const tombolo_holder* holder, int64_t version, tombolo_part* parts,
                                                  uint64_t count, tombolo_put* put) {
  if (put == NULL) {
    return volume_null("tombolo_server_hold", "the place for the result");
  }
  *put = 0;
  struct shown shown;
  tombolo_status status;
  JNIEnv* env = enter_shown("tombolo_server_hold", state_dict, holder, parts, count, &shown, &status);
  if (env == NULL) {
    return status;
  }
  const jvalue arguments[] = {volume_handle(server),      {.l = shown.dict},
                              {.l = shown.run},           {.i = holder->holders},
                              {.i = holder->holder},      {.i = holder->replicas},
                              {.j = holder->patience_ms}, {.j = version},
                              {.l = shown.names},         volume_address(parts)};
  *put = (tombolo_put)shell_call_long(env, SHELL_VOLUME_HOLD, arguments, &status);
  volume_leave(env);
  return status;
}

TOMBOLO_EXPORT tombolo_status tombolo_server_register(tombolo_server server, const char* state_dict,
                                                      const tombolo_holder* holder, int64_t version,
                                                      const tombolo_part* parts, const int64_t* const* strides,
                                                      uint64_t count) {
  struct shown shown;
  tombolo_status status;
  JNIEnv* env = enter_shown("tombolo_server_register", state_dict, holder, parts, count, &shown, &status);
  if (env == NULL) {
    return status;
  }
  const jvalue arguments[] = {volume_handle(server), {.l = shown.dict},      {.l = shown.run},
                              {.i = holder->holders}, {.i = holder->holder}, {.i = holder->replicas},
                              {.j = version},         {.l = shown.names},    volume_address(parts),
                              volume_address(strides)};
  shell_call(env, SHELL_VOLUME_REGISTER, arguments, &status);
  volume_leave(env);
  return status;
}

TOMBOLO_EXPORT tombolo_status tombolo_server_withdraw(tombolo_server server, const char* state_dict) {
  tombolo_status status;
  JNIEnv* env = volume_enter(&status);
  if (env == NULL) {
    return status;
  }
  const jvalue arguments[] = {volume_handle(server), {.l = shell_string(env, state_dict, &status)}};
  if (status == TOMBOLO_OK) {
    shell_call(env, SHELL_VOLUME_WITHDRAW, arguments, &status);
  }
  volume_leave(env);
  return status;
}
