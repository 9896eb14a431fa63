import { test } from "vitest";
import { recordTried } from "../tried-editors.ts";
import { killHosts } from "./cut-windows.ts";
import { CODE_SERVER } from "./vscode.ts";

test("two windows of VS Code and a bare client have the host's state after it was killed in the middle of turns", async () => {
  await killHosts({ kills: 2, seed: Math.floor(Math.random() * 2 ** 31) });
  recordTried(CODE_SERVER);
}, 480_000);
