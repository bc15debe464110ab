package combo.client;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Tests the pacer: exit code 1 and a sentence if a claim is false. */
public final class PacerTest {
  private PacerTest() {}

  /** Returns {at, time} of each drawing, for arrivals {came, at}. */
  private static List<long[]> drawn(int paceMs, List<long[]> arrivals) {
    Pacer<long[]> pacer = new Pacer<>(paceMs);
    List<long[]> out = new ArrayList<>();
    for (long[] arrival : arrivals) {
      draw(pacer, arrival[0], out);
      pacer.hold(arrival, arrival[1], arrival[0]);
      for (long[] one : pacer.due(arrival[0])) out.add(new long[] {one[1], arrival[0]});
    }
    draw(pacer, Long.MAX_VALUE - 1, out);
    return out;
  }

  private static void draw(Pacer<long[]> pacer, long until, List<long[]> out) {
    while (pacer.nextDue() <= until) {
      long due = pacer.nextDue();
      for (long[] one : pacer.due(due)) out.add(new long[] {one[1], due});
    }
  }

  private static void claim(boolean isTrue, String what) {
    if (isTrue) return;
    System.err.println("PacerTest: it is not true that " + what);
    System.exit(1);
  }

  public static void main(String[] arguments) {
    for (long skew : new long[] {0, 86_400_000, -3_600_000}) {
      List<long[]> arrivals = new ArrayList<>();
      for (long index = 0; index < 200; index++) {
        long at = index * 30;
        arrivals.add(new long[] {at / 100 * 100 + 150, at + skew});
      }
      List<long[]> out = drawn(500, arrivals);
      Set<Long> steps = new HashSet<>();
      for (int index = 21; index < out.size(); index++) steps.add(out.get(index)[1] - out.get(index - 1)[1]);
      claim(steps.equals(Set.of(30L)), "batches of 100 ms get their timing back with clocks " + skew + " ms apart: " + steps);
    }

    List<long[]> late = new ArrayList<>();
    for (long index = 0; index < 300; index++) {
      long at = index * 90;
      late.add(new long[] {at > 5000 && at < 9000 ? 9000 : at + 30, at});
    }
    List<long[]> out = drawn(500, late);
    claim(out.size() == late.size(), "all are drawn");
    for (int index = 0; index < out.size(); index++) {
      claim(out.get(index)[0] == late.get(index)[1], "they are drawn in order");
      claim(out.get(index)[1] - late.get(index)[0] <= 500, "none waits longer than 500 ms");
    }

    Pacer<String> pacer = new Pacer<>();
    pacer.hold("a", 1000, 5000);
    claim(pacer.due(5000).equals(List.of("a")), "the first is due at once");
    pacer.hold("late", 1000, 5300);
    pacer.hold("b", 1400, 5400);
    pacer.hold("no time", 5400);
    claim(pacer.due(5400).equals(List.of("late")), "one waits until it is as late as the latest");
    claim(pacer.nextDue() == 5700 && pacer.size() == 2, "it says when the next one is due: " + pacer.nextDue());
    claim(pacer.flush().equals(List.of("b", "no time")) && pacer.nextDue() == Long.MAX_VALUE, "flush takes out everything");

    Pacer<String> other = new Pacer<>();
    other.hold("a", 0, 900);
    other.due(900);
    for (int index = 0; index < 1000; index++) other.hold("x", 1000, 1000);
    claim(other.due(1000).isEmpty() && other.nextDue() == 1500 && other.size() == 1000, "1000 are held");
    other.hold("x", 1000, 1000);
    claim(other.nextDue() == Long.MIN_VALUE && other.due(1000).size() == 1001, "no more than 1000 are held");
    other.hold("b", 1000, 1000);
    claim(other.reset().equals(List.of("b")), "reset takes out everything");
    other.hold("c", 1000, 1000);
    claim(other.due(1000).equals(List.of("c")), "another connection does not inherit delays");
    other.hold("d", 1000, 1400);
    other.hold("e", 7000, 7000);
    claim(other.nextDue() == 1400 && other.due(7000).equals(List.of("d")), "a delay counts for the stretch of time after it");
    claim(other.nextDue() == 7400, "it does: " + other.nextDue());
    other.due(7400);
    other.hold("f", 12_001, 12_001);
    claim(other.due(12_001).equals(List.of("f")), "and no longer");
    System.out.println("PacerTest: all claims are true");
  }
}
