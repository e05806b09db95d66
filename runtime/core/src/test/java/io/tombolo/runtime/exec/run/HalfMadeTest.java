// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.run;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertThrows;
import static org.testng.Assert.assertTrue;

import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Maps;
import io.tombolo.adaptors.DeviceAdaptor;
import io.tombolo.base.Capabilities;
import io.tombolo.base.DataType;
import io.tombolo.base.Deadline;
import io.tombolo.base.Primitive;
import io.tombolo.base.ReduceOp;
import io.tombolo.base.errors.ResourceException;
import io.tombolo.rdma.Channel;
import io.tombolo.runtime.StandIn;
import io.tombolo.runtime.exec.agent.Agent;
import io.tombolo.runtime.exec.agent.FailureState;
import io.tombolo.runtime.exec.engine.Reducers;
import io.tombolo.runtime.exec.engine.Reductions;
import io.tombolo.runtime.exec.memory.TaskMemoryPool;
import io.tombolo.runtime.exec.memory.WindowCopies;
import io.tombolo.runtime.exec.message.Messenger;
import io.tombolo.runtime.exec.stream.OwnStreams;
import io.tombolo.runtime.exec.submit.Doorbells;
import io.tombolo.runtime.recorder.FlightRing;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.testng.annotations.AfterMethod;
import org.testng.annotations.BeforeMethod;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

/** What a device has too little for leaves nothing of itself behind. */
public class HalfMadeTest {
  private static final Duration LONG = Duration.ofSeconds(60);
  private static final Capabilities SUMS =
      Capabilities.of(
          EnumSet.allOf(Primitive.class), Set.of(DataType.F32), Set.of(ReduceOp.SUM), Set.of());

  private final ScarceDevice scarce = new ScarceDevice();
  private final DeviceAdaptor device = scarce.adaptor();
  private final Doorbells doorbells = new Doorbells(device);
  private OwnStreams streams;
  private Reducers reducers;
  private Agent agent;

  /** What is made in full or not at all. */
  private enum Made {
    TASK_MEMORY {
      @Override
      AutoCloseable on(HalfMadeTest test) {
        return new TaskMemoryPool(test.device, 4);
      }
    },
    MESSENGER {
      @Override
      AutoCloseable on(HalfMadeTest test) {
        return test.messenger();
      }
    },
    EXECUTOR {
      @Override
      AutoCloseable on(HalfMadeTest test) {
        Executor executor = test.executor(1, Map.of());
        return () -> end(executor);
      }
    };

    abstract AutoCloseable on(HalfMadeTest test);
  }

  @BeforeMethod
  public void open() {
    scarce.allow(Integer.MAX_VALUE);
    streams = new OwnStreams(device, Optional.empty(), false);
    reducers = new Reducers(1);
    agent = new Agent(() -> false);
  }

  @AfterMethod(alwaysRun = true)
  public void close() {
    agent.close();
    reducers.close();
    streams.close();
  }

  private Messenger messenger() {
    return new Messenger(
        new Messenger.Parts(
            0,
            device,
            (peer, tag, deadline) -> null,
            streams,
            new WindowCopies(device, streams.windows()),
            doorbells,
            LONG,
            agent,
            FlightRing.OFF),
        new FailureState());
  }

  private static void end(Executor executor) {
    executor.stop();
    executor.close();
    executor.awaitLibraries(Deadline.after(LONG)); // which give streams back then
  }

  private Executor executor(int size, Map<Integer, Channel> control) {
    return new Executor(
        new Executor.Parts(
            0,
            size,
            device,
            Optional.of(MemoryVendor.members(1).get(0)),
            Optional.empty(),
            Reductions.onHost("a test"),
            reducers,
            SUMS,
            1,
            peer -> null,
            control,
            Optional.empty(),
            streams,
            new WindowCopies(device, streams.windows()),
            doorbells,
            LONG,
            agent,
            FlightRing.OFF,
            false,
            false),
        new FailureState());
  }

  @DataProvider
  private static Object[][] made() {
    return new Object[][] {{Made.TASK_MEMORY}, {Made.MESSENGER}, {Made.EXECUTOR}};
  }

  @Test(dataProvider = "made", timeOut = 60_000)
  public void shouldLeaveNothingOfWhatCannotBeMadeInFull(Made what) throws Exception {
    what.on(this).close(); // what is kept for the next is kept
    int before = scarce.open();
    scarce.allow(Integer.MAX_VALUE);
    what.on(this).close();
    int needed = scarce.made();
    assertTrue(needed > 0);
    for (int had = 0; had < needed; had++) {
      scarce.allow(had);
      assertThrows(ResourceException.class, () -> what.on(this));
      assertEquals(scarce.open(), before, "after " + had + " of " + needed);
    }
    scarce.allow(needed);
    what.on(this).close();
    assertEquals(scarce.open(), before);
  }

  /** Nobody could give it back: the channels are the caller's until there is an executor. */
  @Test(timeOut = 60_000)
  public void shouldMakeRoomForVotesOnlyWhenAllElseIsThere() {
    AtomicInteger linked = new AtomicInteger();
    Channel channel = StandIn.of(Channel.class, (method, arguments) -> null);
    Map<Integer, Channel> control =
        Maps.asMap(
            ImmutableSet.of(1),
            peer -> {
              linked.incrementAndGet();
              return channel;
            });
    end(executor(2, control)); // what is kept for the next is kept
    scarce.allow(Integer.MAX_VALUE);
    end(executor(2, control));
    int needed = scarce.made();
    assertTrue(needed > 0);
    assertEquals(linked.get(), 2);
    for (int had = 0; had < needed; had++) {
      scarce.allow(had);
      assertThrows(ResourceException.class, () -> executor(2, control));
      assertEquals(linked.get(), 2, "after " + had + " of " + needed);
    }
  }
}
