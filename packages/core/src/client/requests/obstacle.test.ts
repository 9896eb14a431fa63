import { afterEach, expect, test, vi } from "vitest";
import { assertServerUrl } from "./address.ts";
import { obstacleAt as obstacleOnDemand } from "./back-off.ts";
import { obstacleAt } from "./obstacle.ts";

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

/** Plays the server's answer to the first request, and notes how it was asked. */
function answering(answer: () => Response | Promise<Response>): RequestInit[] {
  const asked: RequestInit[] = [];
  vi.stubGlobal("fetch", async (_: string, init: RequestInit) => {
    asked.push(init);
    return await answer();
  });
  return asked;
}

test("the search for an obstacle sends nothing that names a person, and follows no redirect", async () => {
  const asked = answering(
    () => new Response(null, { status: 302, headers: { location: "https://a.example" } }),
  );
  expect(await obstacleAt("https://example.com")).toMatchObject({
    code: "unavailable",
    message: expect.stringContaining("redirects"),
  });
  expect(asked).toMatchObject([{ credentials: "omit", redirect: "manual" }]);
});

test("a server that is busy is no obstacle, and one that does not accept the page is", async () => {
  const obstacle = async (code: string, status: number): Promise<unknown> => {
    answering(() => Response.json({ error: { code, message: "no" } }, { status }));
    return (await obstacleAt("https://example.com"))?.code ?? null;
  };
  expect(await obstacle("busy", 503)).toBeNull();
  expect(await obstacle("forbidden", 403)).toBe("forbidden");
});

test("a page learns that a server refuses it only if the server is another one than its own, and answers", async () => {
  const asked = answering(() => Promise.reject(new TypeError("fetch failed")));
  vi.stubGlobal("location", { origin: "https://example.com" });
  expect(await obstacleAt("https://example.com")).toBeNull();
  expect(asked).toHaveLength(1);
  vi.stubGlobal("location", { origin: "https://other.example" });
  const modes: unknown[] = [];
  vi.stubGlobal("fetch", async (_: string, { mode }: RequestInit) => {
    modes.push(mode);
    if (mode === "cors") throw new TypeError("fetch failed");
    return new Response(null);
  });
  expect(await obstacleAt("https://example.com")).toMatchObject({ code: "forbidden" });
  expect(modes).toEqual(["cors", "no-cors"]);
});

test("a connection is tried again where the code that searches for an obstacle cannot be loaded", async () => {
  vi.doMock("./obstacle.ts", () => {
    throw new TypeError("failed to fetch the module");
  });
  expect(await obstacleOnDemand("https://example.com")).toBeNull();
  vi.doUnmock("./obstacle.ts");
});
