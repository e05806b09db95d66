package io.tombolo.runtime.exec;

import io.tombolo.runtime.plan.Resource;
import io.tombolo.runtime.plan.Step;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * Carries runs out side by side. Other ranks rely on the order of vendor calls and of messages: on
 * those resources a run's steps start when all steps of earlier runs have started. Copies and
 * arithmetic are a rank's own business and know no order between runs.
 *
 * <p>Nothing can wait for itself: the first of all runs never waits for another.
 */
final class Lines {
  private final Function<Resource, Engine> engineOf;
  private final Map<Resource, Line> lines = new HashMap<>();
  private final Map<Engine, Station> stations = new HashMap<>();
  private final List<Line> waiting = new ArrayList<>();
  private final List<Station> working = new ArrayList<>();

  /** Lines for engines that {@code engineOf} gives, always the same one for a resource. */
  Lines(Function<Resource, Engine> engineOf) {
    this.engineOf = engineOf;
  }

  /** An engine, and how many steps it has under way. */
  final class Station {
    private final Engine engine;
    private int underWay;
    private boolean isWorking;

    private Station(Engine engine) {
      this.engine = engine;
    }

    boolean start(Step step, Binding binding, Engine.Ended ended) {
      if (!engine.start(step, binding, ended)) {
        return false;
      }
      underWay++;
      if (!isWorking) {
        isWorking = true;
        working.add(this);
      }
      return true;
    }

    void stepEnded() {
      underWay--;
    }
  }

  /** Who waits for one resource, in the order of the runs. */
  private static final class Line {
    private final Station station;
    private final boolean ordered;
    private final List<Lineup> queue = new ArrayList<>();

    private Line(Station station, boolean ordered) {
      this.station = station;
      this.ordered = ordered;
    }

    private int start() {
      int started = 0;
      for (int i = 0; i < queue.size(); ) {
        Lineup lineup = queue.get(i);
        started += lineup.start();
        if (lineup.isExhausted()) {
          queue.remove(i);
        } else if (ordered) {
          break;
        } else {
          i++;
        }
      }
      return started;
    }
  }

  /** Takes {@code run} in, behind all that came before. */
  void add(ProgramRun run) {
    for (int i = 0; i < run.lineups().size(); i++) {
      Lineup lineup = run.lineups().get(i);
      Line line = line(lineup.resource());
      lineup.joins(line.station);
      if (line.queue.isEmpty()) {
        waiting.add(line);
      }
      line.queue.add(lineup);
    }
  }

  private Line line(Resource resource) {
    Line line = lines.get(resource);
    if (line == null) {
      line = open(resource);
      lines.put(resource, line);
    }
    return line;
  }

  private Line open(Resource resource) {
    boolean ordered =
        switch (resource.kind()) {
          case VENDOR, SEND, RECEIVE -> true;
          case COPY, HOST -> false;
        };
    return new Line(stations.computeIfAbsent(engineOf.apply(resource), Station::new), ordered);
  }

  /** Starts and ends what it can; returns how many steps it moved. */
  int work() {
    int moved = 0;
    for (int i = 0; i < waiting.size(); ) {
      Line line = waiting.get(i);
      moved += line.start();
      if (line.queue.isEmpty()) {
        waiting.remove(i);
      } else {
        i++;
      }
    }
    for (int i = 0; i < working.size(); ) {
      Station station = working.get(i);
      moved += station.engine.poll();
      if (station.underWay == 0) {
        station.isWorking = false;
        working.remove(i);
      } else {
        i++;
      }
    }
    return moved;
  }
}
