/** Files of Whisper from a server with faulty answers. */

import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { hasServerFile, readServerFile } from "./whisper-files.ts";

const MOST_BYTES = 2_000_000;

async function withServer<Result>(
  answer: RequestListener,
  act: (serverUrl: string) => Promise<Result>,
): Promise<Result> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    return await act(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

/** The text of the file, or the reason why it is missing. */
const read = (answer: RequestListener): Promise<string | null> =>
  withServer(answer, async (serverUrl) => {
    const blob = await readServerFile({ serverUrl, token: "t" }, "model/config.json", MOST_BYTES).catch(
      String,
    );
    return typeof blob === "string" || blob === null ? blob : await blob.text();
  });

test("a file is fetched from its address with the token, and a missing file is read as null", async () => {
  const seen: string[] = [];
  const found = await read((request, response) => {
    seen.push(`${request.method} ${request.url} ${request.headers.authorization}`);
    response.end("{}");
  });
  expect(found).toBe("{}");
  expect(seen).toEqual(["GET /v1/whisper/model/config.json Bearer t"]);
  expect(await read((_, response) => response.writeHead(404).end())).toBeNull();
  expect(await read((_, response) => response.writeHead(403).end())).toContain("answered 403");
});

test("a file whose transfer breaks off is not used, even if its size was not declared", async () => {
  const told: RequestListener = (_, response) => {
    response.writeHead(200, { "content-length": "1000" });
    response.write("{");
    setTimeout(() => response.destroy(), 50);
  };
  const untold: RequestListener = (_, response) => {
    response.write("{");
    setTimeout(() => response.destroy(), 50);
  };
  for (const answer of [told, untold]) expect(await read(answer)).toContain("model/config.json broke off");
});

test("a file that declares a size beyond the limit is not read, and a file without a declared size is read only up to the limit", async () => {
  let written = 0;
  const told: RequestListener = (_, response) => {
    response.writeHead(200, { "content-length": String(MOST_BYTES + 1) });
    response.write("x");
  };
  expect(await read(told)).toContain("is larger than 2 MB");
  const untold: RequestListener = (_, response) => {
    const piece = Buffer.alloc(65_536);
    const more = (): void => {
      while (!response.destroyed && response.write(piece)) written += piece.length;
      written += piece.length;
    };
    response.on("drain", more);
    more();
  };
  expect(await read(untold)).toContain("is larger than 2 MB");
  expect(written).toBeLessThan(20 * MOST_BYTES);
});

test("a redirect to another origin is not followed, and a server that does not answer has no files", async () => {
  let count = 0;
  const answer = await withServer(
    (_, response) => {
      count++;
      response.end("elsewhere");
    },
    (elsewhere) => read((_, response) => response.writeHead(302, { location: elsewhere }).end()),
  );
  expect(answer).toContain("the server did not answer for model/config.json");
  expect(count).toBe(0);
  expect(await hasServerFile({ serverUrl: "http://127.0.0.1:9", token: "t" }, "transformers.min.js")).toBe(
    false,
  );
});
