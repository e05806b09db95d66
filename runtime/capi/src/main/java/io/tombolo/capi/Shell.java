// SPDX-License-Identifier: Apache-2.0
package io.tombolo.capi;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.tombolo.base.CloseStack;
import io.tombolo.runtime.Communicator;
import io.tombolo.runtime.Message;
import io.tombolo.runtime.plan.Collective;
import io.tombolo.runtime.plan.CollectiveCall;
import io.tombolo.runtime.plan.Layout;
import io.tombolo.runtime.work.PlacedCall;
import io.tombolo.runtime.work.Work;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What {@code libtombolo.so} calls ({@code shell.c} has this list again): one object for a process,
 * with numbers for handles, addresses and choices. What a method throws, C fetches by {@link
 * #encoded}.
 *
 * <p>Communicators are numbered by {@link HandleTable}; works lie in places that C gives out, see
 * {@link WorkSlots}; a negative place says that nobody asks for the work. Thread-safe as far as
 * {@code tombolo.h} says.
 */
final class Shell {
  /** The operation goes on. */
  private static final int UNDER_WAY = 0;

  /** It blocked, and has ended well. */
  private static final int ENDED = 1;

  /** It is part of a group that has not been made. */
  private static final int COLLECTED = 2;

  private final HandleTable<OpenCommunicator> communicators = new HandleTable<>("communicator");
  private final WorkSlots works = new WorkSlots();
  private final IdHost ids = new IdHost();
  private volatile boolean leftWork;
  private final EndCallbacks callbacks = new EndCallbacks();
  private final ClassData classData =
      new ClassData(System.getProperty(ClassData.PROPERTY, ""), System.getProperty("java.home"));

  /** Made by C. */
  Shell() {}

  byte[] encoded(Throwable error) {
    return StatusCodes.encoded(error);
  }

  void addSlots(int chunk, long address) {
    works.addChunk(chunk, address);
  }

  byte[] makeId(String host) {
    return ids.make(host).text().getBytes(UTF_8);
  }

  /** The parameters of {@link JoinRequest}, and where to meet: a store, an id, or neither. */
  long join(
      String[] environment,
      int rank,
      int size,
      int localRank,
      int localSize,
      String vendor,
      int device,
      int generation,
      String name,
      long timeoutMs,
      String[] settings,
      long store,
      String where,
      String id) {
    try (CloseStack unlessJoined = new CloseStack()) {
      Optional<ProgramStore> program =
          store == 0
              ? Optional.empty()
              : Optional.of(unlessJoined.opened(new ProgramStore(store, where)));
      JoinRequest request =
          new JoinRequest(
              variables(environment),
              rank,
              size,
              localRank,
              localSize,
              vendor,
              device,
              generation,
              name,
              timeoutMs,
              List.of(settings));
      OpenCommunicator joined =
          program.isPresent() ? request.join(program.get()) : joined(request, id);
      unlessJoined.keep();
      classData.makeForOthers();
      return communicators.add(joined);
    }
  }

  private OpenCommunicator joined(JoinRequest request, String id) {
    return id.isEmpty() ? request.join() : request.join(JobId.parse(id), ids);
  }

  private static Map<String, String> variables(String[] environment) {
    Map<String, String> variables = new LinkedHashMap<>();
    Arrays.stream(environment)
        .filter(each -> each.indexOf('=') > 0)
        .forEach(
            each ->
                variables.put(
                    each.substring(0, each.indexOf('=')), each.substring(each.indexOf('=') + 1)));
    return variables;
  }

  /** 0 for those that take no part. */
  long split(long handle, int colour, int key, String tag) {
    OpenCommunicator whole = communicators.get(handle);
    return whole
        .communicator()
        .split(colour, key, tag)
        .map(whole::beside)
        .map(communicators::add)
        .orElse(0L);
  }

  /** Of {@code count} ranks, an array at the address {@code ranks}; of all, if that is 0. */
  long createGroup(long handle, long ranks, int count, String tag) {
    OpenCommunicator whole = communicators.get(handle);
    Communicator group =
        ranks == 0
            ? whole.communicator().duplicate(tag)
            : whole.communicator().createGroup(NativeCounts.ranks(ranks, count), tag);
    return communicators.add(whole.beside(group));
  }

  long merge(long handle, int size, String tag) {
    OpenCommunicator part = communicators.get(handle);
    return communicators.add(part.beside(part.communicator().merge(size, tag)));
  }

  /** In {@code limitMs}; 0 for as long as the communicator's calls may take. */
  long shrink(long handle, long limitMs) {
    OpenCommunicator failed = communicators.get(handle);
    Duration limit = limit(failed.communicator(), limitMs);
    return communicators.add(failed.beside(failed.communicator().shrink(limit)));
  }

  /** The flags that all agree on; {@code limitMs} as for {@link #shrink}. */
  long agree(long handle, long flags, long limitMs) {
    Communicator communicator = communicators.get(handle).communicator();
    return communicator.agree(flags, limit(communicator, limitMs)).flags();
  }

  private static Duration limit(Communicator communicator, long limitMs) {
    return limitMs == 0 ? communicator.timeout() : Duration.ofMillis(limitMs);
  }

  void abort(long handle) {
    communicators.get(handle).communicator().abort();
  }

  void destroy(long handle) {
    communicators.get(handle);
    communicators.remove(handle).ifPresent(this::close);
  }

  private void close(OpenCommunicator communicator) {
    boolean ended = false;
    try {
      communicator.close();
      ended = !communicator.communicator().device().isTainted();
    } finally {
      if (!ended) {
        leftWork = true;
      }
    }
  }

  /**
   * One that cannot be closed keeps none of the others open; the first failure is thrown. Whether
   * no communicator that there ever was can have left work on a device.
   */
  boolean destroyAll() {
    List<RuntimeException> failures = new ArrayList<>();
    for (long handle : communicators.latestFirst()) {
      try {
        communicators.remove(handle).ifPresent(this::close);
      } catch (RuntimeException e) {
        failures.add(e);
      }
    }
    ids.close();
    if (!failures.isEmpty()) {
      RuntimeException first = failures.get(0);
      failures.stream().skip(1).forEach(first::addSuppressed);
      throw first;
    }
    return !leftWork;
  }

  /** Throws the failure that ended it, if one did. */
  void failure(long handle) {
    communicators
        .get(handle)
        .communicator()
        .failure()
        .ifPresent(
            failure -> {
              throw failure;
            });
  }

  int rank(long handle) {
    return communicators.get(handle).communicator().rank();
  }

  int size(long handle) {
    return communicators.get(handle).communicator().size();
  }

  int hasStreams(long handle) {
    return communicators.get(handle).streams().hasHandles() ? 1 : 0;
  }

  void setTimeout(long handle, long milliseconds) {
    communicators.get(handle).setTimeout(milliseconds);
  }

  byte[] text(long handle, int fact) {
    return Facts.of(communicators.get(handle), fact).getBytes(UTF_8);
  }

  void meet(long handle, long milliseconds) {
    communicators.get(handle).communicator().meet(Duration.ofMillis(milliseconds));
  }

  long allocate(long handle, long bytes, boolean registered) {
    OpenCommunicator open = communicators.get(handle);
    return open.keep(
        registered
            ? open.communicator().allocateRegistered(bytes)
            : open.communicator().device().allocate(bytes));
  }

  void free(long handle, long address) {
    communicators.get(handle).free(address);
  }

  void copy(long handle, long destination, long source, long bytes, boolean toDevice) {
    communicators.get(handle).copies().copy(destination, source, bytes, toDevice);
  }

  int checksum(long handle, long address, long bytes) {
    return communicators.get(handle).checksums().of(address, bytes);
  }

  /** A call with one count. What has become of it: one of the constants above. */
  int call(
      long handle,
      int collective,
      long send,
      long receive,
      long count,
      int type,
      int op,
      double factor,
      int root,
      int flags,
      long timeoutMs,
      long stream,
      int slot) {
    OpenCommunicator open = communicators.get(handle);
    return made(
        open,
        open.call(
            placed(collective, send, receive, new Layout.Even(count), type, op, factor, root),
            flags,
            timeoutMs,
            stream),
        flags,
        slot);
  }

  /**
   * A call with a count for each rank; {@code otherCounts} are what all_to_all_v receives, and 0
   * for all else.
   */
  int callV(
      long handle,
      int collective,
      long send,
      long receive,
      long counts,
      long offsets,
      long otherCounts,
      long otherOffsets,
      int type,
      int op,
      double factor,
      int root,
      int flags,
      long timeoutMs,
      long stream,
      int slot) {
    OpenCommunicator open = communicators.get(handle);
    int size = open.communicator().size();
    Layout layout = NativeCounts.blocks(counts, offsets, size);
    if (otherCounts != 0) {
      layout = new Layout.Pairwise(layout, NativeCounts.blocks(otherCounts, otherOffsets, size));
    }
    return made(
        open,
        open.call(
            placed(collective, send, receive, layout, type, op, factor, root),
            flags,
            timeoutMs,
            stream),
        flags,
        slot);
  }

  private static PlacedCall placed(
      int code, long send, long receive, Layout layout, int type, int op, double factor, int root) {
    Collective collective = Operators.collective(code);
    return new PlacedCall(
        new CollectiveCall(
            collective,
            Operators.type(type),
            Operators.reduction(collective, op, factor),
            root,
            layout,
            false),
        send,
        receive);
  }

  int message(
      long handle,
      boolean sends,
      long buffer,
      long count,
      int type,
      int peer,
      int tag,
      int flags,
      long timeoutMs,
      long stream,
      int slot) {
    OpenCommunicator open = communicators.get(handle);
    Message message = open.message(sends, buffer, count, Operators.type(type), peer).tagged(tag);
    return made(open, open.message(message, flags, timeoutMs, stream), flags, slot);
  }

  void startGroup(long handle) {
    communicators.get(handle).startGroup();
  }

  int endGroup(long handle, int flags, long timeoutMs, long stream, int slot) {
    OpenCommunicator open = communicators.get(handle);
    return made(open, open.endGroup(flags, timeoutMs, stream), flags, slot);
  }

  void cancelGroup(long handle) {
    communicators.get(handle).cancelGroup();
  }

  /** The communicator that C knows as {@code handle}. */
  OpenCommunicator open(long handle) {
    return communicators.get(handle);
  }

  /** What has become of {@code work}: it ends in place {@code slot}, if C is to ask for it. */
  int made(OpenCommunicator open, Work work, int flags, int slot) {
    if (work == null) {
      return COLLECTED;
    }
    boolean ended = (flags & CallFlags.BLOCKING) != 0 && Works.requireWell(work);
    if ((flags & CallFlags.BRIEFLY) != 0 && Works.isWell(work)) {
      return ENDED;
    }
    if (slot >= 0) {
      works.put(slot, open, work);
    }
    return ended ? ENDED : UNDER_WAY;
  }

  /** Whether it has ended well by then. */
  boolean await(int slot, long milliseconds) {
    return Works.await(works.work(slot), milliseconds);
  }

  /** Throws the error that a work has ended with, if it has. */
  void failureOf(int slot) {
    Works.requireWell(works.work(slot));
  }

  void makeWait(int slot, long stream) {
    works.owner(slot).makeWait(works.work(slot), stream);
  }

  void onEnd(int slot, long function, long context) {
    callbacks.add(works.work(slot), function, context);
  }

  boolean buffersReleased(int slot) {
    return works.work(slot).buffersReleased();
  }

  long durationNs(int slot) {
    return works.work(slot).durationNs();
  }

  /** -1 where it has none. */
  int source(int slot) {
    return works.work(slot).source().orElse(-1);
  }

  void release(int slot) {
    works.clear(slot);
  }
}
