/* SPDX-License-Identifier: Apache-2.0 */
/* Works on their way: several threads, callbacks, times that pass, parts, an abort. Two ranks without streams. */
#include <dlfcn.h>
#include <jni.h>
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#include "program.h"

static tombolo_comm comm;
static int32_t rank;
static float vector[4];

static void* wait_for(void* work) {
  OK(tombolo_wait(*(tombolo_work*)work, TOMBOLO_STANDARD_TIME));
  return NULL;
}

static void wait_in_threads(void) {
  enum { THREADS = 6 };
  pthread_t threads[THREADS];
  tombolo_work work;
  OK(tombolo_all_reduce(comm, vector, vector, 4, TOMBOLO_F32, TOMBOLO_SUM, NULL, &work));
  for (int i = 0; i < THREADS; i++) {
    REQUIRE(pthread_create(&threads[i], NULL, wait_for, &work) == 0, "a thread");
  }
  for (int i = 0; i < THREADS; i++) {
    (void)pthread_join(threads[i], NULL);
  }
  OK(tombolo_release(work));
}

static void* call(void* ignored) {
  (void)ignored;
  tombolo_call blocking = TOMBOLO_CALL_INIT;
  blocking.flags = TOMBOLO_BLOCKING;
  OK(tombolo_all_reduce(comm, vector, vector, 4, TOMBOLO_F32, TOMBOLO_MAX, &blocking, NULL));
  return NULL;
}

/* Rank 1 comes when rank 0 has been sent back: a work says how it goes on. Both there: nothing is left to ask. */
static void call_briefly(void) {
  tombolo_work work = 1;
  tombolo_call briefly = TOMBOLO_CALL_INIT;
  briefly.flags = TOMBOLO_BRIEFLY;
  if (rank == 1) {
    OK(tombolo_comm_meet(comm, 20000));
  }
  OK(tombolo_all_reduce(comm, vector, vector, 4, TOMBOLO_F32, TOMBOLO_MAX, &briefly, &work));
  if (rank == 0) {
    int ended;
    REQUIRE(work != 0, "an operation under way");
    OK(tombolo_test(work, &ended));
    REQUIRE(ended == 0, "rank 1 has not come");
    OK(tombolo_comm_meet(comm, 20000));
  }
  if (work != 0) {
    OK(tombolo_wait(work, TOMBOLO_STANDARD_TIME));
    OK(tombolo_release(work));
  }
  int at_once = 0;
  for (int i = 0; i < 1000; i++) {
    OK(tombolo_all_reduce(comm, vector, vector, 4, TOMBOLO_F32, TOMBOLO_MAX, &briefly, &work));
    if (work == 0) {
      at_once++;
    } else {
      OK(tombolo_wait(work, TOMBOLO_STANDARD_TIME));
      OK(tombolo_release(work));
    }
  }
  REQUIRE(at_once > 500, "only %d of 1000 calls have ended when they returned", at_once);
}

/* Threads as Java counts them. */
static int java_threads(void) {
  typedef jint (*list_function)(JavaVM**, jsize, jsize*);
  list_function list = (list_function)(size_t)dlsym(RTLD_DEFAULT, "JNI_GetCreatedJavaVMs");
  JavaVM* machine;
  JNIEnv* env;
  jsize machines = 0;
  REQUIRE(list != NULL && list(&machine, 1, &machines) == JNI_OK && machines == 1, "a JVM");
  REQUIRE((*machine)->GetEnv(machine, (void**)&env, JNI_VERSION_1_8) == JNI_OK, "an attached thread");
  jclass thread = (*env)->FindClass(env, "java/lang/Thread");
  jint count = (*env)->CallStaticIntMethod(env, thread, (*env)->GetStaticMethodID(env, thread, "activeCount", "()I"));
  REQUIRE(!(*env)->ExceptionCheck(env), "the count");
  (*env)->DeleteLocalRef(env, thread);
  return count;
}

/* Each is attached at its call, and detached at its end. */
static void call_in_threads(void) {
  int before = java_threads();
  for (int i = 0; i < 50; i++) {
    pthread_t thread;
    REQUIRE(pthread_create(&thread, NULL, call, NULL) == 0, "a thread");
    (void)pthread_join(thread, NULL);
  }
  REQUIRE(java_threads() < before + 10, "%d threads of Java's, and %d before", java_threads(), before);
}

static atomic_int ends;
static atomic_int failures;

static void note_end(void* context, tombolo_status status, const char* error) {
  REQUIRE(context == &ends, "the context");
  REQUIRE((status == TOMBOLO_OK) == (error[0] == 0), "status %d and '%s'", status, error);
  atomic_fetch_add(status == TOMBOLO_OK ? &ends : &failures, 1);
}

static void await(const atomic_int* counter, int value) {
  for (int i = 0; i < 10000 && atomic_load(counter) < value; i++) {
    (void)usleep(1000);
  }
  REQUIRE(atomic_load(counter) == value, "%d callbacks", atomic_load(counter));
}

static void be_told(void) {
  tombolo_work work;
  for (int i = 0; i < 20; i++) {
    OK(tombolo_all_reduce(comm, vector, vector, 4, TOMBOLO_F32, TOMBOLO_MAX, NULL, &work));
    OK(tombolo_on_end(work, note_end, &ends));
    OK(tombolo_release(work));
  }
  await(&ends, 20);
}

/* Rank 1 sends when rank 0 has seen that it has not. */
static void wait_too_short(void) {
  tombolo_work work;
  int ended;
  if (rank == 0) {
    OK(tombolo_receive(comm, vector, 4, TOMBOLO_F32, 1, 0, NULL, &work));
    FAILS(TOMBOLO_IN_PROGRESS, "50 ms", tombolo_wait(work, 50));
    OK(tombolo_test(work, &ended));
    REQUIRE(ended == 0, "nobody has sent");
    tombolo_work_info info = {.size = sizeof info};
    OK(tombolo_work_query(work, &info));
    REQUIRE(info.status == TOMBOLO_IN_PROGRESS && info.buffers_released == 0, "status %d", info.status);
  }
  OK(tombolo_comm_meet(comm, 20000));
  if (rank == 1) {
    OK(tombolo_send(comm, vector, 4, TOMBOLO_F32, 0, 0, NULL, &work));
  }
  OK(tombolo_wait(work, TOMBOLO_STANDARD_TIME));
  OK(tombolo_test(work, &ended));
  REQUIRE(ended == 1, "it was sent");
  OK(tombolo_release(work));
}

/* More handles than a chunk of places, held at once. */
static void hold_many(void) {
  enum { WORKS = 2500 };
  static tombolo_work works[WORKS];
  for (int i = 0; i < WORKS; i++) {
    OK(tombolo_all_reduce(comm, vector, vector, 4, TOMBOLO_F32, TOMBOLO_MAX, NULL, &works[i]));
  }
  for (int i = 0; i < WORKS; i++) {
    OK(tombolo_wait(works[i], TOMBOLO_STANDARD_TIME));
  }
  for (int i = 0; i < WORKS; i++) {
    OK(tombolo_release(works[i]));
  }
}

/* State words are used again: what has ended has ended, whatever the word says of the operation that has it now. */
static void test_old_works(void) {
  enum { WORKS = 256 };
  static tombolo_work works[WORKS];
  tombolo_work last;
  for (int i = 0; i < WORKS; i++) {
    OK(tombolo_all_reduce(comm, vector, vector, 4, TOMBOLO_F32, TOMBOLO_MAX, NULL, &works[i]));
    OK(tombolo_wait(works[i], TOMBOLO_STANDARD_TIME));
  }
  if (rank == 1) {
    OK(tombolo_comm_meet(comm, 20000));
  }
  OK(tombolo_all_reduce(comm, vector, vector, 4, TOMBOLO_F32, TOMBOLO_MAX, NULL, &last));
  for (int i = 0; i < WORKS; i++) {
    int ended;
    OK(tombolo_test(works[i], &ended));
    REQUIRE(ended == 1, "work %d has ended, and another has its word", i);
    OK(tombolo_release(works[i]));
  }
  if (rank == 0) {
    OK(tombolo_comm_meet(comm, 20000));
  }
  OK(tombolo_wait(last, TOMBOLO_STANDARD_TIME));
  OK(tombolo_release(last));
}

static void check_rank(tombolo_comm part, int expected, const char* what) {
  int32_t found;
  tombolo_work work;
  OK(tombolo_comm_rank(part, &found));
  REQUIRE(found == expected, "rank %d is %d in %s", rank, found, what);
  OK(tombolo_barrier(part, NULL, &work));
  OK(tombolo_wait(work, TOMBOLO_STANDARD_TIME));
  OK(tombolo_release(work));
}

static void* split_in_order(void* part) {
  OK(tombolo_comm_split_tagged(comm, 0, rank, "in order", part));
  return NULL;
}

/* Rank 0 makes both at once, rank 1 one after the other. */
static void split_by_tags(void) {
  tombolo_comm in_order;
  tombolo_comm reversed;
  pthread_t thread;
  if (rank == 0) {
    REQUIRE(pthread_create(&thread, NULL, split_in_order, &in_order) == 0, "a thread");
  }
  OK(tombolo_comm_split_tagged(comm, 0, -rank, "reversed", &reversed));
  if (rank == 0) {
    (void)pthread_join(thread, NULL);
  } else {
    (void)split_in_order(&in_order);
  }
  check_rank(in_order, rank, "the part in order");
  check_rank(reversed, 1 - rank, "the reversed part");
  OK(tombolo_comm_destroy(reversed));
  OK(tombolo_comm_destroy(in_order));
}

/* Only rank 1 is in it. */
static void call_in_part(void) {
  tombolo_comm part;
  tombolo_work work;
  tombolo_call call = TOMBOLO_CALL_INIT;
  OK(tombolo_comm_split(comm, rank == 1 ? 0 : -1, 0, &part));
  REQUIRE((part != 0) == (rank == 1), "rank %d has part %d", rank, (int)part);
  if (rank == 1) {
    int32_t ranks;
    OK(tombolo_comm_size(part, &ranks));
    REQUIRE(ranks == 1, "%d ranks", ranks);
    OK(tombolo_all_reduce(part, vector, vector, 4, TOMBOLO_F32, TOMBOLO_MAX, &call, &work));
    OK(tombolo_wait(work, TOMBOLO_STANDARD_TIME));
    OK(tombolo_release(work));
    OK(tombolo_comm_destroy(part));
  }
}

/* Each rank alone, both in reverse, that once more, and the two alone together. */
static void make_groups(void) {
  const int32_t myself[] = {rank};
  const int32_t other[] = {1 - rank};
  const int32_t reversed[] = {1, 0};
  tombolo_comm alone;
  tombolo_comm both;
  tombolo_comm again;
  tombolo_comm merged = 7;
  OK(tombolo_comm_create_group(comm, myself, 1, "alone", &alone));
  OK(tombolo_comm_create_group(comm, reversed, 2, NULL, &both));
  OK(tombolo_comm_dup(both, "again", &again));
  FAILS(TOMBOLO_USAGE, "only these ranks", tombolo_comm_create_group(comm, other, 1, NULL, &merged));
  REQUIRE(merged == 0, "a failing call gives nothing");
  FAILS(TOMBOLO_USAGE, "at NULL", tombolo_comm_create_group(comm, NULL, 0, NULL, &merged));
  FAILS(TOMBOLO_USAGE, "NULL", tombolo_comm_merge(alone, 2, "both", NULL));
  OK(tombolo_comm_merge(alone, 2, "both", &merged));
  check_rank(alone, 0, "a group of its own");
  check_rank(both, 1 - rank, "the reversed group");
  OK(tombolo_comm_destroy(alone));
  check_rank(again, 1 - rank, "its duplicate");
  check_rank(merged, rank, "the union");
  OK(tombolo_comm_destroy(again));
  OK(tombolo_comm_destroy(both));
  OK(tombolo_comm_destroy(merged));
}

/* Rank 1 never comes, and gives up when it has rank 0's word that it is in it. The news of that overtakes what rank 0
 * still waits for, which is nothing else. */
static void abort_it(void) {
  static float word;
  tombolo_work work;
  int ended;
  tombolo_work_info info = {.size = sizeof info};
  if (rank == 1) {
    OK(tombolo_receive(comm, &word, 1, TOMBOLO_F32, 0, 0, NULL, &work));
    OK(tombolo_wait(work, TOMBOLO_STANDARD_TIME));
    OK(tombolo_comm_abort(comm));
    FAILS(TOMBOLO_ABORTED, "aborted", tombolo_comm_error(comm));
    return;
  }
  OK(tombolo_all_reduce(comm, vector, vector, 4, TOMBOLO_F32, TOMBOLO_MAX, NULL, &work));
  OK(tombolo_on_end(work, note_end, &ends));
  OK(tombolo_send(comm, &word, 1, TOMBOLO_F32, 1, 0, NULL, NULL));
  FAILS(TOMBOLO_ABORTED, "rank 1", tombolo_wait(work, TOMBOLO_STANDARD_TIME));
  FAILS(TOMBOLO_ABORTED, "rank 1", tombolo_test(work, &ended));
  REQUIRE(ended == 1, "it has ended");
  OK(tombolo_work_query(work, &info));
  REQUIRE(info.status == TOMBOLO_ABORTED, "status %d", info.status);
  await(&failures, 1);
  OK(tombolo_release(work));
}

int main(void) {
  OK(tombolo_comm_init(NULL, &comm));
  OK(tombolo_comm_rank(comm, &rank));
  wait_in_threads();
  call_briefly();
  call_in_threads();
  be_told();
  wait_too_short();
  hold_many();
  test_old_works();
  split_by_tags();
  call_in_part();
  make_groups();
  abort_it();
  OK(tombolo_comm_destroy(comm));
  (void)printf("rank %d has seen it all\n", rank);
  return 0;
}
