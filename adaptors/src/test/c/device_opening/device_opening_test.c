// SPDX-License-Identifier: Apache-2.0
/* Rows that fit a library and rows that do not, what errors say, and handles that were closed: with a JVM of this test's own. */
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../../main/c/tombolo_device/errors.h"
#include "../../../main/c/tombolo_device/handles.h"

static void check(bool holds, const char* what) {
  if (!holds) {
    (void)fprintf(stderr, "FAILED: %s\n", what);
    exit(1);
  }
}

/* The JVM: an array is a count and C strings, a string is a C string, a class is its name. */

struct words {
  jsize count;
  const char* const* word;
};

static const char* thrown; /* the class of the pending exception; NULL: none */
static char message[4096];
static jlong raw_code;

static jsize JNICALL get_array_length(JNIEnv* env, jarray array) {
  (void)env;
  return ((const struct words*)(void*)array)->count;
}

static jobject JNICALL get_element(JNIEnv* env, jobjectArray array, jsize index) {
  (void)env;
  return (jobject)((const struct words*)(void*)array)->word[index];
}

/* A copy, so that the sanitizer sees one that is not given back. */
static const char* JNICALL get_chars(JNIEnv* env, jstring string, jboolean* is_copy) {
  (void)env;
  (void)is_copy;
  return strdup((const char*)(void*)string);
}

static void JNICALL release_chars(JNIEnv* env, jstring string, const char* chars) {
  (void)env;
  (void)string;
  free((void*)chars);
}

static void JNICALL delete_local(JNIEnv* env, jobject local) {
  (void)env;
  (void)local;
}

static void JNICALL get_longs(JNIEnv* env, jlongArray array, jsize from, jsize count, jlong* into) {
  (void)env;
  (void)memcpy(into, (const jlong*)(void*)array + from, (size_t)count * sizeof *into);
}

static jboolean JNICALL is_pending(JNIEnv* env) {
  (void)env;
  return thrown != NULL;
}

static jclass JNICALL find_class(JNIEnv* env, const char* name) {
  (void)env;
  return (jclass)(void*)name;
}

static jint JNICALL throw_new(JNIEnv* env, jclass class, const char* text) {
  (void)env;
  check(thrown == NULL, "one exception at a time");
  thrown = (const char*)(void*)class;
  (void)snprintf(message, sizeof message, "%s", text);
  return 0;
}

static jmethodID JNICALL get_method(JNIEnv* env, jclass class, const char* name, const char* signature) {
  (void)env;
  (void)class;
  check(strcmp(name, "<init>") == 0 && strcmp(signature, "(Ljava/lang/String;J)V") == 0, "the constructor");
  return (jmethodID)&message;
}

static jstring JNICALL new_string(JNIEnv* env, const char* text) {
  (void)env;
  (void)snprintf(message, sizeof message, "%s", text);
  return (jstring)(void*)message;
}

static jobject JNICALL new_object(JNIEnv* env, jclass class, jmethodID constructor, ...) {
  va_list arguments;
  va_start(arguments, constructor);
  check(va_arg(arguments, char*) == message, "the message");
  raw_code = va_arg(arguments, jlong);
  va_end(arguments);
  (void)env;
  return (jobject)class;
}

static jint JNICALL throw_object(JNIEnv* env, jthrowable error) {
  (void)env;
  thrown = (const char*)(void*)error;
  return 0;
}

static const struct JNINativeInterface_ functions = {
    .GetArrayLength = get_array_length,
    .GetObjectArrayElement = get_element,
    .GetStringUTFChars = get_chars,
    .ReleaseStringUTFChars = release_chars,
    .DeleteLocalRef = delete_local,
    .GetLongArrayRegion = get_longs,
    .ExceptionCheck = is_pending,
    .FindClass = find_class,
    .ThrowNew = throw_new,
    .GetMethodID = get_method,
    .NewStringUTF = new_string,
    .NewObject = new_object,
    .Throw = throw_object,
};

static JNIEnv jvm = &functions;

static bool was_thrown(const char* type, const char* text) {
  bool was = thrown != NULL && strcmp(thrown, type) == 0 && strstr(message, text) != NULL;
  thrown = NULL;
  return was;
}

/* Rows. */

#define AS_NAME(word) #word,
static const char* const role_names[] = {ROLES(AS_NAME)};
static const char* const constant_names[] = {CONSTANTS(AS_NAME)};

static const char* symbols[ROLE_COUNT];
static jlong values[CONSTANT_COUNT];

static const driver* open_row(const char* library, jsize roles, jint shapes) {
  const char* const libraries[] = {"libtombolo-none.so", library};
  struct words all[] = {{2, libraries}, {roles, role_names}, {ROLE_COUNT, symbols}, {CONSTANT_COUNT, constant_names}};
  return driver_open(&jvm, (jobjectArray)(void*)&all[0], (jobjectArray)(void*)&all[1], (jobjectArray)(void*)&all[2],
                     (jobjectArray)(void*)&all[3], (jlongArray)(void*)values, shapes, 0);
}

static const driver* open_here(void) { return open_row("libc.so.6", ROLE_COUNT, 0); }

static void a_row_opens_once(void) {
  symbols[INIT] = "getpid";
  symbols[MODULE_LOAD] = symbols[HOST_FUNCTION] = "tombolo_no_such_call";
  values[NOT_READY] = 600;
  const driver* first = open_here();
  check(first != NULL && first->symbol[INIT] != NULL && first->constant[NOT_READY] == 600, "what the row names");
  check(first->symbol[MODULE_LOAD] == NULL && first->symbol[FREE] == NULL, "but no kernels here, and nothing unnamed");
  check(first->symbol[HOST_FUNCTION] == NULL && first->name[HOST_FUNCTION] != NULL, "nor what else is optional");
  check(open_here() == first, "once");
  values[NOT_READY] = 601;
  check(open_here() != first && thrown == NULL, "other numbers are another row");
}

static void what_does_not_fit_is_named(void) {
  symbols[FREE] = "tombolo_no_such_call";
  check(open_here() == NULL && was_thrown(UNAVAILABLE, "tombolo_no_such_call"), "a missing symbol");
  symbols[FREE] = NULL;
  check(open_row("/nowhere/lib.so", ROLE_COUNT, 0) == NULL && was_thrown(UNAVAILABLE, "lib"), "a missing library");
  check(open_row("libc.so.6", ROLE_COUNT - 1, 0) == NULL && was_thrown(ILLEGAL_STATE, "different builds"), "another build");
}

static void a_symbol_may_be_in_another_library(void) {
  symbols[FREE] = "j0@libm.so.6";
  const driver* found = open_here();
  check(found != NULL && found->symbol[FREE] != NULL && strcmp(found->name[FREE], "j0") == 0, "there it is");
  symbols[FREE] = "j0@libtombolo-none.so";
  check(open_here() == NULL && was_thrown(UNAVAILABLE, " j0:"), "or nowhere");
  symbols[FREE] = NULL;
}

static void every_shape_has_every_call_that_all_have(void) {
  for (int bit = 0; bit < 11; bit++) {
    const driver* row = open_row("libc.so.6", ROLE_COUNT, 1 << bit);
    check(row != NULL && row->shapes == 1 << bit, "a shape");
    void* up_to_fill[offsetof(calls, wait_value) / sizeof(void*)];
    (void)memcpy(up_to_fill, &row->calls, sizeof up_to_fill);
    for (size_t i = 0; i < sizeof up_to_fill / sizeof *up_to_fill; i++) {
      check(up_to_fill[i] != NULL, "a call");
    }
  }
}

/* Errors. */

#define VENDOR "io/tombolo/base/errors/VendorException"

static const char* texts[2];

static const char* text_of(const driver* of, role which, int code) {
  (void)of;
  (void)code;
  return texts[which == ERROR_TEXT];
}

static char long_text[3000];

static void codes_are_told_with_what_is_known_of_them(void) {
  static driver by = {.calls = {.text = text_of}, .constant = {[OUT_OF_MEMORY] = 2}, .name = {[ALLOCATE] = long_text}};
  throw_vendor(&jvm, &by, FREE, 4711, -1);
  check(raw_code == 4711 && was_thrown(VENDOR, "the runtime failed: a code the vendor does not name"), "an unknown code");
  texts[1] = "no such thing";
  throw_vendor(&jvm, &by, FREE, -7, 0);
  check(raw_code == -7 && was_thrown(VENDOR, "with 0 bytes failed: no such thing"), "words");
  texts[0] = "NO_SUCH";
  throw_vendor(&jvm, &by, FREE, 2, INT64_MAX);
  check(was_thrown(RESOURCE, "with 9223372036854775807 bytes failed: NO_SUCH, no such thing (raw code 2)"), "no memory");
  (void)memset(long_text, 'x', sizeof long_text - 1);
  texts[0] = texts[1] = long_text;
  throw_vendor(&jvm, &by, ALLOCATE, 3, 1);
  check(was_thrown(VENDOR, "x with 1 bytes failed: x"), "what is too long is cut");
}

/* Handles. */

enum { MANY = 1000, THREADS = 4 };

static jlong contested[MANY];
static atomic_int taken;

static void* take_all(void* unused) {
  thing found;
  for (int i = 0; i < MANY; i++) {
    (void)atomic_fetch_add(&taken, handle_take(contested[i], &found) && found.value == (uint64_t)i ? 1 : 0);
  }
  return unused;
}

static void a_handle_is_closed_once(void) {
  thing found;
  for (int i = 0; i < MANY; i++) {
    thing made = {.kind = EVENT, .value = (uint64_t)i};
    contested[i] = handle_new(&made);
    check(contested[i] != 0 && handle_get(contested[i], &found) && found.value == (uint64_t)i, "a handle finds its own thing");
  }
  pthread_t threads[THREADS];
  for (int i = 0; i < THREADS; i++) {
    check(pthread_create(&threads[i], NULL, take_all, NULL) == 0, "a thread");
  }
  for (int i = 0; i < THREADS; i++) {
    check(pthread_join(threads[i], NULL) == 0, "its end");
  }
  check(atomic_load(&taken) == MANY, "of several threads one closes it");
  check(!handle_get(contested[0] + 1, &found), "a free place has nothing, whatever its generation");
  thing next = {.kind = STREAM};
  jlong handle = handle_new(&next);
  for (int i = 0; i < MANY; i++) {
    check(handle != contested[i] && !handle_get(contested[i], &found), "a stale one finds nothing");
  }
  check(!handle_get(0, &found) && !handle_get(-1, &found) && !handle_get(INT64_MIN, &found), "other numbers are no handles");
}

int main(void) {
  a_row_opens_once();
  what_does_not_fit_is_named();
  a_symbol_may_be_in_another_library();
  every_shape_has_every_call_that_all_have();
  codes_are_told_with_what_is_known_of_them();
  a_handle_is_closed_once();
  return 0;
}
