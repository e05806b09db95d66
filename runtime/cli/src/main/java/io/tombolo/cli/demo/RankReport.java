// SPDX-License-Identifier: Apache-2.0
package io.tombolo.cli.demo;

import com.google.gson.Gson;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.tombolo.base.errors.CorruptException;
import java.util.Map;

/** What a rank tells the launcher: a JSON object whose {@code event} says which of these it is. */
sealed interface RankReport {
  /** Who says so. */
  int rank();

  /**
   * The rank is in the communicator.
   *
   * @param rank who
   * @param vendor its vendor
   * @param device its device, in the vendor's words
   * @param cluster index of its cluster
   * @param reason why it is in that cluster
   * @param reductions where it combines elements, and why
   * @param routes how it reaches its peers in other clusters, by rank
   */
  record Joined(
      int rank,
      String vendor,
      String device,
      int cluster,
      String reason,
      String reductions,
      Map<String, String> routes)
      implements RankReport {}

  /**
   * A pass over the images is done.
   *
   * @param rank who
   * @param step steps done
   * @param loss mean loss over the pass
   * @param accuracy share of the test images that is classified right
   */
  record Progress(int rank, int step, double loss, double accuracy) implements RankReport {}

  /**
   * Other ranks have died, and this one goes on without them, or in the place of one.
   *
   * @param rank who, as it, or the rank in whose place it is, was called in the beginning
   * @param newRank who it is now
   * @param size of so many
   * @param vendor its vendor
   * @param cluster index of its cluster now
   * @param step steps done, which no rank makes again
   * @param tookNs from the error to here; of a new process from its start
   * @param isNew whether it is a new process
   * @param cause the error that it met; of a new process empty
   */
  record WentOn(
      int rank,
      int newRank,
      int size,
      String vendor,
      int cluster,
      int step,
      long tookNs,
      boolean isNew,
      String cause)
      implements RankReport {}

  /**
   * The training is done.
   *
   * @param rank who
   * @param weightHash SHA-256 of its weights
   * @param loss mean loss over the last pass
   * @param accuracy share of the test images that is classified right
   * @param counted bytes that it handed on, counted there
   * @param planned the same, by the plan
   */
  record Finished(
      int rank, String weightHash, double loss, double accuracy, Bytes counted, Bytes planned)
      implements RankReport {}

  /** This as a JSON object, on one line. */
  default String toJson() {
    Gson gson = new Gson();
    JsonObject json = gson.toJsonTree(this).getAsJsonObject();
    json.addProperty("event", getClass().getSimpleName());
    return gson.toJson(json);
  }

  /** The report that {@code json} says. */
  static RankReport fromJson(String json) {
    JsonObject object = JsonParser.parseString(json).getAsJsonObject();
    Class<? extends RankReport> type =
        switch (object.get("event").getAsString()) {
          case "Joined" -> Joined.class;
          case "Progress" -> Progress.class;
          case "WentOn" -> WentOn.class;
          case "Finished" -> Finished.class;
          default -> throw new CorruptException("a rank sent a report of an unknown kind: " + json);
        };
    return new Gson().fromJson(object, type);
  }
}
