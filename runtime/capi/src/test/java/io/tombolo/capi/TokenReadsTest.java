// SPDX-License-Identifier: Apache-2.0
package io.tombolo.capi;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertNotSame;
import static org.testng.Assert.assertSame;

import io.tombolo.base.OneSidedReads;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import org.testng.annotations.BeforeMethod;
import org.testng.annotations.Test;

/** How long a process has the devices that its connections read and put by. */
public class TokenReadsTest {
  private List<String> events;
  private TokenReads reads;

  @BeforeMethod
  public void start() {
    events = new ArrayList<>();
    reads = new TokenReads(this::made);
  }

  /** A device of which nothing is asked but that it be closed. */
  private OneSidedReads made() {
    String name = "device " + events.size();
    events.add(name);
    return (OneSidedReads)
        Proxy.newProxyInstance(
            OneSidedReads.class.getClassLoader(),
            new Class<?>[] {OneSidedReads.class},
            (self, method, arguments) -> {
              events.add(method.getName() + " " + name);
              return null;
            });
  }

  @Test
  public void shouldCloseADeviceWithTheLastConnectionOfItsToken() {
    TokenReads.Lease one = reads.lend("a");
    TokenReads.Lease two = reads.lend("a");
    TokenReads.Lease other = reads.lend("b");
    assertSame(one.device(), two.device());
    assertNotSame(one.device(), other.device());
    one.close();
    assertEquals(events, List.of("device 0", "device 1"));
    two.close();
    assertEquals(events.get(2), "close device 0");
    TokenReads.Lease again = reads.lend("a");
    assertEquals(events.get(3), "device 3");
    again.close();
    other.close();
    assertEquals(events.subList(4, 6), List.of("close device 3", "close device 1"));
    reads.close();
    assertEquals(events.size(), 6);
  }

  @Test
  public void shouldCloseInTheEndWhatIsStillLent() {
    TokenReads.Lease left = reads.lend("a");
    reads.close();
    assertEquals(events, List.of("device 0", "close device 0"));
    left.close();
    assertEquals(events.size(), 2, "it is closed once");
  }
}
