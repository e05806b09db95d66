// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.run;

import io.tombolo.base.DoAll;
import io.tombolo.rdma.Channel;
import io.tombolo.runtime.exec.engine.ArithmeticEngine;
import io.tombolo.runtime.exec.engine.ChannelEngine;
import io.tombolo.runtime.exec.engine.CopyEngine;
import io.tombolo.runtime.exec.engine.Engine;
import io.tombolo.runtime.plan.Resource;
import java.util.HashMap;
import java.util.Map;
import java.util.function.IntFunction;

/**
 * Which engine executes the steps of a resource. Channels are opened when a plan first needs them,
 * and closed here; the rest stays the executor's. Used by the agent's thread.
 */
final class Engines {
  private final Libraries libraries;
  private final CopyEngine copies;
  private final ArithmeticEngine arithmetic;
  private final IntFunction<Channel> dataChannels;
  private final Map<Integer, ChannelEngine> channels = new HashMap<>();

  /** {@code dataChannels} opens the channel to a rank; it does not block. */
  Engines(
      Libraries libraries,
      CopyEngine copies,
      ArithmeticEngine arithmetic,
      IntFunction<Channel> dataChannels) {
    this.libraries = libraries;
    this.copies = copies;
    this.arithmetic = arithmetic;
    this.dataChannels = dataChannels;
  }

  /** That of {@code resource}; always the same one. */
  Engine of(Resource resource) {
    return switch (resource.kind()) {
      case VENDOR -> libraries.vendorEngine();
      case FLAT -> libraries.flatEngine();
      case COPY -> copies;
      case HOST -> arithmetic;
      case SEND, RECEIVE ->
          channels.computeIfAbsent(
              resource.peer(), peer -> new ChannelEngine(dataChannels.apply(peer)));
    };
  }

  /** Closes all channels, even if one throws. */
  void closeChannels() {
    DoAll.each(channels.values(), engine -> engine.channel().close());
  }
}
