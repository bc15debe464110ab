package combo.client;

/**
 * The display data of a sender, a receiver or a gift: the JSON object of the event, which the service passes on unchanged.
 *
 * <p>The sender of the gift chose it. Draw its texts as text, and load pictures only from addresses that you trust. Each call
 * parses the object again, so keep what you draw in every frame.
 */
public final class DisplayData {
  private final String json;

  DisplayData(String json) {
    this.json = json;
  }

  /** The object as it was received. */
  public String json() {
    return json;
  }

  /** The name to display: its name, or else its id; empty if it has neither. */
  public String name() {
    String name = text("name");
    if (name == null || name.isEmpty()) name = text("id");
    return name == null ? "" : name;
  }

  /** A field's text, or its number as written; null for other values, and if there is no such field. */
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
