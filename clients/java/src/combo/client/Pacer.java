package combo.client;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * Restores the timing of instructions that arrive in batches.
 *
 * <p>The service commits in batches. If instructions were drawn on arrival, a banner would count before it has slid in. So each one is
 * held until it is as late, counted from its {@code at}, as the latest of the last 5 to 10 s was, but at most {@code paceMs} longer than
 * the smallest delay of that time. Later instructions are due at once. Only differences of times count: the clocks of service and viewer
 * need not agree.
 *
 * <p>It has no timer: ask {@link #nextDue()} when to call {@link #due}. Times are the viewer's own, in milliseconds, and must not run back
 * (on Android: {@code SystemClock.uptimeMillis()}). One thread at a time.
 *
 * @param <T> what is held, such as {@link DisplayInstruction}
 */
public final class Pacer<T> {
  private static final long STRETCH_MS = 5000;
  /** If nobody asks what is due, no more than this is held. */
  private static final int HELD_MAX = 1000;

  private record Held<T>(long due, T element) {}

  /** How late instructions came, in a stretch of time. */
  private static final class Stretch {
    final long began;
    long least;
    long most;

    Stretch(long began, long late) {
      this.began = began;
      least = late;
      most = late;
    }
  }

  private final long paceMs;
  private final ArrayDeque<Held<T>> held = new ArrayDeque<>();
  private Stretch present;
  private Stretch last;

  /** Adds at most 500 ms. */
  public Pacer() {
    this(500);
  }

  /** Adds at most {@code paceMs}; 0: everything is due when it comes. */
  public Pacer(int paceMs) {
    this.paceMs = Math.max(0, paceMs);
  }

  /** How many are held. */
  public int size() {
    return held.size();
  }

  /** When the first one is due; {@link Long#MAX_VALUE} if none is held. */
  public long nextDue() {
    if (held.isEmpty()) return Long.MAX_VALUE;
    return held.size() > HELD_MAX ? Long.MIN_VALUE : held.peekFirst().due();
  }

  /** Holds one whose own time is {@code at}, at the viewer's time {@code now}. */
  public void hold(T element, long at, long now) {
    held.addLast(new Held<>(at + delay(now - at, now), element));
  }

  /** Holds one without a time: it is due as soon as those before it are. */
  public void hold(T element, long now) {
    held.addLast(new Held<>(now, element));
  }

  /** Takes out those that are due, in their order. One that is due waits for those before it. */
  public List<T> due(long now) {
    if (held.isEmpty()) return Collections.emptyList();
    if (held.size() > HELD_MAX) return flush();
    List<T> out = new ArrayList<>();
    while (!held.isEmpty() && held.peekFirst().due() <= now) out.add(held.pollFirst().element());
    return out;
  }

  /** Takes out everything: before a clear and before the screen of a stream over HTTP. */
  public List<T> flush() {
    List<T> out = new ArrayList<>(held.size());
    while (!held.isEmpty()) out.add(held.pollFirst().element());
    return out;
  }

  /** Takes out everything and forgets the delays: another connection may lead to another clock. */
  public List<T> reset() {
    present = null;
    return flush();
  }

  private long delay(long late, long now) {
    if (present == null || now - present.began > STRETCH_MS) {
      last = present;
      present = new Stretch(now, late);
    }
    present.least = Math.min(present.least, late);
    present.most = Math.max(present.most, late);
    long least = last == null ? present.least : Math.min(present.least, last.least);
    long most = last == null ? present.most : Math.max(present.most, last.most);
    return Math.min(most, least + paceMs);
  }
}
