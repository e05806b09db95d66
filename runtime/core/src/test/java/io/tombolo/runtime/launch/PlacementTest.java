// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.launch;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertTrue;
import static org.testng.Assert.expectThrows;

import com.google.common.collect.ImmutableList;
import io.tombolo.base.JobToken;
import io.tombolo.base.errors.UsageException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

public class PlacementTest {

  private static Placement placement(String hosts) {
    return Placement.parse(hosts, "on {host}", Optional.empty());
  }

  @Test
  public void shouldGiveEachHostItsRanksInOrder() {
    Placement placement = placement("a:2, me@b.net ,[fd00::1]:1,a:1");
    assertEquals(placement.hosts(), List.of("a", "a", "me@b.net", "fd00::1", "a"));
    assertEquals(placement.neighbours(4), List.of(0, 1, 4));
    assertEquals(placement.shell(2), List.of("sh", "-c", "exec on me@b.net sh -s"));
    assertEquals(
        Placement.parse("a", null, Optional.empty()).shell(0),
        List.of("sh", "-c", "exec ssh -o BatchMode=yes a sh -s"));
  }

  @DataProvider
  Object[][] nonsense() {
    return new Object[][] {
      {"", "host:ranks"},
      {"a:2,", "host:ranks"},
      {"a:x", "'a:x'"},
      {"a:-1", "'a:-1'"},
      {"$(reboot):1", "'$(reboot):1'"},
      {"-oProxyCommand=reboot:1", "host:ranks"},
      {"fd00::1", "[fd00::1]:2"},
      {"a:0", "a host has at least 1"},
      {"a:999999", "a job at most 1024"},
      {"a:1000,b:25", "a job at most 1024"},
    };
  }

  @Test(dataProvider = "nonsense")
  public void shouldRefuseWhatNamesNoHostOrNoRanks(String hosts, String words) {
    UsageException e = expectThrows(UsageException.class, () -> placement(hosts));
    assertTrue(e.getMessage().contains(words), e.getMessage());
  }

  @Test
  public void shouldRefuseACommandThatNamesNoHost() {
    UsageException e =
        expectThrows(
            UsageException.class, () -> Placement.parse("a", "ssh -T b", Optional.empty()));
    assertTrue(e.getMessage().contains("write {host}"), e.getMessage());
  }

  @Test
  public void shouldRefuseHostsWithOtherNumbersThanTheClusters() {
    JobOptions options =
        new JobOptions("x:2,y:1", null, "auto", 10, 0, Optional.of(placement("a:1,b:1")));
    UsageException e =
        expectThrows(UsageException.class, () -> options.job(RankMain.class, ImmutableList.of()));
    assertEquals(e.getMessage(), "the hosts have 2 ranks in all, the clusters have 3");
  }

  @Test
  public void shouldLetRanksShareTheDevicesOfTheirHostOnly() {
    JobSpec job =
        JobSpec.of(ClusterSpec.ordered("x,y,x,x,y"), RankMain.class).on(placement("a:3,b:2"));
    assertEquals(places(job), List.of("0/3 0", "1/3 0", "2/3 1", "0/2 0", "1/2 0"));
  }

  private static List<String> places(JobSpec job) {
    InetSocketAddress store = new InetSocketAddress(InetAddress.getLoopbackAddress(), 7);
    return IntStream.range(0, job.vendors().size())
        .mapToObj(rank -> JobLauncher.variables(job, rank, store, JobToken.random(), Map.of()))
        .map(
            said ->
                said.get("LOCAL_RANK")
                    + "/"
                    + said.get("LOCAL_WORLD_SIZE")
                    + " "
                    + said.get("TOMBOLO_DEVICE"))
        .toList();
  }

  @Test
  public void shouldHandOverTheTokenByStandardInputOnly() {
    String token = JobToken.random().hex();
    JobSpec job = JobSpec.of(ClusterSpec.parse("x:1"), RankMain.class).on(placement("a"));
    RankStart start =
        RankStart.of(
            job,
            0,
            Map.of("TOMBOLO_TOKEN", token, "RANK", "0"),
            Map.of("TOMBOLO_UCX", "it's", "TOMBOLO_TOKEN", "another", "HOME", "/root"));
    assertFalse(start.command().toString().contains(token));
    assertEquals(start.variables(), Map.of());
    String script = start.there().orElseThrow().script();
    assertTrue(script.contains("export TOMBOLO_TOKEN='" + token + "'\n"), script);
    assertTrue(script.contains("export TOMBOLO_UCX='it'\\''s'\n"), script);
    assertFalse(script.contains("HOME"), script);
    assertFalse(script.contains("another"), script);
  }
}
