import { spawn } from "node:child_process";
import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { expect, test } from "vitest";
import { afterInput } from "./index.ts";

test("input that waited while this process was delayed is read first", async () => {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  const typing = connect(address.port, "127.0.0.1");
  const [reading] = (await once(server, "connection")) as [Socket];
  const happened: string[] = [];
  reading.on("data", () => happened.push("input"));
  const over = Promise.withResolvers<void>();
  afterInput(20, () => {
    happened.push("pause");
    over.resolve();
  });
  typing.write("x");
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 60);
  await over.promise;
  expect(happened).toEqual(["input", "pause"]);
  typing.destroy();
  server.close();
});

test("a disposed listener is never called", async () => {
  let calls = 0;
  afterInput(1, () => {
    calls += 1;
  })[Symbol.dispose]();
  await new Promise<void>((done) => void afterInput(5, done));
  expect(calls).toBe(0);
});

test("the timer fires in time even if the process waits for nothing but input", async () => {
  const module = JSON.stringify(new URL("./typed-input.ts", import.meta.url).href);
  const program = `
    import { afterInput } from ${module};
    process.stdin.resume();
    // Another timer is far away: nothing but the call itself wakes the process.
    setTimeout(() => undefined, 600_000);
    afterInput(50, () => process.stdout.write("called"));`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", program]);
  try {
    const { promise, resolve } = Promise.withResolvers<string>();
    child.stdout.setEncoding("utf8").once("data", resolve);
    expect(await promise).toBe("called");
  } finally {
    child.kill("SIGKILL");
  }
});
