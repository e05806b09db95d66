/* SPDX-License-Identifier: Apache-2.0 */
#include "store.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "failure.h"

#define STORE_CLASS "io/tombolo/capi/ProgramStore"

struct tombolo_bytes {
  void* data;
  uint64_t length;
  bool refused; /* there was no memory */
};

static _Thread_local char why[512];

TOMBOLO_EXPORT void tombolo_bytes_set(tombolo_bytes* bytes, const void* data, uint64_t length) {
  free(bytes->data);
  bytes->length = length;
  bytes->data = malloc(length == 0 ? 1 : length);
  bytes->refused = bytes->data == NULL;
  if (bytes->data != NULL && length > 0) {
    memcpy(bytes->data, data, length);
  }
}

/* Only ASCII: Java takes a broken character amiss. */
TOMBOLO_EXPORT int tombolo_store_error(const char* text) {
  (void)snprintf(why, sizeof why, "%s", text);
  for (char* c = why; *c != 0; c++) {
    if ((unsigned char)*c >= 0x80) {
      *c = '?';
    }
  }
  return TOMBOLO_STORE_FAILED;
}

tombolo_store* store_keep(const tombolo_store* store, tombolo_status* status) {
  if (store->size < sizeof *store || store->set == NULL || store->get == NULL || store->add == NULL ||
      store->compare_set == NULL) {
    *status = fail(TOMBOLO_USAGE, "tombolo_store needs its size, set, get, add and compare_set");
    return NULL;
  }
  tombolo_store* kept = malloc(sizeof *kept);
  if (kept == NULL) {
    *status = fail(TOMBOLO_RESOURCE, "no memory for a store's callbacks");
    return NULL;
  }
  *kept = *store;
  return kept;
}

void store_release(tombolo_store* kept) {
  if (kept->released != NULL) {
    kept->released(kept->context);
  }
  free(kept);
}

static const tombolo_store* store_at(jlong address) {
  return (const tombolo_store*)(size_t)address;
}

static void throw(JNIEnv* env, const char* text) {
  jclass type = (*env)->FindClass(env, "java/lang/IllegalStateException");
  if (type != NULL) {
    (void)(*env)->ThrowNew(env, type, text);
  }
}

/* Throws unless the callback has returned one of what it may. */
static bool is_well(JNIEnv* env, int result, int also) {
  if (result == TOMBOLO_STORE_OK || result == also) {
    return true;
  }
  char text[600];
  (void)snprintf(text, sizeof text, "%s (callback's result %d)", why[0] == 0 ? "it does not say why" : why, result);
  throw(env, text);
  return false;
}

/* Java's bytes for the time of a call. */
struct view {
  jbyte* data;
  jsize length;
};

static bool view(JNIEnv* env, jbyteArray array, struct view* view) {
  view->length = (*env)->GetArrayLength(env, array);
  view->data = (*env)->GetByteArrayElements(env, array, NULL);
  return view->data != NULL;
}

static void leave(JNIEnv* env, jbyteArray array, const struct view* view) {
  if (view->data != NULL) {
    (*env)->ReleaseByteArrayElements(env, array, view->data, JNI_ABORT);
  }
}

/* Java's array of what a callback has set; frees it. */
static jbyteArray array_of(JNIEnv* env, tombolo_bytes* bytes) {
  jbyteArray array = NULL;
  if (bytes->refused || bytes->length > INT32_MAX) {
    throw(env, "a value is too large for the memory that there is");
  } else {
    array = (*env)->NewByteArray(env, (jsize)bytes->length);
    if (array != NULL && bytes->length > 0) {
      (*env)->SetByteArrayRegion(env, array, 0, (jsize)bytes->length, bytes->data);
    }
  }
  free(bytes->data);
  return array;
}

static jboolean JNICALL waits(JNIEnv* env, jclass type, jlong store) {
  (void)env;
  (void)type;
  return store_at(store)->wait != NULL;
}

static void JNICALL set(JNIEnv* env, jclass type, jlong store, jstring key, jbyteArray value) {
  (void)type;
  struct view bytes = {NULL, 0};
  const char* name = (*env)->GetStringUTFChars(env, key, NULL);
  if (name != NULL && view(env, value, &bytes)) {
    why[0] = 0;
    int result = store_at(store)->set(store_at(store)->context, name, bytes.data, (uint64_t)bytes.length);
    leave(env, value, &bytes);
    (*env)->ReleaseStringUTFChars(env, key, name);
    (void)is_well(env, result, TOMBOLO_STORE_OK);
    return;
  }
  if (name != NULL) {
    (*env)->ReleaseStringUTFChars(env, key, name);
  }
}

static jbyteArray JNICALL get(JNIEnv* env, jclass type, jlong store, jstring key) {
  (void)type;
  const char* name = (*env)->GetStringUTFChars(env, key, NULL);
  if (name == NULL) {
    return NULL;
  }
  tombolo_bytes found = {NULL, 0, false};
  why[0] = 0;
  int result = store_at(store)->get(store_at(store)->context, name, &found);
  (*env)->ReleaseStringUTFChars(env, key, name);
  if (!is_well(env, result, TOMBOLO_STORE_MISSING) || result == TOMBOLO_STORE_MISSING) {
    free(found.data);
    return NULL;
  }
  return array_of(env, &found);
}

static jlong JNICALL add(JNIEnv* env, jclass type, jlong store, jstring key, jlong delta) {
  (void)type;
  const char* name = (*env)->GetStringUTFChars(env, key, NULL);
  if (name == NULL) {
    return 0;
  }
  int64_t sum = 0;
  why[0] = 0;
  int result = store_at(store)->add(store_at(store)->context, name, delta, &sum);
  (*env)->ReleaseStringUTFChars(env, key, name);
  (void)is_well(env, result, TOMBOLO_STORE_OK);
  return sum;
}

static jbyteArray JNICALL compare_set(JNIEnv* env, jclass type, jlong store, jstring key, jbyteArray expected,
                                      jbyteArray desired) {
  (void)type;
  struct view old = {NULL, 0};
  struct view new = {NULL, 0};
  tombolo_bytes now = {NULL, 0, false};
  jbyteArray array = NULL;
  const char* name = (*env)->GetStringUTFChars(env, key, NULL);
  if (name == NULL) {
    return NULL;
  }
  if (view(env, expected, &old) && view(env, desired, &new)) {
    why[0] = 0;
    int result = store_at(store)->compare_set(store_at(store)->context, name, old.data, (uint64_t)old.length, new.data,
                                              (uint64_t)new.length, &now);
    leave(env, expected, &old);
    leave(env, desired, &new);
    (*env)->ReleaseStringUTFChars(env, key, name);
    if (is_well(env, result, TOMBOLO_STORE_OK)) {
      return array_of(env, &now);
    }
    free(now.data);
    return NULL;
  }
  leave(env, expected, &old);
  (*env)->ReleaseStringUTFChars(env, key, name);
  return array;
}

static void JNICALL await(JNIEnv* env, jclass type, jlong store, jstring key, jlong milliseconds) {
  (void)type;
  const char* name = (*env)->GetStringUTFChars(env, key, NULL);
  if (name == NULL) {
    return;
  }
  why[0] = 0;
  int result = store_at(store)->wait(store_at(store)->context, &name, 1, milliseconds);
  (*env)->ReleaseStringUTFChars(env, key, name);
  (void)is_well(env, result, TOMBOLO_STORE_TIMEOUT);
}

static jboolean JNICALL delete(JNIEnv* env, jclass type, jlong store, jstring key) {
  (void)type;
  if (store_at(store)->remove == NULL) {
    return JNI_FALSE;
  }
  const char* name = (*env)->GetStringUTFChars(env, key, NULL);
  if (name == NULL) {
    return JNI_FALSE;
  }
  int existed = 0;
  why[0] = 0;
  int result = store_at(store)->remove(store_at(store)->context, name, &existed);
  (*env)->ReleaseStringUTFChars(env, key, name);
  return is_well(env, result, TOMBOLO_STORE_OK) && existed != 0;
}

static void JNICALL release(JNIEnv* env, jclass type, jlong store) {
  (void)env;
  (void)type;
  store_release((tombolo_store*)(size_t)store);
}

#define NATIVE(name, signature, function) {(char*)(size_t)name, (char*)(size_t)signature, (void*)(size_t)function}
#define TEXT "Ljava/lang/String;"

bool store_register(JNIEnv* env) {
  static const JNINativeMethod natives[] = {
      NATIVE("waits0", "(J)Z", waits),
      NATIVE("set0", "(J" TEXT "[B)V", set),
      NATIVE("get0", "(J" TEXT ")[B", get),
      NATIVE("add0", "(J" TEXT "J)J", add),
      NATIVE("compareSet0", "(J" TEXT "[B[B)[B", compare_set),
      NATIVE("await0", "(J" TEXT "J)V", await),
      NATIVE("delete0", "(J" TEXT ")Z", delete),
      NATIVE("release0", "(J)V", release),
  };
  jclass type = (*env)->FindClass(env, STORE_CLASS);
  return type != NULL && (*env)->RegisterNatives(env, type, natives, sizeof natives / sizeof natives[0]) == JNI_OK;
}
