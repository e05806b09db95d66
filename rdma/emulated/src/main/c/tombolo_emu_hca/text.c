// SPDX-License-Identifier: Apache-2.0
/* Numbers in words. */
#include "hca.h"
#include "verbs.h"

enum { STATUSES = IBV_WC_GENERAL_ERR + 1, EVENTS = IBV_EVENT_GID_CHANGE + 1, STATES = IBV_PORT_ACTIVE_DEFER + 1 };

static const char* const statuses[STATUSES] = {
    [IBV_WC_SUCCESS] = "success",
    [IBV_WC_LOC_LEN_ERR] = "local length error",
    [IBV_WC_LOC_QP_OP_ERR] = "local QP operation error",
    [IBV_WC_LOC_PROT_ERR] = "local protection error",
    [IBV_WC_WR_FLUSH_ERR] = "work request flushed",
    [IBV_WC_MW_BIND_ERR] = "memory window bind error",
    [IBV_WC_BAD_RESP_ERR] = "bad response",
    [IBV_WC_LOC_ACCESS_ERR] = "local access error",
    [IBV_WC_REM_INV_REQ_ERR] = "remote invalid request error",
    [IBV_WC_REM_ACCESS_ERR] = "remote access error",
    [IBV_WC_REM_OP_ERR] = "remote operation error",
    [IBV_WC_RETRY_EXC_ERR] = "transport retry counter exceeded",
    [IBV_WC_RNR_RETRY_EXC_ERR] = "receiver-not-ready retry counter exceeded",
    [IBV_WC_FATAL_ERR] = "fatal error",
    [IBV_WC_GENERAL_ERR] = "general error",
};

static const char* const events[EVENTS] = {
    [IBV_EVENT_CQ_ERR] = "completion queue overrun",
    [IBV_EVENT_QP_FATAL] = "queue pair broken",
    [IBV_EVENT_QP_REQ_ERR] = "invalid request from the peer",
    [IBV_EVENT_QP_ACCESS_ERR] = "access violation by the peer",
    [IBV_EVENT_COMM_EST] = "communication established",
    [IBV_EVENT_DEVICE_FATAL] = "device broken",
    [IBV_EVENT_PORT_ACTIVE] = "port active",
    [IBV_EVENT_PORT_ERR] = "port down",
    [IBV_EVENT_SRQ_LIMIT_REACHED] = "shared receive queue is low",
    [IBV_EVENT_QP_LAST_WQE_REACHED] = "queue pair takes no more shared receives",
};

static const char* const states[STATES] = {
    [IBV_PORT_DOWN] = "PORT_DOWN",   [IBV_PORT_INIT] = "PORT_INIT",     [IBV_PORT_ARMED] = "PORT_ARMED",
    [IBV_PORT_ACTIVE] = "PORT_ACTIVE", [IBV_PORT_ACTIVE_DEFER] = "PORT_ACTIVE_DEFER",
};

static const char* word(const char* const* table, int entries, int number) {
  return number >= 0 && number < entries && table[number] != NULL ? table[number] : "unknown";
}

HCA_VERB const char* ibv_wc_status_str(int status) { return word(statuses, STATUSES, status); }

HCA_VERB const char* ibv_event_type_str(int type) { return word(events, EVENTS, type); }

HCA_VERB const char* ibv_port_state_str(int state) { return word(states, STATES, state); }

HCA_VERB const char* ibv_node_type_str(int type) { return type == IBV_NODE_CA ? "emulated channel adapter" : "unknown"; }
