package combo.client;

/** A banner on a room's screen: one showing of a combo. Immutable: a changed banner is another object. */
public final class RoomBanner {
  private final long number;
  private final int slot;
  private final long count;
  private final long base;
  private final DisplayData sender;
  private final DisplayData receiver;
  private final DisplayData gift;

  RoomBanner(long number, int slot, long count, long base, DisplayData sender, DisplayData receiver, DisplayData gift) {
    this.number = number;
    this.slot = slot;
    this.count = count;
    this.base = base;
    this.sender = sender;
    this.receiver = receiver;
    this.gift = gift;
  }

  RoomBanner with(int newSlot, long newCount) {
    return new RoomBanner(number, newSlot, newCount, base, sender, receiver, gift);
  }

  /** Its number, from 1 on. Another epoch's banner of the same number is another banner. */
  public long number() {
    return number;
  }

  /** The slot; 0 is the lowest. */
  public int slot() {
    return slot;
  }

  /** The number to draw. */
  public long count() {
    return count;
  }

  /** The part of {@link #count()} that an earlier banner of this combo has shown. Never add it to the count. */
  public long base() {
    return base;
  }

  /** The sender, as of the latest {@code show} or {@code screen}; null if missing there. */
  public DisplayData sender() {
    return sender;
  }

  /** The receiver; null if the gift had none. */
  public DisplayData receiver() {
    return receiver;
  }

  /** The gift; null if missing. */
  public DisplayData gift() {
    return gift;
  }
}
