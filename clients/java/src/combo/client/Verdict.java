package combo.client;

/** What to do with an instruction. */
public enum Verdict {
  /** Draw it. */
  DRAW("draw", false, true),
  /** Take away what is drawn, because it is not known any more. Do not draw this one. */
  CLEAR("clear", true, false),
  /** First clear, then draw. */
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

  /** The word that the client suite has for it. */
  public String word() {
    return word;
  }

  /** Whether what was drawn before is to be taken away. */
  public boolean clears() {
    return clears;
  }

  /** Whether the instruction is to be drawn. */
  public boolean draws() {
    return draws;
  }
}
