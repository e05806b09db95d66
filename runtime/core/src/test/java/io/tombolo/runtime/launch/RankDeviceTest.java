// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.launch;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertTrue;
import static org.testng.Assert.expectThrows;

import com.google.common.collect.ImmutableSortedMap;
import io.tombolo.base.JobToken;
import io.tombolo.base.errors.UsageException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.testng.annotations.Test;

public final class RankDeviceTest {
  private static final InetSocketAddress STORE =
      new InetSocketAddress(InetAddress.getLoopbackAddress(), 7);

  private static JobSpec job(String clusters) {
    return JobSpec.of(ClusterSpec.parse(clusters), RankMain.class);
  }

  private static List<String> devices(JobSpec job, Map<String, String> own) {
    return IntStream.range(0, job.vendors().size())
        .mapToObj(rank -> JobLauncher.variables(job, rank, STORE, JobToken.random(), own))
        .map(variables -> variables.get("TOMBOLO_DEVICE"))
        .toList();
  }

  @Test
  public void shouldShareOutAVendorsDevicesIfNobodySaysAnything() {
    JobSpec job = job("nvidia:2,host:1,amd:2");
    assertEquals(devices(job, Map.of()), List.of("0", "1", "0", "0", "1"));
    assertEquals(devices(job, Map.of("TOMBOLO_DEVICE", "")), List.of("0", "1", "0", "0", "1"));
  }

  @Test
  public void shouldLeaveAllRanksTheDeviceThatTheJobNames() {
    JobSpec job = job("nvidia:2,host:1").withSettings(ImmutableSortedMap.of("device", "3"));
    assertEquals(devices(job, Map.of()), List.of("3", "3", "3"));
    assertEquals(devices(job, Map.of("TOMBOLO_DEVICE", "1")), List.of("3", "3", "3"));
  }

  @Test
  public void shouldLeaveAllRanksTheDeviceThatTheUserNames() {
    Map<String, String> own = Map.of("TOMBOLO_DEVICE", "0", "CUDA_VISIBLE_DEVICES", "MIG-1,MIG-2");
    JobSpec job = job("nvidia:2,host:1");
    assertEquals(devices(job, own), List.of("0", "0", "0"));
    Placement placement = Placement.parse("a:3", null, Optional.empty());
    assertEquals(devices(job.on(placement), own), List.of("0", "0", "0"));
  }

  @Test
  public void shouldLeaveRanksTheOnlyDeviceThatTheySee() {
    Map<String, String> own = Map.of("CUDA_VISIBLE_DEVICES", "5");
    assertEquals(devices(job("nvidia:2,intel:2"), own), List.of("0", "0", "0", "1"));
  }

  @Test
  public void shouldNotAskThisHostsVariablesForOtherHosts() {
    Placement placement = Placement.parse("a:2", null, Optional.empty());
    Map<String, String> own = Map.of("CUDA_VISIBLE_DEVICES", "5");
    assertEquals(devices(job("nvidia:2").on(placement), own), List.of("0", "1"));
  }

  @Test
  public void shouldNameTheVariableThatHidesARanksDevice() {
    UsageException e =
        expectThrows(
            UsageException.class,
            () -> devices(job("nvidia:3"), Map.of("CUDA_VISIBLE_DEVICES", "4,5")));
    assertTrue(e.getMessage().startsWith("rank of nvidia=2, but CUDA_V"), e.getMessage());
    assertTrue(e.getMessage().contains("start fewer ranks here"), e.getMessage());
  }
}
