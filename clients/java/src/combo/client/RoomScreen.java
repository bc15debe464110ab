package combo.client;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * Derives one room's screen from its instructions: a reducer without clock, network or views.
 *
 * <p>It keeps (epoch, seq): instructions not above that are repetitions. A new epoch begins with an empty screen. After a gap,
 * or when it joins in mid-stream, it does not know what is on screen until the next screen; until then it has the banners whose
 * show it saw. It never holds more than 100 banners. docs/client.md has the rules, Tests/Clients tests them. One thread at a
 * time.
 */
public final class RoomScreen {
  private final List<RoomBanner> banners = new ArrayList<>();
  private final List<RoomBanner> view = Collections.unmodifiableList(banners);
  private long epoch = -1;
  private long seq;
  private boolean isKnown;
  private long gaps;
  private long repetitions;

  /** The banners on screen that are not leaving, lowest slot first. A view: it changes with the next instruction. */
  public List<RoomBanner> banners() {
    return view;
  }

  /** The epoch of the latest accepted instruction; -1 before the first. */
  public long epoch() {
    return epoch;
  }

  /** The seq of the latest accepted instruction. */
  public long seq() {
    return seq;
  }

  /** Whether {@link #banners()} has everything on screen. */
  public boolean isKnown() {
    return isKnown;
  }

  /** The number of gaps so far. */
  public long gaps() {
    return gaps;
  }

  /** The number of repetitions so far. */
  public long repetitions() {
    return repetitions;
  }

  /** Accepts one instruction of this room; ignores null, which {@link DisplayInstruction#parse} may return. */
  public Verdict take(DisplayInstruction said) {
    if (said == null || said.seq() == 0) return Verdict.IGNORE;
    if (said.epoch() < epoch || said.epoch() == epoch && said.seq() <= seq) {
      repetitions += 1;
      return Verdict.IGNORE;
    }
    boolean isCleared = false;
    if (said.epoch() > epoch) {
      if (epoch >= 0 && said.seq() != 1) gaps += 1;
      isCleared = letGo();
      // An epoch begins with seq 1; otherwise its beginning was missed.
      isKnown = said.seq() == 1;
    } else if (said.seq() != seq + 1) {
      gaps += 1;
      // A screen is complete, so banners that stay need not be removed first.
      if (said.op() != DisplayInstruction.Op.SCREEN) isCleared = letGo();
      isKnown = false;
    }
    epoch = said.epoch();
    seq = said.seq();
    Verdict verdict = apply(said);
    if (!isCleared) return verdict;
    return verdict == Verdict.DRAW ? Verdict.CLEAR_AND_DRAW : Verdict.CLEAR;
  }

  /**
   * Accepts the screen that begins a stream over HTTP. Its seq is that of the last instruction that it includes. A room that
   * sleeps has epoch 0 and seq 0: its screen is empty, and the earlier epoch and seq stay.
   */
  public Verdict takeJoined(DisplayInstruction screen) {
    if (screen == null || screen.op() != DisplayInstruction.Op.SCREEN) return Verdict.IGNORE;
    if (screen.epoch() == 0 && screen.seq() == 0) {
      banners.clear();
      isKnown = true;
      return Verdict.DRAW;
    }
    // Older than the known screen: the service is still catching up.
    if (screen.epoch() < epoch || screen.epoch() == epoch && screen.seq() < seq) {
      repetitions += 1;
      return Verdict.IGNORE;
    }
    // Banners of another epoch are different ones, even if their numbers are equal.
    boolean isCleared = screen.epoch() > epoch && letGo();
    epoch = screen.epoch();
    seq = screen.seq();
    apply(screen);
    return isCleared ? Verdict.CLEAR_AND_DRAW : Verdict.DRAW;
  }

  /** Removes all banners. Returns whether there were any. */
  private boolean letGo() {
    if (banners.isEmpty()) return false;
    banners.clear();
    return true;
  }

  private Verdict apply(DisplayInstruction said) {
    switch (said.op()) {
      case SHOW -> {
        int old = index(said.number());
        if (old >= 0) {
          banners.remove(old);
        } else if (banners.size() >= DisplayInstruction.BANNERS_MOST) {
          return Verdict.IGNORE;
        }
        insert(said.banner());
        return Verdict.DRAW;
      }
      case SCREEN -> {
        banners.clear();
        for (RoomBanner banner : said.banners()) {
          // If a banner appears twice, its last entry counts.
          int old = index(banner.number());
          if (old >= 0) banners.remove(old);
          insert(banner);
        }
        isKnown = true;
        return Verdict.DRAW;
      }
      case UPDATE, MOVE_UP, DISMISS -> {
        int index = index(said.number());
        if (index < 0) return isKnown ? Verdict.IGNORE : Verdict.WAIT;
        RoomBanner banner = banners.get(index);
        if (said.op() == DisplayInstruction.Op.DISMISS) {
          banners.remove(index);
          return Verdict.DRAW;
        }
        int slot = said.slot() >= 0 ? said.slot() : banner.slot();
        RoomBanner changed = banner.with(slot, said.op() == DisplayInstruction.Op.UPDATE ? said.count() : banner.count());
        if (slot == banner.slot()) {
          banners.set(index, changed);
        } else {
          banners.remove(index);
          insert(changed);
        }
        return Verdict.DRAW;
      }
      default -> {
        return Verdict.IGNORE;
      }
    }
  }

  private int index(long number) {
    for (int index = 0; index < banners.size(); index += 1) if (banners.get(index).number() == number) return index;
    return -1;
  }

  private void insert(RoomBanner banner) {
    int index = 0;
    while (index < banners.size() && isBefore(banners.get(index), banner)) index += 1;
    banners.add(index, banner);
  }

  private static boolean isBefore(RoomBanner a, RoomBanner b) {
    return a.slot() < b.slot() || a.slot() == b.slot() && a.number() < b.number();
  }
}
