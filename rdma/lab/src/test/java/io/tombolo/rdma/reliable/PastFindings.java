// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.reliable;

import io.tombolo.base.errors.CorruptException;
import java.nio.ByteBuffer;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.LongFunction;
import java.util.function.Supplier;

/** How the protocol failed on networks that are not ours, each put back where it would be. */
final class PastFindings {
  static final String STANDSTILL = "B.1 nothing but probes repairs what is lost again and again";
  static final String FLOOD = "B.2 no answer to a queue that is too short for its delay to tell";
  static final String IDLE_GROWTH = "B.2 a window grows that nobody uses";
  static final String DRIFT =
      "B.3 the shortest round trip is forgotten though no queue has drained";
  static final String LATE_WRITE = "B.6 a receive is written into after its channel's end";
  static final String FORGERY = "B.10 an impossible packet of a stranger's ends the channel";
  static final String OTHERS = "B.10 packets of another connection are taken";
  static final String LATE_COMER = "a late comer takes the queue that it finds for the path";
  static final String HASTE = "timeouts come before acknowledgements that are held back";
  static final String BACK_OFF = "a clear-to-send backs off though later ones are answered";
  static final String DEEP_FALL = "a window falls by more than stands in the queue";
  static final String GENEROSITY = "a queue is taken for noise as it is shorter than noise may be";
  static final String OLD_NEWS =
      "a write is repeated for longer than its key rests, as nothing is heard";
  static final String CONTAGION = "what many flows overflow for each other is taken for chance";
  static final String STARVING = "whoever goes by loss alone gets the link";

  private PastFindings() {}

  static Map<String, ProtocolParts> all() {
    Map<String, ProtocolParts> all = new LinkedHashMap<>();
    all.put(STANDSTILL, new OnlyProbes());
    all.put(FLOOD, control(Deaf::new));
    all.put(IDLE_GROWTH, control(Boastful::new));
    all.put(DRIFT, control(Undrained::new));
    all.put(LATE_WRITE, new LateWriter());
    all.put(FORGERY, new Fragile());
    all.put(OTHERS, new Credulous());
    all.put(
        LATE_COMER,
        delay(NoiseMeter::new, NeverDrained::new, WindowSteps::new, Rivalry::new, QueueRange::new));
    all.put(HASTE, new Hasty());
    all.put(BACK_OFF, new PatientReceiver());
    all.put(
        DEEP_FALL, delay(NoiseMeter::new, Drain::new, Falling::new, Rivalry::new, QueueRange::new));
    all.put(
        GENEROSITY,
        delay(Generous::new, Drain::new, WindowSteps::new, Rivalry::new, QueueRange::new));
    all.put(OLD_NEWS, new Hopeful());
    all.put(
        STARVING,
        delay(NoiseMeter::new, Drain::new, WindowSteps::new, NoRivalry::new, QueueRange::new));
    all.put(
        CONTAGION,
        delay(NoiseMeter::new, Drain::new, WindowSteps::new, Rivalry::new, Gullible::new));
    return all;
  }

  private interface ControlMutant {
    CongestionControl over(CongestionControl control);
  }

  private static ProtocolParts control(ControlMutant mutant) {
    return new ProtocolParts() {
      @Override
      CongestionControl congestionControl(ProtocolConfig config) {
        return mutant.over(super.congestionControl(config));
      }
    };
  }

  private static ProtocolParts delay(
      LongFunction<NoiseMeter> noise,
      Supplier<Drain> drain,
      Supplier<WindowSteps> steps,
      Supplier<Rivalry> rivalry,
      Supplier<QueueRange> range) {
    return new ProtocolParts() {
      @Override
      CongestionControl congestionControl(ProtocolConfig config) {
        NoiseMeter meter = noise.apply(config.queueSlackNs());
        return new DelayCongestionControl(
            config.maxInFlightChunks(),
            meter,
            drain.get(),
            steps.get(),
            rivalry.get(),
            range.get());
      }
    };
  }

  private static final class NeverDrained extends Drain {
    @Override
    boolean hasMeasured() {
      return false;
    }

    @Override
    double mostChunks() {
      return Double.POSITIVE_INFINITY;
    }
  }

  private static final class Falling extends WindowSteps {
    @Override
    double next(double chunks, double fairChunks, double queuedChunks) {
      return super.next(chunks, fairChunks, Double.POSITIVE_INFINITY);
    }
  }

  private static final class Generous extends NoiseMeter {
    private final long mostNs;

    Generous(long mostNs) {
      super(mostNs);
      this.mostNs = mostNs;
    }

    @Override
    long slackNs() {
      return mostNs;
    }
  }

  private static final class Gullible extends QueueRange {
    @Override
    boolean isDrained() {
      return true;
    }

    @Override
    boolean isLow(long standingNs, long slackNs) {
      return true;
    }
  }

  private static final class NoRivalry extends Rivalry {
    @Override
    boolean isPresent() {
      return false;
    }
  }

  private static final class Hasty extends ProtocolParts {
    @Override
    RttEstimator rttEstimator(ProtocolConfig config) {
      return new RttEstimator(config.minRtoNs(), config.maxAckDelayNs()) {
        @Override
        long rtoNs() {
          return Math.max(config.minRtoNs(), srttNs() + 4 * rttvarNs());
        }
      };
    }
  }

  private static final class Hopeful extends ProtocolParts {
    @Override
    RepeatPermit repeatPermit(ProtocolConfig config) {
      return new RepeatPermit(config.shape()) {
        @Override
        boolean allows(long psn, long firstSentNs, long nowNs) {
          return true;
        }
      };
    }
  }

  private static final class PatientReceiver extends ProtocolParts {
    @Override
    GrantOutbox grantOutbox(Wire wire) {
      return new GrantOutbox(wire) {
        @Override
        long patienceNs(int transmissions, boolean overtaken) {
          return super.patienceNs(transmissions, false);
        }
      };
    }
  }

  private static final class OnlyProbes extends ProtocolParts {
    @Override
    LossDetector lossDetector(ProtocolConfig config) {
      return new LossDetector(config.packetThreshold()) {
        @Override
        void onDelivered(long transmissionId) {}
      };
    }

    @Override
    RttEstimator rttEstimator(ProtocolConfig config) {
      return new RttEstimator(config.minRtoNs(), config.maxAckDelayNs()) {
        @Override
        long rtoNs(int transmissions) {
          return 3600_000_000_000L;
        }
      };
    }
  }

  /** A control that hears and says what the true one does. */
  private static class Passing implements CongestionControl {
    private final CongestionControl control;

    Passing(CongestionControl control) {
      this.control = control;
    }

    @Override
    public void onAck(long rttNs, long pausedNs, int ackedChunks, long nowNs) {
      control.onAck(rttNs, pausedNs, ackedChunks, nowNs);
    }

    @Override
    public void onUse(int inFlightChunks) {
      control.onUse(inFlightChunks);
    }

    @Override
    public void onArrival(int chunks) {
      control.onArrival(chunks);
    }

    @Override
    public void onLoss(long sentNs, long nowNs) {
      control.onLoss(sentNs, nowNs);
    }

    @Override
    public void onMarks(int packets) {
      control.onMarks(packets);
    }

    @Override
    public int windowChunks() {
      return control.windowChunks();
    }
  }

  private static final class Deaf extends Passing {
    Deaf(CongestionControl control) {
      super(control);
    }

    @Override
    public void onLoss(long sentNs, long nowNs) {}
  }

  private static final class Boastful extends Passing {
    Boastful(CongestionControl control) {
      super(control);
    }

    @Override
    public void onUse(int inFlightChunks) {
      super.onUse(windowChunks());
    }
  }

  /** The window stays what it was for longer than a drain takes. */
  private static final class Undrained extends Passing {
    private static final long LONGER_NS = 1_000_000_000;

    private int most;
    private int latelyMost;
    private long endNs;

    Undrained(CongestionControl control) {
      super(control);
    }

    @Override
    public void onAck(long rttNs, long pausedNs, int ackedChunks, long nowNs) {
      super.onAck(rttNs, pausedNs, ackedChunks, nowNs);
      latelyMost = Math.max(latelyMost, super.windowChunks());
      if (nowNs >= endNs) {
        most = latelyMost;
        latelyMost = 0;
        endNs = nowNs + LONGER_NS;
      }
    }

    @Override
    public int windowChunks() {
      return Math.max(most, super.windowChunks());
    }
  }

  private static final class LateWriter extends ProtocolParts {
    @Override
    boolean takesAfterItsEnd() {
      return true;
    }
  }

  private static final class Fragile extends ProtocolParts {
    @Override
    boolean read(ByteBuffer packet, ChannelId id, Grant scratch, Packet handler) {
      if (!super.read(packet, id, scratch, handler)) {
        throw new CorruptException("that is no packet");
      }
      return true;
    }
  }

  private static final class Credulous extends ProtocolParts {
    @Override
    boolean read(ByteBuffer packet, ChannelId id, Grant scratch, Packet handler) {
      if (PacketCodec.isAddressed(packet)) {
        packet.putInt(packet.position() + 8, id.connection());
      }
      return super.read(packet, id, scratch, handler);
    }
  }
}
