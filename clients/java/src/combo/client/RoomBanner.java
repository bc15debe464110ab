package combo.client;

/** A banner on a room's screen: one showing of a combo. It does not change; a changed banner is another object. */
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

  /** Where it stands: 0 is the lowest place. */
  public int slot() {
    return slot;
  }

  /** The number to draw. */
  public long count() {
    return count;
  }

  /** How much of {@link #count()} an earlier banner of this combo has shown. Never to be added to it. */
  public long base() {
    return base;
  }

  /** Who gave, as of the latest {@code show} or {@code screen}; null if that was missing. */
  public DisplayData sender() {
    return sender;
  }

  /** Who got; null if the gift had no receiver. */
  public DisplayData receiver() {
    return receiver;
  }

  /** What was given; null if that was missing. */
  public DisplayData gift() {
    return gift;
  }
}
