// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.bootstrap;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertTrue;

import io.tombolo.base.Deadline;
import io.tombolo.runtime.store.CallbackStore;
import io.tombolo.runtime.store.MemoryStore;
import io.tombolo.runtime.store.Shelf;
import io.tombolo.runtime.store.Store;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.testng.annotations.Test;

/** The list of what has failed: it stays short, and nobody misses what concerns him. */
public final class NewsTest {
  private static final Duration AT_ONCE = Duration.ZERO;
  private static final Duration LONG = Duration.ofSeconds(60);

  private final MemoryStore values = new MemoryStore();

  private static List<String> allOf(News reader) {
    List<String> read = new ArrayList<>();
    for (int i = 0; i < 4 * News.KEPT; i++) {
      reader.next(AT_ONCE).ifPresent(read::add);
    }
    return read;
  }

  @Test
  public void shouldHaveEachNameOnceInItsOrder() {
    Store store = new MemoryStore();
    News news = new News(store);
    List.of("a", "b", "a", "c").forEach(news::add);
    assertEquals(allOf(new News(store)), List.of("a", "b", "c"));
    news.retire("b");
    assertEquals(allOf(new News(store)), List.of("a", "c"));
  }

  @Test
  public void shouldStayShortHoweverMuchWasInIt() {
    Shelf shelf = new Shelf(new MemoryStore());
    Store store = new CallbackStore(shelf);
    News early = new News(store);
    for (int i = 0; i < 100; i++) {
      new News(store).add("group-" + i);
      new News(store).retire("group-" + i);
      assertTrue(shelf.keys().size() <= News.KEPT + 2, shelf.keys().toString());
    }
    new News(store).add("job");
    assertEquals(allOf(early), List.of("job"), "who was held up");
    assertEquals(allOf(new News(store)), List.of("job"), "who comes late");
    new News(store).forget();
    assertEquals(shelf.keys().size(), 0, shelf.keys().toString());
  }

  @Test
  public void shouldKeepWhatConcernsSomebody() {
    Store store = new MemoryStore();
    new News(store).add("alive");
    for (int i = 0; i < 3 * News.KEPT; i++) {
      new News(store).add("group-" + i);
      new News(store).retire("group-" + i);
    }
    assertEquals(allOf(new News(store)), List.of("alive"));
  }

  /** Who adds has found the list's begin, and its place is gone when it is about to write. */
  @Test
  public void shouldAddWhereOthersReadWhenTheListGoesOnMeanwhile() {
    Store store = new CallbackStore(new Shelf(values));
    for (int i = 0; i <= News.KEPT; i++) {
      new News(store).add("group-" + i);
    }
    Shelf slow =
        new Shelf(values) {
          private boolean isFirst = true;

          @Override
          public byte[] compareSet(String key, byte[] expected, byte[] desired) {
            if (isFirst) {
              isFirst = false;
              new News(store).retire("group-0");
            }
            return super.compareSet(key, expected, desired);
          }
        };
    new News(new CallbackStore(slow)).add("job");
    List<String> read = allOf(new News(store));
    assertEquals(read.get(read.size() - 1), "job");
    assertEquals(store.get("job/news/0"), Optional.empty());
  }

  @Test(timeOut = 120_000)
  public void shouldReachAllWhenManyWriteAtOnce() {
    Store store = new MemoryStore();
    List<CompletableFuture<Void>> all = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      String mine = "group-" + i + "-";
      all.add(later(() -> addAndRetire(store, mine)));
    }
    List<CompletableFuture<Void>> readers =
        List.of(later(() -> awaitJob(store)), later(() -> awaitJob(store)));
    all.forEach(CompletableFuture::join);
    new News(store).add("job");
    readers.forEach(CompletableFuture::join);
    awaitJob(store);
  }

  private static void addAndRetire(Store store, String mine) {
    for (int i = 0; i < 100; i++) {
      new News(store).add(mine + i);
      new News(store).retire(mine + i);
    }
  }

  private static void awaitJob(Store store) {
    News reader = new News(store);
    Deadline deadline = Deadline.after(LONG);
    while (!reader.next(Duration.ofMillis(100)).equals(Optional.of("job"))) {
      assertTrue(!deadline.isExpired(), "not read");
    }
  }

  private static CompletableFuture<Void> later(Runnable task) {
    CompletableFuture<Void> done = new CompletableFuture<>();
    Thread thread =
        new Thread(
            () -> {
              try {
                task.run();
                done.complete(null);
              } catch (Throwable e) {
                done.completeExceptionally(e);
              }
            },
            "news");
    thread.setDaemon(true);
    thread.start();
    return done;
  }
}
