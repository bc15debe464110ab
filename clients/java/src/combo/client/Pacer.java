package combo.client;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * Restores the timing of instructions that arrive in batches.
 *
 * <p>The service commits in batches. If instructions were drawn on arrival, a banner would count before it has slid in. So each
 * is held until its delay after {@code at} equals the largest delay of the last 5 to 10 s, but at most {@code paceMs} more than
 * the smallest. Later instructions are due at once. Only differences of times count: the clocks of service and viewer need not
 * agree.
 *
 * <p>It has no timer: {@link #nextDue()} is the time at which to call {@link #due}. Times are the viewer's own, in milliseconds,
 * and must not go back (on Android: {@code SystemClock.uptimeMillis()}). One thread at a time.
 *
 * @param <T> what is held, such as {@link DisplayInstruction}
 */
public final class Pacer<T> {
  private static final long STRETCH_MS = 5000;
  /** If more items than this are held, because {@link #due} is not called, all are due. */
  private static final int HELD_MAX = 1000;

  private record Held<T>(long due, T element) {}

  /** The smallest and the largest delay in an interval. */
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

  /** Creates a pacer that adds at most 500 ms. */
  public Pacer() {
    this(500);
  }

  /** Creates a pacer that adds at most {@code paceMs}; with 0, everything is due on arrival. */
  public Pacer(int paceMs) {
    this.paceMs = Math.max(0, paceMs);
  }

  /** The number of items held. */
  public int size() {
    return held.size();
  }

  /** When the first item is due; {@link Long#MAX_VALUE} if none is held. */
  public long nextDue() {
    if (held.isEmpty()) return Long.MAX_VALUE;
    return held.size() > HELD_MAX ? Long.MIN_VALUE : held.peekFirst().due();
  }

  /** Holds an item of time {@code at}, at the viewer's time {@code now}. */
  public void hold(T element, long at, long now) {
    held.addLast(new Held<>(at + delay(now - at, now), element));
  }

  /** Holds an item without a time: it is due as soon as those before it are. */
  public void hold(T element, long now) {
    held.addLast(new Held<>(now, element));
  }

  /** Removes and returns the items that are due, in order. One that is due waits for those before it. */
  public List<T> due(long now) {
    if (held.isEmpty()) return Collections.emptyList();
    if (held.size() > HELD_MAX) return flush();
    List<T> out = new ArrayList<>();
    while (!held.isEmpty() && held.peekFirst().due() <= now) out.add(held.pollFirst().element());
    return out;
  }

  /** Removes and returns all items: call it before a clear, and before the screen of a stream over HTTP. */
  public List<T> flush() {
    List<T> out = new ArrayList<>(held.size());
    while (!held.isEmpty()) out.add(held.pollFirst().element());
    return out;
  }

  /** Removes and returns all items, and discards the delays, since another connection may have another clock. */
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
