/* SPDX-License-Identifier: Apache-2.0 */
#include "shell.h"

#include <string.h>

#include "callbacks.h"
#include "failure.h"
#include "machine.h"

#define FIRST_OF_JOBS SHELL_JOBS_ACCEPT
#define FIRST_OF_VOLUMES SHELL_VOLUME_SERVE
#define TEXT "Ljava/lang/String;"

static const struct {
  const char* name;
  const char* signature;
} methods[SHELL_METHODS] = {
    [SHELL_ENCODED] = {"encoded", "(Ljava/lang/Throwable;)[B"},
    [SHELL_ADD_SLOTS] = {"addSlots", "(IJ)V"},
    [SHELL_MAKE_ID] = {"makeId", "(" TEXT ")[B"},
    [SHELL_JOIN] = {"join", "([" TEXT "IIII" TEXT "II" TEXT "J[" TEXT "J" TEXT TEXT ")J"},
    [SHELL_SPLIT] = {"split", "(JII" TEXT ")J"},
    [SHELL_CREATE_GROUP] = {"createGroup", "(JJI" TEXT ")J"},
    [SHELL_MERGE] = {"merge", "(JI" TEXT ")J"},
    [SHELL_SHRINK] = {"shrink", "(JJ)J"},
    [SHELL_AGREE] = {"agree", "(JJJ)J"},
    [SHELL_ABORT] = {"abort", "(J)V"},
    [SHELL_DESTROY] = {"destroy", "(J)V"},
    [SHELL_DESTROY_ALL] = {"destroyAll", "()Z"},
    [SHELL_FAILURE] = {"failure", "(J)V"},
    [SHELL_RANK] = {"rank", "(J)I"},
    [SHELL_SIZE] = {"size", "(J)I"},
    [SHELL_HAS_STREAMS] = {"hasStreams", "(J)I"},
    [SHELL_SET_TIMEOUT] = {"setTimeout", "(JJ)V"},
    [SHELL_TEXT] = {"text", "(JI)[B"},
    [SHELL_MEET] = {"meet", "(JJ)V"},
    [SHELL_ALLOCATE] = {"allocate", "(JJZ)J"},
    [SHELL_FREE] = {"free", "(JJ)V"},
    [SHELL_COPY] = {"copy", "(JJJJZ)V"},
    [SHELL_CHECKSUM] = {"checksum", "(JJJ)I"},
    [SHELL_CALL] = {"call", "(JIJJJIIDIIJJI)I"},
    [SHELL_CALL_V] = {"callV", "(JIJJJJJJIIDIIJJI)I"},
    [SHELL_MESSAGE] = {"message", "(JZJJIIIIJJI)I"},
    [SHELL_START_GROUP] = {"startGroup", "(J)V"},
    [SHELL_END_GROUP] = {"endGroup", "(JIJJI)I"},
    [SHELL_CANCEL_GROUP] = {"cancelGroup", "(J)V"},
    [SHELL_AWAIT] = {"await", "(IJ)Z"},
    [SHELL_FAILURE_OF] = {"failureOf", "(I)V"},
    [SHELL_MAKE_WAIT] = {"makeWait", "(IJ)V"},
    [SHELL_ON_END] = {"onEnd", "(IJJ)V"},
    [SHELL_BUFFERS_RELEASED] = {"buffersReleased", "(I)Z"},
    [SHELL_DURATION_NS] = {"durationNs", "(I)J"},
    [SHELL_SOURCE] = {"source", "(I)I"},
    [SHELL_RELEASE] = {"release", "(I)V"},
    [SHELL_VOLUME_SERVE] = {"serve", "(" TEXT TEXT "JI)J"},
    [SHELL_VOLUME_SERVER_ADDRESS] = {"serverAddress", "(J)[B"},
    [SHELL_VOLUME_STOP] = {"stop", "(J)V"},
    [SHELL_VOLUME_OPEN] = {"open", "(" TEXT TEXT "JZ)J"},
    [SHELL_VOLUME_SHARES_MEMORY] = {"sharesMemory", "(J)Z"},
    [SHELL_VOLUME_CLOSE] = {"close", "(J)V"},
    [SHELL_VOLUME_CLOSE_ALL] = {"closeAll", "()V"},
    [SHELL_VOLUME_CLOSE_SUMS] = {"closeSums", "(Z)V"},
    [SHELL_VOLUME_PUT] = {"put", "(J" TEXT "[" TEXT "JJ)J"},
    [SHELL_VOLUME_DEVICE_CHECKSUM] = {"deviceChecksum", "(" TEXT "IJJZJJ)I"},
    [SHELL_VOLUME_PUT_MADE] = {"putMade", "(J" TEXT "[" TEXT "JJ)J"},
    [SHELL_VOLUME_PUT_PART] = {"putPart", "(J" TEXT TEXT "IIJ[" TEXT "JJ)J"},
    [SHELL_VOLUME_PUT_PART_MADE] = {"putPartMade", "(J" TEXT TEXT "IIJ[" TEXT "JJ)J"},
    [SHELL_VOLUME_BEGIN] = {"begin", "(J" TEXT "[" TEXT "J)J"},
    [SHELL_VOLUME_SET_CHECKSUM] = {"setChecksum", "(J" TEXT "I)V"},
    [SHELL_VOLUME_COMMIT] = {"commit", "(J)J"},
    [SHELL_VOLUME_ABORT] = {"abort", "(J)V"},
    [SHELL_VOLUME_OPEN_TENSORS] = {"openTensors", "(J[" TEXT ")J"},
    [SHELL_VOLUME_OPEN_VERSION] = {"openVersion", "(J" TEXT "JJ)J"},
    [SHELL_VOLUME_OPEN_KEPT] = {"openKept", "(J" TEXT "J)J"},
    [SHELL_VOLUME_KEPT_VERSIONS] = {"keptVersions", "(J" TEXT "J)J"},
    [SHELL_VOLUME_EXISTS] = {"exists", "(J" TEXT ")J"},
    [SHELL_VOLUME_VERSION] = {"version", "(J)J"},
    [SHELL_VOLUME_NAMES] = {"names", "(J)[B"},
    [SHELL_VOLUME_DESCRIBE] = {"describe", "(JIJ)I"},
    [SHELL_VOLUME_ADDRESS] = {"address", "(JI)J"},
    [SHELL_VOLUME_READ] = {"read", "(JIJJJ)V"},
    [SHELL_VOLUME_READ_ALL] = {"readAll", "(JJJ)V"},
    [SHELL_VOLUME_PUT_CAST] = {"putCast", "(J" TEXT "IZ[" TEXT "J)J"},
    [SHELL_VOLUME_NARROW] = {"narrow", "(IJJFIJ)V"},
    [SHELL_VOLUME_WIDEN] = {"widen", "(IJJFJ)V"},
    [SHELL_VOLUME_SCALE_OF] = {"scaleOf", "(IJJIJ)V"},
    [SHELL_VOLUME_VERIFY] = {"verify", "(JI)V"},
    [SHELL_VOLUME_CHECK] = {"check", "(J)V"},
    [SHELL_VOLUME_CLOSE_SNAPSHOT] = {"closeSnapshot", "(J)V"},
    [SHELL_VOLUME_DELETE] = {"delete", "(J[" TEXT ")J"},
    [SHELL_VOLUME_DROP] = {"drop", "(J" TEXT ")J"},
    [SHELL_VOLUME_KEYS] = {"keys", "(J" TEXT ")[B"},
    [SHELL_VOLUME_STATE_DICTS] = {"stateDicts", "(J" TEXT ")[B"},
    [SHELL_VOLUME_HOLD] = {"hold", "(J" TEXT TEXT "IIIJJ[" TEXT "J)J"},
    [SHELL_VOLUME_REGISTER] = {"register", "(J" TEXT TEXT "IIIJ[" TEXT "JJ)V"},
    [SHELL_VOLUME_WITHDRAW] = {"withdraw", "(J" TEXT ")V"},
    [SHELL_VOLUME_OPEN_HOLDERS] = {"openHolders", "(" TEXT TEXT "JZ)J"},
    [SHELL_VOLUME_HOLDERS_SHARING] = {"holdersSharing", "(J)I"},
    [SHELL_VOLUME_CLOSE_HOLDERS] = {"closeHolders", "(J)V"},
    [SHELL_JOBS_ACCEPT] = {"accept", "(J" TEXT TEXT "J)J"},
    [SHELL_JOBS_CONNECT] = {"connect", "(J" TEXT TEXT "J)J"},
    [SHELL_JOBS_REMOTE_SIZE] = {"remoteSize", "(J)I"},
    [SHELL_JOBS_MESSAGE] = {"message", "(JZJJIIIIJJI)I"},
    [SHELL_JOBS_FAILURE] = {"failure", "(J)V"},
    [SHELL_JOBS_ABORT] = {"abort", "(J)V"},
    [SHELL_JOBS_CLOSE] = {"close", "(J)V"},
    [SHELL_JOBS_CLOSE_ALL] = {"closeAll", "()V"},
    [SHELL_VOLUME_AWAIT_HELD] = {"awaitHeld", "(J" TEXT "JJ)J"},
};

/* Written once, before the JVM is known to run. */
static jobject shell;
static jobject jobs;
static jobject volumes;
static jclass string_class;
static jmethodID string_of_bytes;
static jmethodID ids[SHELL_METHODS];

static tombolo_status lacks(JNIEnv* env, const char* what) {
  (*env)->ExceptionDescribe(env);
  (*env)->ExceptionClear(env);
  return fail(TOMBOLO_NO_JAVA, "the class path has no %s of this release (Java's message is on stderr): "
              "libtombolo.so and the jars must be of one build", what);
}

static jobject target(enum shell_method method) {
  if (method < FIRST_OF_JOBS) {
    return shell;
  }
  return method < FIRST_OF_VOLUMES ? jobs : volumes;
}

/* Makes an object of a class, by a constructor that takes the shell or nothing, and finds its methods from `first` up to,
 * without, `end`. */
static tombolo_status make(JNIEnv* env, const char* name, const char* taking, int first, int end, jobject* result) {
  jclass type = (*env)->FindClass(env, name);
  if (type == NULL) {
    return lacks(env, name);
  }
  for (int i = first; i < end; i++) {
    ids[i] = (*env)->GetMethodID(env, type, methods[i].name, methods[i].signature);
    if (ids[i] == NULL) {
      return lacks(env, methods[i].name);
    }
  }
  jmethodID constructor = (*env)->GetMethodID(env, type, "<init>", taking);
  const jvalue arguments[] = {{.l = shell}};
  jobject made = constructor == NULL ? NULL : (*env)->NewObjectA(env, type, constructor, arguments);
  *result = made == NULL ? NULL : (*env)->NewGlobalRef(env, made);
  return *result == NULL ? lacks(env, name) : TOMBOLO_OK;
}

/* Finds everything and makes the shell, when the JVM has just started. */
static tombolo_status bind(JNIEnv* env) {
  tombolo_status status = make(env, "io/tombolo/capi/Shell", "()V", 0, FIRST_OF_JOBS, &shell);
  if (status == TOMBOLO_OK) {
    status = make(env, "io/tombolo/capi/JobShell", "(Lio/tombolo/capi/Shell;)V", FIRST_OF_JOBS, FIRST_OF_VOLUMES, &jobs);
  }
  if (status == TOMBOLO_OK) {
    status = make(env, "io/tombolo/capi/VolumeShell", "()V", FIRST_OF_VOLUMES, SHELL_METHODS, &volumes);
  }
  if (status != TOMBOLO_OK) {
    return status;
  }
  jclass strings = (*env)->FindClass(env, "java/lang/String");
  string_class = strings == NULL ? NULL : (*env)->NewGlobalRef(env, strings);
  string_of_bytes = strings == NULL ? NULL : (*env)->GetMethodID(env, strings, "<init>", "([B" TEXT ")V");
  if (string_class == NULL || string_of_bytes == NULL) {
    return lacks(env, "String");
  }
  return callbacks_register(env) ? TOMBOLO_OK : lacks(env, "callbacks");
}

static const struct known_job unknown_job = {0, 0, NULL};

tombolo_status shell_start(const tombolo_java* java) {
  return machine_start(java, &unknown_job, bind);
}

JNIEnv* shell_enter(tombolo_status* status) {
  return shell_enter_for(&unknown_job, status);
}

JNIEnv* shell_enter_for(const struct known_job* job, tombolo_status* status) {
  *status = TOMBOLO_OK;
  if (!machine_runs()) {
    *status = machine_start(NULL, job, bind);
    if (*status != TOMBOLO_OK) {
      return NULL;
    }
  }
  return machine_enter(status);
}

/* The status at the beginning of what Failures.encoded has made; the rest becomes the thread's text. */
static tombolo_status decode(JNIEnv* env, jbyteArray encoded) {
  jsize length = (*env)->GetArrayLength(env, encoded);
  jbyte* bytes = (*env)->GetByteArrayElements(env, encoded, NULL);
  if (bytes == NULL) {
    (*env)->ExceptionClear(env);
    return fail(TOMBOLO_RESOURCE, "no memory for the text of an error");
  }
  tombolo_status status =
      fail_with((tombolo_status)bytes[0], (const char*)bytes + 1, length > 0 ? (size_t)length - 1 : 0);
  (*env)->ReleaseByteArrayElements(env, encoded, bytes, JNI_ABORT);
  return status;
}

tombolo_status shell_pending(JNIEnv* env) {
  if (!(*env)->ExceptionCheck(env)) {
    return TOMBOLO_OK;
  }
  jthrowable thrown = (*env)->ExceptionOccurred(env);
  (*env)->ExceptionClear(env);
  const jvalue arguments[] = {{.l = thrown}};
  jbyteArray encoded = (*env)->CallObjectMethodA(env, shell, ids[SHELL_ENCODED], arguments);
  tombolo_status status;
  if ((*env)->ExceptionCheck(env) || encoded == NULL) {
    (*env)->ExceptionClear(env);
    status = fail(TOMBOLO_RESOURCE, "an error whose text could not be told, for want of Java memory");
  } else {
    status = decode(env, encoded);
    (*env)->DeleteLocalRef(env, encoded);
  }
  (*env)->DeleteLocalRef(env, thrown);
  return status;
}

void shell_call(JNIEnv* env, enum shell_method method, const jvalue* arguments, tombolo_status* status) {
  (*env)->CallVoidMethodA(env, target(method), ids[method], arguments);
  *status = shell_pending(env);
}

jlong shell_call_long(JNIEnv* env, enum shell_method method, const jvalue* arguments, tombolo_status* status) {
  jlong result = (*env)->CallLongMethodA(env, target(method), ids[method], arguments);
  *status = shell_pending(env);
  return *status == TOMBOLO_OK ? result : 0;
}

jint shell_call_int(JNIEnv* env, enum shell_method method, const jvalue* arguments, tombolo_status* status) {
  jint result = (*env)->CallIntMethodA(env, target(method), ids[method], arguments);
  *status = shell_pending(env);
  return *status == TOMBOLO_OK ? result : 0;
}

jboolean shell_call_boolean(JNIEnv* env, enum shell_method method, const jvalue* arguments, tombolo_status* status) {
  jboolean result = (*env)->CallBooleanMethodA(env, target(method), ids[method], arguments);
  *status = shell_pending(env);
  return *status == TOMBOLO_OK ? result : JNI_FALSE;
}

jobject shell_call_object(JNIEnv* env, enum shell_method method, const jvalue* arguments, tombolo_status* status) {
  jobject result = (*env)->CallObjectMethodA(env, target(method), ids[method], arguments);
  *status = shell_pending(env);
  return *status == TOMBOLO_OK ? result : NULL;
}

tombolo_status shell_text(enum shell_method method, const jvalue* arguments, const char* function, char* text,
                          size_t size, size_t* needed) {
  if (text == NULL && size > 0) {
    return fail(TOMBOLO_USAGE, "%s: the place for the result is NULL", function);
  }
  if (size > 0) {
    text[0] = 0;
  }
  if (needed != NULL) {
    *needed = 0;
  }
  tombolo_status status;
  JNIEnv* env = shell_enter(&status);
  if (env == NULL) {
    return status;
  }
  jbyteArray told = shell_call_object(env, method, arguments, &status);
  if (told == NULL) {
    return status;
  }
  size_t length = (size_t)(*env)->GetArrayLength(env, told);
  if (needed != NULL) {
    *needed = length + 1;
  }
  if (size > 0) {
    size_t fitting = length < size ? length : size - 1;
    (*env)->GetByteArrayRegion(env, told, 0, (jsize)fitting, (jbyte*)text);
    text[fitting] = 0;
  }
  (*env)->DeleteLocalRef(env, told);
  return TOMBOLO_OK;
}

/* By its bytes: JNI's own strings are not UTF-8, and NewStringUTF must not be given anything else. */
static jstring string_of(JNIEnv* env, const char* text) {
  jsize length = text == NULL ? 0 : (jsize)strlen(text);
  jbyteArray bytes = (*env)->NewByteArray(env, length);
  jstring charset = bytes == NULL ? NULL : (*env)->NewStringUTF(env, "UTF-8");
  jstring string = NULL;
  if (charset != NULL) {
    (*env)->SetByteArrayRegion(env, bytes, 0, length, (const jbyte*)text);
    const jvalue arguments[] = {{.l = bytes}, {.l = charset}};
    string = (*env)->NewObjectA(env, string_class, string_of_bytes, arguments);
  }
  (*env)->DeleteLocalRef(env, charset);
  (*env)->DeleteLocalRef(env, bytes);
  return string;
}

jstring shell_string(JNIEnv* env, const char* text, tombolo_status* status) {
  jstring string = string_of(env, text);
  *status = shell_pending(env);
  return *status == TOMBOLO_OK ? string : NULL;
}

jobjectArray shell_strings(JNIEnv* env, const char* const* texts, size_t count, tombolo_status* status) {
  jobjectArray array = (*env)->NewObjectArray(env, (jsize)count, string_class, NULL);
  for (size_t i = 0; array != NULL && i < count && !(*env)->ExceptionCheck(env); i++) {
    jstring string = string_of(env, texts[i]);
    if (string != NULL) {
      (*env)->SetObjectArrayElement(env, array, (jsize)i, string);
      (*env)->DeleteLocalRef(env, string);
    }
  }
  *status = shell_pending(env);
  return *status == TOMBOLO_OK ? array : NULL;
}
