package io.tombolo.runtime.exec;

import io.tombolo.adaptors.DeviceAdaptor;
import io.tombolo.adaptors.Stream;
import io.tombolo.base.errors.AbortedException;
import io.tombolo.base.errors.CorruptException;
import io.tombolo.base.errors.DeadlineExceededException;
import io.tombolo.base.errors.MismatchException;
import io.tombolo.base.errors.TomboloException;
import io.tombolo.rdma.Channel;
import io.tombolo.runtime.CallOptions;
import io.tombolo.runtime.Work;
import io.tombolo.runtime.plan.Resource;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.function.IntFunction;
import java.util.function.Predicate;

/**
 * Carries the messages that single ranks exchange, beside the {@link Executor}: nobody votes on
 * them, and they wait neither for collectives nor for each other. Only those from one rank to
 * another keep the order of the calls.
 *
 * <p>{@link #submit} may come from any thread and does not block; everything else happens on the
 * agent's thread. What is done in every round makes no garbage.
 */
public final class Messenger implements Duty, AutoCloseable {
  private final Duration timeout;
  private final Fate fate;
  private final Intake intake;
  private final BlockingCalls calls;
  private final CopyEngine copies;
  private final WindowCopies windowCopies;
  private final Desks desks;
  private final Arena scratch;
  private final IntFunction<Channel> openChannel;
  private final Map<Integer, ChannelEngine> channels = new HashMap<>();
  private final List<Operation> operations = new ArrayList<>();
  private final List<Letter> letters = new ArrayList<>();
  private final Predicate<Letter> hasArrived = this::hasArrived;
  private final Programs programs = new Programs();
  private final Map<Resource, Queue<Letter>> lines = new HashMap<>();

  /**
   * What a messenger works with; the channels are closed with it.
   *
   * @param rank this process's rank
   * @param device this process's device
   * @param channels opens the channel to a rank, at the first message to or from it; called on the
   *     agent's thread, does not block
   * @param timeout how long an operation may take from the moment its stream reached it
   * @param agent drives this duty
   */
  public record Parts(
      int rank,
      DeviceAdaptor device,
      IntFunction<Channel> channels,
      Duration timeout,
      Agent agent) {}

  /** A messenger over {@code parts} that fails with all that shares {@code fate}. */
  public Messenger(Parts parts, Fate fate) {
    this.timeout = parts.timeout();
    this.fate = fate;
    this.openChannel = parts.channels();
    this.intake = new Intake(parts.rank(), parts.device(), parts.timeout(), fate, parts.agent());
    this.calls = new BlockingCalls(intake, parts.timeout(), Optional.empty());
    this.copies = new CopyEngine(parts.device());
    this.windowCopies = new WindowCopies(parts.device());
    this.desks =
        new Desks(() -> new Desks.Desk(new Stage(parts.device()), new Lines(this::engine)));
    this.scratch = new Arena(parts.device()::allocate);
  }

  /**
   * Queues messages on {@code stream} as one operation, whose messages progress independently. Each
   * task is one message: its plan sends to or receives from one rank.
   *
   * @param call what is exchanged, for people
   * @param sizeBytes its size
   */
  public Work submit(
      Object call, long sizeBytes, List<Task> messages, CallOptions options, Stream stream) {
    return calls.submit(Submission.messages(call, sizeBytes, messages), options, stream);
  }

  /** Bytes copied, or about to be, between device and stage. Thread-safe. */
  public long stagedBytes() {
    return copies.stagedBytes();
  }

  @Override
  public int work() {
    if (fate.isSealed()) {
      return 0;
    }
    int done = takeIn();
    if (operations.isEmpty()) {
      return done;
    }
    done += begin();
    for (int i = 0; i < letters.size(); i++) {
      done += takeForward(letters.get(i));
    }
    letters.removeIf(hasArrived);
    return done + finish();
  }

  private int takeIn() {
    if (!intake.hasNext()) {
      return 0;
    }
    take(intake.next());
    return 1;
  }

  private void take(Operation operation) {
    operations.add(operation);
    for (Task task : operation.tasks()) {
      Letter letter = new Letter(operation, task, programs.of(task.plan()));
      letters.add(letter);
      letter
          .channel()
          .ifPresent(way -> lines.computeIfAbsent(way, key -> new ArrayDeque<>()).add(letter));
    }
  }

  private int begin() {
    int begun = 0;
    for (int i = 0; i < operations.size(); i++) {
      Operation operation = operations.get(i);
      if (!operation.hasBegun() && intake.isReached(operation)) {
        operation.begin(timeout);
        begun++;
      }
    }
    return begun;
  }

  private int takeForward(Letter letter) {
    if (!letter.isStarted()) {
      if (!letter.operation().hasBegun()
          || !isItsTurn(letter)
          || !letter.operation().touchBuffers()) {
        return 0;
      }
      letter.start(desks.borrow(), scratch, windowCopies);
    }
    try {
      int moved = letter.work();
      if (letter.hasPosted()) {
        leaveLine(letter);
      }
      return moved;
    } catch (CorruptException e) {
      throw new MismatchException("the two sides of the message do not agree: " + e.getMessage(), e)
          .during(letter.operation().describe());
    } catch (TomboloException e) {
      throw e.during(letter.operation().describe());
    }
  }

  /** Whether all earlier messages the same way have been handed to the channel in full. */
  private boolean isItsTurn(Letter letter) {
    return letter.channel().isEmpty() || letter.equals(line(letter).peek());
  }

  private void leaveLine(Letter letter) {
    if (letter.channel().isPresent() && letter.equals(line(letter).peek())) {
      line(letter).remove();
    }
  }

  private Queue<Letter> line(Letter letter) {
    return lines.get(letter.channel().get());
  }

  private boolean hasArrived(Letter letter) {
    if (!letter.isDone()) {
      return false;
    }
    desks.giveBack(letter.leave());
    return true;
  }

  private int finish() {
    int ended = 0;
    for (int i = 0; i < operations.size(); ) {
      Operation operation = operations.get(i);
      if (operation.hasBegun() && !hasLetters(operation)) {
        operations.remove(i);
        intake.finish(operation);
        ended++;
      } else {
        checkTime(operation);
        i++;
      }
    }
    return ended;
  }

  private boolean hasLetters(Operation operation) {
    for (int i = 0; i < letters.size(); i++) {
      if (letters.get(i).isOf(operation)) {
        return true;
      }
    }
    return false;
  }

  private void checkTime(Operation operation) {
    if (operation.isOverdue(Duration.ZERO)) {
      throw new DeadlineExceededException("not done in time: held up by " + heldUpBy(operation))
          .during(operation.describe());
    }
  }

  private String heldUpBy(Operation operation) {
    return letters.stream()
        .filter(letter -> letter.isOf(operation) && letter.isStarted())
        .findFirst()
        .map(Letter::heldUpBy)
        .orElse("earlier messages between the same two ranks");
  }

  private Engine engine(Resource resource) {
    return switch (resource.kind()) {
      case COPY -> copies;
      case SEND, RECEIVE ->
          channels.computeIfAbsent(
              resource.peer(), peer -> new ChannelEngine(openChannel.apply(peer)));
      case HOST, VENDOR ->
          throw new IllegalArgumentException("messages combine nothing and go through no library");
    };
  }

  @Override
  public boolean isPrompt() {
    return true;
  }

  @Override
  public boolean isBusy() {
    return intake.isBusy();
  }

  @Override
  public void fail(Throwable cause) {
    fate.fail(
        cause instanceof TomboloException known
            ? known
            : new AbortedException("the agent failed: " + cause, cause));
  }

  /** Closes the channels and gives memory and streams back; after a failure, only the channels. */
  @Override
  public void close() {
    if (isBusy()) {
      fate.fail(new AbortedException("the communicator was closed with messages under way"));
    }
    channels.values().forEach(engine -> engine.channel().close());
    if (!fate.isSealed()) {
      copies.close();
      windowCopies.close();
      desks.close();
      scratch.close();
      intake.close();
    }
  }
}
