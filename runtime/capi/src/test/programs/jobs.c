/* SPDX-License-Identifier: Apache-2.0 */
/* Two jobs of one process each, which share an address and a token, exchange messages: twice, as the first time ends. */
#include "program.h"

enum { MOST_MS = 120000 };

static const char* token = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff";

static void blocking(tombolo_status status) {
  REQUIRE(status == TOMBOLO_OK, "%s", tombolo_status_name(status));
}

static void exchange(tombolo_jobs jobs, int accepts, float value) {
  int32_t size = 0;
  OK(tombolo_jobs_remote_size(jobs, &size));
  REQUIRE(size == 1, "%d ranks", size);
  tombolo_call call = TOMBOLO_CALL_INIT;
  call.flags = TOMBOLO_BLOCKING;
  call.timeout_ms = MOST_MS;
  const float sent[3] = {value, value + 1, value + 2};
  float got[3] = {0, 0, 0};
  if (accepts) {
    blocking(tombolo_jobs_send(jobs, sent, 3, TOMBOLO_F32, 0, 7, &call, NULL));
    blocking(tombolo_jobs_receive(jobs, got, 3, TOMBOLO_F32, 0, 8, &call, NULL));
  } else {
    tombolo_work work;
    OK(tombolo_jobs_receive(jobs, got, 3, TOMBOLO_F32, 0, 7, NULL, &work));
    OK(tombolo_wait(work, MOST_MS));
    OK(tombolo_release(work));
    blocking(tombolo_jobs_send(jobs, sent, 3, TOMBOLO_F32, 0, 8, &call, NULL));
  }
  REQUIRE(got[0] == value && got[2] == value + 2, "%g", got[0]);
  FAILS(TOMBOLO_USAGE, "ranks of the other side", tombolo_jobs_send(jobs, sent, 3, TOMBOLO_F32, 1, 0, NULL, NULL));
  OK(tombolo_jobs_error(jobs));
}

int main(int count, char** arguments) {
  REQUIRE(count == 3, "accept or connect, and HOST:PORT");
  int accepts = strcmp(arguments[1], "accept") == 0;
  tombolo_id id;
  OK(tombolo_make_id(NULL, &id));
  tombolo_config config = TOMBOLO_CONFIG_INIT;
  config.rank = 0;
  config.ranks = 1;
  config.local_rank = 0;
  config.vendor = "host";
  config.timeout_ms = MOST_MS;
  config.id = &id;
  tombolo_comm comm;
  OK(tombolo_comm_init(&config, &comm));
  tombolo_jobs jobs = 7;
  FAILS(TOMBOLO_USAGE, "HOST:PORT", tombolo_comm_connect(comm, "nowhere", token, 1, &jobs));
  REQUIRE(jobs == 0, "a failing call gives nothing");
  for (int time = 0; time < 2; time++) {
    OK((accepts ? tombolo_comm_accept : tombolo_comm_connect)(comm, arguments[2], token, MOST_MS, &jobs));
    exchange(jobs, accepts, 10.0f * (float)time);
    OK(tombolo_jobs_close(jobs));
    FAILS(TOMBOLO_USAGE, "no connection of two jobs", tombolo_jobs_close(jobs));
  }
  OK(tombolo_comm_destroy(comm));
  OK(tombolo_finalize());
  return 0;
}
