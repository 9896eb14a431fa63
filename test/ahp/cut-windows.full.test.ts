import { test } from "vitest";
import { recordTried } from "../tried-editors.ts";
import { cutWindows } from "./cut-windows.ts";
import { CODE_SERVER } from "./vscode.ts";

test("two windows of VS Code and a bare client have the host's state after their connections broke in every turn", async () => {
  await cutWindows({ turns: 4, cuts: 5 });
  recordTried(CODE_SERVER);
}, 240_000);
