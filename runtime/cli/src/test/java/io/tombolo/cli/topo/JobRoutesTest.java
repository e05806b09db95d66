// SPDX-License-Identifier: Apache-2.0
package io.tombolo.cli.topo;

import static org.testng.Assert.assertEquals;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSortedMap;
import io.tombolo.runtime.bootstrap.Presence;
import io.tombolo.runtime.bootstrap.RunningJob;
import io.tombolo.topology.render.Paint;
import java.util.Optional;
import org.testng.annotations.Test;

public final class JobRoutesTest {
  private static final String ROUTE = "shm (shared): same host";
  private static final Optional<String> LOCKS = Optional.of("it locks");

  @Test
  public void shouldSayWhoseCallsBlockBesideTheRoutes() {
    ImmutableSortedMap<Integer, Presence> presences =
        ImmutableSortedMap.of(
            0, presence(2, LOCKS), 1, presence(2, Optional.empty()), 2, presence(0, LOCKS));
    RunningJob job =
        new RunningJob(
            ImmutableList.of(), presences, ImmutableSortedMap.of(), Optional.of("it broke"));
    assertEquals(
        JobRoutes.text(job, Paint.NONE),
        """

        Between clusters
          shm (shared): same host: r0 ↔ r2, r1 ↔ r2
          calls in the host's order: it locks: r0, r2

        the job has failed: it broke
        """);
  }

  private static Presence presence(int peer, Optional<String> hostOrder) {
    return new Presence("n0", ImmutableSortedMap.of(peer, ROUTE), hostOrder);
  }
}
