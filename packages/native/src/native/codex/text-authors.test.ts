import { expect, test } from "vitest";
import { typedText } from "./text-authors.ts";

test("the tags that Codex puts around a picture are not part of a message", () => {
  const text = (words: string) => ({ type: "input_text", text: words });
  const picture = { type: "input_image", image_url: "data:image/png;base64,AA==" };
  const content = [
    text('<image name=[Image #1] path="/a.png">'),
    picture,
    text("</image>"),
    text("Is it green?"),
  ];
  expect(typedText("response_item", { type: "message", role: "user", content })).toBe("Is it green?");
  const quoted = [text("<image name=x>"), text("What does this tag mean?")];
  expect(typedText("response_item", { type: "message", role: "user", content: quoted })).toBe(
    "<image name=x>\n\nWhat does this tag mean?",
  );
});
