import { expect, test } from "vitest";
import { assertServerUrl } from "./obstacle.ts";

function refusalOf(url: unknown): string {
  try {
    assertServerUrl(url);
    return "accepted";
  } catch (error) {
    return (error as Error).message;
  }
}

test("a URL with a password is refused, and the error does not repeat the password", () => {
  expect(refusalOf("https://ann:hunter2@example.com/continuo")).toBe(
    "https://example.com is not the URL of a server",
  );
  expect(refusalOf("https://example.com/continuo")).toBe("accepted");
  expect(refusalOf("ftp://example.com")).toBe("ftp://example.com is not the URL of a server");
  expect(refusalOf(undefined)).toBe("no serverUrl is given");
});
