// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.run;

import io.tombolo.adaptors.DeviceAdaptor;
import io.tombolo.adaptors.DeviceMemory;
import io.tombolo.adaptors.Event;
import io.tombolo.adaptors.Stream;
import io.tombolo.adaptors.device.HostDevice;
import io.tombolo.base.errors.ResourceException;
import io.tombolo.runtime.StandIn;
import java.lang.reflect.Method;
import java.util.Set;

/** The host as a device that has so many streams, events and pieces of memory, and counts them. */
final class ScarceDevice {
  private static final Set<Class<?>> SCARCE = Set.of(DeviceMemory.class, Event.class, Stream.class);

  private final HostDevice host = new HostDevice();
  private int open;
  private int made;
  private int left = Integer.MAX_VALUE;

  /** As what uses it sees it. */
  DeviceAdaptor adaptor() {
    return StandIn.of(DeviceAdaptor.class, this::call);
  }

  /** From now on so many can be had, whatever is closed. */
  void allow(int count) {
    left = count;
    made = 0;
  }

  /** How many are open. */
  int open() {
    return open;
  }

  /** How many were made since {@link #allow}. */
  int made() {
    return made;
  }

  private Object call(Method method, Object[] arguments) throws Throwable {
    if (method.getName().equals("isHostOrdered")) {
      return true; // with events for doorbells
    }
    if (!SCARCE.contains(method.getReturnType())) {
      return StandIn.pass(host, method, arguments);
    }
    if (made == left) {
      throw new ResourceException("there is no more; free some");
    }
    made++;
    open++;
    Object scarce = StandIn.pass(host, method, arguments);
    return StandIn.of(
        method.getReturnType(), (called, values) -> callScarce(scarce, called, values));
  }

  private Object callScarce(Object scarce, Method method, Object[] arguments) throws Throwable {
    if (method.getName().equals("close")) {
      open--;
    }
    return StandIn.pass(scarce, method, arguments);
  }
}
