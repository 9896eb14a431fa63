import { afterEach, expect, test, vi } from "vitest";
import { assertServerUrl, obstacleAt } from "./obstacle.ts";

afterEach(() => void vi.unstubAllGlobals());

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

test.each([
  ["ws://v1/v1/channels/tea/ws", "http://v1/healthz"],
  ["wss://example.com/shop/v1/channels/v1/ws", "https://example.com/shop/healthz"],
  ["http://v1:8080", "http://v1:8080/healthz"],
  ["https://example.com/shop/", "https://example.com/shop/healthz"],
])("the obstacle on the way to %s is looked for at %s", async (url, health) => {
  const asked: string[] = [];
  vi.stubGlobal("fetch", async (address: string) => {
    asked.push(address);
    return Response.json({});
  });
  expect(await obstacleAt(url)).toMatchObject({ code: "unsupported" });
  expect(asked).toEqual([health]);
});
