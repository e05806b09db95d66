// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.plan;

/**
 * What a step occupies. Steps of one resource are started in program order; this is what keeps the
 * vendor calls of a cluster and the messages of a channel in one order on all sides.
 *
 * @param kind the sort of resource
 * @param peer the rank at the other end of a channel; -1 for others
 */
public record Resource(Kind kind, int peer) {

  /** The sorts of resource. */
  public enum Kind {
    /** The vendor's communicator and its stream. */
    VENDOR(1),
    /** The host library's communicator of all ranks, and its stream. */
    FLAT(2),
    /** The device's copy engine, and its flush. */
    COPY(3),
    /** Arithmetic on the stage, by the host or its device; or by that in its own memory. */
    HOST(4),
    /** Messages to one peer. */
    SEND(5),
    /** Messages from one peer. */
    RECEIVE(6);

    private final int code;

    Kind(int code) {
      this.code = code;
    }

    /** The number that stands for it in a file. */
    public int code() {
      return code;
    }

    /** Whether it is one direction of a channel to a peer. */
    public boolean isChannel() {
      return switch (this) {
        case SEND, RECEIVE -> true;
        case VENDOR, FLAT, COPY, HOST -> false;
      };
    }
  }

  /** Written out for the same reason as {@link CollectiveCall#equals}. */
  @Override
  public boolean equals(Object other) {
    return other instanceof Resource resource && kind == resource.kind && peer == resource.peer;
  }

  @Override
  public int hashCode() {
    return 31 * kind.hashCode() + peer;
  }

  /** What {@code action} occupies. */
  public static Resource of(Action action) {
    if (action instanceof Action.Send send) {
      return new Resource(Kind.SEND, send.peer());
    }
    if (action instanceof Action.Receive receive) {
      return new Resource(Kind.RECEIVE, receive.peer());
    }
    if (action instanceof Action.IntraCall call) {
      return new Resource(call.members() == Action.Members.EVERYONE ? Kind.FLAT : Kind.VENDOR, -1);
    }
    if (action instanceof Action.Exchange) {
      return new Resource(Kind.VENDOR, -1);
    }
    return new Resource(
        action instanceof Action.Copy || action instanceof Action.Flush ? Kind.COPY : Kind.HOST,
        -1);
  }
}
