// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.tombolo.base.JobToken;
import io.tombolo.runtime.environment.JobEnvironment;
import io.tombolo.runtime.environment.StorePlace;
import io.tombolo.runtime.store.SealedStore;
import io.tombolo.runtime.store.Store;
import io.tombolo.topology.launch.Launcher;
import java.util.LinkedHashMap;
import java.util.Map;

/** Where the ranks of a communicator meet in a store of the program around this one. */
final class HandedInStore {
  private static final String TOKEN = "TOMBOLO_TOKEN";

  private HandedInStore() {}

  /** The ranks' place in {@code store}; {@code variables} are those of {@code environment}. */
  static MeetingPlace place(
      Store store, JobEnvironment environment, Map<String, String> variables) {
    boolean sealed = isTokenGiven(variables);
    return MeetingPlace.of(
        StorePlace.of(environment),
        place -> {
          Store lent = store.borrowed();
          return place.in(sealed ? new SealedStore(lent, environment.token()) : lent);
        });
  }

  private static boolean isTokenGiven(Map<String, String> variables) {
    return !variables.getOrDefault(TOKEN, "").isEmpty();
  }

  /** Who this process is, as {@code variables} say it for {@link JobEnvironment#from}. */
  static JobEnvironment environment(Store store, Map<String, String> variables) {
    Map<String, String> complete = new LinkedHashMap<>(variables);
    if (complete.containsKey("RANK")) { // who hands in a store may speak of other ranks than mpirun
      complete.put(Launcher.TOMBOLO_EVIDENCE, "its own");
    }
    if (isTokenGiven(variables)) {
      return JobEnvironment.from(complete);
    }
    complete.put(TOKEN, JobToken.random().hex());
    JobEnvironment mine = JobEnvironment.from(complete);
    complete.put(TOKEN, agreed(StorePlace.of(mine).in(store.borrowed()), mine.token()));
    return JobEnvironment.from(complete);
  }

  /** The token of whoever came first. */
  private static String agreed(Store store, JobToken mine) {
    return new String(
        store.compareSet(StorePlace.TOKEN_KEY, new byte[0], mine.hex().getBytes(UTF_8)), UTF_8);
  }
}
