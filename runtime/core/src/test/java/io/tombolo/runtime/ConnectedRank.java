// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import com.google.common.base.Throwables;
import io.tombolo.adaptors.DeviceBuffer;
import io.tombolo.adaptors.Stream;
import io.tombolo.base.DataType;
import io.tombolo.base.JobToken;
import io.tombolo.base.errors.TomboloException;
import io.tombolo.runtime.environment.JobEnvironment;
import io.tombolo.runtime.work.Work;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;

/**
 * A rank of a job that connects to another one. Arguments: {@code accept} or {@code connect}; its
 * fate, {@code once}, {@code die} (its last rank is killed) or {@code twice} (the other side dies,
 * and a new one comes); the port; the token; the fabric that leads to all of the other side.
 */
final class ConnectedRank {
  private static final Duration LIMIT = Duration.ofSeconds(90);

  private final Communicator communicator;
  private final boolean accepts;
  private final InetSocketAddress address;
  private final JobToken token;
  private final String fabric;

  private ConnectedRank(Communicator communicator, String[] arguments) {
    this.communicator = communicator;
    this.accepts = arguments[0].equals("accept");
    this.address =
        new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(arguments[2]));
    this.token = JobToken.parse(arguments[3]);
    this.fabric = arguments[4];
  }

  public static void main(String[] arguments) {
    int code = 0;
    try (Communicator communicator = Communicator.join(JobEnvironment.from(System.getenv()))) {
      new ConnectedRank(communicator, arguments).run(arguments[1]);
    } catch (Throwable e) {
      System.err.println(Throwables.getStackTraceAsString(e));
      code = 1;
    }
    System.out.flush();
    Runtime.getRuntime().halt(code);
  }

  private void run(String fate) throws IOException, InterruptedException {
    try (Intercommunicator link = met()) {
      new PairedMessages(link, accepts).run();
      if (!fate.equals("once")) {
        seeTheEnd(link, fate);
      }
    }
    new EveryCall(communicator).run();
    if (fate.equals("twice")) {
      try (Intercommunicator link = met()) {
        new PairedMessages(link, accepts).run();
      }
      new EveryCall(communicator).run();
    }
  }

  private Intercommunicator met() {
    Intercommunicator link =
        accepts
            ? communicator.accept(address, token, LIMIT)
            : communicator.connect(address, token, LIMIT);
    if (!link.routes().values().stream().allMatch(route -> route.startsWith(fabric + " ("))) {
      throw new IllegalStateException("not over " + fabric + ": " + link.routes());
    }
    return link;
  }

  private void seeTheEnd(Intercommunicator link, String fate)
      throws IOException, InterruptedException {
    try (Stream stream = link.device().newStream();
        DeviceArray array = new DeviceArray(link.device(), stream, Float.BYTES)) {
      DeviceBuffer one = array.buffer(DataType.F32, 1);
      int last = link.remoteSize() - 1;
      if (fate.equals("twice")) {
        Work unused = link.send(one, last, stream);
      } else if (communicator.rank() == communicator.size() - 1) {
        // the news of its end overtakes what they still wait for: they say when that has come
        for (int peer = 0; peer <= last; peer++) {
          link.receive(one, peer, stream).await(LIMIT);
        }
        String pid = Long.toString(ProcessHandle.current().pid());
        new ProcessBuilder("kill", "-KILL", pid).inheritIO().start().waitFor();
      }
      link.receive(one, last, stream).await(LIMIT);
      throw new AssertionError("a message came that nobody has sent");
    } catch (TomboloException e) {
      System.out.println("the connection ended: " + e.getMessage());
      DeathInTheLibrary.await("the failure", () -> link.failure().isPresent());
    }
  }
}
