// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.verbs;

import io.tombolo.base.errors.FabricException;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a device has said of itself while it was in use. A port that goes down may come back, and
 * time-outs decide; a dead queue pair stays dead. Used by one thread.
 */
final class NicEvents {
  private static final Logger log = LoggerFactory.getLogger(NicEvents.class);

  private final VerbsDevice device;
  private final int port;
  private final Map<Integer, AsyncEvent> deadPairs = new HashMap<>();
  private Optional<AsyncEvent> deviceFailure = Optional.empty();
  private final Gid gid;
  private boolean portDown;
  private boolean gidIsLost;

  /** The events of {@code device}; {@code gid} is by which peers know {@code port}. */
  NicEvents(VerbsDevice device, int port, Gid gid) {
    this.device = device;
    this.port = port;
    this.gid = gid;
  }

  /** Takes what there is; how many events that were. A system call. */
  int progress() {
    int taken = 0;
    for (Optional<AsyncEvent> event = device.takeEvent();
        event.isPresent();
        event = device.takeEvent()) {
      take(event.get());
      taken++;
    }
    return taken;
  }

  private void take(AsyncEvent event) {
    if (event.killsDevice()) {
      deviceFailure = Optional.of(event);
    } else if (event.killsPair()) {
      deadPairs.putIfAbsent(event.number(), event);
    } else if (event.number() == port && (event.isPortDown() || event.isPortUp())) {
      portDown = event.isPortDown();
      log.warn("RDMA device {}, port {}: {}", device, port, event.text());
      return;
    } else if (event.number() == port && event.isGidChange()) {
      gidIsLost = device.gids(port).stream().noneMatch(gid::equals);
      log.warn("RDMA device {}, port {}: {}", device, port, event.text());
      return;
    }
    log.info("RDMA device {}: {} ({})", device, event.text(), event.number());
  }

  /** For the end of an error's text: empty unless the port is down now, or has lost its GID. */
  String portNote() {
    String which = "; port " + port + " of " + device.name();
    String note =
        portDown ? which + " is down: look at the cable, the switch and the interface" : "";
    return gidIsLost
        ? note
            + which
            + " has no GID "
            + gid
            + " any more: its interface lost that address; give it back, or choose another GID"
            + " with the setting rdma_gid_index"
        : note;
  }

  /** Why the queue pair {@code number} carries nothing any more, if that is so. */
  Optional<String> failureOf(int number) {
    return deadPairs.containsKey(number)
        ? Optional.of(pairText(deadPairs.get(number)))
        : deviceFailure.map(NicEvents::text);
  }

  private static String pairText(AsyncEvent pairFailure) {
    return "queue pair "
        + pairFailure.number()
        + " has failed: "
        + pairFailure.text()
        + " (see dmesg)";
  }

  private static String text(AsyncEvent deviceFailure) {
    return deviceFailure.text() + "; the NIC was reset or has failed: see dmesg";
  }

  /**
   * Throws {@code failure} as this NIC's, if the device has failed, or if the port is down now or
   * has lost its GID. Then this rank knows the cause, and need not ask what its peers have seen.
   */
  void check(String failure) {
    checkDevice(failure + "; ");
    if (portDown || gidIsLost) {
      int code = portDown ? AsyncEvent.PORT_ERROR : AsyncEvent.GID_CHANGE;
      throw new FabricException(failure + portNote(), code);
    }
  }

  /**
   * Throws {@code failure} as this NIC's, if the queue pair {@code number} broke by itself: then
   * this rank knows the cause, too.
   */
  void checkPair(int number, String failure) {
    AsyncEvent event = deadPairs.get(number);
    if (event != null && event.isPairsOwn()) {
      throw new FabricException(failure + pairText(event), event.type());
    }
  }

  /** Throws that the device has failed, if it has: nothing else tells of that on an idle link. */
  void checkDevice() {
    checkDevice(device + ": ");
  }

  private void checkDevice(String context) {
    if (deviceFailure.isPresent()) {
      AsyncEvent event = deviceFailure.get();
      throw new FabricException(context + text(event), event.type());
    }
  }

  /** The queue pair {@code number} is a new one: nothing was said of it yet. */
  void forget(int number) {
    deadPairs.remove(number);
  }
}
