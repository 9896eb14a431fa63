import { expect, test } from "vitest";
import { hasPictures, promptOf, withoutPictures } from "./attachments.ts";
import { LIMITS } from "./limits.ts";
import type { AhpMessage } from "./protocol.ts";

const DATA = "iVBORw0KGgo=";
const picture = (data = DATA) => ({
  type: "embeddedResource",
  label: "screen.png",
  displayKind: "image",
  contentType: "image/png",
  data,
});

const message = (text: string, ...attachments: readonly object[]): AhpMessage => ({
  text,
  origin: { kind: "user" },
  attachments,
});

test("an agent gets the words, the names of files and the pictures of a message", () => {
  const file = { type: "resource", label: "a b.ts", uri: "file:///work/a%20b.ts" };
  const simple = { type: "simple", label: "sel", modelRepresentation: "lines 1 to 3" };
  expect(promptOf(message("look", file, picture(), simple))).toEqual({
    text: "look\n\nAttached: /work/a b.ts\n\nlines 1 to 3",
    pictures: [{ mimeType: "image/png", data: DATA }],
  });
  expect(promptOf(message("look"))).toEqual({ text: "look" });
  expect(promptOf(message("", picture())).pictures).toHaveLength(1);
});

test.each([
  ["nothing", message(" "), /no words/u],
  ["a sound", message("hear", { ...picture(), contentType: "audio/wav" }), /"screen.png"/u],
  ["a picture without data", message("look", picture("")), /"screen.png"/u],
  [
    "too large pictures",
    message("look", picture("a".repeat(LIMITS.pictureChars)), picture()),
    /too large: 4194316 characters, at most 4194304 are taken/u,
  ],
])("a message with %s is refused with the reason", (_, given, reason) => {
  expect(() => promptOf(given)).toThrow(reason);
});

test("the state of a chat names a picture, and has the other attachments as they are", () => {
  const file = { type: "resource", label: "a", uri: "file:///a" };
  const whole = message("look", file, picture());
  expect([hasPictures(whole), hasPictures(message("look", file))]).toEqual([true, false]);
  expect(withoutPictures(whole)).toEqual(
    message("look", file, {
      type: "simple",
      label: "screen.png",
      displayKind: "image",
      modelRepresentation: "[picture, image/png]",
    }),
  );
  expect(withoutPictures(message("look", file))).toEqual(message("look", file));
});
