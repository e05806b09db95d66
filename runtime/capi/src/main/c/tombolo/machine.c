/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One JVM for the process, made on a thread of its own, because the JVM changes the stack of the thread that makes it,
 * which is not to be the program's first. It is never destroyed: threads of the program could be inside.
 */
#include "machine.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "class_data.h"
#include "class_path.h"
#include "failure.h"
#include "find_java.h"

#define USUAL_PLACE "/usr/lib/jvm"

enum { MAX_OPTIONS = 256, NATIVE_ACCESS_FROM = 22 };

typedef jint (*create_function)(JavaVM**, void**, void*);

enum state { NOT_STARTED, RUNS, FAILED };

static pthread_mutex_t starting = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t watched = PTHREAD_ONCE_INIT;
static pthread_key_t attached;
static _Atomic(JavaVM*) machine;
static atomic_bool forked;
static atomic_int starters; /* threads that hold `starting`, or are about to; a child has none of them */
static enum state state; /* under `starting` */

static _Thread_local JNIEnv* own_env;

/* ---- fork and threads -------------------------------------------------------------------------------------------- */

static void note_fork(void) {
  if (atomic_load_explicit(&machine, memory_order_relaxed) != NULL || atomic_load(&starters) > 0) {
    atomic_store(&forked, true);
  }
}

/* Of a thread that this library has attached, at its end. */
static void detach(void* ignored) {
  (void)ignored;
  own_env = NULL;
  JavaVM* vm = atomic_load(&machine);
  if (vm != NULL && !atomic_load(&forked)) {
    (void)(*vm)->DetachCurrentThread(vm);
  }
}

static void watch(void) {
  (void)pthread_atfork(NULL, NULL, note_fork);
  (void)pthread_key_create(&attached, detach);
}

static tombolo_status is_forked(void) {
  return fail(TOMBOLO_FORKED, "this process was forked from one with a Java virtual machine, whose threads it does not "
              "have: start it anew (multiprocessing's 'spawn' or 'forkserver'), or fork before the first call");
}

bool machine_runs(void) {
  return atomic_load_explicit(&machine, memory_order_acquire) != NULL &&
         !atomic_load_explicit(&forked, memory_order_relaxed);
}

static JNIEnv* attach(tombolo_status* status) {
  JavaVM* vm = atomic_load(&machine);
  JNIEnv* env = NULL;
  if ((*vm)->GetEnv(vm, (void**)&env, JNI_VERSION_1_8) == JNI_OK) {
    own_env = env; /* a thread of Java's */
    return env;
  }
  JavaVMAttachArgs arguments = {JNI_VERSION_1_8, NULL, NULL};
  jint result = (*vm)->AttachCurrentThreadAsDaemon(vm, (void**)&env, &arguments);
  if (result != JNI_OK) {
    *status = fail(TOMBOLO_RESOURCE, "this thread cannot be attached to the Java virtual machine: JNI error %d; are "
                   "there too many threads, or too small stacks?", (int)result);
    return NULL;
  }
  (void)pthread_setspecific(attached, env);
  own_env = env;
  return env;
}

JNIEnv* machine_enter(tombolo_status* status) {
  if (atomic_load_explicit(&forked, memory_order_relaxed)) {
    *status = is_forked();
    return NULL;
  }
  return own_env != NULL ? own_env : attach(status);
}

/* ---- start ------------------------------------------------------------------------------------------------------- */

/* What the thread that makes the JVM is told, and tells. */
struct making {
  create_function create;
  JavaVMInitArgs arguments;
  const struct known_job* job;
  tombolo_status (*first)(JNIEnv* env);
  tombolo_status status;
  char error[4096];
};

static void* make(void* argument) {
  struct making* making = argument;
  JavaVM* vm = NULL;
  JNIEnv* env = NULL;
  jint result = making->create(&vm, (void**)&env, &making->arguments);
  if (result != JNI_OK) {
    making->status = fail(TOMBOLO_NO_JAVA,
                          result == JNI_EEXIST
                              ? "there is another Java virtual machine in this process already (JNI error %d)"
                              : "the Java virtual machine did not start (JNI error %d); it has said why on stderr; look "
                                "at the options, or at the memory that there is", (int)result);
  } else {
    making->status = making->first(env);
    if (making->status == TOMBOLO_OK) {
      atomic_store(&machine, vm);
    }
    (void)(*vm)->DetachCurrentThread(vm);
  }
  (void)snprintf(making->error, sizeof making->error, "%s", tombolo_last_error());
  return NULL;
}

static void add(struct making* making, const char* option) {
  if (making->arguments.nOptions < MAX_OPTIONS) {
    making->arguments.options[making->arguments.nOptions++].optionString = (char*)(size_t)option;
  }
}

/* Adds the words of `text`, which it takes apart. */
static void add_words(struct making* making, char* text) {
  char* rest = NULL;
  for (char* word = strtok_r(text, " \t\n", &rest); word != NULL; word = strtok_r(NULL, " \t\n", &rest)) {
    add(making, word);
  }
}

static tombolo_status run(struct making* making) {
  pthread_t thread;
  int error = pthread_create(&thread, NULL, make, making);
  if (error != 0) {
    return fail(TOMBOLO_RESOURCE, "no thread to start the Java virtual machine on: %s", strerror(error));
  }
  (void)pthread_join(thread, NULL);
  return making->status == TOMBOLO_OK ? TOMBOLO_OK
                                      : fail_with(making->status, making->error, strlen(making->error));
}

/* The archive of our classes, if there is one; else where later starts will look for the one that Java has made. */
static void add_class_data(struct making* making, const struct class_data* data, char* option, size_t size) {
  if (data->path[0] != 0) {
    const char* what = data->is_there ? "-XX:SharedArchiveFile=" : "-Dtombolo.class-data=";
    (void)snprintf(option, size, "%s%s", what, data->path);
    add(making, option);
    add(making, "-Xlog:cds*=off"); /* nobody need hear of one that does not fit after all */
  }
}

static tombolo_status start_with(const tombolo_java* java, const struct java_place* place, char* class_path,
                                 struct making* making) {
  void* library = dlopen(place->library, RTLD_NOW | RTLD_GLOBAL);
  if (library == NULL) {
    return fail(TOMBOLO_NO_JAVA, "%s cannot be loaded: %s", place->library, dlerror());
  }
  making->create = (create_function)(size_t)dlsym(library, "JNI_CreateJavaVM");
  if (making->create == NULL) {
    return fail(TOMBOLO_NO_JAVA, "%s has no JNI_CreateJavaVM", place->library);
  }
  JavaVMOption options[MAX_OPTIONS];
  memset(options, 0, sizeof options);
  making->arguments = (JavaVMInitArgs){JNI_VERSION_1_8, 0, options, JNI_FALSE};
  add(making, "-Xrs"); /* Ctrl-C is the program's */
  add(making, "-XX:+UseSerialGC");
  if (is_first_compiler_enough(making->job)) {
    add(making, "-XX:TieredStopAtLevel=1");
    add(making, "-XX:CompileThresholdScaling=0.1"); /* as Compilers.java */
  }
  add(making, "-XX:-UsePerfData"); /* its file in /tmp would outlive a process that is killed */
  add(making, "-Xshare:auto");
  add(making, "-Dlogback.configurationFile=io/tombolo/capi/logback.xml");
  if (place->release >= NATIVE_ACCESS_FROM) {
    add(making, "--enable-native-access=ALL-UNNAMED");
  }
  add(making, class_path);
  struct class_data data = find_class_data(place->library, strchr(class_path, '=') + 1);
  char archive[sizeof data.path + 64];
  add_class_data(making, &data, archive, sizeof archive);
  const char* more = getenv("TOMBOLO_JAVA_OPTS");
  char* words = strdup(more == NULL ? "" : more);
  if (words == NULL) {
    return fail(TOMBOLO_RESOURCE, "no memory for the options of the Java virtual machine");
  }
  add_words(making, words);
  for (uint32_t i = 0; java != NULL && i < java->option_count; i++) {
    add(making, java->options[i]);
  }
  state = FAILED; /* a second JVM cannot be made in a process */
  tombolo_status status = run(making);
  if (status == TOMBOLO_OK) {
    state = RUNS;
  }
  free(words);
  return status;
}

static tombolo_status start(const tombolo_java* java, const struct known_job* job,
                            tombolo_status (*first)(JNIEnv* env)) {
  if (state == FAILED) {
    return fail(TOMBOLO_NO_JAVA, "the Java virtual machine could not be started before; a process cannot try twice");
  }
  struct java_place place;
  tombolo_status status = find_java(java == NULL ? NULL : java->java_home, USUAL_PLACE, &place);
  if (status != TOMBOLO_OK) {
    return status;
  }
  char* class_path = NULL;
  status = find_class_path(java == NULL ? NULL : java->class_path, &class_path);
  if (status != TOMBOLO_OK) {
    return status;
  }
  struct making making = {.job = job, .first = first};
  status = start_with(java, &place, class_path, &making);
  free(class_path);
  return status;
}

tombolo_status machine_start(const tombolo_java* java, const struct known_job* job,
                             tombolo_status (*first)(JNIEnv* env)) {
  if (atomic_load(&forked)) {
    return is_forked();
  }
  if (machine_runs()) {
    return TOMBOLO_OK;
  }
  (void)pthread_once(&watched, watch);
  (void)atomic_fetch_add(&starters, 1);
  (void)pthread_mutex_lock(&starting);
  tombolo_status status = state == RUNS ? TOMBOLO_OK : start(java, job, first);
  (void)pthread_mutex_unlock(&starting);
  (void)atomic_fetch_sub(&starters, 1);
  return status;
}
