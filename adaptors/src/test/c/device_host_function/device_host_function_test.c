// SPDX-License-Identifier: Apache-2.0
/* A function's way to a vendor's thread and into Java: attached once, detached at the thread's end, nothing left behind. */
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../../main/c/tombolo_device/entry.h"
#include "../../../main/c/tombolo_device/errors.h"

ENTRY(jboolean, callsHost)(JNIEnv*, jclass, jlong);
ENTRY(void, callHost)(JNIEnv*, jclass, jlong, jobject);

static void check(bool holds, const char* what) {
  if (!holds) {
    (void)fprintf(stderr, "FAILED: %s\n", what);
    exit(1);
  }
}

/* The JVM: a function is the number of its calls. */

static const char* thrown; /* the class of the pending exception, of calls from Java; NULL: none */
static atomic_int references;
static atomic_int attachments;
static atomic_int detachments;
static atomic_int described;
static bool is_ending; /* the JVM lets nobody in any more */
static bool throws;
static _Thread_local bool is_attached;
static _Thread_local bool is_pending;

static jclass JNICALL get_class(JNIEnv* env, jobject object) {
  (void)env;
  return object;
}

static jmethodID JNICALL get_method(JNIEnv* env, jclass class, const char* name, const char* signature) {
  (void)env;
  (void)class;
  check(strcmp(name, "run") == 0 && strcmp(signature, "()V") == 0, "Runnable's method");
  return (jmethodID)&references;
}

static jobject JNICALL new_reference(JNIEnv* env, jobject object) {
  (void)env;
  (void)atomic_fetch_add(&references, 1);
  return object;
}

static void JNICALL delete_reference(JNIEnv* env, jobject object) {
  (void)env;
  (void)object;
  (void)atomic_fetch_sub(&references, 1);
}

static void JNICALL call_void(JNIEnv* env, jobject object, jmethodID method, ...) {
  (void)env;
  check(is_attached && method == (jmethodID)&references, "on a thread of Java's");
  (void)atomic_fetch_add((atomic_int*)(void*)object, 1);
  is_pending = throws;
}

static jboolean JNICALL exception_check(JNIEnv* env) {
  (void)env;
  return is_pending;
}

static void JNICALL describe(JNIEnv* env) {
  (void)env;
  is_pending = false;
  (void)atomic_fetch_add(&described, 1);
}

static jclass JNICALL find_class(JNIEnv* env, const char* name) {
  (void)env;
  return (jclass)(void*)name;
}

/* A VendorException is made by its constructor; here the class will do. */
static jint JNICALL throw_new(JNIEnv* env, jclass class, const char* text) {
  (void)env;
  (void)text;
  thrown = (const char*)(void*)class;
  return 0;
}

static jint JNICALL get_vm(JNIEnv* env, JavaVM** into);

static const struct JNINativeInterface_ functions = {
    .GetJavaVM = get_vm,
    .GetObjectClass = get_class,
    .GetMethodID = get_method,
    .NewGlobalRef = new_reference,
    .DeleteGlobalRef = delete_reference,
    .CallVoidMethod = call_void,
    .ExceptionCheck = exception_check,
    .ExceptionDescribe = describe,
    .FindClass = find_class,
    .ThrowNew = throw_new,
};

static JNIEnv java = &functions;

static jint JNICALL get_env(JavaVM* vm, void** env, jint version) {
  (void)vm;
  (void)version;
  *env = is_attached ? &java : NULL;
  return is_attached ? JNI_OK : JNI_EDETACHED;
}

static jint JNICALL attach(JavaVM* vm, void** env, void* named) {
  (void)vm;
  check(strcmp(((JavaVMAttachArgs*)named)->name, "tombolo-host-function") == 0, "a name");
  if (is_ending) {
    return JNI_ERR;
  }
  is_attached = true;
  (void)atomic_fetch_add(&attachments, 1);
  *env = &java;
  return JNI_OK;
}

static jint JNICALL detach_thread(JavaVM* vm) {
  (void)vm;
  check(is_attached, "detached once");
  is_attached = false;
  (void)atomic_fetch_add(&detachments, 1);
  return JNI_OK;
}

static const struct JNIInvokeInterface_ invocations = {
    .GetEnv = get_env,
    .AttachCurrentThreadAsDaemon = attach,
    .DetachCurrentThread = detach_thread,
};

static JavaVM machine = &invocations;

static jint JNICALL get_vm(JNIEnv* env, JavaVM** into) {
  (void)env;
  *into = &machine;
  return JNI_OK;
}

/* The vendor: keeps what is launched, until a thread of its own runs it. */

enum { MOST = 16, OUT = 2 };

static struct {
  void (*run)(void*);
  void* argument;
} kept[MOST];

static int launched;
static int answer;

static int launch(void* stream, void (*run)(void*), void* argument) {
  check(stream == (void*)&kept, "the vendor's stream");
  if (answer == 0) {
    kept[launched].run = run;
    kept[launched++].argument = argument;
  }
  return answer;
}

static void* run_kept(void* unused) {
  for (int i = 0; i < launched; i++) {
    kept[i].run(kept[i].argument);
  }
  return unused;
}

static void run_on_a_thread(void) {
  pthread_t thread;
  check(pthread_create(&thread, NULL, run_kept, NULL) == 0 && pthread_join(thread, NULL) == 0, "a thread");
  launched = 0;
}

static int fine(const device* on) {
  (void)on;
  return 0;
}

static const char* no_text(const driver* of, role which, int code) {
  (void)of;
  (void)which;
  (void)code;
  return NULL;
}

static driver row = {.calls = {.set_current = fine, .text = no_text}, .constant = {[OUT_OF_MEMORY] = OUT}};

static jlong new_stream(void) {
  thing made = {.kind = STREAM, .on = {.driver = &row}, .value = (uint64_t)(uintptr_t)&kept};
  return handle_new(&made);
}

static void call(jlong stream, atomic_int* function) {
  Java_io_tombolo_adaptors_device_DeviceLibrary_callHost(&java, NULL, stream, (jobject)(void*)function);
}

static bool was_thrown(const char* type) {
  bool was = thrown != NULL && strcmp(thrown, type) == 0;
  thrown = NULL;
  return was;
}

static void a_runtime_without_the_call_is_not_called(jlong stream) {
  atomic_int calls = 0;
  row.symbol[HOST_FUNCTION] = NULL;
  check(!Java_io_tombolo_adaptors_device_DeviceLibrary_callsHost(&java, NULL, stream), "it says so");
  call(stream, &calls);
  check(was_thrown(UNSUPPORTED) && launched == 0 && atomic_load(&references) == 0, "nothing was begun");
  row.symbol[HOST_FUNCTION] = (void*)launch;
}

static void a_thread_is_attached_once_and_detached_at_its_end(jlong stream) {
  atomic_int calls = 0;
  for (int i = 0; i < MOST; i++) {
    call(stream, &calls);
  }
  check(atomic_load(&calls) == 0 && atomic_load(&references) == MOST, "they wait for their turn");
  run_on_a_thread();
  check(atomic_load(&calls) == MOST && atomic_load(&references) == 0, "each has run, and is let go");
  check(atomic_load(&attachments) == 1 && atomic_load(&detachments) == 1, "one thread");
}

static void javas_own_threads_stay_as_they_are(jlong stream) {
  atomic_int calls = 0;
  call(stream, &calls);
  is_attached = true;
  (void)run_kept(NULL);
  launched = 0;
  check(atomic_load(&calls) == 1 && is_attached && atomic_load(&attachments) == 1, "neither attached nor detached");
}

static void nothing_unwinds_into_the_vendor(jlong stream) {
  atomic_int calls = 0;
  throws = true;
  call(stream, &calls);
  run_on_a_thread();
  throws = false;
  check(atomic_load(&calls) == 1 && atomic_load(&described) == 1 && atomic_load(&references) == 0, "told, and cleared");
}

static void what_the_vendor_refuses_is_let_go(jlong stream) {
  atomic_int calls = 0;
  answer = OUT;
  call(stream, &calls);
  answer = 0;
  check(was_thrown(RESOURCE) && atomic_load(&references) == 0, "and is the caller's error");
}

static void a_jvm_that_ends_is_left_alone(jlong stream) {
  atomic_int calls = 0;
  call(stream, &calls);
  is_ending = true;
  run_on_a_thread();
  check(atomic_load(&calls) == 0, "its threads are not Java's any more");
}

int main(void) {
  jlong stream = new_stream();
  a_runtime_without_the_call_is_not_called(stream);
  a_thread_is_attached_once_and_detached_at_its_end(stream);
  javas_own_threads_stay_as_they_are(stream);
  nothing_unwinds_into_the_vendor(stream);
  what_the_vendor_refuses_is_let_go(stream);
  a_jvm_that_ends_is_left_alone(stream);
  return 0;
}
