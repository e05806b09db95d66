// SPDX-License-Identifier: Apache-2.0
package io.tombolo.cli.job;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.testng.Assert.assertTrue;
import static org.testng.Assert.expectThrows;

import io.tombolo.base.Deadline;
import io.tombolo.base.JobToken;
import io.tombolo.base.errors.TomboloException;
import io.tombolo.runtime.store.Store;
import io.tombolo.runtime.store.TcpStore;
import io.tombolo.runtime.store.TcpStoreServer;
import java.time.Duration;
import java.util.Map;
import org.testng.annotations.AfterMethod;
import org.testng.annotations.BeforeMethod;
import org.testng.annotations.Test;

/** Which of the groups in a store of torch's is looked at: each has a size of its own here. */
public class TorchStoreTest {
  private static final String DEFAULT = "default_pg/0//communicator-tombolo%2F0/";

  private static final Duration LIMIT = Duration.ofSeconds(10);

  private final JobToken token = JobToken.random();
  private TcpStoreServer server;

  @BeforeMethod
  public void start() {
    server = TcpStoreServer.startUnprotected("lo", 0);
  }

  @AfterMethod(alwaysRun = true)
  public void stop() {
    server.close();
  }

  private void put(String key, String value) {
    try (Store store = TcpStore.connectPlain(server.address(), Deadline.after(LIMIT))) {
      store.set(key, value.getBytes(UTF_8));
      assertTrue(store.get(key).isPresent()); // it has come
    }
  }

  /** A group of {@code size} ranks that nobody gave a token. */
  private void group(String place, int size) {
    put(place + "presence/size", Integer.toString(size));
    put(place + "token", token.hex());
  }

  private void shouldSay(Map<String, String> environment, String complaint) {
    String place = "127.0.0.1:" + server.address().getPort();
    JobPlace job = new JobPlace(place, environment, LIMIT);
    String message = expectThrows(TomboloException.class, job::read).getMessage();
    assertTrue(message.contains(complaint), message);
  }

  private void shouldSay(String complaint) {
    shouldSay(Map.of("TOMBOLO_STORE", "torch"), complaint);
  }

  @Test(timeOut = 60_000)
  public void shouldLookAtTheDefaultGroupOfTheLastRun() {
    shouldSay("no group of the backend tombolo has been made yet");
    group(DEFAULT, 3);
    group("default_pg/0//1//communicator-tombolo%2F0/", 2);
    shouldSay("3 of 3 ranks have not come");
    group("default_pg/0//communicator-tombolo%2F9/generation-9/", 4);
    group("default_pg/0//communicator-tombolo%2F10/generation-10/", 5);
    shouldSay("5 of 5 ranks have not come");
  }

  @Test(timeOut = 60_000)
  public void shouldAskForTheTokenThatTheRanksWereGiven() {
    put(DEFAULT + "presence/size", "3");
    shouldSay("TOMBOLO_TOKEN is not set");
  }

  /** A value without a seal is an error that names its key. */
  @Test(timeOut = 60_000)
  public void shouldBelieveOnlyWhatCarriesTheSealOfAToken() {
    Map<String, String> known = Map.of("TOMBOLO_STORE", "torch", "TOMBOLO_TOKEN", token.hex());
    group(
        "default_pg/0//communicator-tombolo%2F1/generation-1/", 2); // anyone may have put it there
    shouldSay(known, "TOMBOLO_TOKEN is set here and not for the ranks");
    put(DEFAULT + "presence/size", "3");
    shouldSay(known, "communicator-tombolo%2F0");
  }
}
