// SPDX-License-Identifier: Apache-2.0
#include "driver.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "errors.h"
#include "loading.h"

#define AS_NAME(word) #word,
static const char* const role_names[] = {ROLES(AS_NAME)};
static const char* const constant_names[] = {CONSTANTS(AS_NAME)};
#undef AS_NAME

/* By the bits of Java's RuntimeCallShape. */
static void (*const shape_calls[])(calls*) = {ordinal_is_context, text_is_returned, wait_has_mask, ascend_cl,
                                              cambricon_cnrt, level_zero, enflame_tops, memory_is_the_current_one,
                                              host_ordered, synapse_ai, kunlunxin_xre, place_is_told_at_once};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static const driver* opened;

static bool same_words(JNIEnv* env, jobjectArray words, const char* const* own, jsize count) {
  bool same = (*env)->GetArrayLength(env, words) == count;
  for (jsize i = 0; same && i < count; i++) {
    char* word = copy_string(env, words, i);
    same = word != NULL && strcmp(word, own[i]) == 0;
    free(word);
  }
  return same;
}

static void release(driver* made) {
  for (int i = 0; i < ROLE_COUNT; i++) {
    free(made->name[i]);
  }
  free(made->warned);
  free(made);
}

/* Of "name@library", which is then cut to the name: what the row's own library does not bring is in the other one. */
static void* find_symbol(void* library, char* name) {
  char* elsewhere = strchr(name, '@');
  if (elsewhere != NULL) {
    *elsewhere++ = '\0';
  }
  void* symbol = dlsym(library, name);
  void* other = symbol != NULL || elsewhere == NULL ? NULL : dlopen(elsewhere, RTLD_NOW | RTLD_LOCAL);
  return other == NULL ? symbol : dlsym(other, name);
}

/*
 * A NULL symbol is a call the vendor does not have; a named one that the library lacks is an error, but for the roles
 * from MODULE_LOAD on: what they are for can be asked for, and is not there then.
 */
static bool find_symbols(JNIEnv* env, driver* made, jobjectArray symbols) {
  for (jsize i = 0; i < ROLE_COUNT; i++) {
    made->name[i] = copy_string(env, symbols, i);
    made->symbol[i] = made->name[i] == NULL ? NULL : find_symbol(made->library, made->name[i]);
    if (made->name[i] != NULL && made->symbol[i] == NULL && i < MODULE_LOAD) {
      throw_error(env, UNAVAILABLE, "the library has no symbol %s: it is older than this program needs", made->name[i]);
      return false;
    }
  }
  return true;
}

static driver* new_driver(JNIEnv* env, void* library, jobjectArray symbols, jlongArray values, jint shapes,
                          jlong refused) {
  driver* made = calloc(1, sizeof *made);
  atomic_uint_fast64_t* warned = calloc(1, sizeof *warned);
  if (made == NULL || warned == NULL) {
    free(made);
    free(warned);
    throw_error(env, RESOURCE, "no memory for the table of a device runtime");
    return NULL;
  }
  made->warned = warned;
  made->library = library;
  made->shapes = shapes;
  made->refused = refused;
  made->calls = driver_api_calls;
  for (size_t i = 0; i < sizeof shape_calls / sizeof *shape_calls; i++) {
    if (shapes & 1 << i) {
      shape_calls[i](&made->calls);
    }
  }
  (*env)->GetLongArrayRegion(env, values, 0, CONSTANT_COUNT, made->constant);
  if ((*env)->ExceptionCheck(env) || !find_symbols(env, made, symbols)) {
    release(made);
    return NULL;
  }
  return made;
}

static bool is_same(const driver* one, const driver* other) {
  return one->library == other->library && one->shapes == other->shapes && one->refused == other->refused &&
         memcmp(one->symbol, other->symbol, sizeof one->symbol) == 0 &&
         memcmp(one->constant, other->constant, sizeof one->constant) == 0;
}

static const driver* publish(driver* made) {
  (void)pthread_mutex_lock(&lock);
  const driver* present = opened;
  while (present != NULL && !is_same(present, made)) {
    present = present->next;
  }
  if (present == NULL) {
    made->next = opened;
    opened = present = made;
  }
  (void)pthread_mutex_unlock(&lock);
  if (present != made) {
    release(made);
  }
  return present;
}

const driver* driver_open(JNIEnv* env, jobjectArray libraries, jobjectArray roles, jobjectArray symbols,
                          jobjectArray constants, jlongArray values, jint shapes, jlong refused) {
  if (!same_words(env, roles, role_names, ROLE_COUNT) || !same_words(env, constants, constant_names, CONSTANT_COUNT)) {
    throw_error(env, ILLEGAL_STATE, "libtombolo_device and its Java classes are of different builds");
    return NULL;
  }
  void* library = open_first(env, libraries);
  driver* made = library == NULL ? NULL : new_driver(env, library, symbols, values, shapes, refused);
  return made == NULL ? NULL : publish(made);
}
