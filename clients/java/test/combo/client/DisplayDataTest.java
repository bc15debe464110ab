package combo.client;

/** Tests display data, and which ops are known: exit code 1 and a sentence if a claim is false. */
public final class DisplayDataTest {
  private DisplayDataTest() {}

  private static DisplayData sender(String json) {
    return DisplayInstruction.parse("{\"room\":\"r\",\"epoch\":1,\"seq\":1,\"op\":\"show\",\"banner\":1,\"slot\":0,\"count\":1,\"sender\":" + json + "}").sender();
  }

  private static DisplayInstruction.Op op(String fields) {
    return DisplayInstruction.parse("{\"room\":\"r\",\"epoch\":1,\"seq\":1," + fields + "}").op();
  }

  private static void claim(boolean isTrue, String what) {
    if (isTrue) return;
    System.err.println("DisplayDataTest: it is not true that " + what);
    System.exit(1);
  }

  public static void main(String[] arguments) {
    String json = "{ \"id\" : \"u\", \"name\":\"A\\u006en\\t\\\"\\\\\\/\\b\\f\\n\\r\",\"value\":0.5,\"many\":-12e+3,\"none\":null,\"is\":true,\"more\":{\"name\":\"x\"},\"list\":[\"name\"]}";
    DisplayData sender = sender(json);
    claim(sender.json().equals(json), "an object is handed on as it came: " + sender.json());
    claim(sender.name().equals("Ann\t\"\\/\b\f\n\r") && sender.text("name").equals(sender.name()), "escapes are what they mean: " + sender.name());
    claim(sender.text("id").equals("u"), "a text is found");
    claim(sender.text("value").equals("0.5") && sender.text("many").equals("-12e+3"), "a number is as it is written");
    for (String field : new String[] {"none", "is", "more", "list", "gone", ""}) claim(sender.text(field) == null, field + " is no text");
    claim(sender("{\"id\":\"u\",\"name\":\"\"}").name().equals("u") && sender("{\"id\":7}").name().equals("7"), "without a name, the id is one");
    claim(sender("{}").name().isEmpty() && sender("{\"name\":[]}").name().isEmpty(), "without both, there is none");
    claim(sender("5") == null && sender("[\"name\"]") == null, "what is no object is none");
    claim(op("\"op\":\"glow\",\"banner\":1") == DisplayInstruction.Op.UNKNOWN, "an op of a later version is unknown, not malformed");
    claim(op("\"op\":\"dismiss\"") == DisplayInstruction.Op.MALFORMED, "a known op without its banner is malformed");
    System.out.println("DisplayDataTest: all claims are true");
  }
}
