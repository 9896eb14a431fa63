import { test } from "vitest";
import { cutWindows } from "./cut-windows.ts";

test("two windows of VS Code and a bare client have the host's state after their connections broke in every turn", async () => {
  await cutWindows({ turns: 4, cuts: 5 });
}, 240_000);
