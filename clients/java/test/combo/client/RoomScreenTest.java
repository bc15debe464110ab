package combo.client;

/** Tests the counters of a screen: exit code 1 and a sentence if a claim is false. The suite tests the rest. */
public final class RoomScreenTest {
  private RoomScreenTest() {}

  private static DisplayInstruction said(long epoch, long seq, String fields) {
    return DisplayInstruction.parse("{\"room\":\"r\",\"epoch\":" + epoch + ",\"seq\":" + seq + "," + fields + "}");
  }

  private static void claim(RoomScreen screen, long epoch, long seq, boolean isKnown, long gaps, long repetitions) {
    if (screen.epoch() == epoch && screen.seq() == seq && screen.isKnown() == isKnown && screen.gaps() == gaps && screen.repetitions() == repetitions) return;
    System.err.println("RoomScreenTest: instead of " + epoch + ", " + seq + ", " + isKnown + ", " + gaps + ", " + repetitions + " it is " + screen.epoch()
        + ", " + screen.seq() + ", " + screen.isKnown() + ", " + screen.gaps() + ", " + screen.repetitions());
    System.exit(1);
  }

  public static void main(String[] arguments) {
    String show = "\"op\":\"show\",\"banner\":1,\"slot\":0,\"count\":1";
    String all = "\"op\":\"screen\",\"banners\":[]";
    RoomScreen screen = new RoomScreen();
    claim(screen, -1, 0, false, 0, 0);
    screen.take(said(5, 1, show));
    claim(screen, 5, 1, true, 0, 0);
    screen.take(said(5, 1, show));
    screen.take(said(4, 9, show));
    claim(screen, 5, 1, true, 0, 2);
    screen.take(said(5, 3, show));
    claim(screen, 5, 3, false, 1, 2);
    screen.take(said(5, 4, all));
    claim(screen, 5, 4, true, 1, 2);
    screen.takeJoined(said(5, 3, all));
    claim(screen, 5, 4, true, 1, 3);
    screen.takeJoined(said(5, 8, all));
    claim(screen, 5, 8, true, 1, 3);
    screen.take(said(6, 2, show));
    claim(screen, 6, 2, false, 2, 3);
    screen.take(said(7, 1, show));
    claim(screen, 7, 1, true, 2, 3);
    System.out.println("RoomScreenTest: all claims are true");
  }
}
