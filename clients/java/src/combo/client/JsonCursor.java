package combo.client;

/** Reads a JSON text (RFC 8259) from its beginning to its end, once, without building a tree. */
final class JsonCursor {
  /** Thrown if the text is not JSON, or nested too deeply. */
  static final class Malformed extends Exception {
    private static final long serialVersionUID = 1;
    static final Malformed INSTANCE = new Malformed();

    private Malformed() {
      // Without a stack trace: nobody reads it, and it would cost most of the time.
      super("malformed", null, false, false);
    }
  }

  /** The result for anything but a whole number from 0 to 2^53 - 1. */
  static final long NONE = -1;

  static final long NUMBER_MOST = 9_007_199_254_740_991L;

  /** The nesting limit; instructions are far from it. */
  private static final int DEPTH_MOST = 512;

  private final String text;
  private final int end;
  private int at;
  private boolean isFirst;

  JsonCursor(String text) {
    this.text = text;
    end = text.length();
  }

  /** Enters the value here if it is an object or array; does not move otherwise. */
  boolean enter(char open) {
    space();
    isFirst = take(open);
    return isFirst;
  }

  /** Whether another member or entry follows. */
  boolean next(char close) throws Malformed {
    space();
    if (take(close)) {
      isFirst = false;
      return false;
    }
    if (isFirst) {
      isFirst = false;
    } else {
      expect(',');
      space();
    }
    return true;
  }

  /** Reads a member's name, up to its value. */
  String name() throws Malformed {
    space();
    String name = string();
    space();
    expect(':');
    return name;
  }

  /** Reads the value here if it is a string; skips any other and returns null. */
  String text() throws Malformed {
    space();
    if (at < end && text.charAt(at) == '"') return string();
    skip();
    return null;
  }

  /** Reads the value here if it is a string, or a number as written; skips any other and returns null. */
  String textOrNumber() throws Malformed {
    space();
    int start = at;
    if (start < end && text.charAt(start) == '"') return string();
    skip();
    char first = text.charAt(start);
    return first == '-' || isDigit(first) ? text.substring(start, at) : null;
  }

  /** Reads the value here if it is a whole number from 0 to 2^53 - 1 in any notation; skips any other and returns NONE. */
  long whole() throws Malformed {
    space();
    int start = at;
    long value = 0;
    int p = at;
    while (p < end && p - start < 17 && isDigit(text.charAt(p))) value = value * 10 + text.charAt(p++) - '0';
    int count = p - start;
    if (count > 0 && count < 17 && p < end && (count == 1 || text.charAt(start) != '0')) {
      char after = text.charAt(p);
      if (after != '.' && after != 'e' && after != 'E') {
        at = p;
        return value <= NUMBER_MOST ? value : NONE;
      }
    }
    skip();
    char first = text.charAt(start);
    if (first != '-' && !isDigit(first)) return NONE;
    double number = Double.parseDouble(text.substring(start, at));
    return number >= 0 && number <= NUMBER_MOST && number == Math.rint(number) ? (long) number : NONE;
  }

  /** Reads the value here as written, if it is an object; skips any other and returns null. */
  DisplayData object() throws Malformed {
    space();
    int start = at;
    skip();
    return text.charAt(start) == '{' ? new DisplayData(text.substring(start, at)) : null;
  }

  /** Skips the value here. */
  void skip() throws Malformed {
    skip(0);
  }

  /** Whether nothing but white space is left. */
  boolean isAtEnd() {
    space();
    return at == end;
  }

  private void skip(int depth) throws Malformed {
    space();
    if (at >= end || depth >= DEPTH_MOST) throw Malformed.INSTANCE;
    switch (text.charAt(at)) {
      case '"' -> skipString();
      case '{' -> {
        enter('{');
        while (next('}')) {
          space();
          skipString();
          space();
          expect(':');
          skip(depth + 1);
        }
      }
      case '[' -> {
        enter('[');
        while (next(']')) {
          skip(depth + 1);
        }
      }
      case 't' -> word("true");
      case 'f' -> word("false");
      case 'n' -> word("null");
      default -> number();
    }
  }

  private void word(String word) throws Malformed {
    if (!text.startsWith(word, at)) throw Malformed.INSTANCE;
    at += word.length();
  }

  private void number() throws Malformed {
    take('-');
    if (!take('0')) digits();
    if (take('.')) digits();
    if (take('e') || take('E')) {
      if (!take('+')) take('-');
      digits();
    }
  }

  private void digits() throws Malformed {
    int start = at;
    while (at < end && isDigit(text.charAt(at))) at += 1;
    if (at == start) throw Malformed.INSTANCE;
  }

  private String string() throws Malformed {
    int start = at + 1;
    if (!skipString()) return text.substring(start, at - 1);
    StringBuilder out = new StringBuilder(at - start);
    for (int index = start; index < at - 1; index += 1) {
      char one = text.charAt(index);
      if (one != '\\') {
        out.append(one);
        continue;
      }
      index += 1;
      switch (text.charAt(index)) {
        case 'b' -> out.append('\b');
        case 'f' -> out.append('\f');
        case 'n' -> out.append('\n');
        case 'r' -> out.append('\r');
        case 't' -> out.append('\t');
        case 'u' -> {
          out.append((char) Integer.parseInt(text.substring(index + 1, index + 5), 16));
          index += 4;
        }
        default -> out.append(text.charAt(index));
      }
    }
    return out.toString();
  }

  /** Skips a string; returns whether it has escapes. */
  private boolean skipString() throws Malformed {
    expect('"');
    boolean isEscaped = false;
    while (at < end) {
      char one = text.charAt(at++);
      if (one == '"') return isEscaped;
      if (one < ' ') break;
      if (one == '\\') {
        isEscaped = true;
        escape();
      }
    }
    throw Malformed.INSTANCE;
  }

  private void escape() throws Malformed {
    if (at >= end) throw Malformed.INSTANCE;
    char one = text.charAt(at++);
    if (one == 'u') {
      for (int count = 0; count < 4; count += 1) {
        if (at >= end || Character.digit(text.charAt(at), 16) < 0 || text.charAt(at) > 'f') throw Malformed.INSTANCE;
        at += 1;
      }
    } else if ("\"\\/bfnrt".indexOf(one) < 0) {
      throw Malformed.INSTANCE;
    }
  }

  private void space() {
    while (at < end) {
      char one = text.charAt(at);
      if (one != ' ' && one != '\n' && one != '\r' && one != '\t') return;
      at += 1;
    }
  }

  private boolean take(char one) {
    if (at >= end || text.charAt(at) != one) return false;
    at += 1;
    return true;
  }

  private void expect(char one) throws Malformed {
    if (!take(one)) throw Malformed.INSTANCE;
  }

  private static boolean isDigit(char one) {
    return one >= '0' && one <= '9';
  }
}
