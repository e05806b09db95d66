// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.plan;

import io.tombolo.rdma.ChannelRoom;
import io.tombolo.topology.Clustering;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.stream.IntStream;

/**
 * Runs plans on numbers in a random legal order: an oracle for the verifier that shares nothing
 * with it.
 *
 * <p>A step starts when what it waits for has ended and its resource is at it, and ends some time
 * later; it may read at any time between, and write an element at a time. Each run draws how the
 * world is: what room channels have, whether vendor calls synchronise their members.
 */
final class LooseExecutor {
  private final Clustering clustering;
  private final Random random;
  private final ChannelRoom room;
  private final boolean synchronising;
  private final double eagerness;
  private final List<LooseMemory> memories = new ArrayList<>();
  private final Map<List<Object>, Task> byPlace = new HashMap<>();
  private final List<List<Task>> lineups = new ArrayList<>();
  private final List<Task> underWay = new ArrayList<>();
  private final Map<List<Integer>, LooseChannel> channels = new HashMap<>();
  private int[] next;

  /** A step, and how far it is. */
  private static final class Task {
    private final int rank;
    private final Step step;
    private final Resource resource;
    private final Task previous;
    private final int ordinal;
    private final List<Task> after;
    private LooseChannel.Done done;
    private boolean started;
    private boolean ended;
    private long[][] read;

    Task(int rank, Step step, Task previous, List<Task> after) {
      this.rank = rank;
      this.step = step;
      this.resource = Resource.of(step.action());
      this.previous = previous;
      this.ordinal = previous == null ? 0 : previous.ordinal + 1;
      this.after = after;
    }
  }

  LooseExecutor(Clustering clustering, List<Plan> plans, long seed) {
    this(clustering, plans, new Random(seed), Optional.empty());
  }

  LooseExecutor(Clustering clustering, List<Plan> plans, long seed, ChannelRoom room) {
    this(clustering, plans, new Random(seed), Optional.of(room));
  }

  private LooseExecutor(
      Clustering clustering, List<Plan> plans, Random random, Optional<ChannelRoom> room) {
    this.clustering = clustering;
    this.random = random;
    this.room = room.orElseGet(() -> anyRoom(random));
    this.synchronising = random.nextBoolean();
    this.eagerness = random.nextDouble();
    CallOracle oracle = new CallOracle(plans.stream().map(Plan::call).toList());
    for (Plan plan : plans) {
      memories.add(new LooseMemory(plan, plans.size(), oracle));
      lineUp(plan);
    }
    this.next = new int[lineups.size()];
  }

  private static ChannelRoom anyRoom(Random random) {
    int messages = random.nextBoolean() ? 1 : 256;
    int slots = random.nextBoolean() ? 0 : 1 + random.nextInt(9);
    return new ChannelRoom(messages, slots, random.nextBoolean() ? 8 : 1 << 20);
  }

  private void lineUp(Plan plan) {
    Map<Resource, List<Task>> byResource = new LinkedHashMap<>();
    List<Task> tasks = new ArrayList<>();
    for (Step step : plan.steps()) {
      List<Task> lineup =
          byResource.computeIfAbsent(Resource.of(step.action()), each -> new ArrayList<>());
      Task previous = lineup.isEmpty() ? null : lineup.get(lineup.size() - 1);
      List<Task> after = step.after().stream().mapToObj(tasks::get).toList();
      Task task = new Task(plan.rank(), step, previous, after);
      tasks.add(task);
      lineup.add(task);
      byPlace.put(List.of(task.rank, task.resource, task.ordinal), task);
    }
    lineups.addAll(byResource.values());
  }

  /** Whether all steps end, and every rank then holds what the call says. */
  boolean isRight() {
    try {
      return ends() && memories.stream().allMatch(LooseMemory::isRight);
    } catch (WrongPlan | IndexOutOfBoundsException wrong) {
      return false;
    }
  }

  /** Whether all steps end; throws if they do what makes no sense. */
  boolean ends() {
    while (move()) {}
    return lineups.stream().allMatch(lineup -> lineup.stream().allMatch(task -> task.ended));
  }

  /** What no order could make right. */
  private static final class WrongPlan extends RuntimeException {
    private static final long serialVersionUID = 1;

    WrongPlan(String message) {
      super(message);
    }
  }

  private boolean move() {
    return random.nextDouble() < eagerness ? startOne() || endOne() : endOne() || startOne();
  }

  private boolean startOne() {
    int from = random.nextInt(Math.max(1, next.length));
    for (int i = 0; i < next.length; i++) {
      int at = (from + i) % next.length;
      if (next[at] < lineups.get(at).size() && mayStart(lineups.get(at).get(next[at]))) {
        start(lineups.get(at).get(next[at]++));
        return true;
      }
    }
    return false;
  }

  private boolean endOne() {
    int from = random.nextInt(Math.max(1, underWay.size()));
    for (int i = 0; i < underWay.size(); i++) {
      int at = (from + i) % underWay.size();
      if (mayEnd(underWay.get(at))) {
        end(underWay.get(at));
        underWay.remove(at);
        return true;
      }
    }
    return false;
  }

  private boolean mayStart(Task task) {
    boolean oneByOne = isLibraryCall(task);
    return task.after.stream().allMatch(earlier -> earlier.ended)
        && (task.previous == null || (oneByOne ? task.previous.ended : task.previous.started))
        && (task.resource.peer() < 0 || hasRoom(task));
  }

  private boolean hasRoom(Task task) {
    Task before = task;
    for (int i = 0; i < room.messages() && before != null; i++) {
      before = before.previous;
    }
    return before == null || before.ended;
  }

  private void start(Task task) {
    task.started = true;
    underWay.add(task);
    post(task);
    if (random.nextBoolean()) {
      read(task);
    }
  }

  private void post(Task task) {
    if (task.step.action() instanceof Action.Send send) {
      partner(task, Resource.Kind.RECEIVE, send.peer());
      task.done = channel(task.rank, send.peer()).send(bytes(send.from()));
    } else if (task.step.action() instanceof Action.Receive receive) {
      partner(task, Resource.Kind.SEND, receive.peer());
      task.done = channel(receive.peer(), task.rank).receive(bytes(receive.to()));
    }
  }

  private LooseChannel channel(int from, int to) {
    return channels.computeIfAbsent(List.of(from, to), each -> new LooseChannel(room));
  }

  private static long bytes(Range range) {
    return range.length() * Float.BYTES;
  }

  private boolean mayEnd(Task task) {
    if (task.done != null) {
      return task.done.isDone() && (task.previous == null || task.previous.ended);
    }
    if (!isLibraryCall(task)) {
      return true;
    }
    List<Task> members = members(task);
    int position = members.indexOf(task);
    for (int from = 0; from < members.size(); from++) {
      if (!members.get(from).started && (synchronising || needs(members, from, position))) {
        return false;
      }
    }
    return true;
  }

  private static boolean isLibraryCall(Task task) {
    return switch (task.resource.kind()) {
      case VENDOR, FLAT -> true;
      case COPY, HOST, SEND, RECEIVE -> false;
    };
  }

  /** The other end of a message. One without is an error even where it is buffered for ever. */
  private Task partner(Task task, Resource.Kind kind, int peer) {
    Task partner = byPlace.get(List.of(peer, new Resource(kind, task.rank), task.ordinal));
    if (partner == null) {
      throw new WrongPlan("a message that nobody meets");
    }
    return partner;
  }

  private List<Task> members(Task task) {
    List<Integer> ranks =
        task.resource.kind() == Resource.Kind.FLAT
            ? IntStream.range(0, clustering.size()).boxed().toList()
            : clustering.clusterOf(task.rank).ranks();
    List<Task> members = new ArrayList<>();
    for (int rank : ranks) {
      Task member = byPlace.get(List.of(rank, task.resource, task.ordinal));
      if (member == null || member.step.action().getClass() != task.step.action().getClass()) {
        throw new WrongPlan("a vendor call that a member does not make");
      }
      members.add(member);
    }
    return members;
  }

  private static boolean needs(List<Task> members, int from, int to) {
    if (members.get(from).step.action() instanceof Action.IntraCall call) {
      return LooseVendor.needs(call, from, to);
    }
    return ((Action.Exchange) members.get(to).step.action())
        .receives().stream().anyMatch(receive -> receive.position() == from);
  }

  private long[][] read(Task task) {
    if (task.read == null) {
      LooseMemory memory = memories.get(task.rank);
      task.read = task.step.action().reads().stream().map(memory::read).toArray(long[][]::new);
    }
    return task.read;
  }

  private void end(Task task) {
    Action action = task.step.action();
    LooseMemory memory = memories.get(task.rank);
    if (action instanceof Action.Receive receive) {
      memory.post(receive.to(), message(task, receive));
    } else if (action instanceof Action.Flush) {
      memory.flush();
    } else if (action instanceof Action.Send send) {
      partner(task, Resource.Kind.RECEIVE, send.peer());
      read(task);
    } else if (action instanceof Action.IntraCall call) {
      endCall(task, call, memory);
    } else if (action instanceof Action.Exchange exchange) {
      endExchange(task, exchange, memory);
    } else {
      compute(task, memory);
    }
    task.ended = true;
  }

  private long[] message(Task task, Action.Receive receive) {
    Task sender = partner(task, Resource.Kind.SEND, receive.peer());
    Action.Send send = (Action.Send) sender.step.action();
    if (send.key() != receive.key() || send.from().length() != receive.to().length()) {
      throw new WrongPlan("a message that is not the awaited one");
    }
    return read(sender)[0];
  }

  /** Element by element, in either direction, from what was read before or is there now. */
  private void compute(Task task, LooseMemory memory) {
    Action action = task.step.action();
    Range to = action.writes().get(0);
    List<Range> from = action.reads();
    boolean backwards = random.nextBoolean();
    for (Range each : from) {
      if (each.length() != to.length()) {
        throw new WrongPlan("operands of different lengths");
      }
    }
    for (int i = 0; i < to.length(); i++) {
      int at = backwards ? (int) to.length() - 1 - i : i;
      long[] operands = new long[from.size()];
      Arrays.setAll(
          operands, j -> task.read == null ? memory.get(from.get(j), at) : task.read[j][at]);
      memory.set(to, at, computed(action, operands));
    }
  }

  private static long computed(Action action, long[] operands) {
    if (action instanceof Action.Combine combine) {
      return CallOracle.combined(combine.reduction(), operands[0], operands[1]);
    }
    if (action instanceof Action.Divide divide) {
      return operands[0] / divide.divisor();
    }
    return action instanceof Action.Scale scale
        ? CallOracle.scaled(scale.factor(), operands[0])
        : operands[0];
  }

  private void endCall(Task task, Action.IntraCall call, LooseMemory memory) {
    List<Task> members = members(task);
    int position = members.indexOf(task);
    if (!LooseVendor.isOneCall(
        members.stream().map(each -> (Action.IntraCall) each.step.action()).toList())) {
      throw new WrongPlan("members who make different calls");
    }
    read(task);
    List<long[]> given = new ArrayList<>(Collections.nCopies(members.size(), new long[0]));
    for (int from = 0; from < members.size(); from++) {
      if (LooseVendor.needs(call, from, position)) {
        given.set(from, read(members.get(from))[0]);
      }
    }
    memory.write(call.output(), LooseVendor.result(call, position, given));
  }

  private void endExchange(Task task, Action.Exchange exchange, LooseMemory memory) {
    List<Task> members = members(task);
    int position = members.indexOf(task);
    read(task);
    List<long[]> received = new ArrayList<>();
    for (Action.Transfer receive : exchange.receives()) {
      received.add(transfer(members.get(receive.position()), position, receive.range().length()));
    }
    for (Action.Transfer send : exchange.sends()) {
      answer(members.get(send.position()), position, send.range().length());
    }
    for (int i = 0; i < received.size(); i++) {
      memory.write(exchange.receives().get(i).range(), received.get(i));
    }
  }

  private long[] transfer(Task sender, int to, long length) {
    List<Action.Transfer> sends = ((Action.Exchange) sender.step.action()).sends();
    for (int i = 0; i < sends.size(); i++) {
      if (sends.get(i).position() == to && sends.get(i).range().length() == length) {
        return read(sender)[i];
      }
    }
    throw new WrongPlan("a member that sends nothing, or not so much");
  }

  private static void answer(Task receiver, int from, long length) {
    if (((Action.Exchange) receiver.step.action())
        .receives().stream()
            .noneMatch(each -> each.position() == from && each.range().length() == length)) {
      throw new WrongPlan("a member that does not receive, or not so much");
    }
  }
}
