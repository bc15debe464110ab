package combo.client;

/**
 * What a sender, a receiver or a gift came with: a JSON object, handed on by the service as it was, every field.
 *
 * <p>Whoever sent the gift chose it. Draw its texts as text, and load pictures only from addresses that you trust. Fields are looked up
 * when they are asked for; keep what you draw in every frame.
 */
public final class DisplayData {
  private final String json;

  DisplayData(String json) {
    this.json = json;
  }

  /** The object as it came. */
  public String json() {
    return json;
  }

  /** What to call it: its name, or else its id; empty if it has neither. */
  public String name() {
    String name = text("name");
    if (name == null || name.isEmpty()) name = text("id");
    return name == null ? "" : name;
  }

  /** A field's text, or its number as it is written; null for other values, and if there is no such field. */
  public String text(String field) {
    try {
      JsonCursor cursor = new JsonCursor(json);
      String found = null;
      cursor.enter('{');
      while (cursor.next('}')) {
        if (cursor.name().equals(field)) {
          found = cursor.textOrNumber();
        } else {
          cursor.skip();
        }
      }
      return found;
    } catch (JsonCursor.Malformed malformed) {
      return null;
    }
  }
}
