// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.plan;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertNotEquals;

import com.google.common.collect.ImmutableSet;
import io.tombolo.base.DataType;
import io.tombolo.base.ReduceOp;
import java.util.List;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

/** Plans are found by calls: equal ones have one plan, and others do not get it. */
public class CollectiveCallTest {

  @Test
  public void shouldEqualAnotherOfTheSame() {
    assertEquals(call(), call());
    assertEquals(call().hashCode(), call().hashCode());
    assertEquals(new Interval(1, 2), new Interval(1, 2));
    assertEquals(new Interval(1, 2).hashCode(), new Interval(1, 2).hashCode());
    Resource resource = new Resource(Resource.Kind.SEND, 1);
    assertEquals(resource, new Resource(Resource.Kind.SEND, 1));
    assertEquals(resource.hashCode(), new Resource(Resource.Kind.SEND, 1).hashCode());
  }

  @Test(dataProvider = "others")
  public void shouldDifferInEachPart(Object one, Object other) {
    assertNotEquals(one, other);
    assertNotEquals(other, one);
    assertNotEquals(one.hashCode(), other.hashCode(), "so alike that they share a place");
  }

  @DataProvider
  Object[][] others() {
    CollectiveCall call = call();
    Reach reach = call.reach();
    return new Object[][] {
      {
        call,
        CollectiveCall.vector(Collective.REDUCE, 8, DataType.F32, Reduction.sum(), 1, false)
            .reaching(reach)
      },
      {call, with(DataType.F64, Reduction.sum(), 1, 8, false)},
      {call, with(DataType.F32, Reduction.max(), 1, 8, false)},
      {call, with(DataType.F32, Reduction.sum(), 2, 8, false)},
      {call, with(DataType.F32, Reduction.sum(), 1, 9, false)},
      {call, with(DataType.F32, Reduction.sum(), 1, 8, true)},
      {call, call.withLayout(Layout.Uneven.packed(8, 8))},
      {reach, reach(List.of(0), List.of(2), true, false, 64)},
      {reach, reach(List.of(1), List.of(0), true, false, 64)},
      {reach, reach(List.of(1), List.of(2), false, false, 64)},
      {reach, reach(List.of(1), List.of(2), true, true, 64)},
      {reach, reach(List.of(1), List.of(2), true, false, 65)},
      {call, call.reaching(Reach.NONE)},
      {new Interval(1, 2), new Interval(0, 2)},
      {new Interval(1, 2), new Interval(1, 3)},
      {new Resource(Resource.Kind.SEND, 1), new Resource(Resource.Kind.RECEIVE, 1)},
      {new Resource(Resource.Kind.SEND, 1), new Resource(Resource.Kind.SEND, 0)},
      {Reduction.sum(), new Reduction.None()},
      {Reduction.sum(), new Reduction.By(ReduceOp.MIN)},
    };
  }

  private static CollectiveCall call() {
    return with(DataType.F32, new Reduction.By(ReduceOp.SUM), 1, 8, false);
  }

  private static CollectiveCall with(
      DataType type, Reduction reduction, int root, long count, boolean inPlace) {
    return CollectiveCall.vector(Collective.BROADCAST, count, type, reduction, root, inPlace)
        .reaching(reach(List.of(1), List.of(2), true, false, 64));
  }

  private static Reach reach(
      List<Integer> sends,
      List<Integer> receives,
      boolean input,
      boolean output,
      long combinesFromBytes) {
    return new Reach(
        ImmutableSet.copyOf(sends),
        ImmutableSet.copyOf(receives),
        input,
        output,
        combinesFromBytes);
  }
}
