/** `continuo serve` sends its metrics to a collector of OpenTelemetry. */

import { spawn } from "node:child_process";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createInterface } from "node:readline";
import { expect, test } from "vitest";
import { scratchFolder } from "../scratch-folder.ts";
import { bundledCommand } from "../sizes/shared-programs.ts";
import { said } from "./live-session.ts";

interface SentMetrics {
  readonly resourceMetrics: readonly { readonly resource: unknown }[];
}

test("a server sends its metrics to the endpoint in OTEL_EXPORTER_OTLP_ENDPOINT, and the remaining ones when it ends", async () => {
  const sent: string[] = [];
  const collector = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      sent.push(`${request.url} ${Buffer.concat(chunks).toString()}`);
      response.writeHead(200, { "content-type": "application/json" }).end("{}");
    });
  });
  await new Promise<void>((resolve) => collector.listen(0, "127.0.0.1", resolve));
  const home = scratchFolder("otlp");
  const args = [await bundledCommand(), "serve", "--no-auth", "--listen", "127.0.0.1:0", "--json"];
  const child = spawn(process.execPath, args, {
    env: {
      PATH: process.env.PATH ?? "",
      HOME: home,
      CONTINUO_HOME: home,
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${(collector.address() as AddressInfo).port}`,
      OTEL_METRIC_EXPORT_INTERVAL: "200",
      OTEL_SERVICE_NAME: "notes",
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const ended = new Promise<number | null>((resolve) => child.once("exit", resolve));
  try {
    const line = await new Promise<string>((resolve, reject) => {
      createInterface({ input: child.stdout }).once("line", resolve);
      child.once("exit", () => reject(new Error("serve ended")));
    });
    const { url } = JSON.parse(line) as { readonly url: string };
    const post = (method: string, path: string, body: object): Promise<Response> =>
      fetch(`${url}/v1/live/k${path}`, { method, body: JSON.stringify(body) });
    await post("PUT", "", { videoId: "v" });
    const batch = { producerId: "p", epoch: 0, sequence: 0, evidence: [said("words")] };
    expect((await post("POST", "/evidence", batch)).status).toBe(200);
    await expect.poll(() => sent.join("\n")).toContain("continuo.live.messages");
    expect(sent[0]).toContain("/v1/metrics");
    const [body = ""] = sent;
    const { resourceMetrics } = JSON.parse(body.slice(body.indexOf("{"))) as SentMetrics;
    // The resource names no machine, process or user.
    expect(resourceMetrics[0]?.resource).toEqual({
      attributes: [{ key: "service.name", value: { stringValue: "notes" } }],
      droppedAttributesCount: 0,
    });
    expect(sent.join("\n")).not.toContain("continuo.live.checkpoint.duration");
    // The final checkpoint is measured before or after the last interval; it arrives in both cases.
    await post("DELETE", "", {});
    child.kill("SIGTERM");
    expect(await ended).toBe(0);
    expect(sent.join("\n")).toContain("continuo.live.checkpoint.duration");
  } finally {
    child.kill("SIGKILL");
    collector.closeAllConnections();
    collector.close();
  }
});
