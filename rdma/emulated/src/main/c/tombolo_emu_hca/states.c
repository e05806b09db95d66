// SPDX-License-Identifier: Apache-2.0
/* Which changes of a queue pair's state there are, and what each must and may set: IBTA 1.3, table 96, as Linux has it. */
#include <errno.h>

#include "hca.h"

enum { EVERY_STATE = -1 };

typedef struct transition {
  int from;
  int to;
  int must[3]; /* for RC, UC and UD */
  int may[3];
} transition;

#define BOTH (IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN)
#define CONNECTED_MAY (IBV_QP_ALT_PATH | IBV_QP_ACCESS_FLAGS | IBV_QP_PKEY_INDEX)
#define ACTIVE_MAY (IBV_QP_CUR_STATE | IBV_QP_ALT_PATH | IBV_QP_ACCESS_FLAGS | IBV_QP_PATH_MIG_STATE)

static const transition transitions[] = {
    {EVERY_STATE, IBV_QPS_RESET, {0, 0, 0}, {0, 0, 0}},
    {EVERY_STATE, IBV_QPS_ERR, {0, 0, 0}, {0, 0, 0}},
    {IBV_QPS_RESET, IBV_QPS_INIT,
     {IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS, IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS,
      IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_QKEY},
     {0, 0, 0}},
    {IBV_QPS_INIT, IBV_QPS_INIT, {0, 0, 0},
     {IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS, IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS,
      IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_QKEY}},
    {IBV_QPS_INIT, IBV_QPS_RTR,
     {BOTH | IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER, BOTH, 0},
     {CONNECTED_MAY, CONNECTED_MAY, IBV_QP_PKEY_INDEX | IBV_QP_QKEY}},
    {IBV_QPS_RTR, IBV_QPS_RTS,
     {IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC, IBV_QP_SQ_PSN,
      IBV_QP_SQ_PSN},
     {ACTIVE_MAY | IBV_QP_MIN_RNR_TIMER, ACTIVE_MAY, IBV_QP_CUR_STATE | IBV_QP_QKEY}},
    {IBV_QPS_RTS, IBV_QPS_RTS, {0, 0, 0},
     {ACTIVE_MAY | IBV_QP_MIN_RNR_TIMER, ACTIVE_MAY, IBV_QP_CUR_STATE | IBV_QP_QKEY}},
    {IBV_QPS_SQE, IBV_QPS_RTS, {0, 0, 0}, {0, IBV_QP_CUR_STATE | IBV_QP_ACCESS_FLAGS, IBV_QP_CUR_STATE | IBV_QP_QKEY}},
};

static int column(int type) { return type == IBV_QPT_RC ? 0 : type == IBV_QPT_UC ? 1 : 2; }

int hca_check_transition(int type, int from, int to, int mask) {
  int given = mask & ~IBV_QP_STATE;
  for (size_t i = 0; i < sizeof transitions / sizeof *transitions; i++) {
    const transition* candidate = &transitions[i];
    if ((candidate->from != from && candidate->from != EVERY_STATE) || candidate->to != to) {
      continue;
    }
    int must = candidate->must[column(type)];
    return (given & must) == must && (given & ~(must | candidate->may[column(type)])) == 0 ? 0 : EINVAL;
  }
  return EINVAL;
}
