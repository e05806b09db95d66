// SPDX-License-Identifier: Apache-2.0
#include "tcp_socket.h"

#include <errno.h>
#include <linux/sockios.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

int64_t tcp_unanswered(int fd) {
  int bytes = 0;
  if (ioctl(fd, SIOCOUTQ, &bytes) != 0) return -errno;
  if (bytes == 0) return 0;
  struct tcp_info info = {0};
  socklen_t size = sizeof info;
  if (getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &size) != 0) return -errno;
  int in_vain = info.tcpi_retransmits > 0 || info.tcpi_probes > 0;
  return in_vain ? 1 + (int64_t)info.tcpi_last_ack_recv : 1;
}
