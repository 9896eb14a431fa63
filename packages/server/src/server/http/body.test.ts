import { expect, test } from "vitest";
import { readBody, readJsonObject } from "./body.ts";

function streamed(...chunks: readonly string[]): Request {
  const body = ReadableStream.from(chunks.map((chunk) => Buffer.from(chunk)));
  return new Request("http://localhost/", { method: "POST", body, duplex: "half" } as RequestInit);
}

test("a body that does not declare its length is read up to the limit, and not further", async () => {
  expect(Buffer.from(await readBody(streamed("abc", "de"), 5)).toString()).toBe("abcde");
  let sent = 0;
  const endless = ReadableStream.from(
    (async function* () {
      for (;;) {
        sent += 1;
        yield Buffer.alloc(10);
      }
    })(),
  );
  const request = new Request("http://localhost/", {
    method: "POST",
    body: endless,
    duplex: "half",
  } as RequestInit);
  await expect(readBody(request, 35)).rejects.toMatchObject({ code: "too_large", details: { limit: 35 } });
  expect(sent).toBeLessThan(10);
});

test("a body that declares a length beyond the limit is not read", async () => {
  const request = new Request("http://localhost/", {
    method: "POST",
    body: "x".repeat(6),
    headers: { "content-length": "6" },
  });
  await expect(readBody(request, 5)).rejects.toMatchObject({ code: "too_large" });
  expect(request.bodyUsed).toBe(false);
});

test("a body without bytes counts as an empty object, and any value except an object is refused", async () => {
  expect(await readJsonObject(streamed())).toEqual({});
  for (const text of ["[]", "null", "3", "{"]) {
    await expect(readJsonObject(streamed(text))).rejects.toMatchObject({ code: "invalid" });
  }
});
