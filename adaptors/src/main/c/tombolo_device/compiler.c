// SPDX-License-Identifier: Apache-2.0
/*
 * Compiling kernels at run time. NVRTC and hipRTC are called alike; Java names the library and its calls
 * (CompilerDialect), in the order of `call` below.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#include "../shared/signals.h"
#include "entry.h"
#include "errors.h"
#include "io_tombolo_adaptors_device_DeviceLibrary.h"
#include "loading.h"

typedef enum call {
  VERSION,
  CREATE,
  COMPILE,
  CODE_SIZE,
  CODE,
  LOG_SIZE,
  LOG,
  DESTROY,
  TEXT,
  CALL_COUNT
} call;

typedef struct compiler {
  void* symbol[CALL_COUNT];
} compiler;

enum { MAX_OPTIONS = 8 };

#define ASK(of, call, ...) (((int (*)(__VA_ARGS__))(of)->symbol[call]))

static bool open_compiler(JNIEnv* env, jobjectArray libraries, jobjectArray symbols, compiler* opened) {
  void* library = open_first(env, libraries);
  if (library != NULL && !signals_keep(library)) {
    throw_error(env, UNAVAILABLE, "the compiler cannot be kept from taking this process's signals");
  }
  for (jsize i = 0; library != NULL && i < CALL_COUNT && !(*env)->ExceptionCheck(env); i++) {
    char* name = copy_string(env, symbols, i);
    opened->symbol[i] = name == NULL ? NULL : dlsym(library, name);
    if (opened->symbol[i] == NULL && !(*env)->ExceptionCheck(env)) {
      throw_error(env, UNAVAILABLE, "the compiler has no symbol %s: it is older than this program needs", name);
    }
    free(name);
  }
  return library != NULL && !(*env)->ExceptionCheck(env);
}

/* What the compiler has loaded by itself by now, of `names`, which works in its place; false with an exception pending. */
static bool keep_loaded(JNIEnv* env, jobjectArray names) {
  jsize count = (*env)->GetArrayLength(env, names);
  for (jsize i = 0; i < count && !(*env)->ExceptionCheck(env); i++) {
    char* name = copy_string(env, names, i);
    void* library = name == NULL ? NULL : dlopen(name, RTLD_LAZY | RTLD_NOLOAD);
    free(name);
    if (library != NULL && !signals_keep_all(library)) {
      throw_error(env, UNAVAILABLE, "the compiler cannot be kept from taking this process's signals");
    }
    if (library != NULL) {
      (void)dlclose(library); /* the compiler goes on holding it */
    }
  }
  return !(*env)->ExceptionCheck(env);
}

static void throw_compiler(JNIEnv* env, const compiler* by, const char* what, int code, const char* log) {
  const char* text = ((const char* (*)(int))by->symbol[TEXT])(code);
  char* message = NULL;
  if (asprintf(&message, "%s failed: %s%s%s", what, text == NULL ? "no text" : text, *log == 0 ? "" : "\n", log) < 0) {
    throw_error(env, RESOURCE, "no memory for the message of a compiler, which failed with raw code %d", code);
    return;
  }
  throw_coded(env, message, code);
  free(message);
}

/* The log, to be freed; empty where the compiler does not give one. */
static char* log_of(const compiler* by, void* program) {
  size_t size = 0;
  if (ASK(by, LOG_SIZE, void*, size_t*)(program, &size) != 0) {
    size = 0;
  }
  char* log = calloc(size + 1, 1);
  if (log != NULL && size > 0 && ASK(by, LOG, void*, char*)(program, log) != 0) {
    *log = 0;
  }
  return log;
}

static jbyteArray code_of(JNIEnv* env, const compiler* by, void* program) {
  size_t size = 0;
  int code = ASK(by, CODE_SIZE, void*, size_t*)(program, &size);
  char* bytes = code == 0 && size > 0 && size <= INT32_MAX ? malloc(size) : NULL;
  code = bytes == NULL ? code : ASK(by, CODE, void*, char*)(program, bytes);
  jbyteArray result = NULL;
  if (code != 0) {
    throw_compiler(env, by, "getting the compiled kernels", code, "");
  } else if (bytes == NULL) {
    throw_error(env, RESOURCE, "no memory for compiled kernels of %zu bytes", size);
  } else if ((result = (*env)->NewByteArray(env, (jsize)size)) != NULL) {
    (*env)->SetByteArrayRegion(env, result, 0, (jsize)size, (const jbyte*)bytes);
  }
  free(bytes);
  return result;
}

static jbyteArray build(JNIEnv* env, const compiler* by, void* program, int count, char** options) {
  int code = ASK(by, COMPILE, void*, int, char**)(program, count, options);
  if (code == 0) {
    return code_of(env, by, program);
  }
  char* log = log_of(by, program);
  throw_compiler(env, by, "compiling kernels", code, log == NULL ? "" : log);
  free(log);
  return NULL;
}

static jbyteArray build_source(JNIEnv* env, const compiler* by, jobjectArray loaded, const char* source, int count,
                               char** options) {
  void* program = NULL;
  int code = ASK(by, CREATE, void**, const char*, const char*, int, void*, void*)(&program, source, "tombolo.cu", 0,
                                                                                 NULL, NULL);
  if (code != 0) {
    throw_compiler(env, by, "beginning to compile kernels", code, "");
    return NULL;
  }
  jbyteArray result = keep_loaded(env, loaded) ? build(env, by, program, count, options) : NULL;
  code = ASK(by, DESTROY, void**)(&program);
  if (code != 0 && !(*env)->ExceptionCheck(env)) {
    throw_compiler(env, by, "ending a compilation", code, "");
  }
  return result;
}

ENTRY(jint, compilerVersion)(JNIEnv* env, jclass type, jobjectArray libraries, jobjectArray symbols) {
  (void)type;
  compiler by;
  int major = 0;
  int minor = 0;
  if (open_compiler(env, libraries, symbols, &by)) {
    int code = ASK(&by, VERSION, int*, int*)(&major, &minor);
    if (code != 0) {
      throw_compiler(env, &by, "asking for the compiler's version", code, "");
    }
  }
  return major << 16 | (minor & 0xffff);
}

ENTRY(jbyteArray, compile)
(JNIEnv* env, jclass type, jobjectArray libraries, jobjectArray loaded, jobjectArray symbols, jstring text,
 jobjectArray given) {
  (void)type;
  compiler by;
  jsize count = (*env)->GetArrayLength(env, given);
  if (count > MAX_OPTIONS) {
    throw_error(env, ILLEGAL_STATE, "%d options of a compiler, but at most %d", (int)count, (int)MAX_OPTIONS);
    return NULL;
  }
  if (!open_compiler(env, libraries, symbols, &by)) {
    return NULL;
  }
  char* options[MAX_OPTIONS] = {NULL};
  bool complete = true;
  for (jsize i = 0; i < count; i++) {
    options[i] = copy_string(env, given, i);
    complete = complete && options[i] != NULL;
  }
  const char* source = complete ? (*env)->GetStringUTFChars(env, text, NULL) : NULL;
  jbyteArray result = NULL;
  if (source != NULL) {
    result = build_source(env, &by, loaded, source, count, options);
    (*env)->ReleaseStringUTFChars(env, text, source);
  } else if (!(*env)->ExceptionCheck(env)) {
    throw_error(env, RESOURCE, "no memory for the source of kernels");
  }
  for (jsize i = 0; i < count; i++) {
    free(options[i]);
  }
  return result;
}
