// SPDX-License-Identifier: Apache-2.0
package io.tombolo.store.volume;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertTrue;

import com.google.common.collect.ImmutableList;
import io.tombolo.base.DataType;
import io.tombolo.base.Deadline;
import io.tombolo.store.joint.WriterShare;
import io.tombolo.store.value.TensorSpec;
import io.tombolo.store.wire.NamedPart;
import io.tombolo.store.wire.NamedSpec;
import io.tombolo.store.wire.Reply;
import java.time.Duration;
import org.testng.annotations.Test;

public class JointStageTest {
  private static final NamedSpec W = new NamedSpec("w", TensorSpec.of(DataType.F32, 4));
  private static final Duration LONG = Duration.ofSeconds(60);
  private static final Deadline NOW = Deadline.after(Duration.ZERO);

  private static WriterShare alone() {
    NamedPart all = new NamedPart(W, W.spec().whole());
    return new WriterShare(0, 1, "client", true, ImmutableList.of(all));
  }

  /**
   * It is one of the next version, which has the same name, and would take its bytes for written.
   */
  @Test
  public void shouldTakeNobodyInOnceItIsVisible() throws InterruptedException {
    JointPut put = new JointPut(new Catalog(1 << 20, 2, room -> {}), "policy", "step", 1);
    assertTrue(put.join(alone(), 0));
    put.start(LONG);
    assertTrue(put.await(0, NOW) instanceof Reply.Allotted);
    put.finish(0, ImmutableList.of(0));
    assertEquals(put.await(0, NOW), new Reply.Committed(1));
    assertTrue(put.isOver());
    assertFalse(put.join(alone(), 0));
    put.leave(alone());
  }

  /** Two that come at the same time both find all there; two rooms would part the version. */
  @Test
  public void shouldMakeRoomOnceIfSeveralAreTheLastToCome() throws InterruptedException {
    Catalog catalog = new Catalog(1 << 20, 2, room -> {});
    JointPut put = new JointPut(catalog, "policy", "step", 1);
    assertTrue(put.join(alone(), 0));
    put.start(LONG);
    Reply first = put.await(0, NOW);
    put.start(LONG);
    assertEquals(put.await(0, NOW), first);
    assertEquals(catalog.figures(1).puts(), 1);
  }

  @Test
  public void shouldTellTheFirstFailureOfSeveral() throws InterruptedException {
    Catalog catalog = new Catalog(1 << 20, 2, room -> {});
    JointPut put = new JointPut(catalog, "policy", "step", 1);
    assertTrue(put.join(alone(), 60_000));
    put.start(LONG);
    put.await(0, NOW);
    Reply first = put.giveUp(Reply.Reason.CORRUPT, "the first");
    assertEquals(put.giveUp(Reply.Reason.PEER, "the second"), first);
    put.finish(0, ImmutableList.of(0));
    assertEquals(put.await(0, NOW), first);
    assertEquals(catalog.figures(1).puts(), 1);
    put.leave(alone());
    assertEquals(catalog.figures(1).puts(), 0);
    assertEquals(catalog.figures(1).freeBytes(), catalog.figures(1).capacityBytes());
    assertFalse(put.isOver(), "late writers are told for a minute");
  }
}
