package combo.client;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The Java client as a program for Tests/Clients/run: lines in, verdicts and screens out. With {@code --speed FILE} it measures
 * how many instructions of that file it decodes and applies per second.
 */
public final class SuiteClient {
  private SuiteClient() {}

  public static void main(String[] arguments) throws IOException {
    if (arguments.length == 2 && arguments[0].equals("--speed")) {
      measure(Files.readString(Path.of(arguments[1])).split("\n"));
      return;
    }
    Map<String, RoomScreen> rooms = new HashMap<>();
    RoomScreen screen = new RoomScreen();
    String input = new String(System.in.readAllBytes(), StandardCharsets.UTF_8);
    PrintStream out = new PrintStream(new BufferedOutputStream(System.out), false, StandardCharsets.UTF_8);
    for (String line : lines(input)) {
      int blank = line.indexOf(' ');
      String word = line.substring(0, blank);
      if (word.equals("case")) {
        rooms = new HashMap<>();
        screen = new RoomScreen();
        continue;
      }
      DisplayInstruction said = DisplayInstruction.parse(line.substring(blank + 1));
      Verdict verdict = Verdict.IGNORE;
      if (said != null) {
        screen = rooms.computeIfAbsent(said.room(), room -> new RoomScreen());
        verdict = word.equals("joined") ? screen.takeJoined(said) : screen.take(said);
      }
      out.println(answer(verdict, screen));
    }
    out.flush();
  }

  private static List<String> lines(String text) {
    List<String> lines = new ArrayList<>();
    int start = 0;
    for (int end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', start)) {
      lines.add(text.substring(start, end));
      start = end + 1;
    }
    return lines;
  }

  private static String answer(Verdict verdict, RoomScreen screen) {
    StringBuilder out = new StringBuilder("{\"verdict\":\"").append(verdict.word()).append("\",\"screen\":[");
    for (RoomBanner banner : screen.banners()) {
      if (out.charAt(out.length() - 1) == '}') out.append(',');
      out.append("{\"banner\":").append(banner.number()).append(",\"slot\":").append(banner.slot()).append(",\"count\":")
          .append(banner.count()).append(",\"base\":").append(banner.base());
      if (banner.sender() != null) out.append(",\"sender\":").append(banner.sender().json());
      if (banner.receiver() != null) out.append(",\"receiver\":").append(banner.receiver().json());
      if (banner.gift() != null) out.append(",\"gift\":").append(banner.gift().json());
      out.append('}');
    }
    return out.append("]}").toString();
  }

  /** Repeats the file, each time as another viewer; prints the best of ten rounds of half a second of processor time. */
  private static void measure(String[] lines) {
    double best = 0;
    long drawn = 0;
    for (int round = 0; round < 10; round += 1) {
      long began = processorTime();
      long count = 0;
      while (processorTime() - began < 500_000_000L) {
        Map<String, RoomScreen> rooms = new HashMap<>();
        for (String line : lines) {
          DisplayInstruction said = DisplayInstruction.parse(line);
          if (rooms.computeIfAbsent(said.room(), room -> new RoomScreen()).take(said).draws()) drawn += 1;
        }
        count += lines.length;
      }
      best = Math.max(best, count * 1e9 / (processorTime() - began));
    }
    System.out.printf("Java: %.2f million instructions a second of processor time, decoded and taken in%s%n", best / 1e6, drawn == 0 ? " (none drawn)" : "");
  }

  private static long processorTime() {
    return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
  }
}
