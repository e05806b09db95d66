// SPDX-License-Identifier: Apache-2.0
/*
 * A program that is not Java and joins a job: it starts a JVM, lets Tombolo work on a stream and on memory that are its
 * own, and reads the result back. What a plug-in for another framework does, in the fewest lines.
 *
 *   embed LIBJVM CLASSPATH     with a rank's environment (RANK, WORLD_SIZE, TOMBOLO_VENDOR=emu-nvidia, ...)
 */
#include <dlfcn.h>
#include <jni.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COUNT = 1000 };

typedef jint create_jvm(JavaVM **, void **, void *);
typedef int to_context(void **, int);
typedef int to_handle(void **, unsigned int);
typedef int to_memory(unsigned long long *, size_t);
typedef int to_pinned(void **, size_t, unsigned int);
typedef int to_device(unsigned long long, const void *, size_t, void *);
typedef int from_device(void *, unsigned long long, size_t, void *);
typedef int on_handle(void *);

static void must(int fine, const char *what) {
  if (!fine) {
    fprintf(stderr, "embed: %s failed\n", what);
    exit(1);
  }
}

/* The device runtime that Tombolo has opened: found, not opened again. */
static int find_runtime(struct dl_phdr_info *info, size_t size, void *found) {
  (void)size;
  if (strstr(info->dlpi_name, "tombolo_emu_nvidia")) {
    *(void **)found = dlopen(info->dlpi_name, RTLD_NOW | RTLD_NOLOAD);
  }
  return 0;
}

static jobject call(JNIEnv *env, jobject on, const char *type, const char *name, const char *signature, ...) {
  jclass class = (*env)->FindClass(env, type);
  must(class != NULL, type);
  va_list arguments;
  va_start(arguments, signature);
  jmethodID method = on ? (*env)->GetMethodID(env, class, name, signature)
                        : (*env)->GetStaticMethodID(env, class, name, signature);
  must(method != NULL, name);
  jobject result = strrchr(signature, ')')[1] == 'V' ? ((*env)->CallVoidMethodV(env, on, method, arguments), NULL)
                   : on ? (*env)->CallObjectMethodV(env, on, method, arguments)
                        : (*env)->CallStaticObjectMethodV(env, class, method, arguments);
  va_end(arguments);
  if ((*env)->ExceptionCheck(env)) {
    (*env)->ExceptionDescribe(env);
    exit(1);
  }
  return result;
}

int main(int argc, char **argv) {
  must(argc == 3, "reading the arguments: embed LIBJVM CLASSPATH");
  char classes[1 << 16];
  snprintf(classes, sizeof classes, "-Djava.class.path=%s", argv[2]);
  JavaVMOption options[] = {{.optionString = classes}, {.optionString = "-Xmx128m"}, {.optionString = "-Xcheck:jni"}};
  JavaVMInitArgs arguments = {.version = JNI_VERSION_10, .nOptions = 3, .options = options};
  JavaVM *vm;
  JNIEnv *env;
  create_jvm *create = (create_jvm *)dlsym(dlopen(argv[1], RTLD_NOW | RTLD_GLOBAL), "JNI_CreateJavaVM");
  must(create != NULL && create(&vm, (void **)&env, &arguments) == JNI_OK, "starting a JVM");

  jobject variables = call(env, NULL, "java/lang/System", "getenv", "()Ljava/util/Map;");
  jobject job = call(env, NULL, "io/tombolo/runtime/environment/JobEnvironment", "from",
                     "(Ljava/util/Map;)Lio/tombolo/runtime/environment/JobEnvironment;", variables);
  jobject all = call(env, NULL, "io/tombolo/runtime/Communicator", "join",
                     "(Lio/tombolo/runtime/environment/JobEnvironment;)Lio/tombolo/runtime/Communicator;", job);
  jobject device = call(env, all, "io/tombolo/runtime/Communicator", "device", "()Lio/tombolo/adaptors/DeviceAdaptor;");

  void *runtime = NULL;
  dl_iterate_phdr(find_runtime, &runtime);
  must(runtime != NULL, "finding the device runtime");
  /* Tombolo gives a thread back the context that it had: a program makes its own current. */
  void *context;
  must(((to_context *)dlsym(runtime, "cuDevicePrimaryCtxRetain"))(&context, atoi(getenv("RANK"))) == 0, "the context");
  must(((on_handle *)dlsym(runtime, "cuCtxSetCurrent"))(context) == 0, "making the context current");
  void *stream;
  unsigned long long memory;
  size_t bytes = COUNT * sizeof(float);
  float *values;
  must(((to_pinned *)dlsym(runtime, "cuMemHostAlloc"))((void **)&values, bytes, 0) == 0, "pinning memory");
  for (int i = 0; i < COUNT; i++) {
    values[i] = (float)((atoi(getenv("RANK")) + 1) * i);
  }
  must(((to_handle *)dlsym(runtime, "cuStreamCreate"))(&stream, 0) == 0, "making a stream");
  must(((to_memory *)dlsym(runtime, "cuMemAlloc_v2"))(&memory, bytes) == 0, "allocating memory");
  must(((to_device *)dlsym(runtime, "cuMemcpyHtoDAsync_v2"))(memory, values, bytes, stream) == 0, "a copy");

  jobject ours = call(env, device, "io/tombolo/adaptors/DeviceAdaptor", "streamOf",
                      "(J)Lio/tombolo/adaptors/Stream;", (jlong)stream);
  jobject f32 = call(env, NULL, "io/tombolo/base/DataType", "parse", "(Ljava/lang/String;)Lio/tombolo/base/DataType;",
                     (*env)->NewStringUTF(env, "f32"));
  jobject vector = call(env, NULL, "io/tombolo/adaptors/DeviceBuffer", "foreign",
                        "(Lio/tombolo/adaptors/DeviceAdaptor;JJLio/tombolo/base/DataType;)Lio/tombolo/adaptors/DeviceBuffer;",
                        device, (jlong)memory, (jlong)COUNT, f32);
  jobject sum = call(env, NULL, "io/tombolo/runtime/plan/Reduction", "sum", "()Lio/tombolo/runtime/plan/Reduction;");
  jobject work = call(env, all, "io/tombolo/runtime/Communicator", "allReduce",
                      "(Lio/tombolo/adaptors/DeviceBuffer;Lio/tombolo/runtime/plan/Reduction;"
                      "Lio/tombolo/adaptors/Stream;)Lio/tombolo/runtime/work/Work;",
                      vector, sum, ours);
  jmethodID method = (*env)->GetMethodID(env, (*env)->GetObjectClass(env, work), "stateAddress", "()J");
  must(method != NULL, "stateAddress");
  jlong address = (*env)->CallLongMethod(env, work, method);
  must(!(*env)->ExceptionCheck(env), "asking for the address of the state");

  /* Nothing waits for the work: the copy is behind it on our stream. */
  must(((from_device *)dlsym(runtime, "cuMemcpyDtoHAsync_v2"))(values, memory, bytes, stream) == 0, "a copy");
  while (((on_handle *)dlsym(runtime, "cuStreamQuery"))(stream) != 0) {
  }
  /* Nor does this ask Java: the word says how the work ended. Phases below 2 are before its end. */
  unsigned long long word;
  do {
    word = __atomic_load_n((unsigned long long *)address, __ATOMIC_ACQUIRE);
  } while ((word & 0xFF) < 2);
  must((word & 0xFFFF) == 2 && word >> 16 == 1, "the first operation");

  int ranks = atoi(getenv("WORLD_SIZE"));
  for (int i = 0; i < COUNT; i++) {
    must(values[i] == (float)(ranks * (ranks + 1) / 2 * i), "the sum");
  }
  call(env, all, "io/tombolo/runtime/Communicator", "close", "()V");
  printf("embed: rank %s holds the sum\n", getenv("RANK"));
  fflush(stdout);
  _Exit(0);
}
