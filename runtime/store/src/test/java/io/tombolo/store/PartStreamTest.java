// SPDX-License-Identifier: Apache-2.0
package io.tombolo.store;

import static io.tombolo.store.ScriptedVolume.beside;
import static io.tombolo.store.ScriptedVolume.ended;
import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertThrows;
import static org.testng.Assert.assertTrue;
import static org.testng.Assert.expectThrows;

import com.google.common.collect.ImmutableList;
import io.tombolo.base.DataType;
import io.tombolo.base.errors.AbortedException;
import io.tombolo.base.errors.CorruptException;
import io.tombolo.base.errors.PeerFailedException;
import io.tombolo.store.memory.Checksum;
import io.tombolo.store.value.HostTensor;
import io.tombolo.store.value.TensorSpec;
import io.tombolo.store.value.VolumeFigures;
import io.tombolo.store.value.WantedPart;
import io.tombolo.store.wire.LeasedTensor;
import io.tombolo.store.wire.Link;
import io.tombolo.store.wire.NamedSpec;
import io.tombolo.store.wire.Reply;
import io.tombolo.store.wire.VolumeRequest;
import java.io.IOException;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.testng.annotations.AfterMethod;
import org.testng.annotations.BeforeMethod;
import org.testng.annotations.Test;

/** A client that wants many tensors in one call, of a volume that says what the test does. */
public class PartStreamTest {
  private static final int AHEAD = PartStream.AHEAD;
  private static final int TENSORS = 3 * AHEAD;
  private static final int ELEMENTS = 3;
  private static final TensorSpec SPEC = TensorSpec.of(DataType.F32, ELEMENTS);
  private static final long LEASE = 7;

  private ScriptedVolume scripted;
  private Link volume;
  private TensorStore store;

  @BeforeMethod
  public void connect() throws IOException {
    scripted = ScriptedVolume.connected();
    volume = scripted.link();
    store = scripted.client();
  }

  @AfterMethod(alwaysRun = true)
  public void close() {
    scripted.close();
  }

  @Test(timeOut = 120_000)
  public void shouldAskForTheNextOnesBeforeTheFirstHasCome() throws IOException {
    List<WantedPart> wanted = wanted();
    CompletableFuture<Void> reading = read(opened(), wanted);
    for (int index = 0; index < AHEAD; index++) {
      assertAsked(index);
    }
    assertFalse(volume.hasInput(), "more than " + AHEAD + " are under way");
    for (int index = 0; index < TENSORS; index++) {
      give(index);
      if (index + AHEAD < TENSORS) {
        assertAsked(index + AHEAD);
      }
    }
    ended(reading);
    for (int index = 0; index < TENSORS; index++) {
      Tensors.assertConstant(wanted.get(index).target(), ELEMENTS, index);
    }
  }

  @Test(timeOut = 120_000)
  public void shouldAskForNothingMoreAfterARefusalAndStayUsable() throws IOException {
    CompletableFuture<Void> reading = read(opened(), wanted());
    for (int index = 0; index < AHEAD; index++) {
      assertAsked(index);
    }
    volume.send(Reply.Refused.withdrawn().frame());
    give(1);
    for (int index = 2; index < AHEAD; index++) {
      volume.send(new Reply.Refused(Reply.Reason.USAGE, "not the first").frame());
    }
    AbortedException first = expectThrows(AbortedException.class, () -> ended(reading));
    assertTrue(first.getMessage().contains("withdrawn"), first.getMessage());
    CompletableFuture<VolumeFigures> next = beside(store::figures);
    assertEquals(asked(), new VolumeRequest.Stat());
    VolumeFigures figures = new VolumeFigures(9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
    volume.send(new Reply.Volume(figures).frame());
    assertEquals(ended(next), figures);
  }

  @Test(timeOut = 120_000)
  public void shouldSayWhyAVolumeHasEndedTheConnection() throws IOException {
    CompletableFuture<Void> reading = read(opened(), wanted());
    for (int index = 0; index < AHEAD; index++) {
      assertAsked(index);
    }
    give(0);
    assertAsked(AHEAD);
    volume.send(new Reply.Refused(Reply.Reason.CORRUPT, "on purpose").frame());
    volume.close();
    PeerFailedException lost = expectThrows(PeerFailedException.class, () -> ended(reading));
    assertTrue(lost.getMessage().contains("on purpose"), lost.getMessage());
  }

  @Test(timeOut = 120_000)
  public void shouldTakeNothingThatIsLongerThanWhatItAskedFor() throws IOException {
    CompletableFuture<Void> reading = read(opened(), wanted());
    assertAsked(0);
    volume.send(new Reply.BytesFollow(SPEC.sizeBytes() + 1).frame());
    CorruptException strange = expectThrows(CorruptException.class, () -> ended(reading));
    assertTrue(strange.getMessage().contains("not asked for"), strange.getMessage());
    assertThrows(PeerFailedException.class, store::figures);
  }

  @Test(timeOut = 120_000)
  public void shouldGiveTheLeaseBackOnlyOnceTheLastHasCome() throws Exception {
    Snapshot snapshot = opened();
    CompletableFuture<Void> reading = read(snapshot, wanted());
    assertAsked(0);
    Thread closing = new Thread(snapshot::close);
    closing.start();
    while (closing.getState() == Thread.State.RUNNABLE) {
      Thread.onSpinWait();
    }
    for (int index = 1; index < TENSORS; index++) {
      assertAsked(index);
      give(index - 1);
    }
    give(TENSORS - 1);
    ended(reading);
    assertEquals(asked(), new VolumeRequest.Release(LEASE));
    closing.join();
  }

  /** One part more is wanted than moves in a turn, and the snapshot is closed meanwhile. */
  @Test(timeOut = 120_000)
  public void shouldLetAnotherCallInBetweenButKeepTheLease() throws Exception {
    Snapshot snapshot = opened();
    List<WantedPart> many = Collections.nCopies(Turns.MOST_PARTS + 1, wanted().get(0));
    CompletableFuture<Void> reading = read(snapshot, many);
    assertAsked(0);
    FutureTask<VolumeFigures> next = new FutureTask<>(store::figures);
    assertTrue(LongCall.waiting(next).isAlive());
    Thread closing = new Thread(snapshot::close);
    closing.start();
    for (int part = 1; part < Turns.MOST_PARTS; part++) {
      assertAsked(0);
      give(0);
    }
    give(0);
    assertEquals(asked(), new VolumeRequest.Stat());
    VolumeFigures figures = new VolumeFigures(9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
    volume.send(new Reply.Volume(figures).frame());
    assertEquals(next.get(60, TimeUnit.SECONDS), figures);
    assertAsked(0);
    give(0);
    ended(reading);
    assertEquals(asked(), new VolumeRequest.Release(LEASE));
    closing.join();
  }

  /** All tensors are constant, each with its number. */
  private Snapshot opened() throws IOException {
    List<String> names = IntStream.range(0, TENSORS).mapToObj(index -> "w" + index).toList();
    CompletableFuture<Snapshot> opening = beside(() -> store.open(names));
    assertEquals(asked(), new VolumeRequest.OpenTensors(ImmutableList.copyOf(names)));
    ImmutableList.Builder<LeasedTensor> tensors = ImmutableList.builder();
    for (int index = 0; index < TENSORS; index++) {
      HostTensor tensor = Tensors.constant(index, ELEMENTS);
      int checksum = Checksum.of(tensor.address(0, SPEC.sizeBytes()), SPEC.sizeBytes());
      tensors.add(new LeasedTensor(new NamedSpec(names.get(index), SPEC), 0, checksum));
      tensor.memory().close();
    }
    volume.send(new Reply.Leased(LEASE, 0, tensors.build()).frame());
    return ended(opening);
  }

  private static List<WantedPart> wanted() {
    return IntStream.range(0, TENSORS)
        .mapToObj(
            index -> new WantedPart("w" + index, SPEC.whole(), Tensors.constant(-1, ELEMENTS)))
        .toList();
  }

  private static CompletableFuture<Void> read(Snapshot snapshot, List<WantedPart> wanted) {
    return CompletableFuture.runAsync(() -> snapshot.getAllInto(wanted));
  }

  private VolumeRequest asked() throws IOException {
    return scripted.asked();
  }

  private void assertAsked(int index) throws IOException {
    assertEquals(asked(), new VolumeRequest.Read(LEASE, index, SPEC.whole()));
  }

  private void give(int index) throws IOException {
    volume.send(new Reply.BytesFollow(SPEC.sizeBytes()).frame());
    HostTensor tensor = Tensors.constant(index, ELEMENTS);
    volume.send(tensor.address(0, SPEC.sizeBytes()), SPEC.sizeBytes());
    tensor.memory().close();
  }
}
