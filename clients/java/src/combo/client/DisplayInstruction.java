package combo.client;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * One display instruction of one room: the value of a record of the output topic, or an event of a stream over HTTP. Decoding
 * checks only what the rules of docs/client.md need. Unknown fields are ignored.
 */
public final class DisplayInstruction {
  /** The kind of an instruction. */
  public enum Op {
    /** A banner slides in: {@link #banner()}. */
    SHOW,
    /** A banner's number grows: {@link #number()}, {@link #count()}, {@link #slot()}. */
    UPDATE,
    /** A banner moves to a higher slot. */
    MOVE_UP,
    /** A banner slides out; {@link #count()} is its last count, {@link #reason()} the reason. */
    DISMISS,
    /** All banners on screen that are not leaving: {@link #banners()}. */
    SCREEN,
    /** A banner that will never be on screen. */
    SKIP,
    /** The end of a combo. */
    FINAL,
    /** An op that this version does not know. */
    UNKNOWN,
    /** One of the above with a field missing or malformed. It changes nothing, but its seq counts. */
    MALFORMED
  }

  /** The value of a number that the instruction does not have. */
  public static final long NONE = JsonCursor.NONE;

  /** Slots are numbered from 0, and a service has at most 100. */
  static final int SLOT_MOST = 99;

  /** Entries of a screen above this many are not read. */
  static final int BANNERS_MOST = 100;

  private String room;
  private String opName;
  private String reason;
  private Op op = Op.UNKNOWN;
  private long epoch = NONE;
  private long seq = NONE;
  private long at = NONE;
  private long number = NONE;
  private long slot = NONE;
  private long count = NONE;
  private long base = NONE;
  private long milestone = NONE;
  private long slots = NONE;
  private long enterMs = NONE;
  private long countMs = NONE;
  private long exitMs = NONE;
  private DisplayData sender;
  private DisplayData receiver;
  private DisplayData gift;
  private RoomBanner banner;
  private List<RoomBanner> banners;

  private DisplayInstruction() {}

  /** Decodes JSON text; null if it is malformed, or has no room, epoch, seq and op. */
  public static DisplayInstruction parse(String json) {
    try {
      JsonCursor cursor = new JsonCursor(json);
      DisplayInstruction read = new DisplayInstruction();
      if (!cursor.enter('{')) return null;
      read.read(cursor, false);
      if (!cursor.isAtEnd() || read.room == null || read.opName == null || read.epoch < 0 || read.seq < 0) return null;
      read.settle();
      return read;
    } catch (JsonCursor.Malformed malformed) {
      return null;
    }
  }

  /** The room's id. */
  public String room() {
    return room;
  }

  /** When the room's engine began, in milliseconds since 1970 by the service's clock. */
  public long epoch() {
    return epoch;
  }

  /** The number within the epoch, from 1 on, without gaps. */
  public long seq() {
    return seq;
  }

  /** When it takes effect, in milliseconds since 1970 by the service's clock, or NONE. */
  public long at() {
    return at;
  }

  /** The kind of the instruction. */
  public Op op() {
    return op;
  }

  /** The op as written. */
  public String opName() {
    return opName;
  }

  /** The number of the banner, or NONE. */
  public long number() {
    return number;
  }

  /** The slot, or NONE. */
  public int slot() {
    return slot > SLOT_MOST ? (int) NONE : (int) slot;
  }

  /** The count, or NONE. */
  public long count() {
    return count;
  }

  /** The largest milestone that the count has passed, or NONE. */
  public long milestone() {
    return milestone;
  }

  /** The reason, or null. */
  public String reason() {
    return reason;
  }

  /** The banner that slides in, of a show; else null. */
  public RoomBanner banner() {
    return banner;
  }

  /** The banners of a screen. */
  public List<RoomBanner> banners() {
    return banners;
  }

  /** The sender, of a show, a skip or a final; else null. */
  public DisplayData sender() {
    return sender;
  }

  /** The receiver, or null. */
  public DisplayData receiver() {
    return receiver;
  }

  /** The gift, or null. */
  public DisplayData gift() {
    return gift;
  }

  /** The number of banners on screen at once, if a screen has it; else NONE. */
  public long slots() {
    return slots;
  }

  /** How long a banner slides in, in milliseconds, if a screen has it; else NONE. */
  public long enterMs() {
    return enterMs;
  }

  /** How long a number counts up, in milliseconds, if a screen has it; else NONE. */
  public long countMs() {
    return countMs;
  }

  /** How long a banner slides out, in milliseconds, if a screen has it; else NONE. */
  public long exitMs() {
    return exitMs;
  }

  private void read(JsonCursor cursor, boolean isEntry) throws JsonCursor.Malformed {
    while (cursor.next('}')) {
      switch (cursor.name()) {
        case "room" -> room = cursor.text();
        case "op" -> opName = cursor.text();
        case "reason" -> reason = cursor.text();
        case "epoch" -> epoch = cursor.whole();
        case "seq" -> seq = cursor.whole();
        case "at" -> at = cursor.whole();
        case "banner" -> number = cursor.whole();
        case "slot" -> slot = cursor.whole();
        case "count" -> count = cursor.whole();
        case "base" -> base = cursor.whole();
        case "milestone" -> milestone = cursor.whole();
        case "slots" -> slots = cursor.whole();
        case "enter_ms" -> enterMs = cursor.whole();
        case "count_ms" -> countMs = cursor.whole();
        case "exit_ms" -> exitMs = cursor.whole();
        case "sender" -> sender = cursor.object();
        case "receiver" -> receiver = cursor.object();
        case "gift" -> gift = cursor.object();
        case "banners" -> {
          if (isEntry) {
            cursor.skip();
          } else {
            banners = readBanners(cursor);
          }
        }
        default -> cursor.skip();
      }
    }
  }

  private static List<RoomBanner> readBanners(JsonCursor cursor) throws JsonCursor.Malformed {
    if (!cursor.enter('[')) {
      cursor.skip();
      return null;
    }
    List<RoomBanner> there = new ArrayList<>();
    int entries = 0;
    while (cursor.next(']')) {
      entries += 1;
      if (!cursor.enter('{')) {
        cursor.skip();
        continue;
      }
      DisplayInstruction entry = new DisplayInstruction();
      entry.read(cursor, true);
      RoomBanner shown = entry.shown();
      if (shown != null && entries <= BANNERS_MOST) there.add(shown);
    }
    return Collections.unmodifiableList(there);
  }

  private RoomBanner shown() {
    if (number < 1 || slot < 0 || slot > SLOT_MOST || count < 0) return null;
    return new RoomBanner(number, (int) slot, count, Math.max(0, base), sender, receiver, gift);
  }

  private void settle() {
    boolean isWhole =
        switch (opName) {
          case "show" -> {
            op = Op.SHOW;
            banner = shown();
            yield banner != null;
          }
          case "update" -> {
            op = Op.UPDATE;
            yield number > 0 && count >= 0;
          }
          case "move_up" -> {
            op = Op.MOVE_UP;
            yield number > 0 && slot() >= 0;
          }
          case "dismiss" -> {
            op = Op.DISMISS;
            yield number > 0;
          }
          case "screen" -> {
            op = Op.SCREEN;
            yield banners != null;
          }
          case "skip" -> {
            op = Op.SKIP;
            yield true;
          }
          case "final" -> {
            op = Op.FINAL;
            yield true;
          }
          default -> true;
        };
    if (!isWhole) op = Op.MALFORMED;
  }
}
