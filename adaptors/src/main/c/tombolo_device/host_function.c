// SPDX-License-Identifier: Apache-2.0
/*
 * Functions on the host, in a stream's order. The vendor calls them on threads of its own: such a thread is attached to the
 * JVM, as a daemon, when it first comes, and detached when it ends.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "entry.h"
#include "errors.h"
#include "io_tombolo_adaptors_device_DeviceLibrary.h"

/* One call, on its way through the vendor; lost if the device fails before, as the vendor then drops it. */
typedef struct errand {
  JavaVM* vm;
  jobject function; /* a global reference to a Runnable that throws nothing */
  jmethodID run;
} errand;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t attached; /* the JVM, on threads that were attached here */
static bool has_key;

static void detach(void* vm) { (void)(*(JavaVM*)vm)->DetachCurrentThread(vm); }

static void make_key(void) { has_key = pthread_key_create(&attached, detach) == 0; }

/* The thread's way into Java; NULL where the JVM lets it in no more. `leave` says to detach it after the call. */
static JNIEnv* enter_java(JavaVM* vm, bool* leave) {
  void* env = NULL;
  if ((*vm)->GetEnv(vm, &env, JNI_VERSION_1_8) == JNI_OK) {
    return env;
  }
  JavaVMAttachArgs named = {JNI_VERSION_1_8, (char[]){"tombolo-host-function"}, NULL};
  if ((*vm)->AttachCurrentThreadAsDaemon(vm, &env, &named) != JNI_OK) {
    return NULL;
  }
  (void)pthread_once(&once, make_key);
  *leave = !has_key || pthread_setspecific(attached, vm) != 0;
  return env;
}

static void run_errand(void* data) {
  errand todo = *(errand*)data;
  bool leave = false;
  JNIEnv* env = enter_java(todo.vm, &leave);
  free(data);
  if (env == NULL) {
    (void)fprintf(stderr, "tombolo: a host function was not run: its thread cannot be attached to the JVM\n");
    return;
  }
  (*env)->CallVoidMethod(env, todo.function, todo.run);
  if ((*env)->ExceptionCheck(env)) {
    (*env)->ExceptionDescribe(env); /* which also clears it: nothing may unwind into the vendor */
  }
  (*env)->DeleteGlobalRef(env, todo.function);
  if (leave) {
    detach(todo.vm);
  }
}

static void forget(JNIEnv* env, errand* made) {
  if (made->function != NULL) {
    (*env)->DeleteGlobalRef(env, made->function);
  }
  free(made);
}

/* NULL with an exception pending where there is no memory for it. */
static errand* new_errand(JNIEnv* env, jobject function) {
  errand* made = calloc(1, sizeof *made);
  jclass class = (*env)->GetObjectClass(env, function);
  if (made == NULL || (*env)->GetJavaVM(env, &made->vm) != JNI_OK) {
    throw_error(env, RESOURCE, "no memory for a host function");
    free(made);
    return NULL;
  }
  made->run = (*env)->GetMethodID(env, class, "run", "()V");
  made->function = made->run == NULL ? NULL : (*env)->NewGlobalRef(env, function);
  if (made->function == NULL) {
    if (!(*env)->ExceptionCheck(env)) {
      throw_error(env, RESOURCE, "no memory for a host function");
    }
    forget(env, made);
    return NULL;
  }
  return made;
}

ENTRY(jboolean, callsHost)(JNIEnv* env, jclass type, jlong handle) {
  (void)type;
  return device_has(env, handle, HOST_FUNCTION);
}

ENTRY(void, callHost)(JNIEnv* env, jclass type, jlong handle, jobject function) {
  (void)type;
  ENTERED(stream);
  if (!enter(env, handle, "stream", HOST_FUNCTION, &stream) || !has_call(env, stream.on.driver, HOST_FUNCTION, "host functions")) {
    return;
  }
  errand* made = new_errand(env, function);
  if (made == NULL) {
    return;
  }
  const driver* by = stream.on.driver;
  int code = CALL(by, HOST_FUNCTION, void*, void (*)(void*), void*)((void*)(uintptr_t)stream.value, run_errand, made);
  if (!succeeded(env, by, HOST_FUNCTION, code, -1)) {
    forget(env, made);
  }
}
