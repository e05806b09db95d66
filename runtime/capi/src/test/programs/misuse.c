/* SPDX-License-Identifier: Apache-2.0 */
/* What is wrong is refused, and says why; and the communicator can still be used. One rank. */
#include <stdint.h>

#include "program.h"

static float vector[4] = {1, 2, 3, 4};

static void before_java(void) {
  tombolo_java java = TOMBOLO_JAVA_INIT;
  java.java_home = "/nowhere";
  FAILS(TOMBOLO_NO_JAVA, "apt-get install", tombolo_start(&java));
  java.size = 4;
  FAILS(TOMBOLO_USAGE, "TOMBOLO_JAVA_INIT", tombolo_start(&java));
  REQUIRE(tombolo_version() >> 16 == TOMBOLO_MAJOR, "version");
  REQUIRE(tombolo_type_size(TOMBOLO_F64) == 8 && tombolo_type_size((tombolo_type)99) == 0, "sizes");
  REQUIRE(strcmp(tombolo_status_name(TOMBOLO_IN_PROGRESS), "TOMBOLO_IN_PROGRESS") == 0, "names");
}

static void configurations(void) {
  tombolo_comm comm = 7;
  tombolo_id id;
  tombolo_config config = TOMBOLO_CONFIG_INIT;
  config.rank = 3;
  config.ranks = 2;
  FAILS(TOMBOLO_USAGE, "rank 3 of 2", tombolo_comm_init(&config, &comm));
  REQUIRE(comm == 0, "a failing call gives nothing");
  FAILS(TOMBOLO_USAGE, "NULL", tombolo_comm_init(NULL, NULL));
  memset(&id, 'x', sizeof id);
  config.rank = 0;
  config.vendor = "host";
  config.id = &id;
  FAILS(TOMBOLO_USAGE, "does not end", tombolo_comm_init(&config, &comm));
  id.text[255] = 0;
  FAILS(TOMBOLO_USAGE, "tombolo_make_id", tombolo_comm_init(&config, &comm));
  OK(tombolo_make_id(NULL, &id));
  config.ranks = 1;
  config.vendor = "nobody";
  FAILS(TOMBOLO_USAGE, "nobody knows the vendor", tombolo_comm_init(&config, &comm));
  FAILS(TOMBOLO_USAGE, "knows the host", tombolo_make_id("no such host", &id));
}

static void calls(tombolo_comm comm) {
  tombolo_work work = 7;
  tombolo_call call = TOMBOLO_CALL_INIT;
  int64_t counts[1] = {-1};
  FAILS(TOMBOLO_USAGE, "no communicator 99",
        tombolo_all_reduce(99, vector, vector, 4, TOMBOLO_F32, TOMBOLO_SUM, NULL, &work));
  REQUIRE(work == 0, "a failing call gives nothing");
  FAILS(TOMBOLO_USAGE, "no communicator 0", tombolo_barrier(0, NULL, NULL));
  FAILS(TOMBOLO_USAGE, "no tombolo_type 77",
        tombolo_all_reduce(comm, vector, vector, 4, (tombolo_type)77, TOMBOLO_SUM, NULL, &work));
  FAILS(TOMBOLO_USAGE, "no tombolo_op 77",
        tombolo_all_reduce(comm, vector, vector, 4, TOMBOLO_F32, (tombolo_op)77, NULL, &work));
  FAILS(TOMBOLO_USAGE, "negative",
        tombolo_all_reduce(comm, vector, vector, (uint64_t)-1, TOMBOLO_F32, TOMBOLO_SUM, NULL, &work));
  FAILS(TOMBOLO_USAGE, "2⁶³",
        tombolo_all_reduce(comm, vector, vector, INT64_MAX, TOMBOLO_F32, TOMBOLO_SUM, NULL, &work));
  FAILS(TOMBOLO_USAGE, "overlap",
        tombolo_all_reduce(comm, vector, vector + 1, 2, TOMBOLO_F32, TOMBOLO_SUM, NULL, &work));
  FAILS(TOMBOLO_USAGE, "negative",
        tombolo_all_gather_v(comm, vector, vector, counts, NULL, TOMBOLO_F32, NULL, &work));
  FAILS(TOMBOLO_USAGE, "NULL", tombolo_all_gather_v(comm, vector, vector, NULL, NULL, TOMBOLO_F32, NULL, &work));
  FAILS(TOMBOLO_USAGE, "NULL",
        tombolo_all_to_all_v(comm, vector, counts, NULL, vector, NULL, NULL, TOMBOLO_F32, NULL, &work));
  call.factor = 0.5;
  FAILS(TOMBOLO_UNSUPPORTED, "0.5 has no meaning for i32",
        tombolo_all_reduce(comm, vector, vector, 4, TOMBOLO_I32, TOMBOLO_PREMUL_SUM, &call, &work));
  FAILS(TOMBOLO_USAGE, "tags are 0 or more", tombolo_send(comm, vector, 1, TOMBOLO_F32, 0, -5, NULL, &work));
  call.flags = 64;
  FAILS(TOMBOLO_USAGE, "TOMBOLO_CALL_INIT", tombolo_barrier(comm, &call, &work));
  call.flags = 0;
  call.timeout_ms = -3;
  FAILS(TOMBOLO_USAGE, "positive", tombolo_barrier(comm, &call, &work));
  FAILS(TOMBOLO_USAGE, "positive", tombolo_comm_set_timeout(comm, 0));
  FAILS(TOMBOLO_USAGE, "tombolo_fact 42", tombolo_comm_text(comm, (tombolo_fact)42, NULL, 0, NULL));
  FAILS(TOMBOLO_USAGE, "no memory", tombolo_free(comm, vector));
}

static void groups(tombolo_comm comm) {
  FAILS(TOMBOLO_USAGE, "no group", tombolo_group_end(comm, NULL, NULL));
  OK(tombolo_group_start(comm));
  FAILS(TOMBOLO_USAGE, "already", tombolo_group_start(comm));
  OK(tombolo_all_reduce(comm, vector, vector, 4, TOMBOLO_F32, TOMBOLO_SUM, NULL, NULL));
  FAILS(TOMBOLO_USAGE, "not both", tombolo_send(comm, vector, 1, TOMBOLO_F32, 0, 0, NULL, NULL));
  OK(tombolo_group_cancel(comm));
  OK(tombolo_group_start(comm));
  FAILS(TOMBOLO_USAGE, "without calls", tombolo_group_end(comm, NULL, NULL));
}

static void works(tombolo_comm comm) {
  tombolo_work work;
  int ended;
  tombolo_work_info info = {.size = sizeof info};
  OK(tombolo_all_reduce(comm, vector, vector, 4, TOMBOLO_F32, TOMBOLO_SUM, NULL, &work));
  OK(tombolo_wait(work, TOMBOLO_STANDARD_TIME));
  OK(tombolo_work_query(work, &info));
  REQUIRE(info.status == TOMBOLO_OK && info.buffers_released == 1 && info.started == 1 && info.sequence > 0 &&
              info.duration_ns > 0, "a work that has ended");
  OK(tombolo_release(work));
  FAILS(TOMBOLO_USAGE, "released", tombolo_release(work));
  FAILS(TOMBOLO_USAGE, "released", tombolo_test(work, &ended));
  FAILS(TOMBOLO_USAGE, "released", tombolo_wait(work, 0));
  FAILS(TOMBOLO_USAGE, "no work 0", tombolo_wait(0, 0));
  FAILS(TOMBOLO_USAGE, "no work", tombolo_wait(UINT64_MAX, 0));
  FAILS(TOMBOLO_USAGE, "size", tombolo_work_query(work, NULL));
}

static void texts(tombolo_comm comm) {
  char text[256];
  size_t needed;
  OK(tombolo_comm_text(comm, TOMBOLO_VENDOR_NAME, text, sizeof text, &needed));
  REQUIRE(strcmp(text, "host") == 0 && needed == 5, "vendor %s", text);
  OK(tombolo_comm_text(comm, TOMBOLO_DEVICE_NAME, text, 5, &needed));
  REQUIRE(strcmp(text, "host") == 0 && needed > 5, "the beginning of the device's name is %s", text);
  for (int fact = TOMBOLO_CLUSTERS; fact <= TOMBOLO_REDUCTIONS; fact++) {
    OK(tombolo_comm_text(comm, (tombolo_fact)fact, text, sizeof text, NULL));
  }
}

int main(void) {
  tombolo_comm comm;
  tombolo_config config = TOMBOLO_CONFIG_INIT;
  tombolo_id id;
  before_java();
  configurations();
  OK(tombolo_make_id(NULL, &id));
  config.rank = 0;
  config.ranks = 1;
  config.vendor = "host";
  config.id = &id;
  OK(tombolo_comm_init(&config, &comm));
  calls(comm);
  groups(comm);
  works(comm);
  texts(comm);
  OK(tombolo_comm_error(comm));
  OK(tombolo_comm_destroy(comm));
  FAILS(TOMBOLO_USAGE, "destroyed", tombolo_comm_destroy(comm));
  (void)printf("all refused\n");
  return 0;
}
