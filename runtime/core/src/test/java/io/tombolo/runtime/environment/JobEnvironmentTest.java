// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.environment;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertTrue;
import static org.testng.Assert.expectThrows;

import com.google.common.collect.ImmutableSortedMap;
import io.tombolo.base.JobToken;
import io.tombolo.base.errors.UsageException;
import io.tombolo.runtime.environment.JobEnvironment.StoreKind;
import io.tombolo.runtime.store.MemoryStore;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

public final class JobEnvironmentTest {
  private static final String TOKEN = JobToken.random().hex();

  @Test
  public void shouldReadWhatALauncherSays() {
    JobEnvironment environment = JobEnvironment.from(variables());
    assertEquals(environment.rank(), 1);
    assertEquals(environment.size(), 4);
    assertEquals(environment.localRank(), 0);
    assertEquals(environment.storeHost(), "10.0.0.1");
    assertEquals(environment.storePort(), 4242);
    assertEquals(environment.storeKind(), StoreKind.RANK0);
    assertEquals(environment.vendor(), "emu-amd");
    assertEquals(environment.timeout(), Duration.ofMinutes(5));
    assertEquals(environment.settings(), Map.of("device", "0", "segment_bytes", "4096"));
  }

  @Test
  public void shouldGiveTheSameBackWhenWrittenAndReadAgain() {
    JobEnvironment environment = JobEnvironment.from(with("TOMBOLO_TIMEOUT_MS", "1500"));
    Map<String, String> written = environment.toVariables();
    assertEquals(JobEnvironment.from(written).toVariables(), written);
    assertEquals(written.get("TOMBOLO_SEGMENT_BYTES"), "4096");
    assertEquals(written.get("TOMBOLO_TIMEOUT_MS"), "1500");
  }

  /** A process of no job may have what is left of a launcher's variables, or of a script's own. */
  @Test
  public void shouldReadPlainSettingsWhateverALauncherSays() {
    Map<String, String> environment =
        Map.of("RANK", "1", "TORCHELASTIC_RESTART_COUNT", "3", "TOMBOLO_RDMA_DEVICE", "mlx5_0");
    expectThrows(UsageException.class, () -> JobEnvironment.settingsOf(environment));
    assertEquals(JobEnvironment.plainSettingsOf(environment), Map.of("rdma_device", "mlx5_0"));
  }

  @Test
  public void shouldWaitForGoodbyesForTenSecondsAtMost() {
    assertEquals(JobEnvironment.from(variables()).partingDeadline().budgetNs(), 10_000_000_000L);
    JobEnvironment hurried = JobEnvironment.from(with("TOMBOLO_TIMEOUT_MS", "1500"));
    assertEquals(hurried.partingDeadline().budgetNs(), 1_500_000_000L);
  }

  @Test
  public void shouldSealValuesWhenTorchrunHostsTheStore() {
    assertEquals(
        JobEnvironment.from(with("TORCHELASTIC_RUN_ID", "r")).storeKind(), StoreKind.TORCH);
    assertEquals(JobEnvironment.from(with("TOMBOLO_STORE", "torch")).storeKind(), StoreKind.TORCH);
  }

  /** Else the ranks that go on would take each other's devices. */
  @Test
  public void shouldKeepItsDeviceAsARankOfFewer() {
    JobEnvironment fourth =
        new JobEnvironment(
            3,
            4,
            3,
            "h",
            4242,
            StoreKind.TOMBOLO,
            JobToken.parse(TOKEN),
            "emu-amd",
            Duration.ofSeconds(1),
            ImmutableSortedMap.of("fabrics", "tcp"));
    JobEnvironment second = fourth.among(1, 2);
    assertEquals(second.rank() + " of " + second.size(), "1 of 2");
    assertEquals(second.settings(), ImmutableSortedMap.of("device", "3", "fabrics", "tcp"));
    assertEquals(second.among(0, 1).settings(), second.settings());
  }

  @Test
  public void shouldTakeTorchrunsRestartsForTheGeneration() {
    Map<String, String> restarted = with("TORCHELASTIC_RESTART_COUNT", "2");
    assertEquals(StorePlace.of(JobEnvironment.from(restarted)), new StorePlace("", 2));
    restarted.put("TOMBOLO_GENERATION", "7");
    restarted.put("TOMBOLO_GROUP", "rows/0");
    StorePlace place = StorePlace.of(JobEnvironment.from(restarted));
    assertEquals(place, new StorePlace("rows/0", 7));
    MemoryStore store = new MemoryStore();
    place.in(store).set("k", new byte[] {1});
    assertEquals(store.get("communicator-rows%2F0/generation-7/k").orElseThrow(), new byte[] {1});
  }

  @Test
  public void shouldLetRankZeroHostTheStoreWhenNobodyElseDoes() {
    assertEquals(
        JobEnvironment.from(with("TOMBOLO_LAUNCHER", "tombolo")).storeKind(), StoreKind.TOMBOLO);
    assertEquals(
        JobEnvironment.from(with("TOMBOLO_STORE", "tombolo")).storeKind(), StoreKind.TOMBOLO);
    Map<String, String> standalone = with("TORCHELASTIC_RUN_ID", "r");
    standalone.put("TORCHELASTIC_USE_AGENT_STORE", "False");
    assertEquals(JobEnvironment.from(standalone).storeKind(), StoreKind.RANK0);
  }

  @Test
  public void shouldUnderstandOtherLaunchersNames() {
    Map<String, String> variables = new HashMap<>();
    variables.put("PMI_RANK", "1");
    variables.put("PMI_SIZE", "2");
    variables.put("MPI_LOCALRANKID", "1");
    variables.put("MPI_LOCALNRANKS", "2");
    variables.put("MASTER_PORT", "4242");
    variables.put("TOMBOLO_TOKEN", TOKEN);
    variables.put("TOMBOLO_VENDOR", "nvidia");
    variables.put("CUDA_VISIBLE_DEVICES", "7");
    JobEnvironment environment = JobEnvironment.from(variables);
    assertEquals(environment.rank(), 1);
    assertEquals(environment.storeHost(), "127.0.0.1");
    assertEquals(environment.number("device", -1), 0, "the only one it sees");
    variables.remove("MASTER_PORT");
    int port = JobEnvironment.from(variables).storePort();
    assertTrue(port >= 20_000 && port < 30_000, "derived from the token: " + port);
    assertEquals(JobEnvironment.from(variables).storePort(), port);
  }

  @Test
  public void shouldNotShowTheToken() {
    assertFalse(JobEnvironment.from(variables()).toString().contains(TOKEN));
  }

  @DataProvider
  Object[][] wrong() {
    return new Object[][] {
      {"RANK", null, "RANK is not set"},
      {"RANK", "one", "RANK=one"},
      {"RANK", "4", "WORLD_SIZE=4"},
      {"RANK", "-1", "RANK=-1"},
      {"WORLD_SIZE", "0", "WORLD_SIZE=0"},
      {"LOCAL_RANK", null, "LOCAL_RANK is not set"},
      {"LOCAL_RANK", "4", "LOCAL_RANK is 4 and WORLD_SIZE is 4"},
      {"LOCAL_WORLD_SIZE", "5", "LOCAL_WORLD_SIZE=5"},
      {"MASTER_ADDR", " ", "MASTER_ADDR is not set"},
      {"MASTER_PORT", "65536", "MASTER_PORT=65536"},
      {"MASTER_PORT", "0", "MASTER_PORT=0"},
      {"TOMBOLO_STORE", "etcd", "TOMBOLO_STORE is 'etcd'"},
      {"TOMBOLO_TOKEN", "short", "TOMBOLO_TOKEN: a job token is 64"},
      {"TOMBOLO_TOKEN", null, "openssl rand -hex 32"},
      {"TOMBOLO_VENDOR", null, "TOMBOLO_VENDOR is not set"},
      {"TOMBOLO_TIMEOUT_MS", "0", "TOMBOLO_TIMEOUT_MS is '0'"},
    };
  }

  @Test(dataProvider = "wrong")
  public void shouldNameTheVariableThatIsWrong(String name, String value, String part) {
    UsageException e =
        expectThrows(UsageException.class, () -> JobEnvironment.from(with(name, value)));
    assertTrue(e.getMessage().contains(part), e.getMessage());
  }

  @Test
  public void shouldSayWhereTheTokenComesFromWhenTorchrunStartedUs() {
    Map<String, String> variables = with("TORCHELASTIC_RUN_ID", "r");
    variables.remove("TOMBOLO_TOKEN");
    UsageException e = expectThrows(UsageException.class, () -> JobEnvironment.from(variables));
    assertTrue(e.getMessage().contains("before torchrun"), e.getMessage());
    assertTrue(e.getMessage().contains("openssl rand -hex 32"), e.getMessage());
  }

  private static Map<String, String> with(String name, String value) {
    Map<String, String> variables = variables();
    if (value == null) {
      variables.remove(name);
    } else {
      variables.put(name, value);
    }
    return variables;
  }

  private static Map<String, String> variables() {
    return new HashMap<>(
        Map.of(
            "RANK", "1",
            "WORLD_SIZE", "4",
            "LOCAL_RANK", "0",
            "MASTER_ADDR", "10.0.0.1",
            "MASTER_PORT", "4242",
            "TOMBOLO_TOKEN", TOKEN,
            "TOMBOLO_VENDOR", "emu-amd",
            "TOMBOLO_SEGMENT_BYTES", "4096",
            "PATH", "/bin"));
  }

  @Test
  public void shouldListAllThatARankStartedByHandLacks() {
    UsageException nothing =
        expectThrows(UsageException.class, () -> JobEnvironment.from(Map.of("HOME", "/root")));
    assertTrue(
        nothing
            .getMessage()
            .contains(
                ": RANK, LOCAL_RANK, WORLD_SIZE, MASTER_ADDR, TOMBOLO_VENDOR, TOMBOLO_TOKEN;"),
        nothing.getMessage());
    UsageException two =
        expectThrows(
            UsageException.class,
            () ->
                JobEnvironment.from(
                    Map.of(
                        "RANK", "0",
                        "WORLD_SIZE", "2",
                        "LOCAL_RANK", "0",
                        "MASTER_ADDR", "127.0.0.1")));
    assertTrue(two.getMessage().contains(": TOMBOLO_VENDOR, TOMBOLO_TOKEN;"), two.getMessage());
  }
}
