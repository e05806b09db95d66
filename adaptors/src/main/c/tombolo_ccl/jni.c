// SPDX-License-Identifier: Apache-2.0
/*
 * CclNative's methods. Library results go back as they are, for Java to judge; a stale handle is an
 * IllegalStateException. No call here is critical, none calls back into Java.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#include "../shared/text.h"
#include "ccl.h"
#include "io_tombolo_adaptors_ccl_CclNative.h"

enum { PATIENCE_MS = 500 };
enum { FAILED = -1 }; /* a result that nobody sees: an exception is pending */

static void throw(JNIEnv* env, const char* type, const char* message) {
  jclass class = (*env)->FindClass(env, type);
  if (class != NULL) {
    (void)(*env)->ThrowNew(env, class, message);
  }
}

/* A string of what the library or the loader said. */
static jstring string_of(JNIEnv* env, char* words) {
  text_mend(words);
  return (*env)->NewStringUTF(env, words);
}

static void throw_closed(JNIEnv* env) {
  throw(env, "java/lang/IllegalStateException", "this communicator or library is closed");
}

/* Looks the handle up and makes sure that its library has `entry`; otherwise throws an IllegalStateException. */
static bool look_up(JNIEnv* env, jlong handle, enum entry entry, struct ccl_object* object) {
  if (!handle_get(handle, object)) {
    throw_closed(env);
    return false;
  }
  if (object->api.entries[entry] == NULL) {
    throw(env, "java/lang/IllegalStateException", "an entry point that is not declared");
    return false;
  }
  return true;
}

/* As look_up, and until handle_leave nobody frees the object unawares. */
static bool enter(JNIEnv* env, jlong handle, enum ccl_use use, enum entry entry, struct ccl_object* object) {
  if (!handle_enter(handle, use, object)) {
    throw_closed(env);
    return false;
  }
  if (object->api.entries[entry] == NULL) {
    handle_leave(handle, use);
    throw(env, "java/lang/IllegalStateException", "an entry point that is not declared");
    return false;
  }
  return true;
}

static void free_strings(char** strings) {
  for (char** string = strings; string != NULL && *string != NULL; string++) {
    free(*string);
  }
  free(strings);
}

static char* copy_string(JNIEnv* env, jstring string) {
  jsize length = (*env)->GetStringLength(env, string);
  char* copy = calloc(1, (size_t)(*env)->GetStringUTFLength(env, string) + 1);
  if (copy != NULL) {
    (*env)->GetStringUTFRegion(env, string, 0, length, copy);
  }
  return copy;
}

/* The array as a NULL-terminated list in C; NULL if there is no memory. The array holds no null. */
static char** copy_strings(JNIEnv* env, jobjectArray array) {
  jsize size = (*env)->GetArrayLength(env, array);
  char** strings = calloc((size_t)size + 1, sizeof *strings);
  for (jsize i = 0; strings != NULL && i < size; i++) {
    jstring string = (*env)->GetObjectArrayElement(env, array, i);
    strings[i] = copy_string(env, string);
    (*env)->DeleteLocalRef(env, string);
    if (strings[i] == NULL) {
      free_strings(strings);
      return NULL;
    }
  }
  return strings;
}

/* Resolves what `symbols` names, entry by entry; a null there is an entry point not to be called. */
static bool resolve(JNIEnv* env, void* library, jobjectArray symbols, struct ccl_api* api, char* problem, size_t bytes) {
  for (int entry = 0; entry < ENTRIES; entry++) {
    jstring symbol = (*env)->GetObjectArrayElement(env, symbols, entry);
    if (symbol == NULL) {
      continue;
    }
    char* name = copy_string(env, symbol);
    (*env)->DeleteLocalRef(env, symbol);
    api->entries[entry] = name == NULL ? NULL : dlsym(library, name);
    bool missing = api->entries[entry] == NULL && entry < ALL_TO_ALL;
    if (missing) {
      (void)snprintf(problem, bytes, "the library has no symbol %s", name == NULL ? "(out of memory)" : name);
    }
    free(name);
    if (missing) {
      return false;
    }
  }
  return true;
}

static void* open_library(JNIEnv* env, jobjectArray candidates, jobjectArray dependencies, char* problem, size_t bytes) {
  char** files = copy_strings(env, candidates);
  char** first = copy_strings(env, dependencies);
  void* library = NULL;
  if (files != NULL && first != NULL) {
    library = ccl_open((const char* const*)files, (const char* const*)first, problem, bytes);
  } else {
    (void)snprintf(problem, bytes, "out of memory");
  }
  free_strings(files);
  free_strings(first);
  return library;
}

JNIEXPORT jlong JNICALL Java_io_tombolo_adaptors_ccl_CclNative_open0(JNIEnv* env, jclass type, jobjectArray candidates,
                                                                     jobjectArray dependencies, jobjectArray symbols,
                                                                     jint shape, jobjectArray problem) {
  (void)type;
  char words[1024] = "";
  jlong handle = 0;
  struct ccl_object object = {.api = {.shape = ccl_shape(shape)}};
  if (object.api.shape == NULL || (*env)->GetArrayLength(env, symbols) != ENTRIES) {
    (void)snprintf(words, sizeof words, "the Java and the C side of this build do not match");
  } else {
    void* library = open_library(env, candidates, dependencies, words, sizeof words);
    if (library != NULL && resolve(env, library, symbols, &object.api, words, sizeof words)) {
      handle = handle_new(&object);
    }
  }
  if (handle == 0) {
    (*env)->SetObjectArrayElement(env, problem, 0, string_of(env, words));
  }
  return handle;
}

JNIEXPORT jboolean JNICALL Java_io_tombolo_adaptors_ccl_CclNative_isLoaded0(JNIEnv* env, jclass type,
                                                                            jobjectArray candidates) {
  (void)type;
  char** files = copy_strings(env, candidates);
  bool loaded = files != NULL && ccl_loaded((const char* const*)files) != NULL;
  free_strings(files);
  return loaded ? JNI_TRUE : JNI_FALSE;
}

JNIEXPORT void JNICALL Java_io_tombolo_adaptors_ccl_CclNative_close0(JNIEnv* env, jclass type, jlong handle) {
  (void)env;
  (void)type;
  struct ccl_object object;
  (void)handle_take(handle, &object); /* closing twice is harmless */
}

JNIEXPORT jbooleanArray JNICALL Java_io_tombolo_adaptors_ccl_CclNative_present0(JNIEnv* env, jclass type, jlong handle) {
  (void)type;
  struct ccl_object object;
  if (!handle_get(handle, &object)) {
    throw_closed(env);
    return NULL;
  }
  jboolean present[ENTRIES];
  for (int entry = 0; entry < ENTRIES; entry++) {
    present[entry] = object.api.entries[entry] == NULL ? JNI_FALSE : JNI_TRUE;
  }
  jbooleanArray result = (*env)->NewBooleanArray(env, ENTRIES);
  if (result != NULL) {
    (*env)->SetBooleanArrayRegion(env, result, 0, ENTRIES, present);
  }
  return result;
}

JNIEXPORT jint JNICALL Java_io_tombolo_adaptors_ccl_CclNative_version0(JNIEnv* env, jclass type, jlong handle,
                                                                       jintArray result) {
  (void)type;
  struct ccl_object object;
  if (!look_up(env, handle, GET_VERSION, &object)) {
    return FAILED;
  }
  int version = 0;
  int code = object.api.shape->version(object.api.entries[GET_VERSION], &version);
  jint value = version;
  (*env)->SetIntArrayRegion(env, result, 0, 1, &value);
  return code;
}

JNIEXPORT jint JNICALL Java_io_tombolo_adaptors_ccl_CclNative_uniqueId0(JNIEnv* env, jclass type, jlong handle,
                                                                        jbyteArray result) {
  (void)type;
  struct ccl_object object;
  if (!look_up(env, handle, GET_UNIQUE_ID, &object)) {
    return FAILED;
  }
  jbyte id[MAX_ID_BYTES] = {0};
  int code = ((int (*)(void*))object.api.entries[GET_UNIQUE_ID])(id);
  (*env)->SetByteArrayRegion(env, result, 0, (jsize)object.api.shape->id_bytes, id);
  return code;
}

JNIEXPORT jint JNICALL Java_io_tombolo_adaptors_ccl_CclNative_currentDevice0(JNIEnv* env, jclass type, jlong handle,
                                                                             jintArray result) {
  (void)type;
  struct ccl_object object;
  if (!look_up(env, handle, CURRENT_DEVICE, &object)) {
    return FAILED;
  }
  int device = 0;
  int code = ((int (*)(int*))object.api.entries[CURRENT_DEVICE])(&device);
  jint value = device;
  (*env)->SetIntArrayRegion(env, result, 0, 1, &value);
  return code;
}

JNIEXPORT jint JNICALL Java_io_tombolo_adaptors_ccl_CclNative_join0(JNIEnv* env, jclass type, jlong handle, jbyteArray id,
                                                                    jint rank, jint size, jint device,
                                                                    jlongArray result) {
  (void)type;
  struct ccl_object object;
  if (!look_up(env, handle, COMM_INIT_RANK, &object)) {
    return FAILED;
  }
  jbyte bytes[MAX_ID_BYTES];
  (*env)->GetByteArrayRegion(env, id, 0, (jsize)object.api.shape->id_bytes, bytes);
  if ((*env)->ExceptionCheck(env)) {
    return FAILED;
  }
  struct ccl_member member = {bytes, rank, size, device};
  int code = ccl_join(&object.api, &object.communicator, &member);
  jlong joined = object.communicator == NULL ? 0 : handle_new(&object);
  (*env)->SetLongArrayRegion(env, result, 0, 1, &joined);
  return code;
}

static void* address(jlong value) { return (void*)(intptr_t)value; }

JNIEXPORT jint JNICALL Java_io_tombolo_adaptors_ccl_CclNative_collective0(JNIEnv* env, jclass type, jlong handle, jint entry,
                                                                          jlong send, jlong receive, jlong count,
                                                                          jint data_type, jint op, jint root,
                                                                          jlong stream) {
  (void)type;
  struct ccl_object object;
  if (!enter(env, handle, CALL, (enum entry)entry, &object)) {
    return FAILED;
  }
  if (object.api.shape->collectives[entry] == NULL) {
    handle_leave(handle, CALL);
    throw(env, "java/lang/IllegalStateException", "an operation that this call shape does not have");
    return FAILED;
  }
  struct ccl_call call = {address(send), address(receive), (size_t)count, data_type, op, root, address(stream)};
  int code = ccl_perform(&object, (enum entry)entry, &call);
  handle_leave(handle, CALL);
  return code;
}

/* Failures are not told: what is wrong with the call shows again when it is made. */
JNIEXPORT void JNICALL Java_io_tombolo_adaptors_ccl_CclNative_offer0(JNIEnv* env, jclass type, jlong handle, jint entry,
                                                                     jlong send, jlong receive, jlong count,
                                                                     jint data_type, jint op, jint root) {
  (void)env;
  (void)type;
  struct ccl_object object;
  if (!handle_enter(handle, QUESTION, &object)) {
    return;
  }
  ccl_collective perform = object.api.shape->collectives[entry];
  bool can = object.api.entries[OFFER] != NULL && object.api.entries[entry] != NULL && perform != NULL;
  struct ccl_call call = {address(send), address(receive), (size_t)count, data_type, op, root, NULL};
  if (can && ((int (*)(void))object.api.entries[OFFER])() == 0) {
    (void)perform(object.api.entries[entry], object.communicator, &call);
  }
  handle_leave(handle, QUESTION);
}

/* A library keeps what a group's calls are of until the group ends, and so does who opens it. One that is refused is none. */
JNIEXPORT jint JNICALL Java_io_tombolo_adaptors_ccl_CclNative_groupStart0(JNIEnv* env, jclass type, jlong handle,
                                                                          jint success) {
  (void)type;
  struct ccl_object object;
  if (!enter(env, handle, CALL, GROUP_START, &object)) {
    return FAILED;
  }
  int code = ((int (*)(void))object.api.entries[GROUP_START])();
  if (code != success) {
    handle_leave(handle, CALL);
  }
  return code;
}

JNIEXPORT jint JNICALL Java_io_tombolo_adaptors_ccl_CclNative_groupEnd0(JNIEnv* env, jclass type, jlong library,
                                                                        jlong handle) {
  (void)type;
  struct ccl_object object;
  if (!look_up(env, library, GROUP_END, &object)) {
    return FAILED;
  }
  int code = ccl_end_group(&object.api);
  handle_leave(handle, CALL);
  return code;
}

/* Asked of every call that has ended: so no array of Java's comes along. */
JNIEXPORT jlong JNICALL Java_io_tombolo_adaptors_ccl_CclNative_asyncError0(JNIEnv* env, jclass type, jlong handle) {
  (void)type;
  struct ccl_object object;
  if (!enter(env, handle, QUESTION, COMM_GET_ASYNC_ERROR, &object)) {
    return FAILED;
  }
  int error = 0;
  int code = object.api.shape->async_error(object.api.entries[COMM_GET_ASYNC_ERROR], object.communicator, &error);
  handle_leave(handle, QUESTION);
  return (jlong)((uint64_t)(uint32_t)code << 32 | (uint32_t)error);
}

/*
 * Ends the communicator by `entry`, which frees it: nobody comes in any more, and who asks is let out first, and so is a call
 * that only queues work. A call that has not come out then is taken to be stuck, and an abort is what brings it back.
 */
static jint end(JNIEnv* env, jlong handle, enum entry entry) {
  struct ccl_object object;
  if (!look_up(env, handle, entry, &object)) {
    return FAILED;
  }
  if (!handle_take(handle, &object)) {
    throw_closed(env);
    return FAILED;
  }
  (void)handle_await_leaving(handle, PATIENCE_MS);
  return ((int (*)(void*))object.api.entries[entry])(object.communicator);
}

JNIEXPORT jint JNICALL Java_io_tombolo_adaptors_ccl_CclNative_destroy0(JNIEnv* env, jclass type, jlong handle) {
  (void)type;
  return end(env, handle, COMM_DESTROY);
}

JNIEXPORT jint JNICALL Java_io_tombolo_adaptors_ccl_CclNative_abort0(JNIEnv* env, jclass type, jlong handle) {
  (void)type;
  return end(env, handle, COMM_ABORT);
}

JNIEXPORT jint JNICALL Java_io_tombolo_adaptors_ccl_CclNative_allocate0(JNIEnv* env, jclass type, jlong handle, jlong bytes,
                                                                        jlongArray result) {
  (void)type;
  struct ccl_object object;
  if (!look_up(env, handle, MEM_ALLOC, &object)) {
    return FAILED;
  }
  object.communicator = NULL;
  object.memory = NULL;
  int code = ((int (*)(void**, size_t))object.api.entries[MEM_ALLOC])(&object.memory, (size_t)bytes);
  jlong made[] = {object.memory == NULL ? 0 : handle_new(&object), (jlong)(intptr_t)object.memory};
  (*env)->SetLongArrayRegion(env, result, 0, 2, made);
  return code;
}

JNIEXPORT jint JNICALL Java_io_tombolo_adaptors_ccl_CclNative_free0(JNIEnv* env, jclass type, jlong handle) {
  (void)type;
  struct ccl_object object;
  if (!handle_take(handle, &object)) {
    throw_closed(env);
    return FAILED;
  }
  return ((int (*)(void*))object.api.entries[MEM_FREE])(object.memory);
}

JNIEXPORT jint JNICALL Java_io_tombolo_adaptors_ccl_CclNative_register0(JNIEnv* env, jclass type, jlong handle, jlong memory) {
  (void)type;
  struct ccl_object object;
  struct ccl_object brought;
  if (!look_up(env, memory, MEM_FREE, &brought) || !enter(env, handle, CALL, COMM_REGISTER, &object)) {
    return FAILED;
  }
  int code = ccl_register(&object, brought.memory);
  handle_leave(handle, CALL);
  return code;
}

JNIEXPORT jstring JNICALL Java_io_tombolo_adaptors_ccl_CclNative_text0(JNIEnv* env, jclass type, jlong handle, jint code) {
  (void)type;
  struct ccl_object object;
  if (!handle_enter(handle, QUESTION, &object)) {
    return NULL;
  }
  void* by_code = object.api.entries[GET_ERROR_STRING];
  void* last = object.api.entries[GET_LAST_ERROR];
  const char* general = by_code == NULL ? NULL : ((const char* (*)(int))by_code)(code);
  const char* particular = last == NULL ? NULL : ((const char* (*)(void*))last)(object.communicator);
  char words[1024];
  bool both = general != NULL && particular != NULL && *particular != '\0';
  (void)snprintf(words, sizeof words, "%s%s%s", general == NULL ? "" : general, both ? ": " : "",
                 particular == NULL ? "" : particular);
  handle_leave(handle, QUESTION);
  return string_of(env, words);
}
