import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { readFrame } from "./export-frames.ts";

test("a picture behind a redirect is an error that says so, and a token does not follow it", async () => {
  const asked: unknown[] = [];
  const server = createServer(({ url }, response) => {
    asked.push(url);
    response.writeHead(307, { location: "/elsewhere" }).end();
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const serverUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  try {
    const picture = readFrame("talk", { sequence: 1, hash: "abc" }, { serverUrl, token: "named" });
    await expect(picture).rejects.toMatchObject({
      code: "unavailable",
      message: `the server at ${serverUrl} redirects to another address`,
    });
    expect(asked).toEqual([expect.stringMatching(/blobs\/abc\?sequence=1$/u)]);
  } finally {
    server.close().closeAllConnections();
  }
});
