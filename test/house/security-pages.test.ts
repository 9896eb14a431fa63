/** The pages about security agree with the code: tests compare their tables and numbers. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { TABLES } from "../../packages/store/src/store/schema/tables.ts";
import { ROOT, readSource } from "./imports.ts";

const read = (path: string): string => readFileSync(join(ROOT, path), "utf8");
const SERVER = read("docs/server.md");

/** The first cells of a table below a heading cell, without marks. */
function firstCells(page: string, heading: string): readonly string[] {
  const [, table = ""] = page.split(`\n| ${heading} |`);
  const [, , ...rows] = (table.split("\n\n")[0] ?? "").split("\n");
  return rows.map((row) => row.split(" | ")[0]?.replace(/^\| /u, "").replaceAll("`", "") ?? "");
}

test("the server's page lists every event of the security log, and no other", () => {
  const [, union = ""] = read("packages/server/src/server/context/context.ts").split(
    "export type SecurityEventType =",
  );
  const types = [...(union.split(";")[0] ?? "").matchAll(/"(\w+)"/gu)].map(([, type = ""]) => type);
  expect(types.length).toBeGreaterThan(10);
  expect(firstCells(SERVER, "security event").toSorted()).toEqual(types.toSorted());
});

test("the server's page lists all its logs", () => {
  expect(firstCells(SERVER, "log")).toEqual([
    "security log",
    "[audit log](#the-audit-log)",
    "stderr",
    "stdout",
    "metrics",
    "channels, sessions and streams",
  ]);
});

/** Sources that connect to another system, each with the row of the server's page that describes when. */
const CONNECTIONS: Readonly<Record<string, string>> = {
  "store/postgres/connections.ts": "its Postgres",
  "store/postgres/notifications.ts": "its Postgres",
  "store/s3/client.ts": "the bucket of its blobs",
  "server/subscriptions/webhook.ts": "hosts of webhooks",
  "cli/serve/telemetry.ts": "a collector of metrics",
  "live/writers/openai.ts": "models for notes",
  "model-agent/open-model.ts": "a model of `models`",
  "model-agent/window.ts": "the address of `openModel`",
  "model-agent/local-servers.ts": "model servers of this machine",
  "cli/channel/server.ts": "the server that they were given",
  "cli/live/export-frames.ts": "the server that they were given",
  "cli/move/server.ts": "the server that they were given",
  "cli/stats/update-prices.ts": "--update-prices URL",
  "cli/update/update.ts": "`updates.feed`",
  "cli/view/view.ts": "the server that they were given",
  "cli/view/other-server.ts": "the server that they were given",
  "client/chat/open-chat.ts": "the server that they were given",
  "client/link.ts": "the server that they were given",
  "client/live/feed.ts": "the server that they were given",
  "client/live/requests.ts": "the server that they were given",
  "client/open-channel.ts": "the server that they were given",
  "client/requests/obstacle.ts": "the server that they were given",
  "client/requests/same-server.ts": "the server that they were given",
};

/**
 * These sources connect only to sockets that Continuo made on this machine; the page of the extension asks its own
 * server.
 */
const OF_THIS_MACHINE = [
  "cli/running/command-server.ts",
  "cli/running/command-client.ts",
  "cli/sockets/editor-socket.ts",
  "cli/sockets/private-socket.ts",
  "cli/view/running-viewer.ts",
  "cli/serve/window/in-window.ts",
  "server/extension/page.ts",
];

const CONNECTS =
  /await fetch(?:There)?\(|\bnew WebSocket\(|\bimport pg from "pg"|\brequestHttps?\b|\bconnect\b[^;]*\} from "node:(?:net|tls)"|from "node:(?:tls|dgram|http2|https)"|Exporter\(\)|import\("@ai-sdk\//u;

test("the server's page lists every connection to another system, and only these sources open one", () => {
  const connecting = readSource()
    .filter(({ path, text }) => !/^testing\/|\.test\.ts$/u.test(path) && CONNECTS.test(text))
    .map(({ path }) => path)
    // The readers of native files also have calls named `fetch`.
    .filter((path) => !path.startsWith("native/"));
  const unknown = connecting.filter((path) => CONNECTIONS[path] === undefined);
  expect(unknown.toSorted()).toEqual(OF_THIS_MACHINE.toSorted());
  expect(Object.keys(CONNECTIONS).filter((path) => !connecting.includes(path))).toEqual([]);
  const [, section = ""] = SERVER.split("\n## Connections to other systems\n");
  const rows = (section.split("\n## ")[0] ?? "").split("\n").filter((row) => row.startsWith("| "));
  for (const words of new Set(Object.values(CONNECTIONS))) {
    expect(
      rows.filter((row) => row.includes(words)),
      words,
    ).toHaveLength(1);
  }
});

const [, DATA = ""] = SERVER.split("\n## Data\n");
const DATA_ROWS = (DATA.split("\n## ")[0] ?? "").split("\n").filter((row) => row.startsWith("| "));

test("every table of the store has a class of data, and one place in the list", () => {
  const places = TABLES.map((table) => [
    table,
    DATA_ROWS.filter((row) => row.includes(`\`${table}\``)).length,
  ]);
  expect(places).toEqual(TABLES.map((table) => [table, 1]));
  const classes = new Set(DATA_ROWS.slice(1).map((row) => row.split(" | ")[0]?.slice(2)));
  expect([...classes]).toEqual(["secret", "content", "operation", "choice", "public"]);
  for (const one of ["secret", "Content", "Operation"])
    expect(DATA).toMatch(new RegExp(`^- .*\\*${one}\\*`, "mu"));
});

test("every name under which the viewer or the extension stores something in a browser is listed", () => {
  const sources = ["web", "extension"].flatMap((folder) =>
    readSource(folder).filter(({ path }) => !/^(?:dist|\.wxt|\.output)\/|\.test\.tsx?$/u.test(path)),
  );
  const storing = sources.filter(({ text }) => /\b(?:localStorage|sessionStorage)\b/u.test(text));
  const names = storing.flatMap(({ text }) =>
    [...text.matchAll(/"(continuo-[a-z]+)"/gu)].map(([, name]) => name),
  );
  expect([...new Set(names)].toSorted()).toEqual([
    "continuo-name",
    "continuo-pass",
    "continuo-tab",
    "continuo-theme",
  ]);
  for (const name of names) expect(DATA_ROWS.join("\n")).toContain(`\`${name}\``);
  // No other storage is used in a page, except by the extension.
  const others =
    /\bindexedDB\b|\bcaches\.(?:open|match)\(|\bcookieStore\b|document\.cookie|showSaveFilePicker|storage\.getDirectory/u;
  expect(sources.filter(({ text }) => others.test(text)).map(({ path }) => path)).toEqual([
    "sending/storage.ts",
  ]);
});

test("the flags and variables by which a vault gives secrets exist", () => {
  const [, section = ""] = SERVER.split("\n### Secrets from a vault\n");
  const table = (section.split("\n## ")[0] ?? "").split("\n").filter((row) => row.startsWith("| "));
  const named = [...table.join("\n").matchAll(/`[^`]*?(--[a-z-]+)[^`]*`/gu)].map(([, flag = ""]) => flag);
  expect(named.toSorted()).toEqual(["--expires", "--webhook-key"]);
  const cli = read("docs/cli.md");
  for (const flag of [...named, "CONTINUO_STORE"]) expect(cli, flag).toContain(flag);
  const [, parameters = ""] = /`postgres:\/\/[^?`]+\?([^`]+)`/u.exec(table.join("\n")) ?? [];
  expect(parameters.split("&").map((one) => one.split("=")[0])).toEqual([
    "sslmode",
    "sslrootcert",
    "sslcert",
    "sslkey",
  ]);
});
