package combo.client;

/** What to do with an instruction. */
public enum Verdict {
  /** Draw it. */
  DRAW("draw", false, true),
  /** Remove the drawn banners, which are no longer known. Do not draw this one. */
  CLEAR("clear", true, false),
  /** Remove the drawn banners, then draw this one. */
  CLEAR_AND_DRAW("clear, draw", true, true),
  /** Nothing: it is about a banner that is not known before the next {@code screen}. */
  WAIT("wait", false, false),
  /** Nothing: a repetition, malformed, or nothing that changes the screen. */
  IGNORE("ignore", false, false);

  private final String word;
  private final boolean clears;
  private final boolean draws;

  Verdict(String word, boolean clears, boolean draws) {
    this.word = word;
    this.clears = clears;
    this.draws = draws;
  }

  /** The verdict's name in the client suite. */
  public String word() {
    return word;
  }

  /** Whether to remove the drawn banners first. */
  public boolean clears() {
    return clears;
  }

  /** Whether to draw the instruction. */
  public boolean draws() {
    return draws;
  }
}
