// SPDX-License-Identifier: Apache-2.0
package io.tombolo.store.joint;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertTrue;
import static org.testng.Assert.expectThrows;

import com.google.common.collect.ImmutableList;
import io.tombolo.base.DataType;
import io.tombolo.base.errors.MismatchException;
import io.tombolo.store.value.TensorSpec;
import io.tombolo.store.wire.NamedPart;
import io.tombolo.store.wire.NamedSpec;
import io.tombolo.tensors.layout.Box;
import java.util.List;
import org.testng.annotations.Test;

public class JointPlanTest {
  private static final NamedSpec W = new NamedSpec("w", TensorSpec.of(DataType.F32, 8, 4));
  private static final Box WHOLE = Box.whole(8, 4);

  private static WriterShare share(int writer, int writers, boolean mapped, NamedPart... parts) {
    return new WriterShare(
        writer, writers, "client " + writer, mapped, ImmutableList.copyOf(parts));
  }

  @Test
  public void shouldLetReplicasThatShareMemoryWriteForThoseThatDoNot() {
    NamedPart all = new NamedPart(W, WHOLE);
    JointPlan plan =
        JointPlan.of(
            List.of(share(0, 3, false, all), share(1, 3, true, all), share(2, 3, true, all)));
    assertEquals(plan.tensors(), List.of(W));
    assertEquals(plan.tasks().get(0), List.of(new BoxTask(0, ImmutableList.of())));
    assertEquals(
        plan.tasks().get(1), List.of(new BoxTask(0, ImmutableList.of(WHOLE.cut(0, 0, 4)))));
    assertEquals(
        plan.tasks().get(2), List.of(new BoxTask(0, ImmutableList.of(WHOLE.cut(0, 4, 8)))));
  }

  @Test
  public void shouldTakeTensorsThatOnlySomeHave() {
    NamedSpec b = new NamedSpec("b", TensorSpec.of(DataType.F32));
    JointPlan plan =
        JointPlan.of(
            List.of(
                share(0, 3, true, new NamedPart(b, Box.whole()), new NamedPart(W, WHOLE)),
                share(1, 3, true),
                share(2, 3, false, new NamedPart(W, WHOLE))));
    assertEquals(plan.tensors(), List.of(b, W));
    assertEquals(plan.tasks().get(0).get(1), new BoxTask(1, ImmutableList.of(WHOLE)));
    assertEquals(plan.tasks().get(1), List.of());
    assertEquals(plan.tasks().get(2), List.of(new BoxTask(1, ImmutableList.of())));
  }

  @Test
  public void shouldTakeSeveralPartsOfOneWriter() {
    JointPlan plan =
        JointPlan.of(
            List.of(
                share(
                    0,
                    2,
                    true,
                    new NamedPart(W, WHOLE.cut(0, 0, 2)),
                    new NamedPart(W, WHOLE.cut(0, 6, 8))),
                share(1, 2, true, new NamedPart(W, WHOLE.cut(0, 2, 6)))));
    assertEquals(
        plan.tasks().get(0),
        List.of(
            new BoxTask(0, ImmutableList.of(WHOLE.cut(0, 0, 2))),
            new BoxTask(0, ImmutableList.of(WHOLE.cut(0, 6, 8)))));
  }

  @Test
  public void shouldNameTheBoxThatNobodyHasAndWhoHasWhat() {
    MismatchException gap =
        expectThrows(
            MismatchException.class,
            () ->
                JointPlan.of(
                    List.of(
                        share(0, 2, true, new NamedPart(W, WHOLE.cut(1, 0, 1))),
                        share(1, 2, true, new NamedPart(W, WHOLE.cut(1, 2, 4))))));
    assertEquals(
        gap.getMessage(),
        "nobody has [0:8, 1:2] of 'w', which is f32[8, 4]: writer 0 of 2 (client 0) has [0:8, 0:1],"
            + " writer 1 of 2 (client 1) has [0:8, 2:4]");
  }

  @Test
  public void shouldNameWritersWhoseTensorsAreNotTheSame() {
    NamedSpec other = new NamedSpec("w", TensorSpec.of(DataType.F32, 8, 5));
    MismatchException mismatch =
        expectThrows(
            MismatchException.class,
            () ->
                JointPlan.of(
                    List.of(
                        share(0, 2, true, new NamedPart(W, WHOLE)),
                        share(1, 2, true, new NamedPart(other, Box.whole(8, 5))))));
    assertTrue(
        mismatch
            .getMessage()
            .contains("f32[8, 4] to writer 0 of 2 (client 0), but f32[8, 5] to writer 1"),
        mismatch.getMessage());
  }
}
