// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.staged;

import io.tombolo.base.WakeUps;
import java.io.IOException;

/** Messages cut into slots. */
public final class SlotMessages implements MessageLink {
  private final SlotLink link;
  private final TransferQueue sends;
  private final TransferQueue receives;
  private SendSide sendSide;
  private ReceiveSide receiveSide;

  /** Messages over {@code link}, which it takes, for these queues. */
  public SlotMessages(SlotLink link, TransferQueue sends, TransferQueue receives) {
    this.link = link;
    this.sends = sends;
    this.receives = receives;
  }

  @Override
  public boolean isReady() {
    return sendSide != null;
  }

  @Override
  public String doing() {
    return link.doing();
  }

  @Override
  public int progress() throws IOException {
    int steps = link.progress();
    if (sendSide != null) {
      return steps + receiveSide.progress() + sendSide.progress();
    }
    if (link.isReady()) {
      receiveSide = new ReceiveSide(link, receives);
      sendSide = new SendSide(link, sends);
      return steps + 1;
    }
    return steps;
  }

  @Override
  public void awaits(WakeUps wakeUps) {
    if (isQuiet()) {
      link.awaits(wakeUps);
    } else {
      wakeUps.soon();
    }
  }

  @Override
  public boolean isPeerGone() throws IOException {
    return link.isPeerGone();
  }

  @Override
  public String howPeerWent() {
    return link.howPeerWent();
  }

  @Override
  public boolean isDrained() {
    return receiveSide.isDrained();
  }

  @Override
  public boolean isQuiet() {
    return (sendSide == null || (sendSide.isQuiet() && receiveSide.isQuiet())) && link.isQuiet();
  }

  @Override
  public long sentBytes() {
    return sendSide == null ? 0 : link.sentBytes();
  }

  @Override
  public long receivedBytes() {
    return receiveSide == null ? 0 : receiveSide.receivedBytes();
  }

  @Override
  public long copiedBytes() {
    return sendSide == null ? 0 : sendSide.copiedBytes() + receiveSide.copiedBytes();
  }

  @Override
  public long engineBytes() {
    return sendSide == null ? 0 : sendSide.engineBytes() + receiveSide.engineBytes();
  }

  @Override
  public long directBytes() {
    return sendSide == null ? 0 : sendSide.directBytes() + receiveSide.directBytes();
  }

  @Override
  public void hangUp() {
    link.hangUp();
  }

  @Override
  public void close() {
    link.close();
  }

  @Override
  public void abandon() {
    link.abandon();
  }
}
